/* Semaphores of the binary type [cl_khr_semaphore], and those of other APIs and processes
 * [cl_khr_external_semaphore]. */
#ifndef REF_RUNTIME_ENQUEUE_SEMAPHORE_H
#define REF_RUNTIME_ENQUEUE_SEMAPHORE_H

#include "memmodel/base/own_fd.h"
#include "ref-runtime/enqueue/enqueue.h"

enum rt_semaphore_use { RT_UNUSED, RT_SIGNALED, RT_WAITED };

struct rt_semaphore {
    struct rt_object base;
    struct rt_context *context; /* held */
    struct rt_device *device;
    bool listed; /* the device was named at creation */
    cl_semaphore_properties_khr *properties;
    size_t property_count; /* elements, the zero included */
    /* Under rt_lock: */
    struct rt_event *signal; /* held: of the signal that no wait is paired with yet, NULL: there is none */
    struct rt_event **gates; /* held: of waits that no signal is paired with yet, the first one first */
    size_t gate_count;
    enum rt_semaphore_use latest; /* of the calls that were paired */
    /* External: */
    cl_external_semaphore_handle_type_khr imported, exported; /* types of handles; 0: none */
    struct rt_payload *payload;                               /* of CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR */
    bool fence_pending;     /* imported CL_SEMAPHORE_HANDLE_SYNC_FD_KHR: no wait has used FENCE yet */
    struct mm_own_fd fence; /* no descriptor: it has signaled */
};

/* ---- external_semaphore.c; under rt_lock unless said otherwise ---- */

/* A payload that semaphores share by reference, in this process and others. */
struct rt_payload;
/* Without locks: what FD refers to, which then belongs to it; with FD -1 a new one.  NULL: not valid, or no
 * memory. */
struct rt_payload *rt_payload_create(int fd);
void rt_payload_retain(struct rt_payload *payload);
void rt_payload_release(struct rt_payload *payload);
bool rt_payload_signaled(const struct rt_payload *payload);
/* Signals PAYLOAD for a signal command that started with event BEGAN. */
void rt_payload_signal(struct rt_payload *payload, mm_event_id began);
/* A descriptor of PAYLOAD for the application; -1: no descriptor is left. */
int rt_payload_export(const struct rt_payload *payload);
/* Without locks: whether FD can be waited for as a fence; takes it over.  False: no descriptor is left, and
 * FD stays the application's. */
bool rt_fence_valid(int fd);
bool rt_fence_import(int fd, struct mm_own_fd *fence);
bool rt_fence_signaled(const struct mm_own_fd *fence);
/* A descriptor that becomes readable when EVENT completes; -1: no descriptor is left, or no memory. */
int rt_fence_export(struct rt_event *event);
/* GATE, an event of the runtime's, completes with the next signal of PAYLOAD, which is used up, or with that
 * of FENCE, which is closed then.  False: no memory. */
bool rt_watch(struct rt_payload *payload, struct mm_own_fd fence, struct rt_event *gate);
/* Cancels GATE, whose wait will not be enqueued: the signal is left to later waits for PAYLOAD.  If PAYLOAD
 * is NULL, FENCE receives the fence for later waits; false if the gate has none. */
bool rt_watch_cancel(struct rt_event *gate, struct rt_payload *payload, struct mm_own_fd *fence);
/* Ends the waits of a terminated context, which use up no signals. */
void rt_watch_wake(void);
/* In a forked child: waits that the parent began fail, since their signals are the parent's. */
void rt_watch_forked(void);
/* Under rt_lock: whether another process can let a command of this one continue. */
bool rt_watch_pending(void);

#endif
