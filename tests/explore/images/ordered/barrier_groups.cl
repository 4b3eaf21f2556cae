// Options: --global 2 --local 1 --arg image:1d:2:r32i --arg buf:2
// Expect: race found, flags data_race
kernel void exchange(read_write image1d_t image, global int *out)
{
    int x = get_global_id(0);
    write_imagei(image, x, (int4)(x + 1));
    barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imagei(image, 1 - x).x;
}
