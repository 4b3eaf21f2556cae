// expect: data-race
// at: 11 write, 12 atomic-rmw, same group
// reason: no synchronization orders the two accesses
// run: -g 32 -l 8 -a buf:32:iota -a buf:4
// Counting begins before all bins are cleared.
kernel void k(global const int *in, global int *hist)
{
    local int h[4];
    int l = get_local_id(0);
    for (int i = l; i < 4; i += get_local_size(0))
        h[i] = 0;
    atomic_inc(&h[in[get_global_id(0)] & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 4; i += get_local_size(0))
        atomic_add(&hist[i], h[i]);
}
