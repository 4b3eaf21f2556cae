// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:32
// The wait for the second copy covers the first, which the fence orders before it.
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    int b = get_group_id(0) * 8, l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in + b, 8, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e[1] = async_work_group_copy(out + b, t, 8, 0);
    wait_group_events(1, &e[1]);
    out[16 + b + l] = t[7 - l];
    wait_group_events(1, &e[0]);
}
