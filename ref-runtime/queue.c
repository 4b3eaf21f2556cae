/* Command-queues [CL 5.1, 5.15]. */
#include "interp/fault.h"
#include "ref-runtime/device.h"
#include "ref-runtime/enqueue/enqueue.h"

#include <string.h>

/* Default device queues of all contexts. */
static struct mm_mutex defaults_lock = MM_MUTEX;

struct rt_queue *rt_queue_default(const struct rt_context *context, const struct rt_device *device)
{
    int index = rt_context_device_index(context, device);
    mm_mutex_lock(&defaults_lock);
    struct rt_queue *queue = index < 0 ? NULL : context->default_queues[index];
    mm_mutex_unlock(&defaults_lock);
    return queue;
}

static void set_default(struct rt_queue *queue)
{
    int index = rt_context_device_index(queue->context, queue->device);
    mm_mutex_lock(&defaults_lock);
    queue->context->default_queues[index] = queue;
    mm_mutex_unlock(&defaults_lock);
}

/* A default device queue that exists already is the one that is asked for [CL 5.1]. */
static struct rt_queue *existing_default(const struct rt_context *context, const struct rt_device *device,
                                         cl_command_queue_properties flags)
{
    struct rt_queue *queue = flags & CL_QUEUE_ON_DEVICE_DEFAULT ? rt_queue_default(context, device) : NULL;
    return queue && rt_api_retain(queue, RT_QUEUE) ? queue : NULL;
}

static cl_command_queue create_queue(struct rt_context *context, struct rt_device *device,
                                     cl_command_queue_properties flags, const cl_queue_properties *properties,
                                     size_t property_count, cl_uint size, cl_int *errcode_ret)
{
    if (rt_device_lost(device))
        return rt_null(errcode_ret, CL_OUT_OF_RESOURCES);
    struct rt_queue *queue = existing_default(context, device, flags);
    if (queue) {
        rt_null(errcode_ret, CL_SUCCESS);
        return (cl_command_queue)queue;
    }
    queue = rt_object_create(RT_QUEUE, sizeof *queue);
    if (!queue)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    rt_object_retain(context);
    queue->is_first = !(flags & CL_QUEUE_ON_DEVICE) && atomic_fetch_add(&context->queue_count, 1) == 0;
    queue->context = context;
    queue->device = device;
    queue->flags = flags;
    queue->size = size;
    queue->in_order = !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (property_count) {
        queue->properties = mm_alloc(property_count * sizeof *properties);
        if (!queue->properties) {
            rt_object_release(queue);
            return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(queue->properties, properties, property_count * sizeof *properties);
        queue->property_count = property_count;
    }
    if (flags & CL_QUEUE_ON_DEVICE_DEFAULT)
        set_default(queue);
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_command_queue)queue;
}

void rt_queue_drop_completed(struct rt_queue *queue)
{
    for (size_t i = 0; i < queue->completed_count; i++)
        rt_point_drop(queue->completed[i]);
    queue->completed_count = 0;
}

void rt_queue_destroy(struct rt_queue *queue)
{
    int index = rt_context_device_index(queue->context, queue->device);
    mm_mutex_lock(&defaults_lock);
    if (queue->context->default_queues[index] == queue)
        queue->context->default_queues[index] = NULL;
    mm_mutex_unlock(&defaults_lock);
    mm_free(queue->properties);
    rt_point_drop(queue->last_completion);
    rt_point_drop(queue->barrier_completion);
    rt_point_drop(queue->run_completion);
    rt_queue_drop_completed(queue);
    mm_free(queue->completed);
    rt_object_release(queue->context);
}

