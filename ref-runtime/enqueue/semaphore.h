/* Semaphores of the binary type [cl_khr_semaphore]. */
#ifndef RT_SEMAPHORE_H
#define RT_SEMAPHORE_H

#include "ref-runtime/enqueue/enqueue.h"

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
    enum { RT_UNUSED, RT_SIGNALED, RT_WAITED } latest; /* of the calls that were paired */
};

#endif
