/* Kernel objects: creation, arguments of every kind, cloning, queries and their errors [CL 5.9]. */
#include "tests/runtime/errors/limited.h"
#include "tests/runtime/runtime_test.h"

static const char source[] =
    "typedef struct { int a; char b; } pair;\n"
    "kernel void args(global int *g, constant float *c, local uchar *l, int v, float4 w, pair p) {}\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void required(global const int *restrict a,\n"
    "                                                                   volatile global uint *b) {}\n"
    "kernel void locals(global int *a) { local int x[100]; x[0] = a[0]; a[1] = x[0]; }\n"
    "kernel void half_set(global int *a, int b) { a[0] = b; }\n";

static const char options[] = "-cl-kernel-arg-info";
#include "tests/runtime/program/program_test.h"

static cl_kernel create(const char *name)
{
    cl_kernel kernel = clCreateKernel(program, name, &err);
    OK(err);
    assert_non_null(kernel);
    return kernel;
}

static void test_creation(void **state)
{
    (void)state;
    EXPECT_NULL(CL_INVALID_PROGRAM, clCreateKernel(NULL, "args", &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateKernel(program, NULL, &err));
    EXPECT_NULL(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "none", &err));
    cl_kernel kernels[4];
    cl_uint count = 0;
    OK(clCreateKernelsInProgram(program, 0, NULL, &count));
    assert_int_equal(count, 4);
    assert_int_equal(clCreateKernelsInProgram(program, 3, kernels, &count), CL_INVALID_VALUE);
    OK(clCreateKernelsInProgram(program, 4, kernels, NULL));
    for (int i = 0; i < 4; i++)
        OK(clReleaseKernel(kernels[i]));
    assert_int_equal(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    assert_int_equal(clRetainKernel((cl_kernel)program), CL_INVALID_KERNEL);
}

/* Failed calls do not change the arguments. */
static void test_failed_arguments(void **state)
{
    (void)state;
    cl_kernel kernel = create("half_set");
    cl_mem memory = clCreateBuffer(context, 0, 16, NULL, &err);
    const size_t one = 1;
    cl_int value = 5, wrong = 9, written = 0;
    OK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    /* [CL 5.9.2 R123] */
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof kernel, &kernel), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 1, 8, &wrong), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof wrong, NULL), CL_INVALID_ARG_VALUE);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof written, &written, 0, NULL, NULL));
    assert_int_equal(written, 5);
    OK(clReleaseMemObject(memory));
    OK(clReleaseKernel(kernel));
}

static void test_queries(void **state)
{
    (void)state;
    cl_kernel kernel = create("args");
    char name[20];
    cl_uint number = 0;
    cl_context where = NULL;
    cl_program owner = NULL;
    size_t size;
    OK(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, &size));
    assert_string_equal(name, "args");
    assert_int_equal(size, 5);
    assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 4, name, NULL), CL_INVALID_VALUE);
    OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL));
    assert_int_equal(number, 6);
    OK(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof number, &number, NULL));
    assert_int_equal(number, 1);
    OK(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof where, &where, NULL));
    assert_ptr_equal(where, context);
    OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof owner, &owner, NULL));
    assert_ptr_equal(owner, program);
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof name, name, NULL));
    assert_string_equal(name, "");
    assert_int_equal(clGetKernelInfo(kernel, 0, sizeof name, name, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, 4, &number, NULL), CL_INVALID_KERNEL);
    OK(clReleaseKernel(kernel));
    kernel = create("required");
    char attributes[100];
    OK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
    assert_string_equal(attributes, "reqd_work_group_size(8,4,2)");
    OK(clReleaseKernel(kernel));
}

