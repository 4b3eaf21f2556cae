// expect: clean
// run: -g 4 -l 4 -a buf:1
// A barrier orders the initialization before the use.
kernel void k(global int *out)
{
    local atomic_int count;
    if (get_local_id(0) == 0)
        atomic_init(&count, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = atomic_load_explicit(&count, memory_order_relaxed, memory_scope_work_group);
}
