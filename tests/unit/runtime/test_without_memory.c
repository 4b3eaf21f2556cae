/* Calls that allocate nothing succeed without memory: their CL_OUT_OF_HOST_MEMORY cannot happen [CL 4, 5]. */
#include "ref-runtime/sched/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), CL_SUCCESS)
/* CALL with the first allocation failing; CLAUSE is the condition that it does not meet. */
#define UNFED(clause, call)                                                                                  \
    do {                                                                                                     \
        mm_alloc_fail_after(1);                                                                              \
        cl_int got_ = (call);                                                                                \
        mm_alloc_fail_after(0);                                                                              \
        if (got_ != CL_SUCCESS)                                                                              \
            fail_msg("%s: %s is %d", clause, #call, got_);                                                   \
    } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_int err;
static char text[4096];
static size_t size;
#define ROOM sizeof text, text, &size

static int setup(void **state)
{
    (void)state;
    char path[4096];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/refcl-compiler", build ? build : "build");
    setenv("REFCL_COMPILER", path, 0);
    OK(rt_clGetPlatformIDs(1, &platform, NULL));
    OK(rt_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    context = rt_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = rt_clCreateCommandQueueWithProperties(context, device, profiling, &err);
    return err;
}

static int teardown(void **state)
{
    (void)state;
    return rt_clReleaseCommandQueue(queue) || rt_clReleaseContext(context);
}

static void platform_and_devices(void **state)
{
    (void)state;
    cl_uint count;
    cl_ulong times[2];
    cl_device_id parts[64];
    const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    UNFED("CL 4.1 E2", rt_clGetPlatformIDs(1, &platform, &count));
    UNFED("CL 4.1 E5", rt_clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, ROOM));
    UNFED("CL 4.2 E6", rt_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count));
    UNFED("CL 4.2 E10", rt_clGetDeviceInfo(device, CL_DEVICE_NAME, ROOM));
    UNFED("CL 4.2 E14", rt_clGetDeviceAndHostTimer(device, &times[0], &times[1]));
    UNFED("CL 4.2 E18", rt_clGetHostTimer(device, &times[0]));
    OK(rt_clCreateSubDevices(device, by_one, 64, parts, &count));
    UNFED("CL 4.3 E10", rt_clRetainDevice(parts[0]));
    for (cl_uint i = 0; i < count; i++)
        UNFED("CL 4.3 E13", rt_clReleaseDevice(parts[i]));
    OK(rt_clReleaseDevice(parts[0]));
}

static void contexts_and_queues(void **state)
{
    (void)state;
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_context c = rt_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    UNFED("CL 4.4 E20", rt_clRetainContext(c));
    UNFED("CL 4.4 E23", rt_clReleaseContext(c));
    UNFED("CL 4.4 E23", rt_clReleaseContext(c));
    UNFED("CL 4.4 E27", rt_clGetContextInfo(context, CL_CONTEXT_DEVICES, ROOM));
    cl_command_queue q = rt_clCreateCommandQueueWithProperties(context, device, on_device, &err);
    OK(err);
    UNFED("CL 5.1 E11", rt_clSetDefaultDeviceCommandQueue(context, device, q));
    UNFED("CL 5.1 E14", rt_clRetainCommandQueue(q));
    UNFED("CL 5.1 E17", rt_clReleaseCommandQueue(q));
    UNFED("CL 5.1 E17", rt_clReleaseCommandQueue(q));
    UNFED("CL 5.1 E21", rt_clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, ROOM));
    UNFED("CL 5.15 E3", rt_clFlush(queue));
    UNFED("CL 5.15 E6", rt_clFinish(queue));
}

