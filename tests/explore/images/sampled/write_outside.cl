// Options: --global 2 --arg image:2d:2x2:r32i
// Expect: flags out_of_bounds
kernel void store(write_only image2d_t image)
{
    write_imagei(image, (int2)(0, 1 - 2 * (int)get_global_id(0)), (int4)(1));
}
