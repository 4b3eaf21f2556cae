// expect: data-race
// at: 15 write, 16 read, copy and work-item in one group
// reason: in progress until a wait for its event
// run: -g 4 -l 4 -a buf:16:iota -a buf:16
// The next tile is copied over the one that is being read.
kernel void k(global const int *in, global int *out)
{
    local int tile[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in, 4, 0);
    for (int t = 0; t < 4; t++) {
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < 3)
            e = async_work_group_copy(tile, in + 4 * (t + 1), 4, 0);
        out[4 * t + l] = tile[3 - l];
    }
}
