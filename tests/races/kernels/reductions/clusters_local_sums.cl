// expect: clean
// run: -g 16 -l 8 -a buf:16:iota -a buf:2:fill=5 -a buf:4
// k-means: sums by local atomics, then one global atomic per center and group.
kernel void k(global const int *x, global const int *centre, global int *sums)
{
    local int c[2], sum[2], n[2];
    int l = get_local_id(0);
    if (l < 2) {
        c[l] = centre[l] + 5 * l;
        sum[l] = n[l] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = x[get_global_id(0)], near = abs(v - c[0]) > abs(v - c[1]);
    atomic_add(&sum[near], v);
    atomic_inc(&n[near]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 2) {
        atomic_add((volatile global int *)&sums[l], sum[l]);
        atomic_add((volatile global int *)&sums[2 + l], n[l]);
    }
}
