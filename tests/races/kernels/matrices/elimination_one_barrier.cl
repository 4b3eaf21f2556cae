// expect: data-race
// at: 17 read, 22 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:64:fill=3
// The next column begins while rows are still changed.
kernel void k(global float *m)
{
    local float s[8][8];
    int t = get_local_id(0);
    for (int i = 0; i < 8; i++)
        s[i][t] = m[i * 8 + t] + (i == t ? 9 : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 7; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                s[t][i] -= s[t][j] * s[j][i];
            s[t][i] /= s[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i)
            for (int j = 0; j < i + 1; j++)
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
    }
    for (int i = 0; i < 8; i++)
        m[i * 8 + t] = s[i][t];
}
