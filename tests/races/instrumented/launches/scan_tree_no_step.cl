// expect: data-race
// run: -g 16 -l 16 -a buf:128:iota -a 1 -a 0 --print 0
// As scan_tree.cl, but the first loop has no iterations: work-item 0 clears what work-item 15 has just
// written.
kernel void k(global int *a, int first, int steps)
{
    local int t[32];
    size_t l = get_local_id(0);
    int distance = first;
    t[2 * l] = a[2 * l];
    t[2 * l + 1] = a[2 * l + 1];
    for (int d = steps; d > 0; d >>= 1, distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[distance * (2 * l + 2) - 1] += t[distance * (2 * l + 1) - 1];
    }
    if (l == 0)
        t[31] = 0;
    for (int d = 1; d < 32; d *= 2) {
        distance >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int i = distance * (2 * l + 1) - 1, j = distance * (2 * l + 2) - 1, x = t[i];
            t[i] = t[j];
            t[j] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[2 * l] = t[2 * l];
    a[2 * l + 1] = t[2 * l + 1];
}
