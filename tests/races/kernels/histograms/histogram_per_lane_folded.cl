// expect: data-race
// at: sequential: 14 write, 15 read, same group; fair: 14 read, 15 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 8 -a buf:16:iota -a buf:4
// Two work-items share a column.
kernel void k(global const int *in, global int *out)
{
    local int h[4 * 4];
    int l = get_local_id(0);
    if (l < 4)
        for (int b = 0; b < 4; b++)
            h[b * 4 + l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    h[in[l / 2] % 4 * 4 + l % 4]++;
    h[in[l / 4] % 4 * 4 + l % 4]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        atomic_add((volatile global int *)&out[l], h[l * 4]);
}
