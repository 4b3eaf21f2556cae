// expect: data-race
// at: 16 write, 18 read, same group; 16 write, 17 read, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 16 -a buf:16:iota -a buf:1
// The last steps have no barriers and rely on lock-step execution, which is not guaranteed.
kernel void k(global const int *in, global int *out)
{
    local int t[16];
    size_t i = get_local_id(0);
    t[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8)
        t[i] += t[i + 8];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4) {
        t[i] += t[i + 4];
        t[i] += t[i + 2];
        t[i] += t[i + 1];
    }
    if (i == 0)
        *out = t[0];
}
