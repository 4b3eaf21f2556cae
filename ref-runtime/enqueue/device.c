/* Commands that kernels enqueue [CL 3.2.3, 5.1, CLC 6.15.19].
 *
 * A kernel's command is complete when the commands that it enqueued are.  Those that wait for their parent,
 * or for the work-group that enqueued them, wait for a gate of it. */
#include "interp/fault.h"
#include "ref-runtime/enqueue/launch.h"
#include "ref-runtime/event.h"
#include "ref-runtime/memory/memory.h"
#include "ref-runtime/program/kernel.h"

#include <string.h>

/* What enqueue_kernel returns [CLC 6.15.19]. */
enum {
    /* bytes of a device queue that a command occupies beside its block */
    CLK_SUCCESS = 0,
    CLK_INVALID_EVENT_WAIT_LIST = -57,
    CLK_EVENT_ALLOCATION_FAILURE = -100,
    CLK_ENQUEUE_FAILURE = -101,
    CLK_INVALID_QUEUE = -102,
    CLK_INVALID_NDRANGE = -160,
    CLK_DEVICE_QUEUE_FULL = -161,
    WAIT_KERNEL = 1,
    WAIT_WORK_GROUP = 2,
    COMMAND_ROOM = 64
};

static struct rt_queue *device_queue(const struct rt_command *parent, void *handle)
{
    struct rt_queue *queue = rt_object_check(handle, RT_QUEUE);
    return queue && (queue->flags & CL_QUEUE_ON_DEVICE) && queue->context == parent->queue->context &&
                   queue->device == parent->queue->device
               ? queue
               : NULL;
}

/* The gate of a work-group, created if missing.  Under rt_lock.  NULL: no memory. */
static struct rt_event *gate_of(struct rt_command *parent, uint64_t group)
{
    struct rt_gate *gate = parent->family.gates;
    while (gate && gate->group != group)
        gate = gate->next;
    if (gate)
        return gate->event;
    gate = mm_alloc(sizeof *gate);
    struct rt_event *event = gate ? rt_event_create(parent->queue->context, NULL, CL_COMMAND_USER) : NULL;
    if (!event) {
        mm_free(gate);
        return NULL;
    }
    *gate = (struct rt_gate){parent->family.gates, group, event};
    parent->family.gates = gate;
    return event;
}

void rt_device_open_gates(struct rt_command *parent, uint64_t group)
{
    for (struct rt_gate **at = &parent->family.gates; *at;) {
        struct rt_gate *gate = *at;
        if (group != RT_ALL_GROUPS && gate->group != group) {
            at = &gate->next;
            continue;
        }
        *at = gate->next;
        mm_mutex_lock(&rt_lock);
        gate->event->completion = rt_point_borrow(parent->events.end);
        rt_event_set_status(gate->event, CL_COMPLETE);
        mm_mutex_unlock(&rt_lock);
        rt_api_release(gate->event, RT_EVENT);
        mm_free(gate);
    }
}

/* Under rt_lock. */
static bool add_dependencies(struct rt_command *command, const struct in_enqueue *e)
{
    struct rt_command *parent = command->family.parent;
    uint32_t flags = e->flags;
    for (uint32_t i = 0; i < e->wait_count; i++) {
        struct rt_event *event = e->wait_list[i];
        if (IN_FAULTY(CHILD_LIST_IGNORED))
            continue;
        if (!rt_command_depend(command, event, event->completion, MM_EDGE_WAIT))
            return false;
    }
    if (flags == WAIT_KERNEL ? IN_FAULTY(CHILD_KERNEL_NO_WAIT) : IN_FAULTY(CHILD_GROUP_NO_WAIT))
        return true;
    if (flags == WAIT_KERNEL || flags == WAIT_WORK_GROUP) {
        struct rt_event *gate = gate_of(parent, flags == WAIT_KERNEL ? RT_ALL_GROUPS : e->work_group);
        return gate && rt_command_depend(command, gate, NULL,
                                         flags == WAIT_KERNEL ? MM_EDGE_PARENT : MM_EDGE_PARENT_GROUP);
    }
    return true;
}

static bool valid_list(void *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!rt_object_check(list[i], RT_EVENT))
            return false;
    return true;
}

