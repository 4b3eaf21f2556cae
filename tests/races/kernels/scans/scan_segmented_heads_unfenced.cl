// expect: data-race
// at: 15 read, 15 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// The head flags are changed before all have read them.
kernel void k(global int *x, global int *head)
{
    local int v[8], f[8];
    int l = get_local_id(0);
    v[l] = x[l];
    f[l] = l % 3 == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 8; d *= 2) {
        int add = l >= d && !f[l] ? v[l - d] : 0;
        f[l] |= l >= d ? f[l - d] : 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        v[l] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[l] = v[l];
    head[l] = f[l];
}
