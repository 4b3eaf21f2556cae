// Options: --global 1 --arg image:1d:4:r32i --arg buf:4
// Error: image_buffer.cl:5:14: image1d_buffer_t is not explored: pass the pixels in a buffer [explore.image]
kernel void load(read_only image1d_buffer_t image, global int *out)
{
    out[0] = read_imagei(image, 0).x;
}
