// expect: data-race
// at: 11 write, 16 read, copy and work-item in one group
// reason: in progress until a wait for its event
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a 0
// The second copy accesses no memory, so it may be complete before the first.
kernel void k(global const int *in, global int *out, uint count)
{
    local int t[8], u[8];
    int b = get_group_id(0) * 8, l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in + b, 8, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e[1] = async_work_group_copy(u, in + b, count, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    wait_group_events(1, &e[1]);
    out[b + l] = t[l];
    wait_group_events(1, &e[0]);
}
