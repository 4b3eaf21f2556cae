// expect: null-pointer
// run: -g 1 -l 1 -a null -a buf:1
// A null argument that is read.
kernel void k(global const int *in, global int *out)
{
    *out = *in;
}
