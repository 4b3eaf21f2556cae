// expect: data-race
// at: 17 read, 20 write, same group; 15 read, 20 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:64:iota -a buf:8
// The second barrier of each row is missing.
kernel void k(global const int *wall, global int *res)
{
    local int prev[8], cur[8];
    int x = get_local_id(0);
    prev[x] = wall[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 1; r < 8; r++) {
        int m = prev[x];
        if (x > 0)
            m = min(m, prev[x - 1]);
        if (x < 7)
            m = min(m, prev[x + 1]);
        cur[x] = m + wall[r * 8 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        prev[x] = cur[x];
    }
    res[x] = prev[x];
}
