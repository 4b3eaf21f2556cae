/* Command buffers [cl_khr_command_buffer].  An enqueued one is recorded as its commands between a first and a
 * last command, which has its event. */
#include "memmodel/base/array.h"
#include "tools/layer/layer.h"

#include <string.h>

struct recorded {
    struct ly_command *pattern;
    const void *place;
    cl_sync_point_khr point;
    size_t *after; /* indices of the commands that its sync-points denote */
    size_t after_count;
    bool barrier;
};
struct ly_command_buffer {
    struct ly_object object;
    cl_command_queue queue;
    struct recorded *commands;
    size_t count;
};

void ly_command_buffer_destroy(void *object)
{
    struct ly_command_buffer *buffer = object;
    for (size_t i = 0; i < buffer->count; i++) {
        ly_command_free(buffer->commands[i].pattern);
        mm_free(buffer->commands[i].after);
    }
    mm_free(buffer->commands);
}

void ly_command_buffer_add(const struct ly_call *call, struct ly_command *pattern)
{
    struct ly_command_buffer *buffer = ly_object_find(LY_COMMAND_BUFFER, call->buffer);
    struct recorded added = {.pattern = pattern,
                             .place = call->place,
                             .point = *call->point,
                             .barrier = strstr(call->name, "Barrier") != NULL};
    for (cl_uint k = 0; buffer && k < call->count; k++)
        for (size_t i = buffer->count; i-- > 0;)
            if (buffer->commands[i].point == call->points[k]) {
                mm_append(&added.after, &added.after_count, &i);
                break;
            }
    if (!buffer)
        ly_not_checked("command buffers of unknown origin");
    if (buffer && mm_append(&buffer->commands, &buffer->count, &added))
        return;
    ly_command_free(pattern);
    mm_free(added.after);
}

/* ---- enqueueing ------------------------------------------------------------------------------------- */

/* Orders COMMAND, command I of the buffer, after those before it that sync-points and barriers order, but not
 * the queue; POINTS are the completions of the commands before it. */
static void depend_in_buffer(const struct ly_command_buffer *buffer, size_t i, struct ly_command *command,
                             struct ly_point *const *points)
{
    const struct recorded *recorded = &buffer->commands[i];
    for (size_t k = 0; k < recorded->after_count; k++)
        ly_command_depend(command, points[recorded->after[k]], MM_EDGE_WAIT);
    for (size_t k = i; k-- > 0;)
        if (recorded->barrier && !recorded->after_count) {
            ly_command_depend(command, points[k], MM_EDGE_BARRIER);
        } else if (buffer->commands[k].barrier) {
            ly_command_depend(command, points[k], MM_EDGE_BARRIER);
            break;
        }
}

static struct ly_point *enqueue_recorded(const struct ly_command_buffer *buffer, size_t i,
                                         cl_command_queue queue, struct ly_point *start,
                                         struct ly_point *const *points)
{
    const struct recorded *recorded = &buffer->commands[i];
    const struct mm_command *shape = &recorded->pattern->record;
    const struct ly_call call = {.name = shape->kind, .place = recorded->place, .queue = queue};
    struct ly_command *command = ly_command_create(&call, shape);
    if (!command)
        return NULL;
    command->has_list = true; /* ordered by the command buffer, not as a barrier in the queue */
    ly_pattern_copy(command, recorded->pattern);
    ly_command_depend(command, start, MM_EDGE_WAIT);
    depend_in_buffer(buffer, i, command, points);
    struct ly_point *point = ly_point_use(command->point);
    ly_command_submit(command, &call);
    return point;
}

