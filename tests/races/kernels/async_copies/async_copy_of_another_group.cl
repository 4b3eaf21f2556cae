// expect: data-race
// at: 11 write, 13 read, copy and work-item in two groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a local:32
// Reads what the next group's copy writes: wait_group_events covers only copies of the same group.
kernel void k(global const int *in, global int *out, local int *t)
{
    int g = get_group_id(0), l = get_local_id(0);
    event_t e = async_work_group_copy(t, in + 8 * g, 8, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + 8 * g, t, 8, 0);
    wait_group_events(1, &e);
    t[l] = out[8 * (1 - g) + l];
}
