// Options: --global 1 --arg image:2d:4x4:rgba32f --arg buf:1
// Error: filter_integer_coordinates.cl:7:14: read_imagef, read_imagei or read_imageui (OpImageSampleExplicitLod, opcode 88) at integer coordinates
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

kernel void load(read_only image2d_t image, global float4 *out)
{
    out[0] = read_imagef(image, smooth, (int2)(0, 0));
}
