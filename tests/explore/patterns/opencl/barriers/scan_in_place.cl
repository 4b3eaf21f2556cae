// Prefix sums in place: a neighbor reads an element while it is written.
// Expect: race found
// Options: --global 4 --local 4 --bound 5 --arg buf:4:iota --arg buf:4:zero --arg local:16
__kernel void k(__global const int *in, __global int *out, __local int *sums)
{
    int i = get_local_id(0), n = get_local_size(0);

    sums[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        if (i >= step)
            sums[i] += sums[i - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sums[i];
}
