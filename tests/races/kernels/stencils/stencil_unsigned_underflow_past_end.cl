// expect: out-of-bounds
// at: 8
// run: -g 4 -l 4 -a buf:4:iota -a buf:4
// An index of 32 bits wraps around below zero.
kernel void k(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    out[i] = in[i - 1] + in[i];
}
