// expect: clean
// run: -g 8 -l 4 -a buf:4 -a buf:4 -a buf:4
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_global_id(0) == 3) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 1)
            *out = *data;
    }
}
