/* Loaded before the OpenCL loader: a read is enqueued late, and a query before a flush of it ends the
 * process, as the command need not start without one [CL 5.15]. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_bool unflushed;

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *to, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *,
                   cl_event *) = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
    if (!blocking) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        atomic_store(&unflushed, 1);
    }
    return next(queue, buffer, blocking, offset, size, to, count, list, event);
}

cl_int clFlush(cl_command_queue queue)
{
    atomic_store(&unflushed, 0);
    return ((cl_int(*)(cl_command_queue))dlsym(RTLD_NEXT, "clFlush"))(queue);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *needed)
{
    cl_int (*next)(cl_event, cl_event_info, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetEventInfo");
    if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && atomic_load(&unflushed)) {
        fputs("query of a command that was not flushed\n", stderr);
        _Exit(9);
    }
    return next(event, what, size, value, needed);
}
