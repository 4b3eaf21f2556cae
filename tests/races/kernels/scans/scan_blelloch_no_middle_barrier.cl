// expect: data-race
// at: 13 read, 16 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:16:iota -a local:64
// No barrier orders the clearing of the root after its last addition.
kernel void k(global int *a, local int *t)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[i];
    for (size_t d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i % (2 * d) == 2 * d - 1)
            t[i] += t[i - d];
    }
    if (i == 0)
        t[n - 1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[i];
}
