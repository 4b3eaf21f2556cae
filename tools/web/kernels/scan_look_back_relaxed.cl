// The flag is read with relaxed order: it says that the sum is there, but does not make it visible.
// Options: --global 3 --local 1 --arg '{1, 2, 3}' --arg buf:3:zero --arg buf:3:zero --assert 'sum[0] == 1 and sum[1] == 3 and sum[2] == 6'
// Expect: race found, divergence none, termination always
// Twin: scan_look_back
kernel void k(global const int *in, global int *sum, global atomic_int *ready)
{
    int i = get_global_id(0), before = 0;
    if (i > 0) {
        while (!atomic_load_explicit(&ready[i - 1], memory_order_relaxed, memory_scope_device))
            ;
        before = sum[i - 1];
    }
    sum[i] = before + in[i];
    atomic_store_explicit(&ready[i], 1, memory_order_release, memory_scope_device);
}
