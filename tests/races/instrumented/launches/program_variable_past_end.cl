// expect: out-of-bounds
// run: -g 64 -l 16 -a buf:256 -a 1 --print 0
global int first[64], second[64];
kernel void k(global int *out, int n)
{
    int i = get_global_id(0);
    second[i] = i;
    first[i + n] = 1;
    out[i] = first[i];
}
