/* Images among themselves: what image*.c and enqueue/image.c share. */
#ifndef RT_IMAGE_H
#define RT_IMAGE_H

#include "ref-runtime/memory/memory.h"

/* Limits that the queries return. */
enum {
    RT_IMAGE2D_MAX = 16384,
    RT_IMAGE3D_MAX = 2048,
    RT_IMAGE_MAX_ARRAY = 2048,
    RT_IMAGE_MAX_BUFFER = 1 << 20,
    RT_IMAGE_READ_ARGS = 128,
    RT_IMAGE_WRITE_ARGS = 64,
    RT_MAX_SAMPLERS = 16
};

/* An image type as queries and regions see it. */
struct rt_image_kind {
    cl_mem_object_type type;
    enum in_image_kind kind;
    size_t most[3]; /* width, height, depth; 0: no such dimension */
    bool array;
};
/* NULL: TYPE is no image type. */
const struct rt_image_kind *rt_image_kind(cl_mem_object_type type);
/* Whether every device has FORMAT. */
bool rt_image_format_required(const cl_image_format *format);
bool rt_image_format_valid(const cl_image_format *format);
bool rt_image_format_offered(const struct rt_context *context, const cl_image_format *format,
                             cl_mem_flags flags, cl_mem_object_type type);

#endif
