/* Commands from creation to the queue: wait lists and the dependencies that the kind of queue adds
 * [CL 5.11-5.13, 3.3.6 H1-H7]. */
#include "ref-runtime/sched/command.h"
#include "memmodel/base/array.h"
#include "ref-runtime/check/fault.h"
#include "ref-runtime/device.h"

#include <string.h>

struct rt_command *rt_command_create(struct rt_queue *queue, cl_command_type type, const char *name,
                                     const struct rt_operation *operation, size_t payload_size)
{
    static atomic_uint ids;
    struct rt_command *command = mm_alloc_zero(1, sizeof *command + payload_size);
    struct rt_event *event = command ? rt_event_create(queue->context, queue, type) : NULL;
    if (!event) {
        mm_free(command);
        return NULL;
    }
    command->operation = operation;
    command->dependencies.list = command->dependencies.few;
    command->dependencies.capacity = sizeof command->dependencies.few / sizeof *command->dependencies.few;
    command->event = event;
    command->queue = queue;
    command->payload_size = payload_size;
    command->events.began = command->events.returned = MM_NO_EVENT;
    command->record = (struct mm_command){.id = atomic_fetch_add(&ids, 1) + 1,
                                          .queue = queue->base.number,
                                          .device = (uint32_t)queue->device->index,
                                          .context = queue->context->base.number,
                                          .kind = name,
                                          .kernel = ""};
    return command;
}

void rt_command_hold(struct rt_command *command, void *object)
{
    for (size_t i = 0; i < RT_COMMAND_HOLDS; i++) {
        if (!command->held[i]) {
            rt_object_retain(object);
            command->held[i] = object;
            return;
        }
    }
}

void rt_command_drop_dependencies(struct rt_command *command)
{
    for (size_t i = 0; i < command->dependencies.count; i++) {
        rt_object_release_deferred(command->dependencies.list[i].event);
        rt_point_drop(command->dependencies.list[i].completion);
    }
    if (command->dependencies.list != command->dependencies.few)
        mm_free(command->dependencies.list);
}

void rt_command_discard(struct rt_command *command)
{
    if (command->operation->destroy)
        command->operation->destroy(command);
    for (size_t i = 0; i < RT_COMMAND_HOLDS; i++)
        rt_object_release(command->held[i]);
    rt_command_drop_dependencies(command);
    if (command->event)
        rt_api_release_unused(command->event);
    mm_free(command);
}

cl_int rt_check_wait_list(const struct rt_context *context, cl_uint count, const cl_event *list)
{
    if ((count == 0) != (!list))
        return CL_INVALID_EVENT_WAIT_LIST;
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        const struct rt_event *event = rt_event(list[i]);
        if (!event)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (event->context != context)
            error = CL_INVALID_CONTEXT;
    }
    return error;
}

static bool reserve_dependency(struct rt_command *command)
{
    struct rt_dependency *few = command->dependencies.few, *grown = NULL;
    size_t count = command->dependencies.count, capacity = 0;
    if (command->dependencies.list != few)
        return mm_reserve(&command->dependencies.list, &command->dependencies.capacity, count + 1);
    if (count < command->dependencies.capacity)
        return true;
    if (!mm_reserve(&grown, &capacity, 2 * count))
        return false;
    memcpy(grown, few, count * sizeof *few);
    command->dependencies.list = grown;
    command->dependencies.capacity = capacity;
    return true;
}

/* False: no memory. */
static bool add_waiting(struct rt_event *event, struct rt_command *command)
{
    if (event->waiting_count == 0 && !event->first_waiting) {
        event->first_waiting = command;
        return true;
    }
    struct rt_command **waiting = mm_add(&event->waiting, &event->waiting_count);
    if (waiting)
        *waiting = command;
    return waiting != NULL;
}

/* Makes COMMAND depend on EVENT, or, if EVENT is complete, notes its COMPLETION for the record. */
bool rt_command_depend(struct rt_command *command, struct rt_event *event, struct rt_point *completion,
                       enum mm_edge_kind kind)
{
    if (!event && !completion)
        return true;
    if (!reserve_dependency(command))
        return false;
    if (event && event->status > CL_COMPLETE) {
        if (!add_waiting(event, command))
            return false;
        command->dependencies.unresolved++;
    } else if (event && event->status < 0 && kind == MM_EDGE_WAIT) {
        command->dependencies.failed = true;
    }
    if (event)
        rt_object_retain(event);
    command->dependencies.list[command->dependencies.count++] =
        (struct rt_dependency){event, event ? NULL : rt_point_hold(completion), kind};
    return true;
}

