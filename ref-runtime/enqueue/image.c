/* Reading, writing, copying, filling and mapping images; copies between images and buffers
 * [CL 5.3.3-5.3.6]. */
#include "ref-runtime/memory/image.h"
#include "ref-runtime/enqueue/command_buffer.h"

#include <string.h>

/* ---- checks ---- */

cl_int rt_check_image_support(const struct rt_mem *mem, const struct rt_device *device)
{
    const struct rt_image *image = mem->image;
    if (!device->limits.images)
        return CL_INVALID_OPERATION;
    if (mem->mem_type != CL_MEM_OBJECT_IMAGE1D_BUFFER && mem->mem_type != CL_MEM_OBJECT_IMAGE3D &&
        (image->shape.width > device->limits.image2d || image->shape.height > device->limits.image2d))
        return CL_INVALID_IMAGE_SIZE;
    return device->limits.required_formats && !rt_image_format_required(&image->format)
               ? CL_IMAGE_FORMAT_NOT_SUPPORTED
               : CL_SUCCESS;
}

static cl_int check_image(const struct rt_queue *queue, cl_mem handle, struct rt_mem **mem)
{
    *mem = rt_mem(handle);
    if (!*mem || !(*mem)->image)
        return CL_INVALID_MEM_OBJECT;
    return (*mem)->context == queue->context ? rt_check_image_support(*mem, queue->device)
                                             : CL_INVALID_CONTEXT;
}

/* The element of an origin that holds the level of a mipmapped image [cl_khr_mipmap_image]. */
static int level_dimension(const struct rt_mem *mem)
{
    return (int)in_image_coordinate_count(mem->image->shape.kind);
}

/* Origins in dimensions that the image does not have are 0, except for the level, regions 1: their extent
 * there is 1. */
static cl_int check_region(const struct rt_mem *mem, const size_t *origin, const size_t *region,
                           struct rt_region *checked)
{
    struct rt_level level;
    if (!origin || !region)
        return CL_INVALID_VALUE;
    *checked = (struct rt_region){{origin[0], origin[1], origin[2]}, {region[0], region[1], region[2]}, 0};
    if (in_image_levels(&mem->image->shape) > 1) {
        int dimension = level_dimension(mem);
        checked->level = origin[dimension];
        if (dimension < 3)
            checked->origin[dimension] = 0;
    }
    if (!rt_image_level(mem->image, checked->level, &level))
        return CL_INVALID_MIP_LEVEL;
    for (int d = 0; d < 3; d++) {
        size_t most = level.extent[d], at = checked->origin[d];
        if (region[d] == 0 || at > most || region[d] > most - at)
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

/* Rows and slices in the host's memory or in a buffer; false if pitches are too small or not meant. */
static bool linear_layout(const struct rt_mem *image, const size_t bytes[3], size_t row, size_t slice,
                          struct rt_layout *layout)
{
    const struct rt_image_kind *kind = rt_image_kind(image->mem_type);
    bool slices = kind->array || kind->most[2];
    if ((slice && !slices) || (row && row < bytes[0]))
        return false;
    row = row ? row : bytes[0];
    size_t rows = kind->kind == IN_IMAGE_1D_ARRAY ? 1 : bytes[1], least;
    if (__builtin_mul_overflow(row, rows, &least) || (slice && slice < least))
        return false;
    slice = slice ? slice : least;
    *layout = kind->kind == IN_IMAGE_1D_ARRAY ? (struct rt_layout){0, slice, slice * bytes[1]}
                                              : (struct rt_layout){0, row, slice};
    return true;
}

/* ---- read and write ---- */

struct request {
    const size_t *origin, *region;
    size_t row, slice;
    void *ptr;
    bool blocking, write;
};

static cl_int transfer_image(cl_command_queue handle, cl_mem image, const struct request *q, cl_uint count,
                             const cl_event *list, cl_event *event)
{
    const cl_mem_flags forbidden =
        CL_MEM_HOST_NO_ACCESS |
        (q->write ? CL_MEM_HOST_READ_ONLY | CL_MEM_IMMUTABLE_EXT : CL_MEM_HOST_WRITE_ONLY);
    struct rt_queue *queue;
    struct rt_mem *mem;
    struct rt_rect rect = {.host = q->ptr};
    struct rt_layout host, texels;
    struct rt_region region;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    error = error ? error : check_image(queue, image, &mem);
    error = error ? error : !q->ptr ? CL_INVALID_VALUE : check_region(mem, q->origin, q->region, &region);
    if (error)
        return error;
    rt_mem_layout(mem, &region, &texels, rect.region);
    if (!linear_layout(mem, rect.region, q->row, q->slice, &host))
        return CL_INVALID_VALUE;
    if (mem->flags & forbidden)
        return CL_INVALID_OPERATION;
    rect.source = q->write ? NULL : mem;
    rect.target = q->write ? mem : NULL;
    rect.from = q->write ? host : texels;
    rect.to = q->write ? texels : host;
    struct rt_command *command =
        rt_rect_command(queue, q->write ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE,
                        q->write ? "clEnqueueWriteImage" : "clEnqueueReadImage", &rect);
    return command ? rt_command_enqueue(command, count, list, event, q->blocking) : CL_OUT_OF_HOST_MEMORY;
}

cl_int CL_API_CALL rt_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                         const size_t *origin, const size_t *region, size_t row_pitch,
                                         size_t slice_pitch, void *ptr, cl_uint count, const cl_event *list,
                                         cl_event *event)
{
    const struct request request = {origin, region, row_pitch, slice_pitch, ptr, blocking, false};
    return transfer_image(queue, image, &request, count, list, event);
}

cl_int CL_API_CALL rt_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                          const size_t *origin, const size_t *region, size_t row_pitch,
                                          size_t slice_pitch, const void *ptr, cl_uint count,
                                          const cl_event *list, cl_event *event)
{
    const struct request request = {origin,   region, row_pitch, slice_pitch, (void *)(uintptr_t)ptr,
                                    blocking, true};
    return transfer_image(queue, image, &request, count, list, event);
}

