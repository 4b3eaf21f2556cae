// Options: --global 1 --arg image:2d_array:2x1x3:r32i:iota --arg image:1d_array:2x3:r16i:iota --arg image:3d:2x2x2:r8ui:iota --arg sampler:edge --arg buf:8
// Options: --assert 'out[0] == 5 and out[1] == 4 and out[2] == 3 and out[3] == 7 and out[4] == 6 and out[5] == 3 and out[6] == 3 and out[7] == 2'
// Expect: condition holds, race none, usage none
// Layer 2 of two texels begins with number 4; with any sampler, layers past the last are clamped to it.
kernel void load(read_only image2d_array_t two, read_only image1d_array_t one, read_only image3d_t three, sampler_t sampler,
                 global int *out)
{
    out[0] = read_imagei(two, (int4)(1, 0, 2, 0)).x;
    out[1] = read_imagei(two, sampler, (int4)(0, 0, 9, 0)).x;
    out[2] = read_imagei(one, (int2)(1, 1)).x;
    out[3] = read_imageui(three, (int4)(1, 1, 1, 0)).x;
    out[4] = read_imageui(three, sampler, (int4)(-3, 1, 4, 0)).x;
    out[5] = get_image_array_size(two);
    out[6] = get_image_array_size(one);
    out[7] = get_image_depth(three);
}
