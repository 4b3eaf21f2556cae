// expect: clean
// run: -g 8 -l 8 -a buf:8 -a local:32
// One work-item writes the source of the copy before a barrier.
kernel void k(global int *out, local int *t)
{
    if (get_local_id(0) == 0)
        for (int i = 0; i < 8; i++)
            t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
