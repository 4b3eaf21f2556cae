/* Command buffers of several queues and devices: the queue in which a command is recorded and runs, ordering,
 * and every error [cl_khr_command_buffer_multi_device]. */
#include "tests/runtime/commands/command_test.h"

enum { COUNT = 16, DEVICES = 2 };

static cl_device_id devices[DEVICES];
static cl_context both;
static cl_command_queue
    queues[3]; /* of the first device, in order; of the second, in order; of the first, out of order */
static cl_program program;
static cl_kernel kernel; /* p[i] = p[i] * 2 + n */
static const size_t sixteen = COUNT;

static int setup(void **state)
{
    static const char *source = "kernel void k(global int *p, int n)"
                                "{ size_t i = get_global_id(0); p[i] = p[i] * 2 + n; }";
    const cl_queue_properties loose[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    if (open_extensions(state) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, NULL))
        return -1;
    both = clCreateContext(NULL, DEVICES, devices, NULL, NULL, &err);
    for (int i = 0; i < 3; i++)
        queues[i] = clCreateCommandQueueWithProperties(both, devices[i == 1], i == 2 ? loose : NULL, &err);
    program = clCreateProgramWithSource(both, 1, &source, NULL, &err);
    if (clBuildProgram(program, 0, NULL, "", NULL, NULL))
        return -1;
    kernel = clCreateKernel(program, "k", &err);
    return err;
}

static int teardown(void **state)
{
    for (int i = 0; i < 3; i++)
        clReleaseCommandQueue(queues[i]);
    return clReleaseKernel(kernel) || clReleaseProgram(program) || clReleaseContext(both) ||
           close_device(state);
}

static cl_mem ints(int value)
{
    int data[COUNT];
    for (int i = 0; i < COUNT; i++)
        data[i] = value;
    cl_mem m = clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
    OK(err);
    return m;
}

static void expect_ints(cl_mem m, int value)
{
    int data[COUNT];
    OK(clEnqueueReadBuffer(queues[0], m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(data[i], value);
}

static cl_command_buffer_khr open_buffer(cl_uint count, const cl_command_queue *list)
{
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(count, list, NULL, &err);
    OK(err);
    return b;
}

static void record(cl_command_buffer_khr b, cl_command_queue q, cl_mem m, int n,
                   const cl_sync_point_khr *after, cl_sync_point_khr *point)
{
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clSetKernelArg(kernel, 1, sizeof n, &n));
    OK(p_clCommandNDRangeKernelKHR(b, q, NULL, kernel, 1, NULL, &sixteen, NULL, after ? 1 : 0, after, point,
                                   NULL));
}

static void advertised(void **unused)
{
    (void)unused;
    cl_bitfield capabilities = 0;
    cl_uint count = 77;
    cl_device_id found[4];
    size_t size;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof capabilities,
                         &capabilities, NULL));
    assert_int_equal(capabilities, CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR);
    for (int i = 0; i < DEVICES; i++) {
        OK(clGetDeviceInfo(devices[i], CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, sizeof count, &count,
                           NULL));
        assert_int_equal(count, DEVICES);
        OK(clGetDeviceInfo(devices[i], CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, sizeof found, found,
                           &size));
        assert_int_equal(size, sizeof devices);
        assert_memory_equal(found, devices, size);
        OK(clGetDeviceInfo(devices[i], CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof capabilities,
                           &capabilities, NULL));
        assert_true(capabilities & CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR);
    }
}

/* Sync-points order commands of different devices, in-order queues those recorded to them, a barrier all
 * [CL 5.17 R103-R105]. */
static void orders(void **unused)
{
    (void)unused;
    cl_mem m = ints(1), other = ints(1);
    cl_sync_point_khr first, second, third;
    cl_command_buffer_khr b = open_buffer(3, queues);
    record(b, queues[0], m, 1, NULL, &first);    /* 3 */
    record(b, queues[1], m, 2, &first, &second); /* 8 */
    record(b, queues[2], m, 3, &second, &third); /* 19 */
    record(b, queues[1], other, 1, NULL, NULL);  /* 3: after the second, in order */
    record(b, queues[1], other, 2, NULL, NULL);  /* 8 */
    OK(p_clCommandBarrierWithWaitListKHR(b, queues[2], NULL, 0, NULL, NULL, NULL));
    record(b, queues[0], m, 4, NULL, NULL);     /* 42 */
    record(b, queues[2], other, 4, NULL, NULL); /* 20 */
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    expect_ints(m, 42);
    expect_ints(other, 20);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(other));
}

/* A run starts after what came before it in each of its queues, in order or before a barrier [CL 5.17 R101]. */
static void follows_each_queue(void **unused)
{
    (void)unused;
    cl_mem m = ints(0);
    cl_command_buffer_khr b = open_buffer(3, queues);
    record(b, queues[0], m, 1, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    for (int i = 0; i < 3; i++) {
        cl_event gate = clCreateUserEvent(both, &err), done;
        OK(clEnqueueBarrierWithWaitList(queues[i], 1, &gate, NULL));
        OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &done));
        OK(clFlush(queues[0]));
        OK(clFlush(queues[i]));
        for (int k = 0; k < 10; k++) /* the run, its commands, and what represents it in other queues */
            let_ready_run();
        cl_int status = status_of(done);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &done));
        assert_true(status > CL_COMPLETE);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(done));
    }
    expect_ints(m, 7);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

/* Functions of the extension serve both devices [CL 4.5 R101]. A run is a command of each queue; its event is
 * complete when all is done, and it may have other queues. */
