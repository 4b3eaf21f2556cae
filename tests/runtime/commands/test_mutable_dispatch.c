/* Recorded kernels that change between runs: arguments, sizes, arguments set later, runs in progress,
 * queries, and every error [cl_khr_command_buffer_mutable_dispatch]. */
#include "tests/runtime/commands/command_test.h"

#include "ref-runtime/enqueue/mutable.h"

enum { COUNT = 16 };

static cl_program program;
static cl_kernel kernel; /* p[i] = n + i of the items that there are */
static const size_t sixteen = COUNT, four = 4, eight = 8;
static const cl_uint type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;

static int setup(void **state)
{
    static const char *source = "kernel void k(global int *p, int n)"
                                "{ size_t i = get_global_id(0); p[i] = n + (int)get_local_size(0) * 100; }";
    if (open_extensions(state))
        return -1;
    program = build_source(source, "-cl-std=CL3.0");
    kernel = clCreateKernel(program, "k", &err);
    return err;
}

static int teardown(void **state)
{
    return clReleaseKernel(kernel) || clReleaseProgram(program) || close_device(state);
}

static cl_mem zeros(void)
{
    int data[COUNT] = {0};
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
    OK(err);
    return m;
}

/* Elements from FROM to TO are VALUE, the others 0. */
static void expect_range(cl_mem m, int from, int to, int value)
{
    int data[COUNT];
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(data[i], i >= from && i < to ? value : 0);
}

static cl_command_buffer_khr open_buffer(cl_command_queue q, cl_bitfield flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_command_buffer_khr b = p_clCreateCommandBufferKHR(1, &q, properties, &err);
    OK(err);
    return b;
}

static cl_mutable_command_khr record(cl_command_buffer_khr b, const cl_properties *properties)
{
    cl_mutable_command_khr handle = NULL;
    OK(p_clCommandNDRangeKernelKHR(b, NULL, properties, kernel, 1, NULL, &sixteen, &four, 0, NULL, NULL,
                                   &handle));
    assert_non_null(handle);
    return handle;
}

static void set_arguments(cl_kernel k, cl_mem m, int n)
{
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
}

static cl_int update(cl_command_buffer_khr b, const struct rt_mutable_config *config)
{
    const void *configs[] = {config};
    return p_clUpdateMutableCommandsKHR(b, 1, &type, configs);
}

static void run(cl_command_buffer_khr b)
{
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(clFinish(queue));
}

static cl_uint state_of(cl_command_buffer_khr b)
{
    cl_uint state = 77;
    OK(p_clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    return state;
}

/* [CL 5.17.7 R141] */
static void changes(void **unused)
{
    (void)unused;
    cl_mem a = zeros(), c = zeros();
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set_arguments(kernel, a, 1);
    cl_mutable_command_khr handle = record(b, NULL);
    set_arguments(kernel, c, 99); /* of no consequence */
    OK(p_clFinalizeCommandBufferKHR(b));
    run(b);
    expect_range(a, 0, 16, 401);
    expect_range(c, 0, 0, 0);
    int n = 2;
    const struct rt_mutable_arg arguments[] = {{0, sizeof c, &c}, {1, sizeof n, &n}};
    struct rt_mutable_config config = {.command = handle, .num_args = 2, .arg_list = arguments};
    OK(update(b, &config));
    n = 77; /* the value was copied */
    run(b);
    expect_range(c, 0, 16, 402); /* of the same size [CL 5.17.7 R105] */
    cl_mem d = zeros();
    const struct rt_mutable_arg other[] = {{0, sizeof d, &d}};
    config = (struct rt_mutable_config){.command = handle,
                                        .num_args = 1,
                                        .arg_list = other,
                                        .work_dim = 1,
                                        .global_work_offset = &four,
                                        .global_work_size = &eight,
                                        .local_work_size = &eight};
    OK(update(b, &config));
    run(b);
    expect_range(d, 4, 12, 802);
    expect_range(a, 0, 16, 401);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(c));
    OK(clReleaseMemObject(d));
}

