/* Iterations of a host test: initial memory, host threads, final state. */
#include "host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITERATIONS_PER_BATCH = 50 };

/* ---- once for each test -------------------------------------------------------------------------------- */

static bool open_devices(struct lt_host *host)
{
    cl_platform_id platform = NULL;
    cl_device_id all[64];
    cl_uint found = 0;
    cl_int status;
    unsigned wanted = 1;
    for (unsigned i = 0; i < host->queue_count; i++)
        wanted = host->queues[i].device >= wanted ? host->queues[i].device + 1 : wanted;
    host->devices[host->device_count++] = host->job->device->id;
    clGetDeviceInfo(host->devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, all, &found);
    for (cl_uint i = 0; i < found && i < 64 && host->device_count < wanted; i++)
        if (all[i] != host->devices[0])
            host->devices[host->device_count++] = all[i];
    host->state.context = clCreateContext(NULL, host->device_count, host->devices, NULL, NULL, &status);
    return !lt_host_failed(host, "clCreateContext", status);
}

static cl_command_queue open_queue(struct lt_host *host, unsigned device, cl_command_queue_properties flags)
{
    cl_int status;
    cl_command_queue queue;
    if (host->job->device->cl_version >= 200) {
        const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
        queue = clCreateCommandQueueWithProperties(host->state.context, host->devices[device], properties,
                                                   &status);
    } else {
        queue = clCreateCommandQueue(host->state.context, host->devices[device], flags, &status);
    }
    return lt_host_failed(host, "clCreateCommandQueue", status) ? NULL : queue;
}

static bool open_queues(struct lt_host *host)
{
    cl_command_queue_properties can = 0;
    clGetDeviceInfo(host->devices[0], CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL);
    host->profiled = (can & CL_QUEUE_PROFILING_ENABLE) != 0;
    for (unsigned i = 0; i < host->queue_count; i++) {
        struct lt_host_queue *q = &host->queues[i];
        cl_command_queue_properties flags = host->profiled ? CL_QUEUE_PROFILING_ENABLE : 0;
        flags |= q->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
        flags |= q->on_device ? CL_QUEUE_ON_DEVICE : 0;
        if (!(q->queue = open_queue(host, q->device, flags)))
            return false;
    }
    return (host->state.last = open_queue(host, 0, 0)) != NULL;
}

static bool build_kernels(struct lt_host *host)
{
    const cJSON *item = cJSON_GetObjectItem(host->job->test, "kernel");
    const char *source = cJSON_IsString(item) ? item->valuestring : "";
    char options[64 + LT_BUILD_OPTIONS], name[32], log[1500] = "";
    cl_int status;
    if (!host->kernel_count)
        return true;
    const char *more = host->job->options->build.options ? host->job->options->build.options : "";
    bool il = host->job->device->uses_il;
    host->state.program = il ? lt_device_il(host->job->device, host->state.context, host->job->test, &status)
                             : clCreateProgramWithSource(host->state.context, 1, &source, NULL, &status);
    if (lt_host_failed(host, il ? "clCreateProgramWithIL" : "clCreateProgramWithSource", status))
        return false;
    snprintf(options, sizeof options, "%s%s %s", il ? "" : "-cl-std=",
             il ? "" : lt_device_standard(host->job->device, host->job->plan, host->legacy), more);
    if (clBuildProgram(host->state.program, host->device_count, host->devices, options, NULL, NULL) !=
        CL_SUCCESS) {
        lt_device_log(host->devices[0], host->state.program, log, sizeof log);
        snprintf(host->state.message, sizeof host->state.message, "the kernel does not build: %s", log);
        return !atomic_exchange(&host->state.failed, true) && false;
    }
    for (unsigned k = 0; k < host->kernel_count; k++) {
        snprintf(name, sizeof name, "refcl_k%u", k);
        host->kernels[k].kernel = clCreateKernel(host->state.program, name, &status);
        if (lt_host_failed(host, "clCreateKernel", status))
            return false;
    }
    return true;
}

static bool reserve_objects(struct lt_host *host)
{
    cl_int status;
    for (unsigned i = 0; i < host->object_count; i++) {
        struct lt_object *o = &host->objects[i];
        if (!o->bytes || o->kind == LT_IN_BUFFER)
            continue;
        o->memory = lt_memory_take(host->state.context, o->kind, o->bytes);
        if (!o->memory && lt_host_failed(host, "clSVMAlloc", CL_MEM_OBJECT_ALLOCATION_FAILURE))
            return false;
    }
    host->state.out = clCreateBuffer(host->state.context, CL_MEM_READ_WRITE,
                                     (host->columns + 1) * sizeof(cl_long), NULL, &status);
    return !lt_host_failed(host, "clCreateBuffer", status);
}

