// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a local:32
// After wait_group_events the copy is complete for every work-item of the group.
kernel void k(global const int *in, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = t[7 - get_local_id(0)];
}
