// expect: data-race
// at: 12 read, 13 write, copy and work-item in one group
// reason: in progress until a wait for its event
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// The source is changed before the copy is waited for.
kernel void k(global const int *a, global int *o)
{
    local int s[8];
    int l = get_local_id(0);
    s[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o, s, 8, 0);
    s[l] = 0;
    wait_group_events(1, &e);
}