static void memory(void **state)
{
    (void)state;
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_image_format formats[200];
    cl_uint count;
    cl_mem image = rt_clCreateImage(context, 0, &format, &square, NULL, &err),
           pipe = rt_clCreatePipe(context, 0, 4, 4, NULL, &err);
    cl_sampler sampler = rt_clCreateSamplerWithProperties(context, NULL, &err);
    OK(err);
    UNFED("CL 5.3.2 E4", rt_clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 200,
                                                       formats, &count));
    UNFED("CL 5.3.7 E4", rt_clGetImageInfo(image, CL_IMAGE_FORMAT, ROOM));
    UNFED("CL 5.4.2 E4", rt_clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, ROOM));
    UNFED("CL 5.5.5 E4", rt_clGetMemObjectInfo(pipe, CL_MEM_SIZE, ROOM));
    UNFED("CL 5.5.1 E3", rt_clRetainMemObject(pipe));
    UNFED("CL 5.5.1 E6", rt_clReleaseMemObject(pipe));
    UNFED("CL 5.5.1 E6", rt_clReleaseMemObject(pipe));
    UNFED("CL 5.5.1 E6", rt_clReleaseMemObject(image));
    UNFED("CL 5.7.2 E4", rt_clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, ROOM));
    UNFED("CL 5.7.1 E8", rt_clRetainSampler(sampler));
    UNFED("CL 5.7.1 E11", rt_clReleaseSampler(sampler));
    UNFED("CL 5.7.1 E11", rt_clReleaseSampler(sampler));
}

static void programs_and_kernels(void **state)
{
    (void)state;
    const char *source = "kernel void k(global int *p) { *p = 1; }";
    const size_t local = 4;
    cl_program program = rt_clCreateProgramWithSource(context, 1, &source, NULL, &err);
    OK(rt_clBuildProgram(program, 0, NULL, "", NULL, NULL));
    UNFED("CL 5.8.9 E10", rt_clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, ROOM));
    cl_kernel kernel = rt_clCreateKernel(program, "k", &err);
    void *svm = rt_clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    OK(err);
    UNFED("CL 5.9.2 E16", rt_clSetKernelArgSVMPointer(kernel, 0, svm));
    UNFED("CL 5.9.4 E4", rt_clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, ROOM));
    UNFED("CL 5.9.4 E10", rt_clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, ROOM));
    UNFED("CL 5.9.4 E16", rt_clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                                     sizeof local, &local, ROOM));
    UNFED("CL 5.9.4 E105",
          rt_clGetKernelSubGroupInfoKHR(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                        sizeof local, &local, ROOM));
    UNFED("CL 5.9.1 E16", rt_clRetainKernel(kernel));
    UNFED("CL 5.9.1 E19", rt_clReleaseKernel(kernel));
    UNFED("CL 5.9.1 E19", rt_clReleaseKernel(kernel));
    UNFED("CL 5.8.2 E3", rt_clRetainProgram(program));
    UNFED("CL 5.8.2 E6", rt_clReleaseProgram(program));
    UNFED("CL 5.8.2 E6", rt_clReleaseProgram(program));
    rt_clSVMFree(context, svm);
}

static void events(void **state)
{
    (void)state;
    cl_event user = rt_clCreateUserEvent(context, &err), marker;
    OK(err);
    OK(rt_clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    OK(rt_clFinish(queue));
    UNFED("CL 5.11 E8", rt_clSetUserEventStatus(user, CL_COMPLETE));
    UNFED("CL 5.11 E14", rt_clWaitForEvents(1, &user));
    UNFED("CL 5.11 E19", rt_clGetEventInfo(user, CL_EVENT_CONTEXT, ROOM));
    UNFED("CL 5.14 E5", rt_clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, ROOM));
    UNFED("CL 5.11 E26", rt_clRetainEvent(user));
    UNFED("CL 5.11 E29", rt_clReleaseEvent(user));
    UNFED("CL 5.11 E29", rt_clReleaseEvent(user));
    UNFED("CL 5.11 E29", rt_clReleaseEvent(marker));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(platform_and_devices),
                                       cmocka_unit_test(contexts_and_queues), cmocka_unit_test(memory),
                                       cmocka_unit_test(programs_and_kernels), cmocka_unit_test(events)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
