// Options: --global 1 --arg 1 --arg buf:1
// Error: ImageRead
kernel void load(read_only image2d_t image, global uint4 *out)
{
    out[0] = read_imageui(image, (int2)(0, 0));
}
