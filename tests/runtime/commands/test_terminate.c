/* Terminated contexts: running and waiting commands end at once, no new ones begin, and every object can be
 * queried and released [cl_khr_terminate_context]. */
#include "tests/runtime/commands/command_test.h"
#include "tests/runtime/specialized.h"

#include <sched.h>
#include <stdatomic.h>

#define NONE 0, NULL, NULL

static const char *source = "kernel void spin(volatile global int *p) { while (*p == 0) p[1]++; }\n"
                            "kernel void quick(global int *p) { p[0] = 1; }\n";
static cl_context doomed;
static cl_command_queue in_order, loose;
static cl_program program;
static cl_kernel spin, quick;
static cl_mem memory;
static atomic_int notified, called;

static void CL_CALLBACK on_notice(const char *text, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    if (strstr(text, "terminated"))
        atomic_fetch_add(&notified, 1);
}

static void CL_CALLBACK on_status(cl_event e, cl_int status, void *data)
{
    (void)e, (void)data;
    atomic_store(&called, status);
}

static cl_context terminable(void)
{
    const cl_context_properties properties[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_context c = clCreateContext(properties, 1, &device, on_notice, NULL, &err);
    OK(err);
    return c;
}

static int make(void **state)
{
    (void)state;
    const cl_queue_properties all[] = {CL_QUEUE_PROPERTIES,
                                       CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_int zeros[16] = {0};
    doomed = terminable();
    in_order = clCreateCommandQueueWithProperties(doomed, device, NULL, &err);
    loose = clCreateCommandQueueWithProperties(doomed, device, all, &err);
    program = clCreateProgramWithSource(doomed, 1, &source, NULL, &err);
    OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    spin = clCreateKernel(program, "spin", &err);
    quick = clCreateKernel(program, "quick", &err);
    memory = clCreateBuffer(doomed, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)(uintptr_t)zeros, &err);
    OK(err);
    OK(clSetKernelArg(spin, 0, sizeof memory, &memory));
    OK(clSetKernelArg(quick, 0, sizeof memory, &memory));
    atomic_store(&notified, 0);
    atomic_store(&called, 1);
    return 0;
}

/* Objects of a terminated context are released like those of any other. */
static int unmake(void **state)
{
    (void)state;
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(spin));
    OK(clReleaseKernel(quick));
    OK(clReleaseProgram(program));
    OK(clReleaseCommandQueue(in_order));
    OK(clReleaseCommandQueue(loose));
    return clReleaseContext(doomed);
}

/* A kernel that never ends, one after it, and commands that wait for a user event. */
static void commands_end(void **unused)
{
    (void)unused;
    enum { EVENTS = 4 };
    const size_t items[] = {1};
    cl_event e[EVENTS], gate = clCreateUserEvent(doomed, &err), done;
    cl_ulong time;
    OK(clEnqueueNDRangeKernel(loose, quick, 1, NULL, items, NULL, 0, NULL, &done));
    OK(clWaitForEvents(1, &done));
    OK(clEnqueueFillBuffer(loose, memory, &(cl_int){0}, 4, 0, 4, NONE));
    OK(clFinish(loose));
    OK(clEnqueueNDRangeKernel(in_order, spin, 1, NULL, items, NULL, 0, NULL, &e[0]));
    OK(clEnqueueNDRangeKernel(in_order, quick, 1, NULL, items, NULL, 0, NULL, &e[1]));
    OK(clEnqueueNDRangeKernel(loose, quick, 1, NULL, items, NULL, 1, &gate, &e[2]));
    OK(clEnqueueMarkerWithWaitList(loose, 0, NULL, &e[3]));
    OK(clSetEventCallback(e[2], CL_COMPLETE, on_status, NULL));
    OK(clFlush(in_order));
    OK(clFlush(loose));
    while (status_of(e[0]) > CL_RUNNING)
        sched_yield();
    OK(p_clTerminateContextKHR(doomed));
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal(clWaitForEvents(1, &e[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        /* [CL 4.4 R121] */
        assert_int_equal(status_of(e[i]), CL_CONTEXT_TERMINATED_KHR);
        /* [CL 4.4 R122] */
        assert_int_equal(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
                         CL_PROFILING_INFO_NOT_AVAILABLE);
        OK(clRetainEvent(e[i]));
        OK(clReleaseEvent(e[i]));
    }
    assert_int_equal(status_of(done), CL_COMPLETE);
    /* [CL 4.4 R122] */
    assert_int_equal(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
                     CL_PROFILING_INFO_NOT_AVAILABLE);
    while (atomic_load(&called) == 1)
        sched_yield();
    assert_int_equal(atomic_load(&called), CL_CONTEXT_TERMINATED_KHR);
    while (atomic_load(&notified) == 0)
        sched_yield();
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clSetEventCallback(e[0], CL_COMPLETE, on_status, NULL));
    for (int i = 0; i < EVENTS; i++)
        OK(clReleaseEvent(e[i]));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
}

/* Commands of other contexts still execute. */
static void others_go_on(void **unused)
{
    (void)unused;
    cl_context other = terminable();
    cl_command_queue q = clCreateCommandQueueWithProperties(other, device, NULL, &err);
    cl_event gate = clCreateUserEvent(other, &err), e;
    const size_t items[] = {1};
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &e));
    OK(clEnqueueNDRangeKernel(in_order, spin, 1, NULL, items, NULL, NONE));
    OK(p_clTerminateContextKHR(doomed));
    clFinish(in_order);
    assert_true(status_of(e) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(e));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(other));
}

#define NO_MORE(call) assert_int_equal(call, CL_CONTEXT_TERMINATED_KHR)
#define NO_NEW(call)  EXPECT_NULL(CL_CONTEXT_TERMINATED_KHR, call)