/* Two configurations of one command apply in order; if one of several is invalid, none applies. */
static void together(void **unused)
{
    (void)unused;
    cl_mem a = zeros(), c = zeros();
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set_arguments(kernel, a, 1);
    cl_mutable_command_khr first = record(b, NULL);
    set_arguments(kernel, c, 5);
    cl_mutable_command_khr second = record(b, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    const int two = 2, three = 3;
    const struct rt_mutable_arg to_two = {1, sizeof two, &two}, to_three = {1, sizeof three, &three},
                                wrong = {2, sizeof two, &two};
    const struct rt_mutable_config one = {.command = first, .num_args = 1, .arg_list = &to_two},
                                   smaller = {.command = first, .global_work_size = &eight},
                                   other = {.command = second, .num_args = 1, .arg_list = &to_three},
                                   bad = {.command = second, .num_args = 1, .arg_list = &wrong};
    const void *good[] = {&one, &other, &smaller}, *spoilt[] = {&one, &bad};
    const cl_uint types[] = {type, type, type};
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 2, types, spoilt), CL_INVALID_ARG_INDEX);
    run(b);
    expect_range(a, 0, 16, 401);
    expect_range(c, 0, 16, 405);
    OK(clReleaseMemObject(a));
    a = zeros();
    const struct rt_mutable_arg to_a = {0, sizeof a, &a};
    const struct rt_mutable_config moved = {.command = first, .num_args = 1, .arg_list = &to_a};
    OK(update(b, &moved));
    OK(p_clUpdateMutableCommandsKHR(b, 3, types, good));
    run(b);
    expect_range(a, 0, 8, 402);
    expect_range(c, 0, 16, 403);
    OK(p_clUpdateMutableCommandsKHR(b, 0, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(c));
}

/* A run that was enqueued before an update is not affected, even if it starts later. */
static void runs_under_way(void **unused)
{
    (void)unused;
    cl_mem a = zeros(), c = zeros();
    cl_event gate = clCreateUserEvent(context, &err);
    cl_command_buffer_khr b =
        open_buffer(unordered, CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    set_arguments(kernel, a, 1);
    cl_mutable_command_khr handle = record(b, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 1, &gate, NULL));
    const int n = 2;
    const struct rt_mutable_arg arguments[] = {{0, sizeof c, &c}, {1, sizeof n, &n}};
    const struct rt_mutable_config config = {.command = handle, .num_args = 2, .arg_list = arguments};
    OK(update(b, &config));
    OK(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(unordered));
    expect_range(a, 0, 16, 401);
    expect_range(c, 0, 16, 402);
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(c));
}

/* Arguments may be set when the buffer is finalized; it does not run before all are set. [CL 5.17.5 R141] */
static void later_arguments(void **unused)
{
    (void)unused;
    const cl_properties later[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                   CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0},
                        sizes[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                   CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    cl_mem a = zeros();
    cl_mutable_command_khr handle = NULL;
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_kernel fresh = clCreateKernel(program, "k", &err);
    OK(clSetKernelArg(fresh, 0, sizeof a, &a));
    assert_int_equal(
        p_clCommandNDRangeKernelKHR(b, NULL, NULL, fresh, 1, NULL, &sixteen, &four, 0, NULL, NULL, &handle),
        CL_INVALID_KERNEL_ARGS);
    assert_int_equal(
        p_clCommandNDRangeKernelKHR(b, NULL, sizes, fresh, 1, NULL, &sixteen, &four, 0, NULL, NULL, &handle),
        CL_INVALID_KERNEL_ARGS);
    OK(p_clCommandNDRangeKernelKHR(b, NULL, later, fresh, 1, NULL, &sixteen, &four, 0, NULL, NULL, &handle));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    OK(p_clFinalizeCommandBufferKHR(b));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR); /* [CL 5.17.7 R101] */
    assert_int_equal(p_clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    /* [CL 5.17.2 R101] */
    assert_int_equal(p_clFinalizeCommandBufferKHR(b), CL_INVALID_OPERATION);
    const int n = 3;
    const struct rt_mutable_arg argument = {1, sizeof n, &n}, same = {0, sizeof a, &a};
    struct rt_mutable_config config = {.command = handle, .num_args = 1, .arg_list = &same};
    OK(update(b, &config));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    config.arg_list = &argument;
    OK(update(b, &config));
    assert_int_equal(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    run(b);
    expect_range(a, 0, 16, 403);
    config = (struct rt_mutable_config){.command = handle, .global_work_size = &eight};
    assert_int_equal(update(b, &config), CL_INVALID_OPERATION); /* of the fields, only arguments may change */
    OK(clReleaseKernel(fresh));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(a));
}

static void svm(void **unused)
{
    (void)unused;
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, COUNT * sizeof *p, 0);
    assert_non_null(p);
    cl_mem a = zeros();
    const void *pointers[] = {p};
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set_arguments(kernel, a, 4);
    cl_mutable_command_khr handle = record(b, NULL);
    OK(p_clFinalizeCommandBufferKHR(b));
    const struct rt_mutable_arg argument = {0, 0, p}, wild = {7, 0, p};
    const struct rt_mutable_exec_info info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers},
                                      unknown = {0x7777, sizeof pointers, pointers};
    struct rt_mutable_config config = {.command = handle,
                                       .num_svm_args = 1,
                                       .arg_svm_list = &argument,
                                       .num_exec_infos = 1,
                                       .exec_info_list = &info};
    OK(update(b, &config));
    run(b);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(p[i], 404);
    config.exec_info_list = &unknown;
    assert_int_equal(update(b, &config), CL_INVALID_VALUE);
    config.exec_info_list = &info;
    config.arg_svm_list = &wild;
    assert_int_equal(update(b, &config), CL_INVALID_ARG_INDEX);
    OK(p_clReleaseCommandBufferKHR(b));
    clSVMFree(context, p);
    OK(clReleaseMemObject(a));
}