/* Flags that OpenCL defines, and among them those that the device has. */
static cl_int check_flags(cl_command_queue_properties flags)
{
    const cl_command_queue_properties known =
        RT_QUEUE_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if (flags & ~known)
        return CL_INVALID_VALUE;
    if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) && !(flags & CL_QUEUE_ON_DEVICE))
        return CL_INVALID_VALUE;
    if ((flags & CL_QUEUE_ON_DEVICE) && !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return CL_INVALID_VALUE;
    return (flags & CL_QUEUE_ON_DEVICE) && !RT_HAS_DEVICE_ENQUEUE ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue CL_API_CALL rt_clCreateCommandQueue(cl_context context_handle, cl_device_id device_handle,
                                                     cl_command_queue_properties flags, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(context_handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    struct rt_device *device = rt_device(device_handle);
    if (!device || !rt_context_has_device(context, device))
        return rt_null(errcode_ret, CL_INVALID_DEVICE);
    if (flags & ~(cl_command_queue_properties)RT_QUEUE_PROPERTIES)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    return create_queue(context, device, flags, NULL, 0, 0, errcode_ret);
}

enum { PROPERTY_FLAGS, PROPERTY_SIZE, PROPERTY_PRIORITY, PROPERTY_THROTTLE, PROPERTY_COUNT };

/* Hints: all commands have one priority, and take the power that they take [cl_khr_priority_hints]
 * [cl_khr_throttle_hints]. */
static bool hint_valid(cl_queue_properties value)
{
    return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
           value == CL_QUEUE_PRIORITY_LOW_KHR;
}

static cl_int parse_properties(const cl_queue_properties *properties, cl_command_queue_properties *flags,
                               size_t *count, cl_uint *size)
{
    static const cl_queue_properties names[PROPERTY_COUNT] = {CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE,
                                                              CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
    size_t n = 0;
    bool seen[PROPERTY_COUNT] = {false};
    cl_queue_properties values[PROPERTY_COUNT] = {0, RT_DEVICE_QUEUE_PREFERRED};
    for (; properties && properties[n]; n += 2) {
        size_t i = 0;
        while (i < PROPERTY_COUNT && names[i] != properties[n])
            i++;
        if (i == PROPERTY_COUNT || seen[i])
            return CL_INVALID_VALUE;
        seen[i] = true;
        values[i] = properties[n + 1];
        if (i >= PROPERTY_PRIORITY && !hint_valid(values[i]))
            return CL_INVALID_VALUE;
    }
    *count = properties ? n + 1 : 0;
    *flags = values[PROPERTY_FLAGS];
    cl_queue_properties wanted = values[PROPERTY_SIZE];
    cl_int error = check_flags(*flags);
    if (error)
        return error;
    if (seen[PROPERTY_SIZE] && (!(*flags & CL_QUEUE_ON_DEVICE) || wanted == 0))
        return CL_INVALID_VALUE;
    if ((*flags & CL_QUEUE_ON_DEVICE) && (seen[PROPERTY_PRIORITY] || seen[PROPERTY_THROTTLE]))
        return CL_INVALID_QUEUE_PROPERTIES;
    *size = *flags & CL_QUEUE_ON_DEVICE ? (cl_uint)wanted : 0;
    return wanted > RT_DEVICE_QUEUE_MOST ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue CL_API_CALL rt_clCreateCommandQueueWithProperties(cl_context context_handle,
                                                                   cl_device_id device_handle,
                                                                   const cl_queue_properties *properties,
                                                                   cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(context_handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    struct rt_device *device = rt_device(device_handle);
    if (!device || !rt_context_has_device(context, device))
        return rt_null(errcode_ret, CL_INVALID_DEVICE);
    cl_command_queue_properties flags = 0;
    size_t count = 0;
    cl_uint size = 0;
    cl_int error = parse_properties(properties, &flags, &count, &size);
    if (error)
        return rt_null(errcode_ret, error);
    return create_queue(context, device, flags, properties, count, size, errcode_ret);
}

/* An error: OpenCL 1.1 removed changes of a queue's properties. */
cl_int CL_API_CALL rt_clSetCommandQueueProperty(cl_command_queue handle, cl_command_queue_properties flags,
                                                cl_bool enable, cl_command_queue_properties *old)
{
    (void)flags;
    (void)enable;
    (void)old;
    return rt_queue(handle) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL rt_clRetainCommandQueue(cl_command_queue handle)
{
    return rt_api_retain(handle, RT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static void flush_queue(struct rt_queue *queue)
{
    mm_mutex_lock(&rt_lock);
    rt_sched_flush(queue);
    rt_sched_wake();
    mm_mutex_unlock(&rt_lock);
}

/* Releases a queue, which also flushes it. */
cl_int CL_API_CALL rt_clReleaseCommandQueue(cl_command_queue handle)
{
    struct rt_queue *queue = rt_queue(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    flush_queue(queue);
    return rt_api_release(handle, RT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL rt_clFlush(cl_command_queue handle)
{
    struct rt_queue *queue = rt_host_queue(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    flush_queue(queue);
    return rt_device_lost(queue->device) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* The last command of QUEUE that is not later than MARK; NULL: all of them are complete. */
static struct rt_command *last_until(const struct rt_queue *queue, uint64_t mark)
{
    struct rt_command *command = queue->last;
    while (command && command->sequence > mark)
        command = command->previous;
    return command;
}

/* Under rt_lock: the completions since the latest barrier, held. */
static struct rt_point **hold_completed(const struct rt_queue *queue, size_t *count)
{
    struct rt_point **held =
        queue->completed_count ? mm_alloc_zero(queue->completed_count, sizeof *held) : NULL;
    *count = held ? queue->completed_count : 0;
    for (size_t i = 0; i < *count; i++)
        held[i] = rt_point_hold(queue->completed[i]);
    return held;
}

/* [CL 3.3.6 H8] All earlier commands complete before the call returns.  Drops HELD. */
static void record_finish(struct rt_point **held, size_t count)
{
    struct mm_edge *edges = rt_recorder() && count ? mm_alloc_zero(count, sizeof *edges) : NULL;
    for (size_t i = 0; edges && i < count; i++)
        edges[i] = (struct mm_edge){.from = rt_point_event(held[i]), .kind = MM_EDGE_FINISH};
    rt_record_plain_call("clFinish", edges, edges ? count : 0);
    for (size_t i = 0; i < count; i++)
        rt_point_drop(held[i]);
    mm_free(held);
    mm_free(edges);
}

cl_int CL_API_CALL rt_clFinish(cl_command_queue handle)
{
    struct rt_queue *queue = rt_host_queue(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    rt_object_retain(queue);
    mm_mutex_lock(&rt_lock);
    rt_sched_flush(queue);
    uint64_t mark = queue->last ? queue->last->sequence : 0;
    for (struct rt_command *last; (last = last_until(queue, mark)) && !IN_FAULTY(FINISH_EARLY);)
        rt_sched_wait(last->event);
    rt_sched_wake();
    size_t count = 0;
    struct rt_point **held = hold_completed(queue, &count);
    mm_mutex_unlock(&rt_lock);
    record_finish(held, count);
    rt_instrumented_settled(queue);
    cl_int code = rt_device_lost(queue->device) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    rt_object_release(queue);
    return code;
}

RT_ANSWER_LIST(get_properties_array, struct rt_queue, properties, property_count)

/* A device queue has a size; a host queue does not. */
static cl_int get_size(const void *object, const struct rt_info_out *out)
{
    const struct rt_queue *queue = object;
    return queue->flags & CL_QUEUE_ON_DEVICE ? rt_info_uint(out, queue->size) : CL_INVALID_COMMAND_QUEUE;
}

RT_ANSWER(get_device_default, handle, struct rt_queue, queue, rt_queue_default(queue->context, queue->device))

static const struct rt_info_row queue_rows[] = {
    RT_INFO_FIELD(CL_QUEUE_CONTEXT, struct rt_queue, context),
    RT_INFO_FIELD(CL_QUEUE_DEVICE, struct rt_queue, device),
    RT_INFO_GET(CL_QUEUE_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_QUEUE_PROPERTIES, struct rt_queue, flags),
    RT_INFO_GET(CL_QUEUE_PROPERTIES_ARRAY, get_properties_array),
    RT_INFO_GET(CL_QUEUE_SIZE, get_size),
    RT_INFO_GET(CL_QUEUE_DEVICE_DEFAULT, get_device_default),
};

RT_INFO_CALL(CommandQueueInfo, cl_command_queue, cl_command_queue_info, rt_queue(handle),
             CL_INVALID_COMMAND_QUEUE, queue_rows)

cl_int CL_API_CALL rt_clSetDefaultDeviceCommandQueue(cl_context context_handle, cl_device_id device_handle,
                                                     cl_command_queue handle)
{
    const struct rt_context *context = rt_context(context_handle);
    const struct rt_device *device = rt_device(device_handle);
    if (rt_context_error(context))
        return rt_context_error(context);
    if (!device || !rt_context_has_device(context, device))
        return CL_INVALID_DEVICE;
    struct rt_queue *queue = rt_queue(handle);
    if (!queue || !(queue->flags & CL_QUEUE_ON_DEVICE) || queue->context != context ||
        queue->device != device)
        return CL_INVALID_COMMAND_QUEUE;
    set_default(queue);
    return CL_SUCCESS;
}
