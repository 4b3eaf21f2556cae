// expect: clean
// run: -g 8 -l 4 -a buf:32:iota -a buf:32
// Columns in, rows out: the elements in between belong to other groups.
kernel void k(global const int *in, global int *out)
{
    local int t[16];
    int g = get_group_id(0), l = get_local_id(0);
    event_t e = async_work_group_strided_copy(t, in + g, 16, 2, 0);
    wait_group_events(1, &e);
    for (int i = l; i < 16; i += 4)
        t[i] *= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + 1 - g, t, 16, 2, 0);
    wait_group_events(1, &e);
}
