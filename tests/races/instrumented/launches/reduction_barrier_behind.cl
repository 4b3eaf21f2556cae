// expect: clean
// run: -g 64 -l 32 -a buf:64:iota -a 0 --print 0
// A reduction with the barrier at the end of each step.
kernel void k(global int *a, int from)
{
    local int t[32];
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 16; m > 0; m >>= 1) {
        if (l < m)
            t[l] += t[l + m];
        if (m > from)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[get_global_id(0)] = t[l];
}
