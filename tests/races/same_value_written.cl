// expect: data-race
// run: -g 8 -l 4 -a buf:4
kernel void k(global int *out)
{
    out[0] = 1;
}
