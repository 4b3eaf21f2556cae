// expect: misaligned
// at: 8
// run: -g 2 -l 2 -a buf:6:iota -a buf:4
// A pair is read at an odd element.
kernel void k(global const float *in, global float2 *out)
{
    int i = get_global_id(0);
    out[i] = *(global const float2 *)(in + 2 * i + 1);
}
