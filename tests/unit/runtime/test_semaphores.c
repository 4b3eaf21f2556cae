/* Semaphores when memory runs out: a failed signal or wait leaves no endless wait [cl_khr_semaphore]. */
#include "ref-runtime/sched/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), CL_SUCCESS)
#define NONE     0, NULL, NULL
enum { MOST = 1000 };

static cl_context context;
static cl_command_queue queue, other_queue;
static cl_int err;

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_ulong payload_of(cl_semaphore_khr s)
{
    cl_ulong payload = 77;
    OK(rt_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
    return payload;
}

/* A wait for a signal that could not be enqueued ends: it fails, or takes the next signal. */
static void failed_signals(void **state)
{
    (void)state;
    cl_int got = CL_OUT_OF_HOST_MEMORY, waited;
    size_t refused = 0;
    for (size_t n = 1; got != CL_SUCCESS && n < MOST; n++) {
        cl_semaphore_khr s = rt_clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
        cl_event gate = rt_clCreateUserEvent(context, &err), event;
        OK(rt_clFinish(queue));
        mm_alloc_fail_after(n);
        got = rt_clEnqueueSignalSemaphoresKHR(queue, 1, &s, NULL, 1, &gate, NULL);
        mm_alloc_fail_after(0);
        OK(rt_clEnqueueWaitSemaphoresKHR(other_queue, 1, &s, NULL, 0, NULL, &event));
        if (got != CL_SUCCESS)
            OK(rt_clEnqueueSignalSemaphoresKHR(queue, 1, &s, NULL, NONE));
        OK(rt_clSetUserEventStatus(gate, CL_COMPLETE));
        waited = rt_clWaitForEvents(1, &event);
        refused += got != CL_SUCCESS;
        OK(rt_clFinish(queue));
        assert_int_equal(payload_of(s), waited == CL_SUCCESS ? 0 : 1);
        OK(rt_clReleaseEvent(event));
        OK(rt_clReleaseEvent(gate));
        OK(rt_clReleaseSemaphoreKHR(s));
    }
    assert_true(got == CL_SUCCESS && waited == CL_SUCCESS && refused > 0);
}

/* A wait that could not be enqueued takes no signal, neither an existing nor a later one. */
static void failed_waits(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        cl_int got = CL_OUT_OF_HOST_MEMORY;
        for (size_t n = 1; got != CL_SUCCESS && n < MOST; n++) {
            cl_semaphore_khr pair[2];
            cl_event gate = rt_clCreateUserEvent(context, &err);
            for (int i = 0; i < 2; i++)
                pair[i] = rt_clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
            if (!early)
                OK(rt_clEnqueueSignalSemaphoresKHR(other_queue, 2, pair, NULL, NONE));
            OK(rt_clFinish(other_queue));
            mm_alloc_fail_after(n);
            got = rt_clEnqueueWaitSemaphoresKHR(queue, 2, pair, NULL, 1, &gate, NULL);
            mm_alloc_fail_after(0);
            if (early)
                OK(rt_clEnqueueSignalSemaphoresKHR(other_queue, 2, pair, NULL, NONE));
            OK(rt_clSetUserEventStatus(gate, CL_COMPLETE));
            OK(rt_clFinish(other_queue));
            OK(rt_clFinish(queue));
            for (int i = 0; i < 2; i++) {
                assert_int_equal(payload_of(pair[i]), got != CL_SUCCESS);
                OK(rt_clReleaseSemaphoreKHR(pair[i]));
            }
            OK(rt_clReleaseEvent(gate));
        }
        assert_int_equal(got, CL_SUCCESS);
    }
}

static int setup(void **state)
{
    (void)state;
    cl_platform_id platform;
    cl_device_id device;
    if (rt_clGetPlatformIDs(1, &platform, NULL) ||
        rt_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return -1;
    context = rt_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = rt_clCreateCommandQueueWithProperties(context, device, NULL, &err);
    other_queue = rt_clCreateCommandQueueWithProperties(context, device, NULL, &err);
    /* Objects created once exist before any allocation fails. */
    cl_mem m = rt_clCreateBuffer(context, 0, 4, NULL, &err);
    cl_uint value = 0;
    OK(rt_clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, &value, NONE));
    return rt_clReleaseMemObject(m);
}

static int teardown(void **state)
{
    (void)state;
    return rt_clReleaseCommandQueue(queue) || rt_clReleaseCommandQueue(other_queue) ||
           rt_clReleaseContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(failed_signals), cmocka_unit_test(failed_waits)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
