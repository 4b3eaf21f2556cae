/* Semaphores: the order by waits and signals, their states, and every error [cl_khr_semaphore]. */
#include "tests/runtime/commands/command_test.h"

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_semaphore_khr semaphore(void)
{
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(context, binary, &err);
    OK(err);
    assert_non_null(s);
    return s;
}

static cl_ulong payload_of(cl_semaphore_khr s)
{
    cl_ulong payload = 77;
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
    return payload;
}

static cl_int signal(cl_command_queue q, cl_semaphore_khr s, cl_uint count, const cl_event *list,
                     cl_event *event)
{
    return p_clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, count, list, event);
}

static cl_int wait(cl_command_queue q, cl_semaphore_khr s, cl_uint count, const cl_event *list,
                   cl_event *event)
{
    return p_clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, count, list, event);
}

/* A wait completes only after its signal, which waits for the host's event; repeatedly. */
static void orders(void **unused)
{
    (void)unused;
    cl_semaphore_khr s = semaphore();
    for (int round = 0; round < 3; round++) {
        cl_event gate = clCreateUserEvent(context, &err), waited, type_of;
        cl_command_type type;
        bool wait_first = round == 1;
        if (wait_first)
            OK(wait(unordered, s, 0, NULL, &waited));
        OK(signal(queue, s, 1, &gate, &type_of));
        if (!wait_first)
            OK(wait(unordered, s, 0, NULL, &waited));
        OK(clFlush(queue));
        OK(clFlush(unordered));
        assert_true(status_of(waited) > CL_COMPLETE);
        assert_int_equal(payload_of(s), 0);
        OK(clGetEventInfo(type_of, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        OK(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, CL_COMMAND_SEMAPHORE_WAIT_KHR);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &waited));
        assert_int_equal(status_of(type_of), CL_COMPLETE);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(waited));
        OK(clReleaseEvent(type_of));
    }
    OK(signal(queue, s, 0, NULL, NULL)); /* [CL 5.13.8 R103] */
    OK(clFinish(queue));
    assert_int_equal(payload_of(s), 1);
    OK(wait(queue, s, 0, NULL, NULL));
    assert_int_equal(payload_of(s), 0);
    OK(clFinish(queue));
    OK(p_clReleaseSemaphoreKHR(s));
}

/* A wait for a signal that fails, fails. */
static void failures(void **unused)
{
    (void)unused;
    for (int wait_first = 0; wait_first < 2; wait_first++) {
        cl_semaphore_khr s = semaphore();
        cl_event gate = clCreateUserEvent(context, &err), waited;
        if (wait_first)
            OK(wait(unordered, s, 0, NULL, &waited));
        OK(signal(queue, s, 1, &gate, NULL));
        if (!wait_first)
            OK(wait(unordered, s, 0, NULL, &waited));
        OK(clSetUserEventStatus(gate, -7));
        assert_int_equal(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        /* [CL 5.13.6 E107] */
        assert_int_equal(status_of(waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(clFinish(queue));
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(waited));
        OK(p_clReleaseSemaphoreKHR(s));
    }
}

static void queries(void **unused)
{
    (void)unused;
    /* [CL 5.13.1 R101, CL 5.13.8 R102] */
    cl_uint type = 77, count = 77;
    cl_context owner = NULL;
    cl_device_id on = NULL;
    cl_semaphore_properties_khr given[8];
    size_t size = 0;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    assert_int_equal(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    type = 77;
    OK(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    assert_int_equal(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    const cl_semaphore_properties_khr listed[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                                  (cl_semaphore_properties_khr)(uintptr_t)device,
                                                  CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR,
                                                  0};
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(context, listed, &err);
    OK(err);
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_CONTEXT_KHR, sizeof owner, &owner, NULL));
    assert_ptr_equal(owner, context);
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL));
    assert_int_equal(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof on, &on, NULL));
    assert_ptr_equal(on, device);
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof given, given, &size));
    assert_int_equal(size, sizeof listed);
    assert_memory_equal(given, listed, size);
    OK(p_clRetainSemaphoreKHR(s));
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    OK(p_clReleaseSemaphoreKHR(s));
    assert_int_equal(p_clGetSemaphoreInfoKHR(s, 0, sizeof count, &count, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_TYPE_KHR, 1, &type, NULL), CL_INVALID_VALUE);
    OK(p_clReleaseSemaphoreKHR(s));
    assert_int_equal(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL),
                     CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(p_clReleaseSemaphoreKHR(s), CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(p_clRetainSemaphoreKHR(s), CL_INVALID_SEMAPHORE_KHR);
}

static void errors(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr none[] = {0},
                                      twice[] = {CL_SEMAPHORE_TYPE_KHR, 1, CL_SEMAPHORE_TYPE_KHR, 1, 0},
                                      other[] = {CL_SEMAPHORE_TYPE_KHR, 2, 0}, unknown[] = {99, 1, 0},
                                      empty[] = {CL_SEMAPHORE_TYPE_KHR, 1,
                                                 CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0, 0};
    /* [CL 5.13.2 E104] */
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateSemaphoreWithPropertiesKHR(context, NULL, &err));
    /* [CL 5.13.2 E104] [CL 5.13.2 R101] */
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateSemaphoreWithPropertiesKHR(context, none, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, twice, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, other, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, unknown, &err));
    EXPECT_NULL(CL_INVALID_DEVICE, p_clCreateSemaphoreWithPropertiesKHR(context, empty, &err));
    EXPECT_NULL(CL_INVALID_CONTEXT, p_clCreateSemaphoreWithPropertiesKHR(NULL, binary, &err));
    cl_semaphore_khr s = semaphore(), null = NULL;
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue away = clCreateCommandQueueWithProperties(foreign, device, NULL, &err);
    cl_event alien = clCreateUserEvent(foreign, &err), missing = NULL;
    for (int i = 0; i < 2; i++) {
        cl_int(CL_API_CALL * call)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
                                   const cl_semaphore_payload_khr *, cl_uint, const cl_event *, cl_event *) =
            i ? p_clEnqueueSignalSemaphoresKHR : p_clEnqueueWaitSemaphoresKHR;
        /* [CL 5.13.6 E101] */
        assert_int_equal(call(NULL, 1, &s, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        /* [CL 5.13.6 E103] */
        assert_int_equal(call(queue, 0, &s, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        assert_int_equal(call(queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        /* [CL 5.13.6 E104] */
        assert_int_equal(call(queue, 1, &null, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
        /* [CL 5.13.6 E105] */
        assert_int_equal(call(away, 1, &s, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
        assert_int_equal(call(queue, 1, &s, NULL, 1, &alien, NULL), CL_INVALID_CONTEXT);
        /* [CL 5.13.6 E106] */
        assert_int_equal(call(queue, 1, &s, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(call(queue, 1, &s, NULL, 0, &alien, NULL), CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(call(queue, 1, &s, NULL, 1, &missing, NULL), CL_INVALID_EVENT_WAIT_LIST);
    }
    OK(p_clReleaseSemaphoreKHR(s));
    OK(clReleaseEvent(alien));
    OK(clReleaseCommandQueue(away));
    OK(clReleaseContext(foreign));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(failures),
                                       cmocka_unit_test(queries), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, open_extensions, close_device);
}
