// expect: clean
// run: -g 4 -l 1 -a buf:16:iota -a buf:16
// Work-groups of one work-item: what it did comes before its copy.
kernel void k(global const int *in, global int *out)
{
    local int t[4];
    int g = get_group_id(0);
    for (int i = 0; i < 4; i++)
        t[i] = in[4 * g + 3 - i];
    event_t e = async_work_group_copy(out + 4 * g, t, 4, 0);
    wait_group_events(1, &e);
    t[0] = out[4 * g];
}
