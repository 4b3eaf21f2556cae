/* Commands that read, write, copy and fill buffers and images [CL 5.2.2-5.2.4, 5.3.3-5.3.5]. */
#include "tools/layer/layer.h"

static struct ly_box range_box(size_t offset, size_t size)
{
    return (struct ly_box){.offset = offset, .rows = {size, 1, 1}};
}

/* A rectangle: bytes, rows, slices; pitches of 0 mean without gaps. */
static struct ly_box rectangle_box(const size_t origin[3], const size_t region[3], size_t row, size_t slice)
{
    row = row ? row : region[0];
    slice = slice ? slice : row * region[1];
    return (struct ly_box){.offset = origin[0] + origin[1] * row + origin[2] * slice,
                           .rows = {region[0], region[1], region[2]},
                           .row_pitch = row,
                           .slice_pitch = slice};
}

static void use_mem(struct ly_command *command, enum mm_kind kind, struct ly_mem *mem, struct ly_box box)
{
    if (mem)
        ly_mem_access(command, kind, mem, box);
}

static void read_buffer(struct ly_command *command, cl_mem mem, struct ly_box box, const void *host,
                        struct ly_box host_box)
{
    use_mem(command, MM_READ, ly_mem(mem), box);
    ly_host_rows(command, MM_WRITE, host, host_box);
}

static void write_buffer(struct ly_command *command, cl_mem mem, struct ly_box box, const void *host,
                         struct ly_box host_box)
{
    use_mem(command, MM_WRITE, ly_mem(mem), box);
    ly_host_rows(command, MM_READ, host, host_box);
}

/* A region of an image, and the host's memory that it is transferred from or to. */
struct image_transfer {
    cl_mem mem;
    const size_t *origin, *region;
    size_t row, slice; /* pitches of the host's memory */
    const void *host;
};

static void transfer_image(struct ly_command *command, const struct image_transfer *t,
                           enum mm_kind image_kind, enum mm_kind host_kind)
{
    struct ly_mem *image = ly_mem(t->mem);
    if (!image || !image->image)
        return;
    const size_t zero[3] = {0}, bytes[3] = {t->region[0] * image->element, t->region[1], t->region[2]};
    ly_mem_access(command, image_kind, image, ly_image_region(image, t->origin, t->region));
    ly_host_rows(command, host_kind, t->host, rectangle_box(zero, bytes, t->row, t->slice));
}

static void copy_buffer(struct ly_command *command, cl_mem from, struct ly_box from_box, cl_mem to,
                        struct ly_box to_box)
{
    use_mem(command, MM_READ, ly_mem(from), from_box);
    use_mem(command, MM_WRITE, ly_mem(to), to_box);
}

/* Between images, or an image and a buffer from OFFSET on; an origin of NULL denotes the buffer. */
static void copy_image(struct ly_command *command, cl_mem from, const size_t *from_origin, cl_mem to,
                       const size_t *to_origin, size_t offset, const size_t *region)
{
    struct ly_mem *source = ly_mem(from), *target = ly_mem(to);
    size_t element = source && source->image ? source->element : target ? target->element : 0;
    struct ly_box bytes = range_box(offset, element * region[0] * region[1] * region[2]);
    if (source)
        ly_mem_access(command, MM_READ, source,
                      from_origin ? ly_image_region(source, from_origin, region) : bytes);
    if (target)
        ly_mem_access(command, MM_WRITE, target,
                      to_origin ? ly_image_region(target, to_origin, region) : bytes);
}

static void copy_svm(struct ly_command *command, void *to, const void *from, size_t size)
{
    ly_host_access(command, MM_READ, from, size);
    ly_host_access(command, MM_WRITE, to, size);
}

/* A migration counts as a read of what it moves [CL 5.5.4 R3] [CL 5.6.1 R39]; that the contents are undefined
 * afterwards, as a write of them. */
static enum mm_kind migration_access(cl_mem_migration_flags flags)
{
    return flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? MM_WRITE : MM_READ;
}

void ly_migrate(struct ly_command *command, cl_uint count, const cl_mem *list, cl_mem_migration_flags flags)
{
    for (cl_uint i = 0; i < count; i++) {
        struct ly_mem *mem = ly_mem(list[i]);
        if (mem && !mem->pipe)
            ly_mem_access(command, migration_access(flags), mem, range_box(0, mem->size));
    }
}

