/* Acquiring and releasing memory that is shared with other APIs and processes [cl_khr_external_memory 1.0.1].
 *
 * Mapped memory is always up to date, so that neither moves any data.  An acquire is recorded as a write of
 * the contents from other APIs, and a release as a read for them: commands that use the object without an
 * order after the acquire and before the release race with them. */
#include "ref-runtime/memory/external.h"
#include "ref-runtime/enqueue/enqueue.h"

struct ownership_transfer {
    cl_uint count;
    bool acquires;
    struct rt_mem *mems[];
};

static cl_int run_ownership_transfer(struct rt_command *command)
{
    const struct ownership_transfer *h = (void *)command->payload;
    for (cl_uint i = 0; i < h->count; i++) {
        struct rt_mem *mem = h->mems[i];
        struct rt_external *e = mem->external;
        /* Another object of the memory may be in use already: only the first acquire finds contents of
         * others. */
        bool recorded = h->acquires ? e->acquired++ == 0 : e->acquired > 0;
        if (recorded)
            rt_enqueue_record(command, h->acquires ? MM_WRITE : MM_READ, mem, 0, mem->size, e->data);
        if (!h->acquires && e->acquired > 0)
            e->acquired--;
    }
    return CL_SUCCESS;
}

static void destroy_ownership_transfer(struct rt_command *command)
{
    const struct ownership_transfer *h = (void *)command->payload;
    for (cl_uint i = 0; i < h->count; i++)
        rt_object_release_deferred(h->mems[i]);
}

static cl_int check_objects(const struct rt_queue *queue, cl_uint count, const cl_mem *objects)
{
    if (!count != !objects)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        const struct rt_mem *mem = rt_mem(objects[i]);
        if (!mem || !mem->external)
            return CL_INVALID_MEM_OBJECT;
        int index = rt_context_device_index(mem->context, queue->device);
        if (index < 0 || !(mem->external_devices >> index & 1))
            return CL_INVALID_COMMAND_QUEUE;
        if (mem->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

static cl_int enqueue_ownership_transfer(cl_command_queue handle, cl_uint count, const cl_mem *objects,
                                         cl_uint events, const cl_event *wait_list, cl_event *event,
                                         bool acquires)
{
    static const struct rt_operation operation = {.start = run_ownership_transfer,
                                                  .destroy = destroy_ownership_transfer};
    struct rt_queue *queue;
    cl_int error = rt_enqueue_begin(handle, events, wait_list, &queue);
    error = error ? error : check_objects(queue, count, objects);
    if (error)
        return error;
    struct rt_command *command = rt_command_create(
        queue,
        acquires ? CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR : CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
        acquires ? "clEnqueueAcquireExternalMemObjectsKHR" : "clEnqueueReleaseExternalMemObjectsKHR",
        &operation, sizeof(struct ownership_transfer) + count * sizeof(struct rt_mem *));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    struct ownership_transfer *h = (void *)command->payload;
    h->acquires = acquires;
    for (; h->count < count; h->count++) {
        h->mems[h->count] = rt_mem(objects[h->count]);
        rt_object_retain(h->mems[h->count]);
    }
    return rt_command_enqueue(command, events, wait_list, event, false);
}

cl_int CL_API_CALL rt_clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue queue, cl_uint count,
                                                            const cl_mem *objects, cl_uint events,
                                                            const cl_event *wait_list, cl_event *event)
{
    return enqueue_ownership_transfer(queue, count, objects, events, wait_list, event, true);
}

cl_int CL_API_CALL rt_clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue queue, cl_uint count,
                                                            const cl_mem *objects, cl_uint events,
                                                            const cl_event *wait_list, cl_event *event)
{
    return enqueue_ownership_transfer(queue, count, objects, events, wait_list, event, false);
}
