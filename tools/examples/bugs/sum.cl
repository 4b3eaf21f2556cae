kernel void sum(global const float *in, global float *out, local float *part)
{
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        if (l < width)
            part[l] += part[l + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
