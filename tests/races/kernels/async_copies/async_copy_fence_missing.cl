// expect: data-race
// at: 9 write, 10 read, copy and copy in one group
// reason: in progress until a wait for its event
// run: -g 16 -l 8 -a buf:16:iota -a buf:16
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    int b = get_group_id(0) * 8;
    event_t e = async_work_group_copy(t, in + b, 8, 0);
    e = async_work_group_copy(out + b, t, 8, e);
    wait_group_events(1, &e);
}
