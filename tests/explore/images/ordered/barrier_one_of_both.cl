// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg buf:2 --arg buf:2
// Expect: race found, flags data_race
// The barrier orders the image, not the buffer.
kernel void exchange(read_write image1d_t image, global int *shared, global int *out)
{
    int x = get_local_id(0);
    write_imagei(image, x, (int4)(x + 1));
    shared[x] = 10 * (x + 1);
    barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imagei(image, 1 - x).x + shared[1 - x];
}
