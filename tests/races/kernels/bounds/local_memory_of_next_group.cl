// expect: uninitialized-read
// at: 12; uninitialized 12
// run: -c race,memory,uninitialized -g 8 -l 4 -a buf:8
// Local memory does not keep its contents from one work-group to the next.
kernel void k(global int *out)
{
    local int t[4];
    size_t l = get_local_id(0);
    if (get_group_id(0) == 0)
        t[l] = (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}
