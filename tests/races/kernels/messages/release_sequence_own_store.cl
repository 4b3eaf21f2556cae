// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:1
// A later relaxed store of the same work-item continues its own release sequence [CL 3.3.6 G7].
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
    } else if (i == 4) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 2)
            ;
        *data += 1;
    }
}
