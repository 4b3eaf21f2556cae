// Options: --global 1 --arg image:1d:2:r32i --arg sampler:none --arg buf:1
// Expect: flags out_of_bounds
kernel void load(read_only image1d_t image, sampler_t sampler, global int *out)
{
    out[0] = read_imagei(image, sampler, 2).x;
}
