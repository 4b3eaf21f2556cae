kernel void pixels(read_only image2d_t in, global float *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(in, (int2)(i, 0)).x;
}
