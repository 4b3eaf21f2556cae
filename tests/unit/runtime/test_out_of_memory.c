/* Allocations that fail, one after the other: each call returns the code that its section names, and leaves
 * no object behind [CL 4, 5]. */
#include "ref-runtime/sched/command.h"
#include "tests/runtime/specialized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/runtime/starve.h"

#define NONE 0, NULL, NULL

/* The calls under test by their own names, without the dispatch table. */
#define clCreateContext                    rt_clCreateContext
#define clCreateContextFromType            rt_clCreateContextFromType
#define clCreateSubDevices                 rt_clCreateSubDevices
#define clCreateCommandQueueWithProperties rt_clCreateCommandQueueWithProperties
#define clCreateBuffer                     rt_clCreateBuffer
#define clCreateSubBuffer                  rt_clCreateSubBuffer
#define clCreateImage                      rt_clCreateImage
#define clCreatePipe                       rt_clCreatePipe
#define clCreateSamplerWithProperties      rt_clCreateSamplerWithProperties
#define clCreateUserEvent                  rt_clCreateUserEvent
#define clCreateProgramWithSource          rt_clCreateProgramWithSource
#define clCreateProgramWithIL              rt_clCreateProgramWithIL
#define clCreateProgramWithBinary          rt_clCreateProgramWithBinary
#define clBuildProgram                     rt_clBuildProgram
#define clCompileProgram                   rt_clCompileProgram
#define clLinkProgram                      rt_clLinkProgram
#define clCreateKernel                     rt_clCreateKernel
#define clCreateKernelsInProgram           rt_clCreateKernelsInProgram
#define clGetProgramInfo                   rt_clGetProgramInfo
#define clSetUserEventStatus               rt_clSetUserEventStatus
#define clWaitForEvents                    rt_clWaitForEvents
#define clCloneKernel                      rt_clCloneKernel
#define clSetKernelArg                     rt_clSetKernelArg
#define clSetEventCallback                 rt_clSetEventCallback
#define clSetMemObjectDestructorCallback   rt_clSetMemObjectDestructorCallback
#define clSetProgramSpecializationConstant rt_clSetProgramSpecializationConstant
#define clEnqueueReadBuffer                rt_clEnqueueReadBuffer
#define clEnqueueWriteBuffer               rt_clEnqueueWriteBuffer
#define clEnqueueReadBufferRect            rt_clEnqueueReadBufferRect
#define clEnqueueWriteBufferRect           rt_clEnqueueWriteBufferRect
#define clEnqueueCopyBuffer                rt_clEnqueueCopyBuffer
#define clEnqueueCopyBufferRect            rt_clEnqueueCopyBufferRect
#define clEnqueueFillBuffer                rt_clEnqueueFillBuffer
#define clEnqueueMapBuffer                 rt_clEnqueueMapBuffer
#define clEnqueueMapImage                  rt_clEnqueueMapImage
#define clEnqueueUnmapMemObject            rt_clEnqueueUnmapMemObject
#define clEnqueueMigrateMemObjects         rt_clEnqueueMigrateMemObjects
#define clEnqueueReadImage                 rt_clEnqueueReadImage
#define clEnqueueWriteImage                rt_clEnqueueWriteImage
#define clEnqueueCopyImage                 rt_clEnqueueCopyImage
#define clEnqueueCopyImageToBuffer         rt_clEnqueueCopyImageToBuffer
#define clEnqueueCopyBufferToImage         rt_clEnqueueCopyBufferToImage
#define clEnqueueFillImage                 rt_clEnqueueFillImage
#define clEnqueueNDRangeKernel             rt_clEnqueueNDRangeKernel
#define clEnqueueNativeKernel              rt_clEnqueueNativeKernel
#define clEnqueueMarkerWithWaitList        rt_clEnqueueMarkerWithWaitList
#define clEnqueueBarrierWithWaitList       rt_clEnqueueBarrierWithWaitList
#define clEnqueueSVMFree                   rt_clEnqueueSVMFree
#define clEnqueueSVMMemcpy                 rt_clEnqueueSVMMemcpy
#define clEnqueueSVMMemFill                rt_clEnqueueSVMMemFill
#define clEnqueueSVMMap                    rt_clEnqueueSVMMap
#define clEnqueueSVMUnmap                  rt_clEnqueueSVMUnmap
#define clEnqueueSVMMigrateMem             rt_clEnqueueSVMMigrateMem
#define clSetKernelExecInfo                rt_clSetKernelExecInfo

