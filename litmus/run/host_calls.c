/* API calls of host tests. */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call, with the arguments that all enqueueing calls share. */
struct enqueue {
    struct lt_host_thread *thread;
    struct lt_host *host;
    const struct lt_host_call *call;
    cl_command_queue queue;
    cl_uint count;
    cl_event list[LT_HOST_WAITS], made;
    cl_event *event;
    void *buffer; /* cl_command_buffer_khr; recording calls use POINTS and MADE_POINT for LIST and MADE */
    cl_uint points[LT_HOST_WAITS], made_point;
};

bool lt_host_failed(struct lt_host *host, const char *what, cl_int status)
{
    if (status == CL_SUCCESS)
        return false;
    if (!atomic_exchange(&host->state.failed, true))
        snprintf(host->state.message, sizeof host->state.message, "%s failed with error %d", what,
                 (int)status);
    return true;
}

/* After attempt TRY of a wait for another thread or command: the first ones spin. */
static void pause_after(unsigned try)
{
    if (try > 1000)
        nanosleep(&(struct timespec){0, 20000}, NULL);
}

/* Waits for the handle of an event that another thread creates. */
static cl_event event_of(struct lt_host *host, unsigned number)
{
    for (unsigned try = 0; !atomic_load(&host->state.failed); pause_after(try++)) {
        cl_event event = atomic_load(&host->state.events[number]);
        if (event)
            return event;
    }
    return NULL;
}

static const cl_event *list_of(const struct enqueue *e)
{
    return e->count ? e->list : NULL;
}

static struct lt_object *call_object(const struct enqueue *e, struct lt_call_place place)
{
    return &e->host->objects[place.object];
}

/* Byte range of a place in its object. */
static size_t offset_of(const struct enqueue *e, struct lt_call_place place)
{
    return place.element < 0 ? 0 : (size_t)place.element * call_object(e, place)->element_size;
}

static size_t size_of(const struct enqueue *e, struct lt_call_place place)
{
    const struct lt_object *o = call_object(e, place);
    return place.element < 0 ? o->bytes : o->element_size;
}

static unsigned char *memory_of(const struct enqueue *e, struct lt_call_place place)
{
    return (unsigned char *)call_object(e, place)->memory + offset_of(e, place);
}

/* The bytes that a copy transfers: the smaller of both places. */
static size_t shared_size(const struct enqueue *e)
{
    size_t a = size_of(e, e->call->source), b = size_of(e, e->call->target);
    return a < b ? a : b;
}

static cl_int enqueue_kernel(const struct enqueue *e)
{
    const struct lt_host_kernel *k = &e->host->kernels[e->call->kernel];
    size_t local = k->members, global = (size_t)k->groups * k->members;
    return clEnqueueNDRangeKernel(e->queue, k->kernel, 1, NULL, &global, &local, e->count, list_of(e),
                                  e->event);
}

static void run_started(struct lt_host_thread *thread)
{
    lt_host_execute(thread);
    atomic_fetch_sub(&thread->host->state.waiting, 1);
}

static void CL_CALLBACK native_main(void *arguments)
{
    struct lt_host_thread *thread;
    memcpy(&thread, arguments, sizeof thread);
    run_started(thread);
}

static void CL_CALLBACK callback_main(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    run_started(data);
}

static cl_int enqueue_native(const struct enqueue *e)
{
    struct lt_host_thread *thread = &e->host->threads[e->call->thread];
    return clEnqueueNativeKernel(e->queue, native_main, &thread, sizeof thread, 0, NULL, NULL, e->count,
                                 list_of(e), e->event);
}

static cl_int read_buffer(const struct enqueue *e)
{
    return clEnqueueReadBuffer(e->queue, call_object(e, e->call->source)->buffer, e->call->blocking,
                               offset_of(e, e->call->source), shared_size(e), memory_of(e, e->call->target),
                               e->count, list_of(e), e->event);
}

static cl_int write_buffer(const struct enqueue *e)
{
    return clEnqueueWriteBuffer(e->queue, call_object(e, e->call->target)->buffer, e->call->blocking,
                                offset_of(e, e->call->target), shared_size(e), memory_of(e, e->call->source),
                                e->count, list_of(e), e->event);
}

static cl_int copy_buffer(const struct enqueue *e)
{
    return clEnqueueCopyBuffer(e->queue, call_object(e, e->call->source)->buffer,
                               call_object(e, e->call->target)->buffer, offset_of(e, e->call->source),
                               offset_of(e, e->call->target), shared_size(e), e->count, list_of(e), e->event);
}

