// expect: data-race
// at: 13 read, 15 write, copy and work-item in one group
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// The source of a copy out is overwritten after a barrier but before the wait.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    int l = get_local_id(0);
    t[l] = in[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = 0;
    wait_group_events(1, &e);
}
