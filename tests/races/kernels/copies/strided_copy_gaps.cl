// expect: clean
// run: -g 8 -l 8 -a buf:16 -a local:32
// The copy fills even elements, the work-items odd ones.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    t[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out, t, 8, 2, 0);
    out[2 * l + 1] = 1;
    wait_group_events(1, &e);
}
