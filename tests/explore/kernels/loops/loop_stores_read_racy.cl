// The second iteration reads what the first one stored, then the data without a wait for the flag.
// Expect: race found
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:4:zero --arg buf:4:zero --bound 4
kernel void k(global atomic_int *flag, global int *seen, global int *data)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
            if (*seen == 1)
                (void)*(volatile global int *)data;
            *seen = 1;
        }
    }
}
