/* Markers, barriers and waiting in the queue [CL 5.12, 3.3.6 H6, H7]. */
#include "ref-runtime/enqueue/enqueue.h"

static const struct rt_operation nothing = {.start = NULL};

static cl_int enqueue_marker(cl_command_queue handle, cl_command_type type, const char *name, cl_uint count,
                             const cl_event *list, cl_event *event)
{
    struct rt_queue *queue;
    cl_int error = rt_enqueue_begin(handle, count, list, &queue);
    if (error)
        return error;
    struct rt_command *command = rt_command_create(queue, type, name, &nothing, 0);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    return rt_command_enqueue_marker(command, type == CL_COMMAND_BARRIER, count, list, event);
}

cl_int CL_API_CALL rt_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list,
                                                  cl_event *event)
{
    return enqueue_marker(queue, CL_COMMAND_MARKER, "clEnqueueMarkerWithWaitList", count, list, event);
}

cl_int CL_API_CALL rt_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                   const cl_event *list, cl_event *event)
{
    return enqueue_marker(queue, CL_COMMAND_BARRIER, "clEnqueueBarrierWithWaitList", count, list, event);
}

cl_int CL_API_CALL rt_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!rt_host_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    return event ? enqueue_marker(queue, CL_COMMAND_MARKER, "clEnqueueMarker", 0, NULL, event)
                 : CL_INVALID_VALUE;
}

cl_int CL_API_CALL rt_clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_marker(queue, CL_COMMAND_BARRIER, "clEnqueueBarrier", 0, NULL, NULL);
}

/* Later commands of the queue wait for the list. */
cl_int CL_API_CALL rt_clEnqueueWaitForEvents(cl_command_queue handle, cl_uint count, const cl_event *list)
{
    struct rt_queue *queue = rt_host_queue(handle);
    if (!queue)
        return CL_INVALID_COMMAND_QUEUE;
    if (count == 0 || !list)
        return CL_INVALID_VALUE;
    cl_int error = rt_check_wait_list(queue->context, count, list);
    if (error)
        return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
    return enqueue_marker(handle, CL_COMMAND_BARRIER, "clEnqueueWaitForEvents", count, list, NULL);
}
