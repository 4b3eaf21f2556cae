// expect: data-race
// at: 11 write, 12 write, copy and work-item in one group
// reason: in progress until a wait for its event
// run: -g 8 -l 8 -a buf:16 -a local:32
// The work-items write the elements that the copy fills.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    t[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out, t, 8, 2, 0);
    out[2 * l] = 1;
    wait_group_events(1, &e);
}
