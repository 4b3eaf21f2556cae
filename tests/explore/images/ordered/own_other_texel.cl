// Options: --global 1 --arg image:1d:2:r32i:iota --arg buf:1 --assert 'out[0] == 1'
// Expect: condition holds, race none, usage none, flags none
kernel void own(read_write image1d_t image, global int *out)
{
    write_imagei(image, 0, (int4)(9));
    out[0] = read_imagei(image, 1).x;
}
