// expect: clean
// run: -g 4 -l 4 -a buf:16:iota -a buf:16
// Two buffers: the copy of the next tile is in flight while the current tile is used.
kernel void k(global const int *in, global int *out)
{
    local int tile[2][4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(tile[0], in, 4, 0);
    for (int t = 0; t < 4; t++) {
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < 3)
            e = async_work_group_copy(tile[(t + 1) % 2], in + 4 * (t + 1), 4, 0);
        out[4 * t + l] = tile[t % 2][3 - l];
    }
}
