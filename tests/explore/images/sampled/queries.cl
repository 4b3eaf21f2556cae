// Options: --global 1 --arg image:2d:3x5:rg16i --arg buf:4
// Options: --assert 'out[0] == 3 and out[1] == 5 and out[2] == 1 and out[3] == 1'
// Expect: condition holds, race none
kernel void ask(read_only image2d_t image, global int *out)
{
    out[0] = get_image_dim(image).x;
    out[1] = get_image_dim(image).y;
    out[2] = get_image_channel_data_type(image) == CLK_SIGNED_INT16;
    out[3] = get_image_channel_order(image) == CLK_RG;
}