static void runs(void **unused)
{
    (void)unused;
    cl_mem m = ints(0), other = ints(0);
    cl_event gate = clCreateUserEvent(both, &err), done, after;
    cl_command_queue others[3] = {queues[2], queues[1], queues[0]}, asked[3];
    cl_uint count = 77;
    cl_command_buffer_khr b = open_buffer(3, queues);
    record(b, queues[0], m, 1, NULL, NULL);
    record(b, queues[1], other, 2, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, NULL));
    assert_int_equal(count, 3);
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof asked, asked, NULL));
    assert_memory_equal(asked, queues, sizeof asked);
    OK(p_clEnqueueCommandBufferKHR(3, others, b, 1, &gate, &done));
    OK(clEnqueueMarkerWithWaitList(queues[1], 0, NULL, &after));
    OK(clFlush(queues[0]));
    OK(clFlush(queues[1]));
    let_ready_run();
    assert_true(status_of(done) > CL_COMPLETE);
    assert_true(status_of(after) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queues[1]));
    assert_int_equal(status_of(done), CL_COMPLETE);
    expect_ints(m, 1);
    expect_ints(other, 2);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(after));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(other));
}

/* The event of a run in several queues has no queue; it has times where one of them takes any.
 * [CL 5.17.4 R131] */
static void events(void **unused)
{
    (void)unused;
    const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue with_times = clCreateCommandQueueWithProperties(both, devices[1], timed, &err);
    OK(err);
    cl_command_queue pairs[3][2] = {{queues[0], queues[1]}, {queues[0], with_times}, {with_times, queues[0]}};
    for (int i = 0; i < 3; i++)
        for (cl_uint count = 1; count <= 2; count++) {
            cl_command_queue of = queue;
            cl_event done;
            cl_ulong time = 0;
            cl_command_buffer_khr b = open_buffer(count, pairs[i]);
            OK(p_clCommandBarrierWithWaitListKHR(b, pairs[i][0], NULL, 0, NULL, NULL, NULL));
            OK(p_clFinalizeCommandBufferKHR(b));
            OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &done));
            OK(clGetEventInfo(done, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
            assert_ptr_equal(of, count == 1 ? pairs[i][0] : NULL);
            OK(clWaitForEvents(1, &done));
            int timed_run = i == 2 || (i == 1 && count == 2);
            assert_int_equal(
                clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
                timed_run ? CL_SUCCESS : CL_PROFILING_INFO_NOT_AVAILABLE);
            assert_int_equal(time != 0, timed_run);
            OK(clReleaseEvent(done));
            OK(p_clReleaseCommandBufferKHR(b));
        }
    OK(clReleaseCommandQueue(with_times));
}

static void errors(void **unused)
{
    (void)unused;
    const cl_command_buffer_properties_khr native[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                       CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0};
    cl_command_queue mixed[] = {queues[0], queue}, holed[] = {queues[0], NULL},
                     swapped[] = {queues[1], queues[0]}, foreign[] = {queue, queue};
    cl_mutable_command_khr handles[1] = {NULL};
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(0, queues, NULL, &err));
    EXPECT_NULL(CL_INVALID_CONTEXT, p_clCreateCommandBufferKHR(2, mixed, NULL, &err));
    EXPECT_NULL(CL_INVALID_COMMAND_QUEUE, p_clCreateCommandBufferKHR(2, holed, NULL, &err));
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(2, queues, native, &err);
    OK(err);
#define BARRIER(q) p_clCommandBarrierWithWaitListKHR(b, q, NULL, 0, NULL, NULL, NULL)
    /* [CL 5.17.5 R102] */
    assert_int_equal(BARRIER(NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(BARRIER(queues[2]), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(BARRIER(queue), CL_INVALID_CONTEXT);
    OK(BARRIER(queues[1]));
    OK(p_clFinalizeCommandBufferKHR(b));
    assert_int_equal(p_clEnqueueCommandBufferKHR(1, queues, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(3, queues, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(2, swapped, b, 0, NULL, NULL), CL_INVALID_DEVICE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(2, foreign, b, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(p_clEnqueueCommandBufferKHR(2, holed, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
#define REMAP(code, b, automatic, count, list, n, from, to)                                                  \
    EXPECT_NULL(code, p_clRemapCommandBufferKHR(b, automatic, count, list, n, from, to, &err))
    REMAP(CL_INVALID_COMMAND_BUFFER_KHR, NULL, CL_FALSE, 2, queues, 0, NULL, NULL);
    REMAP(CL_INVALID_VALUE, b, CL_FALSE, 0, queues, 0, NULL, NULL);
    REMAP(CL_INVALID_VALUE, b, CL_FALSE, 2, NULL, 0, NULL, NULL);
    REMAP(CL_INVALID_VALUE, b, CL_FALSE, 3, queues, 0, NULL, NULL);
    REMAP(CL_INVALID_VALUE, b, CL_FALSE, 2, queues, 1, NULL, handles);
    REMAP(CL_INVALID_VALUE, b, CL_FALSE, 2, queues, 0, handles, handles);
    REMAP(CL_INVALID_COMMAND_QUEUE, b, CL_FALSE, 2, holed, 0, NULL, NULL);
    REMAP(CL_INVALID_CONTEXT, b, CL_FALSE, 2, foreign, 0, NULL, NULL);
    REMAP(CL_INVALID_OPERATION, b, CL_FALSE, 2, queues, 0, NULL, NULL);
    REMAP(CL_INVALID_OPERATION, b, CL_TRUE, 1, queues, 0, NULL, NULL);
    OK(p_clReleaseCommandBufferKHR(b));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advertised), cmocka_unit_test(orders), cmocka_unit_test(follows_each_queue),
        cmocka_unit_test(runs),       cmocka_unit_test(events), cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests_name("multi-device-buffer", tests, setup, teardown);
}
