// expect: data-race
// at: 13 read, 14 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:16 -a local:64
// A step writes what the neighbors still read.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    uint lane = get_sub_group_local_id(), size = get_sub_group_size(), first = (uint)l - lane;
    t[l] = (int)l;
    for (uint step = 1; step < size; step *= 2) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        int other = lane >= step ? t[first + lane - step] : 0;
        t[l] += other;
    }
    out[l] = t[l];
}
