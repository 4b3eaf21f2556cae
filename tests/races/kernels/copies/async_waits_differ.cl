// expect: different-arguments
// at: 8
// run: -g 4 -l 4 -a buf:8:iota -a local:32
// The last work-item waits for another event than the rest of the group.
kernel void k(global const int *in, local int *t)
{
    event_t e[2] = {async_work_group_copy(t, in, 4, 0), async_work_group_copy(t + 4, in + 4, 4, 0)};
    wait_group_events(1, get_local_id(0) == 3 ? e + 1 : e);
    wait_group_events(2, e);
}
