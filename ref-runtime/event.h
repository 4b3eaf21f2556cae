/* Events among themselves. */
#ifndef REF_RUNTIME_EVENT_H
#define REF_RUNTIME_EVENT_H

#include "ref-runtime/sched/command.h"

/* A registered callback of an event. */
struct rt_event_callback {
    struct rt_event_callback *next;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
    struct rt_event *event; /* held while the call is pending */
    cl_int type;            /* CL_SUBMITTED, CL_RUNNING, CL_COMPLETE */
    cl_int status;          /* to call with */
    mm_event_id registered; /* recording: the call that asked for it */
};
/* Under rt_lock: writes the times of EVENT, which is complete, to where kernels requested them
 * (enqueue/device.c). */
void rt_event_write_captures(const struct rt_event *event);
void rt_captures_free(struct rt_capture *captures);
/* Under rt_lock: EVENT is complete; commands that waited for it may become ready. */
void rt_sched_resolve(struct rt_event *event);

#endif
