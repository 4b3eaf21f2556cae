// expect: clean
// run: -g 8 -l 8 -a buf:8:iota
// The flag is atomic where several work-items write it, and one of them resets it between two barriers.
kernel void k(global int *a)
{
    local atomic_int again;
    int i = (int)get_local_id(0), more;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == 0)
            atomic_store_explicit(&again, 0, memory_order_relaxed, memory_scope_work_group);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (a[i] > 0) {
            a[i]--;
            atomic_store_explicit(&again, 1, memory_order_relaxed, memory_scope_work_group);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        more = atomic_load_explicit(&again, memory_order_relaxed, memory_scope_work_group);
    } while (more);
}
