/* Commands and their order by the API's rules [CL 3.3.6 H1-H12].
 *
 * A command is recorded as a whole: when it is enqueued or, if it waits for user events, when those are set.
 * The time at which the driver executes it creates no order. */
#include "memmodel/base/array.h"
#include "tools/layer/layer.h"

#include <string.h>

enum { MOST_OPEN = 1024 };

/* ---- dependencies of a command ------------------------------------------------------------------ */

void ly_command_depend(struct ly_command *command, struct ly_point *point, enum mm_edge_kind kind)
{
    if (!point)
        return;
    if (!mm_reserve(&command->dependencies, &command->dependency_room, command->dependency_count + 1))
        return;
    command->dependencies[command->dependency_count++] = (struct ly_dependency){ly_point_use(point), kind};
    if (point->done)
        command->failed |= point->failed && kind == MM_EDGE_WAIT;
    else if (mm_append(&point->waiting, &point->waiting_count, &command))
        command->unresolved++;
}

/* In-order queues: after the latest command (H5).  Others: after the latest barrier (H7).  Markers and
 * barriers without a wait list: after all earlier commands (H6, H7). */
static void depend_on_queue(struct ly_command *command, bool waits_for_all)
{
    struct ly_queue *queue = command->queue;
    if (queue->in_order)
        ly_command_depend(command, queue->last, MM_EDGE_IN_ORDER);
    else
        ly_command_depend(command, queue->barrier, MM_EDGE_BARRIER);
    ly_command_depend(command, queue->unseen, MM_EDGE_HOST);
    /* In an in-order queue the latest command follows the others. */
    size_t first = queue->in_order && queue->open_count ? queue->open_count - 1 : 0;
    for (size_t i = first; waits_for_all && i < queue->open_count; i++)
        ly_command_depend(command, queue->open[i], command->barrier ? MM_EDGE_BARRIER : MM_EDGE_MARKER);
}

struct ly_command *ly_command_create(const struct ly_call *call, const struct mm_command *shape)
{
    static uint32_t ids;
    struct ly_queue *queue = ly_object_find(LY_QUEUE, call->queue);
    struct ly_command *command = queue ? ly_command_new() : NULL;
    if (!queue)
        ly_not_checked("commands in queues of unknown origin");
    if (ly_unseen_called() || !queue)
        ly_order_all();
    if (command && !(command->point = ly_point_create())) {
        ly_command_free(command);
        command = NULL;
    }
    if (!command)
        return NULL;
    command->queue = queue;
    ly_object_use(queue);
    command->began = command->returned = MM_NO_EVENT;
    command->record = shape ? *shape : (struct mm_command){.kernel = ""};
    command->record.id = ++ids;
    command->record.queue = queue->object.number;
    command->record.device = queue->device;
    command->record.context = queue->context;
    command->record.kind = call->name;
    struct mm_record record = {.type = MM_RECORD_COMMAND, .command = command->record};
    mm_recorder_record(ly_recorder(), &record);
    command->record.kernel = ""; /* the kernel may be released before the command is recorded */
    command->call = ly_record_call(call->name, call->place, NULL, 0);
    command->has_list = call->count > 0;
    for (cl_uint i = 0; i < call->count; i++) {
        struct ly_event *event = ly_object_find(LY_EVENT, call->list[i]);
        if (!event) {
            ly_not_checked("what comes before events of unknown origin");
            ly_order_all();
        }
        ly_command_depend(command, event ? event->point : NULL, MM_EDGE_WAIT);
    }
    return command;
}

static struct ly_command *create_pattern(const struct ly_call *call, const struct mm_command *shape)
{
    struct ly_command *pattern = ly_command_new();
    if (pattern) {
        pattern->record = shape ? *shape : (struct mm_command){.kernel = ""};
        pattern->record.kind = call->name;
    }
    return pattern;
}

struct ly_command *ly_call_begin(const struct ly_call *call, const struct mm_command *shape)
{
    ly_enter();
    struct ly_command *command = call->buffer ? create_pattern(call, shape) : ly_command_create(call, shape);
    if (!command)
        ly_leave();
    return command;
}

void ly_call_end(struct ly_command *command, const struct ly_call *call)
{
    if (call->buffer)
        ly_command_buffer_add(call, command);
    else
        ly_command_submit(command, call);
    ly_leave();
}

