// Two flags are read alternately; after the second, also the data that is written before the flags are set.
// Expect: race found, divergence none
// Engines: search
// Options: --global 2 --local 1 --arg buf:12:zero --arg buf:4:zero
kernel void k(global atomic_int *flag, global int *data)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        for (int i = 0; i < 2; i++)
            atomic_store_explicit(&flag[i], 1, memory_order_release, memory_scope_device);
    } else {
        for (int i = 0; !atomic_load_explicit(&flag[i], memory_order_acquire, memory_scope_device); i = !i)
            if (i == 1)
                (void)*(volatile global int *)data;
    }
}
