// A private array of four elements, read at an index that is an argument.
// Expect: flags out_of_bounds
// Options: --global 2 --local 2 --arg buf:2 --arg 4
__kernel void k(__global int *out, int n)
{
    int t[4] = {0, 1, 2, 3};
    out[get_global_id(0)] = t[n];
}
