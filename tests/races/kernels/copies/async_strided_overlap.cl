// expect: data-race
// at: 12 write, 12 write, copy and copy in two groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:32:iota -a buf:48
// The strided copies of two groups both write every third element.
kernel void k(global const int *in, global int *out)
{
    local int t[16];
    int g = get_group_id(0);
    event_t e = async_work_group_copy(t, in + 16 * g, 16, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(out, t, 16, 2 + g, 0);
    wait_group_events(1, &e);
}