/* ---- copies ---- */

/* True if both images lie in the same storage and the regions overlap there. */
static bool regions_overlap(struct rt_mem *source, const struct rt_rect *r, struct rt_mem *target)
{
    return rt_mem_root(source) == rt_mem_root(target) &&
           rt_layouts_overlap(&r->from, rt_mem_offset(source), &r->to, rt_mem_offset(target), r->region);
}

static cl_int submit_copy(const struct rt_submission *s, cl_mem source, cl_mem target,
                          const size_t *source_origin, const size_t *target_origin, const size_t *region)
{
    struct rt_rect rect = {0};
    struct rt_region from, to;
    cl_int error = check_image(s->queue, source, &rect.source);
    error = error ? error : check_image(s->queue, target, &rect.target);
    if (error)
        return error;
    const cl_image_format *a = &rect.source->image->format, *b = &rect.target->image->format;
    if (a->image_channel_order != b->image_channel_order ||
        a->image_channel_data_type != b->image_channel_data_type)
        return CL_IMAGE_FORMAT_MISMATCH;
    error = check_region(rect.source, source_origin, region, &from);
    error = error ? error : check_region(rect.target, target_origin, region, &to);
    if (error)
        return error;
    rt_mem_layout(rect.source, &from, &rect.from, rect.region);
    rt_mem_layout(rect.target, &to, &rect.to, rect.region);
    if (regions_overlap(rect.source, &rect, rect.target))
        return CL_MEM_COPY_OVERLAP;
    error = rt_check_mutable(rect.target);
    if (error)
        return error;
    return rt_submit(s, rt_rect_command(s->queue, CL_COMMAND_COPY_IMAGE, s->name, &rect));
}

RT_ENQUEUE_AND_RECORD(CopyImage,
                      (cl_mem source, cl_mem target, const size_t *source_origin, const size_t *target_origin,
                       const size_t *region),
                      submit_copy(&s, source, target, source_origin, target_origin, region))

/* The image's region and, packed from OFFSET on, the buffer's. */
static cl_int with_buffer(const struct rt_submission *s, cl_mem image, cl_mem buffer, const size_t *origin,
                          const size_t *region, size_t offset, bool to_buffer)
{
    struct rt_mem *texels = NULL, *bytes = NULL;
    struct rt_rect rect = {0};
    struct rt_layout in_image, in_buffer;
    struct rt_region checked;
    cl_int error = check_image(s->queue, image, &texels);
    error = error ? error : rt_enqueue_buffer(s->queue, buffer, &bytes);
    if (!error && texels->mem_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && texels->parent == bytes)
        error = CL_INVALID_MEM_OBJECT; /* the image was created from this buffer */
    error = error ? error : check_region(texels, origin, region, &checked);
    if (error)
        return error;
    rt_mem_layout(texels, &checked, &in_image, rect.region);
    linear_layout(texels, rect.region, 0, 0, &in_buffer);
    in_buffer.origin = offset;
    error = rt_check_range(bytes, offset, rect.region[0] * rect.region[1] * rect.region[2]);
    if (error)
        return error;
    rect.source = to_buffer ? texels : bytes;
    rect.target = to_buffer ? bytes : texels;
    rect.from = to_buffer ? in_image : in_buffer;
    rect.to = to_buffer ? in_buffer : in_image;
    if (regions_overlap(rect.source, &rect, rect.target))
        return CL_MEM_COPY_OVERLAP;
    error = rt_check_mutable(rect.target);
    if (error)
        return error;
    cl_command_type type = to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE;
    return rt_submit(s, rt_rect_command(s->queue, type, s->name, &rect));
}