static cl_int fill_buffer(const struct enqueue *e)
{
    const struct lt_object *o = call_object(e, e->call->target);
    return clEnqueueFillBuffer(e->queue, o->buffer, &e->call->value, o->element_size,
                               offset_of(e, e->call->target), size_of(e, e->call->target), e->count,
                               list_of(e), e->event);
}

static cl_map_flags map_flags(const struct enqueue *e)
{
    return (e->call->map_flags & 1 ? CL_MAP_READ : 0u) | (e->call->map_flags & 2 ? CL_MAP_WRITE : 0u);
}

static cl_int map_buffer(const struct enqueue *e)
{
    struct lt_object *o = call_object(e, e->call->source);
    size_t offset = offset_of(e, e->call->source);
    cl_int status;
    unsigned char *at =
        clEnqueueMapBuffer(e->queue, o->buffer, e->call->blocking, map_flags(e), offset,
                           size_of(e, e->call->source), e->count, list_of(e), e->event, &status);
    size_t first = offset / o->element_size, count = size_of(e, e->call->source) / o->element_size;
    for (size_t i = 0; status == CL_SUCCESS && i < count; i++)
        atomic_store(&o->mapped[first + i], at + i * o->element_size);
    return status;
}

static cl_int unmap_buffer(const struct enqueue *e)
{
    struct lt_object *o = call_object(e, e->call->source);
    unsigned char *at = atomic_load(&o->mapped[offset_of(e, e->call->source) / o->element_size]);
    return clEnqueueUnmapMemObject(e->queue, o->buffer, at, e->count, list_of(e), e->event);
}

static cl_int enqueue_migrate(const struct enqueue *e)
{
    return clEnqueueMigrateMemObjects(e->queue, 1, &call_object(e, e->call->source)->buffer, 0, e->count,
                                      list_of(e), e->event);
}

static cl_int svm_map(const struct enqueue *e)
{
    return clEnqueueSVMMap(e->queue, e->call->blocking, map_flags(e), memory_of(e, e->call->source),
                           size_of(e, e->call->source), e->count, list_of(e), e->event);
}

static cl_int svm_unmap(const struct enqueue *e)
{
    return clEnqueueSVMUnmap(e->queue, memory_of(e, e->call->source), e->count, list_of(e), e->event);
}

static cl_int svm_copy(const struct enqueue *e)
{
    return clEnqueueSVMMemcpy(e->queue, e->call->blocking, memory_of(e, e->call->target),
                              memory_of(e, e->call->source), shared_size(e), e->count, list_of(e), e->event);
}

static cl_int svm_fill(const struct enqueue *e)
{
    return clEnqueueSVMMemFill(e->queue, memory_of(e, e->call->target), &e->call->value,
                               call_object(e, e->call->target)->element_size, size_of(e, e->call->target),
                               e->count, list_of(e), e->event);
}

static cl_int svm_migrate(const struct enqueue *e)
{
    const void *pointer = memory_of(e, e->call->source);
    return clEnqueueSVMMigrateMem(e->queue, 1, &pointer, NULL, 0, e->count, list_of(e), e->event);
}

/* ---- semaphores: functions of cl_khr_semaphore, which older headers do not declare ---- */

