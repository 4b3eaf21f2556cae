// expect: clean
// run: -g 8 -l 8 -a buf:8:iota -a buf:8
// A segmented Hillis-Steele scan over values and head flags, with separate reads and writes.
kernel void k(global int *x, global int *head)
{
    local int v[8], f[8];
    int l = get_local_id(0);
    v[l] = x[l];
    f[l] = l % 3 == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 8; d *= 2) {
        int add = 0, stop = f[l];
        if (l >= d && !f[l]) {
            add = v[l - d];
            stop = f[l - d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        v[l] += add;
        f[l] = stop;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[l] = v[l];
    head[l] = f[l];
}
