// expect: data-race
// at: 9 write, 15 read, different groups
// reason: the release fence at fences_work_group_scope_across.cl:10 has scope work_group, but the work-items are in different work-groups
// fix: give the fences at fences_work_group_scope_across.cl:10 and fences_work_group_scope_across.cl:14 memory_scope_device
// run: -g 8 -l 4 -a buf:4 -a buf:4 -a buf:4
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 4) {
        if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
            *out = *data;
        }
    }
}