void ly_pattern_copy(struct ly_command *command, const struct ly_command *pattern)
{
    for (size_t i = 0; i < pattern->access_count; i++)
        ly_command_add_access(command, &pattern->accesses[i]);
    for (size_t i = 0; i < pattern->held_count; i++)
        ly_command_hold(command, pattern->held[i]);
    if (pattern->launch && (command->launch = mm_alloc(pattern->launch_size))) {
        memcpy(command->launch, pattern->launch, pattern->launch_size);
        command->launch_size = pattern->launch_size;
        command->program = pattern->program;
    }
}

void ly_command_access(struct ly_command *command, enum mm_kind kind, uint32_t allocation, uint64_t offset,
                       uint64_t size)
{
    if (allocation && size)
        ly_command_add_access(
            command, &(struct ly_access){
                         .kind = (uint8_t)kind, .allocation = allocation, .offset = offset, .size = size});
}

void ly_command_add_access(struct ly_command *command, const struct ly_access *access)
{
    if (mm_reserve(&command->accesses, &command->access_room, command->access_count + 1))
        command->accesses[command->access_count++] = *access;
}

void ly_command_hold(struct ly_command *command, struct ly_mem *mem)
{
    if (!mem || !mm_reserve(&command->held, &command->held_room, command->held_count + 1))
        return;
    command->held[command->held_count++] = mem;
    ly_object_use(mem);
}

bool ly_can_wait_for(const struct ly_call *call)
{
    pthread_mutex_lock(&ly_lock);
    const struct ly_queue *queue = ly_object_find(LY_QUEUE, call->queue);
    bool can = queue && (!queue->last || queue->last->done || !queue->in_order) &&
               (!queue->barrier || queue->barrier->done);
    for (cl_uint i = 0; i < call->count && can; i++) {
        const struct ly_event *event = ly_object_find(LY_EVENT, call->list[i]);
        can = event && event->point && event->point->done;
    }
    pthread_mutex_unlock(&ly_lock);
    return can;
}

/* ---- queues -------------------------------------------------------------------------------------- */

static void clear_open(struct ly_queue *queue)
{
    for (size_t i = 0; i < queue->open_count; i++)
        ly_point_unuse(queue->open[i]);
    queue->open_count = 0;
}

/* Stores in EDGES, which has room for open_count, those from the completions of QUEUE's commands; returns
 * their number. */
static size_t edges_from_complete(const struct ly_queue *queue, struct mm_edge *edges, enum mm_edge_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < queue->open_count; i++)
        if (queue->open[i]->done)
            edges[count++] = (struct mm_edge){.from = queue->open[i]->id, .kind = kind};
    return count;
}

/* Removes the completed commands from the queue.  Their events may retire: edges_from_complete() has been
 * recorded. */
static void remove_complete(struct ly_queue *queue)
{
    size_t left = 0;
    for (size_t i = 0; i < queue->open_count; i++) {
        struct ly_point *point = queue->open[i];
        if (point->done)
            ly_point_unuse(point);
        else
            queue->open[left++] = point;
    }
    queue->open_count = left;
}

/* Bounds the open commands of an out-of-order queue: replaces the completed ones by one event ordered after
 * all of them. */
static void fold_open(struct ly_queue *queue)
{
    struct mm_edge *edges = mm_alloc_zero(queue->open_count, sizeof *edges);
    struct ly_point *all = edges ? ly_point_create() : NULL;
    if (all) {
        uint32_t before = ly_thread_replace();
        struct mm_event event = {.kind = MM_EVENT_COMPLETE, .agent = ly_this_thread()};
        size_t count = edges_from_complete(queue, edges, MM_EDGE_HOST);
        all->id = mm_recorder_event(ly_recorder(), &event, edges, count);
        all->done = true;
        ly_thread_restore(before);
        remove_complete(queue);
        if (!mm_append(&queue->open, &queue->open_count, &all))
            ly_point_unuse(all);
    }
    mm_free(edges);
}

/* ---- calls that the layer does not see ------------------------------------------------------------ */

static struct ly_queue **queues; /* all queues */
static size_t queue_count;

/* Edges from all completed commands that are open; the caller frees *EDGES. */
static size_t edges_from_all(struct mm_edge **edges)
{
    size_t count = 0;
    for (size_t i = 0; i < queue_count; i++)
        for (size_t k = 0; k < queues[i]->open_count; k++) {
            const struct ly_point *point = queues[i]->open[k];
            struct mm_edge edge = {.from = point->id, .kind = MM_EDGE_HOST};
            if (point->done)
                mm_append(edges, &count, &edge);
        }
    return count;
}

