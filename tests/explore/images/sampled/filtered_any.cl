// Options: --global 2 --arg image:1d:2:r32f:any --arg buf:1
// Expect: race found, flags data_race
// There are texels for which the weighted sum is large enough.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void load(read_only image1d_t image, global int *out)
{
    if (read_imagef(image, edge, 1.0f).x > 0.5f)
        out[0] = get_global_id(0);
}