RT_ENQUEUE_AND_RECORD(CopyImageToBuffer,
                      (cl_mem source, cl_mem target, const size_t *origin, const size_t *region,
                       size_t offset),
                      with_buffer(&s, source, target, origin, region, offset, true))

RT_ENQUEUE_AND_RECORD(CopyBufferToImage,
                      (cl_mem source, cl_mem target, size_t offset, const size_t *origin,
                       const size_t *region),
                      with_buffer(&s, target, source, origin, region, offset, false))

/* ---- fill ---- */

struct fill {
    struct rt_mem *mem;
    struct rt_layout layout;
    size_t bytes[3];
    unsigned char element[16];
};

static cl_int run_fill(struct rt_command *command)
{
    const struct fill *f = (void *)command->payload;
    size_t element = f->mem->image->element_size;
    bool tracked = !rt_storage_untracked(f->mem);
    unsigned char *image = tracked ? NULL : rt_enqueue_bytes(command, f->mem, 0, f->mem->size);
    for (size_t z = 0; z < f->bytes[2]; z++) {
        for (size_t y = 0; y < f->bytes[1]; y++) {
            size_t at = f->layout.origin + z * f->layout.slice_pitch + y * f->layout.row_pitch;
            unsigned char *row = tracked ? rt_enqueue_bytes(command, f->mem, at, f->bytes[0])
                                 : image ? image + at
                                         : NULL;
            if (!row || (tracked && !rt_enqueue_written(command, f->mem, at, f->bytes[0])))
                return CL_MEM_OBJECT_ALLOCATION_FAILURE;
            rt_fill(row, f->bytes[0], f->element, element);
            rt_enqueue_record(command, MM_WRITE, f->mem, at, f->bytes[0], row);
        }
    }
    return CL_SUCCESS;
}

static cl_int submit_fill(const struct rt_submission *s, cl_mem image, const void *color,
                          const size_t *origin, const size_t *region)
{
    static const struct rt_operation operation = {.start = run_fill};
    struct rt_mem *mem;
    struct rt_region checked;
    cl_int error = check_image(s->queue, image, &mem);
    error = error ? error : !color ? CL_INVALID_VALUE : check_region(mem, origin, region, &checked);
    error = error ? error : rt_check_mutable(mem);
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(s->queue, CL_COMMAND_FILL_IMAGE, s->name, &operation, sizeof(struct fill));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    rt_command_hold(command, mem);
    struct fill *f = (void *)command->payload;
    f->mem = mem;
    rt_mem_layout(mem, &checked, &f->layout, f->bytes);
    /* Depth images are filled with one float, all others with four channels. */
    union in_texel texel = {{0}};
    memcpy(&texel, color, mem->image->shape.order == IN_ORDER_DEPTH ? sizeof(float) : sizeof texel);
    in_texel_encode(mem->image->shape.order, mem->image->shape.type, &texel, f->element);
    return rt_submit(s, command);
}

RT_ENQUEUE_AND_RECORD(FillImage,
                      (cl_mem image, const void *color, const size_t *origin, const size_t *region),
                      submit_fill(&s, image, color, origin, region))

/* ---- map ---- */

void *CL_API_CALL rt_clEnqueueMapImage(cl_command_queue handle, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t *origin, const size_t *region,
                                       size_t *row_pitch, size_t *slice_pitch, cl_uint count,
                                       const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    struct rt_submission s = {
        .name = "clEnqueueMapImage", .count = count, .list = list, .event = event, .blocking = blocking};
    struct rt_mem *mem;
    struct rt_level level;
    struct rt_map map = {.flags = flags};
    cl_int error = rt_submission_begin(&s, handle);
    error = error ? error : check_image(s.queue, image, &mem);
    error = error ? error : check_region(mem, origin, region, &map.region);
    if (!error && (!row_pitch || (mem->image->slice_pitch && !slice_pitch)))
        error = CL_INVALID_VALUE;
    if (error)
        return rt_null(errcode_ret, error);
    map.mem = mem;
    rt_image_level(mem->image, map.region.level, &level);
    rt_mem_layout(mem, &map.region, &map.layout, map.bytes);
    void *pointer = rt_enqueue_map(&s, CL_COMMAND_MAP_IMAGE, &map, errcode_ret);
    if (pointer) {
        *row_pitch = level.row_pitch;
        if (slice_pitch)
            *slice_pitch = level.slice_pitch;
    }
    return pointer;
}
