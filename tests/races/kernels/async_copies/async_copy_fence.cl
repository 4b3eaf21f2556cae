// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16
// The copy out of local memory starts after the copy into it, without a wait in between. [CLC 6.15.11 R3]
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    int b = get_group_id(0) * 8;
    event_t e = async_work_group_copy(t, in + b, 8, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + b, t, 8, e);
    wait_group_events(1, &e);
}
