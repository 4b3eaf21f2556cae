// expect: data-race
// at: 12 write, 17 read, copy and work-item in one group; 12 write, 14 write, copy and copy in one group; 14 write, 17 read, copy and work-item in one group; 14 write, 14 write, copy and copy in one group; unwaited-copy 12; unwaited-copy 14
// reason: in progress until a wait for its event
// fix: wait_group_events for the copy
// run: -g 8 -l 8 -a buf:32:iota -a buf:32
// The wait names the copy that was started last, not the one whose tile is used.
kernel void k(global const int *in, global int *out)
{
    local int tile[2][8];
    event_t e[2];
    int l = get_local_id(0);
    e[0] = async_work_group_copy(tile[0], in, 8, 0);
    for (int t = 0; t < 4; t++) {
        e[(t + 1) % 2] = async_work_group_copy(tile[(t + 1) % 2], in + 8 * ((t + 1) % 4), 8, 0);
        if (t > 0)
            wait_group_events(1, &e[(t + 1) % 2]);
        out[8 * t + l] = tile[t % 2][7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    wait_group_events(2, e);
}
