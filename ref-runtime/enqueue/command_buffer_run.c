/* Command buffers in queues [cl_khr_command_buffer].
 *
 * An enqueued buffer is one command.  When it starts, a copy of each recorded command becomes its child in
 * the same queue, after those that the recording puts it after; it is complete when they all are. */
#include "memmodel/base/array.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/enqueue/command_buffer.h"
#include "ref-runtime/enqueue/launch.h"

#include <string.h>

struct run {
    struct rt_command_buffer *buffer; /* held by the command */
    size_t count;                     /* of commands in the buffer */
    struct rt_queue **queues; /* held: of this run, as many as the buffer has; then COMMAND.OTHER_QUEUES */
    /* while the command starts; then COUNT patterns, as they were when it was enqueued */
    struct rt_command *children[];
};

static struct rt_command **copy_patterns(struct run *run)
{
    return run->children + run->count;
}

/* ---- copies of recorded commands ---- */

static struct rt_command *create_instance(const struct rt_command *parent, struct rt_queue *queue,
                                          const struct rt_recorded *recorded,
                                          const struct rt_command *pattern)
{
    struct rt_command *command = rt_command_create(queue, recorded->type, pattern->record.kind,
                                                   pattern->operation, pattern->payload_size);
    if (!command)
        return NULL;
    memcpy(command->payload, pattern->payload, pattern->payload_size);
    if (pattern->operation == &rt_kernel_operation) {
        ((struct rt_kernel_command *)(void *)command->payload)->launch_is_shared = true;
        rt_kernel_describe(command);
    }
    for (size_t i = 0; i < RT_COMMAND_HOLDS && pattern->held[i]; i++)
        rt_command_hold(command, pattern->held[i]);
    command->record.parent = parent->record.id;
    command->events.call = parent->events.began;
    return command;
}

static bool make_children(struct run *run, const struct rt_command *parent)
{
    for (size_t i = 0; i < run->buffer->count; i++) {
        run->children[i] = create_instance(parent, run->queues[run->buffer->commands[i].queue],
                                           &run->buffer->commands[i], copy_patterns(run)[i]);
        if (!run->children[i]) {
            while (i-- > 0)
                rt_command_discard(run->children[i]);
            return false;
        }
    }
    return true;
}

/* The latest child before I that was recorded to the same queue; I if there is none. */
static size_t same_queue_before(const struct run *run, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (run->buffer->commands[k].queue == run->buffer->commands[i].queue)
            return k;
    return i;
}

/* The order of a barrier and a command of its queue, or of another one [ambiguity D34]. */
static enum mm_edge_kind barrier_edge(const struct run *run, size_t i, size_t k)
{
    const struct rt_recorded *commands = run->buffer->commands;
    return commands[i].queue == commands[k].queue ? MM_EDGE_BARRIER : MM_EDGE_AMBIGUOUS;
}

/* Adds the LATEST barrier before child I, if it is not SIZE_MAX, and the latest one of the child's queue. */
static bool depend_on_barriers(const struct run *run, size_t i, size_t latest)
{
    const struct rt_recorded *commands = run->buffer->commands;
    bool ok = true, own = latest == SIZE_MAX;
    for (size_t k = latest; ok && !own; k--) {
        own = commands[k].is_barrier && commands[k].queue == commands[i].queue;
        if (own || k == latest)
            ok = rt_command_depend(run->children[i], run->children[k]->event, NULL, barrier_edge(run, i, k));
        own |= k == 0;
    }
    return ok;
}

/* Adds the dependencies of child I: the call that recorded it, its sync-points, the previous child in an
 * in-order queue, barriers up to BARRIER; for a barrier without sync-points all earlier children. */
static bool depend_on_sync_points(const struct run *run, size_t i, size_t barrier)
{
    const struct rt_recorded *recorded = &run->buffer->commands[i];
    struct rt_command *command = run->children[i];
    bool ok = rt_command_depend(command, NULL, recorded->call, MM_EDGE_ENQUEUE);
    for (cl_uint k = 0; ok && k < recorded->point_count; k++)
        ok = rt_command_depend(command, run->children[recorded->points[k] - 1]->event, NULL, MM_EDGE_WAIT);
    bool all = recorded->is_barrier && recorded->point_count == 0;
    for (size_t k = 0; ok && all && k < i; k++)
        ok = rt_command_depend(command, run->children[k]->event, NULL, barrier_edge(run, i, k));
    bool in_order = run->buffer->queues[recorded->queue]->in_order;
    size_t before = in_order ? same_queue_before(run, i) : i;
    if (ok && before < i)
        ok = rt_command_depend(command, run->children[before]->event, NULL, MM_EDGE_IN_ORDER);
    return ok && depend_on_barriers(run, i, barrier);
}

