/* Command buffers: their execution, their states, and every error [cl_khr_command_buffer]. */
#include "tests/runtime/commands/command_test.h"

#include <semaphore.h>

#define CALL(name, b, q, ...) p_##name(b, q, command_properties, __VA_ARGS__)

static const cl_properties *command_properties; /* of CALL */

static cl_program program;
static cl_kernel kernel; /* p[i] = p[i] * 2 + n */
static const size_t sixteen = 16;

static int setup(void **state)
{
    static const char *source = "kernel void k(global int *p, int n)"
                                "{ size_t i = get_global_id(0); p[i] = p[i] * 2 + n; }";
    if (open_extensions(state))
        return -1;
    program = build_source(source, "");
    kernel = clCreateKernel(program, "k", &err);
    return err;
}

static int teardown(void **state)
{
    return clReleaseKernel(kernel) || clReleaseProgram(program) || close_device(state);
}

static cl_mem ints(int value)
{
    int data[16];
    for (int i = 0; i < 16; i++)
        data[i] = value;
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
    OK(err);
    return m;
}

static void expect_ints(cl_mem m, int value)
{
    int data[16];
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < 16; i++)
        assert_int_equal(data[i], value);
}

static cl_command_buffer_khr buffer_on(cl_command_queue q, bool simultaneous)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                           CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(1, &q, simultaneous ? properties : NULL, &err);
    OK(err);
    assert_non_null(b);
    return b;
}

static void set_arguments(cl_mem m, int n)
{
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clSetKernelArg(kernel, 1, sizeof n, &n));
}

static cl_uint state_of(cl_command_buffer_khr b)
{
    cl_uint state = 77;
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    return state;
}

static void record_kernel(cl_command_buffer_khr b, cl_uint count, const cl_sync_point_khr *points,
                          cl_sync_point_khr *point)
{
    OK(p_clCommandNDRangeKernelKHR(b, NULL, NULL, kernel, 1, NULL, &sixteen, NULL, count, points, point,
                                   NULL));
}

/* ---- device queries ---- */

static void advertised(void **unused)
{
    (void)unused;
    char names[8192];
    cl_bitfield capabilities = 0, required = 77;
    cl_name_version versions[256];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_non_null(strstr(names, "cl_khr_command_buffer"));
    OK(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof capabilities, &capabilities,
                       NULL));
    assert_true(capabilities & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR);
    OK(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof required,
                       &required, NULL));
    assert_int_equal(required, 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, sizeof required,
                       &required, NULL));
    assert_int_equal(required, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof versions, versions, &size));
    bool found = false;
    for (size_t i = 0; i < size / sizeof *versions; i++)
        if (strcmp(versions[i].name, "cl_khr_command_buffer") == 0) {
            assert_int_equal(versions[i].version, CL_MAKE_VERSION(0, 9, 8));
            found = true;
        }
    assert_true(found);
}

/* ---- execution ---- */

/* Arguments are those at recording; the buffer runs as often as it is enqueued. */
static void runs_again(void **unused)
{
    (void)unused;
    cl_mem m = ints(1), other = ints(5);
    cl_command_buffer_khr b = buffer_on(queue, false);
    set_arguments(m, 3);
    record_kernel(b, 0, NULL, NULL);
    set_arguments(other, 100);
    record_kernel(b, 0, NULL, NULL);
    expect_ints(m, 1);
    OK(p_clFinalizeCommandBufferKHR(b));
    for (int i = 0; i < 3; i++) {
        OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
        OK(clFinish(queue));
        assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    }
    expect_ints(m, ((1 * 2 + 3) * 2 + 3) * 2 + 3);
    expect_ints(other, ((5 * 2 + 100) * 2 + 100) * 2 + 100);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(other));
}

/* The buffer retains what it uses: objects may be released after recording. */
static void keeps_objects(void **unused)
{
    (void)unused;
    cl_mem m = ints(1), out = ints(0);
    cl_kernel own = clCreateKernel(program, "k", &err);
    const int n = 7;
    OK(clSetKernelArg(own, 0, sizeof m, &m));
    OK(clSetKernelArg(own, 1, sizeof n, &n));
    cl_command_buffer_khr b = buffer_on(queue, false);
    OK(p_clCommandNDRangeKernelKHR(b, NULL, NULL, own, 1, NULL, &sixteen, NULL, 0, NULL, NULL, NULL));
    OK(CALL(clCommandCopyBufferKHR, b, NULL, m, out, 0, 0, 64, 0, NULL, NULL, NULL));
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(clReleaseKernel(own));
    OK(clReleaseMemObject(m));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(b));
    expect_ints(out, 9);
    OK(clReleaseMemObject(out));
}

