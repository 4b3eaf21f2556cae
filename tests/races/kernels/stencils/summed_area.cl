// expect: clean
// run: -g 8 -l 8 -a buf:64:iota
// A summed-area table by one work-group: rows, a barrier of global memory, columns.
kernel void k(global int *a)
{
    uint i = get_local_id(0);
    for (uint x = 1; x < 8; x++)
        a[i * 8 + x] += a[i * 8 + x - 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint y = 1; y < 8; y++)
        a[y * 8 + i] += a[(y - 1) * 8 + i];
}
