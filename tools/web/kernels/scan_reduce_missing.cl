// One barrier before all steps: the second step may add parts that the first has not finished.
// Options: --global 4 --local 4 --arg local:16 --arg buf:1:zero --assert 'out[0] == 10'
// Expect: race found, divergence none, termination always
// Twin: scan_reduce
kernel void k(local int *part, global int *out)
{
    int i = get_local_id(0);
    part[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (i < half_size)
            part[i] += part[i + half_size];
    }
    if (i == 0)
        *out = part[0];
}
