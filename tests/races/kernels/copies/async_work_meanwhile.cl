// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// While the copy is in flight the group uses other memory, with barriers, and reads the source of the copy.
kernel void k(global const int *in, global int *out)
{
    local int t[8], u[8];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    prefetch(in, 8);
    u[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = u[7 - l];
    wait_group_events(1, &e);
    out[l] = t[7 - l] + v;
}
