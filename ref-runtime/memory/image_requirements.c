/* Queries of the requirements of an image that is not created yet [cl_ext_image_requirements_info,
 * cl_ext_image_from_buffer]. */
#include "ref-runtime/memory/image.h"

enum { LARGEST_ELEMENT = 16, DIMENSIONS = 4 }; /* width, height, depth, layers */

/* A query, checked. */
struct question {
    const struct rt_context *context;
    const cl_image_format *format;    /* NULL: any */
    const cl_image_desc *description; /* NULL: any */
    const struct rt_image_kind *kind; /* NULL: any */
    struct rt_mem *source;
};

static size_t *dimension_of(cl_image_desc *d, int dimension)
{
    size_t *members[DIMENSIONS] = {&d->image_width, &d->image_height, &d->image_depth, &d->image_array_size};
    return members[dimension];
}

/* 0: images of KIND have no such dimension. */
static size_t limit_of(const struct rt_context *context, const struct rt_image_kind *kind, int dimension)
{
    return dimension < 3 ? rt_image_most(context, kind, dimension) : kind->array ? RT_IMAGE_MAX_ARRAY : 0;
}

/* Whether an image as D says has the pitches and the memory that it needs. */
static bool image_fits(const struct question *q, const struct rt_image_kind *kind, const cl_image_desc *d)
{
    struct rt_image image = {.element_size = q->format ? rt_image_element_size(q->format) : LARGEST_ELEMENT};
    if (q->format)
        image.format = *q->format;
    return rt_image_shape(kind, d, d->num_mip_levels <= 1, &image) &&
           (!q->source || rt_image_size(&image) <= q->source->size);
}

/* The largest value of a dimension of images of KIND, whatever the dimensions are that the description leaves
 * open.  What cannot be allocated is no question of dimensions. */
static size_t most_of(const struct question *q, const struct rt_image_kind *kind, int dimension)
{
    cl_image_desc d = q->description ? *q->description : (cl_image_desc){0};
    for (int i = 0; i < DIMENSIONS; i++)
        if (*dimension_of(&d, i) == 0)
            *dimension_of(&d, i) = limit_of(q->context, kind, i);
    size_t least = 0, most = limit_of(q->context, kind, dimension);
    while (least < most) {
        size_t middle = most - (most - least) / 2;
        *dimension_of(&d, dimension) = middle;
        if (image_fits(q, kind, &d))
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

static cl_int put_most(const struct question *q, int dimension, const struct rt_info_out *out)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                               CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
    size_t most = SIZE_MAX;
    if (q->kind && limit_of(q->context, q->kind, dimension) == 0)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct rt_image_kind *kind = rt_image_kind(types[i]);
        if ((q->kind && kind != q->kind) || limit_of(q->context, kind, dimension) == 0)
            continue;
        size_t here = most_of(q, kind, dimension);
        most = here < most ? here : most;
    }
    return rt_info_uint(out, (cl_uint)most);
}

static cl_int put_size(const struct question *q, const struct rt_info_out *out)
{
    struct rt_image image = {0};
    if (!q->format || !q->description)
        return CL_INVALID_VALUE;
    for (int i = 0; q->kind && i < DIMENSIONS; i++) {
        cl_image_desc d = *q->description;
        if (limit_of(q->context, q->kind, i) && *dimension_of(&d, i) == 0)
            return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    image.format = *q->format;
    image.element_size = rt_image_element_size(q->format);
    if (!q->kind || !rt_image_shape(q->kind, q->description, q->description->num_mip_levels <= 1, &image))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return rt_info_size(out, rt_image_size(&image));
}

static cl_int check_description(struct question *q)
{
    cl_image_desc d = *q->description;
    q->kind = rt_image_kind(d.image_type);
    if ((!q->kind && d.image_type) || d.num_samples || (d.mem_object && d.num_mip_levels > 1))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    for (int i = 0; q->kind && i < DIMENSIONS; i++) {
        size_t most = limit_of(q->context, q->kind, i);
        if (most && *dimension_of(&d, i) > most)
            return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    return q->kind && d.mem_object ? rt_image_source(q->context, q->kind, &d, &q->source) : CL_SUCCESS;
}

cl_int CL_API_CALL rt_clGetImageRequirementsInfoEXT(cl_context handle, const cl_mem_properties *properties,
                                                    cl_mem_flags flags, const cl_image_format *format,
                                                    const cl_image_desc *description,
                                                    cl_image_requirements_info_ext param_name, size_t size,
                                                    void *value, size_t *size_ret)
{
    const struct rt_info_out out = {value, size, size_ret};
    struct question q = {.context = rt_context(handle), .format = format, .description = description};
    if (!q.context)
        return CL_INVALID_CONTEXT;
    if (properties && properties[0])
        return CL_INVALID_PROPERTY;
    if (!rt_image_flags_valid(flags))
        return CL_INVALID_VALUE;
    if (format && !rt_image_format_valid(format))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    cl_int error = description ? check_description(&q) : CL_SUCCESS;
    cl_mem_object_type type = q.kind ? q.kind->type : CL_MEM_OBJECT_IMAGE2D;
    if (!error && format && !rt_image_format_offered(q.context, format, flags, type))
        error = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (error)
        return error;
    switch (param_name) {
    case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT:
        return rt_info_size(&out, format ? rt_image_element_size(format) : LARGEST_ELEMENT);
    case CL_IMAGE_REQUIREMENTS_SIZE_EXT:
        return put_size(&q, &out);
    case CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT:
        return put_most(&q, 0, &out);
    case CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
        return put_most(&q, 1, &out);
    case CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
        return put_most(&q, 2, &out);
    case CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT:
        return put_most(&q, 3, &out);
    default:
        return CL_INVALID_VALUE;
    }
}