/* In source order, with macros expanded, and signs and sizes preserved [CL 5.9.4]. */
static void test_attributes(void **state)
{
    static const struct {
        const char *source, *attributes;
    } cases[] = {
        {"kernel void k() {}", ""},
        {"__attribute__((vec_type_hint(uchar))) kernel void k() {}", "vec_type_hint(uchar)"},
        {"kernel __attribute__((vec_type_hint( ulong16 ))) void k() {}", "vec_type_hint(ulong16)"},
        {"kernel __attribute__((vec_type_hint(double3))) void k() {}", "vec_type_hint(double3)"},
        {"kernel __attribute__((vec_type_hint(unsigned int))) void k() {}", "vec_type_hint(unsigned int)"},
        {"#define N 4\nkernel __attribute__((work_group_size_hint(N, N * 2, 1))) void k() {}",
         "work_group_size_hint(4,8,1)"},
        {"kernel __attribute__((work_group_size_hint(8,1,1))) __attribute__((vec_type_hint(short2)))\n"
         "__attribute__((reqd_work_group_size(8, 2, 1))) void k() {}",
         "work_group_size_hint(8,1,1) vec_type_hint(short2) reqd_work_group_size(8,2,1)"},
        {"kernel __attribute__((vec_type_hint(float4), reqd_work_group_size(1,2,3))) void k() {}",
         "vec_type_hint(float4) reqd_work_group_size(1,2,3)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_program p = build_source(cases[i].source, "");
        cl_kernel k = clCreateKernel(p, "k", &err);
        OK(err);
        char text[200] = "?";
        OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
        assert_string_equal(text, cases[i].attributes);
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
    }
}

static void test_argument_queries(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        cl_uint index;
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifier;
    } cases[] = {
        {"args", 0, "g", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0},
        {"args", 1, "c", "float*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"args", 2, "l", "uchar*", CL_KERNEL_ARG_ADDRESS_LOCAL, 0},
        {"args", 3, "v", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"args", 4, "w", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"args", 5, "p", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0},
        {"required", 0, "a", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL,
         CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"required", 1, "b", "uint*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_kernel kernel = create(cases[i].kernel);
        char text[50];
        cl_uint n = cases[i].index;
        cl_kernel_arg_address_qualifier address = 0;
        cl_kernel_arg_access_qualifier access = 0;
        cl_kernel_arg_type_qualifier qualifier = 99;
        OK(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        assert_string_equal(text, cases[i].name);
        OK(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        assert_string_equal(text, cases[i].type);
        OK(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
        assert_int_equal(address, cases[i].address);
        OK(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        assert_int_equal(access, CL_KERNEL_ARG_ACCESS_NONE);
        OK(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
        assert_int_equal(qualifier, cases[i].qualifier);
        assert_int_equal(clGetKernelArgInfo(kernel, 99, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
                         CL_INVALID_ARG_INDEX);
        assert_int_equal(clGetKernelArgInfo(kernel, n, 0, sizeof text, text, NULL), CL_INVALID_VALUE);
        OK(clReleaseKernel(kernel));
    }
}

static void test_arguments(void **state)
{
    (void)state;
    cl_kernel kernel = create("args");
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &err), null = NULL;
    OK(err);
    cl_context other_context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_mem other = clCreateBuffer(other_context, CL_MEM_READ_WRITE, 64, NULL, &err);
    const struct {
        cl_uint index;
        size_t size;
        const void *value;
        cl_int code;
    } cases[] = {
        {0, sizeof mem, &mem, CL_SUCCESS},
        {0, sizeof mem, &null, CL_SUCCESS},
        {0, sizeof mem, NULL, CL_SUCCESS},
        {0, 4, &mem, CL_INVALID_ARG_SIZE},
        {0, sizeof mem, &context, CL_INVALID_MEM_OBJECT},
        {0, sizeof mem, &other, CL_INVALID_CONTEXT}, /* before 3.1 CL_INVALID_MEM_OBJECT: test_versions.c */
        {1, sizeof mem, &mem, CL_SUCCESS},
        {2, 32, NULL, CL_SUCCESS},
        {2, 0, NULL, CL_SUCCESS}, /* before 3.1 an error: test_versions.c */
        {2, sizeof mem, &mem, CL_INVALID_ARG_VALUE},
        {3, 4, "abcd", CL_SUCCESS},
        {3, 8, "abcdefgh", CL_INVALID_ARG_SIZE},
        {3, 4, NULL, CL_INVALID_ARG_VALUE},
        {4, 16, "0123456789abcdef", CL_SUCCESS},
        {4, 12, "0123456789ab", CL_INVALID_ARG_SIZE},
        {5, 8, "01234567", CL_SUCCESS},
        {6, 4, "abcd", CL_INVALID_ARG_INDEX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(clSetKernelArg(kernel, cases[i].index, cases[i].size, cases[i].value),
                         cases[i].code);
    assert_int_equal(clSetKernelArg(NULL, 0, 4, "abcd"), CL_INVALID_KERNEL);

    /* Setting an argument does not retain it [CL 5.9.2]. */
    cl_uint count = 0;
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(other));
    OK(clReleaseContext(other_context));
    OK(clReleaseKernel(kernel));
}

static void test_svm_arguments(void **state)
{
    (void)state;
    cl_kernel kernel = create("args");
    int *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    assert_non_null(pointer);
    int not_svm;
    OK(clSetKernelArgSVMPointer(kernel, 0, pointer));
    OK(clSetKernelArgSVMPointer(kernel, 1, pointer + 3));
    OK(clSetKernelArgSVMPointer(kernel, 0, NULL));
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, &not_svm), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 3, pointer), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 9, pointer), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArgSVMPointer(NULL, 0, pointer), CL_INVALID_KERNEL);

    void *pointers[] = {pointer};
    cl_bool yes = CL_TRUE, no = CL_FALSE;
    /* [CL 5.9.2 R141] */
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, pointers),
                     CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, pointers),
                     CL_INVALID_VALUE);
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL)); /* the empty set */
    cl_kernel clone = clCloneKernel(kernel, &err);
    OK(err);
    OK(clReleaseKernel(clone));
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(kernel, 0, sizeof pointers, pointers), CL_INVALID_VALUE);
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
    cl_device_svm_capabilities svm = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    cl_int expected = svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_OPERATION;
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
                     expected);
    clSVMFree(context, pointer);
    OK(clReleaseKernel(kernel));
}

