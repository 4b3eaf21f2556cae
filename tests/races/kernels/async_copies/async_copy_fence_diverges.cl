// expect: barrier-divergence
// at: 10
// run: -g 8 -l 8 -a buf:16:iota -a buf:16
// Half of the work-group misses the fence. [CLC 6.15.11 R4]
kernel void k(global const int *in, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, in, 8, 0);
    if (get_local_id(0) < 4)
        async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}
