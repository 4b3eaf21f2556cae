// expect: data-race
// at: 12 write, 13 read, same group
// reason: no synchronization orders the two accesses
// fix: before line 13
// run: -g 16 -l 8 -a buf:16:iota -a buf:2:fill=5 -a buf:16
// Two work-items load the centers, and all use them without a barrier.
kernel void k(global const int *x, global const int *centre, global int *nearest)
{
    local int c[2];
    int l = get_local_id(0), i = get_global_id(0);
    if (l < 2)
        c[l] = centre[l] + 5 * l;
    nearest[i] = abs_diff(x[i], c[0]) > abs_diff(x[i], c[1]);
}
