// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:4
// Each work-item counts in its own column of padded rows; sums are atomic.
kernel void k(global const int *in, global int *out)
{
    local int h[4 * 9];
    int l = get_local_id(0);
    for (int b = 0; b < 4; b++)
        h[b * 9 + l] = 0;
    h[in[get_global_id(0)] % 4 * 9 + l]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) {
        int sum = 0;
        for (int i = 0; i < 8; i++)
            sum += h[l * 9 + i];
        atomic_add((volatile global int *)&out[l], sum);
    }
}
