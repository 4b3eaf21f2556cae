// expect: data-race
// at: 10 write, 12 read, same group
// reason: fences local memory only
// run: -g 16 -l 16 -a buf:16 -a buf:16
// A sub-group barrier that fences local memory, between accesses to global memory.
kernel void k(global int *out, global int *t)
{
    size_t l = get_local_id(0);
    uint s = get_sub_group_size(), lane = get_sub_group_local_id(), first = (uint)l - lane;
    t[l] = (int)l;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[first + s - 1 - lane];
}
