// expect: data-race
// at: 13 write, 21 read, same group
// reason: the release fence at fences_one_flag.cl:14 and the acquire fence at fences_one_flag.cl:19 order local memory only, the accesses are to global memory
// fix: add CLK_GLOBAL_MEM_FENCE to the flags of the fences at fences_one_flag.cl:14 and fences_one_flag.cl:19
// run: -g 4 -l 4 -a buf:4 -a buf:4
kernel void k(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release,
                               memory_scope_work_group);
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (get_local_id(0) == 1 &&
               atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group) == 1) {
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire,
                               memory_scope_work_group);
        *out = *data;
    }
}
