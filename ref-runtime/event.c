/* Event objects: status, user events, callbacks, waiting, profiling [CL 5.11, 5.14]. */
#include "ref-runtime/event.h"
#include "interp/fault.h"
#include "ref-runtime/callback.h"
#include "ref-runtime/device.h"
#include "ref-runtime/sched/state.h"

struct rt_event *rt_event_create(struct rt_context *context, struct rt_queue *queue, cl_command_type type)
{
    struct rt_event *event = queue ? rt_object_create_unlisted(RT_EVENT, sizeof *event)
                                   : rt_object_create(RT_EVENT, sizeof *event);
    if (!event)
        return NULL;
    rt_object_retain(context);
    event->context = context;
    if (queue) {
        rt_object_retain(queue);
        event->queue = queue;
        event->profiled = queue->flags & CL_QUEUE_PROFILING_ENABLE;
    }
    event->command_type = type;
    event->status = queue ? CL_QUEUED : CL_SUBMITTED;
    return event;
}

static void free_callback(struct rt_event_callback *callback)
{
    if (rt_recorder())
        mm_recorder_retire(rt_recorder(), &callback->registered, 1);
    mm_free(callback);
}

void rt_event_destroy(struct rt_event *event)
{
    while (event->callbacks) {
        struct rt_event_callback *callback = event->callbacks;
        event->callbacks = callback->next;
        free_callback(callback);
    }
    rt_captures_free(event->captures);
    mm_free(event->waiting);
    rt_point_drop(event->completion);
    rt_object_release_held(event->queue);
    rt_object_release_held(event->context);
}

void rt_event_stamp(struct rt_event *event, int which)
{
    if (event->profiled)
        event->times[which] = IN_FAULTY(PROFILING_DISORDER) && which == RT_START ? 1 : rt_now();
}

/* ---- callbacks ---- */

static void call_callback(void *data)
{
    struct rt_event_callback *callback = data;
    rt_record_callback(rt_point_event(callback->type == CL_COMPLETE ? callback->event->completion : NULL),
                       callback->registered);
    callback->function((cl_event)callback->event, callback->status, callback->data);
    rt_object_release(callback->event);
    free_callback(callback);
}

/* Under rt_lock. */
static void post_callback(struct rt_event *event, struct rt_event_callback *callback)
{
    callback->status = event->status < 0 ? event->status : callback->type;
    callback->event = event;
    rt_object_retain(event);
    if (!(rt_sched.step.busy ? rt_callback_post_in_step : rt_callback_post)(call_callback, callback)) {
        rt_object_release_deferred(event);
        free_callback(callback);
    }
}

/* Posts, in the order of registration, the callbacks for the present status and earlier ones. */
static void post_reached(struct rt_event *event)
{
    for (struct rt_event_callback **at = &event->callbacks; *at;) {
        struct rt_event_callback *callback = *at;
        if (event->status <= callback->type || IN_FAULTY(CALLBACK_EARLY)) {
            *at = callback->next;
            post_callback(event, callback);
        } else {
            at = &callback->next;
        }
    }
}

void rt_event_set_status(struct rt_event *event, cl_int status)
{
    if (event->status <= CL_COMPLETE) {
        if (IN_FAULTY(EVENT_EARLY) || IN_FAULTY(PARENT_EARLY))
            rt_sched_resolve(event); /* threads that wait for the command re-check it */
        return;
    }
    event->status = status;
    post_reached(event);
    if (status <= CL_COMPLETE)
        rt_sched_resolve(event);
}

cl_int CL_API_CALL rt_clSetEventCallback(cl_event handle, cl_int type,
                                         void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                                         void *user_data)
{
    struct rt_event *event = rt_event(handle);
    if (!event)
        return CL_INVALID_EVENT;
    if (!pfn_notify || (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE))
        return CL_INVALID_VALUE;
    if (!rt_callback_start())
        return CL_OUT_OF_RESOURCES;
    struct rt_event_callback *callback = mm_alloc_zero(1, sizeof *callback);
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    callback->function = pfn_notify;
    callback->data = user_data;
    callback->type = type;
    callback->registered = rt_record_call("clSetEventCallback", NULL, 0);
    rt_instrumented_callback();
    mm_mutex_lock(&rt_lock);
    struct rt_event_callback **at = &event->callbacks;
    while (*at)
        at = &(*at)->next;
    *at = callback;
    post_reached(event);
    mm_mutex_unlock(&rt_lock);
    return CL_SUCCESS;
}

/* ---- waiting ---- */

/* Records that the calling thread waited for LIST [CL 3.3.6 H4]. */
static void record_wait(cl_uint count, const cl_event *list)
{
    struct mm_edge *edges = rt_recorder() ? mm_alloc_zero(count, sizeof *edges) : NULL;
    size_t n = 0;
    for (cl_uint i = 0; edges && i < count; i++) {
        const struct rt_event *event = rt_event(list[i]);
        if (event && event->completion)
            edges[n++] =
                (struct mm_edge){.from = rt_point_event(event->completion), .kind = MM_EDGE_API_WAIT};
    }
    rt_record_plain_call("clWaitForEvents", edges, n);
    mm_free(edges);
}

