// expect: out-of-bounds
// at: 8
// run: -g 2 -l 2 -a buf:2 -a 4
// A private array of four with index four.
kernel void k(global int *out, int n)
{
    int t[4] = {0, 1, 2, 3};
    out[get_global_id(0)] = t[n];
}
