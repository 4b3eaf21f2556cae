/* Two- and three-dimensional regions of buffers: read, write, copy [CL 5.2.2]. */
#include "ref-runtime/enqueue/command_buffer.h"

#include <string.h>

static bool multiply_sizes(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* Pitches default to packed rows and slices; given ones must hold a row, and whole rows. */
static bool make_layout(const size_t origin[3], const size_t region[3], size_t row, size_t slice,
                        struct rt_layout *l)
{
    size_t y, z, least;
    row = row ? row : region[0];
    if (row < region[0] || !multiply_sizes(row, region[1], &least))
        return false;
    slice = slice ? slice : least;
    if (slice < least || (slice % row && slice != least))
        return false;
    if (!multiply_sizes(origin[1], row, &y) || !multiply_sizes(origin[2], slice, &z))
        return false;
    *l = (struct rt_layout){0, row, slice};
    return !__builtin_add_overflow(origin[0], y, &l->origin) &&
           !__builtin_add_overflow(l->origin, z, &l->origin);
}

/* Bytes from the region's first to past its last. */
static bool region_extent(const struct rt_layout *l, const size_t region[3], size_t *size)
{
    size_t slices, rows;
    return multiply_sizes(region[2] - 1, l->slice_pitch, &slices) &&
           multiply_sizes(region[1] - 1, l->row_pitch, &rows) &&
           !__builtin_add_overflow(slices, rows, size) && !__builtin_add_overflow(*size, region[0], size);
}

static bool is_inside(const struct rt_layout *l, const size_t region[3], size_t size)
{
    size_t bytes;
    return region_extent(l, region, &bytes) && l->origin <= size && bytes <= size - l->origin;
}

/* Rows that follow each other without gaps on both sides are one row, and so are slices. */
static void collapse_rows(struct rt_rect *r)
{
    if (r->region[0] == r->from.row_pitch && r->region[0] == r->to.row_pitch) {
        r->region[0] *= r->region[1];
        r->region[1] = 1;
        if (r->region[0] == r->from.slice_pitch && r->region[0] == r->to.slice_pitch) {
            r->region[0] *= r->region[2];
            r->region[2] = 1;
        }
    }
}

static size_t row_at(const struct rt_layout *l, size_t y, size_t z)
{
    return l->origin + z * l->slice_pitch + y * l->row_pitch;
}

static cl_int copy_row(const struct rt_command *command, const struct rt_rect *r, size_t from, size_t to)
{
    size_t size = r->region[0];
    const unsigned char *source =
        r->source ? rt_enqueue_bytes(command, r->source, from, size) : (unsigned char *)r->host + from;
    unsigned char *target =
        r->target ? rt_enqueue_bytes(command, r->target, to, size) : (unsigned char *)r->host + to;
    if (!source || !target || (r->target && !rt_enqueue_written(command, r->target, to, size)))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (r->source)
        rt_enqueue_record(command, MM_READ, r->source, from, size, source);
    else
        rt_enqueue_record_host(command, MM_READ, source, size);
    memmove(target, source, size);
    if (r->target)
        rt_enqueue_record(command, MM_WRITE, r->target, to, size, target);
    else
        rt_enqueue_record_host(command, MM_WRITE, target, size);
    return CL_SUCCESS;
}

static cl_int copy_tracked(const struct rt_command *command, const struct rt_rect *r)
{
    cl_int error = CL_SUCCESS;
    for (size_t z = 0; z < r->region[2] && !error; z++)
        for (size_t y = 0; y < r->region[1] && !error; y++)
            error = copy_row(command, r, row_at(&r->from, y, z), row_at(&r->to, y, z));
    return error;
}

static unsigned char *side_bytes(const struct rt_command *command, struct rt_mem *mem, void *host)
{
    return mem ? rt_enqueue_bytes(command, mem, 0, mem->size) : host;
}

static cl_int run_rect(struct rt_command *command)
{
    const struct rt_rect *r = (void *)command->payload;
    if ((r->source && !rt_storage_untracked(r->source)) || (r->target && !rt_storage_untracked(r->target)))
        return copy_tracked(command, r);
    const unsigned char *source = side_bytes(command, r->source, r->host);
    unsigned char *target = side_bytes(command, r->target, r->host);
    if (!source || !target)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    for (size_t z = 0; z < r->region[2]; z++)
        for (size_t y = 0; y < r->region[1]; y++)
            memmove(target + row_at(&r->to, y, z), source + row_at(&r->from, y, z), r->region[0]);
    return CL_SUCCESS;
}

static const struct rt_operation rect_operation = {.start = run_rect};

struct rt_command *rt_rect_command(struct rt_queue *queue, cl_command_type type, const char *name,
                                   const struct rt_rect *rect)
{
    struct rt_command *command = rt_command_create(queue, type, name, &rect_operation, sizeof *rect);
    if (!command)
        return NULL;
    if (rect->source)
        rt_command_hold(command, rect->source);
    if (rect->target)
        rt_command_hold(command, rect->target);
    memcpy(command->payload, rect, sizeof *rect);
    collapse_rows((void *)command->payload);
    return command;
}

static bool region_valid(const size_t *region)
{
    return region && region[0] && region[1] && region[2];
}

struct transfer_request {
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row, buffer_slice, host_row, host_slice;
    void *ptr;
    bool blocking, write;
};

static cl_int transfer_rect(cl_command_queue handle, cl_mem buffer, const struct transfer_request *q,
                            cl_uint count, const cl_event *list, cl_event *event)
{
    const cl_mem_flags forbidden =
        CL_MEM_HOST_NO_ACCESS |
        (q->write ? CL_MEM_HOST_READ_ONLY | CL_MEM_IMMUTABLE_EXT : CL_MEM_HOST_WRITE_ONLY);
    struct rt_queue *queue;
    struct rt_mem *mem;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    error = error ? error : rt_enqueue_buffer(queue, buffer, &mem);
    if (error)
        return error;
    struct rt_layout in_buffer, in_host;
    if (!q->ptr || !q->buffer_origin || !q->host_origin || !region_valid(q->region) ||
        !make_layout(q->buffer_origin, q->region, q->buffer_row, q->buffer_slice, &in_buffer) ||
        !make_layout(q->host_origin, q->region, q->host_row, q->host_slice, &in_host) ||
        !is_inside(&in_buffer, q->region, mem->size))
        return CL_INVALID_VALUE;
    if (mem->flags & forbidden)
        return CL_INVALID_OPERATION;
    struct rt_rect rect = {.source = q->write ? NULL : mem,
                           .target = q->write ? mem : NULL,
                           .host = q->ptr,
                           .from = q->write ? in_host : in_buffer,
                           .to = q->write ? in_buffer : in_host};
    memcpy(rect.region, q->region, sizeof rect.region);
    struct rt_command *command =
        rt_rect_command(queue, q->write ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT,
                        q->write ? "clEnqueueWriteBufferRect" : "clEnqueueReadBufferRect", &rect);
    return command ? rt_command_enqueue(command, count, list, event, q->blocking) : CL_OUT_OF_HOST_MEMORY;
}

cl_int CL_API_CALL rt_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                              const size_t *buffer_origin, const size_t *host_origin,
                                              const size_t *region, size_t buffer_row_pitch,
                                              size_t buffer_slice_pitch, size_t host_row_pitch,
                                              size_t host_slice_pitch, void *ptr, cl_uint count,
                                              const cl_event *list, cl_event *event)
{
    struct transfer_request request = {buffer_origin,      host_origin,    region,           buffer_row_pitch,
                                       buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr,
                                       blocking,           false};
    return transfer_rect(queue, buffer, &request, count, list, event);
}

