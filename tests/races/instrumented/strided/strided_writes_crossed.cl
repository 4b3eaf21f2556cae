// expect: data-race
// run: -g 64 -l 64 -a buf:256:iota -a buf:256 --print 1
// Lanes of a vector write the same elements, between two writes at one stride that could be merged.
kernel void k(global const uint *in, global uint *out)
{
    local uint t[128];
    uint l = get_local_id(0);
    t[2 * l] = l;
    t[2 * (l ^ (in[l] >> 31 | 1)) & 127] = 7;
    t[2 * l + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l];
}
