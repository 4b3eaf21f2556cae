// expect: null-pointer
// at: 7
// run: -g 1 -l 1 -a null -a buf:1
// A null argument that is read.
kernel void k(global const int *in, global int *out)
{
    *out = *in;
}
