// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg buf:2 --arg buf:2
// Options: --assert 'out[0] == 22 and out[1] == 11'
// Expect: condition holds, race none, usage none, divergence none
// One barrier for the image, one for the buffer.
kernel void exchange(read_write image1d_t image, global int *shared, global int *out)
{
    int x = get_local_id(0);
    write_imagei(image, x, (int4)(x + 1));
    barrier(CLK_IMAGE_MEM_FENCE);
    shared[x] = 10 * (x + 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[x] = read_imagei(image, 1 - x).x + shared[1 - x];
}
