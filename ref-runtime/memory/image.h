/* Images among themselves: what image*.c and enqueue/image.c share. */
#ifndef REF_RUNTIME_MEMORY_IMAGE_H
#define REF_RUNTIME_MEMORY_IMAGE_H

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
/* The largest width, height or depth of KIND on some device of CONTEXT. */
size_t rt_image_most(const struct rt_context *context, const struct rt_image_kind *kind, int dimension);
/* What backs an image of KIND as D says: *SOURCE, NULL for memory that only the image has.
 * CL_INVALID_IMAGE_DESCRIPTOR. */
cl_int rt_image_source(const struct rt_context *context, const struct rt_image_kind *kind,
                       const cl_image_desc *d, struct rt_mem **source);
/* Fills in the layout of IMAGE, whose format and size of elements are set.  False: D is wrong in pitches,
 * levels or samples.  MEMORY_GIVEN: the texels lie in memory that the application describes, which has no
 * levels. */
bool rt_image_shape(const struct rt_image_kind *kind, const cl_image_desc *d, bool memory_given,
                    struct rt_image *image);
size_t rt_image_size(const struct rt_image *image); /* in bytes */
/* False: IMAGE has no such level. */
bool rt_image_level(const struct rt_image *image, size_t number, struct rt_level *level);
size_t rt_image_element_size(const cl_image_format *format);
/* Flags of a query about images: those of creation, and the one for kernels that read and write. */
bool rt_image_flags_valid(cl_mem_flags flags);
/* NULL: TYPE is no image type. */
const struct rt_image_kind *rt_image_kind(cl_mem_object_type type);
/* Whether every device has FORMAT. */
bool rt_image_format_required(const cl_image_format *format);
bool rt_image_format_valid(const cl_image_format *format);
bool rt_image_format_offered(const struct rt_context *context, const cl_image_format *format,
                             cl_mem_flags flags, cl_mem_object_type type);

#endif
