// Prefix sums of eight work-items in two halves of local memory, which swap roles.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 8 --local 8 --bound 5 --arg buf:8:iota --arg buf:8:zero --arg local:64 --assert out[7]==28 --assert out[3]==6
__kernel void k(__global const int *in, __global int *out, __local int *pair)
{
    int i = get_local_id(0), n = get_local_size(0), from = 0;

    pair[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        pair[(1 - from) * n + i] = pair[from * n + i] + (i >= step ? pair[from * n + i - step] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = pair[from * n + i];
}
