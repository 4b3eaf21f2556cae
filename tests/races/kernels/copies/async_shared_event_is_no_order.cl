// expect: data-race
// at: 10 write, 12 read, copy and copy in one group
// reason: barriers do not order it
// fix: before the copy at
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// A copy in and a copy out share an event, which does not order one copy after the other.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, in, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out, t, 8, e);
    wait_group_events(1, &e);
}