/* Every kind of command, each ordered after the one before by the queue or by sync-points. */
static void every_command(cl_command_queue q)
{
    const size_t origin[3] = {0}, region[3] = {16, 4, 1}, texels[3] = {4, 4, 1};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_uint color[4] = {1, 1, 1, 1};
    const int seven = 7;
    cl_mem a = ints(0), c = ints(0), d = ints(0), e = ints(0);
    cl_mem i1 = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_mem i2 = clCreateImage(context, 0, &format, &desc, NULL, &err);
    OK(err);
    cl_command_buffer_khr b = buffer_on(q, false);
    cl_sync_point_khr p[8] = {0}, last;
    set_arguments(c, 1);
    OK(CALL(clCommandFillBufferKHR, b, NULL, a, &seven, 4, 0, 64, 0, NULL, &p[0], NULL));
    OK(CALL(clCommandCopyBufferKHR, b, NULL, a, c, 0, 0, 64, 1, &p[0], &p[1], NULL));
    record_kernel(b, 1, &p[1], &p[2]); /* c: 15 */
    OK(CALL(clCommandCopyBufferRectKHR, b, NULL, c, d, origin, origin, region, 16, 0, 16, 0, 1, &p[2], &p[3],
            NULL));
    OK(CALL(clCommandFillImageKHR, b, NULL, i1, color, origin, texels, 0, NULL, &p[4], NULL));
    OK(CALL(clCommandCopyImageKHR, b, NULL, i1, i2, origin, origin, texels, 1, &p[4], &p[5], NULL));
    OK(CALL(clCommandBarrierWithWaitListKHR, b, NULL, 0, NULL, &last, NULL));
    OK(CALL(clCommandCopyImageToBufferKHR, b, NULL, i2, e, origin, texels, 0, 0, NULL, &p[6], NULL));
    OK(CALL(clCommandCopyBufferToImageKHR, b, NULL, d, i1, 0, origin, texels, 0, NULL, &p[7], NULL));
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(p[i], p[k]);
    OK(p_clFinalizeCommandBufferKHR(b));
    cl_event event;
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &event));
    OK(clWaitForEvents(1, &event));
    cl_command_type type;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    cl_ulong times[5];
    for (cl_uint i = 0; i < 5; i++) {
        const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                           CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                           CL_PROFILING_COMMAND_COMPLETE};
        OK(clGetEventProfilingInfo(event, names[i], sizeof *times, &times[i], NULL));
        assert_true(i == 0 || times[i] >= times[i - 1]);
    }
    OK(clReleaseEvent(event));
    expect_ints(a, 7);
    expect_ints(c, 15);
    expect_ints(d, 15);
    expect_ints(e, 0x01010101);
    int back[16];
    OK(clEnqueueReadImage(queue, i1, CL_TRUE, origin, texels, 0, 0, back, 0, NULL, NULL));
    assert_int_equal(back[15], 15);
    OK(p_clReleaseCommandBufferKHR(b));
    cl_mem all[] = {a, c, d, e, i1, i2};
    for (int i = 0; i < 6; i++)
        OK(clReleaseMemObject(all[i]));
}

static void in_order(void **unused)
{
    (void)unused;
    every_command(queue);
}

static void out_of_order(void **unused)
{
    (void)unused;
    every_command(unordered);
}

/* A wait list is read before the new sync-point is stored, even if they overlap in memory.
 * [CL 5.17.5 R142] */
