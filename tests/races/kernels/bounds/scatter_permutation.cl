// expect: clean
// run: -g 8 -l 4 -a buf:8:iota -a buf:8
// Five and eight have no common divisor: each its own element.
kernel void k(global const int *in, global int *out)
{
    out[(in[get_global_id(0)] * 5 + 3) % 8] = 1;
}
