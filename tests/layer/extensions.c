/* Commands that only extension functions enqueue: extensions WHAT [fixed].  Each program has a race, which
 * "fixed" removes. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 256 };
static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static int fixed;

#define OK(call)                                                                                             \
    do {                                                                                                     \
        cl_int code_ = (call);                                                                               \
        if (code_) {                                                                                         \
            fprintf(stderr, "%s: %d\n", #call, code_);                                                       \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

/* Without the function the program cannot run: 77. */
static void *function(const char *name)
{
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!found) {
        fprintf(stderr, "%s is lacking\n", name);
        exit(77);
    }
    return found;
}
#define FUNCTION(type, name, parameters)                                                                     \
    type(CL_API_CALL *name) parameters = (type(CL_API_CALL *) parameters)function(#name)

static cl_command_queue queue(cl_queue_properties flags)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_int code;
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, properties, &code);
    OK(code);
    return q;
}

static cl_mem memory(void)
{
    cl_int code;
    cl_mem m = clCreateBuffer(context, 0, BYTES, NULL, &code);
    OK(code);
    return m;
}

static cl_kernel kernel(const char *options, const char *source, const char *name)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    OK(code);
    OK(clBuildProgram(program, 1, &device, options, NULL, NULL));
    cl_kernel k = clCreateKernel(program, name, &code);
    OK(code);
    return k;
}

/* ---- command buffers: since version 0.9.5 there are properties after the queue --------------------------------- */

static cl_version command_buffer_version(void)
{
    cl_name_version versions[256];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size));
    for (size_t i = 0; i < size / sizeof *versions; i++)
        if (strcmp(versions[i].name, "cl_khr_command_buffer") == 0)
            return versions[i].version;
    return 0;
}

static void copy(cl_command_buffer_khr buffer, cl_mem from, cl_mem to, cl_uint count,
                 const cl_sync_point_khr *list, cl_sync_point_khr *point)
{
    void *found = function("clCommandCopyBufferKHR");
    cl_int(CL_API_CALL * with)(cl_command_buffer_khr, cl_command_queue, const void *, cl_mem, cl_mem, size_t,
                               size_t, size_t, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *,
                               cl_mutable_command_khr *);
    cl_int(CL_API_CALL * without)(cl_command_buffer_khr, cl_command_queue, cl_mem, cl_mem, size_t, size_t,
                                  size_t, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *,
                                  cl_mutable_command_khr *);
    memcpy(&with, &found, sizeof found);
    memcpy(&without, &found, sizeof found);
    if (command_buffer_version() < CL_MAKE_VERSION(0, 9, 5))
        OK(without(buffer, NULL, from, to, 0, 0, BYTES, count, list, point, NULL));
    else
        OK(with(buffer, NULL, NULL, from, to, 0, 0, BYTES, count, list, point, NULL));
}

/* A kernel writes A, and a copy reads it.  POINT: within one buffer, without a sync-point; otherwise the copy
 * is in another queue, without the buffer's event. */
static void command_buffer(int point)
{
    FUNCTION(cl_command_buffer_khr, clCreateCommandBufferKHR,
             (cl_uint, const cl_command_queue *, const void *, cl_int *));
    FUNCTION(cl_int, clFinalizeCommandBufferKHR, (cl_command_buffer_khr));
    FUNCTION(cl_int, clReleaseCommandBufferKHR, (cl_command_buffer_khr));
    FUNCTION(cl_int, clEnqueueCommandBufferKHR,
             (cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *, cl_event *));
    FUNCTION(cl_int, clCommandNDRangeKernelKHR,
             (cl_command_buffer_khr, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *,
              const size_t *, const size_t *, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *,
              cl_mutable_command_khr *));
    cl_command_queue q = queue(point ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0), r = queue(0);
    cl_mem a = memory(), b = memory(), other = memory();
    cl_kernel fill = kernel("", "kernel void fill(global int *x) { x[get_global_id(0)] = 1; }", "fill");
    cl_int code;
    size_t items = BYTES / 4;
    cl_event done;
    cl_command_buffer_khr buffer = clCreateCommandBufferKHR(1, &q, NULL, &code);
    OK(code);
    cl_sync_point_khr filled;
    OK(clSetKernelArg(fill, 0, sizeof a, &a));
    OK(clCommandNDRangeKernelKHR(buffer, NULL, NULL, fill, 1, NULL, &items, NULL, 0, NULL, &filled, NULL));
    OK(clSetKernelArg(fill, 0, sizeof other, &other)); /* no longer relevant */
    if (point)
        copy(buffer, a, b, fixed ? 1 : 0, fixed ? &filled : NULL, NULL);
    OK(clFinalizeCommandBufferKHR(buffer));
    OK(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, &done));
    if (!point)
        OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, fixed ? 1 : 0, fixed ? &done : NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    OK(clReleaseCommandBufferKHR(buffer));
}

