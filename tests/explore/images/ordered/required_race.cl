// Options: --global 2 --local 2 --arg image:1d:2:r8ui:any:0..255 --arg buf:256 --requires 'image[0] > 200 and image[1] > 199'
// Expect: race found
// 201 to 255 and 200 to 255: both may be 201.
kernel void scatter(read_only image1d_t image, global int *out)
{
    int x = get_local_id(0);
    out[read_imageui(image, x).x] = x;
}
