// Options: --global 2 --arg image:2d:2x2:r32i --arg buf:2
// Expect: flags out_of_bounds
// (2, 0) is past the first row, where the second row begins in memory.
kernel void load(read_only image2d_t image, global int *out)
{
    int x = get_global_id(0);
    out[x] = read_imagei(image, (int2)(x + 1, 0)).x;
}
