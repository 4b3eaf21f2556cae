// Options: --global 2 --arg image:1d:2:r32f:any --arg 'any:0..3' --arg buf:1 --requires 'at < 2'
// Expect: race found, flags data_race
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void load(read_only image1d_t image, int at, global int *out)
{
    if (read_imagef(image, s, (float)at).x == 0.25f)
        out[0] = get_global_id(0);
}
