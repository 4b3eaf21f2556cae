// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:8
// Four bins of eight bits in a word of local memory, incremented by atomic additions of shifted ones.
kernel void k(global const int *a, global int *bins)
{
    local uint packed[2];
    uint i = get_local_id(0);
    if (i < 2)
        packed[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bin = (uint)a[get_global_id(0)] & 7;
    atomic_add(&packed[bin / 4], 1u << (bin % 4 * 8));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8)
        atomic_add(&bins[i], (int)((packed[i / 4] >> (i % 4 * 8)) & 255));
}
