/* Command buffers: commands recorded once and enqueued as often as wanted [cl_khr_command_buffer 0.9.8]. */
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
    struct rt_recorded *commands;
    size_t count;
};

/* What every recording call checks first; S is for the buffer's queue then. */
cl_int rt_recording_begin(struct rt_submission *s, const char *name, cl_command_buffer_khr buffer,
                          cl_command_queue queue, const cl_properties *properties, cl_uint count,
                          const cl_sync_point_khr *points, cl_sync_point_khr *point,
                          const cl_mutable_command_khr *mutable_handle);
/* Puts COMMAND into the buffer of S. */
cl_int rt_command_buffer_add(const struct rt_submission *s, struct rt_command *command);

#endif