static void point_over_list(void **unused)
{
    (void)unused;
    cl_mem m = ints(1);
    cl_sync_point_khr point;
    cl_command_buffer_khr b = buffer_on(unordered, false);
    set_arguments(m, 1);
    record_kernel(b, 0, NULL, &point);
    for (int i = 0; i < 3; i++) {
        cl_sync_point_khr before = point;
        record_kernel(b, 1, &point, &point);
        assert_true(point != before);
    }
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(clFinish(unordered));
    expect_ints(m, 31);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

/* Later commands of the queue are ordered after the whole buffer; the buffer waits for its list. */
static void among_others(void **unused)
{
    (void)unused;
    cl_mem m = ints(1);
    int seen[16];
    cl_event gate = clCreateUserEvent(context, &err), done;
    cl_command_buffer_khr b = buffer_on(queue, false);
    set_arguments(m, 1);
    for (int i = 0; i < 4; i++)
        record_kernel(b, 0, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 1, &gate, &done));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    OK(clEnqueueReadBuffer(queue, m, CL_FALSE, 0, sizeof seen, seen, 0, NULL, NULL));
    OK(clFlush(queue));
    pause_ms(2);
    assert_true(status_of(done) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(queue));
    assert_int_equal(seen[3], 31);
    assert_int_equal(status_of(done), CL_COMPLETE);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

/* A failed wait list fails the buffer, and none of its commands run. */
static void failed_list(void **unused)
{
    (void)unused;
    cl_mem m = ints(1);
    cl_event gate = clCreateUserEvent(context, &err), done;
    cl_command_buffer_khr b = buffer_on(queue, false);
    set_arguments(m, 1);
    record_kernel(b, 0, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 1, &gate, &done));
    OK(clSetUserEventStatus(gate, -5));
    assert_int_equal(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    expect_ints(m, 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

static void simultaneous_use(void **unused)
{
    (void)unused;
    cl_mem m = ints(0);
    cl_event gate = clCreateUserEvent(context, &err);
    cl_command_buffer_khr b = buffer_on(queue, true);
    set_arguments(m, 1);
    record_kernel(b, 0, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    for (int i = 0; i < 5; i++)
        OK(p_clEnqueueCommandBufferKHR(0, NULL, b, i == 0, i ? NULL : &gate, NULL));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    expect_ints(m, 31);
    OK(clReleaseEvent(gate));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

/* A queue with the same properties as the recording one is accepted. */
static void other_queue(void **unused)
{
    (void)unused;
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue like = clCreateCommandQueueWithProperties(context, device, profiling, &err);
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue away = clCreateCommandQueueWithProperties(foreign, device, profiling, &err), none = NULL;
    cl_event alien = clCreateUserEvent(foreign, &err);
    cl_command_queue two[] = {like, like};
    cl_mem m = ints(1);
    cl_command_buffer_khr b = buffer_on(queue, false);
    set_arguments(m, 0);
    record_kernel(b, 0, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(1, &like, b, 0, NULL, NULL));
    OK(clFinish(like));
    expect_ints(m, 2);
    OK(p_clEnqueueCommandBufferKHR(1, &plain, b, 0, NULL, NULL)); /* properties need not be the same */
    OK(clFinish(plain));
    expect_ints(m, 4);
    assert_int_equal(p_clEnqueueCommandBufferKHR(1, &away, b, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(p_clEnqueueCommandBufferKHR(1, &none, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(2, two, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, &like, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(1, NULL, b, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, b, 1, &alien, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, b, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, &alien, NULL), CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, NULL, 0, NULL, NULL),
                     CL_INVALID_COMMAND_BUFFER_KHR);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clReleaseEvent(alien));
    OK(clReleaseCommandQueue(like));
    OK(clReleaseCommandQueue(plain));
    OK(clReleaseCommandQueue(away));
    OK(clReleaseContext(foreign));
}

/* ---- objects ---- */

static void queries(void **unused)
{
    (void)unused;
    cl_command_buffer_khr b = buffer_on(queue, true), plain = buffer_on(queue, false);
    cl_command_queue q;
    cl_uint number;
    size_t size;
    cl_command_buffer_properties_khr properties[3];
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof q, &q, &size));
    assert_ptr_equal(q, queue);
    assert_int_equal(size, sizeof q);
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof number, &number, NULL));
    assert_int_equal(number, 1);
    OK(p_clRetainCommandBufferKHR(b));
    /* [CL 5.17.8 R101] */
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof number, &number, NULL));
    assert_int_equal(number, 2);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof properties, properties,
                                   &size));
    assert_int_equal(size, sizeof properties);
    assert_int_equal(properties[0], CL_COMMAND_BUFFER_FLAGS_KHR);
    assert_int_equal(properties[1], CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    assert_int_equal(properties[2], 0);
    OK(p_clGetCommandBufferInfoKHR(plain, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, 0, NULL, &size));
    assert_int_equal(size, 0);
    assert_int_equal(p_clGetCommandBufferInfoKHR(b, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    assert_int_equal(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_STATE_KHR, 1, &number, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(p_clGetCommandBufferInfoKHR(NULL, CL_COMMAND_BUFFER_STATE_KHR, 4, &number, NULL),
                     CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    OK(p_clFinalizeCommandBufferKHR(b));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_int_equal(p_clFinalizeCommandBufferKHR(b), CL_INVALID_OPERATION);
    assert_int_equal(p_clFinalizeCommandBufferKHR((cl_command_buffer_khr)queue),
                     CL_INVALID_COMMAND_BUFFER_KHR);
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL)); /* an empty one */
    OK(clFinish(queue));
    OK(p_clReleaseCommandBufferKHR(b));
    assert_int_equal(p_clReleaseCommandBufferKHR(b), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(p_clRetainCommandBufferKHR(b), CL_INVALID_COMMAND_BUFFER_KHR);
    OK(p_clReleaseCommandBufferKHR(plain));
}

static void creation_errors(void **unused)
{
    (void)unused;
    const cl_command_buffer_properties_khr unknown[] = {0x7777, 0, 0},
                                           flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1u << 20, 0},
                                           twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0,
                                                      CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
    cl_command_queue none = NULL;
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(0, &queue, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_COMMAND_QUEUE, p_clCreateCommandBufferKHR(1, &none, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, unknown, &err));
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, flags, &err));
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, twice, &err));
}