static void enqueue_buffer(const struct ly_command_buffer *buffer, const struct ly_call *call)
{
    struct ly_point **points = mm_alloc_zero(buffer->count + 1, sizeof *points);
    struct ly_call first_call = *call, last_call = *call;
    first_call.event = NULL;
    last_call.count = 0;
    struct ly_command *first = ly_command_create(&first_call, NULL);
    if (!points || !first) {
        mm_free(points);
        return; /* an unknown queue, which is noted */
    }
    struct ly_point *start = ly_point_use(first->point);
    ly_command_submit(first, &first_call);
    for (size_t i = 0; i < buffer->count; i++)
        points[i] = enqueue_recorded(buffer, i, call->queue, start, points);
    struct ly_command *last = ly_command_create(&last_call, NULL);
    if (last)
        ly_command_depend(last, start, MM_EDGE_WAIT);
    for (size_t i = 0; i < buffer->count; i++) {
        if (last)
            ly_command_depend(last, points[i], MM_EDGE_COMPLETE);
        ly_point_unuse(points[i]);
    }
    ly_point_unuse(start);
    if (last)
        ly_command_submit(last, &last_call);
    mm_free(points);
}

static ly_function *next_clEnqueueCommandBufferKHR;

static cl_int CL_API_CALL layer_clEnqueueCommandBufferKHR(cl_uint queues, cl_command_queue *list_of_queues,
                                                          cl_command_buffer_khr handle, cl_uint count,
                                                          const cl_event *list, cl_event *event)
{
    cl_int code = ((__typeof__(&layer_clEnqueueCommandBufferKHR))next_clEnqueueCommandBufferKHR)(
        queues, list_of_queues, handle, count, list, event);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    const struct ly_command_buffer *buffer = ly_object_find(LY_COMMAND_BUFFER, handle);
    cl_command_queue queue = queues ? list_of_queues[0] : buffer ? buffer->queue : NULL;
    if (!buffer || queues > 1 || !queue) {
        ly_not_checked("command buffers of several queues");
        ly_order_all();
    } else {
        enqueue_buffer(buffer, &LY_CALL(.list = list, .event = event));
    }
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXTEND(clEnqueueCommandBufferKHR)

/* ---- objects -------------------------------------------------------------------------------------- */

static ly_function *next_clCreateCommandBufferKHR;

static cl_command_buffer_khr CL_API_CALL layer_clCreateCommandBufferKHR(cl_uint queues,
                                                                        const cl_command_queue *list,
                                                                        const void *properties, cl_int *code)
{
    cl_command_buffer_khr handle =
        ((__typeof__(&layer_clCreateCommandBufferKHR))next_clCreateCommandBufferKHR)(queues, list, properties,
                                                                                     code);
    pthread_mutex_lock(&ly_lock);
    struct ly_command_buffer *buffer =
        handle ? ly_object_add(LY_COMMAND_BUFFER, handle, sizeof *buffer) : NULL;
    if (buffer && queues == 1)
        buffer->queue = list[0];
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXTEND(clCreateCommandBufferKHR)

static ly_function *next_clFinalizeCommandBufferKHR;

static cl_int CL_API_CALL layer_clFinalizeCommandBufferKHR(cl_command_buffer_khr buffer)
{
    return ((__typeof__(&layer_clFinalizeCommandBufferKHR))next_clFinalizeCommandBufferKHR)(buffer);
}
LY_EXTEND(clFinalizeCommandBufferKHR)

LY_EXTENSION_REFERENCES(CommandBufferKHR, cl_command_buffer_khr, LY_COMMAND_BUFFER)

/* The latest version that a device of the platform reports: the platform's devices share the functions. */
cl_version ly_command_buffer_version(cl_platform_id platform)
{
    enum { DEVICES = 16, EXTENSIONS = 256 };
    cl_device_id devices[DEVICES];
    cl_name_version versions[EXTENSIONS];
    cl_uint count = 0;
    size_t size = 0;
    cl_version found = 0;
    if (!platform && ly_next.clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        return 0;
    if (ly_next.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < count && i < DEVICES; i++) {
        if (ly_next.clGetDeviceInfo(devices[i], CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions,
                                    &size) != CL_SUCCESS)
            continue;
        for (size_t k = 0; k < size / sizeof *versions; k++)
            if (strcmp(versions[k].name, "cl_khr_command_buffer") == 0 && versions[k].version > found)
                found = versions[k].version;
    }
    return found;
}