static void *extension_function(const struct lt_host *host, const char *name)
{
    cl_platform_id platform = NULL;
    clGetDeviceInfo(host->devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return clGetExtensionFunctionAddressForPlatform(platform, name);
}

/* Declares F: the function NAME of an extension, F.call, with the type RESULT(...); F.found is NULL where it
 * is missing. */
#define EXTENSION(f, name, result, ...)                                                                      \
    const union {                                                                                            \
        void *found;                                                                                         \
        result(CL_API_CALL *call)(__VA_ARGS__);                                                              \
    } f = {.found = extension_function(host, name)}

void *lt_host_semaphore(struct lt_host *host)
{
    enum { SEMAPHORE_TYPE = 0x203D, BINARY = 1, DEVICES = 0x2053 };
    EXTENSION(f, "clCreateSemaphoreWithPropertiesKHR", void *, cl_context, const cl_ulong *, cl_int *);
    const cl_ulong properties[] = {
        SEMAPHORE_TYPE, BINARY, DEVICES, (cl_ulong)(uintptr_t)host->devices[0], 0, 0};
    cl_int status = CL_INVALID_OPERATION;
    void *semaphore = f.found ? f.call(host->state.context, properties, &status) : NULL;
    return lt_host_failed(host, "clCreateSemaphoreWithPropertiesKHR", status) ? NULL : semaphore;
}

void lt_host_release_semaphore(struct lt_host *host, void *semaphore)
{
    EXTENSION(f, "clReleaseSemaphoreKHR", cl_int, void *);
    if (f.found)
        f.call(semaphore);
}

static cl_int with_semaphores(const struct enqueue *e, const char *name)
{
    const struct lt_host *host = e->host;
    void *semaphores[LT_HOST_WAITS] = {0};
    EXTENSION(f, name, cl_int, cl_command_queue, cl_uint, void *const *, const cl_ulong *, cl_uint,
              const cl_event *, cl_event *);
    for (unsigned i = 0; i < e->call->semaphore_count; i++)
        semaphores[i] = host->state.semaphores[e->call->semaphores[i]];
    return f.found
               ? f.call(e->queue, e->call->semaphore_count, semaphores, NULL, e->count, list_of(e), e->event)
               : CL_INVALID_OPERATION;
}

static cl_int signal_semaphore(const struct enqueue *e)
{
    return with_semaphores(e, "clEnqueueSignalSemaphoresKHR");
}

static cl_int wait_for_semaphore(const struct enqueue *e)
{
    return with_semaphores(e, "clEnqueueWaitSemaphoresKHR");
}

/* ---- command buffers: functions of cl_khr_command_buffer; those that record have a parameter for properties
 * since version 0.9.5 ---- */

typedef const cl_ulong *properties_list;

static bool has_properties(const struct enqueue *e)
{
    return e->host->state.buffers_version >= LT_VERSION(0, 9, 5);
}

/* Declares F, the function NAME of the extension with both signatures: BUFFER, QUEUE, [PROPERTIES,] TYPES...,
 * and the sync-points. */
#define RECORDED(f, name, ...)                                                                               \
    const union {                                                                                            \
        void *found;                                                                                         \
        cl_int(CL_API_CALL *without)(void *, cl_command_queue, __VA_ARGS__, END);                            \
        cl_int(CL_API_CALL *with)(void *, cl_command_queue, properties_list, __VA_ARGS__, END);              \
    } f = {.found = extension_function(e->host, name)}
#define END cl_uint, const cl_uint *, cl_uint *, void *
/* The result of F with these arguments. */
#define RECORD(f, ...)                                                                                       \
    (!f.found ? CL_INVALID_OPERATION                                                                         \
     : has_properties(e)                                                                                     \
         ? f.with(e->buffer, NULL, NULL, __VA_ARGS__, e->count, points_of(e), point_of(e), NULL)             \
         : f.without(e->buffer, NULL, __VA_ARGS__, e->count, points_of(e), point_of(e), NULL))

static const cl_uint *points_of(const struct enqueue *e)
{
    return e->count ? e->points : NULL;
}

static cl_uint *point_of(const struct enqueue *e)
{
    return e->call->event < 0 ? NULL : (cl_uint *)&e->made_point;
}

bool lt_host_make_buffer(struct lt_host *host, struct lt_host_buffer *b)
{
    enum { FLAGS = 0x1293, SIMULTANEOUS_USE = 1 };
    EXTENSION(f, "clCreateCommandBufferKHR", void *, cl_uint, const cl_command_queue *, const cl_ulong *,
              cl_int *);
    const cl_ulong properties[] = {FLAGS, SIMULTANEOUS_USE, 0};
    cl_int status = CL_INVALID_OPERATION;
    bool flagged = b->simultaneous_use || (b->runs > 1 && host->state.buffers_version < LT_VERSION(0, 9, 8));
    atomic_store(&b->final, false);
    b->handle =
        f.found ? f.call(1, &host->queues[b->queue].queue, flagged ? properties : NULL, &status) : NULL;
    return !lt_host_failed(host, "clCreateCommandBufferKHR", status);
}

void lt_host_release_buffer(struct lt_host *host, struct lt_host_buffer *b)
{
    EXTENSION(f, "clReleaseCommandBufferKHR", cl_int, void *);
    if (f.found && b->handle)
        f.call(b->handle);
    b->handle = NULL;
}

static cl_int finalize_command_buffer(const struct enqueue *e)
{
    const struct lt_host *host = e->host;
    EXTENSION(f, "clFinalizeCommandBufferKHR", cl_int, void *);
    return f.found ? f.call(e->buffer) : CL_INVALID_OPERATION;
}

/* Waits until the command buffer is finalized, possibly by another thread. */
static cl_int run_buffer(const struct enqueue *e)
{
    const struct lt_host *host = e->host;
    EXTENSION(f, "clEnqueueCommandBufferKHR", cl_int, cl_uint, const cl_command_queue *, void *, cl_uint,
              const cl_event *, cl_event *);
    for (unsigned try = 0; !atomic_load(&host->buffers[e->call->buffer].final); pause_after(try++))
        if (atomic_load(&host->state.failed))
            return CL_SUCCESS;
    return f.found ? f.call(1, &e->queue, e->buffer, e->count, list_of(e), e->event) : CL_INVALID_OPERATION;
}

static cl_int record_kernel(const struct enqueue *e)
{
    const struct lt_host_kernel *k = &e->host->kernels[e->call->kernel];
    size_t local = k->members, global = (size_t)k->groups * k->members;
    const struct lt_host *host = e->host;
    EXTENSION(f, "clCommandNDRangeKernelKHR", cl_int, void *, cl_command_queue, properties_list, cl_kernel,
              cl_uint, const size_t *, const size_t *, const size_t *, END);
    return f.found ? f.call(e->buffer, NULL, NULL, k->kernel, 1, NULL, &global, &local, e->count,
                            points_of(e), point_of(e), NULL)
                   : CL_INVALID_OPERATION;
}

static cl_int record_copy(const struct enqueue *e)
{
    cl_mem from = call_object(e, e->call->source)->buffer, to = call_object(e, e->call->target)->buffer;
    RECORDED(f, "clCommandCopyBufferKHR", cl_mem, cl_mem, size_t, size_t, size_t);
    return RECORD(f, from, to, offset_of(e, e->call->source), offset_of(e, e->call->target), shared_size(e));
}

static cl_int record_fill(const struct enqueue *e)
{
    const struct lt_object *o = call_object(e, e->call->target);
    size_t offset = offset_of(e, e->call->target), size = size_of(e, e->call->target);
    RECORDED(f, "clCommandFillBufferKHR", cl_mem, const void *, size_t, size_t, size_t);
    return RECORD(f, o->buffer, &e->call->value, o->element_size, offset, size);
}

static cl_int record_svm_copy(const struct enqueue *e)
{
    void *to = memory_of(e, e->call->target);
    const void *from = memory_of(e, e->call->source);
    RECORDED(f, "clCommandSVMMemcpyKHR", void *, const void *, size_t);
    return RECORD(f, to, from, shared_size(e));
}

static cl_int record_svm_fill(const struct enqueue *e)
{
    const struct lt_object *o = call_object(e, e->call->target);
    void *to = memory_of(e, e->call->target);
    RECORDED(f, "clCommandSVMMemFillKHR", void *, const void *, size_t, size_t);
    return RECORD(f, to, &e->call->value, o->element_size, size_of(e, e->call->target));
}

static cl_int record_barrier(const struct enqueue *e)
{
    union {
        void *found;
        cl_int(CL_API_CALL *without)(void *, cl_command_queue, END);
        cl_int(CL_API_CALL *with)(void *, cl_command_queue, properties_list, END);
    } f = {.found = extension_function(e->host, "clCommandBarrierWithWaitListKHR")};
    return !f.found            ? CL_INVALID_OPERATION
           : has_properties(e) ? f.with(e->buffer, NULL, NULL, e->count, points_of(e), point_of(e), NULL)
                               : f.without(e->buffer, NULL, e->count, points_of(e), point_of(e), NULL);
}

static cl_int enqueue_marker(const struct enqueue *e)
{
    return clEnqueueMarkerWithWaitList(e->queue, e->count, list_of(e), e->event);
}

static cl_int enqueue_barrier(const struct enqueue *e)
{
    return clEnqueueBarrierWithWaitList(e->queue, e->count, list_of(e), e->event);
}

static cl_int finish_queue(const struct enqueue *e)
{
    return clFinish(e->queue);
}

static cl_int enqueue_flush(const struct enqueue *e)
{
    return clFlush(e->queue);
}

static cl_int wait_for_events(const struct enqueue *e)
{
    return clWaitForEvents(e->count, e->list);
}

/* Repeats the query until the status is the one wanted, or a later one [CL 5.11]. */
static cl_int query_status(const struct enqueue *e)
{
    cl_int status = CL_QUEUED, result;
    for (unsigned try = 0; !atomic_load(&e->host->state.failed); pause_after(try++)) {
        result = clGetEventInfo(e->list[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (result != CL_SUCCESS || status < 0)
            return result != CL_SUCCESS ? result : status;
        if (status <= (cl_int)e->call->value)
            return CL_SUCCESS;
    }
    return CL_SUCCESS;
}

static cl_int set_status(const struct enqueue *e)
{
    return clSetUserEventStatus(e->list[0], CL_COMPLETE);
}

static cl_int set_callback(const struct enqueue *e)
{
    return clSetEventCallback(e->list[0], CL_COMPLETE, callback_main, &e->host->threads[e->call->thread]);
}

static const struct {
    const char *name;
    cl_int (*run)(const struct enqueue *e);
} functions[] = {{"clEnqueueNDRangeKernel", enqueue_kernel},
                 {"clEnqueueNativeKernel", enqueue_native},
                 {"clEnqueueReadBuffer", read_buffer},
                 {"clEnqueueWriteBuffer", write_buffer},
                 {"clEnqueueCopyBuffer", copy_buffer},
                 {"clEnqueueFillBuffer", fill_buffer},
                 {"clEnqueueMapBuffer", map_buffer},
                 {"clEnqueueUnmapMemObject", unmap_buffer},
                 {"clEnqueueMigrateMemObjects", enqueue_migrate},
                 {"clEnqueueSVMMap", svm_map},
                 {"clEnqueueSVMUnmap", svm_unmap},
                 {"clEnqueueSVMMemcpy", svm_copy},
                 {"clEnqueueSVMMemFill", svm_fill},
                 {"clEnqueueSVMMigrateMem", svm_migrate},
                 {"clEnqueueSignalSemaphoresKHR", signal_semaphore},
                 {"clEnqueueWaitSemaphoresKHR", wait_for_semaphore},
                 {"clEnqueueCommandBufferKHR", run_buffer},
                 {"clFinalizeCommandBufferKHR", finalize_command_buffer},
                 {"clCommandNDRangeKernelKHR", record_kernel},
                 {"clCommandCopyBufferKHR", record_copy},
                 {"clCommandFillBufferKHR", record_fill},
                 {"clCommandSVMMemcpyKHR", record_svm_copy},
                 {"clCommandSVMMemFillKHR", record_svm_fill},
                 {"clCommandBarrierWithWaitListKHR", record_barrier},
                 {"clEnqueueMarkerWithWaitList", enqueue_marker},
                 {"clEnqueueBarrierWithWaitList", enqueue_barrier},
                 {"clFinish", finish_queue},
                 {"clFlush", enqueue_flush},
                 {"clWaitForEvents", wait_for_events},
                 {"clGetEventInfo", query_status},
                 {"clSetUserEventStatus", set_status},
                 {"clSetEventCallback", set_callback}};

int lt_host_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* A flush orders nothing, but a wait needs a flush of the commands before it [CL 5.15]; other flushes are
 * random. */
void lt_host_flush(struct lt_host *host)
{
    for (unsigned i = 0; i < host->queue_count; i++)
        if (!host->queues[i].on_device)
            lt_host_failed(host, "clFlush", clFlush(host->queues[i].queue));
}

/* Some runtimes schedule commands only while a thread waits; this wait is for an independent command. */
void lt_host_wait_idle(struct lt_host *host)
{
    if (!lt_host_failed(host, "clEnqueueMarkerWithWaitList",
                        clEnqueueMarkerWithWaitList(host->state.last, 0, NULL, NULL)))
        lt_host_failed(host, "clFinish", clFinish(host->state.last));
}

static bool call_waits(const struct lt_host_call *call)
{
    return call->blocking || strcmp(functions[call->function].name, "clFinish") == 0 ||
           strcmp(functions[call->function].name, "clWaitForEvents") == 0 ||
           strcmp(functions[call->function].name, "clGetEventInfo") == 0;
}

bool lt_host_records(const char *name)
{
    return strncmp(name, "clCommand", strlen("clCommand")) == 0;
}

void lt_host_call(struct lt_host_thread *thread, const struct lt_host_call *call)
{
    struct lt_host *host = thread->host;
    const char *name = functions[call->function].name;
    struct enqueue e = {.thread = thread, .host = host, .call = call, .count = call->wait_count};
    e.queue = call->queue < 0 ? NULL : host->queues[call->queue].queue;
    e.buffer = call->buffer < 0 ? NULL : host->buffers[call->buffer].handle;
    e.event = call->event < 0 ? NULL : &e.made;
    for (unsigned i = 0; i < call->wait_count; i++)
        if (lt_host_records(name))
            e.points[i] = host->state.points[call->waits[i]];
        else if (!(e.list[i] = event_of(host, call->waits[i])))
            return;
    /* After event_of(): another thread may enqueue the commands of these events. */
    if (call_waits(call) || lt_random(&thread->random) % 2)
        lt_host_flush(host);
    if (lt_host_failed(host, name, functions[call->function].run(&e)))
        return;
    if (lt_host_records(name) && call->event >= 0)
        host->state.points[call->event] = e.made_point;
    else if (call->event >= 0)
        atomic_store(&host->state.events[call->event], e.made);
    if (strcmp(name, "clFinalizeCommandBufferKHR") == 0)
        atomic_store(&host->buffers[call->buffer].final, true);
}