static char bytes[512];
static const size_t zero[3], one[3] = {1, 1, 1};
static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
static const cl_image_desc square = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const char source[] = "kernel void k(global int *p, int n) { *p = n; } kernel void e(void) {}";

static void release_mem(cl_mem m)
{
    OK(rt_clReleaseMemObject(m));
}

/* ---- objects ---- */

static void creation(void **state)
{
    (void)state;
    void *o = NULL;
    const cl_buffer_region region = {0, 64};
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint units = 0, made = 0;
    cl_mem m = clCreateBuffer(context, 0, 256, NULL, &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateContext(NULL, 1, &device, NULL, NULL, &err), err),
           rt_clReleaseContext(o));
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err), err),
           rt_clReleaseContext(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateCommandQueueWithProperties(context, device, NULL, &err), err),
           rt_clReleaseCommandQueue(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateBuffer(context, 0, 256, NULL, &err), err), release_mem(o));
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), err), release_mem(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateSamplerWithProperties(context, NULL, &err), err),
           rt_clReleaseSampler(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateUserEvent(context, &err), err), rt_clReleaseEvent(o));
    OK(rt_clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units > 1) {
        STARVE(CL_OUT_OF_HOST_MEMORY, clCreateSubDevices(device, by_one, 64, parts, &made), (void)0);
    }
    for (cl_uint i = 0; i < made; i++)
        OK(rt_clReleaseDevice(parts[i]));
    release_mem(m);
}

static void first_contents(void **state)
{
    (void)state;
    void *o = NULL;
    STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                (o = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 256, bytes, &err), err), release_mem(o));
    STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                (o = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &square, bytes, &err), err),
                release_mem(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 4, 8, NULL, &err), err),
           release_mem(o));
    assert_null(clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 1024, UINT32_MAX, NULL, &err));
    assert_int_equal(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

/* Memory for maps is allocated with the first one: the data of the object, or a view of it for the host,
 * which only contexts with several devices have. */
#define FED(q) mm_alloc_fail_after(0), rt_clFinish(q), err
#define STARVE_MAPS(code, c, q, flags)                                                                       \
    do {                                                                                                     \
        cl_mem m = clCreateBuffer(c, flags, 256, NULL, &err),                                                \
               i = clCreateImage(c, flags, &format, &square, NULL, &err);                                    \
        size_t pitch;                                                                                        \
        STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, code,                                                             \
                    (clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 4, NONE, &err), FED(q)), (void)0);   \
        STARVE_BOTH(                                                                                         \
            CL_OUT_OF_HOST_MEMORY, code,                                                                     \
            (clEnqueueMapImage(q, i, CL_FALSE, CL_MAP_READ, zero, one, &pitch, NULL, NONE, &err), FED(q)),   \
            (void)0);                                                                                        \
        release_mem(m);                                                                                      \
        release_mem(i);                                                                                      \
    } while (0)

static void maps(void **state)
{
    (void)state;
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count = 0;
    /* [CL 5.2.4 E9] [CL 5.3.6 E13] */
    STARVE_MAPS(CL_MEM_OBJECT_ALLOCATION_FAILURE, context, queue, 0);
    OK(clCreateSubDevices(device, by_one, 64, parts, &count));
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_command_queue first = clCreateCommandQueueWithProperties(both, parts[0], NULL, &err);
    OK(err);
    /* [CL 5.2.4 E7] [CL 5.3.6 E11] */
    STARVE_MAPS(CL_MAP_FAILURE, both, first, 0);
    /* [CL 5.2.4 R7] [CL 5.3.6 R11] no address is lacking where host memory was asked for */
    STARVE_MAPS(CL_MEM_OBJECT_ALLOCATION_FAILURE, both, first, CL_MEM_ALLOC_HOST_PTR);
    OK(rt_clFinish(first));
    OK(rt_clReleaseCommandQueue(first));
    OK(rt_clReleaseContext(both));
    for (cl_uint i = 0; i < count; i++)
        OK(rt_clReleaseDevice(parts[i]));
}

static void CL_CALLBACK on_event(cl_event e, cl_int s, void *d)
{
    (void)e, (void)s, (void)d;
}
static void CL_CALLBACK on_mem(cl_mem m, void *d)
{
    (void)m, (void)d;
}
static void CL_CALLBACK on_native(void *d)
{
    (void)d;
}