void ly_follow_commands(void)
{
    static _Thread_local uint64_t followed;
    if (followed == ly_commands_ended())
        return;
    followed = ly_commands_ended();
    struct mm_edge *edges = NULL;
    size_t count = edges_from_all(&edges);
    struct mm_event event = {.kind = MM_API_CALL, .agent = ly_this_thread()};
    ly_retire(mm_recorder_event(ly_recorder(), &event, edges, count));
    mm_free(edges);
}

void ly_order_all(void)
{
    struct ly_point *all = ly_point_create();
    struct mm_edge *edges = NULL;
    size_t count = edges_from_all(&edges);
    if (all) {
        uint32_t before = ly_thread_replace();
        struct mm_event event = {.kind = MM_EVENT_COMPLETE, .agent = ly_this_thread()};
        all->id = mm_recorder_event(ly_recorder(), &event, edges, count);
        all->done = true;
        ly_thread_restore(before);
    }
    for (size_t i = 0; all && i < queue_count; i++) {
        ly_point_unuse(queues[i]->unseen);
        queues[i]->unseen = ly_point_use(all);
    }
    ly_point_unuse(all);
    mm_free(edges);
}

static void append_to_queue(struct ly_command *command)
{
    struct ly_queue *queue = command->queue;
    ly_point_unuse(queue->last);
    queue->last = ly_point_use(command->point);
    if (command->barrier) {
        ly_point_unuse(queue->barrier);
        queue->barrier = ly_point_use(command->point);
    }
    /* While the command is not recorded, completed commands before it stay open: calls of other threads may
     * follow them. */
    bool follows_all = queue->in_order || (command->barrier && !command->has_list);
    if (follows_all && !command->unresolved)
        clear_open(queue);
    if (queue->open_count == MOST_OPEN)
        fold_open(queue);
    if (mm_append(&queue->open, &queue->open_count, &command->point))
        ly_point_use(command->point);
}

void ly_command_submit(struct ly_command *command, const struct ly_call *call)
{
    struct ly_event *shadow = call->event ? ly_object_add(LY_EVENT, *call->event, sizeof *shadow) : NULL;
    struct ly_point *point = ly_point_use(command->point);
    if (shadow)
        shadow->point = ly_point_use(point);
    depend_on_queue(command, command->marks && !command->has_list);
    append_to_queue(command);
    if (!command->unresolved)
        ly_command_record(command);
    if (call->blocking) {
        struct mm_edge edge = {.from = point->id, .kind = MM_EDGE_API_WAIT};
        ly_retire(ly_record_call(call->name, call->place, &edge, point->id != MM_NO_EVENT));
        mm_recorder_flush(ly_recorder());
    }
    ly_point_unuse(point);
}

void ly_queue_destroy(void *object)
{
    struct ly_queue *queue = object;
    size_t at = 0;
    while (at < queue_count && queues[at] != queue)
        at++;
    if (at < queue_count)
        queues[at] = queues[--queue_count];
    ly_point_unuse(queue->unseen);
    ly_point_unuse(queue->last);
    ly_point_unuse(queue->barrier);
    clear_open(queue);
    mm_free(queue->open);
}

/* ---- entry points of queues ---------------------------------------------------------------------- */

static uint32_t device_number(cl_device_id device)
{
    static cl_device_id *devices;
    static size_t count;
    size_t i = 0;
    while (i < count && devices[i] != device)
        i++;
    if (i == count && !mm_append(&devices, &count, &device))
        return 0;
    return (uint32_t)i;
}

static void add_queue(cl_command_queue handle, cl_context context, cl_device_id device,
                      cl_command_queue_properties flags)
{
    pthread_mutex_lock(&ly_lock);
    struct ly_queue *queue = ly_object_find(LY_QUEUE, handle);
    if (queue) /* the existing default device queue */
        queue->object.references++;
    else if ((queue = ly_object_add(LY_QUEUE, handle, sizeof *queue)))
        mm_append(&queues, &queue_count, &queue);
    const struct ly_object *shadow = ly_object_find(LY_CONTEXT, context);
    if (queue) {
        queue->in_order = !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        queue->device = device_number(device);
        queue->context = shadow ? shadow->number : 0;
    }
    pthread_mutex_unlock(&ly_lock);
}

static cl_command_queue CL_API_CALL layer_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue_properties flags,
                                                               cl_int *code)
{
    cl_command_queue queue = ly_next.clCreateCommandQueue(context, device, flags, code);
    if (queue)
        add_queue(queue, context, device, flags);
    return queue;
}
LY_EXPORT(clCreateCommandQueue)

void ly_queue_add(cl_command_queue queue, cl_context context, cl_device_id device,
                  const cl_queue_properties *properties)
{
    cl_command_queue_properties flags = 0;
    for (const cl_queue_properties *p = properties; p && *p; p += 2)
        flags = *p == CL_QUEUE_PROPERTIES ? p[1] : flags;
    if (queue)
        add_queue(queue, context, device, flags);
}

