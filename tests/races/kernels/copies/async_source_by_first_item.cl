// expect: data-race
// at: 10 write, 11 read, copy and work-item in one group
// reason: no barrier stands between the access
// run: -g 8 -l 8 -a buf:8 -a local:32
// One work-item writes the source of the copy; any work-item may perform the copy.
kernel void k(global int *out, local int *t)
{
    if (get_local_id(0) == 0)
        for (int i = 0; i < 8; i++)
            t[i] = i;
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
