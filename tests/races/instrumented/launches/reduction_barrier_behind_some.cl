// expect: data-race
// run: -g 64 -l 32 -a buf:64:iota -a 4 --print 0
// A reduction without barriers in the last three steps.
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
