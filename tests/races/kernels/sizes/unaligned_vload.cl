// expect: clean
// run: -g 1 -l 1 -a buf:9:iota -a buf:1
// vload4 needs the alignment of its elements only.
kernel void k(global const int *in, global int *out)
{
    *out = vload4(0, in + 1).x;
}