/* Appends the children to their queues, under rt_lock; returns how many were appended. */
static size_t append_children(struct run *run, struct rt_command *parent)
{
    size_t barrier = SIZE_MAX;
    for (size_t i = 0; i < run->buffer->count; i++) {
        struct rt_command *child = run->children[i];
        if (!depend_on_sync_points(run, i, barrier)) {
            for (size_t k = i; k < run->buffer->count; k++)
                rt_command_forget(run->children[k]);
            return i;
        }
        barrier = run->buffer->commands[i].is_barrier ? i : barrier;
        child->family.parent = parent;
        parent->family.children++;
        rt_object_retain(child->event); /* reference of the scheduler */
        rt_command_append(child);
    }
    return run->buffer->count;
}

static cl_int start_buffer(struct rt_command *command)
{
    struct run *run = (void *)command->payload;
    size_t count = run->buffer->count;
    if (!make_children(run, command))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; rt_recorder() && i < count; i++) {
        struct mm_record record = {.type = MM_RECORD_COMMAND, .command = run->children[i]->record};
        mm_recorder_record(rt_recorder(), &record);
    }
    command->family.ends_with_children = true;
    mm_mutex_lock(&rt_lock);
    size_t appended = append_children(run, command);
    mm_mutex_unlock(&rt_lock);
    for (size_t i = 0; i < count; i++)
        if (i < appended)
            rt_api_release_unused(run->children[i]->event);
        else
            rt_command_discard(run->children[i]);
    if (appended < count)
        command->family.status = CL_OUT_OF_HOST_MEMORY;
    return appended > 0 ? RT_PENDING : command->family.status;
}

/* ---- enqueuing ---- */

/* A buffer can go to any queues of the context and the devices that it was made for: none has properties that
 * are not supported. */
static cl_int choose_queues(const struct rt_command_buffer *buffer, cl_uint count,
                            const cl_command_queue *queues)
{
    if ((count == 0) != (!queues) || (count > 0 && count != buffer->queue_count))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        const struct rt_queue *queue = rt_host_queue(queues[i]);
        if (!queue)
            return CL_INVALID_COMMAND_QUEUE;
        if (queue->context != buffer->context)
            return CL_INVALID_CONTEXT;
        if (queue->device != buffer->queues[i]->device)
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* All kernels have their arguments [CL 5.17.7 R101]. */
static cl_int check_state(struct rt_command_buffer *buffer)
{
    mm_mutex_lock(&rt_lock);
    cl_uint state = rt_command_buffer_state(buffer);
    mm_mutex_unlock(&rt_lock);
    return state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Keeps the current patterns for the run, so that later updates do not change it. */
static void use_patterns(struct run *run)
{
    mm_mutex_lock(&rt_lock);
    for (size_t i = 0; i < run->count; i++) {
        copy_patterns(run)[i] = run->buffer->commands[i].pattern;
        atomic_fetch_add(&copy_patterns(run)[i]->pattern_users, 1);
    }
    mm_mutex_unlock(&rt_lock);
}

static void release_patterns(struct rt_command *command)
{
    struct run *run = (void *)command->payload;
    for (size_t i = 0; i < run->count; i++)
        rt_pattern_release(copy_patterns(run)[i], true);
    for (cl_uint i = 0; run->queues && i < run->buffer->queue_count; i++)
        rt_object_release_deferred(run->queues[i]);
    mm_free(run->queues);
}

static bool is_repeated(struct rt_queue *const *queues, cl_uint i)
{
    cl_uint k = 0;
    while (queues[k] != queues[i])
        k++;
    return k < i;
}

static bool use_queues(struct rt_command *command, struct rt_queue *const *queues)
{
    struct run *run = (void *)command->payload;
    cl_uint count = run->buffer->queue_count;
    struct rt_queue **others;
    run->queues = mm_alloc(2 * count * sizeof *run->queues);
    if (!run->queues)
        return false;
    command->other_queues = others = run->queues + count;
    for (cl_uint i = 0; i < count; i++) {
        run->queues[i] = queues[i];
        rt_object_retain(queues[i]);
        if (queues[i] != queues[0] && !is_repeated(queues, i))
            others[command->other_queue_count++] = queues[i];
    }
    command->is_run_of_several = command->other_queue_count > 0;
    return true;
}

/* A run counts as a command of each of its queues: those beside the first get one that waits for it. */
static cl_int represent_run(struct rt_queue *const *queues, cl_uint count, cl_event run)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 1; !error && i < count; i++)
        if (!is_repeated(queues, i))
            error = rt_command_enqueue_run(queues[i], run);
    return error;
}

/* ---- simultaneous use [CL 5.17 R106] ---- */

/* The incomplete events that a command waits for, directly or indirectly. */
struct prerequisites {
    const struct rt_event **events;
    size_t count;
};

/* False: no memory. */
static bool add_prerequisite(struct prerequisites *p, const struct rt_event *event)
{
    if (!event || event->status <= CL_COMPLETE)
        return true;
    for (size_t i = 0; i < p->count; i++)
        if (p->events[i] == event)
            return true;
    const struct rt_event **added = mm_add(&p->events, &p->count);
    if (added)
        *added = event;
    return added != NULL;
}

