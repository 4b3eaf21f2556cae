// expect: out-of-bounds
// at: 7
// run: -g 4 -l 4 -a buf:4
// A negative index.
kernel void k(global int *out)
{
    out[(long)get_global_id(0) - 1] = 1;
}
