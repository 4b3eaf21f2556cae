// expect: data-race
// at: 11 write, 16 read, same group
// reason: has scope sub_group, but the work-items are in different sub-groups
// run: -g 4 -l 4 -a buf:1 -a buf:1 -a buf:1
// Fences of sub-group scope around atomics of device scope do not synchronize with other sub-groups.
__attribute__((intel_reqd_sub_group_size(2)))
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_sub_group);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (i == 2 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_sub_group);
        *out = *data;
    }
}
