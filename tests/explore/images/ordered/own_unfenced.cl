// Options: --global 2 --arg image:1d:2:r32i --arg buf:2
// Expect: flags image_unfenced
kernel void own(read_write image1d_t image, global int *out)
{
    int x = get_global_id(0);
    write_imagei(image, x, (int4)(x + 1));
    out[x] = read_imagei(image, x).x;
}