cl_int CL_API_CALL rt_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                               const size_t *buffer_origin, const size_t *host_origin,
                                               const size_t *region, size_t buffer_row_pitch,
                                               size_t buffer_slice_pitch, size_t host_row_pitch,
                                               size_t host_slice_pitch, const void *ptr, cl_uint count,
                                               const cl_event *list, cl_event *event)
{
    struct transfer_request request = {buffer_origin,
                                       host_origin,
                                       region,
                                       buffer_row_pitch,
                                       buffer_slice_pitch,
                                       host_row_pitch,
                                       host_slice_pitch,
                                       (void *)(uintptr_t)ptr,
                                       blocking,
                                       true};
    return transfer_rect(queue, buffer, &request, count, list, event);
}

bool rt_layouts_overlap(const struct rt_layout *a, size_t a_base, const struct rt_layout *b, size_t b_base,
                        const size_t region[3])
{
    size_t a_size, b_size;
    if (!region_extent(a, region, &a_size) || !region_extent(b, region, &b_size))
        return true;
    size_t a_begin = a_base + a->origin, b_begin = b_base + b->origin;
    if (a_begin + a_size <= b_begin || b_begin + b_size <= a_begin)
        return false;
    if (a->row_pitch != b->row_pitch || a->slice_pitch != b->slice_pitch)
        return true;
    /* With equal pitches the regions are disjoint if they are in x, in y or in z. */
    size_t distance = a_begin > b_begin ? a_begin - b_begin : b_begin - a_begin;
    size_t z = distance / a->slice_pitch, rest = distance % a->slice_pitch;
    for (int carry_z = 0; carry_z < 2; carry_z++) {
        size_t in_slice = carry_z ? a->slice_pitch - rest : rest;
        size_t y = in_slice / a->row_pitch, x = in_slice % a->row_pitch;
        for (int carry_y = 0; carry_y < 2; carry_y++) {
            size_t dx = carry_y ? a->row_pitch - x : x;
            if (dx < region[0] && y + (size_t)carry_y < region[1] && z + (size_t)carry_z < region[2])
                return true;
        }
    }
    return false;
}

