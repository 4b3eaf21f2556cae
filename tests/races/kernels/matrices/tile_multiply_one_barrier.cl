// expect: data-race
// at: 13 write, 17 read, same group; 14 write, 17 read, same group
// reason: no synchronization orders the two accesses
// fix: before line 18
// run: -g 8,8 -l 4,4 -a buf:64:iota -a buf:64:iota -a buf:64
// Without the second barrier the next tile overwrites what others still read.
kernel void k(global const int *a, global const int *b, global int *c)
{
    local int ta[4][4], tb[4][4];
    size_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    int sum = 0;
    for (int t = 0; t < 2; t++) {
        ta[ly][lx] = a[y * 8 + t * 4 + lx];
        tb[ly][lx] = b[(t * 4 + ly) * 8 + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 4; i++)
            sum += ta[ly][i] * tb[i][lx];
    }
    c[y * 8 + x] = sum;
}
