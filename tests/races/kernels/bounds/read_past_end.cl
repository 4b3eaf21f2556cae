// expect: out-of-bounds
// at: 7
// run: -g 8 -l 4 -a buf:7:iota -a buf:8
// The global size is one more than the buffer has elements.
kernel void k(global const int *in, global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}