/* A program that could not be linked is no leak. */
static void drop_failed(cl_program made)
{
    if (made && err)
        OK(rt_clReleaseProgram(made));
}

static void programs(void **state)
{
    (void)state;
    void *o = NULL;
    const char *text = source;
    cl_kernel kernels[2];
    cl_uint made;
    const int five = 5;
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateProgramWithSource(context, 1, &text, NULL, &err), err),
           rt_clReleaseProgram(o));
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, clBuildProgram(p, 0, NULL, "", NULL, NULL), (void)0);
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCreateKernel(p, "k", &err), err), rt_clReleaseKernel(o));
    STARVE(CL_OUT_OF_HOST_MEMORY, clCreateKernelsInProgram(p, 2, kernels, &made), (void)0);
    cl_kernel k = clCreateKernel(p, "k", &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, clSetKernelArg(k, 1, sizeof five, &five), (void)0);
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = clCloneKernel(k, &err), err), rt_clReleaseKernel(o));
    size_t size;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    const unsigned char *given = binary;
    STARVE(CL_OUT_OF_HOST_MEMORY, clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
           (void)0);
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clCreateProgramWithBinary(context, 1, &device, &size, &given, NULL, &err), err),
           rt_clReleaseProgram(o));
    free(binary);
    OK(rt_clReleaseKernel(k));
    OK(rt_clReleaseKernel(kernels[0]));
    OK(rt_clReleaseKernel(kernels[1]));
    OK(rt_clReleaseProgram(p));
    p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, clCompileProgram(p, 0, NULL, "", 0, NULL, NULL, NULL, NULL), (void)0);
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clLinkProgram(context, 0, NULL, "", 1, &p, NULL, NULL, &err), drop_failed(o), err),
           rt_clReleaseProgram(o));
    OK(rt_clReleaseProgram(p));
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clCreateProgramWithIL(context, specialized, sizeof specialized, &err), err), (void)0);
    p = o;
    STARVE(CL_OUT_OF_HOST_MEMORY, clSetProgramSpecializationConstant(p, 5, 4, &five), (void)0);
    OK(rt_clReleaseProgram(p));
}

/* A command whose call succeeds waits for each event of its list: it fails with any of them
 * [CL 5.9, 5.11]. */