/* Not recordable: a kernel of another context, and a range without local size if the number of work-groups
 * must not grow. */
static void not_recorded(void **unused)
{
    (void)unused;
    const cl_properties asserted[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                                      CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0};
    const char *text = "kernel void k() {}";
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_program there = clCreateProgramWithSource(foreign, 1, &text, NULL, &err);
    OK(clBuildProgram(there, 0, NULL, NULL, NULL, NULL));
    cl_kernel other = clCreateKernel(there, "k", &err);
    cl_mem a = zeros();
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    set_arguments(kernel, a, 1);
    /* [CL 5.17.5 E126] */
    assert_int_equal(
        p_clCommandNDRangeKernelKHR(b, NULL, NULL, other, 1, NULL, &sixteen, &four, 0, NULL, NULL, NULL),
        CL_INVALID_CONTEXT);
    /* [CL 5.17.5 E129] */
    assert_int_equal(
        p_clCommandNDRangeKernelKHR(b, NULL, asserted, kernel, 1, NULL, &sixteen, NULL, 0, NULL, NULL, NULL),
        CL_INVALID_VALUE);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(clReleaseMemObject(a));
    OK(clReleaseKernel(other));
    OK(clReleaseProgram(there));
    OK(clReleaseContext(foreign));
}

static void queries(void **unused)
{
    (void)unused;
    const cl_properties properties[] = {
        CL_MUTABLE_DISPATCH_ASSERTS_KHR, CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
        CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    cl_properties given[8];
    size_t size = 77, sizes[3];
    cl_mem a = zeros();
    cl_bitfield capabilities = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, sizeof capabilities,
                       &capabilities, NULL));
    assert_int_equal(capabilities, 31);
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR), same = NULL;
    set_arguments(kernel, a, 1);
    cl_mutable_command_khr plain = NULL, handle = record(b, properties);
    OK(p_clCommandNDRangeKernelKHR(b, NULL, NULL, kernel, 1, &four, &eight, NULL, 0, NULL, NULL, &plain));
    OK(p_clFinalizeCommandBufferKHR(b));
    cl_command_queue q = NULL;
    cl_kernel k = NULL;
    cl_uint number = 77;
