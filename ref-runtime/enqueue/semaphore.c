/* Semaphores, of the binary type [cl_khr_semaphore 1.0.0].
 *
 * Signals and waits are paired in the order of their calls: a wait depends on the event of the signal that it
 * is paired with.  Where the wait comes first it depends on a gate, an event that the signal's completion
 * completes.  The signals of semaphores that are shared with others are not known before they are there: each
 * wait has a gate [cl_khr_external_semaphore 1.0.1]. */
#include "ref-runtime/enqueue/semaphore.h"

#include "memmodel/base/array.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/sched/command.h"

#include <stdio.h>
#include <string.h>

static struct rt_semaphore *live_semaphore(cl_semaphore_khr handle)
{
    return rt_object_check(handle, RT_SEMAPHORE);
}

/* ---- creation [CL 5.13.2 R101] ---- */

struct creation {
    bool type, devices, opaque, fence, exports; /* the properties that were given */
    cl_uint device_count;
    struct rt_device *device;
    cl_external_semaphore_handle_type_khr exported;
    int fd;       /* of OPAQUE or FENCE */
    size_t count; /* elements, the zero included */
};

static cl_int parse_devices(const struct rt_context *context, const cl_semaphore_properties_khr **at,
                            struct creation *c)
{
    const cl_semaphore_properties_khr *p = *at;
    for (; *p != CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR; p++, c->device_count++) {
        c->device = rt_device((cl_device_id)(uintptr_t)*p);
        if (!c->device || !rt_context_has_device(context, c->device))
            return CL_INVALID_DEVICE;
    }
    *at = p + 1;
    return c->device_count == 1 ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_int parse_exports(const cl_semaphore_properties_khr **at, struct creation *c)
{
    const cl_semaphore_properties_khr *p = *at;
    cl_uint count = 0;
    for (; *p != CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR; p++, count++) {
        c->exported = (cl_external_semaphore_handle_type_khr)*p;
        if (*p != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR && *p != CL_SEMAPHORE_HANDLE_SYNC_FD_KHR)
            return CL_INVALID_PROPERTY;
    }
    *at = p + 1;
    return count <= 1 ? CL_SUCCESS : CL_INVALID_VALUE;
}

static bool *find_property(struct creation *c, cl_semaphore_properties_khr name)
{
    switch (name) {
    case CL_SEMAPHORE_TYPE_KHR:
        return &c->type;
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return &c->devices;
    case CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR:
        return &c->exports;
    case CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
        return &c->opaque;
    case CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
        return &c->fence;
    default:
        return NULL;
    }
}

/* Parses the value of one property. */
static cl_int parse_value(const struct rt_context *context, const cl_semaphore_properties_khr **at,
                          const bool *seen, struct creation *c)
{
    if (seen == &c->devices)
        return parse_devices(context, at, c);
    if (seen == &c->exports)
        return parse_exports(at, c);
    cl_semaphore_properties_khr value = *(*at)++;
    if (seen == &c->type)
        return value == CL_SEMAPHORE_TYPE_BINARY_KHR ? CL_SUCCESS : CL_INVALID_PROPERTY;
    c->fd = (int)value;
    return (cl_semaphore_properties_khr)c->fd == value && rt_fence_valid(c->fd) &&
                   (seen == &c->fence || c->fd >= 0)
               ? CL_SUCCESS
               : CL_INVALID_PROPERTY;
}

static cl_int parse_properties(const struct rt_context *context,
                               const cl_semaphore_properties_khr *properties, struct creation *c)
{
    const cl_semaphore_properties_khr *p = properties;
    while (*p) {
        bool *seen = find_property(c, *p++);
        if (!seen || *seen)
            return CL_INVALID_PROPERTY;
        *seen = true;
        cl_int error = parse_value(context, &p, seen, c);
        if (error)
            return error;
    }
    c->count = (size_t)(p - properties) + 1;
    if (!c->type)
        return CL_INVALID_VALUE;
    if ((c->opaque && c->fence) || (!c->devices && context->device_count > 1))
        return CL_INVALID_PROPERTY;
    return c->exports && (c->opaque || c->fence) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* What S shares with other semaphores.  The descriptor is S's once nothing can fail any longer. */
static cl_int share_payload(struct rt_semaphore *s, const struct creation *c)
{
    s->imported = c->opaque  ? CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR
                  : c->fence ? CL_SEMAPHORE_HANDLE_SYNC_FD_KHR
                             : 0;
    s->exported = c->exported;
    if (c->fence && !rt_fence_import(c->fd, &s->fence))
        return CL_OUT_OF_RESOURCES;
    s->fence_pending = c->fence;
    if (!c->opaque && c->exported != CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
        return CL_SUCCESS;
    s->payload = rt_payload_create(c->opaque ? c->fd : -1);
    return s->payload ? CL_SUCCESS : c->opaque ? CL_INVALID_PROPERTY : CL_OUT_OF_RESOURCES;
}

cl_semaphore_khr CL_API_CALL rt_clCreateSemaphoreWithPropertiesKHR(
    cl_context handle, const cl_semaphore_properties_khr *properties, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    struct creation c = {.count = 0};
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    cl_int error = properties ? parse_properties(context, properties, &c) : CL_INVALID_VALUE;
    if (error)
        return rt_null(errcode_ret, error);
    struct rt_semaphore *s = rt_object_create(RT_SEMAPHORE, sizeof *s);
    if (!s)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    rt_object_retain(context);
    s->context = context;
    s->device = c.device ? c.device : context->devices[0];
    s->listed = c.devices;
    s->fence = MM_NO_FD;
    s->properties = mm_alloc(c.count * sizeof *properties);
    error = s->properties ? share_payload(s, &c) : CL_OUT_OF_HOST_MEMORY;
    if (error) {
        rt_object_release(s);
        return rt_null(errcode_ret, error);
    }
    memcpy(s->properties, properties, c.count * sizeof *properties);
    s->property_count = c.count;
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_semaphore_khr)s;
}

void rt_semaphore_destroy(struct rt_semaphore *s)
{
    rt_object_release_held(s->signal);
    for (size_t i = 0; i < s->gate_count; i++)
        rt_object_release_held(s->gates[i]);
    mm_mutex_lock(&rt_lock);
    if (s->payload)
        rt_payload_release(s->payload);
    mm_mutex_unlock(&rt_lock);
    mm_own_fd_close(&s->fence);
    mm_free(s->gates);
    mm_free(s->properties);
    rt_object_release_held(s->context);
}

RT_REFERENCE_CALLS(SemaphoreKHR, cl_semaphore_khr, RT_SEMAPHORE, CL_INVALID_SEMAPHORE_KHR)

/* ---- commands ---- */

/* The payload of a signal command: for each semaphore the gate that its completion opens, or what is
 * shared. */
struct signal {
    size_t count;
    struct {
        struct rt_event *gate;
        struct rt_payload *shared;
    } of[];
};

static cl_int open_gates(struct rt_command *command)
{
    struct signal *signal = (void *)command->payload;
    for (size_t i = 0; i < signal->count; i++)
        if (signal->of[i].shared && rt_command_inherited(command))
            return CL_OUT_OF_RESOURCES;
    command->events.start_is_named = true;
    mm_mutex_lock(&rt_lock);
    for (size_t i = 0; i < signal->count; i++) {
        struct rt_event *gate = signal->of[i].gate;
        if (signal->of[i].shared)
            rt_payload_signal(signal->of[i].shared, command->events.began);
        if (!gate)
            continue;
        gate->completion = rt_point_borrow(command->events.began);
        rt_event_set_status(gate, CL_COMPLETE);
    }
    mm_mutex_unlock(&rt_lock);
    return CL_SUCCESS;
}

/* A failed signal command: the waits for it fail too, and so do later waits for a signal that could not be
 * enqueued. A semaphore that is shared with others stays unsignaled: its payload has no room for an error. */
static void release_gates(struct rt_command *command)
{
    struct signal *signal = (void *)command->payload;
    mm_mutex_lock(&rt_lock);
    for (size_t i = 0; i < signal->count; i++) {
        if (signal->of[i].gate)
            rt_event_set_status(signal->of[i].gate, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        if (signal->of[i].shared)
            rt_payload_release(signal->of[i].shared);
    }
    if (!command->family.ended)
        rt_event_set_status(command->event, CL_OUT_OF_RESOURCES);
    mm_mutex_unlock(&rt_lock);
    for (size_t i = 0; i < signal->count; i++)
        if (signal->of[i].gate)
            rt_object_release_deferred(signal->of[i].gate);
}

static cl_int check_enqueue(cl_command_queue handle, cl_uint count, const cl_semaphore_khr *list,
                            cl_uint events, const cl_event *wait_list, struct rt_queue **queue)
{
    *queue = rt_host_queue(handle);
    if (!*queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        const struct rt_semaphore *s = live_semaphore(list[i]);
        if (!s)
            return CL_INVALID_SEMAPHORE_KHR;
        if (!rt_context_has_device(s->context, (*queue)->device) ||
            (s->listed && s->device != (*queue)->device))
            return CL_INVALID_COMMAND_QUEUE;
        if (s->context != (*queue)->context)
            return CL_INVALID_CONTEXT;
    }
    return rt_check_wait_list((*queue)->context, events, wait_list);
}

/* Under rt_lock: notes a call for S, and in *REPEATED its number if the call before did the same. */
static void note_use(struct rt_semaphore *s, enum rt_semaphore_use use, uint32_t *repeated)
{
    if (s->latest == use && *repeated == 0)
        *repeated = s->base.number;
    s->latest = use;
}

/* A binary semaphore takes signals and waits in turn [CL 5.13.6 R103]. */
static void report_repeated(const char *call, uint32_t number, const char *done, const char *missing)
{
    char text[1024];
    if (number == 0 || !rt_api_checked())
        return;
    snprintf(text, sizeof text, "%s: semaphore %u is %s twice without a %s between", call, number, done,
             missing);
    rt_api_report("api-misuse", "CL 5.13.6 R103", text, sizeof text);
}

/* The semaphores become signaled when EVENT is complete; waits that came before get it by their gates. */
static void pair_signal(cl_uint count, const cl_semaphore_khr *list, struct signal *signal,
                        struct rt_event *event, uint32_t *repeated)
{
    for (cl_uint i = 0; i < count; i++) {
        struct rt_semaphore *s = (struct rt_semaphore *)list[i];
        if (s->payload) {
            rt_payload_retain(s->payload);
            signal->of[i].shared = s->payload;
            continue;
        }
        note_use(s, RT_SIGNALED, repeated);
        if (s->gate_count) {
            signal->of[i].gate = s->gates[0];
            memmove(s->gates, s->gates + 1, --s->gate_count * sizeof *s->gates);
        } else {
            rt_object_retain(event);
            if (s->signal)
                rt_object_release_deferred(s->signal);
            s->signal = event;
        }
    }
}

cl_int CL_API_CALL rt_clEnqueueSignalSemaphoresKHR(cl_command_queue handle, cl_uint count,
                                                   const cl_semaphore_khr *list,
                                                   const cl_semaphore_payload_khr *payloads, cl_uint events,
                                                   const cl_event *wait_list, cl_event *event)
{
    static const struct rt_operation operation = {.start = open_gates, .destroy = release_gates};
    struct rt_queue *queue;
    (void)payloads; /* binary semaphores have none */
    cl_int error = check_enqueue(handle, count, list, events, wait_list, &queue);
    if (error)
        return error;
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, "clEnqueueSignalSemaphoresKHR", &operation,
                          sizeof(struct signal) + count * sizeof(((struct signal *)0)->of[0]));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    if (!rt_object_list(command->event)) { /* waits have it in their wait lists */
        rt_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct signal *signal = (void *)command->payload;
    uint32_t repeated = 0;
    signal->count = count;
    mm_mutex_lock(&rt_lock);
    pair_signal(count, list, signal, command->event, &repeated);
    mm_mutex_unlock(&rt_lock);
    report_repeated("clEnqueueSignalSemaphoresKHR", repeated, "signaled", "wait");
    return rt_command_enqueue(command, events, wait_list, event, false);
}

/* The gate of a wait for a signal of others, with a reference; NULL: no memory. */
static struct rt_event *wait_for_others(struct rt_semaphore *s)
{
    struct rt_event *gate = rt_event_create(s->context, NULL, CL_COMMAND_USER);
    if (!gate)
        return NULL;
    rt_object_retain(gate);
    rt_api_release(gate, RT_EVENT);
    bool watched = rt_watch(s->payload, s->fence, gate);
    if (watched && !s->payload) {
        s->fence_pending = false;
        s->fence = MM_NO_FD;
    }
    if (!watched)
        rt_object_release_deferred(gate);
    return watched ? gate : NULL;
}

/* The event that a wait for S depends on, with a reference; NULL: no memory. */
static struct rt_event *pair_wait(struct rt_semaphore *s, uint32_t *repeated)
{
    if (s->payload || s->fence_pending)
        return wait_for_others(s);
    struct rt_event *event = s->signal;
    note_use(s, RT_WAITED, repeated);
    s->signal = NULL;
    if (event)
        return event;
    event = rt_event_create(s->context, NULL, CL_COMMAND_USER);
    struct rt_event **added = event ? mm_add(&s->gates, &s->gate_count) : NULL;
    if (!added) {
        if (event)
            rt_api_release(event, RT_EVENT);
        return NULL;
    }
    rt_object_retain(event);
    rt_object_retain(event);
    rt_api_release(event, RT_EVENT);
    *added = event;
    return event;
}

/* Undoes pair_wait() for a wait that is not enqueued. */
static void unpair_wait(struct rt_semaphore *s, struct rt_event *event)
{
    struct mm_own_fd fence;
    if (s->payload) {
        rt_watch_cancel(event, s->payload, &fence);
        return;
    }
    s->latest = event->queue ? RT_SIGNALED : RT_UNUSED;
    for (size_t i = 0; i < s->gate_count; i++) {
        if (s->gates[i] == event) {
            memmove(s->gates + i, s->gates + i + 1, (--s->gate_count - i) * sizeof *s->gates);
            rt_object_release_deferred(event);
            return;
        }
    }
    if (event->queue && !s->signal) {
        rt_object_retain(event);
        s->signal = event;
    } else if (!event->queue && !s->fence_pending && rt_watch_cancel(event, NULL, &fence)) {
        s->fence_pending = true;
        s->fence = fence;
    }
}

cl_int CL_API_CALL rt_clEnqueueWaitSemaphoresKHR(cl_command_queue handle, cl_uint count,
                                                 const cl_semaphore_khr *list,
                                                 const cl_semaphore_payload_khr *payloads, cl_uint events,
                                                 const cl_event *wait_list, cl_event *event)
{
    static const struct rt_operation operation = {.start = NULL};
    struct rt_queue *queue;
    (void)payloads;
    cl_int error = check_enqueue(handle, count, list, events, wait_list, &queue);
    if (error)
        return error;
    cl_event *all = mm_alloc(((size_t)count + events) * sizeof *all);
    struct rt_command *command =
        rt_command_create(queue, CL_COMMAND_SEMAPHORE_WAIT_KHR, "clEnqueueWaitSemaphoresKHR", &operation, 0);
    cl_uint n = 0;
    uint32_t repeated = 0;
    mm_mutex_lock(&rt_lock);
    for (cl_uint i = 0; all && command && i < count; i++) {
        struct rt_event *signal = pair_wait((struct rt_semaphore *)list[i], &repeated);
        if (!signal)
            break;
        all[n++] = (cl_event)signal;
    }
    mm_mutex_unlock(&rt_lock);
    report_repeated("clEnqueueWaitSemaphoresKHR", repeated, "waited for", "signal");
    if (n < count) {
        if (command)
            rt_command_discard(command);
        error = CL_OUT_OF_HOST_MEMORY;
    } else {
        for (cl_uint i = 0; i < events; i++)
            all[n + i] = wait_list[i];
        error = rt_command_enqueue(command, n + events, all, event, false);
    }
    mm_mutex_lock(&rt_lock);
    for (cl_uint i = 0; error && i < n; i++)
        unpair_wait((struct rt_semaphore *)list[i], (struct rt_event *)all[i]);
    mm_mutex_unlock(&rt_lock);
    for (cl_uint i = 0; i < n; i++)
        rt_object_release(all[i]);
    mm_free(all);
    return error;
}

/* ---- queries [CL 5.13.1 R101, CL 5.13.8 R102, R103] ---- */

static bool is_signaled(const struct rt_semaphore *s)
{
    return s->payload         ? rt_payload_signaled(s->payload)
           : s->fence_pending ? rt_fence_signaled(&s->fence)
                              : s->signal && s->signal->status == CL_COMPLETE;
}

static cl_int get_payload(const void *object, const struct rt_info_out *out)
{
    mm_mutex_lock(&rt_lock);
    cl_ulong payload = is_signaled(object);
    mm_mutex_unlock(&rt_lock);
    return rt_info_ulong(out, payload);
}

RT_ANSWER_LIST(get_semaphore_properties, struct rt_semaphore, properties, property_count)

static cl_int get_export_types(const void *object, const struct rt_info_out *out)
{
    const struct rt_semaphore *s = object;
    return rt_info_put(out, &s->exported, s->exported ? sizeof s->exported : 0);
}

/* True if a fence can be exported: after a signal is enqueued and before a wait is. */
static bool is_exportable(const struct rt_semaphore *s)
{
    return s->payload ? s->exported != 0 : s->exported && s->signal;
}

static cl_int get_exportable(const void *object, const struct rt_info_out *out)
{
    mm_mutex_lock(&rt_lock);
    bool is = is_exportable(object);
    mm_mutex_unlock(&rt_lock);
    return rt_info_bool(out, is);
}

RT_ANSWER(get_type, uint, void, unused, CL_SEMAPHORE_TYPE_BINARY_KHR)
RT_ANSWER(get_device, handle, struct rt_semaphore, s, s->device)

static const struct rt_info_row rows[] = {
    RT_INFO_FIELD(CL_SEMAPHORE_CONTEXT_KHR, struct rt_semaphore, context),
    RT_INFO_GET(CL_SEMAPHORE_REFERENCE_COUNT_KHR, rt_info_references),
    RT_INFO_GET(CL_SEMAPHORE_PROPERTIES_KHR, get_semaphore_properties),
    RT_INFO_GET(CL_SEMAPHORE_TYPE_KHR, get_type),
    RT_INFO_GET(CL_SEMAPHORE_PAYLOAD_KHR, get_payload),
    RT_INFO_GET(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, get_device),
    RT_INFO_GET(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, get_export_types),
    RT_INFO_GET(CL_SEMAPHORE_EXPORTABLE_KHR, get_exportable),
};

RT_INFO_CALL(SemaphoreInfoKHR, cl_semaphore_khr, cl_semaphore_info_khr, live_semaphore(handle),
             CL_INVALID_SEMAPHORE_KHR, rows)

/* ---- handles [cl_khr_external_semaphore] ---- */

/* A descriptor for the application.  Exporting a fence uses up the signal, as a wait would. */
static int export_handle(struct rt_semaphore *s)
{
    if (s->payload)
        return rt_payload_export(s->payload);
    int fd = rt_fence_export(s->signal);
    if (fd >= 0) {
        s->latest = RT_WAITED;
        rt_object_release_deferred(s->signal);
        s->signal = NULL;
    }
    return fd;
}

cl_int CL_API_CALL rt_clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr handle, cl_device_id device,
                                                     cl_external_semaphore_handle_type_khr type, size_t size,
                                                     void *handle_ptr, size_t *size_ret)
{
    struct rt_semaphore *s = live_semaphore(handle);
    const struct rt_device *on = rt_device(device);
    if (!s)
        return CL_INVALID_SEMAPHORE_KHR;
    if (!on || !rt_context_has_device(s->context, on) || (s->listed && s->device != on))
        return CL_INVALID_DEVICE;
    if (!type || type != s->exported || (handle_ptr && size < sizeof(int)))
        return CL_INVALID_VALUE;
    cl_int result = CL_SUCCESS;
    mm_mutex_lock(&rt_lock);
    if (handle_ptr && !is_exportable(s)) {
        result = CL_INVALID_OPERATION;
    } else if (handle_ptr) {
        int fd = export_handle(s);
        result = fd >= 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
        if (fd >= 0)
            memcpy(handle_ptr, &fd, sizeof fd);
    }
    mm_mutex_unlock(&rt_lock);
    if (size_ret && !result)
        *size_ret = sizeof(int);
    return result;
}

/* No properties are defined, so that a list has none. */
cl_int CL_API_CALL rt_clReImportSemaphoreSyncFdKHR(cl_semaphore_khr handle, cl_properties *properties, int fd)
{
    struct rt_semaphore *s = live_semaphore(handle);
    if (!s || s->imported != CL_SEMAPHORE_HANDLE_SYNC_FD_KHR)
        return CL_INVALID_SEMAPHORE_KHR;
    if (!rt_fence_valid(fd) || (properties && *properties))
        return CL_INVALID_VALUE;
    if (rt_context_error(s->context))
        return rt_context_error(s->context);
    struct mm_own_fd fence;
    if (!rt_fence_import(fd, &fence))
        return CL_OUT_OF_RESOURCES;
    mm_mutex_lock(&rt_lock);
    mm_own_fd_close(&s->fence);
    if (s->signal)
        rt_object_release_deferred(s->signal);
    s->signal = NULL;
    s->latest = RT_UNUSED;
    s->fence_pending = true;
    s->fence = fence;
    mm_mutex_unlock(&rt_lock);
    return CL_SUCCESS;
}
