/* Events: waiting, user events, callbacks, profiling [CL 5.11, 5.14]. */
#include "tools/layer/launch.h"
#include "tools/layer/layer.h"

#include <stdlib.h>

void ly_event_destroy(void *object)
{
    ly_point_unuse(((struct ly_event *)object)->point);
}

/* [CL 3.3.6 H4] */
static cl_int CL_API_CALL layer_clWaitForEvents(cl_uint count, const cl_event *list)
{
    cl_int code = ly_next.clWaitForEvents(count, list);
    if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct mm_edge *edges = mm_alloc_zero(count, sizeof *edges);
    size_t used = 0;
    for (cl_uint i = 0; edges && i < count; i++) {
        const struct ly_event *event = ly_object_find(LY_EVENT, list[i]);
        if (event && event->point && event->point->id != MM_NO_EVENT)
            edges[used++] = (struct mm_edge){.from = event->point->id, .kind = MM_EDGE_API_WAIT};
    }
    ly_retire(ly_record_call("clWaitForEvents", LY_PLACE, edges, used));
    mm_recorder_flush(ly_recorder());
    mm_free(edges);
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clWaitForEvents)

/* Records a query that observed the end of a command [CL 3.3.6 H101]. */
static cl_int CL_API_CALL layer_clGetEventInfo(cl_event handle, cl_event_info name, size_t size, void *value,
                                               size_t *size_ret)
{
    cl_int code = ly_next.clGetEventInfo(handle, name, size, value, size_ret);
    if (code != CL_SUCCESS || name != CL_EVENT_COMMAND_EXECUTION_STATUS || !value ||
        *(const cl_int *)value != CL_COMPLETE)
        return code;
    pthread_mutex_lock(&ly_lock);
    const struct ly_event *event = ly_object_find(LY_EVENT, handle);
    if (event && !event->user && event->point && event->point->id != MM_NO_EVENT) {
        struct mm_edge edge = {.from = event->point->id, .kind = MM_EDGE_QUERY};
        ly_record_call("clGetEventInfo", LY_PLACE, &edge, 1);
    }
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clGetEventInfo)

static cl_event CL_API_CALL layer_clCreateUserEvent(cl_context context, cl_int *code)
{
    cl_event handle = ly_next.clCreateUserEvent(context, code);
    pthread_mutex_lock(&ly_lock);
    struct ly_event *event = handle ? ly_object_add(LY_EVENT, handle, sizeof *event) : NULL;
    if (event) {
        event->point = ly_point_create();
        event->user = true;
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXPORT(clCreateUserEvent)

/* [CL 3.3.6 H12] The call precedes every command that waits for the event.  It is recorded before the driver
 * executes it, since the commands that it unblocks may complete before it returns.  A call that fails changes
 * nothing: the event was complete already. */
static cl_int CL_API_CALL layer_clSetUserEventStatus(cl_event handle, cl_int status)
{
    pthread_mutex_lock(&ly_lock);
    struct ly_event *event = ly_object_find(LY_EVENT, handle);
    if (event && event->user && event->point && !event->point->done && status <= CL_COMPLETE) {
        struct mm_edge edge = {.from = ly_record_call("clSetUserEventStatus", LY_PLACE, NULL, 0),
                               .kind = MM_EDGE_USER_EVENT};
        struct mm_event complete = {.kind = MM_EVENT_COMPLETE, .agent = ly_this_thread()};
        ly_point_complete(event->point, mm_recorder_event(ly_recorder(), &complete, &edge, 1), status < 0);
    }
    pthread_mutex_unlock(&ly_lock);
    return ly_next.clSetUserEventStatus(handle, status);
}
LY_EXPORT(clSetUserEventStatus)

struct callback {
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    struct ly_point *point; /* NULL: the event need not be complete */
    mm_event_id registered;
};

/* [CL 3.3.6 H11] The event's completion, and all that precedes the registration, happen before the callback's
 * calls. */
static void CL_CALLBACK call_back(cl_event event, cl_int status, void *data)
{
    struct callback callback = *(struct callback *)data;
    mm_free(data);
    pthread_mutex_lock(&ly_lock);
    uint32_t before = ly_thread_replace();
    ly_record_callback(callback.point ? callback.point->id : MM_NO_EVENT, callback.registered);
    ly_point_unuse(callback.point);
    pthread_mutex_unlock(&ly_lock);
    bool nested = ly_in_callback;
    ly_in_callback = true;
    callback.function(event, status, callback.data);
    ly_in_callback = nested;
    ly_thread_restore(before);
}

static cl_int CL_API_CALL layer_clSetEventCallback(cl_event handle, cl_int type,
                                                   void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                                                   void *data)
{
    struct callback *callback = function ? mm_alloc_zero(1, sizeof *callback) : NULL;
    if (!callback)
        return ly_next.clSetEventCallback(handle, type, function, data);
    pthread_mutex_lock(&ly_lock);
    struct ly_event *event = ly_object_find(LY_EVENT, handle);
    *callback = (struct callback){.function = function,
                                  .data = data,
                                  .point = type == CL_COMPLETE && event ? ly_point_use(event->point) : NULL,
                                  .registered = ly_record_call("clSetEventCallback", LY_PLACE, NULL, 0)};
    pthread_mutex_unlock(&ly_lock);
    cl_int code = ly_next.clSetEventCallback(handle, type, call_back, callback);
    if (code != CL_SUCCESS) {
        pthread_mutex_lock(&ly_lock);
        ly_point_unuse(callback->point);
        pthread_mutex_unlock(&ly_lock);
        mm_free(callback);
    }
    return code;
}
LY_EXPORT(clSetEventCallback)

/* The times of a command are known only after the host has waited for it. */
static cl_int CL_API_CALL layer_clGetEventProfilingInfo(cl_event handle, cl_profiling_info name, size_t size,
                                                        void *value, size_t *size_ret)
{
    static bool noted;
    pthread_mutex_lock(&ly_lock);
    const struct mm_record record = {.type = MM_RECORD_TEXT, .text = {LY_PROFILED, "yes"}};
    if (!noted)
        mm_recorder_record(ly_recorder(), &record);
    noted = true;
    pthread_mutex_unlock(&ly_lock);
    return ly_next.clGetEventProfilingInfo(handle, name, size, value, size_ret);
}
LY_EXPORT(clGetEventProfilingInfo)