#define ASK(command, name, to) OK(p_clGetMutableCommandInfoKHR(command, name, sizeof to, &to, &size))
    ASK(handle, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, q); /* [CL 5.17.8 R103] */
    assert_ptr_equal(q, queue);
    ASK(handle, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, same);
    assert_ptr_equal(same, b);
    ASK(handle, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, number);
    assert_int_equal(number, CL_COMMAND_NDRANGE_KERNEL);
    ASK(handle, CL_MUTABLE_DISPATCH_KERNEL_KHR, k);
    assert_ptr_equal(k, kernel);
    ASK(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, number);
    assert_int_equal(number, 1);
    ASK(handle, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, given);
    assert_int_equal(size, sizeof properties);
    assert_memory_equal(given, properties, size);
    ASK(plain, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, given);
    assert_int_equal(size, 0);
    const struct rt_mutable_config config = {
        .command = handle, .global_work_offset = &four, .global_work_size = &eight};
    for (int updated = 0; updated < 2; updated++) {
        ASK(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizes);
        assert_int_equal(size, sizeof *sizes);
        assert_int_equal(sizes[0], updated ? 4 : 0);
        ASK(handle, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizes);
        assert_int_equal(sizes[0], updated ? 8 : 16);
        ASK(handle, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizes);
        assert_int_equal(sizes[0], 4);
        if (!updated)
            OK(update(b, &config));
    }
    ASK(plain, CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, sizes);
    assert_int_equal(sizes[0], 4);
    ASK(plain, CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, sizes);
    assert_int_equal(sizes[0], 0);
    assert_int_equal(p_clGetMutableCommandInfoKHR(handle, 0x7777, sizeof number, &number, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        p_clGetMutableCommandInfoKHR(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 1, &number, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(p_clGetMutableCommandInfoKHR(NULL, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 0, NULL, NULL),
                     CL_INVALID_MUTABLE_COMMAND_KHR);
    OK(p_clReleaseCommandBufferKHR(b)); /* and with it the handles */
    assert_int_equal(p_clGetMutableCommandInfoKHR(handle, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 0, NULL, NULL),
                     CL_INVALID_MUTABLE_COMMAND_KHR);
    OK(clReleaseMemObject(a));
}

static void recording_errors(void **unused)
{
    (void)unused;
    const cl_properties unknown[] = {0x7777, 0, 0},
                        fields[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 20, 0},
                        twice[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0, CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0, 0},
                        asserts[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0},
                        limited[] = {CL_MUTABLE_DISPATCH_ASSERTS_KHR, 1, 0},
                        wrong[] = {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0},
                        bounded[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR,
                                     CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 1, 0};
    cl_mem a = zeros();
    cl_mutable_command_khr handle = NULL;
    set_arguments(kernel, a, 1);
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateCommandBufferKHR(1, &queue, wrong, &err));
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR),
                          few = p_clCreateCommandBufferKHR(1, &queue, bounded, &err);
    OK(err);
#define RECORD(b, properties, local)                                                                         \
    p_clCommandNDRangeKernelKHR(b, NULL, properties, kernel, 1, NULL, &sixteen, local, 0, NULL, NULL, &handle)
    /* [CL 5.17.5 E108] */
    assert_int_equal(RECORD(b, unknown, &four), CL_INVALID_VALUE);
    /* [CL 5.17.5 E108] */
    assert_int_equal(RECORD(b, twice, &four), CL_INVALID_VALUE);
    /* [CL 5.17.5 E108] */
    assert_int_equal(RECORD(b, asserts, &four), CL_INVALID_VALUE);
    assert_int_equal(RECORD(b, fields, &four), CL_INVALID_OPERATION);
    assert_int_equal(RECORD(b, limited, NULL), CL_INVALID_VALUE);
    assert_int_equal(RECORD(few, NULL, NULL), CL_INVALID_VALUE);
    assert_null(handle);
    OK(RECORD(b, limited, &four));
    OK(RECORD(few, NULL, &four));
    OK(p_clReleaseCommandBufferKHR(b));
    OK(p_clReleaseCommandBufferKHR(few));
    OK(clReleaseMemObject(a));
}