/* Two copies, the second one of the first one's destination. */
static void copies(void)
{
    FUNCTION(cl_command_buffer_khr, clCreateCommandBufferKHR,
             (cl_uint, const cl_command_queue *, const void *, cl_int *));
    FUNCTION(cl_int, clFinalizeCommandBufferKHR, (cl_command_buffer_khr));
    FUNCTION(cl_int, clEnqueueCommandBufferKHR,
             (cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint, const cl_event *, cl_event *));
    if (command_buffer_version() == 0) {
        fprintf(stderr, "cl_khr_command_buffer is lacking\n");
        exit(77);
    }
    cl_command_queue q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = memory(), b = memory(), c = memory();
    cl_int code;
    cl_sync_point_khr first;
    cl_command_buffer_khr buffer = clCreateCommandBufferKHR(1, &q, NULL, &code);
    OK(code);
    copy(buffer, a, b, 0, NULL, &first);
    copy(buffer, b, c, fixed ? 1 : 0, fixed ? &first : NULL, NULL);
    OK(clFinalizeCommandBufferKHR(buffer));
    OK(clEnqueueCommandBufferKHR(0, NULL, buffer, 0, NULL, NULL));
    OK(clFinish(q));
}

/* ---- semaphores ------------------------------------------------------------------------------------------------ */