static bool add_dependencies(struct prerequisites *p, const struct rt_command *command)
{
    bool ok = true;
    for (size_t i = 0; ok && command && i < command->dependencies.count; i++)
        ok = add_prerequisite(p, command->dependencies.list[i].event);
    return ok;
}

/* False: no memory. */
static bool add_queue(struct prerequisites *p, const struct rt_queue *queue)
{
    return queue->in_order ? add_prerequisite(p, queue->last_event) && add_prerequisite(p, queue->run_event)
                           : add_prerequisite(p, queue->barrier_event);
}

/* Under rt_lock: whether a run on QUEUES that is enqueued now with that wait list certainly lacks RUN, which
 * is not complete, among its prerequisites. */
static bool lacks_prerequisite(const struct rt_event *run, struct rt_queue *const *queues,
                               cl_uint queue_count, cl_uint count, const cl_event *list)
{
    struct prerequisites p = {.count = 0};
    bool ok = true;
    for (cl_uint i = 0; ok && i < queue_count; i++)
        ok = add_queue(&p, queues[i]);
    for (cl_uint i = 0; ok && i < count; i++)
        ok = add_prerequisite(&p, rt_event(list[i]));
    bool found = false;
    for (size_t i = 0; ok && !found && i < p.count; i++) {
        found = p.events[i] == run;
        ok = add_dependencies(&p, p.events[i]->command);
    }
    mm_free(p.events);
    return ok && !found;
}

/* Before BUFFER is enqueued: reports a run that is not complete and that the new one does not wait for. */
static void check_simultaneous_use(const struct rt_command_buffer *buffer, struct rt_queue *const *queues,
                                   cl_uint count, const cl_event *list)
{
    if (!rt_api_checked() || (buffer->flags & CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR))
        return;
    mm_mutex_lock(&rt_lock);
    const struct rt_event *run = buffer->latest_run;
    bool bad =
        run && run->status > CL_COMPLETE && lacks_prerequisite(run, queues, buffer->queue_count, count, list);
    mm_mutex_unlock(&rt_lock);
    if (!bad)
        return;
    char text[1024];
    snprintf(
        text, sizeof text,
        "clEnqueueCommandBufferKHR: command buffer %u, not made for simultaneous use, is enqueued without a "
        "prerequisite on its earlier run, which is not complete",
        buffer->base.number);
    rt_api_report("api-misuse", "CL 5.17 R106", text, sizeof text);
}

/* Notes that RUN, of which the caller has a reference, was enqueued. */
static void note_run(struct rt_command_buffer *buffer, struct rt_event *run)
{
    rt_object_retain(run);
    mm_mutex_lock(&rt_lock);
    struct rt_event *before = buffer->latest_run;
    buffer->latest_run = run;
    mm_mutex_unlock(&rt_lock);
    rt_object_release_held(before);
}

/* ---- the call ---- */

cl_int CL_API_CALL rt_clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
                                                cl_command_buffer_khr handle, cl_uint count,
                                                const cl_event *list, cl_event *event)
{
    static const struct rt_operation operation = {.start = start_buffer, .destroy = release_patterns};
    struct rt_command_buffer *buffer = rt_object_check(handle, RT_COMMAND_BUFFER);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    cl_int error = choose_queues(buffer, num_queues, queues);
    error = error ? error : rt_check_wait_list(buffer->context, count, list);
    error = error ? error : check_state(buffer);
    if (error)
        return error;
    struct rt_queue *const *all = queues ? (struct rt_queue *const *)(void *)queues : buffer->queues;
    struct rt_command *command =
        rt_command_create(all[0], CL_COMMAND_COMMAND_BUFFER_KHR, "clEnqueueCommandBufferKHR", &operation,
                          sizeof(struct run) + 2 * buffer->count * sizeof(struct rt_command *));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->event->several_queues = buffer->queue_count > 1;
    for (cl_uint i = 0; i < buffer->queue_count; i++)
        command->event->profiled |= (all[i]->flags & CL_QUEUE_PROFILING_ENABLE) != 0;
    struct run *run = (void *)command->payload;
    run->buffer = buffer;
    run->count = buffer->count;
    use_patterns(run);
    rt_command_hold(command, buffer);
    if (!use_queues(command, all)) {
        rt_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    check_simultaneous_use(buffer, all, count, list);
    if (buffer->queue_count == 1 && !rt_api_checked())
        return rt_command_enqueue(command, count, list, event, false);
    cl_event done;
    error = rt_command_enqueue(command, count, list, &done, false);
    if (error)
        return error;
    if (rt_api_checked())
        note_run(buffer, rt_event(done));
    error = represent_run(all, buffer->queue_count, done);
    if (event)
        *event = done;
    else
        rt_api_release(done, RT_EVENT);
    return error;
}
