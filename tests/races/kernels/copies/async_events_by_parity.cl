// expect: clean
// run: -g 8 -l 8 -a buf:32:iota -a buf:32
// Two tiles and two events, used alternately.
kernel void k(global const int *in, global int *out)
{
    local int tile[2][8];
    event_t e[2];
    int l = get_local_id(0);
    e[0] = async_work_group_copy(tile[0], in, 8, 0);
    for (int t = 0; t < 4; t++) {
        if (t < 3)
            e[(t + 1) % 2] = async_work_group_copy(tile[(t + 1) % 2], in + 8 * (t + 1), 8, 0);
        wait_group_events(1, &e[t % 2]);
        out[8 * t + l] = tile[t % 2][7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
