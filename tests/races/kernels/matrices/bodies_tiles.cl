// expect: clean
// run: -g 8 -l 4 -a buf:8:iota -a buf:8
// Tiles of positions through local memory, barriers before and after use.
kernel void k(global const float *x, global float *force)
{
    local float tile[4];
    int l = get_local_id(0), i = get_global_id(0);
    float f = 0;
    for (int t = 0; t < 2; t++) {
        tile[l] = x[4 * t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 4; j++)
            f += tile[j] - x[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = f;
}
