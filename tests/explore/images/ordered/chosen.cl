// Expect: race none, usage none, divergence none, termination always
// In the launch that explore chooses, images have formats that suit their accesses.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void convert(read_only image2d_t from, read_only image1d_t numbers, write_only image2d_t to, read_write image1d_array_t own)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint4 n = read_imageui(numbers, s, x);
    int4 m = read_imagei(own, (int2)(x, y));
    write_imagef(to, (int2)(x, y), read_imagef(from, s, (int2)(x, y)) + n.x + m.x);
}
