// expect: data-race
// at: 10 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 4,4 -l 4,4 -a buf:16:iota
// The pivot's row and column are read while they are written, even if the values do not change.
kernel void k(global int *d)
{
    int i = (int)get_local_id(1), j = (int)get_local_id(0);
    for (int m = 0; m < 4; m++) {
        d[i * 4 + j] = min(d[i * 4 + j], d[i * 4 + m] + d[m * 4 + j]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
