/* Command buffers: commands recorded once and enqueued as often as wanted [cl_khr_command_buffer]. */
#ifndef RT_COMMAND_BUFFER_H
#define RT_COMMAND_BUFFER_H

#include "ref-runtime/enqueue/enqueue.h"

/* A recorded command, and what it comes after among those recorded earlier. */
struct rt_recorded {
    struct rt_command *pattern; /* never enqueued: each run of the buffer has a copy */
    cl_command_type type;
    bool is_barrier;
    cl_uint *points; /* sync-points, that is indices from 1 */
    cl_uint point_count;
};
struct rt_command_buffer {
    struct rt_object base;
    struct rt_queue *queue; /* held */
    cl_command_buffer_properties_khr *properties;
    size_t property_count; /* elements, the zero included */
    cl_command_buffer_flags_khr flags;
    /* Under rt_lock: */
    bool finalized;
    cl_uint pending; /* enqueued and not complete */
    struct rt_recorded *commands;
    size_t count;
};

/* Of every command since version 0.9.5 of the extension, before of kernels only; refcl implements the version that
 * the OpenCL headers declare. */
#if defined CL_KHR_COMMAND_BUFFER_EXTENSION_VERSION &&                                                       \
    CL_KHR_COMMAND_BUFFER_EXTENSION_VERSION >= CL_MAKE_VERSION(0, 9, 5)
#define RT_COMMAND_BUFFER_VERSION CL_MAKE_VERSION(0, 9, 5)
#define RT_PROPERTIES_PARAMETER   const cl_properties *properties,
#define RT_PROPERTIES_ARGUMENT    properties,
#define RT_PROPERTIES             properties
#else
#define RT_COMMAND_BUFFER_VERSION CL_MAKE_VERSION(0, 9, 1)
#define RT_PROPERTIES_PARAMETER
#define RT_PROPERTIES_ARGUMENT
#define RT_PROPERTIES NULL
#endif

/* What every recording call checks first; S is for the buffer's queue then. */
cl_int rt_recording_begin(struct rt_submission *s, const char *name, cl_command_buffer_khr buffer,
                          cl_command_queue queue, const cl_properties *properties, cl_uint count,
                          const cl_sync_point_khr *points, cl_sync_point_khr *point,
                          const cl_mutable_command_khr *mutable_handle);
/* Puts COMMAND into the buffer of S. */
cl_int rt_command_buffer_add(const struct rt_submission *s, struct rt_command *command);

#define RT_CALL(clause, name, parameters, arguments, first)         __typeof__(name) rt_##name;
#define RT_CREATE(clause, type, name, parameters, arguments, first) __typeof__(name) rt_##name;
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE

#endif
