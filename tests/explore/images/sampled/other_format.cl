// Options: --global 1 --arg image:2d:4x4:rgba8 --arg buf:1
// Error: integer texels of an image whose format has floats
kernel void load(read_only image2d_t image, global int4 *out)
{
    out[0] = read_imagei(image, (int2)(0, 0));
}
