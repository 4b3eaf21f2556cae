// expect: clean
// run: -g 16 -l 16 -a buf:16:iota -a local:64
// Blelloch's exclusive scan: up and down a tree.
kernel void k(global int *a, local int *t)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[i];
    for (size_t d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i % (2 * d) == 2 * d - 1)
            t[i] += t[i - d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        t[n - 1] = 0;
    for (size_t d = n / 2; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i % (2 * d) == 2 * d - 1) {
            int left = t[i - d];
            t[i - d] = t[i];
            t[i] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[i];
}
