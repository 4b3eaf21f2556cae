// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:1
// A compare-exchange that fails is a load with its failure order [CLC 6.15.12.7.4].
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (i == 4) {
        int seen = 0;
        while (seen != 1) {
            seen = -1;
            atomic_compare_exchange_strong_explicit(flag, &seen, -2, memory_order_acquire, memory_order_acquire,
                                                    memory_scope_device);
        }
        *data += 1;
    }
}