void rt_command_forget(struct rt_command *command)
{
    for (size_t i = 0; i < command->dependencies.count; i++) {
        struct rt_event *event = command->dependencies.list[i].event;
        if (event && event->first_waiting == command)
            event->first_waiting = NULL;
        for (size_t k = 0; event && k < event->waiting_count;)
            if (event->waiting[k] == command)
                event->waiting[k] = event->waiting[--event->waiting_count];
            else
                k++;
    }
}

static bool depend_on_list(struct rt_command *command, cl_uint count, const cl_event *list)
{
    for (cl_uint i = 0; i < count; i++) {
        struct rt_event *event = rt_event(list[i]);
        if (__builtin_expect(in_fault_now != IN_NO_FAULT, 0) && event && rt_fault_forgets(event))
            continue;
        if (event && !rt_command_depend(command, event, event->completion, MM_EDGE_WAIT))
            return false;
    }
    return true;
}

/* In-order queues: after the latest command (H5).  Others: after the latest barrier (H7). */
static bool depend_on_queue(struct rt_command *command, const struct rt_queue *queue)
{
    if (queue->in_order ? IN_FAULTY(IN_ORDER_REORDERED) : IN_FAULTY(BARRIER_COMMAND_NO_HOLD))
        return true;
    if (queue->in_order)
        return rt_command_depend(command, queue->last_event, queue->last_completion,
                                 command->is_run_of_several ? MM_EDGE_AMBIGUOUS : MM_EDGE_IN_ORDER) &&
               rt_command_depend(command, queue->run_event, queue->run_completion, MM_EDGE_AMBIGUOUS);
    return rt_command_depend(command, queue->barrier_event, queue->barrier_completion, MM_EDGE_BARRIER);
}

static bool depend_on_queues(struct rt_command *command)
{
    bool ok = depend_on_queue(command, command->queue);
    for (size_t i = 0; ok && i < command->other_queue_count; i++)
        ok = depend_on_queue(command, command->other_queues[i]);
    return ok;
}

/* Whether a command that depends on EARLIER depends on all commands before it, so that their events need no
 * entry.  Recorded and faulty executions have all edges. */
static bool covers_earlier(const struct rt_command *earlier)
{
    return earlier->is_barrier && earlier->waits_for_all && !earlier->family.parent && !rt_recorder() &&
           in_fault_now == IN_NO_FAULT;
}

/* Markers and barriers without a wait list: after all earlier commands (H6, H7). */
static bool depend_on_earlier(struct rt_command *command, enum mm_edge_kind kind)
{
    const struct rt_queue *queue = command->queue;
    if (kind == MM_EDGE_MARKER ? IN_FAULTY(MARKER_NO_WAIT) : IN_FAULTY(BARRIER_COMMAND_NO_WAIT))
        return true;
    for (size_t i = 0; i < queue->completed_count; i++)
        if (!rt_command_depend(command, NULL, queue->completed[i], kind))
            return false;
    bool covered = queue->in_order && !rt_recorder() && in_fault_now == IN_NO_FAULT;
    for (struct rt_command *earlier = queue->last; earlier && !covered; earlier = earlier->previous) {
        if (!rt_command_depend(command, earlier->event, NULL, kind))
            return false;
        covered = covers_earlier(earlier);
    }
    return true;
}

/* Numbers of commands: the latest, and in a forked child the latest of its parent. */
static uint64_t sequence, inherited;

void rt_command_forked(void)
{
    inherited = sequence;
}

bool rt_command_inherited(const struct rt_command *command)
{
    while (command->family.parent && command->sequence > inherited)
        command = command->family.parent;
    return command->sequence <= inherited;
}

/* Later commands of an in-order queue are ordered after the run by an ambiguous edge alone. */
static void note_run(struct rt_queue *queue, const struct rt_command *run)
{
    queue->run_event = run->event;
    queue->had_runs = true;
}

/* COMMAND comes after the latest run, and what comes after COMMAND is ordered by that. */
static void note_last(struct rt_queue *queue, const struct rt_command *command)
{
    queue->last_event = command->event;
    queue->run_event = NULL;
    rt_point_drop(queue->run_completion);
    queue->run_completion = NULL;
}

