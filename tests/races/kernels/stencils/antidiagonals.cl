// expect: clean
// run: -g 4 -l 4 -a buf:25:iota
// One antidiagonal of a local tile after the other.
kernel void k(global int *a)
{
    local int s[5][5];
    int t = get_local_id(0);
    for (int i = t; i < 25; i += 4)
        s[i / 5][i % 5] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 4; m++) {
        if (t <= m) {
            int x = t + 1, y = m - t + 1;
            s[y][x] = max(s[y - 1][x - 1], max(s[y][x - 1], s[y - 1][x]));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = 2; m >= 0; m--) {
        if (t <= m) {
            int x = t + 4 - m, y = 4 - t;
            s[y][x] = max(s[y - 1][x - 1], max(s[y][x - 1], s[y - 1][x]));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = t; i < 25; i += 4)
        a[i] = s[i / 5][i % 5];
}
