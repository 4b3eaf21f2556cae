// Options: --global 2 --local 2 --arg image:1d:2:r8ui:any:0..3 --arg buf:4
// Options: --assert 'out[0] == 0 or out[0] == 1'
// Expect: condition holds, race found
// Where both texels are equal, both work-items write 0 or 1 to one element.
kernel void scatter(read_only image1d_t image, global int *out)
{
    int x = get_local_id(0);
    uint at = read_imageui(image, x).x;
    if (at < 4)
        out[at] = x;
}
