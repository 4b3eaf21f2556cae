// Options: --global 1 --arg image:3d:4x4x4:rgba8 --arg buf:1
// Error: an image of another kind
kernel void load(read_only image2d_t image, global float4 *out)
{
    out[0] = read_imagef(image, (int2)(0, 0));
}
