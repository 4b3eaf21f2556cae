// expect: clean
// run: -g 8 -l 4 -a buf:7:iota -a buf:7 -a 7
// The global size is rounded up, and the kernel checks its id.
kernel void k(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    if (i < n)
        out[i] = in[i];
}
