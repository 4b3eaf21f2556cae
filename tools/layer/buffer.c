/* Commands that read, write, copy and fill buffers and images [CL 5.2.2-5.2.4, 5.3.3-5.3.5]. */
#include "tools/layer/layer.h"

#include <string.h>

/* The bytes of a box in a memory object or in the host's memory. */
struct box {
    uint64_t offset, rows[3], row_pitch, slice_pitch;
};

static struct box range_box(size_t offset, size_t size)
{
    return (struct box){.offset = offset, .rows = {size, 1, 1}};
}

/* A rectangle: bytes, rows, slices; pitches of 0 mean without gaps. */
static struct box rectangle_box(const size_t origin[3], const size_t region[3], size_t row, size_t slice)
{
    row = row ? row : region[0];
    slice = slice ? slice : row * region[1];
    return (struct box){.offset = origin[0] + origin[1] * row + origin[2] * slice,
                        .rows = {region[0], region[1], region[2]},
                        .row_pitch = row,
                        .slice_pitch = slice};
}

static struct box texel_box(const struct ly_mem *image, const size_t *origin, const size_t region[3])
{
    const struct ly_map all = ly_image_region(image, origin, region);
    return (struct box){.offset = all.begin,
                        .rows = {all.rows[0], all.rows[1], all.rows[2]},
                        .row_pitch = all.row_pitch,
                        .slice_pitch = all.slice_pitch};
}

static void use_mem(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem, struct box box)
{
    if (mem)
        ly_mem_access(command, kind, mem, box.offset, box.rows, box.row_pitch, box.slice_pitch);
}

static void use_host(struct ly_command *command, enum mm_kind kind, const void *host, struct box box)
{
    ly_host_rows(command, kind, host, box.offset, box.rows, box.row_pitch, box.slice_pitch);
}

struct ly_command *ly_call_begin(const struct ly_call *call, const struct mm_command *shape)
{
    struct mm_command wanted = *shape;
    wanted.kind = call->name;
    ly_enter();
    struct ly_command *command = call->buffer ? ly_pattern_create(&wanted)
                                              : ly_command_create_launch(call->queue, call->name, call->place,
                                                                         call->count, call->list, shape);
    if (!command)
        ly_leave();
    return command;
}

static struct ly_command *begin_command(const struct ly_call *call)
{
    return ly_call_begin(call, &(struct mm_command){.kernel = ""});
}

void ly_call_end(struct ly_command *command, const struct ly_call *call)
{
    if (call->buffer)
        ly_command_buffer_add(call, command);
    else
        ly_command_submit(command, call->event, call->blocking, call->place);
    ly_leave();
}

/* Between the host's memory and a buffer; READS: from the buffer. */
static cl_int record_transfer(cl_int code, struct ly_call call, bool reads, cl_mem mem, struct box box,
                              const void *host, struct box host_box)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    use_mem(command, reads ? MM_READ : MM_WRITE, ly_mem(mem), box);
    use_host(command, reads ? MM_WRITE : MM_READ, host, host_box);
    ly_call_end(command, &call);
    return code;
}

/* Between images and the host's memory: the box of the image is known only with the lock. */
static cl_int transfer_image(cl_int code, struct ly_call call, bool reads, cl_mem mem, const size_t *origin,
                             const size_t *region, size_t row, size_t slice, const void *host)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    struct ly_mem *image = ly_mem(mem);
    if (image && image->image) {
        const size_t zero[3] = {0}, bytes[3] = {region[0] * image->element, region[1], region[2]};
        use_mem(command, reads ? MM_READ : MM_WRITE, image, texel_box(image, origin, region));
        use_host(command, reads ? MM_WRITE : MM_READ, host, rectangle_box(zero, bytes, row, slice));
    }
    ly_call_end(command, &call);
    return code;
}

static cl_int record_copy(cl_int code, struct ly_call call, cl_mem from, struct box from_box, cl_mem to,
                          struct box to_box)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    use_mem(command, MM_READ, ly_mem(from), from_box);
    use_mem(command, MM_WRITE, ly_mem(to), to_box);
    ly_call_end(command, &call);
    return code;
}

