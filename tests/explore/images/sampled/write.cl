// Options: --global 4 --local 2 --arg image:2d:4x1:rg8i
// Options: --assert 'image[0] == -128 and image[1] == -1 and image[2] == 127 and image[6] == 127 and image[7] == 2'
// Expect: condition holds, race none, usage none
// Each work-item writes one texel; -200 and 300 saturate to 8 bits.
kernel void store(write_only image2d_t image)
{
    int x = get_global_id(0);
    write_imagei(image, (int2)(x, 0), (int4)(x == 0 ? -200 : 300, x - 1, 5, 5));
}
