/* Commands fill, and kernels write, levels of a mipmapped image. */
#ifndef TESTS_RACES_HOST_IMAGES_LEVELS_OF_IMAGE_H
#define TESTS_RACES_HOST_IMAGES_LEVELS_OF_IMAGE_H

#include "../host.h"

static cl_mem mipmapped(void)
{
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16, .num_mip_levels = 3};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    return image;
}

/* Two queues fill the corners of two levels. */
static inline int fill_levels(size_t first, size_t second)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem image = mipmapped();
    const size_t one[3] = {0, 0, first}, other[3] = {0, 0, second}, region[3] = {4, 4, 1};
    const int color[4] = {7};
    OK(clEnqueueFillImage(q, image, color, one, region, 0, NULL, NULL));
    OK(clEnqueueFillImage(r, image, color, other, region, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}

/* Each work-item of a kernel writes a texel of the level that SOURCE computes. */
static inline int draw_levels(const char *source)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    launch_groups(q, kernel("turn", mipmapped(), NULL, NULL), 3, 3);
    OK(clFinish(q));
    return 0;
}

/* A kernel of one queue writes the first texels of level 1 while another queue fills LEVEL. */
static inline int draw_and_fill(size_t level)
{
    begin_with("kernel void turn(write_only image2d_t image) {\n"
               "int i = (int)get_global_id(0);\n"
               "write_imagei(image, (int2)(i, 0), 1, (int4)(i)); }\n",
               NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem image = mipmapped();
    const size_t origin[3] = {0, 0, level}, region[3] = {4, 4, 1};
    const int color[4] = {7};
    launch_groups(q, kernel("turn", image, NULL, NULL), 4, 4);
    OK(clEnqueueFillImage(r, image, color, origin, region, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}

#endif
