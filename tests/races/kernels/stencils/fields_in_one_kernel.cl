// expect: data-race
// at: 10 read, 12 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8,8 -l 4,4 -a buf:64:iota -a buf:64:iota
// Two fields that depend on each other are updated in one kernel.
kernel void k(global int *ex, global int *hz)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i > 0)
        ex[i * 8 + j] -= hz[i * 8 + j] - hz[(i - 1) * 8 + j];
    if (i < 7)
        hz[i * 8 + j] -= ex[i * 8 + j];
}