static void nothing_begins(void **unused)
{
    (void)unused;
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_buffer_region region = {0, 16};
    const size_t one[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(doomed, binary, &err);
    cl_mem image = clCreateImage(doomed, 0, &rgba, &square, NULL, &err);
    void *svm = clSVMAlloc(doomed, 0, 64, 0);
    char bytes[64] = {0};
    cl_kernel kernels[2];
    cl_uint count = 0;
    cl_context owner;
    size_t size;
    OK(p_clTerminateContextKHR(doomed));
    /* [CL 4.4 E121] */
    assert_int_equal(p_clTerminateContextKHR(doomed), CL_CONTEXT_TERMINATED_KHR);
    /* [CL 4.4 R123] */
    NO_NEW(clCreateBuffer(doomed, 0, 16, NULL, &err));
    NO_NEW(clCreateBufferWithProperties(doomed, NULL, 0, 16, NULL, &err));
    NO_NEW(clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    NO_NEW(clCreateImage(doomed, 0, &rgba, &square, NULL, &err));
    NO_NEW(clCreateImageWithProperties(doomed, NULL, 0, &rgba, &square, NULL, &err));
    NO_NEW(clCreatePipe(doomed, CL_MEM_HOST_NO_ACCESS, 4, 8, NULL, &err));
    NO_NEW(clCreateSampler(doomed, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    NO_NEW(clCreateSamplerWithProperties(doomed, NULL, &err));
    NO_NEW(clCreateProgramWithSource(doomed, 1, &source, NULL, &err));
    NO_NEW(clCreateProgramWithIL(doomed, specialized, sizeof specialized, &err));
    NO_NEW(clCreateProgramWithBuiltInKernels(doomed, 1, &device, "k", &err));
    NO_NEW(clLinkProgram(doomed, 0, NULL, NULL, 1, &program, NULL, NULL, &err));
    NO_NEW(clCreateKernel(program, "quick", &err));
    NO_NEW(clCloneKernel(quick, &err));
    NO_MORE(clCreateKernelsInProgram(program, 2, kernels, NULL));
    NO_NEW(clCreateUserEvent(doomed, &err));
    NO_NEW(clCreateCommandQueueWithProperties(doomed, device, NULL, &err));
    NO_NEW(clCreateCommandQueue(doomed, device, 0, &err));
    NO_NEW(p_clCreateSemaphoreWithPropertiesKHR(doomed, binary, &err));
    NO_NEW(p_clCreateCommandBufferKHR(1, &in_order, NULL, &err));
    assert_null(clSVMAlloc(doomed, 0, 64, 0));
    NO_MORE(clSetDefaultDeviceCommandQueue(doomed, device, in_order));
    NO_MORE(clEnqueueNDRangeKernel(in_order, quick, 1, NULL, one, NULL, NONE));
    NO_MORE(clEnqueueReadBuffer(in_order, memory, CL_TRUE, 0, 16, bytes, NONE));
    NO_MORE(clEnqueueWriteBuffer(in_order, memory, CL_FALSE, 0, 16, bytes, NONE));
    NO_MORE(clEnqueueReadImage(in_order, image, CL_TRUE, zero, one, 0, 0, bytes, NONE));
    NO_NEW(clEnqueueMapBuffer(in_order, memory, CL_TRUE, CL_MAP_READ, 0, 16, NONE, &err));
    NO_MORE(clEnqueueSVMMemFill(in_order, svm, bytes, 4, 16, NONE));
    NO_MORE(clEnqueueMarkerWithWaitList(in_order, NONE));
    NO_MORE(clEnqueueBarrierWithWaitList(loose, NONE));
    NO_MORE(p_clEnqueueSignalSemaphoresKHR(in_order, 1, &s, NULL, NONE));
    NO_MORE(p_clEnqueueWaitSemaphoresKHR(in_order, 1, &s, NULL, NONE));
    /* Queries are still answered. */
    OK(clGetContextInfo(doomed, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof owner, &owner, NULL));
    assert_ptr_equal(owner, doomed);
    OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof size, &size, NULL));
    OK(clRetainContext(doomed));
    OK(clReleaseContext(doomed));
    OK(clFinish(in_order));
    clSVMFree(doomed, svm);
    OK(p_clReleaseSemaphoreKHR(s));
    OK(clReleaseMemObject(image));
}

static void errors(void **unused)
{
    (void)unused;
    const cl_context_properties off[] = {CL_CONTEXT_TERMINATE_KHR, CL_FALSE, 0},
                                wrong[] = {CL_CONTEXT_TERMINATE_KHR, 7, 0};
    cl_bitfield capability = 0;
    cl_context_properties given[4];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_TERMINATE_CAPABILITY_KHR, sizeof capability, &capability, &size));
    assert_int_equal(size, sizeof capability);
    assert_int_equal(capability, CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR);
    assert_int_equal(p_clTerminateContextKHR(NULL), CL_INVALID_CONTEXT);
    /* [CL 4.4 R126] */
    cl_context c = clCreateContext(off, 1, &device, NULL, NULL, &err);
    assert_int_equal(p_clTerminateContextKHR(c), CL_INVALID_OPERATION);
    assert_int_equal(p_clTerminateContextKHR(context), CL_INVALID_OPERATION);
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof given, given, &size));
    assert_int_equal(size, sizeof off);
    assert_memory_equal(given, off, size);
    OK(clReleaseContext(c));
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateContext(wrong, 1, &device, NULL, NULL, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(commands_end, make, unmake),
                                       cmocka_unit_test_setup_teardown(others_go_on, make, unmake),
                                       cmocka_unit_test_setup_teardown(nothing_begins, make, unmake),
                                       cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, open_extensions, close_device);
}
