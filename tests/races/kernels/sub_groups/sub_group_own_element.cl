// expect: clean
// run: -g 16 -l 16 -a buf:16 -a local:64
// Within a sub-group its own barrier is enough.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    uint s = get_sub_group_size(), lane = get_sub_group_local_id(), first = (uint)l - lane;
    t[l] = (int)l;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[first + s - 1 - lane];
}
