// Options: --global 2 --local 1 --arg buf:1 --arg buf:1
// Expect: race found
// A work-item that waits sets x to an unconstrained value.
kernel void k(global atomic_int *flag, global int *a)
{
    int set[2], i = get_global_id(0), x = 0;
    set[i] = 0;
    while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        x = set[!i];
        if (i == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (x || i == 0)
        *a = i;
}
