// expect: clean
// run: -g 1 -l 1 -a null -a buf:1
// A null argument that is only compared.
kernel void k(global const int *in, global int *out)
{
    *out = in ? *in : 7;
}