static cl_command_queue CL_API_CALL layer_clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *code)
{
    cl_command_queue queue = ly_next.clCreateCommandQueueWithProperties(context, device, properties, code);
    ly_queue_add(queue, context, device, properties);
    return queue;
}
LY_EXPORT(clCreateCommandQueueWithProperties)

static cl_int CL_API_CALL layer_clSetCommandQueueProperty(cl_command_queue handle,
                                                          cl_command_queue_properties properties,
                                                          cl_bool enable, cl_command_queue_properties *old)
{
    cl_int code = ly_next.clSetCommandQueueProperty(handle, properties, enable, old);
    pthread_mutex_lock(&ly_lock);
    struct ly_queue *queue = ly_object_find(LY_QUEUE, handle);
    if (queue && code == CL_SUCCESS && (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        ly_order_all(); /* commands of both modes are ordered as if by a barrier */
        queue->in_order = !enable;
    }
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clSetCommandQueueProperty)

/* [CL 3.3.6 H8] All earlier commands complete before the call returns.  There are no edges from commands of
 * other threads that the driver has completed but the layer has not recorded. */
static void record_finish(cl_command_queue handle, const void *place)
{
    struct ly_queue *queue = ly_object_find(LY_QUEUE, handle);
    struct mm_edge few[8], *edges = few;
    if (queue && queue->open_count > sizeof few / sizeof *few)
        edges = mm_alloc_zero(queue->open_count, sizeof *edges);
    size_t used = queue && edges ? edges_from_complete(queue, edges, MM_EDGE_FINISH) : 0;
    mm_event_id id = ly_record_call("clFinish", place, edges, used);
    struct ly_point *after = used ? ly_point_create() : NULL;
    if (!after)
        ly_retire(id);
    if (queue && edges)
        remove_complete(queue);
    if (after) { /* replaces the completed commands */
        after->done = true;
        after->id = id;
        if (!mm_append(&queue->open, &queue->open_count, &after))
            ly_point_unuse(after);
    }
    if (edges != few)
        mm_free(edges);
}

static cl_int CL_API_CALL layer_clFinish(cl_command_queue handle)
{
    cl_int code = ly_next.clFinish(handle);
    if (code == CL_SUCCESS) {
        ly_enter();
        record_finish(handle, LY_PLACE);
        mm_recorder_flush(ly_recorder());
        ly_leave();
    }
    return code;
}
LY_EXPORT(clFinish)

/* A barrier, or otherwise a marker. */
static cl_int record_marker(cl_int code, const struct ly_call *call, bool barrier)
{
    struct ly_command *command = code == CL_SUCCESS ? ly_call_begin(call, NULL) : NULL;
    if (!command)
        return code;
    command->marks = true;
    command->barrier = barrier;
    ly_call_end(command, call);
    return code;
}

static cl_int CL_API_CALL layer_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    const cl_uint count = 0;
    return record_marker(ly_next.clEnqueueMarker(queue, event), &LY_CALL(.event = event), false);
}
LY_EXPORT(clEnqueueMarker)

static cl_int CL_API_CALL layer_clEnqueueBarrier(cl_command_queue queue)
{
    const cl_uint count = 0;
    return record_marker(ly_next.clEnqueueBarrier(queue), &LY_CALL(.list = NULL), true);
}
LY_EXPORT(clEnqueueBarrier)

static cl_int CL_API_CALL layer_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count,
                                                       const cl_event *list)
{
    struct ly_call call = LY_CALL(.list = list);
    call.name = "clEnqueueBarrierWaitForEvents"; /* tools recognize barriers by their names */
    return record_marker(ly_next.clEnqueueWaitForEvents(queue, count, list), &call, true);
}
LY_EXPORT(clEnqueueWaitForEvents)

static cl_int CL_API_CALL layer_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                                            const cl_event *list, cl_event *event)
{
    return record_marker(ly_next.clEnqueueMarkerWithWaitList(queue, count, list, event),
                         &LY_CALL(.list = list, .event = event), false);
}
LY_EXPORT(clEnqueueMarkerWithWaitList)

static cl_int CL_API_CALL layer_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                             const cl_event *list, cl_event *event)
{
    return record_marker(ly_next.clEnqueueBarrierWithWaitList(queue, count, list, event),
                         &LY_CALL(.list = list, .event = event), true);
}
LY_EXPORT(clEnqueueBarrierWithWaitList)
