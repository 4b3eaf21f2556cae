// expect: clean
// run: -g 4 -l 4 -a buf:4 -a buf:4
kernel void k(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release,
                               memory_scope_work_group);
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (get_local_id(0) == 1 &&
               atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) == 1) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire,
                               memory_scope_work_group);
        *out = *data;
    }
}
