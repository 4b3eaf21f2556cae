// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg buf:2
// Expect: race none, usage found, flags image_unfenced
// A barrier without the image flag is no fence for images.
kernel void own(read_write image1d_t image, global int *out)
{
    int x = get_local_id(0);
    write_imagei(image, x, (int4)(x + 1));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[x] = read_imagei(image, x).x;
}
