// Options: --global 1 --arg image:1d:2:r8ui --arg image:1d:1:r8i --assert 'image[0] == 200 and image[1] == 255 and other[0] == -7'
// Expect: condition holds, race none
kernel void store(write_only image1d_t image, write_only image1d_t other)
{
    write_imageui(image, 0, (uint4)(200));
    write_imageui(image, 1, (uint4)(1000));
    write_imagei(other, 0, (int4)(-7));
}
