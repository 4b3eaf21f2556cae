// Options: --global 1 --arg image:1d:4:rgba32f --arg sampler:repeat --arg buf:1
// Error: repeats the image without normalized coordinates
kernel void load(read_only image1d_t image, sampler_t sampler, global float4 *out)
{
    out[0] = read_imagef(image, sampler, 0.5f);
}
