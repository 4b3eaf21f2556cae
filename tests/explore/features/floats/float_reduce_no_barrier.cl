// Options: --global 2 --arg '{1, 2}' --arg local:8 --arg buf:1
// Expect: race found
kernel void reduce(global const float *in, local float *part, global float *out)
{
    int l = get_local_id(0);
    part[l] = in[l];
    if (l == 0)
        out[0] = part[0] + part[1];
}
