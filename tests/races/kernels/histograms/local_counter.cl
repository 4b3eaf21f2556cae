// expect: clean
// run: -g 16 -l 8 -a buf:8
kernel void k(global int *out)
{
    local atomic_int n;
    if (get_local_id(0) == 0)
        atomic_init(&n, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = atomic_load_explicit(&n, memory_order_relaxed, memory_scope_work_group);
}
