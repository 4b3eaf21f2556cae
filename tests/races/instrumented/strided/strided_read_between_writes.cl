// expect: data-race
// run: -g 64 -l 64 -a buf:256:iota -a buf:256 --print 1
// A lane reads what another lane of its vector writes, between two writes at one stride that could be merged.
kernel void k(global const uint *in, global uint *out)
{
    local uint t[128];
    uint l = get_local_id(0);
    t[2 * l] = l;
    uint y = t[2 * (l ^ (in[l] >> 31 | 1)) & 127];
    t[2 * l + 1] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l];
}
