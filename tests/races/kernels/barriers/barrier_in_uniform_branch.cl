// expect: clean
// run: -g 8 -l 4 -a buf:8
// The condition is the same for the whole work-group.
kernel void k(global int *out)
{
    local int t[4];
    size_t l = get_local_id(0);
    if (get_group_id(0) == 1) {
        t[l] = (int)l;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = t[3 - l];
    }
}
