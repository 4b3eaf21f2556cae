// Options: --global 1 --arg out=buf:1
// Error: give --arg image
kernel void load(read_only image2d_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0));
}
