/* Shared by the API tests: a context with queues on the first refcl device, reached through the loader. */
#ifndef TESTS_RUNTIME_RUNTIME_TEST_H
#define TESTS_RUNTIME_RUNTIME_TEST_H

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), CL_SUCCESS)
/* An object-creating call whose last argument is &err. */
#define EXPECT_NULL(code, call)                                                                              \
    do {                                                                                                     \
        err = 12345;                                                                                         \
        assert_null(call);                                                                                   \
        assert_int_equal(err, (code));                                                                       \
    } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue, unordered;
static cl_int err;

__attribute__((unused)) static int open_device(void **state)
{
    (void)state;
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_queue_properties loose[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        return -1;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueueWithProperties(context, device, profiling, &err);
    unordered = clCreateCommandQueueWithProperties(context, device, loose, &err);
    return context && queue && unordered ? 0 : -1;
}

__attribute__((unused)) static int close_device(void **state)
{
    (void)state;
    return clReleaseCommandQueue(queue) || clReleaseCommandQueue(unordered) || clReleaseContext(context);
}

/* A program for all devices of the context; without one the test fails with the build log. */
__attribute__((unused)) static cl_program build_source(const char *text, const char *options)
{
    cl_program built = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    if (clBuildProgram(built, 0, NULL, options, NULL, NULL)) {
        char log[8192] = "";
        clGetProgramBuildInfo(built, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    return built;
}

__attribute__((unused)) static cl_build_status status_of_build(cl_program program)
{
    cl_build_status status = 77;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

__attribute__((unused)) static cl_int status_of(cl_event event)
{
    cl_int status = 77;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL);
    return status;
}

__attribute__((unused)) static void pause_ms(long ms)
{
    struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

/* Returns when every ready command has begun, and has ended unless it is a kernel: commands run in the order
 * in which they became ready, unless a seed changes it, and QUEUE has no command that waits. */
__attribute__((unused)) static void let_ready_run(void)
{
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    OK(clFinish(queue));
}

/* Waits until *FLAG is at least WANTED. */
__attribute__((unused)) static void await(volatile int *flag, int wanted)
{
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < wanted)
        pause_ms(1);
}

#endif
