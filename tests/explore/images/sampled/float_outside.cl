// Options: --global 1 --arg image:2d:4x4:rgba32f --arg sampler:none --arg buf:1
// Expect: flags out_of_bounds
kernel void load(read_only image2d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, (float2)(4.5f, 0.5f));
}
