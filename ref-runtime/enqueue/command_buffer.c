/* Command buffers as objects: creation, recording, queries [cl_khr_command_buffer]. */
#include "ref-runtime/enqueue/launch.h"
#include "ref-runtime/enqueue/mutable.h"

#include "memmodel/base/array.h"

#include <stdio.h>
#include <string.h>

static struct rt_command_buffer *live_command_buffer(cl_command_buffer_khr handle)
{
    return rt_object_check(handle, RT_COMMAND_BUFFER);
}

/* ---- creation [CL 5.17.3 R103] ---- */

/* Flags that are accepted; all devices synchronize through the one scheduler. */
enum {
    KNOWN_FLAGS = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR |
                  CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR
};

static cl_int parse_properties(const cl_command_buffer_properties_khr *properties, size_t *count,
                               cl_command_buffer_flags_khr *flags, bool *no_more_groups)
{
    cl_command_buffer_properties_khr values[2] = {0};
    bool seen[2] = {false};
    size_t n = 0;
    for (; properties && properties[n]; n += 2) {
        bool asserts = properties[n] == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR;
        if ((!asserts && properties[n] != CL_COMMAND_BUFFER_FLAGS_KHR) || seen[asserts])
            return CL_INVALID_VALUE;
        seen[asserts] = true;
        values[asserts] = properties[n + 1];
    }
    *count = properties ? n + 1 : 0;
    *flags = values[0];
    *no_more_groups = values[1] != 0;
    return (values[0] & ~(cl_command_buffer_flags_khr)KNOWN_FLAGS) ||
                   (values[1] & ~(cl_bitfield)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)
               ? CL_INVALID_VALUE
               : CL_SUCCESS;
}

static cl_int check_queues(cl_uint count, const cl_command_queue *queues)
{
    if (count == 0 || !queues)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!rt_host_queue(queues[i]))
            return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 1; i < count; i++)
        if (((const struct rt_queue *)queues[i])->context != ((const struct rt_queue *)queues[0])->context)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

