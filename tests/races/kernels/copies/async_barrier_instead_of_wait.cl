// expect: unwaited-copy
// at: 7
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a local:32
// The kernel ends without a wait for the copy.
kernel void k(global const int *in, global int *out, local int *t)
{
    async_work_group_copy(t, in + get_group_id(0) * 8, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = get_local_id(0);
}
