// Options: --global 4 --arg image:1d:4:r32i:iota --arg sampler:normalized:repeat --arg sampler:normalized:mirror --arg buf:4 --arg buf:4 --arg buf:4
// Options: --assert 'again[0] == 0 and again[1] == 1 and again[2] == 2 and again[3] == 3'
// Options: --assert 'back[0] == 3 and back[1] == 2 and back[2] == 1 and back[3] == 0'
// Options: --assert 'last[0] == 0 and last[1] == 1 and last[2] == 3 and last[3] == 3'
// Expect: condition holds, race none, usage none
// Normalized coordinates in the second copy of the image; unnormalized ones, each third texel.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void load(read_only image1d_t image, sampler_t repeat, sampler_t mirror, global int *again, global int *back, global int *last)
{
    int i = get_global_id(0);
    float c = 1.0f + (i + 0.5f) / 4;
    again[i] = read_imagei(image, repeat, c).x;
    back[i] = read_imagei(image, mirror, c).x;
    last[i] = read_imagei(image, edge, i * 1.5f).x;
}