static void test_work_group_queries(void **state)
{
    (void)state;
    cl_kernel kernel = create("required");
    size_t sizes[3] = {0}, size = 0, device_size = 0;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
                                NULL));
    assert_int_equal(sizes[0], 8);
    assert_int_equal(sizes[1], 4);
    assert_int_equal(sizes[2], 2);
    OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    assert_true(size >= 64);
    assert_int_equal(
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        clGetKernelWorkGroupInfo(kernel, (cl_device_id)context, CL_KERNEL_WORK_GROUP_SIZE, 8, &size, NULL),
        CL_INVALID_DEVICE);
    assert_int_equal(clGetKernelWorkGroupInfo(NULL, device, CL_KERNEL_WORK_GROUP_SIZE, 8, &size, NULL),
                     CL_INVALID_KERNEL);
    OK(clReleaseKernel(kernel));

    kernel = create("locals");
    cl_ulong bytes = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device_size, &device_size, NULL));
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
    assert_int_equal(size, device_size);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    assert_int_equal(bytes, 400);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes,
                                NULL));
    assert_int_equal(sizes[0] + sizes[1] + sizes[2], 0);
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size,
                                &size, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof device_size, &device_size,
                       NULL));
    const size_t plenty = 1024;
    size_t width = 0;
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof plenty,
                               &plenty, sizeof width, &width, NULL));
    assert_int_equal(size, width);
    assert_int_equal(device_size, width);
    OK(clReleaseKernel(kernel));
}

