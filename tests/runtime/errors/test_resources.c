/* Exhausted resources: every call that lists a code for it returns that code once (REFCL_FAIL), and works
 * afterwards; a device that is lost in progress (REFCL_LOST_AFTER) fails the commands of its queues
 * [CL 4, 5]. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/runtime/errors/condition_test.h"
#include "tests/runtime/specialized.h"

enum { LOST_AFTER = 3 };

static cl_device_id doomed;
static cl_command_queue device_queue, doomed_queue;
static cl_mem buffer, buffer2, image, image2, pipe_object;
static void *mapping, *svm, *doomed_svm;
static const void *svms[1];
static cl_sampler sampler;
static cl_program program, unbuilt, compiled, il_program;
static cl_kernel kernel;
static cl_event user, marker, late_marker;
static unsigned char *binary_bytes;
static size_t binary_size;
static unsigned char bytes[256];
static volatile int notified;

static const char *text = "kernel void k(global int *p) { *p = 1; }";

static void CL_CALLBACK on_error(const char *what, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    if (strstr(what, "lost"))
        __atomic_fetch_add(&notified, 1, __ATOMIC_RELEASE);
}

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
}

static cl_program source(void)
{
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    return p;
}

static void make_memory(void)
{
    buffer = clCreateBuffer(context, 0, 256, NULL, &err);
    buffer2 = clCreateBuffer(context, 0, 256, NULL, &err);
    image = clCreateImage(context, 0, &rgba, &square, NULL, &err);
    image2 = clCreateImage(context, 0, &rgba, &square, NULL, &err);
    pipe_object = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 4, 8, NULL, &err);
    mapping = clEnqueueMapBuffer(queue, buffer2, CL_TRUE, CL_MAP_READ, 0, 256, NONE, &err);
    OK(err);
    svms[0] = svm = clSVMAlloc(context, 0, 64, 0);
    doomed_svm = clSVMAlloc(context, 0, 64, 0);
    assert_non_null(doomed_svm);
    sampler = clCreateSamplerWithProperties(context, NULL, &err);
    user = clCreateUserEvent(context, &err);
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    OK(clFinish(queue));
}

static void make_programs(void)
{
    size_t sizes[2];
    unsigned char *both[2] = {NULL, NULL};
    program = build_source(text, "");
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    binary_size = sizes[0];
    both[0] = binary_bytes = malloc(binary_size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof both, both, NULL));
    unbuilt = source();
    compiled = source();
    OK(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    il_program = clCreateProgramWithIL(context, specialized, sizeof specialized, &err);
    kernel = clCreateKernel(program, "k", &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
}

static int setup(void **state)
{
    (void)state;
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_device_id devices[2];
    if (find_devices(devices))
        return -1;
    device = devices[0];
    doomed = devices[1];
    context = clCreateContext(NULL, 2, devices, on_error, NULL, &err);
    queue = clCreateCommandQueueWithProperties(context, device, profiling, &err);
    device_queue = clCreateCommandQueueWithProperties(context, device, on_device, &err);
    doomed_queue = clCreateCommandQueueWithProperties(context, doomed, profiling, &err);
    if (err)
        return -1;
    make_memory();
    make_programs();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cl_mem objects[] = {buffer, buffer2, image, image2, pipe_object};
    cl_program programs[] = {program, unbuilt, compiled, il_program};
    cl_command_queue queues[] = {queue, device_queue, doomed_queue};
    OK(clReleaseKernel(kernel));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        OK(clReleaseProgram(programs[i]));
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        OK(clReleaseMemObject(objects[i]));
    OK(clReleaseSampler(sampler));
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(marker));
    clSVMFree(context, svm);
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        OK(clReleaseCommandQueue(queues[i]));
    free(binary_bytes);
    return clReleaseContext(context);
}

/* ---- one call fails ---- */

/* CALL, as written in the source, has to return CODE. */
static void shall_fail(const char *call, const char *code)
{
    char setting[128];
    call = strstr(call, "cl");
    snprintf(setting, sizeof setting, "%.*s:%s", (int)strcspn(call, "("), call, code);
    setenv("REFCL_FAIL", setting, 1);
}

