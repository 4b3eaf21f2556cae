// expect: out-of-bounds
// at: 8; 12
// run: -g 32 -l 8 -a buf:32:iota -a buf:32 -a local:32
// The tile has no room for the halo.
kernel void k(global const int *in, global int *out, local int *t)
{
    int i = (int)get_global_id(0), n = (int)get_global_size(0), l = (int)get_local_id(0), m = (int)get_local_size(0);
    t[l + 1] = in[i];
    if (l == 0)
        t[0] = in[max(i - 1, 0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + t[l + 1];
}