struct copy_request {
    cl_mem source, target;
    const size_t *source_origin, *target_origin, *region;
    size_t source_row, source_slice, target_row, target_slice;
};

static cl_int copy_rect(const struct rt_submission *s, const struct copy_request *q)
{
    const size_t *region = q->region;
    struct rt_mem *source, *target;
    cl_int error = rt_enqueue_buffer(s->queue, q->source, &source);
    error = error ? error : rt_enqueue_buffer(s->queue, q->target, &target);
    if (error)
        return error;
    struct rt_layout from, to;
    if (!q->source_origin || !q->target_origin || !region_valid(region) ||
        !make_layout(q->source_origin, region, q->source_row, q->source_slice, &from) ||
        !make_layout(q->target_origin, region, q->target_row, q->target_slice, &to) ||
        !is_inside(&from, region, source->size) || !is_inside(&to, region, target->size) ||
        (source == target && (from.row_pitch != to.row_pitch || from.slice_pitch != to.slice_pitch)))
        return CL_INVALID_VALUE;
    if (rt_mem_root(source) == rt_mem_root(target) &&
        rt_layouts_overlap(&from, rt_mem_offset(source), &to, rt_mem_offset(target), region))
        return CL_MEM_COPY_OVERLAP;
    error = rt_check_mutable(target);
    if (error)
        return error;
    struct rt_rect rect = {.source = source, .target = target, .from = from, .to = to};
    memcpy(rect.region, region, sizeof rect.region);
    return rt_submit(s, rt_rect_command(s->queue, CL_COMMAND_COPY_BUFFER_RECT, s->name, &rect));
}

RT_ENQUEUE_AND_RECORD(CopyBufferRect,
                      (cl_mem source, cl_mem target, const size_t *source_origin, const size_t *target_origin,
                       const size_t *region, size_t source_row, size_t source_slice, size_t target_row,
                       size_t target_slice),
                      copy_rect(&s,
                                &(struct copy_request){source, target, source_origin, target_origin, region,
                                                       source_row, source_slice, target_row, target_slice}))
