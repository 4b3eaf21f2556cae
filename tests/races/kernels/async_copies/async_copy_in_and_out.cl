// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:16
// In through one local array, out through another.
kernel void k(global const int *a, global int *o)
{
    local int s[8], d[8];
    int l = get_local_id(0), b = get_group_id(0) * 8;
    event_t e = async_work_group_copy(s, a + b, 8, 0);
    wait_group_events(1, &e);
    d[l] = s[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(o + b, d, 8, 0);
    wait_group_events(1, &e);
}
