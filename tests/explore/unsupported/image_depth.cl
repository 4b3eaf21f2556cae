// Options: --global 1 --arg image:2d:4x4:r32f --arg buf:4
// Error: image_depth.cl:5:14: image2d_depth_t is not explored: pass the pixels in a buffer [explore.image]
kernel void load(read_only image2d_depth_t image, global float *out)
{
    out[0] = read_imagef(image, (int2)(0, 0));
}
