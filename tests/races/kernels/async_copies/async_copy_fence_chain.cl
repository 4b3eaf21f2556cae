// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16 -a buf:16
// Each of three copies follows the one before it; the only wait is for the last.
kernel void k(global const int *in, global int *between, global int *out)
{
    local int t[8], u[8];
    int b = get_group_id(0) * 8;
    event_t e = async_work_group_copy(t, in + b, 8, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(between + b, t, 8, e);
    async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE);
    e = async_work_group_copy(u, between + b, 8, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    e = async_work_group_copy(out + b, u, 8, e);
    wait_group_events(1, &e);
}