static cl_int record_fill(cl_int code, struct ly_call call, cl_mem mem, struct box box)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    use_mem(command, MM_WRITE, ly_mem(mem), box);
    ly_call_end(command, &call);
    return code;
}

/* Between images, or an image and a buffer from an offset on; an origin of NULL denotes the buffer. */
static cl_int copy_image(cl_int code, struct ly_call call, cl_mem from, const size_t *from_origin, cl_mem to,
                         const size_t *to_origin, size_t offset, const size_t *region)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    struct ly_mem *source = ly_mem(from), *target = ly_mem(to);
    size_t element = source && source->image ? source->element : target ? target->element : 0;
    struct box bytes = range_box(offset, element * region[0] * region[1] * region[2]);
    if (source)
        use_mem(command, MM_READ, source, from_origin ? texel_box(source, from_origin, region) : bytes);
    if (target)
        use_mem(command, MM_WRITE, target, to_origin ? texel_box(target, to_origin, region) : bytes);
    ly_call_end(command, &call);
    return code;
}

static cl_int use_nothing(cl_int code, struct ly_call call)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (command)
        ly_call_end(command, &call);
    return code;
}

/* ---- shared virtual memory [CL 5.6.1] ------------------------------------------------------------- */

static cl_int copy_svm(cl_int code, struct ly_call call, void *to, const void *from, size_t size)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    ly_host_access(command, MM_READ, from, size);
    ly_host_access(command, MM_WRITE, to, size);
    ly_call_end(command, &call);
    return code;
}

static cl_int fill_svm(cl_int code, struct ly_call call, void *to, size_t size)
{
    struct ly_command *command = code == CL_SUCCESS ? begin_command(&call) : NULL;
    if (!command)
        return code;
    ly_host_access(command, MM_WRITE, to, size);
    ly_call_end(command, &call);
    return code;
}

/* ---- entry points [CL 5.2, 5.3, 5.6.1, cl_khr_command_buffer] -------------------------------------- */

/* Functions that wrap the driver's.  PARAMETERS and ARGUMENTS are lists in parentheses, with a comma at their end; NOTED
 * records CALL, whose result was CODE, and returns CODE. */
#define UNPACK(...) __VA_ARGS__
#define ENQUEUE(function, blocks, parameters, arguments, noted)                                              \
    static cl_int CL_API_CALL layer_##function(cl_command_queue queue, UNPACK parameters cl_uint count,      \
                                               const cl_event *list, cl_event *event)                        \
    {                                                                                                        \
        cl_int code = ly_next.function(queue, UNPACK arguments count, list, event);                          \
        struct ly_call call = {.name = #function,                                                            \
                               .place = LY_PLACE,                                                            \
                               .queue = queue,                                                               \
                               .count = count,                                                               \
                               .list = list,                                                                 \
                               .event = event,                                                               \
                               .blocking = (blocks)};                                                        \
        return noted;                                                                                        \
    }                                                                                                        \
    LY_EXPORT(function)

#define RECORDED(function)                                                                                   \
    (struct ly_call)                                                                                         \
    {                                                                                                        \
        .name = function, .place = LY_PLACE, .queue = queue, .count = count, .buffer = buffer,               \
        .points = list, .point = point                                                                       \
    }
