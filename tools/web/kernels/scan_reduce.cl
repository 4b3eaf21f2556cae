// A sum by halves: in each step the lower half adds the upper half, with a barrier between the steps.
// Options: --global 4 --local 4 --arg local:16 --arg buf:1:zero --assert 'out[0] == 10'
// Expect: condition holds, race none, divergence none, termination always
// Twin: scan_reduce_missing
kernel void k(local int *part, global int *out)
{
    int i = get_local_id(0);
    part[i] = i + 1;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < half_size)
            part[i] += part[i + half_size];
    }
    if (i == 0)
        *out = part[0];
}
