// expect: out-of-bounds
// at: 10
// run: -g 4 -l 4 -a buf:4
// A local array of four with index four.
kernel void k(global int *out)
{
    local int t[4], other[4];
    size_t l = get_local_id(0);
    other[l] = 0;
    t[l + 1] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = other[l];
}
