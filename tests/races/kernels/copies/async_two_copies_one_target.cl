// expect: data-race
// at: 9 write, 9 write, copy and copy in one group
// reason: in progress until a wait for its event
// run: -g 8 -l 8 -a buf:16:iota -a buf:8
// Two copies to the same destination are in flight.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    event_t e[2] = {async_work_group_copy(t, in, 8, 0), async_work_group_copy(t + 4, in + 8, 4, 0)};
    wait_group_events(2, e);
    out[get_local_id(0)] = t[get_local_id(0)];
}
