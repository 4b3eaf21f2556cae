// expect: misaligned
// at: 7
// run: -g 1 -l 1 -a buf:9:iota -a buf:1
// A vector pointer must be aligned to the vector [CLC 6.3.5].
kernel void k(global const int *in, global int *out)
{
    *out = (*(global const int4 *)(in + 1)).x;
}