/* Makes COMMAND a child of PARENT and enqueues it, or discards it. */
static int submit_child(struct rt_command *command, struct rt_command *parent, const struct in_enqueue *e,
                        size_t room, void **event)
{
    command->family.parent = parent;
    command->family.room = room;
    command->events.call = e->event;
    command->record.parent = parent->record.id;
    if (rt_recorder()) {
        struct mm_record record = {.type = MM_RECORD_COMMAND, .command = command->record};
        mm_recorder_record(rt_recorder(), &record);
    }
    struct rt_queue *queue = command->queue;
    mm_mutex_lock(&rt_lock);
    bool fits = room <= queue->size - queue->used;
    bool ok = fits && (!event || rt_object_list(command->event)) && add_dependencies(command, e);
    if (ok) {
        parent->family.children++;
        queue->used += room;
        rt_object_retain(command->event); /* the scheduler's */
        if (event)
            *event = command->event;
        rt_command_append(command);
    } else {
        rt_command_forget(command);
    }
    mm_mutex_unlock(&rt_lock);
    if (!ok)
        rt_command_discard(command);
    else if (!event)
        rt_api_release_unused(command->event);
    return ok ? CLK_SUCCESS : fits ? CLK_EVENT_ALLOCATION_FAILURE : CLK_DEVICE_QUEUE_FULL;
}

/* A copy of the block literal, which the kernel reads through its first argument. */
static bool copy_block(struct rt_kernel_command *k, const struct in_enqueue *e)
{
    size_t size = e->block_size ? e->block_size : 1;
    k->block = mm_aligned_alloc(size, RT_MAX_ALIGN);
    if (!k->block)
        return false;
    if (e->block)
        memcpy(k->block, e->block, e->block_size);
    const struct mm_allocation allocation = {.region = MM_GLOBAL,
                                             .origin = MM_ORIGIN_NONE,
                                             .address = (uint64_t)(uintptr_t)k->block,
                                             .size = size,
                                             .name = "block"};
    k->block_object = (struct in_object){.address = allocation.address,
                                         .size = size,
                                         .id = rt_record_allocation(&allocation),
                                         .region = MM_GLOBAL,
                                         .name = "block"};
    return true;
}

static struct rt_launch *block_launch(const struct rt_launch *parent, const struct in_enqueue *e)
{
    const struct in_kernel_info *info = in_module_kernel(parent->module, e->kernel);
    size_t bytes =
        info ? sizeof(struct rt_launch) + info->argument_count * sizeof(struct rt_launch_argument) : 0;
    struct rt_launch *launch = info ? mm_alloc_zero(1, bytes) : NULL;
    if (!launch)
        return NULL;
    *launch = (struct rt_launch){.kernel = parent->kernel,
                                 .device = parent->device,
                                 .instance = parent->instance,
                                 .module = parent->module,
                                 .kernel_index = e->kernel,
                                 .info = info};
    rt_object_retain(parent->kernel);
    for (uint32_t i = 0; i < info->argument_count; i++) {
        launch->arguments[i].info = &info->arguments[i];
        launch->arguments[i].local_size = i > 0 && i <= e->local_count ? e->local_sizes[i - 1] : 0;
        launch->argument_count++;
    }
    return launch;
}

static int make_command(struct rt_command *parent, struct rt_queue *queue, const struct in_enqueue *e,
                        struct rt_command **made)
{
    const struct rt_kernel_command *p = (void *)parent->payload;
    struct rt_command *command = rt_command_create(queue, CL_COMMAND_NDRANGE_KERNEL, "enqueue_kernel",
                                                   &rt_kernel_operation, sizeof(struct rt_kernel_command));
    if (!command)
        return CLK_EVENT_ALLOCATION_FAILURE;
    struct rt_kernel_command *k = (void *)command->payload;
    k->dimensions = e->dimensions;
    k->launch = block_launch(p->launch, e);
    bool ready = k->launch && copy_block(k, e);
    bool fits =
        ready &&
        rt_kernel_check_sizes(
            e->dimensions, (const size_t *)e->global_offset, (const size_t *)e->global_size,
            e->local_size[0] ? (const size_t[3]){e->local_size[0], e->local_size[1], e->local_size[2]} : NULL,
            k) == CL_SUCCESS;
    if (!fits) {
        rt_command_discard(command);
        return ready ? CLK_INVALID_NDRANGE : CLK_ENQUEUE_FAILURE;
    }
    rt_kernel_describe(command);
    *made = command;
    return CLK_SUCCESS;
}

/* The error code that a kernel sees: programs built without -g get one code for all failures. */
static int shown_enqueue_code(const struct rt_command *parent, int code)
{
    const struct rt_kernel_command *p = (void *)parent->payload;
    return code == CLK_SUCCESS || p->launch->debug ? code : CLK_ENQUEUE_FAILURE;
}

