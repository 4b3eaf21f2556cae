// Options: --global 2 --arg buf:2 --arg buf:2
// Error: copy_fence.cl:7:5: async_work_group_copy_fence is not explored: wait with wait_group_events and call work_group_barrier [explore.copy]
kernel void load(global const int *in, global int *out)
{
    local int tile[2];
    event_t e = async_work_group_copy(tile, in, 2, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out, tile, 2, e);
    wait_group_events(1, &e);
}
