// expect: data-race
// at: 11 read, 12 write, same group
// run: -g 32 -l 16 -a buf:128:iota -a buf:128 -a 4294967295
kernel void k(global int *in, global int *out, uint s)
{
    local int t[16];
    uint i = get_local_id(0);
    t[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 0 && i < s) {
        int x = t[i] + t[i + s];
        t[i] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[i];
}
