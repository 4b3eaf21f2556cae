// Options: --global 1 --arg image:2d:4x4:rgba32f --arg sampler:normalized --arg buf:1
// Error: normalized coordinates
kernel void load(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, (float2)(0.5f, 0.5f));
}
