// Options: --global 2 --local 2 --arg image:1d:2:r8ui:any:0..255 --arg buf:256 --requires 'image[0] > 200 and image[1] < 200'
// Expect: race none, usage none
// Unsigned 8-bit values: 201 to 255 and 0 to 199.
kernel void scatter(read_only image1d_t image, global int *out)
{
    int x = get_local_id(0);
    out[read_imageui(image, x).x] = x;
}