/* The same errors for every recording call: CALL lacks only buffer, queue, points and handle. */
static void recording_errors(void **unused)
{
    (void)unused;
    const size_t origin[3] = {0}, one[3] = {1, 1, 1}, far[3] = {100, 0, 0};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_uint color[4] = {0};
    cl_mem a = ints(0), c = ints(0), none = NULL;
    cl_mem i1 = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_mem i2 = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_mem away = clCreateBuffer(foreign, 0, 64, NULL, &err);
    cl_mem away_image = clCreateImage(foreign, 0, &format, &desc, NULL, &err);
    cl_command_buffer_khr open = buffer_on(queue, false), closed = buffer_on(queue, false);
    cl_sync_point_khr point = 0, wrong = 99;
    cl_mutable_command_khr handle = NULL;
    char *x = clSVMAlloc(context, 0, 8, 0);
    assert_non_null(x);
    OK(p_clFinalizeCommandBufferKHR(closed));
    set_arguments(a, 1);
#define REST(b, q, n, points, h, code)                                                                       \
    MOVES(b, q, n, points, h, code)                                                                          \
    IS(code, p_clCommandNDRangeKernelKHR(b, q, NULL, kernel, 1, NULL, one, NULL, n, points, NULL, h))
#define MOVES(b, q, n, points, h, code)                                                                      \
    BARRIER(b, q, n, points, h, code)                                                                        \
    IS(code, CALL(clCommandCopyBufferKHR, b, q, a, c, 0, 0, 4, n, points, NULL, h))                          \
    IS(code,                                                                                                 \
       CALL(clCommandCopyBufferRectKHR, b, q, a, c, origin, origin, one, 0, 0, 0, 0, n, points, NULL, h))    \
    IS(code, CALL(clCommandCopyBufferToImageKHR, b, q, a, i1, 0, origin, one, n, points, NULL, h))           \
    IS(code, CALL(clCommandCopyImageKHR, b, q, i1, i2, origin, origin, one, n, points, NULL, h))             \
    IS(code, CALL(clCommandCopyImageToBufferKHR, b, q, i1, a, origin, one, 0, n, points, NULL, h))           \
    IS(code, CALL(clCommandFillBufferKHR, b, q, a, color, 4, 0, 4, n, points, NULL, h))                      \
    IS(code, CALL(clCommandFillImageKHR, b, q, i1, color, origin, one, n, points, NULL, h))                  \
    IS(code, CALL(clCommandSVMMemcpyKHR, b, q, x, x + 4, 4, n, points, NULL, h))                             \
    IS(code, CALL(clCommandSVMMemFillKHR, b, q, x, color, 4, 4, n, points, NULL, h))
#define BARRIER(b, q, n, points, h, code)                                                                    \
    IS(code, CALL(clCommandBarrierWithWaitListKHR, b, q, n, points, NULL, h))
#define IS(code, call) assert_int_equal(call, code);
    /* [CL 5.17.5 R104] */
    REST(open, NULL, 0, NULL, NULL, CL_SUCCESS);
    /* [CL 5.17.5 E101] */
    REST(NULL, NULL, 0, NULL, NULL, CL_INVALID_COMMAND_BUFFER_KHR);
    /* [CL 5.17.5 E102] */
    REST(closed, NULL, 0, NULL, NULL, CL_INVALID_OPERATION);
    REST(open, queue, 0, NULL, NULL, CL_SUCCESS);
    /* [CL 5.17.5 E103] */
    REST(open, unordered, 0, NULL, NULL, CL_INVALID_COMMAND_QUEUE);
    /* [CL 5.17.5 E105] */
    MOVES(open, NULL, 0, NULL, &handle, CL_INVALID_VALUE); /* kernels alone have handles */
    const cl_properties unknown[] = {99, 1, 0};
    command_properties = unknown;
    /* [CL 5.17.5 E125] */
    MOVES(open, NULL, 0, NULL, NULL, CL_INVALID_VALUE);
    command_properties = NULL;
    /* [CL 5.17.5 E104] */
    REST(open, NULL, 1, NULL, NULL, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    REST(open, NULL, 0, &wrong, NULL, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    REST(open, NULL, 1, &wrong, NULL, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    REST(open, NULL, 1, &point, NULL, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
#define LAST 0, NULL, NULL, NULL
    IS(CL_INVALID_CONTEXT, CALL(clCommandCopyBufferKHR, open, NULL, away, c, 0, 0, 4, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandCopyBufferKHR, open, NULL, none, c, 0, 0, 4, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandCopyBufferKHR, open, NULL, a, i1, 0, 0, 4, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandCopyBufferKHR, open, NULL, a, c, 64, 0, 4, LAST));
    IS(CL_MEM_COPY_OVERLAP, CALL(clCommandCopyBufferKHR, open, NULL, a, a, 0, 2, 4, LAST));
    IS(CL_INVALID_CONTEXT,
       CALL(clCommandCopyBufferRectKHR, open, NULL, a, away, origin, origin, one, 0, 0, 0, 0, LAST));
    IS(CL_INVALID_MEM_OBJECT,
       CALL(clCommandCopyBufferRectKHR, open, NULL, a, none, origin, origin, one, 0, 0, 0, 0, LAST));
    IS(CL_INVALID_VALUE,
       CALL(clCommandCopyBufferRectKHR, open, NULL, a, c, far, origin, one, 0, 0, 0, 0, LAST));
    IS(CL_MEM_COPY_OVERLAP,
       CALL(clCommandCopyBufferRectKHR, open, NULL, a, a, origin, origin, one, 0, 0, 0, 0, LAST));
    IS(CL_INVALID_CONTEXT, CALL(clCommandCopyBufferToImageKHR, open, NULL, away, i1, 0, origin, one, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandCopyBufferToImageKHR, open, NULL, i2, i1, 0, origin, one, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandCopyBufferToImageKHR, open, NULL, a, i1, 0, far, one, LAST));
    IS(CL_INVALID_CONTEXT,
       CALL(clCommandCopyImageKHR, open, NULL, i1, away_image, origin, origin, one, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandCopyImageKHR, open, NULL, a, i1, origin, origin, one, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandCopyImageKHR, open, NULL, i2, i1, far, origin, one, LAST));
    IS(CL_MEM_COPY_OVERLAP, CALL(clCommandCopyImageKHR, open, NULL, i1, i1, origin, origin, one, LAST));
    IS(CL_INVALID_CONTEXT, CALL(clCommandCopyImageToBufferKHR, open, NULL, i1, away, origin, one, 0, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandCopyImageToBufferKHR, open, NULL, i1, i2, origin, one, 0, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandCopyImageToBufferKHR, open, NULL, i1, a, origin, one, 64, LAST));
    IS(CL_INVALID_CONTEXT, CALL(clCommandFillBufferKHR, open, NULL, away, color, 4, 0, 4, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandFillBufferKHR, open, NULL, i1, color, 4, 0, 4, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandFillBufferKHR, open, NULL, a, color, 3, 0, 3, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandFillBufferKHR, open, NULL, a, NULL, 4, 0, 4, LAST));
    IS(CL_INVALID_CONTEXT, CALL(clCommandFillImageKHR, open, NULL, away_image, color, origin, one, LAST));
    IS(CL_INVALID_MEM_OBJECT, CALL(clCommandFillImageKHR, open, NULL, a, color, origin, one, LAST));
    IS(CL_INVALID_VALUE, CALL(clCommandFillImageKHR, open, NULL, i1, NULL, origin, one, LAST));
    const cl_properties with_unknown[] = {0x7777, 1, 0}, empty[] = {0};
    IS(CL_INVALID_VALUE,
       p_clCommandNDRangeKernelKHR(open, NULL, with_unknown, kernel, 1, NULL, one, NULL, LAST));
    IS(CL_SUCCESS, p_clCommandNDRangeKernelKHR(open, NULL, empty, kernel, 1, NULL, one, NULL, LAST));
    IS(CL_INVALID_KERNEL, p_clCommandNDRangeKernelKHR(open, NULL, NULL, NULL, 1, NULL, one, NULL, LAST));
    IS(CL_INVALID_WORK_DIMENSION,
       p_clCommandNDRangeKernelKHR(open, NULL, NULL, kernel, 4, NULL, one, NULL, LAST));
    IS(CL_INVALID_WORK_GROUP_SIZE,
       p_clCommandNDRangeKernelKHR(open, NULL, NULL, kernel, 1, NULL, one, origin, LAST));
    cl_kernel unset = clCreateKernel(program, "k", &err);
    IS(CL_INVALID_KERNEL_ARGS,
       p_clCommandNDRangeKernelKHR(open, NULL, NULL, unset, 1, NULL, one, NULL, LAST));
    OK(clReleaseKernel(unset));
    OK(p_clReleaseCommandBufferKHR(open));
    clSVMFree(context, x);
    OK(p_clReleaseCommandBufferKHR(closed));
    cl_mem all[] = {a, c, i1, i2, away, away_image};
    for (int i = 0; i < 6; i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseContext(foreign));
}

/* The order within the buffer is that of the queue it was created for, whichever queue it is enqueued to. */
static void order_of_recording(void **unused)
{
    (void)unused;
    cl_mem m = ints(1);
    cl_context owner = NULL;
    cl_command_buffer_khr b = buffer_on(queue, false);
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof owner, &owner, NULL));
    assert_ptr_equal(owner, context);
    set_arguments(m, 1);
    for (int i = 0; i < 8; i++)
        record_kernel(b, 0, NULL, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(1, &unordered, b, 0, NULL, NULL));
    OK(clFinish(unordered));
    expect_ints(m, 511);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
}

static void shared_virtual_memory(void **unused)
{
    (void)unused;
    int *x = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0), host[16] = {0};
    const int five = 5;
    cl_command_buffer_khr b = buffer_on(queue, false);
    assert_non_null(x);
    memset(x, 0, 64);
    OK(p_clCommandSVMMemFillKHR(b, NULL, NULL, x, &five, sizeof five, 64, 0, NULL, NULL, NULL));
    OK(p_clCommandSVMMemcpyKHR(b, NULL, NULL, host, x, 64, 0, NULL, NULL, NULL));
    assert_int_equal(p_clCommandSVMMemcpyKHR(b, NULL, NULL, NULL, x, 64, 0, NULL, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(p_clCommandSVMMemcpyKHR(b, NULL, NULL, x, x + 1, 8, 0, NULL, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(p_clCommandSVMMemFillKHR(b, NULL, NULL, x, &five, 3, 63, 0, NULL, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(p_clCommandSVMMemFillKHR(b, unordered, NULL, x, &five, 4, 64, 0, NULL, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    OK(p_clFinalizeCommandBufferKHR(b));
    assert_int_equal(x[3], 0);
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(clFinish(queue));
    assert_int_equal(x[3], 5);
    assert_int_equal(host[15], 5);
    OK(p_clReleaseCommandBufferKHR(b));
    clSVMFree(context, x);
}

/* A sampler defined by the program is no object of the launch, nor of one that encloses it: it has no
 * buffer. */
static void samplers_of_the_program(void **unused)
{
    (void)unused;
    enum { COMMANDS = 16 };
    static const char source[] =
        "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
        "kernel void k(read_only image2d_t image, global int *out) { *out += read_imagei(image, s, (int2)(9, 0)).x; }\n";
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
    cl_int texels[2] = {4, 44}, out = 0;
    const cl_mem_flags copy = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_mem image = clCreateImage(context, copy, &format, &flat, texels, &err),
           buffer = clCreateBuffer(context, copy, sizeof out, &out, &err);
    cl_program own = build_source(source, "");
    cl_kernel reader = clCreateKernel(own, "k", &err);
    cl_command_buffer_khr b = buffer_on(queue, false);
    OK(clSetKernelArg(reader, 0, sizeof image, &image));
    OK(clSetKernelArg(reader, 1, sizeof buffer, &buffer));
    for (int i = 0; i < COMMANDS; i++)
        OK(p_clCommandNDRangeKernelKHR(b, NULL, NULL, reader, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL,
                                       NULL));
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    assert_int_equal(out, COMMANDS * 44);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseKernel(reader));
    OK(clReleaseProgram(own));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(buffer));
}

static char notified[512];
static sem_t was_notified;

static void CL_CALLBACK notify(const char *text, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    snprintf(notified, sizeof notified, "%s", text);
    sem_post(&was_notified);
}

/* Calls of programs built for the interface before 0.9.5, without properties. */
static void older_calls(void **unused)
{
    (void)unused;
    OK(sem_init(&was_notified, 0, 0));
    cl_context noisy = clCreateContext(NULL, 1, &device, notify, NULL, &err);
    cl_command_queue q = clCreateCommandQueueWithProperties(noisy, device, NULL, &err);
    cl_mem m = clCreateBuffer(noisy, 0, 64, NULL, &err);
    cl_sync_point_khr points[2] = {0};
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(1, &q, NULL, &err);
    cl_int(CL_API_CALL * copy)(cl_command_buffer_khr, cl_command_queue, cl_mem, cl_mem, size_t, size_t,
                               size_t, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *,
                               cl_mutable_command_khr *);
    cl_int(CL_API_CALL * barrier)(cl_command_buffer_khr, cl_command_queue, uintptr_t,
                                  const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *,
                                  void *);
    memcpy(&copy, &p_clCommandCopyBufferKHR, sizeof copy);
    memcpy(&barrier, &p_clCommandBarrierWithWaitListKHR, sizeof barrier);
    assert_int_equal(copy(b, NULL, m, m, 0, 32, 4, 0, NULL, NULL, NULL), CL_INVALID_VALUE);
    sem_wait(&was_notified);
    assert_non_null(strstr(notified, "clCommandCopyBufferKHR is called as version 0.9.4"));
    assert_int_equal(barrier(b, NULL, 1, points, points + 1, NULL, NULL), CL_INVALID_VALUE);
    sem_wait(&was_notified);
    assert_non_null(strstr(notified, "clCommandBarrierWithWaitListKHR is called as version 0.9.4"));
    for (int without = 0; without < 2;
         without++) { /* sync-points to wait for; then without an own one, too */
        memset(notified, 0, sizeof notified);
        assert_int_not_equal(barrier(b, NULL, 0, NULL, without ? NULL : points, NULL, points), CL_SUCCESS);
        sem_wait(&was_notified);
        assert_non_null(strstr(notified, "clCommandBarrierWithWaitListKHR is called as version 0.9.4"));
    }
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(noisy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(advertised),
                                       cmocka_unit_test(runs_again),
                                       cmocka_unit_test(keeps_objects),
                                       cmocka_unit_test(in_order),
                                       cmocka_unit_test(out_of_order),
                                       cmocka_unit_test(point_over_list),
                                       cmocka_unit_test(among_others),
                                       cmocka_unit_test(failed_list),
                                       cmocka_unit_test(simultaneous_use),
                                       cmocka_unit_test(other_queue),
                                       cmocka_unit_test(queries),
                                       cmocka_unit_test(creation_errors),
                                       cmocka_unit_test(recording_errors),
                                       cmocka_unit_test(order_of_recording),
                                       cmocka_unit_test(shared_virtual_memory),
                                       cmocka_unit_test(samplers_of_the_program),
                                       cmocka_unit_test(older_calls)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