cl_int CL_API_CALL rt_clWaitForEvents(cl_uint num_events, const cl_event *list)
{
    if (num_events == 0 || !list)
        return CL_INVALID_VALUE;
    struct rt_context *context = NULL;
    for (cl_uint i = 0; i < num_events; i++) {
        struct rt_event *event = rt_event(list[i]);
        if (!event)
            return CL_INVALID_EVENT;
        if (context && event->context != context)
            return CL_INVALID_CONTEXT;
        context = event->context;
    }
    for (cl_uint i = 0; i < num_events; i++)
        rt_object_retain(list[i]);
    bool failed = false;
    mm_mutex_lock(&rt_lock);
    for (cl_uint i = 0; i < num_events; i++) {
        struct rt_event *event = (struct rt_event *)list[i];
        if (event->queue)
            rt_sched_flush(event->queue);
    }
    for (cl_uint i = 0; i < num_events; i++) {
        struct rt_event *event = (struct rt_event *)list[i];
        while (event->status > CL_COMPLETE && !IN_FAULTY(WAIT_EARLY))
            rt_sched_wait(event);
        failed = failed || event->status < 0;
    }
    rt_sched_wake();
    mm_mutex_unlock(&rt_lock);
    record_wait(num_events, list);
    for (cl_uint i = 0; i < num_events; i++)
        rt_object_release(list[i]);
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

/* ---- user events ---- */

cl_event CL_API_CALL rt_clCreateUserEvent(cl_context handle, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    struct rt_event *event = rt_event_create(context, NULL, CL_COMMAND_USER);
    rt_null(errcode_ret, event ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
    return (cl_event)event;
}

/* [CL 3.3.6 H12] The call comes before every command that waits for the event. */
static struct rt_point *record_user_event(void)
{
    if (!rt_recorder())
        return NULL;
    struct mm_edge edge = {.from = rt_record_call("clSetUserEventStatus", NULL, 0),
                           .kind = MM_EDGE_USER_EVENT};
    struct mm_event event = {.kind = MM_EVENT_COMPLETE, .agent = {0, mm_recorder_host_thread(rt_recorder())}};
    struct rt_point *point = rt_point_create(mm_recorder_event(rt_recorder(), &event, &edge, 1));
    mm_recorder_retire(rt_recorder(), &edge.from, 1);
    return point;
}

cl_int CL_API_CALL rt_clSetUserEventStatus(cl_event handle, cl_int status)
{
    struct rt_event *event = rt_event(handle);
    if (!event || event->queue)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    cl_int result = CL_INVALID_OPERATION;
    rt_sched_start();
    mm_mutex_lock(&rt_lock);
    if (event->status > CL_COMPLETE) {
        event->completion = record_user_event();
        rt_event_set_status(event, status);
        result = CL_SUCCESS;
    }
    mm_mutex_unlock(&rt_lock);
    return result;
}

/* ---- queries ---- */

/* Records a query that observed the end of a command [CL 3.3.6 H101]. */
static void record_observed(const struct rt_event *event)
{
    struct mm_edge edge = {.from = rt_point_event(event->completion), .kind = MM_EDGE_QUERY};
    if (event->queue && event->completion)
        rt_record_plain_call("clGetEventInfo", &edge, 1);
}

static cl_int observe_status(const struct rt_event *event)
{
    mm_mutex_lock(&rt_lock);
    cl_int status = event->status;
    if (status > CL_COMPLETE)
        rt_sched_poll();
    mm_mutex_unlock(&rt_lock);
    return status;
}

static cl_int get_status(const void *object, const struct rt_info_out *out)
{
    cl_int status = observe_status(object);
    if (status == CL_COMPLETE && out->value)
        record_observed(object);
    return rt_info_put(out, &status, sizeof status);
}

RT_ANSWER(get_queue, handle, struct rt_event, event, event->several_queues ? NULL : event->queue)

static const struct rt_info_row event_rows[] = {
    RT_INFO_GET(CL_EVENT_COMMAND_QUEUE, get_queue),
    RT_INFO_FIELD(CL_EVENT_CONTEXT, struct rt_event, context),
    RT_INFO_FIELD(CL_EVENT_COMMAND_TYPE, struct rt_event, command_type),
    RT_INFO_GET(CL_EVENT_COMMAND_EXECUTION_STATUS, get_status),
    RT_INFO_GET(CL_EVENT_REFERENCE_COUNT, rt_info_references),
};

RT_INFO_CALL(EventInfo, cl_event, cl_event_info, rt_event(handle), CL_INVALID_EVENT, event_rows)

static const struct rt_info_row profiling_rows[] = {
    RT_INFO_FIELD(CL_PROFILING_COMMAND_QUEUED, struct rt_event, times[RT_QUEUED]),
    RT_INFO_FIELD(CL_PROFILING_COMMAND_SUBMIT, struct rt_event, times[RT_SUBMIT]),
    RT_INFO_FIELD(CL_PROFILING_COMMAND_START, struct rt_event, times[RT_START]),
    RT_INFO_FIELD(CL_PROFILING_COMMAND_END, struct rt_event, times[RT_END]),
    RT_INFO_FIELD(CL_PROFILING_COMMAND_COMPLETE, struct rt_event, times[RT_COMPLETED]),
};

/* Times exist for commands of profiling queues that are complete. */
cl_int CL_API_CALL rt_clGetEventProfilingInfo(cl_event handle, cl_profiling_info param_name, size_t size,
                                              void *value, size_t *size_ret)
{
    struct rt_event *event = rt_event(handle);
    if (!event)
        return CL_INVALID_EVENT;
    if (observe_status(event) != CL_COMPLETE || event->context->terminated || !event->profiled)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return RT_INFO_QUERY(profiling_rows, event, param_name, size, value, size_ret);
}

RT_REFERENCE_CALLS(Event, cl_event, RT_EVENT, CL_INVALID_EVENT)