static void close_all(struct lt_host *host)
{
    for (unsigned i = 0; i < host->queue_count; i++)
        if (host->queues[i].queue)
            clReleaseCommandQueue(host->queues[i].queue);
    if (host->state.last)
        clReleaseCommandQueue(host->state.last);
    for (unsigned k = 0; k < host->kernel_count; k++)
        if (host->kernels[k].kernel)
            clReleaseKernel(host->kernels[k].kernel);
    if (host->state.program)
        clReleaseProgram(host->state.program);
    for (unsigned i = 0; i < host->object_count; i++)
        lt_memory_drop(host->state.context, host->objects[i].kind, host->objects[i].memory);
    if (host->state.out)
        clReleaseMemObject(host->state.out);
    if (host->state.context)
        clReleaseContext(host->state.context);
}

/* ---- one iteration --------------------------------------------------------------------------------- */

/* Coarse-grained SVM is read and written through maps. */
static bool copy_coarse(struct lt_host *host, struct lt_object *o, unsigned char *to)
{
    cl_map_flags flags = to ? CL_MAP_READ : CL_MAP_WRITE;
    if (lt_host_failed(host, "clEnqueueSVMMap",
                       clEnqueueSVMMap(host->state.last, CL_TRUE, flags, o->memory, o->bytes, 0, NULL, NULL)))
        return false;
    memcpy(to ? to : o->memory, to ? o->memory : o->initial, o->bytes);
    return !lt_host_failed(host, "clEnqueueSVMUnmap",
                           clEnqueueSVMUnmap(host->state.last, o->memory, 0, NULL, NULL)) &&
           !lt_host_failed(host, "clFinish", clFinish(host->state.last));
}

static bool set_arguments(struct lt_host *host, const struct lt_host_kernel *k)
{
    cl_uint next = 0;
    cl_int status = clSetKernelArg(k->kernel, next++, sizeof host->state.out, &host->state.out);
    for (unsigned i = 0; i < host->queue_count; i++)
        if (host->queues[i].on_device)
            status |= clSetKernelArg(k->kernel, next++, sizeof(cl_command_queue), &host->queues[i].queue);
    for (unsigned i = 0; i < host->object_count; i++) {
        struct lt_object *o = &host->objects[i];
        if (!o->bytes || o->kind == LT_IN_HOST)
            continue;
        status |= o->kind == LT_IN_BUFFER ? clSetKernelArg(k->kernel, next++, sizeof o->buffer, &o->buffer)
                                          : clSetKernelArgSVMPointer(k->kernel, next++, o->memory);
    }
    return !lt_host_failed(host, "clSetKernelArg", status);
}

static bool prepare_iteration(struct lt_host *host)
{
    cl_int status;
    for (unsigned i = 0; i < host->object_count; i++) {
        struct lt_object *o = &host->objects[i];
        for (unsigned k = 0; o->bytes && k < o->elements; k++)
            atomic_store(&o->mapped[k], NULL);
        if (o->bytes && o->kind == LT_IN_BUFFER) {
            o->buffer = clCreateBuffer(host->state.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       o->bytes, o->initial, &status);
            if (lt_host_failed(host, "clCreateBuffer", status))
                return false;
        } else if (o->bytes && o->kind == LT_IN_COARSE) {
            if (!copy_coarse(host, o, NULL))
                return false;
        } else if (o->bytes) {
            memcpy(o->memory, o->initial, o->bytes);
        }
    }
    for (unsigned k = 0; k < host->kernel_count; k++)
        if (!set_arguments(host, &host->kernels[k]))
            return false;
    for (unsigned i = 0; i < host->event_count; i++) {
        atomic_store(&host->state.events[i], NULL);
        cl_event user = host->user_events[i] ? clCreateUserEvent(host->state.context, &status) : NULL;
        if (host->user_events[i] && lt_host_failed(host, "clCreateUserEvent", status))
            return false;
        atomic_store(&host->state.events[i], user);
        if (host->is_semaphore[i] && !(host->state.semaphores[i] = lt_host_semaphore(host)))
            return false;
    }
    for (unsigned i = 0; i < host->buffer_count; i++)
        if (!lt_host_make_buffer(host, &host->buffers[i]))
            return false;
    return true;
}

