/* A small device and a large one: objects that a context accepts because one device supports them are refused
 * by the other one's queue [CL 5.2, 5.3, 5.6, 5.10]. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/runtime/errors/condition_test.h"

static cl_device_id devices[2];
static cl_command_queue small, large;
static cl_mem sub, plain, big_image, odd_image, tiny_image;
static cl_program program;
static cl_kernel on_buffer, on_image;
static char bytes[4096];

static const char source[] = "kernel void b(global int *p) { *p = 1; }\n"
                             "kernel void i(read_only image2d_t m) { }\n"
                             "kernel void e(void) { }\n";

/* The error for a launch of KERNEL with these work-items in QUEUE. */
static cl_int suggest(cl_command_queue q, cl_kernel kernel)
{
    cl_int(CL_API_CALL * call)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                               size_t *);
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    size_t local;
    memcpy(&call, &found, sizeof call);
    return call(q, kernel, 1, NULL, one, &local);
}

static cl_mem image_of(size_t width, cl_channel_order order)
{
    const cl_image_format format = {order, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = 2};
    return clCreateImage(context, 0, &format, &desc, NULL, &err);
}

static int open_both(void **state)
{
    (void)state;
    if (find_devices(devices))
        return -1;
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    large = clCreateCommandQueueWithProperties(context, devices[0], NULL, &err);
    small = clCreateCommandQueueWithProperties(context, devices[1], NULL, &err);
    plain = clCreateBuffer(context, 0, 8192, NULL, &err);
    const cl_buffer_region region = {128, 4096};
    sub = clCreateSubBuffer(plain, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    if (err)
        return -1;
    big_image = image_of(100, CL_RGBA);
    odd_image = image_of(4, CL_ARGB);
    tiny_image = image_of(4, CL_RGBA);
    program = build_source(source, "");
    on_buffer = clCreateKernel(program, "b", &err);
    on_image = clCreateKernel(program, "i", &err);
    return err;
}

static int close_both(void **state)
{
    (void)state;
    clReleaseKernel(on_buffer);
    clReleaseKernel(on_image);
    clReleaseProgram(program);
    clReleaseMemObject(sub);
    clReleaseMemObject(plain);
    clReleaseMemObject(big_image);
    clReleaseMemObject(odd_image);
    clReleaseMemObject(tiny_image);
    clReleaseCommandQueue(small);
    clReleaseCommandQueue(large);
    return clReleaseContext(context);
}

static void queries(void **state)
{
    (void)state;
    cl_uint align[2];
    size_t width[2];
    for (int d = 0; d < 2; d++) {
        OK(clGetDeviceInfo(devices[d], CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, &align[d], NULL));
        OK(clGetDeviceInfo(devices[d], CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof *width, &width[d], NULL));
    }
    assert_int_equal(align[0], 1024);
    assert_int_equal(align[1], 8192);
    assert_int_equal(width[0], 16384);
    assert_int_equal(width[1], 64);
}

/* The origin of the sub-buffer suits only one device. */
static void origins(void **state)
{
    (void)state;
    const cl_buffer_region region = {100, 64};
    EXPECT_NULL(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                clCreateSubBuffer(plain, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    OK(clEnqueueReadBuffer(large, sub, CL_TRUE, 0, 4, bytes, NONE));
    OK(clSetKernelArg(on_buffer, 0, sizeof sub, &sub));
    OK(clEnqueueNDRangeKernel(large, on_buffer, 1, NULL, one, NULL, NONE));
    OK(clFinish(large));
    OK(suggest(large, on_buffer));
    /* [CL 5.9.4 E172] */
    assert_int_equal(suggest(small, on_buffer), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    wrong = 0;
#define CALL(clause, code, call)   compare(clause, #call, code, call);
#define CREATE(clause, code, call) assert_null(call), compare(clause, #call, code, err);
#include "tests/runtime/memory/sub_buffer_commands.def"
#undef CALL
#undef CREATE
    assert_int_equal(wrong, 0);
}

#define CALL(size_clause, format_clause, none_clause, call)                                                  \
    compare(size_clause " or " format_clause, #call, code, call);
#define CREATE(size_clause, format_clause, none_clause, call)                                                \
    assert_null(call), compare(size_clause " or " format_clause, #call, code, err);
#define LAUNCH(size_clause, format_clause, call) compare(size_clause " or " format_clause, #call, code, call);

/* Every command with IMAGE is refused with CODE by the small device. */
static void refused(cl_int code, cl_mem image)
{
    cl_command_queue queue_before = queue;
    const cl_mem image2 = tiny_image, buffer = plain;
    const cl_kernel kernel = on_image;
    size_t pitch;
    queue = small;
    wrong = 0;
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
#include "tests/runtime/memory/image_commands.def"
    queue = queue_before;
    assert_int_equal(wrong, 0);
}

static void image_sizes(void **state)
{
    (void)state;
    OK(clEnqueueReadImage(large, big_image, CL_TRUE, zero, one, 0, 0, bytes, NONE));
    refused(CL_INVALID_IMAGE_SIZE, big_image);
    /* [CL 5.9.4 E173] */
    assert_int_equal(suggest(small, on_image), CL_INVALID_IMAGE_SIZE);
}

static void image_formats(void **state)
{
    (void)state;
    OK(clEnqueueReadImage(large, odd_image, CL_TRUE, zero, one, 0, 0, bytes, NONE));
    refused(CL_IMAGE_FORMAT_NOT_SUPPORTED, odd_image);
    /* [CL 5.9.4 E174] */
    assert_int_equal(suggest(small, on_image), CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

static void abilities(void **state)
{
    (void)state;
    /* [CL 5.10 E30] */
    assert_int_equal(clEnqueueNativeKernel(small, on_native, NULL, 0, 0, NULL, NULL, NONE),
                     CL_INVALID_OPERATION);
    OK(clEnqueueNativeKernel(large, on_native, NULL, 0, 0, NULL, NULL, NONE));
    void *svm = clSVMAlloc(context, 0, 64, 0);
    assert_non_null(svm);
    assert_null(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    OK(clSetKernelArgSVMPointer(on_buffer, 0, svm));
    /* [CL 5.10 E20] */
    assert_int_equal(clEnqueueNDRangeKernel(small, on_buffer, 1, NULL, one, NULL, NONE),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueTask(small, on_buffer, NONE), CL_INVALID_OPERATION);
    OK(clEnqueueNDRangeKernel(large, on_buffer, 1, NULL, one, NULL, NONE));
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMMemcpy(small, CL_TRUE, svm, bytes, 4, NONE), CL_INVALID_OPERATION);
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMMap(small, CL_TRUE, CL_MAP_READ, svm, 4, NONE), CL_INVALID_OPERATION);
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMUnmap(small, svm, NONE), CL_INVALID_OPERATION);
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMMemFill(small, svm, bytes, 4, 4, NONE), CL_INVALID_OPERATION);
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMFree(small, 1, &svm, NULL, NULL, NONE), CL_INVALID_OPERATION);
    /* [CL 5.6.1 E151] */
    assert_int_equal(clEnqueueSVMMigrateMem(small, 1, (const void **)&svm, NULL, 0, NONE),
                     CL_INVALID_OPERATION);
    /* [CL 5.9.4 E175] */
    assert_int_equal(suggest(small, on_buffer), CL_INVALID_OPERATION);
    OK(clFinish(large));
    clSVMFree(context, svm);
}

/* Executables for only one device, and kernels whose parameters differ between the devices. */
static void executables(void **state)
{
    (void)state;
    cl_program half = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &err);
    OK(clBuildProgram(half, 1, &devices[0], "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(half, "e", &err);
    OK(err);
    assert_int_equal(clEnqueueNDRangeKernel(small, kernel, 1, NULL, one, NULL, NONE),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    /* [CL 5.9.4 E171] */
    assert_int_equal(suggest(small, kernel), CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(half));
    const char *text = "kernel void k(T x, global T *o) { *o = x; }";
    cl_program unlike = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clBuildProgram(unlike, 1, &devices[0], "-DT=int", NULL, NULL));
    OK(clBuildProgram(unlike, 1, &devices[1], "-DT=long", NULL, NULL));
    EXPECT_NULL(CL_INVALID_KERNEL_DEFINITION, clCreateKernel(unlike, "k", &err));
    OK(clReleaseProgram(unlike));
}

/* In a context without SVM there is no set of SVM pointers. [CL 5.9.2], as OpenCL 3.0 has it */
static void no_svm(void **state)
{
    (void)state;
    cl_context alone = clCreateContext(NULL, 1, &devices[1], NULL, NULL, &err);
    cl_program alike = clCreateProgramWithSource(alone, 1, (const char *[]){source}, NULL, &err);
    OK(clBuildProgram(alike, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(alike, "e", &err), takes = clCreateKernel(alike, "b", &err);
    OK(err);
    /* [CL 5.9.2 E121] */
    assert_int_equal(clSetKernelArgSVMPointer(takes, 0, bytes), CL_INVALID_OPERATION);
    OK(clReleaseKernel(takes));
    const void *pointers[] = {&kernel};
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers),
                     CL_INVALID_OPERATION);
    assert_int_equal(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL),
                     CL_INVALID_OPERATION);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(alike));
    OK(clReleaseContext(alone));
}

/* A buffer is as large as one device permits [CL 5.2.1 E3], SVM as large as all do [CL 5.6.1 R101]. */
static void largest_sizes(void **state)
{
    (void)state;
    const size_t megabyte = 1 << 20;
    cl_mem buffer = clCreateBuffer(context, 0, 64 * megabyte, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(buffer));
    EXPECT_NULL(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 64 * megabyte + 1, NULL, &err));
    void *svm = clSVMAlloc(context, 0, megabyte, 0);
    assert_non_null(svm);
    clSVMFree(context, svm);
    assert_null(clSVMAlloc(context, 0, megabyte + 1, 0));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_MEMORY_ALIGNMENT", "128,1K", 1);
    setenv("REFCL_IMAGE_SIZE", "16384,64", 1);
    setenv("REFCL_IMAGE_FORMATS", "all,required", 1);
    setenv("REFCL_NATIVE_KERNELS", "1,0", 1);
    setenv("REFCL_SVM", "all,none", 1);
    setenv("REFCL_MAX_ALLOCATION", "64M,1M", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries),       cmocka_unit_test(origins),       cmocka_unit_test(image_sizes),
        cmocka_unit_test(image_formats), cmocka_unit_test(abilities),     cmocka_unit_test(executables),
        cmocka_unit_test(no_svm),        cmocka_unit_test(largest_sizes),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
