// Options: --global 1 --arg image:1d:3:r32i:fill=7 --arg image:1d:3:rgba32ui:fill=9 --arg buf:5
// Options: --assert 'out[0] == 7 and out[1] == 0 and out[2] == 1 and out[3] == 0 and out[4] == 9'
// Expect: condition holds, race none, usage none
// Outside of the image all channels are 0; alpha is 1 in formats without alpha, 0 in the others.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void load(read_only image1d_t one, read_only image1d_t four, global int *out)
{
    out[0] = read_imagei(one, s, 2).x;
    out[1] = read_imagei(one, s, 3).x;
    out[2] = read_imagei(one, s, -1).w;
    out[3] = read_imageui(four, s, 3).w;
    out[4] = read_imageui(four, s, 0).w;
}
