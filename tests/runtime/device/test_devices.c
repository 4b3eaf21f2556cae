/* Several devices: one copy of a buffer on each, which only commands update [CL 3.3.1, 5.5.4]; and queues
 * whose order depends on a seed [CL 5.13]. */
#include "tests/runtime/runtime_test.h"

static cl_device_id devices[3];
static cl_context both;
static cl_command_queue queues[3];

static int open_devices(void **state)
{
    (void)state;
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, devices, &n) || n != 3) {
        return -1;
    }
    both = clCreateContext(NULL, 3, devices, NULL, NULL, &err);
    for (int i = 0; i < 3; i++) {
        const cl_queue_properties loose[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        queues[i] = clCreateCommandQueueWithProperties(both, devices[i], i == 2 ? loose : NULL, &err);
    }
    return err;
}

static int close_devices(void **state)
{
    (void)state;
    return clReleaseCommandQueue(queues[0]) || clReleaseCommandQueue(queues[1]) ||
           clReleaseCommandQueue(queues[2]) || clReleaseContext(both);
}

/* A device sees the writes of another one if a wait list orders its command after them. [CL 3.2 R5]
 * [CL 3.3.2 R2] */
static void data_follows_events(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(both, 0, 256, NULL, &err);
    cl_event last = NULL;
    for (int i = 0; i < 30; i++) {
        cl_event e;
        OK(clEnqueueFillBuffer(queues[i % 3], m, &i, 4, (size_t)(i * 8), 8, last ? 1 : 0, last ? &last : NULL,
                               &e));
        if (last) {
            OK(clReleaseEvent(last));
        }
        last = e;
    }
    int out[60];
    OK(clEnqueueReadBuffer(queues[1], m, CL_TRUE, 0, sizeof(out), out, 1, &last, NULL));
    for (int i = 0; i < 60; i++) {
        assert_int_equal(out[i], i / 2);
    }
    OK(clReleaseEvent(last));
    OK(clReleaseMemObject(m));
}

static void CL_CALLBACK fill_all(void *args)
{
    struct {
        unsigned char *data;
        unsigned char value;
    } *a = args;
    memset(a->data, a->value, 64);
}

/* Other devices see each byte of a native kernel's memory, including the first and the last. */
static void native_kernels_write(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(both, 0, 64, NULL, &err);
    for (unsigned char value = 1; value <= 6; value++) {
        struct {
            void *data;
            unsigned char value;
        } args = {NULL, value};
        const void *where = &args.data;
        unsigned char out[64] = {0};
        int writer = value % 3, reader = (value + 1) % 3;
        OK(clEnqueueNativeKernel(queues[writer], fill_all, &args, sizeof args, 1, &m, &where, 0, NULL, NULL));
        OK(clFinish(queues[writer]));
        OK(clEnqueueReadBuffer(queues[reader], m, CL_TRUE, 0, 64, out, 0, NULL, NULL));
        for (int i = 0; i < 64; i++)
            assert_int_equal(out[i], value);
    }
    OK(clReleaseMemObject(m));
}

