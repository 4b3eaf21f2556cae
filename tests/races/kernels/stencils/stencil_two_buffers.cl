// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:32
// A stencil from one buffer to another.
kernel void k(global const int *in, global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = in[i ? i - 1 : 0] + in[i] + in[i + 1 < n ? i + 1 : i];
}
