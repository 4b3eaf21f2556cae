// Options: --global 1 --arg image:2d:4x4:rgba32f:levels=2 --arg buf:4
// Error: image_mipmapped.cl: --arg 'image:2d:4x4:rgba32f:levels=2': exploring has no mipmapped images: leave the number of levels out, and read level 0 [explore.arguments]
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
kernel void load(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, (float2)(0, 0), 1.0f);
}
