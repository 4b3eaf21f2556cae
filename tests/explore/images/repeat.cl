// Options: --global 1 --arg image:2d:4x4:rgba32f --arg sampler:repeat --arg buf:1
// Error: sampler that repeats
kernel void load(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, (int2)(4, 0));
}