/* [CL 5.9.4 R143] */
static void test_sub_group_queries(void **state)
{
    (void)state;
    cl_kernel kernel = create("locals");
    cl_uint most = 0;
    size_t local[3] = {20, 4, 2}, width = 0, count = 0, sizes[3] = {9, 9, 9}, wanted = 2;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
    if (!most) { /* no sub-groups */
        assert_int_equal(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                                 sizeof count, &count, NULL),
                         CL_INVALID_OPERATION);
        OK(clReleaseKernel(kernel));
        return;
    }
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local,
                               sizeof width, &width, NULL));
    assert_true(width >= 1 && width <= 160);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local,
                               sizeof count, &count, NULL));
    assert_int_equal(count, (160 + width - 1) / width);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted,
                               &wanted, sizeof sizes, sizes, NULL));
    assert_int_equal(sizes[0], 2 * width);
    assert_int_equal(sizes[1] * sizes[2], 1);
    wanted = 1 << 20;
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted,
                               &wanted, sizeof sizes, sizes, NULL));
    assert_int_equal(sizes[0] + sizes[1] + sizes[2], 0);
    OK(clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof count, &count,
                               NULL));
    assert_true(count >= 1);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof count,
                               &count, NULL));
    assert_int_equal(count, 0);
    assert_int_equal(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 3,
                                             local, sizeof width, &width, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8,
                                             NULL, sizeof width, &width, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetKernelSubGroupInfo(kernel, device, 0, 0, NULL, sizeof width, &width, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, &count, NULL),
        CL_INVALID_KERNEL);
    OK(clReleaseKernel(kernel));
}

static size_t local_for(cl_kernel kernel, size_t sub_groups)
{
    size_t sizes[3] = {9, 9, 9};
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof sub_groups,
                               &sub_groups, sizeof sizes, sizes, NULL));
    return sizes[0];
}

static size_t most_sub_groups(cl_kernel kernel)
{
    size_t most = 0;
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof most, &most,
                               NULL));
    return most;
}

/* The kernel's required local size determines the number of sub-groups in a work-group, and the local size
 * for a number of sub-groups: one dimension, or none. [CL 5.9.4 R181] */
static void test_sub_groups_of_required_sizes(void **state)
{
    (void)state;
    static const char text[] = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void line() {}\n"
                               "kernel __attribute__((reqd_work_group_size(16, 4, 1))) void square() {}\n"
                               "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void one() {}\n";
    cl_program p = build_source(text, "");
    cl_kernel line = clCreateKernel(p, "line", &err), square = clCreateKernel(p, "square", &err),
              one = clCreateKernel(p, "one", &err);
    OK(err);
    size_t width = 0, sixty_four = 64;
    OK(clGetKernelSubGroupInfo(line, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof sixty_four,
                               &sixty_four, sizeof width, &width, NULL));
    assert_true(width > 1 && 64 % width == 0);
    assert_int_equal(most_sub_groups(line), 64 / width);
    assert_int_equal(most_sub_groups(square), 64 / width);
    assert_int_equal(most_sub_groups(one), 1);
    assert_int_equal(local_for(line, 64 / width), 64);
    assert_int_equal(local_for(line, 64 / width + 1), 0);
    assert_int_equal(local_for(square, 64 / width), 0); /* two dimensions */
    assert_int_equal(local_for(one, 1), 0);             /* no full sub-group */
    OK(clReleaseKernel(line));
    OK(clReleaseKernel(square));
    OK(clReleaseKernel(one));
    OK(clReleaseProgram(p));
}

typedef cl_int(CL_API_CALL *suggest_function)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                              const size_t *, size_t *);