static void semaphores(int early_wait)
{
    FUNCTION(cl_semaphore_khr, clCreateSemaphoreWithPropertiesKHR,
             (cl_context, const cl_semaphore_properties_khr *, cl_int *));
    FUNCTION(cl_int, clEnqueueSignalSemaphoresKHR,
             (cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_semaphore_payload_khr *, cl_uint,
              const cl_event *, cl_event *));
    FUNCTION(cl_int, clEnqueueWaitSemaphoresKHR,
             (cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_semaphore_payload_khr *, cl_uint,
              const cl_event *, cl_event *));
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_command_queue q = queue(0), r = queue(0);
    cl_mem a = memory(), b = memory();
    cl_int code, one = 1;
    cl_semaphore_khr s = clCreateSemaphoreWithPropertiesKHR(context, binary, &code);
    OK(code);
    if (fixed && early_wait)
        OK(clEnqueueWaitSemaphoresKHR(r, 1, &s, NULL, 0, NULL, NULL));
    if (early_wait)
        OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(q, a, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
    if (fixed && !early_wait)
        OK(clEnqueueWaitSemaphoresKHR(r, 1, &s, NULL, 0, NULL, NULL));
    if (!early_wait)
        OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
}

/* A command and an acquisition of memory of other interfaces, of no objects; FAILS: the call of the latter is
 * wrong. */
static void external_memory(int fails)
{
    FUNCTION(cl_int, clEnqueueAcquireExternalMemObjectsKHR,
             (cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *));
    cl_command_queue q = queue(0);
    cl_mem a = memory();
    cl_int one = 1, code;
    OK(clEnqueueFillBuffer(q, a, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    code = clEnqueueAcquireExternalMemObjectsKHR(q, fails, NULL, 0, NULL, NULL);
    if (!code != !fails)
        exit(2);
    OK(clFinish(q));
}

/* A fill, its signal of an exportable semaphore, and a copy after the wait.  Others may signal the semaphore,
 * too. */
static void external_semaphore(void)
{
    FUNCTION(cl_semaphore_khr, clCreateSemaphoreWithPropertiesKHR,
             (cl_context, const cl_semaphore_properties_khr *, cl_int *));
    FUNCTION(cl_int, clEnqueueSignalSemaphoresKHR,
             (cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_semaphore_payload_khr *, cl_uint,
              const cl_event *, cl_event *));
    FUNCTION(cl_int, clEnqueueWaitSemaphoresKHR,
             (cl_command_queue, cl_uint, const cl_semaphore_khr *, const cl_semaphore_payload_khr *, cl_uint,
              const cl_event *, cl_event *));
    const cl_semaphore_properties_khr exported[] = {CL_SEMAPHORE_TYPE_KHR,
                                                    CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                    CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                    CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                    CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                    0};
    cl_command_queue q = queue(0), r = queue(0);
    cl_mem a = memory(), b = memory();
    cl_int code, one = 1;
    cl_semaphore_khr s = clCreateSemaphoreWithPropertiesKHR(context, exported, &code);
    OK(code);
    OK(clEnqueueFillBuffer(q, a, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
    OK(clEnqueueWaitSemaphoresKHR(r, 1, &s, NULL, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
}

/* ---- unified shared memory, as shared_memory_layer.c provides it ------------------------------------------------ */

static void shared_memory(void)
{
    FUNCTION(void *, clSharedMemAllocINTEL,
             (cl_context, cl_device_id, const void *, size_t, cl_uint, cl_int *));
    FUNCTION(cl_int, clMemFreeINTEL, (cl_context, void *));
    FUNCTION(cl_int, clSetKernelArgMemPointerINTEL, (cl_kernel, cl_uint, const void *));
    FUNCTION(
        cl_int, clEnqueueMemcpyINTEL,
        (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *));
    cl_command_queue q = queue(0), r = queue(0);
    cl_kernel fill = kernel("", "kernel void fill(global int *x) { x[get_global_id(0)] = 1; }", "fill");
    cl_int code;
    size_t items = BYTES / 4;
    cl_event filled;
    int *a = clSharedMemAllocINTEL(context, device, NULL, BYTES, 0, &code),
        *b = clSharedMemAllocINTEL(context, device, NULL, BYTES, 0, &code);
    OK(code);
    OK(clSetKernelArgMemPointerINTEL(fill, 0, a));
    OK(clEnqueueNDRangeKernel(q, fill, 1, NULL, &items, NULL, 0, NULL, &filled));
    OK(clEnqueueMemcpyINTEL(r, CL_FALSE, b, a, BYTES, fixed ? 1 : 0, fixed ? &filled : NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
    OK(clMemFreeINTEL(context, a));
    OK(clMemFreeINTEL(context, b));
}

/* A function that refcl does not know, which the layer below implements as a barrier: no race may be reported
 * across it.  CALLED: otherwise the function is only looked up. */
static void unknown(int called)
{
    FUNCTION(cl_int, clEnqueueMysteryEXT, (cl_command_queue, cl_command_queue));
    cl_command_queue q = queue(0), r = queue(0);
    cl_mem a = memory(), b = memory();
    cl_int one = 1;
    OK(clEnqueueFillBuffer(q, a, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    if (called)
        OK(clEnqueueMysteryEXT(q, r));
    OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
}

/* ---- kernels that enqueue kernels, pipes ----------------------------------------------------------------------- */

static void device_queue(void)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_int code;
    clCreateCommandQueueWithProperties(context, device, properties, &code);
    OK(code);
    cl_command_queue q = queue(0), r = queue(0);
    cl_mem a = memory(), b = memory();
    cl_kernel parent =
        kernel("-cl-std=CL2.0",
               "kernel void parent(global int *a) {\n"
               "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
               "                 ^{ a[0] = 1; }); }",
               "parent");
    size_t one = 1;
    cl_event done;
    OK(clSetKernelArg(parent, 0, sizeof a, &a));
    OK(clEnqueueNDRangeKernel(q, parent, 1, NULL, &one, NULL, 0, NULL, &done));
    OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, fixed ? 1 : 0, fixed ? &done : NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
}

static void pipe_and_buffer(void)
{
    cl_int code;
    cl_mem a = memory(), b = memory(), pipe = clCreatePipe(context, 0, 4, 64, NULL, &code);
    OK(code);
    cl_command_queue q = queue(0), r = queue(0);
    cl_kernel put = kernel("-cl-std=CL2.0",
                           "kernel void put(write_only pipe int p, global int *a) {\n"
                           "  int n = get_global_id(0); write_pipe(p, &n); a[n] = n; }",
                           "put");
    size_t items = 4;
    cl_event done;
    OK(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    OK(clSetKernelArg(put, 1, sizeof a, &a));
    OK(clEnqueueNDRangeKernel(q, put, 1, NULL, &items, NULL, 0, NULL, &done));
    OK(clEnqueueCopyBuffer(r, a, b, 0, 0, BYTES, fixed ? 1 : 0, fixed ? &done : NULL, NULL));
    OK(clFinish(q));
    OK(clFinish(r));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    fixed = argc > 2;
    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (strcmp(what, "buffer") == 0)
        command_buffer(0);
    else if (strcmp(what, "sync-point") == 0)
        command_buffer(1);
    else if (strcmp(what, "copies") == 0)
        copies();
    else if (strcmp(what, "semaphore") == 0)
        semaphores(0);
    else if (strcmp(what, "early-wait") == 0)
        semaphores(1);
    else if (strcmp(what, "external-memory") == 0)
        external_memory(fixed);
    else if (strcmp(what, "external-semaphore") == 0)
        external_semaphore();
    else if (strcmp(what, "shared") == 0)
        shared_memory();
    else if (strcmp(what, "unknown") == 0)
        unknown(!fixed);
    else if (strcmp(what, "child") == 0)
        device_queue();
    else if (strcmp(what, "pipe") == 0)
        pipe_and_buffer();
    else
        return 2;
    return 0;
}
