kernel void blur(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = (in[i] + in[i + 1]) / 2;
}
