/* Addresses of buffers on devices: as arguments, within buffers, on several devices, and every error
 * [cl_ext_buffer_device_address]. */
#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

static cl_int(CL_API_CALL *set_pointer)(cl_kernel, cl_uint, cl_ulong);
static const cl_mem_properties addressed[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
static cl_program program;
static cl_kernel add, follow;
static const size_t one = 1;
static const char *const source =
    "kernel void add(global int *p, int n, local int *l, constant int *c) { *p += n; }\n"
    "kernel void follow(global ulong *at, global int *unused) { *(global int *)*at += 5; }\n";

static int setup(void **state)
{
    if (open_device(state))
        return -1;
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgDevicePointerEXT");
    memcpy(&set_pointer, &found, sizeof found);
    program = build_source(source, NULL);
    add = clCreateKernel(program, "add", &err);
    follow = clCreateKernel(program, "follow", &err);
    return found ? err : -1;
}

static int teardown(void **state)
{
    return clReleaseKernel(add) || clReleaseKernel(follow) || clReleaseProgram(program) ||
           close_device(state);
}

static cl_mem with_address(cl_context c, const void *words, size_t size)
{
    cl_mem m = clCreateBufferWithProperties(c, addressed, CL_MEM_COPY_HOST_PTR, size,
                                            (void *)(uintptr_t)words, &err);
    OK(err);
    return m;
}

static cl_ulong address_of(cl_mem m)
{
    cl_ulong address = 0;
    size_t size = 0;
    OK(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, &size));
    assert_int_equal(size, sizeof address);
    assert_true(address != 0);
    return address;
}

static void set_others(cl_kernel kernel, cl_mem constant)
{
    const cl_int n = 7;
    OK(clSetKernelArg(kernel, 1, sizeof n, &n));
    OK(clSetKernelArg(kernel, 2, 4, NULL));
    OK(clSetKernelArg(kernel, 3, sizeof constant, &constant));
}

static void arguments(void **state)
{
    (void)state;
    cl_int words[4] = {1, 2, 3, 4};
    cl_mem m = with_address(context, words, sizeof words), none = NULL;
    cl_ulong start = address_of(m);
    cl_mem_properties given[4];
    size_t size;
    /* [CL 5.5.5 R111] [CL 5.2.1 R181] */
    OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof given, given, &size));
    assert_int_equal(size, sizeof addressed);
    assert_memory_equal(given, addressed, size);
    set_others(add, none);
    for (int i = 0; i < 4; i += 2) {
        /* [CL 5.9.2 R101] */
        assert_int_equal(set_pointer(add, 0, start + (cl_ulong)i * 4), CL_SUCCESS);
        cl_kernel kernel = i ? clCloneKernel(add, &err) : add;
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        if (i)
            OK(clReleaseKernel(kernel));
    }
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    const cl_int wanted[4] = {8, 2, 10, 4};
    assert_memory_equal(words, wanted, sizeof words);
    assert_true(address_of(m) == start); /* [CL 5.2.1 R161] */
    OK(clReleaseMemObject(m));
}

/* A kernel reaches a buffer by an address in another one; addresses that it does not use may be invalid.
 * [CL 5.9.2 R142] */
static void indirect(void **state)
{
    (void)state;
    cl_int word = 37;
    cl_mem m = with_address(context, &word, sizeof word);
    cl_ulong address = address_of(m);
    cl_mem table = with_address(context, &address, sizeof address);
    OK(set_pointer(follow, 0, address_of(table)));
    OK(set_pointer(follow, 1, 0x1234));
    /* [CL 5.9.2 R141] */
    OK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof address, &address));
    for (int i = 0; i < 3; i++) {
        cl_kernel kernel = i == 1 ? clCloneKernel(follow, &err) : follow;
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        if (i == 1)
            OK(clReleaseKernel(kernel));
        OK(set_pointer(follow, 1, 0));
    }
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
    assert_int_equal(word, 52);
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(table));
    OK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 0, NULL));
}

/* Each device has a copy with its own address; one device reads what the other writes. */
static void devices(void **state)
{
    (void)state;
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_device_id parts[2];
    OK(clCreateSubDevices(device, halves, 2, parts, NULL));
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_program built = clCreateProgramWithSource(both, 1, (const char **)(uintptr_t)&source, NULL, &err);
    OK(clBuildProgram(built, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "follow", &err);
    cl_int word = 10;
    cl_mem m = with_address(both, &word, sizeof word), table = clCreateBuffer(both, 0, 8, NULL, &err);
    cl_ulong addresses[2] = {0, 0};
    assert_int_equal(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, 8, addresses, NULL), CL_INVALID_VALUE);
    OK(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, sizeof addresses, addresses, NULL));
    OK(clSetKernelArg(kernel, 0, sizeof table, &table));
    OK(set_pointer(kernel, 1, 0));
    OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof addresses, addresses));
    for (int i = 0; i < 4; i++) {
        cl_command_queue q = clCreateCommandQueueWithProperties(both, parts[i % 2], NULL, &err);
        OK(clEnqueueWriteBuffer(q, table, CL_TRUE, 0, 8, &addresses[i % 2], 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clFinish(q));
        OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
        assert_int_equal(word, 15 + 5 * i);
        OK(clReleaseCommandQueue(q));
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(table));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(built));
    OK(clReleaseContext(both));
    for (int i = 0; i < 2; i++)
        OK(clReleaseDevice(parts[i]));
}

static void svm(void **state)
{
    (void)state;
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    cl_mem m = clCreateBufferWithProperties(context, addressed, CL_MEM_USE_HOST_PTR, 64, shared, &err);
    OK(err);
    assert_true(address_of(m) == (cl_ulong)(uintptr_t)shared);
    OK(clReleaseMemObject(m));
    clSVMFree(context, shared);
}

static void errors(void **state)
{
    (void)state;
    const cl_mem_properties twice[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE,
                                       CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0},
                            two[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0},
                            no[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0}, other[] = {0x7777, 1, 0};
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, twice, 0, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, two, 0, 4, NULL, &err));
    EXPECT_NULL(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, other, 0, 4, NULL, &err));
    cl_ulong address;
    cl_int word = 1;
    cl_mem plain = clCreateBufferWithProperties(context, no, 0, 256, NULL, &err),
           m = with_address(context, &word, 4);
    OK(err);
    const cl_buffer_region all = {0, 4};
    cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &all, &err);
    assert_int_equal(clGetMemObjectInfo(plain, CL_MEM_DEVICE_ADDRESS_EXT, 8, &address, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clGetMemObjectInfo(part, CL_MEM_DEVICE_ADDRESS_EXT, 8, &address, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clGetMemObjectInfo(m, CL_MEM_DEVICE_ADDRESS_EXT, 7, &address, NULL), CL_INVALID_VALUE);
    assert_int_equal(set_pointer(NULL, 0, 0), CL_INVALID_KERNEL);
    for (cl_uint i = 1; i < 5; i++) /* a number, local and constant memory, no argument */
        /* [CL 5.9.2 E101] */
        assert_int_equal(set_pointer(add, i, address_of(m)), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 7, &address),
                     CL_INVALID_VALUE);
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments), cmocka_unit_test(indirect),
                                       cmocka_unit_test(devices), cmocka_unit_test(svm),
                                       cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