static void migrate_svm(struct ly_command *command, cl_uint count, const void **list, const size_t *sizes,
                        cl_mem_migration_flags flags)
{
    for (cl_uint i = 0; i < count; i++) {
        const struct ly_svm *svm = ly_svm_find(list[i]);
        if (sizes && sizes[i])
            ly_host_access(command, migration_access(flags), list[i], sizes[i]);
        else if (svm)
            ly_host_access(command, migration_access(flags), (const void *)svm->begin, svm->size);
    }
}

/* ---- entry points [CL 5.2, 5.3, 5.6.1, cl_khr_command_buffer] -------------------------------------- */

#define ENQUEUE(function, is_blocking, parameters, arguments, accesses)                                      \
    LY_COMMAND(function, ly_next.function, is_blocking, parameters, arguments, accesses)                     \
    LY_EXPORT(function)

/* Defines VARIANT_FUNCTION, which records a command in a command buffer.  FIRST and PASSED: the parameters
 * and arguments before PARAMETERS and ARGUMENTS. */
#define RECORD_VARIANT(variant, function, first, passed, parameters, arguments, accesses)                    \
    static cl_int CL_API_CALL variant##_##function(LY_UNPACK first LY_UNPACK parameters cl_uint count,       \
                                                   const cl_sync_point_khr *list, cl_sync_point_khr *point,  \
                                                   cl_mutable_command_khr *handle)                           \
    {                                                                                                        \
        cl_sync_point_khr own = 0;                                                                           \
        point = point ? point : &own;                                                                        \
        cl_int code = ((__typeof__(&variant##_##function))next_##function)(                                  \
            LY_UNPACK passed LY_UNPACK arguments count, list, point, handle);                                \
        struct ly_call call = LY_CALL(.buffer = buffer, .points = list, .point = point);                     \
        call.name = #function;                                                                               \
        struct ly_command *command = code == CL_SUCCESS ? ly_call_begin(&call, NULL) : NULL;                 \
        if (command) {                                                                                       \
            accesses;                                                                                        \
            ly_call_end(command, &call);                                                                     \
        }                                                                                                    \
        return code;                                                                                         \
    }
/* Since version 0.9.5 of the extension there are properties after the queue: a function for each. */
#define RECORD(function, parameters, arguments, accesses)                                                    \
    static ly_function *next_##function;                                                                     \
    RECORD_VARIANT(old, function, (cl_command_buffer_khr buffer, cl_command_queue queue, ),                  \
                   (buffer, queue, ), parameters, arguments, accesses)                                       \
    RECORD_VARIANT(new, function,                                                                            \
                   (cl_command_buffer_khr buffer, cl_command_queue queue, const void *properties, ),         \
                   (buffer, queue, properties, ), parameters, arguments, accesses)                           \
    ly_function *ly_extend_##function(cl_platform_id platform, ly_function *next)                            \
    {                                                                                                        \
        cl_version version = ly_command_buffer_version(platform);                                            \
        if (!version || !ly_extend(&next_##function, next))                                                  \
            return NULL;                                                                                     \
        return version < CL_MAKE_VERSION(0, 9, 5) ? (ly_function *)old_##function                            \
                                                  : (ly_function *)new_##function;                           \
    }
/* For commands with the same PARAMETERS in a queue and in a command buffer. */
#define ENQUEUE_AND_RECORD(name, parameters, arguments, accesses)                                            \
    ENQUEUE(clEnqueue##name, false, parameters, arguments, accesses)                                         \
    RECORD(clCommand##name##KHR, parameters, arguments, accesses)

ENQUEUE(clEnqueueReadBuffer, blocking,
        (cl_mem mem, cl_bool blocking, size_t offset, size_t size, void *host, ),
        (mem, blocking, offset, size, host, ),
        read_buffer(command, mem, range_box(offset, size), host, range_box(0, size)))

ENQUEUE(clEnqueueWriteBuffer, blocking,
        (cl_mem mem, cl_bool blocking, size_t offset, size_t size, const void *host, ),
        (mem, blocking, offset, size, host, ),
        write_buffer(command, mem, range_box(offset, size), host, range_box(0, size)))

ENQUEUE(clEnqueueReadBufferRect, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, void *host, ),
        (mem, blocking, origin, host_origin, region, row, slice, host_row, host_slice, host, ),
        read_buffer(command, mem, rectangle_box(origin, region, row, slice), host,
                    rectangle_box(host_origin, region, host_row, host_slice)))

ENQUEUE(clEnqueueWriteBufferRect, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, const void *host, ),
        (mem, blocking, origin, host_origin, region, row, slice, host_row, host_slice, host, ),
        write_buffer(command, mem, rectangle_box(origin, region, row, slice), host,
                     rectangle_box(host_origin, region, host_row, host_slice)))

ENQUEUE(clEnqueueReadImage, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *region, size_t row, size_t slice,
         void *host, ),
        (mem, blocking, origin, region, row, slice, host, ),
        transfer_image(command, &(struct image_transfer){mem, origin, region, row, slice, host}, MM_READ,
                       MM_WRITE))

ENQUEUE(clEnqueueWriteImage, blocking,
        (cl_mem mem, cl_bool blocking, const size_t *origin, const size_t *region, size_t row, size_t slice,
         const void *host, ),
        (mem, blocking, origin, region, row, slice, host, ),
        transfer_image(command, &(struct image_transfer){mem, origin, region, row, slice, host}, MM_WRITE,
                       MM_READ))

ENQUEUE_AND_RECORD(CopyBuffer, (cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, ),
                   (from, to, from_offset, to_offset, size, ),
                   copy_buffer(command, from, range_box(from_offset, size), to, range_box(to_offset, size)))

ENQUEUE_AND_RECORD(CopyBufferRect,
                   (cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
                    const size_t *region, size_t from_row, size_t from_slice, size_t to_row,
                    size_t to_slice, ),
                   (from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, ),
                   copy_buffer(command, from, rectangle_box(from_origin, region, from_row, from_slice), to,
                               rectangle_box(to_origin, region, to_row, to_slice)))

ENQUEUE_AND_RECORD(FillBuffer,
                   (cl_mem mem, const void *pattern, size_t pattern_size, size_t offset, size_t size, ),
                   (mem, pattern, pattern_size, offset, size, ),
                   use_mem(command, MM_WRITE, ly_mem(mem), range_box(offset, size)))

ENQUEUE_AND_RECORD(FillImage, (cl_mem mem, const void *color, const size_t *origin, const size_t *region, ),
                   (mem, color, origin, region, ), copy_image(command, NULL, NULL, mem, origin, 0, region))

ENQUEUE_AND_RECORD(CopyImage,
                   (cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
                    const size_t *region, ),
                   (from, to, from_origin, to_origin, region, ),
                   copy_image(command, from, from_origin, to, to_origin, 0, region))

ENQUEUE_AND_RECORD(CopyImageToBuffer,
                   (cl_mem from, cl_mem to, const size_t *origin, const size_t *region, size_t offset, ),
                   (from, to, origin, region, offset, ),
                   copy_image(command, from, origin, to, NULL, offset, region))

ENQUEUE_AND_RECORD(CopyBufferToImage,
                   (cl_mem from, cl_mem to, size_t offset, const size_t *origin, const size_t *region, ),
                   (from, to, offset, origin, region, ),
                   copy_image(command, from, NULL, to, origin, offset, region))

ENQUEUE(clEnqueueMigrateMemObjects, false,
        (cl_uint mems, const cl_mem *list_of_mems, cl_mem_migration_flags flags, ),
        (mems, list_of_mems, flags, ), ly_migrate(command, mems, list_of_mems, flags))

ENQUEUE(clEnqueueSVMMemcpy, blocking, (cl_bool blocking, void *to, const void *from, size_t size, ),
        (blocking, to, from, size, ), copy_svm(command, to, from, size))

ENQUEUE_AND_RECORD(SVMMemFill, (void *to, const void *pattern, size_t pattern_size, size_t size, ),
                   (to, pattern, pattern_size, size, ), ly_host_access(command, MM_WRITE, to, size))

ENQUEUE(clEnqueueSVMMigrateMem, false,
        (cl_uint pointers, const void **list_of_pointers, const size_t *sizes,
         cl_mem_migration_flags flags, ),
        (pointers, list_of_pointers, sizes, flags, ),
        migrate_svm(command, pointers, list_of_pointers, sizes, flags))

RECORD(clCommandSVMMemcpyKHR, (void *to, const void *from, size_t size, ), (to, from, size, ),
       copy_svm(command, to, from, size))

RECORD(clCommandBarrierWithWaitListKHR, (), (), (void)0)

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
    const struct ly_call call = LY_CALL(.buffer = buffer, .points = list, .point = point);
    struct mm_command shape = ly_launch_shape(dimensions, offset, global, local);
    struct ly_command *pattern = code == CL_SUCCESS ? ly_call_begin(&call, &shape) : NULL;
    if (!pattern)
        return code;
    ly_launch_describe(pattern, kernel);
    ly_call_end(pattern, &call);
    return code;
}
LY_EXTEND(clCommandNDRangeKernelKHR)