static void test_suggested_size(void **state)
{
    (void)state;
    suggest_function suggest = (suggest_function)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
        platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    assert_non_null(suggest);
    cl_kernel kernel = create("locals");
    const size_t zero[1] = {0}, far[1] = {SIZE_MAX - 59}, near[1] = {SIZE_MAX - 60};
    size_t global[3] = {60, 14, 3}, local[3] = {0, 0, 0};
    const cl_queue_properties device_queue[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue on_device = clCreateCommandQueueWithProperties(context, device, device_queue, &err);
    OK(err);
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_command_queue away = clCreateCommandQueueWithProperties(foreign, device, NULL, &err);
    OK(err);
    /* [CL 5.9.4 E154] */
    assert_int_equal(suggest(queue, kernel, 3, NULL, global, local), CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
    /* [CL 5.9.4 R151] */
    assert_int_equal(suggest(queue, kernel, 3, NULL, global, local), CL_SUCCESS);
    for (int d = 0; d < 3; d++)
        assert_int_equal(global[d] % local[d], 0);
    /* [CL 5.9.4 E151] */
    assert_int_equal(suggest(NULL, kernel, 3, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(suggest(on_device, kernel, 3, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
    /* [CL 5.9.4 E152] */
    assert_int_equal(suggest(queue, NULL, 3, NULL, global, local), CL_INVALID_KERNEL);
    /* [CL 5.9.4 E153] */
    assert_int_equal(suggest(away, kernel, 3, NULL, global, local), CL_INVALID_CONTEXT);
    /* [CL 5.9.4 E155] */
    assert_int_equal(suggest(queue, kernel, 4, NULL, global, local), CL_INVALID_WORK_DIMENSION);
    /* [CL 5.9.4 E157] */
    assert_int_equal(suggest(queue, kernel, 1, NULL, NULL, local), CL_INVALID_GLOBAL_WORK_SIZE);
    assert_int_equal(suggest(queue, kernel, 1, NULL, zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
    /* [CL 5.9.4 E156] */
    assert_int_equal(suggest(queue, kernel, 1, far, global, local), CL_INVALID_GLOBAL_OFFSET);
    OK(suggest(queue, kernel, 1, near, global, local));
    /* [CL 5.9.4 E158] */
    assert_int_equal(suggest(queue, kernel, 1, NULL, global, NULL), CL_INVALID_VALUE);
    OK(clReleaseCommandQueue(on_device));
    OK(clReleaseCommandQueue(away));
    OK(clReleaseContext(foreign));
    OK(clReleaseKernel(kernel));
}

static void test_clone(void **state)
{
    (void)state;
    cl_kernel kernel = create("half_set");
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &err);
    size_t one = 1;
    int value = 7, result = 0;
    OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    cl_kernel clone = clCloneKernel(kernel, &err);
    OK(err);
    value = 8; /* the clone keeps 7 [CL 5.9.3 R2] */
    OK(clSetKernelArg(kernel, 1, sizeof value, &value));
    OK(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_int_equal(result, 7);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_int_equal(result, 8);
    EXPECT_NULL(CL_INVALID_KERNEL, clCloneKernel(NULL, &err));

    /* A buffer that is deleted before the launch is no argument. */
    OK(clReleaseMemObject(mem));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(kernel));
}

/* What a SPIR-V module requires of arguments and work-groups. */
static void test_required_by_module(void **state)
{
    (void)state;
    const size_t width = 32, two = 64, three = 96;
    size_t count = 0;
    cl_program program_of_il = clCreateProgramWithIL(context, limited, sizeof limited, &err);
    OK(clBuildProgram(program_of_il, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program_of_il, "limited", &err);
    OK(err);
    cl_mem fits = clCreateBuffer(context, 0, 64, NULL, &err),
           larger = clCreateBuffer(context, 0, 65, NULL, &err);
    OK(clSetKernelArg(kernel, 0, sizeof fits, &fits));
    /* [CL 5.9.2 E8] */
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof larger, &larger), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    OK(clSetKernelArg(kernel, 1, 16, NULL));
    assert_int_equal(clSetKernelArg(kernel, 1, 17, NULL), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof count,
                               &count, NULL));
    assert_int_equal(count, 2);
    OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof two, &two,
                               sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    /* [CL 5.10 E10] */
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &width, &width, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &three, &three, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &two, &two, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &two, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(fits));
    OK(clReleaseMemObject(larger));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program_of_il));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation),
        cmocka_unit_test(test_failed_arguments),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_argument_queries),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_svm_arguments),
        cmocka_unit_test(test_work_group_queries),
        cmocka_unit_test(test_sub_group_queries),
        cmocka_unit_test(test_sub_groups_of_required_sizes),
        cmocka_unit_test(test_suggested_size),
        cmocka_unit_test(test_clone),
        cmocka_unit_test(test_required_by_module),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