static void wait_lists(void **state)
{
    (void)state;
    for (size_t failing = 0; failing < 3; failing++) {
        bool starved = false, over = false;
        for (size_t n = 1; !over && n < MOST; n++) {
            cl_event gates[3], done = NULL;
            for (size_t i = 0; i < 3; i++)
                gates[i] = clCreateUserEvent(context, &err);
            mm_alloc_fail_after(n);
            err = clEnqueueMarkerWithWaitList(queue, 3, gates, &done);
            mm_alloc_fail_after(0);
            for (size_t i = 0; i < 3; i++) {
                OK(clSetUserEventStatus(gates[i], i == failing ? -7 : CL_COMPLETE));
                OK(rt_clReleaseEvent(gates[i]));
            }
            over = err == CL_SUCCESS;
            starved = starved || !over;
            assert_true(over || err == CL_OUT_OF_HOST_MEMORY);
            if (over) {
                assert_int_equal(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
                OK(rt_clReleaseEvent(done));
            }
        }
        assert_true(starved && over);
        finish();
    }
}

/* ---- commands: what the call itself allocates ---- */

static void commands(void **state)
{
    (void)state;
    size_t pitch;
    void *o = NULL, *svm = rt_clSVMAlloc(context, 0, 64, 0), *other = rt_clSVMAlloc(context, 0, 64, 0);
    const void *constant_svm = svm;
    const char *text = source;
    cl_event e = NULL;
    cl_mem a = clCreateBuffer(context, 0, 256, NULL, &err), b = clCreateBuffer(context, 0, 256, NULL, &err);
    cl_mem i = clCreateImage(context, 0, &format, &square, NULL, &err),
           j = clCreateImage(context, 0, &format, &square, NULL, &err);
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(clSetKernelArg(k, 0, sizeof a, &a));
    OK(clSetKernelArg(k, 1, 4, bytes));
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueReadBuffer(queue, a, CL_FALSE, 0, 4, bytes, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 4, bytes, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY,
           clEnqueueReadBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY,
           clEnqueueWriteBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueCopyBuffer(queue, a, b, 0, 0, 4, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueCopyBufferRect(queue, a, b, zero, zero, one, 0, 0, 0, 0, NONE),
           finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueFillBuffer(queue, a, bytes, 4, 0, 4, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clEnqueueMapBuffer(queue, a, CL_FALSE, CL_MAP_READ, 0, 4, NONE, &err), err), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueUnmapMemObject(queue, a, o, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueMigrateMemObjects(queue, 1, &a, 0, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueReadImage(queue, i, CL_FALSE, zero, one, 0, 0, bytes, NONE),
           finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueWriteImage(queue, i, CL_FALSE, zero, one, 0, 0, bytes, NONE),
           finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueCopyImage(queue, i, j, zero, zero, one, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueCopyImageToBuffer(queue, i, a, zero, one, 0, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueCopyBufferToImage(queue, a, i, 0, zero, one, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueFillImage(queue, i, bytes, zero, one, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = clEnqueueMapImage(queue, i, CL_FALSE, CL_MAP_READ, zero, one, &pitch, NULL, NONE, &err), err),
           finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueNDRangeKernel(queue, k, 1, NULL, one, NULL, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueNativeKernel(queue, on_native, bytes, 8, 0, NULL, NULL, NONE),
           finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueMarkerWithWaitList(queue, 0, NULL, &e), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clSetEventCallback(e, CL_COMPLETE, on_event, NULL), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueBarrierWithWaitList(queue, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof svm, &svm),
           (void)0);
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMMemcpy(queue, CL_FALSE, svm, other, 4, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMMemFill(queue, svm, bytes, 4, 4, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, svm, 4, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMUnmap(queue, svm, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMMigrateMem(queue, 1, &constant_svm, NULL, 0, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clEnqueueSVMFree(queue, 1, &other, NULL, NULL, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, clSetMemObjectDestructorCallback(a, on_mem, NULL), (void)0);
    rt_clSVMFree(context, svm);
    OK(rt_clReleaseEvent(e));
    OK(rt_clReleaseKernel(k));
    OK(rt_clReleaseProgram(p));
    release_mem(a);
    release_mem(b);
    release_mem(i);
    release_mem(j);
}

static void CL_CALLBACK on_context(cl_context c, void *d)
{
    (void)c, (void)d;
}

/* Calls of other versions: deprecated ones, and those of OpenCL 3.0. */
static void other_versions(void **state)
{
    (void)state;
    void *o = NULL;
    const char *text = source;
    cl_event e = NULL;
    STARVE(CL_OUT_OF_HOST_MEMORY, (o = rt_clCreateCommandQueue(context, device, 0, &err), err),
           rt_clReleaseCommandQueue(o));
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = rt_clCreateBufferWithProperties(context, NULL, 0, 64, NULL, &err), err), release_mem(o));
    /* [CL 5.2.1 E106] */
    STARVE_BOTH(
        CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (o = rt_clCreateBufferWithProperties(context, NULL, CL_MEM_COPY_HOST_PTR, 64, bytes, &err), err),
        release_mem(o));
    STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                (o = rt_clCreateImageWithProperties(context, NULL, CL_MEM_COPY_HOST_PTR, &format, &square,
                                                    bytes, &err),
                 err),
                release_mem(o));
    STARVE_BOTH(CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                (o = rt_clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &format, 4, 4, 0, bytes, &err), err),
                release_mem(o));
    STARVE_BOTH(
        CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        (o = rt_clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, &format, 4, 4, 4, 0, 0, bytes, &err), err),
        release_mem(o));
    STARVE(CL_OUT_OF_HOST_MEMORY,
           (o = rt_clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err), err),
           rt_clReleaseSampler(o));
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clSetContextDestructorCallback(other, on_context, NULL), (void)0);
    OK(rt_clReleaseContext(other));
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "e", &err);
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueTask(queue, k, NONE), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueMarker(queue, &e), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueBarrier(queue), finish());
    STARVE(CL_OUT_OF_HOST_MEMORY, rt_clEnqueueWaitForEvents(queue, 1, &e), finish());
    OK(rt_clReleaseEvent(e));
    OK(rt_clReleaseKernel(k));
    OK(rt_clReleaseProgram(p));
}

/* ---- commands: the data of memory objects, which is allocated when the first command needs it ---- */

/* CALL, with fresh objects A, B, I and J, waits for GATE; then each allocation of its execution fails in
 * turn: the command does not complete, but ends with CODE, until there is memory. */
#define STARVE_RUN(code, call)                                                                               \
    do {                                                                                                     \
        bool seen_ = false;                                                                                  \
        cl_int status_ = 1;                                                                                  \
        for (size_t n_ = 1; status_ && n_ < MOST; n_++) {                                                    \
            cl_event e = NULL, gate = clCreateUserEvent(context, &err);                                      \
            cl_mem a = clCreateBuffer(context, 0, 256, NULL, &err),                                          \
                   b = clCreateBuffer(context, 0, 256, NULL, &err),                                          \
                   i = clCreateImage(context, 0, &format, &square, NULL, &err),                              \
                   j = clCreateImage(context, 0, &format, &square, NULL, &err);                              \
            (void)a, (void)b, (void)i, (void)j;                                                              \
            OK(call);                                                                                        \
            mm_alloc_fail_after(n_);                                                                         \
            rt_clSetUserEventStatus(gate, CL_COMPLETE);                                                      \
            rt_clWaitForEvents(1, &e);                                                                       \
            mm_alloc_fail_after(0);                                                                          \
            OK(rt_clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status_, &status_, NULL));     \
            if (status_) {                                                                                   \
                assert_true(status_ == (code) || status_ == CL_OUT_OF_RESOURCES);                            \
                seen_ = seen_ || status_ == (code);                                                          \
            }                                                                                                \
            release_mem(a);                                                                                  \
            release_mem(b);                                                                                  \
            release_mem(i);                                                                                  \
            release_mem(j);                                                                                  \
            OK(rt_clReleaseEvent(e));                                                                        \
            OK(rt_clReleaseEvent(gate));                                                                     \
        }                                                                                                    \
        assert_true(seen_ && !status_);                                                                      \
    } while (0)

static void set_buffer(cl_kernel k, cl_mem m)
{
    OK(rt_clSetKernelArg(k, 0, sizeof m, &m));
}

static void data_of_objects(void **state)
{
    (void)state;
    const char *text = source;
    void *place = bytes;
    const void *places = &place;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clBuildProgram(p, 0, NULL, "", NULL, NULL));
    cl_kernel k = clCreateKernel(p, "k", &err);
    OK(clSetKernelArg(k, 1, 4, bytes));
#define AT_GATE 1, &gate, &e
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueReadBuffer(queue, a, CL_FALSE, 0, 4, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 4, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueReadBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueWriteBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueCopyBuffer(queue, a, b, 0, 0, 4, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueCopyBufferRect(queue, a, b, zero, zero, one, 0, 0, 0, 0, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueFillBuffer(queue, a, bytes, 4, 0, 4, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueMigrateMemObjects(queue, 1, &a, 0, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueReadImage(queue, i, CL_FALSE, zero, one, 0, 0, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueWriteImage(queue, i, CL_FALSE, zero, one, 0, 0, bytes, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueCopyImage(queue, i, j, zero, zero, one, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueCopyImageToBuffer(queue, i, a, zero, one, 0, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               clEnqueueCopyBufferToImage(queue, a, i, 0, zero, one, AT_GATE));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueFillImage(queue, i, bytes, zero, one, AT_GATE));
    /* [CL 5.10 E18] */
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               (set_buffer(k, a), clEnqueueNDRangeKernel(queue, k, 1, NULL, one, NULL, AT_GATE)));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE, (set_buffer(k, a), rt_clEnqueueTask(queue, k, AT_GATE)));
    STARVE_RUN(CL_MEM_OBJECT_ALLOCATION_FAILURE,
               (places = bytes, clEnqueueNativeKernel(queue, on_native, bytes, 8, 1, &a, &places, AT_GATE)));
    OK(rt_clReleaseKernel(k));
    OK(rt_clReleaseProgram(p));
}

static int setup(void **state)
{
    if (open_starved(state))
        return -1;
    /* Objects created once, by the first command, exist before any allocation fails. */
    cl_mem m = clCreateBuffer(context, 0, 4, NULL, &err);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, bytes, NONE));
    release_mem(m);
    return err;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),        cmocka_unit_test(first_contents), cmocka_unit_test(maps),
        cmocka_unit_test(programs),        cmocka_unit_test(wait_lists),     cmocka_unit_test(commands),
        cmocka_unit_test(data_of_objects), cmocka_unit_test(other_versions)};
    return cmocka_run_group_tests(tests, setup, close_starved);
}
