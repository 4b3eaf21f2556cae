// expect: data-race
// at: 9 write, 11 read, different sub-groups
// reason: no synchronization orders the two accesses
// run: -g 64 -l 64 -a buf:64 -a local:256
// A sub-group barrier does not order the sub-groups of a work-group.
kernel void k(global int *out, local int *t)
{
    size_t l = get_local_id(0);
    t[l] = (int)l;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[63 - l];
}
