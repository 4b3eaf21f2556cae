// expect: data-race
// at: 14 atomic-rmw, 16 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 8 -a buf:16:iota -a buf:8
// The bytes of words that were updated atomically are read plainly without a barrier in between.
kernel void k(global const int *a, global int *bins)
{
    local uint packed[2];
    uint i = get_local_id(0);
    if (i < 2)
        packed[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bin = (uint)a[get_global_id(0)] & 7;
    atomic_add(&packed[bin / 4], 1u << (bin % 4 * 8));
    if (i < 8)
        atomic_add(&bins[i], (int)((local uchar *)packed)[i]);
}