static void *thread_main(void *data)
{
    lt_host_execute(data);
    return NULL;
}

/* The first thread of the program is this one. */
static void run_threads(struct lt_host *host)
{
    pthread_t started[LT_HOST_MOST];
    unsigned count = 0;
    struct lt_host_thread *own = NULL;
    atomic_store(&host->state.waiting, 0);
    for (unsigned i = 0; i < host->thread_count; i++)
        if (!host->threads[i].starts)
            atomic_fetch_add(&host->state.waiting, 1);
    for (unsigned i = 0; i < host->thread_count; i++) {
        struct lt_host_thread *t = &host->threads[i];
        if (!t->starts)
            continue;
        if (!own)
            own = t;
        else if (pthread_create(&started[count], NULL, thread_main, t) == 0)
            count++;
        else
            lt_host_failed(host, "pthread_create", -1);
    }
    if (own)
        lt_host_execute(own);
    while (count > 0)
        pthread_join(started[--count], NULL);
}

/* Waits until all commands are complete and all callbacks were called. */
static bool wait_for_completion(struct lt_host *host)
{
    const struct timespec pause = {0, 20000};
    for (unsigned i = 0; i < host->queue_count; i++)
        if (!host->queues[i].on_device)
            clFlush(host->queues[i].queue);
    for (unsigned i = 0; i < host->queue_count; i++)
        if (!host->queues[i].on_device && lt_host_failed(host, "clFinish", clFinish(host->queues[i].queue)))
            return false;
    double end = lt_seconds() + 20;
    while (atomic_load(&host->state.waiting) > 0 && !atomic_load(&host->state.failed)) {
        if (lt_seconds() > end)
            return !lt_host_failed(host, "a callback or native kernel that never ran: the test", -1);
        nanosleep(&pause, NULL);
    }
    return !atomic_load(&host->state.failed);
}

