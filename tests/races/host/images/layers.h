/* Two queues fill layers of an image array. */
#ifndef TESTS_RACES_HOST_IMAGES_LAYERS_H
#define TESTS_RACES_HOST_IMAGES_LAYERS_H

#include "../host.h"

static int fill_layers(size_t first, size_t second)
{
    begin(NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                          .image_width = 8,
                          .image_height = 8,
                          .image_array_size = 4};
    cl_int code;
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    const size_t one[3] = {0, 0, first}, other[3] = {0, 0, second}, region[3] = {8, 8, 1};
    const int color[4] = {7};
    OK(clEnqueueFillImage(q, image, color, one, region, 0, NULL, NULL));
    OK(clEnqueueFillImage(r, image, color, other, region, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}

#endif
