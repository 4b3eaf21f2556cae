// expect: out-of-bounds
// at: 8
// run: -g 4 -l 4 -a buf:15:iota -a buf:4
// The last vector is read past the end of the buffer.
kernel void k(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int4 v = vload4(i, in);
    out[i] = v.x + v.w;
}