int rt_device_enqueue(struct rt_command *parent, const struct in_enqueue *e, void **event)
{
    struct rt_queue *queue = device_queue(parent, e->queue);
    struct rt_command *command = NULL;
    if (!queue)
        return shown_enqueue_code(parent, CLK_INVALID_QUEUE);
    if (!valid_list(e->wait_list, e->wait_count))
        return shown_enqueue_code(parent, CLK_INVALID_EVENT_WAIT_LIST);
    int code = make_command(parent, queue, e, &command);
    if (code == CLK_SUCCESS)
        code = submit_child(command, parent, e, COMMAND_ROOM + e->block_size, event);
    return shown_enqueue_code(parent, code);
}

int rt_device_marker(struct rt_command *parent, void *handle, void *const *list, uint32_t count, void **event)
{
    static const struct rt_operation nothing = {.start = NULL};
    struct rt_queue *queue = device_queue(parent, handle);
    if (!queue)
        return shown_enqueue_code(parent, CLK_INVALID_QUEUE);
    if (count == 0 || !valid_list(list, count))
        return shown_enqueue_code(parent, CLK_INVALID_EVENT_WAIT_LIST);
    struct rt_command *command = rt_command_create(queue, CL_COMMAND_MARKER, "enqueue_marker", &nothing, 0);
    if (!command)
        return shown_enqueue_code(parent, CLK_EVENT_ALLOCATION_FAILURE);
    const struct in_enqueue e = {.wait_list = list, .wait_count = count, .event = MM_NO_EVENT};
    return shown_enqueue_code(parent, submit_child(command, parent, &e, COMMAND_ROOM, event));
}

void *rt_device_default_queue(const struct rt_command *parent)
{
    return rt_queue_default(parent->queue->context, parent->queue->device);
}

void *rt_device_user_event(const struct rt_command *parent)
{
    return rt_event_create(parent->queue->context, NULL, CL_COMMAND_USER);
}

void rt_device_set_user_event(void *handle, int status)
{
    struct rt_event *event = handle;
    mm_mutex_lock(&rt_lock);
    if (!event->queue && event->status > CL_COMPLETE && status <= CL_COMPLETE)
        rt_event_set_status(event, status);
    mm_mutex_unlock(&rt_lock);
}

/* True if CAPTURE still points to memory that a kernel may write: a buffer, SVM, a program-scope variable. */
static bool capture_is_live(const struct rt_capture *capture)
{
    uint64_t address = (uint64_t)(uintptr_t)capture->value;
    return capture->is_host_memory || rt_index_find(address) ||
           in_instance_find_object(capture->instance, address);
}

/* CLK_PROFILING_COMMAND_EXEC_TIME: from start to end, and from start to completion with all children. */
void rt_event_write_captures(const struct rt_event *event)
{
    const cl_ulong times[2] = {event->times[RT_END] - event->times[RT_START],
                               event->times[RT_COMPLETED] - event->times[RT_START]};
    for (const struct rt_capture *capture = event->captures; capture; capture = capture->next)
        if (capture_is_live(capture))
            memcpy(capture->value, times, sizeof times);
}

void rt_captures_free(struct rt_capture *captures)
{
    while (captures) {
        struct rt_capture *capture = captures;
        captures = capture->next;
        rt_object_release_deferred(capture->kernel);
        mm_free(capture);
    }
}

void rt_device_capture(const struct rt_command *parent, void *handle, void *value)
{
    const struct rt_launch *launch =
        ((const struct rt_kernel_command *)(const void *)parent->payload)->launch;
    struct rt_event *event = handle;
    struct rt_capture *capture = event->queue ? mm_alloc(sizeof *capture) : NULL;
    if (!capture)
        return;
    rt_object_retain(launch->kernel);
    *capture = (struct rt_capture){.value = value,
                                   .kernel = launch->kernel,
                                   .instance = launch->instance,
                                   .is_host_memory =
                                       parent->queue->device->limits.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM};
    mm_mutex_lock(&rt_lock);
    capture->next = event->captures;
    event->captures = capture;
    struct rt_capture *written = NULL;
    if (event->status <= CL_COMPLETE) {
        rt_event_write_captures(event);
        written = event->captures;
        event->captures = NULL;
    }
    mm_mutex_unlock(&rt_lock);
    rt_captures_free(written);
}
