// expect: data-race
// at: 13 write, 15 read, copy and work-item in one group
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy
// run: -g 8 -l 8 -a buf:32:iota -a buf:32
// Copies share one event; the wait comes after the loop, too late for the use in each iteration.
kernel void k(global const int *in, global int *out)
{
    local int t[4][8];
    int l = get_local_id(0);
    event_t e = 0;
    for (int r = 0; r < 4; r++) {
        e = async_work_group_copy(t[r], in + 8 * r, 8, e);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[8 * r + l] = t[r][7 - l];
    }
    wait_group_events(1, &e);
}
