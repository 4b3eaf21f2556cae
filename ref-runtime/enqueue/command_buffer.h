/* Command buffers: commands recorded once and enqueued as often as wanted [cl_khr_command_buffer 0.9.8]. */
#ifndef REF_RUNTIME_ENQUEUE_COMMAND_BUFFER_H
#define REF_RUNTIME_ENQUEUE_COMMAND_BUFFER_H

#include "ref-runtime/enqueue/enqueue.h"

/* A recorded command and its dependencies on those recorded earlier. */
struct rt_recorded {
    struct rt_command *pattern; /* never enqueued: each run of the buffer has a copy; under rt_lock */
    cl_uint queue;              /* that it was recorded to: index in the buffer's list */
    struct rt_mutable *handle;  /* held; NULL: none was requested */
    cl_command_type type;
    bool is_barrier;
    cl_uint *points; /* sync-points, that is indices from 1 */
    cl_uint point_count;
    struct rt_point *call; /* held: the call that recorded it */
};
struct rt_command_buffer {
    struct rt_object base;
    struct rt_queue **queues; /* held; all of CONTEXT */
    cl_uint queue_count;
    struct rt_context *context; /* which the queues hold */
    cl_command_buffer_properties_khr *properties;
    size_t property_count; /* elements, the zero included */
    cl_command_buffer_flags_khr flags;
    bool no_more_groups; /* CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR */
    /* Under rt_lock: */
    bool finalized;
    struct rt_recorded *commands;
    size_t count;
    struct rt_event *latest_run; /* held, with REFCL_CHECK=api; NULL: never enqueued */
};

/* The checks at the begin of every recording call.  Sets the buffer and the queue of S: QUEUE, or the only
 * one if that is NULL. */
cl_int rt_recording_begin(struct rt_submission *s, cl_command_buffer_khr buffer, cl_command_queue queue,
                          const cl_properties *properties, const cl_mutable_command_khr *mutable_handle);
/* Makes COMMAND a pattern with one user: releases its event, which only enqueued commands have. */
void rt_pattern_begin(struct rt_command *command);
/* Ends a use; DEFERRED: in a thread that must not call the application. */
void rt_pattern_release(struct rt_command *pattern, bool deferred);
/* Under rt_lock: whether the command is a kernel that lacks arguments. */
bool rt_pattern_incomplete(const struct rt_command *pattern);
/* Under rt_lock: CL_COMMAND_BUFFER_STATE_*. */
cl_uint rt_command_buffer_state(const struct rt_command_buffer *buffer);
/* Adds COMMAND to the buffer of S; takes its ownership. */
cl_int rt_command_buffer_add(const struct rt_submission *s, struct rt_command *command);

/* Defines clEnqueueFUNCTION, clCommandFUNCTIONKHR, or both, which submit a command by CALL, an expression of
 * the submission S; PARAMETERS, those between the queue and the wait list, are in parentheses. */
#define RT_LIST(...) __VA_ARGS__
#define RT_ENQUEUE(function, parameters, call)                                                               \
    cl_int CL_API_CALL rt_clEnqueue##function(cl_command_queue queue, RT_LIST parameters, cl_uint count,     \
                                              const cl_event *list, cl_event *event)                         \
    {                                                                                                        \
        struct rt_submission s = {                                                                           \
            .name = "clEnqueue" #function, .count = count, .list = list, .event = event};                    \
        cl_int error = rt_submission_begin(&s, queue);                                                       \
        return error ? error : (call);                                                                       \
    }
#define RT_RECORD(function, parameters, call)                                                                \
    cl_int CL_API_CALL rt_clCommand##function##KHR(                                                          \
        cl_command_buffer_khr command_buffer, cl_command_queue queue, const cl_properties *properties,       \
        RT_LIST parameters, cl_uint count, const cl_sync_point_khr *points, cl_sync_point_khr *point,        \
        cl_mutable_command_khr *mutable_handle)                                                              \
    {                                                                                                        \
        struct rt_submission s = {                                                                           \
            .name = "clCommand" #function "KHR", .count = count, .points = points, .point = point};          \
        cl_int error = rt_recording_begin(&s, command_buffer, queue, properties, mutable_handle);            \
        return error ? error : (call);                                                                       \
    }
#define RT_ENQUEUE_AND_RECORD(function, parameters, call)                                                    \
    RT_ENQUEUE(function, parameters, call)                                                                   \
    RT_RECORD(function, parameters, call)

#endif
