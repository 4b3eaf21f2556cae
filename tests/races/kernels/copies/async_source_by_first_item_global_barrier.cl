// expect: data-race
// at: 11 write, 13 read, copy and work-item in one group
// reason: fences global memory only, the accesses are to local memory
// fix: add CLK_LOCAL_MEM_FENCE
// run: -g 8 -l 8 -a buf:8 -a local:32
// The barrier before the copy fences the other memory.
kernel void k(global int *out, local int *t)
{
    if (get_local_id(0) == 0)
        for (int i = 0; i < 8; i++)
            t[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
