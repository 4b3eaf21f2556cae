// expect: clean
// run: -g 16 -l 16 -a buf:16 -a local:64
// A scan within each sub-group, two barriers a step.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    uint lane = get_sub_group_local_id(), size = get_sub_group_size(), first = (uint)l - lane;
    t[l] = (int)l;
    for (uint step = 1; step < size; step *= 2) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        int other = lane >= step ? t[first + lane - step] : 0;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += other;
    }
    out[l] = t[l];
}
