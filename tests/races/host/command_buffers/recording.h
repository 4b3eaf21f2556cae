/* Command buffers of one or two queues, with the calls of cl_khr_command_buffer 0.9.5: older headers declare older ones. */
#ifndef TESTS_RACES_HOST_COMMAND_BUFFERS_RECORDING_H
#define TESTS_RACES_HOST_COMMAND_BUFFERS_RECORDING_H

#include "../host.h"
#include <CL/cl_ext.h>

typedef cl_command_buffer_khr recording;
typedef cl_sync_point_khr point;
typedef cl_mutable_command_khr handle;

/* What follows the properties of a command in every call that records one. */
#define SYNC cl_uint, const point *, point *, handle *

static inline void *extension(const char *name)
{
    cl_platform_id platform;
    OK(clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    OK(function ? CL_SUCCESS : CL_INVALID_OPERATION);
    return function;
}

/* A command buffer for COUNT queues with FLAGS. */
static inline recording record_on(cl_uint count, const cl_command_queue *queues, cl_bitfield flags)
{
    recording (*create)(cl_uint, const cl_command_queue *, const cl_properties *, cl_int *);
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int code;
    *(void **)&create = extension("clCreateCommandBufferKHR");
    recording made = create(count, queues, properties, &code);
    OK(code);
    return made;
}
static inline recording record(cl_command_queue queue)
{
    return record_on(1, &queue, 0);
}

/* Records a launch of N / 2 work-items of K to QUEUE (NULL: the only one) after the COUNT points of LIST. */
static inline point add_launch(recording to, cl_command_queue queue, cl_kernel k, handle *update,
                               cl_uint count, const point *list)
{
    cl_int (*call)(recording, cl_command_queue, const cl_properties *, cl_kernel, cl_uint, const size_t *,
                   const size_t *, const size_t *, SYNC);
    const size_t items = N / 2, local = 8;
    point made;
    *(void **)&call = extension("clCommandNDRangeKernelKHR");
    OK(call(to, queue, NULL, k, 1, NULL, &items, &local, count, list, &made, update));
    return made;
}
/* Records a launch after the point AFTER, or after none if that is 0. */
static inline point add(recording to, cl_kernel k, point after)
{
    return add_launch(to, NULL, k, NULL, after ? 1 : 0, after ? &after : NULL);
}
static inline point add_barrier_to(recording to, cl_command_queue queue, point after)
{
    cl_int (*call)(recording, cl_command_queue, const cl_properties *, SYNC);
    point made;
    *(void **)&call = extension("clCommandBarrierWithWaitListKHR");
    OK(call(to, queue, NULL, after ? 1 : 0, after ? &after : NULL, &made, NULL));
    return made;
}
static inline point add_barrier(recording to, point after)
{
    return add_barrier_to(to, NULL, after);
}
static inline point add_copy(recording to, cl_mem from, cl_mem into, point after)
{
    cl_int (*call)(recording, cl_command_queue, const cl_properties *, cl_mem, cl_mem, size_t, size_t, size_t,
                   SYNC);
    point made;
    *(void **)&call = extension("clCommandCopyBufferKHR");
    OK(call(to, NULL, NULL, from, into, 0, 0, BYTES / 2, after ? 1 : 0, after ? &after : NULL, &made, NULL));
    return made;
}
static inline point add_fill(recording to, cl_mem into, size_t first, size_t bytes, point after)
{
    cl_int (*call)(recording, cl_command_queue, const cl_properties *, cl_mem, const void *, size_t, size_t,
                   size_t, SYNC);
    static const int zero;
    point made;
    *(void **)&call = extension("clCommandFillBufferKHR");
    OK(call(to, NULL, NULL, into, &zero, sizeof zero, first, bytes, after ? 1 : 0, after ? &after : NULL,
            &made, NULL));
    return made;
}

static inline void finalize(recording r)
{
    cl_int (*call)(recording);
    *(void **)&call = extension("clFinalizeCommandBufferKHR");
    OK(call(r));
}
/* Enqueues R to COUNT QUEUES (0: those that it was made for), after WAIT (NULL: at once); returns the event. */
static inline cl_event run_on(recording r, cl_uint count, cl_command_queue *queues, cl_event wait)
{
    cl_int (*call)(cl_uint, cl_command_queue *, recording, cl_uint, const cl_event *, cl_event *);
    cl_event event;
    *(void **)&call = extension("clEnqueueCommandBufferKHR");
    OK(call(count, queues, r, wait ? 1 : 0, wait ? &wait : NULL, &event));
    return event;
}
static inline cl_event run(recording r, cl_event wait)
{
    return run_on(r, 0, NULL, wait);
}

/* Changes buffer argument 0, the offset and the number of work-items of a recorded launch; NULL and 0: not. */
static inline void update(recording r, handle command, cl_mem buffer, size_t offset, size_t items)
{
    cl_int (*call)(recording, cl_uint, const cl_uint *, const void **);
    const struct {
        cl_uint index;
        size_t size;
        const void *value;
    } argument = {0, sizeof buffer, &buffer};
    const struct {
        handle command;
        cl_uint argument_count, svm_count, info_count, dimensions;
        const void *arguments, *svm, *infos;
        const size_t *offset, *global, *local;
    } config = {command,
                buffer != NULL,
                0,
                0,
                0,
                buffer ? &argument : NULL,
                NULL,
                NULL,
                offset ? &offset : NULL,
                items ? &items : NULL,
                NULL};
    const cl_uint type = 0; /* CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR */
    const void *configs[] = {&config};
    *(void **)&call = extension("clUpdateMutableCommandsKHR");
    OK(call(r, 1, &type, configs));
}

/* A buffer for concurrent runs on QUEUE that adds to the first half of A, and a handle of that launch. */
static inline recording record_mutable(cl_command_queue queue, cl_mem a, handle *command)
{
    recording r =
        record_on(1, &queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR);
    add_launch(r, NULL, kernel("add", a, NULL, NULL), command, 0, NULL);
    finalize(r);
    return r;
}

#endif
