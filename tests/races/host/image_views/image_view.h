/* An image created from a buffer [CL 5.3.1.2]. */
#ifndef TESTS_RACES_HOST_IMAGE_VIEWS_IMAGE_VIEW_H
#define TESTS_RACES_HOST_IMAGE_VIEWS_IMAGE_VIEW_H

#include "../host.h"
#include <stdbool.h>

static int draw_into_view(bool wait)
{
    begin_with("kernel void draw(write_only image1d_buffer_t to) {\n"
               "  write_imagei(to, (int)get_global_id(0), (int4)(1)); }\n",
               NULL);
    cl_command_queue q = in_order(), r = in_order();
    cl_mem a = buffer(), b = buffer();
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N, .buffer = a};
    cl_int code;
    cl_mem view = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    cl_event drawn = launch(q, kernel("draw", view, NULL, NULL), N, NULL);
    OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, wait, wait ? &drawn : NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    return 0;
}

#endif
