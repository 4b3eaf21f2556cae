/* A test on an OpenCL device: memory, launches, counts.  Memory is prepared and final states are counted on
 * the device; only the counts come back. */
#include "exec.h"
#include "host.h"

#include <stdlib.h>
#include <string.h>

bool lt_exec_failed(struct exec *e, const char *what, cl_int status)
{
    if (status == CL_SUCCESS)
        return false;
    snprintf(e->message, sizeof e->message, "%s failed with error %d", what, (int)status);
    e->failure = e->message;
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static bool reserve_buffer(struct exec *e, cl_mem *buffer, size_t bytes)
{
    cl_int status;
    *buffer = clCreateBuffer(e->job->device->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &status);
    return !lt_exec_failed(e, "clCreateBuffer", status);
}

static bool create_buffers(struct exec *e)
{
    size_t gates = (size_t)e->knobs[LT_K_clusters] * e->knobs[LT_K_rounds];
    return reserve_buffer(e, &e->memory.out,
                          (size_t)(e->shape.columns + 1) * e->shape.capacity * e->shape.value_size) &&
           reserve_buffer(e, &e->memory.scratch, MAX_LINES * sizeof(cl_uint)) &&
           reserve_buffer(e, &e->memory.sync, gates * sizeof(cl_uint)) &&
           reserve_buffer(e, &e->memory.knobs, sizeof e->knobs) &&
           reserve_buffer(e, &e->memory.bins, e->shape.bins * sizeof(cl_uint)) &&
           reserve_buffer(e, &e->memory.counts, 2 * sizeof(cl_uint)) &&
           reserve_buffer(e, &e->memory.others,
                          (size_t)OTHERS * (e->shape.observed_count + 1) * sizeof(cl_long));
}

static void drop_memory(struct exec *e, struct location *l)
{
    if (l->image)
        clReleaseMemObject(l->image);
    if (l->buffer)
        clReleaseMemObject(l->buffer);
    if (l->memory) /* not before the kernels that use it have ended [CL 5.6.1] */
        clFinish(e->job->device->queue);
    lt_memory_drop(e->job->device->context, l->kind, l->memory);
    l->image = l->buffer = NULL;
    l->memory = NULL;
}

/* An image with one texel for each element of BUFFER [CL 5.3.1.2]. */
static bool make_image(struct exec *e, struct location *l, size_t bytes)
{
    cl_int status;
    cl_image_format format = {CL_R, l->is_signed ? CL_SIGNED_INT32 : CL_UNSIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                          .image_width = bytes / l->element_size,
                          .buffer = l->buffer};
    l->image = clCreateImage(e->job->device->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    return !lt_exec_failed(e, "clCreateImage", status);
}

static bool reserve_location(struct exec *e, struct location *l, size_t bytes)
{
    if (l->kind == LT_IN_BUFFER)
        return reserve_buffer(e, &l->buffer, bytes) && (!l->is_image || make_image(e, l, bytes));
    l->memory = lt_memory_take(e->job->device->context, l->kind, bytes);
    return !lt_exec_failed(e, "clSVMAlloc", l->memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* Allocates memory for all instances at this stride.  The collecting kernel initializes it. */
static bool fit_locations(struct exec *e)
{
    for (unsigned i = 0; i < e->shape.location_count; i++) {
        struct location *l = &e->locations[i];
        size_t bytes = lt_exec_location_bytes(e, l);
        if (bytes <= l->bytes)
            continue;
        drop_memory(e, l);
        if (!reserve_location(e, l, bytes))
            return false;
        l->bytes = bytes;
    }
    return true;
}

static bool set_buffers(struct exec *e, cl_kernel kernel, const cl_mem *const *buffers, cl_uint *next)
{
    cl_int status = CL_SUCCESS;
    for (; *buffers; buffers++)
        status |= clSetKernelArg(kernel, (*next)++, sizeof **buffers, *buffers);
    return !lt_exec_failed(e, "clSetKernelArg", status);
}

/* The kernel that collects states takes images as the buffers that they are made from. */
static bool set_locations(struct exec *e, cl_kernel kernel, cl_uint next)
{
    cl_int status = CL_SUCCESS;
    for (unsigned i = 0; i < e->shape.location_count; i++, next++) {
        const struct location *l = &e->locations[i];
        const cl_mem *object = l->image && kernel != e->collect ? &l->image : &l->buffer;
        status |= l->kind == LT_IN_BUFFER ? clSetKernelArg(kernel, next, sizeof *object, object)
                                          : clSetKernelArgSVMPointer(kernel, next, l->memory);
    }
    return !lt_exec_failed(e, "clSetKernelArg", status);
}

static bool set_arguments(struct exec *e)
{
    const cl_mem *run[] = {&e->memory.out, &e->memory.scratch, &e->memory.sync, &e->memory.knobs, NULL};
    const cl_mem *collect[] = {&e->memory.out,
                               &e->memory.sync,
                               &e->memory.knobs,
                               &e->memory.bins,
                               &e->memory.counts,
                               &e->memory.others,
                               NULL};
    cl_uint a = 0, b = 0, seed = 0;
    if (!set_buffers(e, e->kernel, run, &a) ||
        lt_exec_failed(e, "clSetKernelArg", clSetKernelArg(e->kernel, a, sizeof seed, &seed)))
        return false;
    a++;
    return set_locations(e, e->kernel, a) &&
           (!e->collect || (set_buffers(e, e->collect, collect, &b) && set_locations(e, e->collect, b)));
}

static bool enqueue_collect(struct exec *e)
{
    const struct lt_device *d = e->job->device;
    size_t local = !d->is_gpu ? 1 : d->max_group < 64 ? d->max_group : 64;
    size_t groups = (e->knobs[LT_K_instances] + local * 8 - 1) / (local * 8);
    size_t most = (size_t)d->units * (d->is_gpu ? 16 : 1);
    size_t global = (groups < most ? groups : most) * local;
    return !lt_exec_failed(
        e, "clEnqueueNDRangeKernel",
        clEnqueueNDRangeKernel(d->queue, e->collect, 1, NULL, &global, &local, 0, NULL, NULL));
}

static bool enqueue_run(struct exec *e)
{
    size_t local = (size_t)e->shape.slots * e->shape.members,
           groups = (size_t)e->knobs[LT_K_clusters] * e->shape.groups;
    size_t every = e->knobs[LT_K_stress_every];
    if (every)
        groups += (groups - 1) / (every - 1);
    size_t global = groups * local;
    cl_uint seed = (cl_uint)lt_random(&e->random);
    return !lt_exec_failed(e, "clSetKernelArg", clSetKernelArg(e->kernel, 4, sizeof seed, &seed)) &&
           !lt_exec_failed(e, "clEnqueueNDRangeKernel",
                           clEnqueueNDRangeKernel(e->job->device->queue, e->kernel, 1, NULL, &global, &local,
                                                  0, NULL, NULL));
}

static bool write_buffer(struct exec *e, cl_mem buffer, const void *from, size_t bytes)
{
    return !lt_exec_failed(
        e, "clEnqueueWriteBuffer",
        clEnqueueWriteBuffer(e->job->device->queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

static bool read_buffer(struct exec *e, cl_mem buffer, void *to, size_t bytes)
{
    return !lt_exec_failed(
        e, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(e->job->device->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* A batch of many launches may take longer than the campaign waits for a message: waits for some of the
 * launches and reports that they are complete.  After a launch that hangs there is no message. */
static bool report_progress(struct exec *e, unsigned number)
{
    unsigned often = e->job->device->is_gpu ? 4 : 1;
    if (number % often != often - 1)
        return true;
    if (lt_exec_failed(e, "clFinish", clFinish(e->job->device->queue)))
        return false;
    lt_report(e->job->report, e->job->index, "alive", NULL, NULL);
    return true;
}

/* Prepares memory, launches LAUNCHES times, counting after each. */
static bool launch_repeatedly(struct exec *e, unsigned launches)
{
    const cl_uint zero[2] = {0, 0};
    if (lt_exec_host_counts(e))
        return fit_locations(e) && write_buffer(e, e->memory.knobs, e->knobs, sizeof e->knobs) &&
               set_arguments(e) && lt_exec_prepare(e);
    memset(e->memory.bin_host, 0, e->shape.bins * sizeof *e->memory.bin_host);
    if (!fit_locations(e) || !write_buffer(e, e->memory.knobs, e->knobs, sizeof e->knobs) ||
        !set_arguments(e) || !enqueue_collect(e) ||
        !write_buffer(e, e->memory.bins, e->memory.bin_host, e->shape.bins * sizeof(cl_uint)) ||
        !write_buffer(e, e->memory.counts, zero, sizeof zero))
        return false;
    for (unsigned i = 0; i < launches; i++)
        if (!enqueue_run(e) || !enqueue_collect(e) || !report_progress(e, i))
            return false;
    return true;
}

/* Adds what the device counted to H. */
static bool collect_counts(struct exec *e, uint64_t instances, struct lt_histogram *h, uint64_t *discarded)
{
    cl_uint counts[2];
    if (!read_buffer(e, e->memory.counts, counts, sizeof counts) ||
        !read_buffer(e, e->memory.bins, e->memory.bin_host, e->shape.bins * sizeof(cl_uint)))
        return false;
    size_t bytes = lt_exec_others_bytes(e, counts);
    if (bytes && !read_buffer(e, e->memory.others, e->memory.others_host, bytes))
        return false;
    return lt_exec_add_counts(e, counts, instances, h, discarded);
}

static bool run_launches(struct exec *e, unsigned launches, struct lt_histogram *h, uint64_t *discarded)
{
    bool ok = launch_repeatedly(e, launches);
    if (!lt_exec_host_counts(e))
        return ok && collect_counts(e, (uint64_t)e->knobs[LT_K_instances] * launches, h, discarded);
    for (unsigned i = 0; ok && i < launches; i++)
        ok = enqueue_run(e) && lt_exec_count(e, h, discarded);
    return ok;
}

static void clean_up(struct exec *e)
{
    cl_mem buffers[] = {e->memory.out,  e->memory.scratch, e->memory.sync,  e->memory.knobs,
                        e->memory.bins, e->memory.counts,  e->memory.others};
    for (unsigned i = 0; i < e->shape.location_count; i++)
        drop_memory(e, &e->locations[i]);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (e->kernel)
        clReleaseKernel(e->kernel);
    if (e->collect)
        clReleaseKernel(e->collect);
    if (e->program)
        clReleaseProgram(e->program);
}

const struct lt_backend lt_opencl = {.list = lt_device_list,
                                     .open = lt_device_open,
                                     .close = lt_device_close,
                                     .describe = lt_device_json,
                                     .lacks = lt_device_lacks,
                                     .build = lt_exec_build,
                                     .reserve = create_buffers,
                                     .run = run_launches,
                                     .release = clean_up};
