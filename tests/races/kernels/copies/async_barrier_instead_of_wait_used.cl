// expect: data-race
// at: 9 write, 11 read, copy and work-item in one group; unwaited-copy 9
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a local:32
// A common mistake: a barrier in place of wait_group_events.
kernel void k(global const int *in, global int *out, local int *t)
{
    async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[get_local_id(0)];
}
