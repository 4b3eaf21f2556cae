// expect: data-race
// at: 8 write, 9 read, copy and work-item in one group
// reason: no barrier stands between the access
// run: -g 16 -l 8 -a buf:16 -a local:32
// The copy out of local memory starts before all work-items have written.
kernel void k(global int *out, local int *t)
{
    t[get_local_id(0)] = (int)get_global_id(0);
    event_t e = async_work_group_copy(out + get_group_id(0) * 8, t, 8, 0);
    wait_group_events(1, &e);
}
