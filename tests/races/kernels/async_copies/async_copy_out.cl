// expect: clean
// run: -g 16 -l 8 -a buf:16 -a local:32
// A barrier before the copy out of local memory.
kernel void k(global int *out, local int *t)
{
    t[get_local_id(0)] = (int)get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + get_group_id(0) * 8, t, 8, 0);
    wait_group_events(1, &e);
}
