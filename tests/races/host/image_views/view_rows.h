/* Kernels that access one buffer directly and through an image created from it [CL 5.3.1]. */
#ifndef TESTS_RACES_HOST_IMAGE_VIEWS_VIEW_ROWS_H
#define TESTS_RACES_HOST_IMAGE_VIEWS_VIEW_ROWS_H

#include "../host.h"

/* The whole buffer as texels in one row. */
static inline cl_mem line_over(cl_mem of)
{
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = N, .buffer = of};
    cl_int code;
    cl_mem view = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    return view;
}
/* Two rows of 4 texels from byte 128 of the buffer, 8 texels apart: elements 32 to 35 and 40 to 43. */
static inline cl_mem rows_over(cl_mem of)
{
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = 4,
                          .image_height = 2,
                          .image_row_pitch = 32,
                          .mem_object = part(of, 128, BYTES - 128)};
    cl_int code;
    cl_mem view = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    OK(code);
    return view;
}
/* Launches NAME, of SOURCE, on VIEW of a buffer and the buffer itself, in one work-group of ITEMS. */
static inline int launch_on(const char *source, const char *name, cl_mem (*view)(cl_mem), size_t items)
{
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    cl_mem a = buffer();
    launch_groups(q, kernel(name, view(a), a, NULL), items, items);
    OK(clFinish(q));
    return 0;
}

#endif
