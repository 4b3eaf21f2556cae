// Options: --global 4 --arg '{1, 2, 3, 4}' --arg local:16 --arg buf:1 --assert 'out[0] == 10.0'
// Expect: condition holds, race none, divergence none, termination always
kernel void reduce(global const float *in, local float *part, global float *out)
{
    int l = get_local_id(0);
    part[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 2; s > 0; s >>= 1) {
        if (l < s)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[0] = part[0];
}
