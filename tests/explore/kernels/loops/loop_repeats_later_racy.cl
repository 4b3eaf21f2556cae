// The first iteration changes the loop's state; only a later one, which changes nothing, reads data before
// the flag is set.
// Expect: race found, divergence none
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --arg buf:4:zero
kernel void k(global int *data, global atomic_int *flag, global atomic_int *other)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        for (int first = 1;;) {
            if (first) {
                first = 0;
                atomic_load_explicit(other, memory_order_relaxed, memory_scope_device);
                continue;
            }
            if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
                break;
            (void)*(volatile global int *)data;
        }
    }
}