/* Since version 0.9.5 there are properties after the queue: a function for each. */
#define RECORD(function, parameters, arguments, noted)                                                       \
    static ly_function *next_##function;                                                                     \
    static cl_int CL_API_CALL old_##function(cl_command_buffer_khr buffer, cl_command_queue queue,           \
                                             UNPACK parameters cl_uint count, const cl_sync_point_khr *list, \
                                             cl_sync_point_khr *point, cl_mutable_command_khr *handle)       \
    {                                                                                                        \
        cl_sync_point_khr own = 0;                                                                           \
        point = point ? point : &own;                                                                        \
        cl_int code = ((__typeof__(&old_##function))next_##function)(buffer, queue, UNPACK arguments count,  \
                                                                     list, point, handle);                   \
        struct ly_call call = RECORDED(#function);                                                           \
        return noted;                                                                                        \
    }                                                                                                        \
    static cl_int CL_API_CALL new_##function(cl_command_buffer_khr buffer, cl_command_queue queue,           \
                                             const void *properties, UNPACK parameters cl_uint count,        \
                                             const cl_sync_point_khr *list, cl_sync_point_khr *point,        \
                                             cl_mutable_command_khr *handle)                                 \
    {                                                                                                        \
        cl_sync_point_khr own = 0;                                                                           \
        point = point ? point : &own;                                                                        \
        cl_int code = ((__typeof__(&new_##function))next_##function)(                                        \
            buffer, queue, properties, UNPACK arguments count, list, point, handle);                         \
        struct ly_call call = RECORDED(#function);                                                           \
        return noted;                                                                                        \
    }                                                                                                        \
    ly_function *ly_extend_##function(cl_platform_id platform, ly_function *next)                            \
    {                                                                                                        \
        cl_version version = ly_command_buffer_version(platform);                                            \
        if (!version || !ly_extend(&next_##function, next))                                                  \
            return NULL;                                                                                     \
        return version < CL_MAKE_VERSION(0, 9, 5) ? (ly_function *)old_##function                            \
                                                  : (ly_function *)new_##function;                           \
    }
/* For commands with the same PARAMETERS in a queue and in a command buffer. */
#define ENQUEUE_AND_RECORD(name, parameters, arguments, noted)                                               \
    ENQUEUE(clEnqueue##name, false, parameters, arguments, noted)                                            \
    RECORD(clCommand##name##KHR, parameters, arguments, noted)

ENQUEUE(clEnqueueReadBuffer, blocking,
        (cl_mem mem, cl_bool blocking, size_t offset, size_t size, void *host, ),
        (mem, blocking, offset, size, host, ),
        record_transfer(code, call, true, mem, range_box(offset, size), host, range_box(0, size)))

ENQUEUE(clEnqueueWriteBuffer, blocking,
        (cl_mem mem, cl_bool blocking, size_t offset, size_t size, const void *host, ),
        (mem, blocking, offset, size, host, ),
        record_transfer(code, call, false, mem, range_box(offset, size), host, range_box(0, size)))

ENQUEUE(clEnqueueReadBufferRect, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, void *host, ),
        (mem, blocking, origin, host_origin, region, row, slice, host_row, host_slice, host, ),
        code ? code
             : record_transfer(code, call, true, mem, rectangle_box(origin, region, row, slice), host,
                               rectangle_box(host_origin, region, host_row, host_slice)))

ENQUEUE(clEnqueueWriteBufferRect, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, const void *host, ),
        (mem, blocking, origin, host_origin, region, row, slice, host_row, host_slice, host, ),
        code ? code
             : record_transfer(code, call, false, mem, rectangle_box(origin, region, row, slice), host,
                               rectangle_box(host_origin, region, host_row, host_slice)))

ENQUEUE(clEnqueueReadImage, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *region, size_t row, size_t slice,
         void *host, ),
        (mem, blocking, origin, region, row, slice, host, ),
        transfer_image(code, call, true, mem, origin, region, row, slice, host))

ENQUEUE(clEnqueueWriteImage, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *region, size_t row, size_t slice,
         const void *host, ),
        (mem, blocking, origin, region, row, slice, host, ),
        transfer_image(code, call, false, mem, origin, region, row, slice, host))

ENQUEUE_AND_RECORD(CopyBuffer, (cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, ),
                   (from, to, from_offset, to_offset, size, ),
                   record_copy(code, call, from, range_box(from_offset, size), to,
                               range_box(to_offset, size)))

ENQUEUE_AND_RECORD(CopyBufferRect,
                   (cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
                    const size_t *region, size_t from_row, size_t from_slice, size_t to_row,
                    size_t to_slice, ),
                   (from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, ),
                   code ? code
                        : record_copy(code, call, from,
                                      rectangle_box(from_origin, region, from_row, from_slice), to,
                                      rectangle_box(to_origin, region, to_row, to_slice)))

ENQUEUE_AND_RECORD(FillBuffer,
                   (cl_mem mem, const void *pattern, size_t pattern_size, size_t offset, size_t size, ),
                   (mem, pattern, pattern_size, offset, size, ),
                   record_fill(code, call, mem, range_box(offset, size)))

ENQUEUE_AND_RECORD(FillImage, (cl_mem mem, const void *color, const size_t *origin, const size_t *region, ),
                   (mem, color, origin, region, ), copy_image(code, call, NULL, NULL, mem, origin, 0, region))

ENQUEUE_AND_RECORD(CopyImage,
                   (cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
                    const size_t *region, ),
                   (from, to, from_origin, to_origin, region, ),
                   copy_image(code, call, from, from_origin, to, to_origin, 0, region))

ENQUEUE_AND_RECORD(CopyImageToBuffer,
                   (cl_mem from, cl_mem to, const size_t *origin, const size_t *region, size_t offset, ),
                   (from, to, origin, region, offset, ),
                   copy_image(code, call, from, origin, to, NULL, offset, region))

ENQUEUE_AND_RECORD(CopyBufferToImage,
                   (cl_mem from, cl_mem to, size_t offset, const size_t *origin, const size_t *region, ),
                   (from, to, offset, origin, region, ),
                   copy_image(code, call, from, NULL, to, origin, offset, region))

/* Migration moves memory and uses none of it. */
ENQUEUE(clEnqueueMigrateMemObjects, false,
        (cl_uint mems, const cl_mem *list_of_mems, cl_mem_migration_flags flags, ),
        (mems, list_of_mems, flags, ), use_nothing(code, call))

ENQUEUE(clEnqueueSVMMemcpy, blocking, (cl_bool blocking, void *to, const void *from, size_t size, ),
        (blocking, to, from, size, ), copy_svm(code, call, to, from, size))

ENQUEUE_AND_RECORD(SVMMemFill, (void *to, const void *pattern, size_t pattern_size, size_t size, ),
                   (to, pattern, pattern_size, size, ), fill_svm(code, call, to, size))

ENQUEUE(clEnqueueSVMMigrateMem, false,
        (cl_uint pointers, const void **list_of_pointers, const size_t *sizes,
         cl_mem_migration_flags flags, ),
        (pointers, list_of_pointers, sizes, flags, ), use_nothing(code, call))

RECORD(clCommandSVMMemcpyKHR, (void *to, const void *from, size_t size, ), (to, from, size, ),
       copy_svm(code, call, to, from, size))

RECORD(clCommandBarrierWithWaitListKHR, (), (), use_nothing(code, call))

/* Its properties are as old as the extension. */
static ly_function *next_clCommandNDRangeKernelKHR;

static cl_int CL_API_CALL layer_clCommandNDRangeKernelKHR(
    cl_command_buffer_khr buffer, cl_command_queue queue, const void *properties, cl_kernel kernel,
    cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
    const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
    cl_sync_point_khr own = 0;
    point = point ? point : &own;
    cl_int code = ((__typeof__(&layer_clCommandNDRangeKernelKHR))next_clCommandNDRangeKernelKHR)(
        buffer, queue, properties, kernel, dimensions, offset, global, local, count, list, point, handle);
    struct ly_call call = RECORDED("clCommandNDRangeKernelKHR");
    struct mm_command shape = ly_launch_shape(dimensions, offset, global, local);
    struct ly_command *pattern = code == CL_SUCCESS ? ly_call_begin(&call, &shape) : NULL;
    if (!pattern)
        return code;
    ly_launch_describe(pattern, kernel);
    ly_call_end(pattern, &call);
    return code;
}
LY_EXTEND(clCommandNDRangeKernelKHR)
