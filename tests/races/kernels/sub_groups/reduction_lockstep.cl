// expect: data-race
// at: 13 write, 15 read, same group; 13 write, 14 read, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:8:iota -a buf:1
// The last steps have no barriers, as if work-items ran in lock step.
kernel void k(global const int *a, global int *o)
{
    local volatile int s[8];
    int l = get_local_id(0);
    s[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) {
        s[l] += s[l + 4];
        s[l] += s[l + 2];
        s[l] += s[l + 1];
    }
    if (l == 0)
        *o = s[0];
}
