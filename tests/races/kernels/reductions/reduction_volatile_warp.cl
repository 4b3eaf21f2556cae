// expect: data-race
// at: 14 write, 16 read, same group; 14 write, 15 read, same group
// reason: no synchronization orders the two accesses
// run: -g 64 -l 64 -a buf:64:iota -a buf:1
// volatile orders nothing between work-items, even if they run in lock step.
kernel void k(global const int *in, global int *out)
{
    local int s[64];
    volatile local int *v = s;
    int l = get_local_id(0);
    s[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) {
        v[l] += v[l + 32];
        v[l] += v[l + 16];
        v[l] += v[l + 8];
    }
    if (l == 0)
        out[0] = s[0];
}
