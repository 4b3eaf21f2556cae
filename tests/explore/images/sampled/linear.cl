// Options: --global 1 --arg image:1d:4:r32f:iota --arg image:2d:2x2:r32f:iota --arg image:1d_array:2x2:r32f:iota --arg buf:7
// Options: --assert 'out[0] == 0.5 and out[1] == 0.0 and out[2] == 1.75 and out[3] == 1.5 and out[4] == 1.5'
// Options: --assert 'out[5] == 2.5 and out[6] == 1.5'
// Expect: condition holds, race none, usage none
// Texel i has the value i, and its center is i + 0.5; half of the last cell is the border.
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t whole = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

kernel void load(read_only image1d_t line, read_only image2d_t square, read_only image1d_array_t lines, global float *out)
{
    out[0] = read_imagef(line, edge, 1.0f).x;
    out[1] = read_imagef(line, edge, 0.0f).x;
    out[2] = read_imagef(line, edge, 2.25f).x;
    out[3] = read_imagef(line, border, 4.0f).x;
    out[4] = read_imagef(square, whole, (float2)(0.5f, 0.5f)).x;
    out[5] = read_imagef(lines, whole, (float2)(0.5f, 7.0f)).x;
    out[6] = read_imagef(line, again, 1.0f).x;
}