cl_command_buffer_khr CL_API_CALL
rt_clCreateCommandBufferKHR(cl_uint num_queues, const cl_command_queue *queues,
                            const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret)
{
    size_t count = 0;
    cl_command_buffer_flags_khr flags = 0;
    cl_int error = check_queues(num_queues, queues);
    error = error ? error : rt_context_error(((struct rt_queue *)queues[0])->context);
    if (error)
        return rt_null(errcode_ret, error);
    bool no_more_groups;
    error = parse_properties(properties, &count, &flags, &no_more_groups);
    if (error)
        return rt_null(errcode_ret, error);
    struct rt_command_buffer *buffer = rt_object_create(RT_COMMAND_BUFFER, sizeof *buffer);
    if (!buffer)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    buffer->queues = mm_alloc(num_queues * sizeof(struct rt_queue *));
    if (!buffer->queues) {
        rt_object_release(buffer);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    for (cl_uint i = 0; i < num_queues; i++) {
        buffer->queues[i] = (struct rt_queue *)queues[i];
        rt_object_retain(queues[i]);
    }
    buffer->queue_count = num_queues;
    buffer->context = buffer->queues[0]->context;
    buffer->flags = flags;
    buffer->no_more_groups = no_more_groups;
    if (count) {
        buffer->properties = mm_alloc(count * sizeof *properties);
        if (!buffer->properties) {
            rt_object_release(buffer);
            return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(buffer->properties, properties, count * sizeof *properties);
        buffer->property_count = count;
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_command_buffer_khr)buffer;
}

void rt_command_buffer_destroy(struct rt_command_buffer *buffer)
{
    for (size_t i = 0; i < buffer->count; i++) {
        rt_pattern_release(buffer->commands[i].pattern, false);
        rt_object_release_held(buffer->commands[i].handle);
        mm_free(buffer->commands[i].points);
        rt_point_drop(buffer->commands[i].call);
    }
    mm_free(buffer->commands);
    mm_free(buffer->properties);
    for (cl_uint i = 0; i < buffer->queue_count; i++)
        rt_object_release_held(buffer->queues[i]);
    mm_free(buffer->queues);
    rt_object_release_held(buffer->latest_run);
}

RT_REFERENCE_CALLS(CommandBufferKHR, cl_command_buffer_khr, RT_COMMAND_BUFFER, CL_INVALID_COMMAND_BUFFER_KHR)

/* Recording ends, once [CL 5.17.2 R101]. */
cl_int CL_API_CALL rt_clFinalizeCommandBufferKHR(cl_command_buffer_khr handle)
{
    struct rt_command_buffer *buffer = live_command_buffer(handle);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    mm_mutex_lock(&rt_lock);
    bool again = buffer->finalized;
    buffer->finalized = true;
    mm_mutex_unlock(&rt_lock);
    return again ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* ---- recording ---- */

/* Sync-points are numbered from 1 in the order of recording. */
static bool points_valid(const struct rt_command_buffer *buffer, cl_uint count,
                         const cl_sync_point_khr *points)
{
    if ((count == 0) != (!points))
        return false;
    for (cl_uint i = 0; i < count; i++)
        if (points[i] == 0 || points[i] > buffer->count)
            return false;
    return true;
}

/* The interface before version 0.9.5 has no PROPERTIES: a memory object or a number is in their place. */
static bool is_older_call(const cl_properties *properties)
{
    enum { LEAST_ADDRESS = 4096 };
    return properties && ((uintptr_t)properties < LEAST_ADDRESS || rt_object_check(properties, RT_MEM));
}

static void notify_older_call(const struct rt_command_buffer *buffer, const char *name)
{
    char text[200];
    snprintf(
        text, sizeof text,
        "%s is called as version 0.9.4 of cl_khr_command_buffer has it: since 0.9.5 its third parameter is a "
        "list of properties",
        name);
    rt_context_notify(buffer->context, text);
}

static cl_int choose_queue(struct rt_submission *s, cl_command_queue handle)
{
    const struct rt_command_buffer *buffer = s->buffer;
    struct rt_queue *queue = rt_host_queue(handle);
    if (!handle)
        return buffer->queue_count == 1 ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (queue->context != buffer->context)
        return CL_INVALID_CONTEXT;
    while (buffer->queues[s->queue_index] != queue)
        if (++s->queue_index == buffer->queue_count)
            return CL_INVALID_COMMAND_QUEUE;
    s->queue = queue;
    return CL_SUCCESS;
}

cl_int rt_recording_begin(struct rt_submission *s, cl_command_buffer_khr handle, cl_command_queue queue,
                          const cl_properties *properties, const cl_mutable_command_khr *mutable_handle)
{
    struct rt_command_buffer *buffer = live_command_buffer(handle);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    s->buffer = buffer;
    s->queue = buffer->queues[0];
    cl_int wrong_queue = choose_queue(s, queue);
    if (is_older_call(properties)) {
        notify_older_call(buffer, s->name);
        return CL_INVALID_VALUE;
    }
    mm_mutex_lock(&rt_lock);
    cl_int error = buffer->finalized                            ? CL_INVALID_OPERATION
                   : wrong_queue                                ? wrong_queue
                   : mutable_handle                             ? CL_INVALID_VALUE
                   : !points_valid(buffer, s->count, s->points) ? CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
                   : properties && properties[0]                ? CL_INVALID_VALUE /* no property is known */
                                                                : CL_SUCCESS;
    mm_mutex_unlock(&rt_lock);
    return error;
}

void rt_pattern_begin(struct rt_command *command)
{
    struct rt_event *unused = command->event; /* the event of a pattern, which never runs */
    command->event = NULL;
    command->is_barrier = false;
    atomic_init(&command->pattern_users, 1);
    rt_object_release_deferred(unused);
}

static void discard_pattern(void *pattern)
{
    rt_command_discard(pattern);
}

void rt_pattern_release(struct rt_command *pattern, bool deferred)
{
    if (atomic_fetch_sub(&pattern->pattern_users, 1) > 1)
        return;
    if (!deferred || !rt_callback_post(discard_pattern, pattern))
        rt_command_discard(pattern);
}

bool rt_pattern_incomplete(const struct rt_command *pattern)
{
    return pattern->operation == &rt_kernel_operation &&
           ((const struct rt_kernel_command *)(const void *)pattern->payload)->launch->incomplete;
}

cl_uint rt_command_buffer_state(const struct rt_command_buffer *buffer)
{
    if (!buffer->finalized)
        return CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    for (size_t i = 0; i < buffer->count; i++)
        if (rt_pattern_incomplete(buffer->commands[i].pattern))
            return CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
    return CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
}

cl_int rt_command_buffer_add(const struct rt_submission *s, struct rt_command *command)
{
    struct rt_command_buffer *buffer = s->buffer;
    cl_uint *points = mm_alloc((s->count + 1u) * sizeof *points);
    cl_command_type type = command->event->command_type;
    bool is_barrier = command->is_barrier;
    struct rt_point *call = rt_point_create(rt_record_call(s->name, NULL, 0));
    rt_pattern_begin(command);
    mm_mutex_lock(&rt_lock);
    cl_int error = !points ? CL_OUT_OF_HOST_MEMORY : buffer->finalized ? CL_INVALID_OPERATION : CL_SUCCESS;
    struct rt_recorded *added = error ? NULL : mm_add(&buffer->commands, &buffer->count);
    if (!error && !added)
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error) {
        for (cl_uint i = 0; i < s->count; i++)
            points[i] = s->points[i];
        *added = (struct rt_recorded){.pattern = command,
                                      .handle = s->handle,
                                      .queue = s->queue_index,
                                      .type = type,
                                      .is_barrier = is_barrier,
                                      .points = points,
                                      .point_count = s->count,
                                      .call = call};
        if (s->handle)
            rt_mutable_place(s->handle, buffer, buffer->count - 1);
        if (s->point)
            *s->point = (cl_sync_point_khr)buffer->count;
    }
    mm_mutex_unlock(&rt_lock);
    if (error) {
        mm_free(points);
        rt_point_drop(call);
        rt_command_discard(command);
        return error;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL rt_clCommandBarrierWithWaitListKHR(cl_command_buffer_khr buffer, cl_command_queue queue,
                                                      const cl_properties *properties, cl_uint count,
                                                      const cl_sync_point_khr *points,
                                                      cl_sync_point_khr *point,
                                                      cl_mutable_command_khr *mutable_handle)
{
    static const struct rt_operation nothing = {.start = NULL};
    struct rt_submission s = {
        .name = "clCommandBarrierWithWaitListKHR", .count = count, .points = points, .point = point};
    cl_int error = rt_recording_begin(&s, buffer, queue, properties, mutable_handle);
    /* An older call without sync-points has the place for its own one in POINTS, and any MUTABLE_HANDLE. */
    if (error && s.buffer && !properties && count == 0 && (points || mutable_handle))
        notify_older_call(s.buffer, s.name);
    if (error)
        return error;
    struct rt_command *command = rt_command_create(s.queue, CL_COMMAND_BARRIER, s.name, &nothing, 0);
    if (command)
        command->is_barrier = true;
    return rt_submit(&s, command);
}

/* ---- queries [CL 5.17.8 R101] ---- */

RT_ANSWER_LIST(get_queues, struct rt_command_buffer, queues, queue_count)

static cl_int get_state(const void *object, const struct rt_info_out *out)
{
    const struct rt_command_buffer *buffer = object;
    mm_mutex_lock(&rt_lock);
    cl_uint state = rt_command_buffer_state(buffer);
    mm_mutex_unlock(&rt_lock);
    return rt_info_uint(out, state);
}

RT_ANSWER_LIST(get_buffer_properties, struct rt_command_buffer, properties, property_count)

static const struct rt_info_row rows[] = {
    RT_INFO_GET(CL_COMMAND_BUFFER_QUEUES_KHR, get_queues),
    RT_INFO_FIELD(CL_COMMAND_BUFFER_NUM_QUEUES_KHR, struct rt_command_buffer, queue_count),
    RT_INFO_GET(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, rt_info_references),
    RT_INFO_FIELD(CL_COMMAND_BUFFER_CONTEXT_KHR, struct rt_command_buffer, context),
    RT_INFO_GET(CL_COMMAND_BUFFER_STATE_KHR, get_state),
    RT_INFO_GET(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, get_buffer_properties),
};

RT_INFO_CALL(CommandBufferInfoKHR, cl_command_buffer_khr, cl_command_buffer_info_khr,
             live_command_buffer(handle), CL_INVALID_COMMAND_BUFFER_KHR, rows)

/* ---- other devices ---- */

/* The platform does not remap queues [cl_khr_command_buffer_multi_device]. */
cl_command_buffer_khr CL_API_CALL rt_clRemapCommandBufferKHR(
    cl_command_buffer_khr handle, cl_bool automatic, cl_uint num_queues, const cl_command_queue *queues,
    cl_uint num_handles, const cl_mutable_command_khr *handles, cl_mutable_command_khr *handles_ret,
    cl_int *errcode_ret)
{
    const struct rt_command_buffer *buffer = live_command_buffer(handle);
    if (!buffer)
        return rt_null(errcode_ret, CL_INVALID_COMMAND_BUFFER_KHR);
    if (num_queues == 0 || !queues || (!automatic && num_queues != buffer->queue_count) ||
        (num_handles == 0) != !handles || (num_handles == 0) != !handles_ret)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    cl_int error = check_queues(num_queues, queues);
    if (!error && ((const struct rt_queue *)queues[0])->context != buffer->context)
        error = CL_INVALID_CONTEXT;
    return rt_null(errcode_ret, error ? error : CL_INVALID_OPERATION);
}
