// Options: --global 2 --arg image:2d:2x2:r32i --arg buf:2
// Expect: flags out_of_bounds
// (2, 0) is behind the first row, in whose place in memory the second row begins.
kernel void load(read_only image2d_t image, global int *out)
{
    int x = get_global_id(0);
    out[x] = read_imagei(image, (int2)(x + 1, 0)).x;
}
