// expect: clean
// run: -g 8 -l 8 -a buf:32:iota -a buf:32
// The event of the last iteration is passed to the next copy, which becomes associated with it.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    int l = get_local_id(0);
    event_t e = 0;
    for (int r = 0; r < 4; r++) {
        e = async_work_group_copy(t, in + 8 * r, 8, e);
        wait_group_events(1, &e);
        out[8 * r + l] = t[7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