/* [CL 5.14]: queued, submitted, started, ended, in this order. */
static bool check_times(struct lt_host *host, cl_event event)
{
    static const cl_profiling_info which[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong before = 0, now = 0;
    for (unsigned i = 0; i < 4; i++, before = now) {
        if (clGetEventProfilingInfo(event, which[i], sizeof now, &now, NULL) != CL_SUCCESS)
            return true;
        if (now < before && !atomic_exchange(&host->state.failed, true))
            snprintf(host->state.message, sizeof host->state.message,
                     "profiling: a command's times are not in the order queued, submitted, started, ended");
    }
    return !atomic_load(&host->state.failed);
}

/* A blocking read, and clFinish as well: this part of the iteration does not test that reads block. */
static bool read_buffer(struct lt_host *host, cl_mem buffer, void *to, size_t bytes)
{
    return !lt_host_failed(
               host, "clEnqueueReadBuffer",
               clEnqueueReadBuffer(host->state.last, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL)) &&
           !lt_host_failed(host, "clFinish", clFinish(host->state.last));
}

static bool read_memory(struct lt_host *host, struct lt_object *o, unsigned char *to)
{
    if (o->kind == LT_IN_BUFFER)
        return read_buffer(host, o->buffer, to, o->bytes);
    if (o->kind == LT_IN_COARSE)
        return copy_coarse(host, o, to);
    memcpy(to, o->memory, o->bytes);
    return true;
}

static int64_t memory_value(struct lt_host *host, const struct lt_host_observed *observed)
{
    struct lt_object *o = &host->objects[observed->object];
    unsigned char *bytes = calloc(1, o->bytes);
    uint64_t v = 0;
    if (bytes && read_memory(host, o, bytes))
        memcpy(&v, bytes + (size_t)observed->element * o->element_size, o->element_size);
    free(bytes);
    return lt_host_value(v, o->element_size, o->is_signed);
}

static bool observe_host(struct lt_host *host, struct lt_histogram *h)
{
    int64_t values[LT_MAX_VALUES] = {0};
    cl_long *columns = calloc(host->columns + 1u, sizeof *columns);
    if (columns && host->columns)
        read_buffer(host, host->state.out, columns, host->columns * sizeof *columns);
    for (unsigned i = 0; columns && i < host->observed_count; i++) {
        const struct lt_host_observed *o = &host->observed[i];
        values[i] = o->column >= 0 ? columns[o->column]
                    : o->thread >= 0
                        ? lt_host_value(host->threads[o->thread].registers[o->reg], o->size, o->is_signed)
                        : memory_value(host, o);
    }
    free(columns);
    return columns && !atomic_load(&host->state.failed) && lt_histogram_add(h, values, 1);
}

static void release_iteration(struct lt_host *host)
{
    for (unsigned i = 0; i < host->event_count; i++) {
        cl_event event = atomic_load(&host->state.events[i]);
        if (event)
            clReleaseEvent(event);
        atomic_store(&host->state.events[i], NULL);
        if (host->state.semaphores[i])
            lt_host_release_semaphore(host, host->state.semaphores[i]);
        host->state.semaphores[i] = NULL;
    }
    for (unsigned i = 0; i < host->buffer_count; i++)
        lt_host_release_buffer(host, &host->buffers[i]);
    for (unsigned i = 0; i < host->object_count; i++) {
        if (host->objects[i].buffer)
            clReleaseMemObject(host->objects[i].buffer);
        host->objects[i].buffer = NULL;
    }
}

static bool run_iteration(struct lt_host *host, uint64_t seed, struct lt_histogram *h)
{
    for (unsigned i = 0; i < host->thread_count; i++) {
        memset(host->threads[i].registers, 0, sizeof host->threads[i].registers);
        host->threads[i].random = seed + i * 0x632be59bd9b4e019;
    }
    bool ok = prepare_iteration(host);
    if (ok)
        run_threads(host);
    ok = ok && wait_for_completion(host) && observe_host(host, h);
    for (unsigned i = 0; ok && host->profiled && i < host->event_count; i++)
        if (!host->user_events[i] && atomic_load(&host->state.events[i]))
            ok = check_times(host, atomic_load(&host->state.events[i]));
    release_iteration(host);
    return ok;
}

/* ---- batches ------------------------------------------------------------------------------------- */

static bool run_batch(struct lt_host *host, uint64_t seed, uint64_t iterations)
{
    struct lt_histogram h = {.values = host->observed_count};
    double start = lt_seconds();
    bool ok = true;
    for (uint64_t i = 0; i < iterations && ok; i++)
        ok = run_iteration(host, lt_random(&seed), &h);
    if (ok) {
        cJSON *extra = cJSON_CreateObject();
        cJSON_AddNumberToObject(extra, "instances", (double)iterations);
        cJSON_AddNumberToObject(extra, "discarded", 0);
        cJSON_AddNumberToObject(extra, "ms", (lt_seconds() - start) * 1e3);
        cJSON_AddItemToObject(extra, "states", lt_histogram_json(&h));
        lt_report(host->job->report, host->job->index, "batch", NULL, extra);
    }
    lt_histogram_clear(&h);
    return ok;
}

static void run_batches(struct lt_host *host)
{
    const struct lt_job *job = host->job;
    uint64_t wanted = lt_wanted(job->options, job->test), done = job->done, batch = job->batches;
    bool timed = job->deadline > 0;
    for (bool first = true; timed ? first || lt_seconds() < job->deadline : done < wanted;
         first = false, batch++) {
        uint64_t left = timed || wanted - done > ITERATIONS_PER_BATCH ? ITERATIONS_PER_BATCH : wanted - done;
        if (!run_batch(host, lt_batch_seed(job, batch), left))
            return;
        done += left;
        if (timed && job->options->amount.confidence > 0 &&
            (double)done >= 3 / job->options->amount.confidence)
            return;
    }
}

void lt_run_host_test(struct lt_job *job, bool legacy)
{
    struct lt_host *host = calloc(1, sizeof *host);
    if (!host) {
        lt_report(job->report, job->index, "failed", "out of memory", NULL);
        return;
    }
    host->job = job;
    host->legacy = legacy;
    host->state.buffers_version = lt_device_extension_version(job->device, "cl_khr_command_buffer");
    bool ok = lt_host_read(host);
    if (ok && open_devices(host) && open_queues(host) && build_kernels(host) && reserve_objects(host))
        run_batches(host);
    close_all(host);
    const char *failure = !ok || atomic_load(&host->state.failed) ? host->state.message : NULL;
    lt_report(job->report, job->index, failure ? "failed" : "done", failure, NULL);
    lt_host_forget(host);
    free(host);
}