static void shall_work(void)
{
    setenv("REFCL_FAIL", "clUnknown:CL_OUT_OF_RESOURCES", 1);
}

static cl_int unmap_buffer(void *pointer)
{
    return clEnqueueUnmapMemObject(queue, buffer, pointer, NONE);
}

static cl_int unmap_image(void *pointer)
{
    return clEnqueueUnmapMemObject(queue, image, pointer, NONE);
}

/* The same for a call and for one that creates, with the spelling of code and call. */
#define ANSWERS(clause, code_text, code, call_text, call)                                                    \
    shall_fail(call_text, code_text);                                                                        \
    compare(clause, call_text, code, call);                                                                  \
    shall_work();
#define ANSWERS_NULL(clause, code_text, code, call_text, call, release)                                      \
    shall_fail(call_text, code_text);                                                                        \
    assert_null(call);                                                                                       \
    compare(clause, call_text, code, err);                                                                   \
    shall_work();                                                                                            \
    compare(clause, call_text, CL_SUCCESS, release(call));                                                   \
    compare(clause, call_text, CL_SUCCESS, err);
#define REFUSED(clause, code, call) ANSWERS(clause, #code, code, #call, call)
#define ANSWERED(clause, code, call)                                                                         \
    ANSWERS(clause, #code, code, #call, call)                                                                \
    compare(clause, #call, CL_SUCCESS, call);
#define LOST_CALL(clause, code, call)                                                                        \
    ANSWERS(clause, #code, code, #call, call)                                                                \
    compare(clause, #call, CL_SUCCESS, call);
#define ANSWERED_CREATE(clause, code, call, release) ANSWERS_NULL(clause, #code, code, #call, call, release)
#define LOST_CREATE(clause, code, call, release)     ANSWERS_NULL(clause, #code, code, #call, call, release)

static void each_call(void **state)
{
    (void)state;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    const cl_buffer_region region = {0, 64};
    const unsigned char *binary = binary_bytes;
    const cl_mem pipe = pipe_object;
    cl_device_id parts[2];
    cl_ulong time1, time2;
    cl_uint count;
    size_t size;
    wrong = 0;
#include "tests/runtime/errors/resource_conditions.def"
    OK(clReleaseDevice(parts[0]));
    OK(clReleaseDevice(parts[1]));
    assert_int_equal(wrong, 0);
}

static void each_command(void **state)
{
    (void)state;
    size_t pitch;
    wrong = 0;
#include "tests/runtime/errors/resource_commands.def"
    assert_int_equal(wrong, 0);
    OK(clReleaseEvent(late_marker));
    doomed_svm = clSVMAlloc(context, 0, 64, 0);
    mapping = clEnqueueMapBuffer(queue, buffer2, CL_TRUE, CL_MAP_READ, 0, 256, NONE, &err);
    OK(err);
}

/* Only the N-th call fails; others succeed. */
static void one_of_many(void **state)
{
    (void)state;
    int failures = 0;
    setenv("REFCL_FAIL", "clFinish:CL_OUT_OF_RESOURCES,clRetainEvent:CL_OUT_OF_HOST_MEMORY@3", 1);
    for (int i = 0; i < 5; i++) {
        failures += clRetainEvent(user) == CL_OUT_OF_HOST_MEMORY;
        OK(clFlush(queue));
        assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
    }
    shall_work();
    assert_in_range(failures, 0, 1); /* earlier calls count */
    for (int i = failures; i < 5; i++)
        OK(clReleaseEvent(user));
}

#undef REFUSED
#undef ANSWERED
#undef ANSWERED_CREATE
#undef LOST_CALL
#undef LOST_CREATE

/* ---- a lost device ---- */

#define LOST_NULL(code, call) EXPECT_NULL(code, call)

static void commands_of_a_lost_device(void)
{
    size_t pitch;
    cl_command_queue good = queue;
    queue = doomed_queue;
    wrong = 0;
#define LOST_CALL(clause, code, call)            compare(clause, #call, code, call);
#define LOST_CREATE(clause, code, call, release) assert_null(call), compare(clause, #call, code, err);
#include "tests/runtime/errors/resource_commands.def"
#undef LOST_CALL
#undef LOST_CREATE
    queue = good;
    assert_int_equal(wrong, 0);
}

/* The queue runs LOST_AFTER commands; the next and later ones fail, and those of another queue that wait for
 * them. */
static void lost(void **state)
{
    (void)state;
    cl_bool available = CL_FALSE;
    cl_event gate = clCreateUserEvent(context, &err), done[LOST_AFTER + 2], after;
    const cl_int pattern = 7;
    for (int i = 0; i < LOST_AFTER + 2; i++)
        OK(clEnqueueFillBuffer(doomed_queue, buffer, &pattern, 4, 0, 4, i == 0, i == 0 ? &gate : NULL,
                               &done[i]));
    OK(clEnqueueMarkerWithWaitList(queue, 1, &done[LOST_AFTER], &after));
    OK(clGetDeviceInfo(doomed, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    assert_int_equal(available, CL_TRUE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(clFinish(doomed_queue), CL_OUT_OF_RESOURCES);
    for (int i = 0; i < LOST_AFTER; i++)
        assert_int_equal(status_of(done[i]), CL_COMPLETE);
    assert_int_equal(status_of(done[LOST_AFTER]), CL_OUT_OF_RESOURCES);
    assert_int_equal(status_of(done[LOST_AFTER + 1]), CL_OUT_OF_RESOURCES);
    assert_int_equal(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    await(&notified, 1);
    OK(clGetDeviceInfo(doomed, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    assert_int_equal(available, CL_FALSE);
    commands_of_a_lost_device();
    LOST_NULL(CL_OUT_OF_RESOURCES, clCreateCommandQueueWithProperties(context, doomed, NULL, &err));
    LOST_NULL(CL_OUT_OF_RESOURCES, clCreateCommandQueue(context, doomed, 0, &err));
    EXPECT_NULL(CL_DEVICE_NOT_AVAILABLE, clCreateContext(NULL, 1, &doomed, NULL, NULL, &err));
    OK(clEnqueueUnmapMemObject(queue, buffer2, mapping, NONE));
    OK(clEnqueueSVMFree(queue, 1, &doomed_svm, NULL, NULL, NONE));
    OK(clFinish(queue));
    for (int i = 0; i < LOST_AFTER + 2; i++)
        OK(clReleaseEvent(done[i]));
    OK(clReleaseEvent(after));
    OK(clReleaseEvent(gate));
}

/* A context has room for 16 devices; one that is named twice counts once. */
static void too_many_devices(void **state)
{
    (void)state;
    enum { MOST = 16 };
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id all[MOST + 2], parts[64];
    cl_uint units = 0;
    for (cl_uint i = 0; i < MOST + 1; i++) {
        OK(clCreateSubDevices(device, equally, 64, parts, &units));
        for (cl_uint k = 1; k < units; k++)
            OK(clReleaseDevice(parts[k]));
        all[i] = parts[0];
    }
    /* [CL 4.4 E8] */
    EXPECT_NULL(CL_OUT_OF_RESOURCES, clCreateContext(NULL, MOST + 1, all, NULL, NULL, &err));
    all[MOST + 1] = all[MOST];
    all[MOST] = all[0];
    cl_context most = clCreateContext(NULL, MOST + 1, all, NULL, NULL, &err);
    OK(err);
    OK(clReleaseContext(most));
    all[MOST] = all[MOST + 1];
    for (cl_uint i = 0; i < MOST + 1; i++)
        OK(clReleaseDevice(all[i]));
}

/* Of the devices of a type, those that are there. */
static void those_available(void **state)
{
    (void)state;
    cl_uint count = 0;
    cl_context rest = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
    OK(err);
    OK(clGetContextInfo(rest, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clReleaseContext(rest));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_LOST_AFTER", ",3", 1);
    setenv("REFCL_QUIET", "1", 1);
    shall_work();
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call),       cmocka_unit_test(each_command),
                                       cmocka_unit_test(one_of_many),     cmocka_unit_test(lost),
                                       cmocka_unit_test(those_available), cmocka_unit_test(too_many_devices)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
