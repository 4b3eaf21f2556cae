// expect: data-race
// at: 13 read, 14 write, copy and work-item in one group
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy
// run: -g 4 -l 1 -a buf:16:iota -a buf:16
// Even alone in its group a work-item has to wait.
kernel void k(global const int *in, global int *out)
{
    local int t[4];
    int g = get_group_id(0);
    for (int i = 0; i < 4; i++)
        t[i] = in[4 * g + 3 - i];
    event_t e = async_work_group_copy(out + 4 * g, t, 4, 0);
    t[0] = 7;
    wait_group_events(1, &e);
}