/* Two devices may write disjoint sub-buffers without any order between them. */
static void disjoint_sub_buffers(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(both, 0, 1024, NULL, &err);
    cl_buffer_region left = {0, 512}, right = {512, 512};
    cl_mem a = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, &err);
    cl_mem b = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, &err);
    char one = 1, two = 2, out[1024];
    OK(clEnqueueFillBuffer(queues[0], a, &one, 1, 0, 512, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queues[1], b, &two, 1, 0, 512, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    OK(clEnqueueReadBuffer(queues[2], m, CL_TRUE, 0, 1024, out, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++) {
        assert_int_equal(out[i], i < 512 ? 1 : 2);
    }
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(m));
}

static void map_on_another_device(void **state)
{
    (void)state;
    cl_mem m = clCreateBuffer(both, 0, 256, NULL, &err);
    int five = 5, out[64];
    OK(clEnqueueFillBuffer(queues[0], m, &five, 4, 0, 256, 0, NULL, NULL));
    OK(clFinish(queues[0]));
    int *p =
        clEnqueueMapBuffer(queues[1], m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &err);
    OK(err);
    assert_int_equal(p[31], 5);
    p[0] = 6;
    OK(clEnqueueUnmapMemObject(queues[1], m, p, 0, NULL, NULL));
    OK(clFinish(queues[1]));
    OK(clEnqueueReadBuffer(queues[0], m, CL_TRUE, 0, 256, out, 0, NULL, NULL));
    assert_int_equal(out[0], 6);
    assert_int_equal(out[63], 5);
    OK(clReleaseMemObject(m));
}

/* Kernels on all devices update one buffer, one after the other; program-scope variables are separate on each
 * device. */
static void kernels_take_turns(void **state)
{
    (void)state;
    const char *source = "global int calls;\n"
                         "kernel void next(global int *a) { a[0] = a[0] * 2 + 1; calls += 1; a[1] = calls; }";
    cl_program program = clCreateProgramWithSource(both, 1, &source, NULL, &err);
    OK(clBuildProgram(program, 3, devices, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "next", &err);
    int zero[2] = {0, 0}, out[2];
    cl_mem m = clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, sizeof(zero), zero, &err);
    OK(clSetKernelArg(kernel, 0, sizeof(m), &m));
    cl_event last = NULL;
    const size_t one = 1;
    for (int i = 0; i < 8; i++) {
        cl_event e;
        OK(clEnqueueNDRangeKernel(queues[i % 2], kernel, 1, NULL, &one, NULL, last ? 1 : 0,
                                  last ? &last : NULL, &e));
        if (last) {
            OK(clReleaseEvent(last));
        }
        last = e;
    }
    OK(clEnqueueReadBuffer(queues[2], m, CL_TRUE, 0, sizeof(out), out, 1, &last, NULL));
    assert_int_equal(out[0], 255);
    assert_int_equal(out[1], 4);
    OK(clReleaseEvent(last));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* A kernel on one device sees what a kernel on another one, running at the same time, writes to SVM
 * atomics. */
static void devices_meet_in_svm(void **state)
{
    (void)state;
    const char *source =
        "kernel void ping(global atomic_int *p, int me) { for (int i = 0; i < 20; i++) {\n"
        "  while (atomic_load_explicit(p, memory_order_acquire, memory_scope_all_svm_devices) != 2 * i + me) "
        ";\n"
        "  atomic_fetch_add_explicit(p, 1, memory_order_release, memory_scope_all_svm_devices); } }";
    cl_program program = clCreateProgramWithSource(both, 1, &source, NULL, &err);
    OK(clBuildProgram(program, 3, devices, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "ping", &err);
    int *p = clSVMAlloc(both, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 4, 0);
    *p = 0;
    const size_t one = 1;
    OK(clSetKernelArgSVMPointer(kernel, 0, p));
    for (int me = 0; me < 2; me++) {
        OK(clSetKernelArg(kernel, 1, sizeof(me), &me));
        OK(clEnqueueNDRangeKernel(queues[me], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clFlush(queues[me]));
    }
    OK(clFinish(queues[0]));
    OK(clFinish(queues[1]));
    assert_int_equal(*p, 40);
    clSVMFree(both, p);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* With a seed, out-of-order queues are one: of two unordered writes, either may be last. */
static void seeded_order(void **state)
{
    (void)state;
    int won[2] = {0, 0};
    cl_mem m = clCreateBuffer(both, 0, 4, NULL, &err);
    for (int i = 0; i < 64; i++) {
        int zero = 0, one = 1, out = 9;
        cl_event e;
        OK(clEnqueueFillBuffer(queues[2], m, &zero, 4, 0, 4, 0, NULL, NULL));
        OK(clEnqueueFillBuffer(queues[2], m, &one, 4, 0, 4, 0, NULL, NULL));
        OK(clEnqueueBarrierWithWaitList(queues[2], 0, NULL, &e));
        OK(clEnqueueReadBuffer(queues[2], m, CL_TRUE, 0, 4, &out, 1, &e, NULL));
        assert_true(out == 0 || out == 1);
        won[out]++;
        OK(clReleaseEvent(e));
    }
    assert_true(won[0] > 0 && won[1] > 0);
    OK(clReleaseMemObject(m));
}

/* Without any flush, commands still run in the end, and their callbacks are called. */
static volatile int called;
static void CL_CALLBACK note(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    __atomic_store_n(&called, status == CL_COMPLETE ? 1 : -1, __ATOMIC_RELEASE);
}

static void unflushed_commands_run(void **state)
{
    (void)state;
    cl_event e;
    OK(clEnqueueMarkerWithWaitList(queues[2], 0, NULL, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, note, NULL));
    await(&called, 1);
    OK(clReleaseEvent(e));
}

/* Runs "k" on PART; returns the final first int of a buffer. */
static cl_int run_on(cl_context of, cl_device_id part, cl_program program)
{
    cl_command_queue q = clCreateCommandQueueWithProperties(of, part, NULL, &err);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    cl_mem m = clCreateBuffer(of, 0, 4, NULL, &err);
    cl_int out = 0;
    const size_t one = 1;
    OK(clSetKernelArg(kernel, 0, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(kernel));
    OK(clReleaseCommandQueue(q));
    return out;
}

/* A program built, or compiled and linked, for a device also serves its sub-devices at any level that have no
 * other executable. [CL 5.8.2] */
static void program_of_the_parent(void **state)
{
    (void)state;
    const cl_device_partition_property in_twos[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0},
                                       by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id list[4] = {devices[0]}, half;
    OK(clCreateSubDevices(devices[0], in_twos, 2, list + 1, NULL));
    half = list[2];
    OK(clCreateSubDevices(list[1], by_one, 2, list + 2, NULL));
    cl_context family = clCreateContext(NULL, 4, list, NULL, NULL, &err);
    OK(err);
    const char *text = "kernel void k(global int *p) { *p = VALUE; }";
    cl_program built = clCreateProgramWithSource(family, 1, &text, NULL, &err);
    OK(clBuildProgram(built, 1, list, "-DVALUE=5", NULL, NULL));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(run_on(family, list[i], built), 5);
    }
    OK(clBuildProgram(built, 1, list + 3, "-DVALUE=6", NULL, NULL)); /* for this device only */
    assert_int_equal(run_on(family, list[2], built), 5);
    assert_int_equal(run_on(family, list[3], built), 6);
    cl_program object = clCreateProgramWithSource(family, 1, &text, NULL, &err);
    OK(clCompileProgram(object, 1, list, "-DVALUE=7", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(family, 1, list + 2, "", 1, &object, NULL, NULL, &err);
    OK(err);
    assert_int_equal(run_on(family, list[2], linked), 7);
    OK(clReleaseProgram(linked));
    OK(clReleaseProgram(object));
    OK(clReleaseProgram(built));
    OK(clReleaseContext(family));
    OK(clReleaseDevice(half));
    for (int i = 1; i < 4; i++) {
        OK(clReleaseDevice(list[i]));
    }
}

int main(void)
{
    setenv("REFCL_DEVICES", "3", 1);
    setenv("REFCL_QUEUE_SEED", "7", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_follows_events),  cmocka_unit_test(native_kernels_write),
        cmocka_unit_test(disjoint_sub_buffers), cmocka_unit_test(map_on_another_device),
        cmocka_unit_test(kernels_take_turns),   cmocka_unit_test(devices_meet_in_svm),
        cmocka_unit_test(seeded_order),         cmocka_unit_test(unflushed_commands_run),
        cmocka_unit_test(program_of_the_parent)};
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
