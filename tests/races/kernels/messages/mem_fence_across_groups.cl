// expect: data-race
// at: 11 write, 18 read, different groups
// reason: the release fence at mem_fence_across_groups.cl:12 has scope work_group, but the work-items are in different work-groups
// fix: give the fences at mem_fence_across_groups.cl:12 and mem_fence_across_groups.cl:17 memory_scope_device
// run: -g 8 -l 4 -a buf:1 -a buf:1
// mem_fence has work-group scope [CLC 6.15.8]: it publishes nothing to another work-group.
kernel void k(global int *data, volatile global int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(flag, 1);
    } else if (i == 4) {
        while (atomic_or(flag, 0) == 0)
            ;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *data += 1;
    }
}
