// expect: clean
// run: -g 8 -l 4 -a buf:8:iota -a buf:8
// The stride 5 and the length 8 have no common divisor, so each work-item writes its own element.
kernel void k(global const int *in, global int *out)
{
    out[(in[get_global_id(0)] * 5 + 3) % 8] = 1;
}
