// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg buf:2
// Options: --assert 'out[0] == 1 and out[1] == 2'
// Expect: condition holds, race none, usage none
// A barrier with the image flag is a fence for images, too.
kernel void own(read_write image1d_t image, global int *out)
{
    int x = get_local_id(0);
    write_imagei(image, x, (int4)(x + 1));
    barrier(CLK_IMAGE_MEM_FENCE);
    out[x] = read_imagei(image, x).x;
}
