// Options: --global 2 --arg '{0}' --arg '{1.5, 2.25}' --assert 'sum[0] == 3.75'
// Expect: condition holds, race none, divergence none, termination always
kernel void add(global float *sum, global const float *in)
{
    local float part;
    if (get_local_id(0) == 0)
        part = 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 2; k++) {
        if (get_local_id(0) == k)
            part += in[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 1)
        sum[0] = part;
}