static void update_errors(void **unused)
{
    (void)unused;
    cl_mem a = zeros();
    set_arguments(kernel, a, 1);
    cl_command_buffer_khr b = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR),
                          fixed = open_buffer(queue, 0),
                          other = open_buffer(queue, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties none[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0, 0};
    cl_mutable_command_khr handle = record(b, NULL), foreign = record(other, NULL), stiff = record(b, none),
                           immutable = record(fixed, NULL);
    const int n = 1;
    const size_t ten = 10, many[] = {1u << 20};
    const struct rt_mutable_arg argument = {1, sizeof n, &n}, small = {1, 1, &n};
    const struct rt_mutable_exec_info info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL};
    struct rt_mutable_config config = {.command = handle};
    const void *configs[] = {&config}, *null[] = {NULL};
    const cl_uint bad_type = 77;
    assert_int_equal(update(b, &config), CL_INVALID_OPERATION); /* still recording */
    OK(p_clFinalizeCommandBufferKHR(b));
    OK(p_clFinalizeCommandBufferKHR(fixed));
    /* [CL 5.17.7 E101] */
    assert_int_equal(update(NULL, &config), CL_INVALID_COMMAND_BUFFER_KHR);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 1, NULL, configs), CL_INVALID_VALUE);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 0, &type, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 1, &type, NULL), CL_INVALID_VALUE);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 0, NULL, configs), CL_INVALID_VALUE);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 1, &bad_type, configs), CL_INVALID_VALUE);
    assert_int_equal(p_clUpdateMutableCommandsKHR(b, 1, &type, null), CL_INVALID_VALUE);
    OK(update(b, &config)); /* nothing changes */
#define REJECTED(code, of, ...)                                                                              \
    config = (struct rt_mutable_config){.command = of, __VA_ARGS__};                                         \
    assert_int_equal(update(b, &config), code);
    REJECTED(CL_INVALID_MUTABLE_COMMAND_KHR, foreign, .work_dim = 0)
    REJECTED(CL_INVALID_MUTABLE_COMMAND_KHR, NULL, .work_dim = 0)
    REJECTED(CL_INVALID_MUTABLE_COMMAND_KHR, (cl_mutable_command_khr)b, .work_dim = 0)
    REJECTED(CL_INVALID_OPERATION, handle, .work_dim = 2)
    REJECTED(CL_INVALID_VALUE, handle, .num_args = 1)
    REJECTED(CL_INVALID_VALUE, handle, .arg_list = &argument)
    REJECTED(CL_INVALID_VALUE, handle, .num_svm_args = 1)
    REJECTED(CL_INVALID_VALUE, handle, .arg_svm_list = &argument)
    REJECTED(CL_INVALID_VALUE, handle, .num_exec_infos = 1)
    REJECTED(CL_INVALID_VALUE, handle, .exec_info_list = &info)
    REJECTED(CL_INVALID_OPERATION, stiff, .num_args = 1, .arg_list = &argument)
    REJECTED(CL_INVALID_OPERATION, stiff, .num_svm_args = 1, .arg_svm_list = &argument)
    REJECTED(CL_INVALID_OPERATION, stiff, .num_exec_infos = 1, .exec_info_list = &info)
    REJECTED(CL_INVALID_OPERATION, stiff, .global_work_offset = &four)
    REJECTED(CL_INVALID_OPERATION, stiff, .global_work_size = &four)
    REJECTED(CL_INVALID_OPERATION, stiff, .local_work_size = &four)
    REJECTED(CL_INVALID_OPERATION, handle, .global_work_size = &ten) /* some groups would be smaller */
    REJECTED(CL_INVALID_ARG_SIZE, handle, .num_args = 1, .arg_list = &small)
    REJECTED(CL_INVALID_WORK_ITEM_SIZE, handle, .local_work_size = many)
    config = (struct rt_mutable_config){.command = immutable};
    assert_int_equal(update(fixed, &config), CL_INVALID_OPERATION);
    OK(p_clReleaseCommandBufferKHR(b));
    OK(p_clReleaseCommandBufferKHR(fixed));
    OK(p_clReleaseCommandBufferKHR(other));
    OK(clReleaseMemObject(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),
        cmocka_unit_test(together),
        cmocka_unit_test(runs_under_way),
        cmocka_unit_test(later_arguments),
        cmocka_unit_test(svm),
        cmocka_unit_test(not_recorded),
        cmocka_unit_test(queries),
        cmocka_unit_test(recording_errors),
        cmocka_unit_test(update_errors),
    };
    return cmocka_run_group_tests_name("mutable-dispatch", tests, setup, teardown);
}
