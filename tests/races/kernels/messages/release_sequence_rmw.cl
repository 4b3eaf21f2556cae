// expect: clean
// run: -g 12 -l 4 -a buf:1 -a buf:1
// A read-modify-write of any work-item continues the release sequence, whatever its order [CL 3.3.6 G7].
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (i == 4) {
        int one = 1;
        while (!atomic_compare_exchange_strong_explicit(flag, &one, 2, memory_order_relaxed, memory_order_relaxed,
                                                        memory_scope_device))
            one = 1;
    } else if (i == 8) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 2)
            ;
        *data += 1;
    }
}
