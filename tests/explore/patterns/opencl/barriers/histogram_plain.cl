// Counts without atomics.
// Expect: race found
// Options: --global 3 --local 1 --arg buf:4:iota --arg buf:2:zero
__kernel void k(__global const int *in, __global int *bins)
{
    bins[in[get_global_id(0)] & 1]++;
}
