// The barrier between reading and writing is missing: a neighbor may read what this step already changed.
// Options: --global 3 --local 3 --arg '{1, 2, 3}' --arg local:12 --arg buf:3:zero --assert 'out[0] == 1 and out[1] == 3 and out[2] == 6'
// Expect: race found, divergence none, termination always
// Twin: scan_steps
kernel void k(global const int *in, local int *sum, global int *out)
{
    int i = get_local_id(0), n = get_local_size(0);
    sum[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        int left = i >= step ? sum[i - step] : 0;
        sum[i] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum[i];
}
