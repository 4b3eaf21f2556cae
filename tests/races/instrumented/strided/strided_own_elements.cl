// expect: clean
// run: -g 64 -l 64 -a buf:256:iota -a buf:256 --print 1
// As strided_read_between_writes.cl, but each lane reads its own element.
kernel void k(global const uint *in, global uint *out)
{
    local uint t[128];
    uint l = get_local_id(0);
    t[2 * l] = l;
    uint y = t[2 * (l ^ in[l] >> 31) & 127];
    t[2 * l + 1] = y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l];
}