static void append_command(struct rt_command *command)
{
    struct rt_queue *queue = command->queue;
    rt_sched_count(command);
    command->sequence = ++sequence;
    command->previous = queue->last;
    if (queue->last)
        queue->last->next = command;
    else
        queue->first = command;
    queue->last = command;
    if (command->is_run_of_several)
        note_run(queue, command);
    else if (!command->family.parent)
        note_last(queue, command);
    if (command->is_barrier)
        queue->barrier_event = command->event;
}

void rt_command_append(struct rt_command *command)
{
    append_command(command);
    command->event->command = command;
    rt_event_stamp(command->event, RT_QUEUED);
    rt_sched_ready(command);
}

static void record_enqueue(struct rt_command *command)
{
    command->events.call = MM_NO_EVENT;
    if (rt_recorder()) {
        rt_instrumented_submitted(command->queue);
        struct mm_record record = {.type = MM_RECORD_COMMAND, .command = command->record};
        mm_recorder_record(rt_recorder(), &record);
        command->events.call = rt_record_call(command->record.kind, NULL, 0);
    }
}

/* Waits for EVENT in a blocking call, and records the order [CL 3.3.6 H4]. */
static cl_int wait_for(struct rt_event *event, const char *name)
{
    mm_mutex_lock(&rt_lock);
    rt_sched_flush(event->queue);
    bool early = __builtin_expect(in_fault_now != IN_NO_FAULT, 0) && rt_fault_returns_early(event);
    while (!early && event->status > CL_COMPLETE)
        rt_sched_wait(event);
    rt_sched_wake();
    cl_int status = event->status;
    struct mm_edge edge = {.from = rt_point_event(event->completion), .kind = MM_EDGE_API_WAIT};
    mm_mutex_unlock(&rt_lock);
    rt_record_plain_call(name, &edge, edge.from == MM_NO_EVENT ? 0 : 1);
    rt_instrumented_settled(event->queue);
    return status;
}

static cl_int enqueue_command(struct rt_command *command, bool earlier, cl_uint count, const cl_event *list,
                              cl_event *event_ret, bool blocking)
{
    cl_int error = rt_context_error(command->queue->context);
    if (error || rt_device_lost(command->queue->device) || !rt_sched_start()) {
        rt_command_discard(command);
        return error ? error : CL_OUT_OF_RESOURCES;
    }
    if (event_ret && !rt_object_list(command->event)) {
        rt_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    record_enqueue(command);
    struct rt_event *event = command->event;
    const char *name = command->record.kind;
    mm_mutex_lock(&rt_lock);
    enum mm_edge_kind kind = command->is_barrier ? MM_EDGE_BARRIER : MM_EDGE_MARKER;
    bool ok = depend_on_list(command, count, list) && depend_on_queues(command) &&
              (!earlier || depend_on_earlier(command, kind));
    if (!ok) {
        rt_command_forget(command);
        mm_mutex_unlock(&rt_lock);
        rt_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    rt_object_retain(event); /* the scheduler's */
    rt_object_retain(event); /* reference of this call */
    if (event_ret)
        *event_ret = (cl_event)event;
    rt_command_append(command);
    mm_mutex_unlock(&rt_lock);
    cl_int result = CL_SUCCESS;
    if (blocking) {
        cl_int status = wait_for(event, name);
        result = status >= 0 ? CL_SUCCESS : status;
    }
    if (!event_ret || result)
        rt_api_release_unused(event);
    if (event_ret && result)
        *event_ret = NULL;
    rt_object_release(event);
    return result;
}

cl_int rt_command_enqueue(struct rt_command *command, cl_uint count, const cl_event *list, cl_event *event,
                          bool blocking)
{
    return enqueue_command(command, false, count, list, event, blocking);
}

cl_int rt_command_enqueue_run(struct rt_queue *queue, cl_event run)
{
    static const struct rt_operation nothing = {.start = NULL};
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_MARKER, "clEnqueueCommandBufferKHR", &nothing, 0);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->is_run_of_several = true;
    return rt_command_enqueue(command, 1, &run, NULL, false);
}

cl_int rt_command_enqueue_marker(struct rt_command *command, bool barrier, cl_uint count,
                                 const cl_event *list, cl_event *event)
{
    command->is_barrier = barrier;
    command->waits_for_all = count == 0;
    return enqueue_command(command, count == 0, count, list, event, false);
}
