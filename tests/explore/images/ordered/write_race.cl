// Options: --global 4 --local 4 --arg image:2d:4x1:rgba32ui
// Expect: race found, flags data_race
kernel void store(write_only image2d_t image)
{
    int x = get_global_id(0);
    write_imageui(image, (int2)(x / 2, 0), (uint4)(x));
}
