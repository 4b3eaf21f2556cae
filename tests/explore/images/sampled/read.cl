// Options: --global 2 --local 2 --arg image:2d:2x2:rgba32ui:iota --arg buf:4
// Options: --assert 'out[0] == 8 and out[1] == 15 and out[2] == 2 and out[3] == 2'
// Expect: condition holds, race none, usage none, divergence none
// Texel (0, 1) begins with number 8 and texel (1, 0) ends with 7: 7 + 8 = 15.
kernel void load(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0);
    if (x == 0)
        out[0] = read_imageui(image, (int2)(0, 1)).x;
    else
        out[1] = read_imageui(image, (int2)(1, 0)).w + read_imageui(image, (int2)(0, 1)).x;
    out[2 + x] = x == 0 ? get_image_width(image) : get_image_height(image);
}
