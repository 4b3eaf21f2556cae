// expect: data-race
// at: 9 write, 11 read, copy and work-item in one group
// reason: barriers do not order it
// fix: wait_group_events for the copy
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a local:32
// There is a barrier between the copy and its use, but the wait comes after the use.
kernel void k(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = t[7 - get_local_id(0)];
    wait_group_events(1, &e);
}
