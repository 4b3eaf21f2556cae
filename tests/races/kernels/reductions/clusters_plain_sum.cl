// expect: data-race
// at: 9 read, 9 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:8:iota -a buf:2 -a buf:2
// Plain sums of clusters beside atomic counters.
kernel void k(global const int *x, global float *sum, global int *n)
{
    int i = get_global_id(0), c = x[i] & 1;
    sum[c] += x[i];
    atomic_inc(&n[c]);
}
