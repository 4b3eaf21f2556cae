/* Image objects: creation and queries [CL 5.3.1, 5.3.7]. */
#include "ref-runtime/memory/image.h"
#include "ref-runtime/device.h"
#include "ref-runtime/memory/external.h"

#include <string.h>

static const struct rt_image_kind kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, IN_IMAGE_1D, {RT_IMAGE2D_MAX, 0, 0}, false},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, IN_IMAGE_1D_BUFFER, {RT_IMAGE_MAX_BUFFER, 0, 0}, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, IN_IMAGE_1D_ARRAY, {RT_IMAGE2D_MAX, 0, 0}, true},
    {CL_MEM_OBJECT_IMAGE2D, IN_IMAGE_2D, {RT_IMAGE2D_MAX, RT_IMAGE2D_MAX, 0}, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, IN_IMAGE_2D_ARRAY, {RT_IMAGE2D_MAX, RT_IMAGE2D_MAX, 0}, true},
    {CL_MEM_OBJECT_IMAGE3D, IN_IMAGE_3D, {RT_IMAGE3D_MAX, RT_IMAGE3D_MAX, RT_IMAGE3D_MAX}, false},
};

const struct rt_image_kind *rt_image_kind(cl_mem_object_type type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* ---- descriptors ---- */

size_t rt_image_most(const struct rt_context *context, const struct rt_image_kind *kind, int dimension)
{
    size_t most = 0;
    for (cl_uint i = 0; i < context->device_count; i++) {
        const struct rt_limits *limits = &context->devices[i]->limits;
        size_t here = limits->images ? limits->image2d : 0;
        most = here > most ? here : most;
    }
    return kind->most[dimension] == RT_IMAGE2D_MAX ? most : kind->most[dimension];
}

static cl_int check_sizes(const struct rt_context *context, const struct rt_image_kind *kind,
                          const cl_image_desc *d)
{
    const size_t sizes[3] = {d->image_width, d->image_height, d->image_depth};
    for (int i = 0; i < 3; i++)
        if (kind->most[i] && sizes[i] == 0)
            return CL_INVALID_IMAGE_DESCRIPTOR;
    if (kind->array && d->image_array_size == 0)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    for (int i = 0; i < 3; i++)
        if (kind->most[i] && sizes[i] > rt_image_most(context, kind, i))
            return CL_INVALID_IMAGE_SIZE;
    return kind->array && d->image_array_size > RT_IMAGE_MAX_ARRAY ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

static bool has_slices(const struct rt_image_kind *kind)
{
    return kind->array || kind->most[2];
}

bool rt_image_level(const struct rt_image *image, size_t number, struct rt_level *level)
{
    struct in_image shape;
    uint64_t begin;
    if (number > INT32_MAX || !in_image_level(&image->shape, (int64_t)number, &shape, &begin))
        return false;
    bool rows_are_layers = shape.kind == IN_IMAGE_1D_ARRAY;
    size_t slices = (size_t)shape.depth * shape.array_size;
    *level = (struct rt_level){
        .begin = begin,
        .row_pitch = shape.row_pitch,
        .slice_pitch = image->slice_pitch ? shape.slice_pitch : 0,
        .layout_row = rows_are_layers ? shape.slice_pitch : shape.row_pitch,
        .layout_slice = rows_are_layers ? shape.slice_pitch * slices : shape.slice_pitch,
        .extent = {shape.width, rows_are_layers ? slices : shape.height, rows_are_layers ? 1 : slices}};
    return true;
}

/* Levels: as many as halving leads to, in memory that the application does not describe. */
static bool levels_valid(const struct in_image *shape, const cl_image_desc *d, bool memory_given)
{
    return d->num_mip_levels <= 1 ||
           (!memory_given && shape->order != IN_ORDER_DEPTH && shape->kind != IN_IMAGE_1D_BUFFER &&
            d->num_mip_levels <= in_image_most_levels(shape->width, shape->height, shape->depth));
}

/* Pitches: 0, or large enough and whole elements and rows, of an image whose size a size_t can hold; given
 * only where there is memory to describe. */
bool rt_image_shape(const struct rt_image_kind *kind, const cl_image_desc *d, bool memory_given,
                    struct rt_image *image)
{
    struct in_image *shape = &image->shape;
    size_t width = d->image_width, height = kind->most[1] ? d->image_height : 1;
    size_t depth = kind->most[2] ? d->image_depth : 1, layers = kind->array ? d->image_array_size : 1;
    size_t least = width * image->element_size, row = d->image_row_pitch, slice = d->image_slice_pitch;
    if ((!memory_given && (row || slice)) || (row && (row < least || row % image->element_size)) ||
        d->num_samples)
        return false;
    row = row ? row : least;
    slice = has_slices(kind) ? slice : 0;
    size_t rows, whole;
    if (__builtin_mul_overflow(row, height, &rows) || (slice && (slice < rows || slice % row)))
        return false;
    slice = slice ? slice : rows;
    if (__builtin_mul_overflow(slice, depth * layers, &whole))
        return false;
    shape->kind = kind->kind;
    shape->order = image->format.image_channel_order - CL_R;
    shape->type = image->format.image_channel_data_type - CL_SNORM_INT8;
    shape->width = (uint32_t)width;
    shape->height = (uint32_t)height;
    shape->depth = (uint32_t)depth;
    shape->array_size = (uint32_t)layers;
    shape->row_pitch = row;
    shape->slice_pitch = slice;
    shape->levels = d->num_mip_levels;
    image->slice_pitch = has_slices(kind) ? slice : 0;
    return levels_valid(shape, d, memory_given);
}

size_t rt_image_size(const struct rt_image *image)
{
    return in_image_bytes(&image->shape);
}

/* ---- images of other objects ---- */

/* A 2D image may show another one with different channels: the compatible pairs. */
static bool orders_compatible(cl_channel_order a, cl_channel_order b)
{
    static const cl_channel_order pairs[][2] = {
        {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}, {CL_R, CL_DEPTH},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
            return true;
    return a == b;
}

/* True if elements lie at multiples of their size. */
static bool is_aligned(const struct rt_mem *source, size_t element_size)
{
    return source->offset % element_size == 0 && (uintptr_t)source->host_ptr % element_size == 0;
}

static cl_int check_image_source(const struct rt_image *image, const struct rt_mem *source)
{
    const struct rt_image *other = source->image;
    const cl_image_desc *d = &image->description;
    if (!orders_compatible(image->format.image_channel_order, other->format.image_channel_order) ||
        image->format.image_channel_data_type != other->format.image_channel_data_type)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (d->image_width != other->shape.width || d->image_height != other->shape.height ||
        (d->image_row_pitch && d->image_row_pitch != other->shape.row_pitch) || d->image_slice_pitch)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return CL_SUCCESS;
}

/* The memory object that provides the image's memory: a buffer for 1D buffer images, optionally a buffer for
 * 2D images and, since OpenCL 3.0, for all others [cl_ext_image_from_buffer], or a 2D image for 2D images. */
cl_int rt_image_source(const struct rt_context *context, const struct rt_image_kind *kind,
                       const cl_image_desc *d, struct rt_mem **source)
{
    *source = NULL;
    if (!d->mem_object)
        return kind->kind == IN_IMAGE_1D_BUFFER ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
    struct rt_mem *mem = rt_mem(d->mem_object);
    if (!mem || mem->context != context)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    bool of_core = kind->kind == IN_IMAGE_1D_BUFFER || kind->kind == IN_IMAGE_2D;
    bool buffer = mem->mem_type == CL_MEM_OBJECT_BUFFER && (of_core || rt_version() >= RT_3_0);
    bool image = mem->mem_type == CL_MEM_OBJECT_IMAGE2D && kind->kind == IN_IMAGE_2D;
    *source = mem;
    return buffer || image ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

/* ---- creation ---- */

static cl_int check_format(const struct rt_context *context, const cl_image_format *format,
                           cl_mem_flags flags, cl_mem_object_type type)
{
    if (!format || !rt_image_format_valid(format))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return rt_image_format_offered(context, format, flags, type) ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED;
}

/* The arguments of a call that creates an image, and what they lead to. */
struct image_call {
    const struct rt_context *context;
    cl_mem_flags flags; /* those of a part of another object are completed by that object's */
    const cl_image_format *format;
    const cl_image_desc *description;
    const void *host_ptr;
    bool external; /* the memory is a file */
    struct rt_image image;
    struct rt_mem *source; /* that has the memory; NULL: the image itself */
};

/* Checks format and sizes, and finds the source. */
static cl_int check_description(struct image_call *c)
{
    const cl_image_desc *d = c->description;
    if (!c->format)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    const struct rt_image_kind *kind = d ? rt_image_kind(d->image_type) : NULL;
    cl_int error = check_format(c->context, c->format, c->flags, d ? d->image_type : CL_MEM_OBJECT_IMAGE2D);
    if (error == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
        return error;
    if (!kind)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    error = error ? error : check_sizes(c->context, kind, d);
    error = error ? error : rt_image_source(c->context, kind, d, &c->source);
    return !error && c->external && c->source ? CL_INVALID_IMAGE_DESCRIPTOR : error;
}

/* Checks the flags and the host pointer; completes the flags of a part of another object. */
static cl_int check_memory(struct image_call *c)
{
    bool needs_pointer = (c->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    if (needs_pointer && c->description->num_mip_levels > 1)
        return CL_INVALID_VALUE;
    bool immutable = c->flags & CL_MEM_IMMUTABLE_EXT;
    if (c->source ? (!immutable && (c->source->flags & CL_MEM_IMMUTABLE_EXT)) ||
                        !rt_mem_inherit_flags(c->source->flags, &c->flags)
                  : !c->external && !rt_mem_has_contents(c->flags))
        return CL_INVALID_VALUE;
    return !c->host_ptr == needs_pointer ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

/* Fills in the image. */
static cl_int shape_image(struct image_call *c)
{
    const cl_image_desc *d = c->description;
    struct rt_image *image = &c->image;
    const struct rt_mem *source = c->source;
    image->format = *c->format;
    image->description = *d;
    image->element_size = rt_image_element_size(c->format);
    if (source && source->image) {
        cl_int error = check_image_source(image, source);
        image->description.image_row_pitch = source->image->shape.row_pitch;
        if (error)
            return error;
    }
    if (!rt_image_shape(rt_image_kind(d->image_type), &image->description,
                        c->host_ptr || c->external || source, image))
        return source && d->num_mip_levels <= 1 && !d->num_samples ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                                                                   : CL_INVALID_IMAGE_DESCRIPTOR;
    if (source && !source->image && !is_aligned(source, image->element_size))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return source && rt_image_size(image) > source->size ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

static cl_mem create_image(cl_context handle, const cl_mem_properties *properties, cl_mem_flags flags,
                           const cl_image_format *format, const cl_image_desc *description, void *host_ptr,
                           cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    struct rt_mem_request r;
    cl_int error = rt_mem_parse_properties(context, false, properties, &r);
    error = error ? error : rt_external_check(&r, flags);
    if (error)
        return rt_null(errcode_ret, error);
    if (!rt_context_images(context))
        return rt_null(errcode_ret, CL_INVALID_OPERATION);
    struct image_call c = {.context = context,
                           .flags = flags,
                           .format = format,
                           .description = description,
                           .host_ptr = host_ptr,
                           .external = r.external};
    error = rt_mem_flags_valid(flags) ? check_description(&c) : CL_INVALID_VALUE;
    error = error ? error : check_memory(&c);
    error = error ? error : shape_image(&c);
    if (error)
        return rt_null(errcode_ret, error);
    size_t size = rt_image_size(&c.image);
    if (size > rt_context_max_alloc(context, false))
        return rt_null(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    struct rt_mem *mem = rt_mem_create(context, description->image_type, c.flags, size);
    if (!mem)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    mem->given_flags = flags;
    mem->image = mm_alloc(sizeof c.image);
    if (mem->image)
        *mem->image = c.image;
    if (c.source)
        rt_mem_attach(mem, c.source, 0);
    bool fails = !mem->image || (c.source && !rt_mem_set_properties(mem, &r));
    error = fails      ? CL_MEM_OBJECT_ALLOCATION_FAILURE
            : c.source ? CL_SUCCESS
                       : rt_mem_fill_in(mem, &r, host_ptr);
    if (error)
        rt_object_release(mem);
    rt_null(errcode_ret, error);
    return error ? NULL : (cl_mem)mem;
}

cl_mem CL_API_CALL rt_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                    const cl_image_desc *description, void *host_ptr, cl_int *errcode_ret)
{
    return create_image(context, NULL, flags, format, description, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                  cl_mem_flags flags, const cl_image_format *format,
                                                  const cl_image_desc *description, void *host_ptr,
                                                  cl_int *errcode_ret)
{
    return create_image(context, properties, flags, format, description, host_ptr, errcode_ret);
}

/* The calls of OpenCL 1.1: their sizes and pitches are arguments, and wrong ones are
 * CL_INVALID_IMAGE_SIZE. */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *description, void *host_ptr, cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_mem image = create_image(context, NULL, flags, format, description, host_ptr, &error);
    rt_null(errcode_ret, error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error);
    return image;
}

cl_mem CL_API_CALL rt_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                      cl_int *errcode_ret)
{
    const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                       .image_width = width,
                                       .image_height = height,
                                       .image_row_pitch = row_pitch};
    return create_old(context, flags, format, &description, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t depth, size_t row_pitch,
                                      size_t slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                       .image_width = width,
                                       .image_height = height,
                                       .image_depth = depth,
                                       .image_row_pitch = row_pitch,
                                       .image_slice_pitch = slice_pitch};
    return create_old(context, flags, format, &description, host_ptr, errcode_ret);
}

/* ---- queries ---- */

static const struct rt_image *image_of(const void *object)
{
    return ((const struct rt_mem *)object)->image;
}

static cl_int get_format(const void *object, const struct rt_info_out *out)
{
    return rt_info_put(out, &image_of(object)->format, sizeof(cl_image_format));
}

static cl_int get_element_size(const void *object, const struct rt_info_out *out)
{
    return rt_info_size(out, image_of(object)->element_size);
}

static cl_int get_row_pitch(const void *object, const struct rt_info_out *out)
{
    return rt_info_size(out, image_of(object)->shape.row_pitch);
}

static cl_int get_slice_pitch(const void *object, const struct rt_info_out *out)
{
    return rt_info_size(out, image_of(object)->slice_pitch);
}

/* Dimensions that a type does not have are 0. */
static cl_int put_dimension(const void *object, const struct rt_info_out *out, int dimension, size_t size)
{
    const struct rt_image_kind *kind = rt_image_kind(image_of(object)->description.image_type);
    return rt_info_size(out, kind->most[dimension] ? size : 0);
}

static cl_int get_width(const void *object, const struct rt_info_out *out)
{
    return put_dimension(object, out, 0, image_of(object)->shape.width);
}

static cl_int get_height(const void *object, const struct rt_info_out *out)
{
    return put_dimension(object, out, 1, image_of(object)->shape.height);
}

static cl_int get_depth(const void *object, const struct rt_info_out *out)
{
    return put_dimension(object, out, 2, image_of(object)->shape.depth);
}

static cl_int get_array_size(const void *object, const struct rt_info_out *out)
{
    const struct rt_image_kind *kind = rt_image_kind(image_of(object)->description.image_type);
    return rt_info_size(out, kind->array ? image_of(object)->shape.array_size : 0);
}

static cl_int get_buffer(const void *object, const struct rt_info_out *out)
{
    const struct rt_mem *parent = ((const struct rt_mem *)object)->parent;
    return rt_info_handle(out, parent && parent->mem_type == CL_MEM_OBJECT_BUFFER ? parent : NULL);
}

static cl_int get_levels(const void *object, const struct rt_info_out *out)
{
    return rt_info_uint(out, image_of(object)->description.num_mip_levels);
}

RT_ANSWER(get_none, uint, void, unused, 0)

static const struct rt_info_row image_rows[] = {
    RT_INFO_GET(CL_IMAGE_FORMAT, get_format),       RT_INFO_GET(CL_IMAGE_ELEMENT_SIZE, get_element_size),
    RT_INFO_GET(CL_IMAGE_ROW_PITCH, get_row_pitch), RT_INFO_GET(CL_IMAGE_SLICE_PITCH, get_slice_pitch),
    RT_INFO_GET(CL_IMAGE_WIDTH, get_width),         RT_INFO_GET(CL_IMAGE_HEIGHT, get_height),
    RT_INFO_GET(CL_IMAGE_DEPTH, get_depth),         RT_INFO_GET(CL_IMAGE_ARRAY_SIZE, get_array_size),
    RT_INFO_GET(CL_IMAGE_BUFFER, get_buffer),       RT_INFO_GET(CL_IMAGE_NUM_MIP_LEVELS, get_levels),
    RT_INFO_GET(CL_IMAGE_NUM_SAMPLES, get_none),
};

RT_INFO_CALL(ImageInfo, cl_mem, cl_image_info,
             rt_mem(handle) && rt_mem(handle)->image ? rt_mem(handle) : NULL, CL_INVALID_MEM_OBJECT,
             image_rows)
