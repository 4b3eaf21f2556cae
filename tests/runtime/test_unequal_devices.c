/* A small device beside a large one: what a context accepts because one device has it, the other one's queue
 * refuses [CL 5.2, 5.3, 5.6, 5.10]. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "runtime_test.h"

static cl_device_id devices[2];
static cl_command_queue small, large;
static cl_mem sub, plain, big_image, odd_image, tiny_image;
static cl_program program;
static cl_kernel on_buffer, on_image;
static const size_t zero[3], one[3] = {1, 1, 1};
static char bytes[4096];

static const char source[] = "kernel void b(global int *p) { *p = 1; }\n"
                             "kernel void i(read_only image2d_t m) { }\n"
                             "kernel void e(void) { }\n";

static cl_mem image_of(size_t width, cl_channel_order order)
{
    const cl_image_format format = {order, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = 2};
    return clCreateImage(context, 0, &format, &desc, NULL, &err);
}

static int open_both(void **state)
{
    (void)state;
    cl_uint n = 0;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &n) || n != 2)
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

#define NONE           0, NULL, NULL
#define IS(code, call) assert_int_equal((call), (code))

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

/* The origin of the sub-buffer suits one device alone. */
static void origins(void **state)
{
    (void)state;
    const cl_int wrong = CL_MISALIGNED_SUB_BUFFER_OFFSET;
    const cl_buffer_region region = {100, 64};
    EXPECT_NULL(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                clCreateSubBuffer(plain, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    OK(clEnqueueReadBuffer(large, sub, CL_TRUE, 0, 4, bytes, NONE));
    IS(wrong, clEnqueueReadBuffer(small, sub, CL_TRUE, 0, 4, bytes, NONE));
    assert_int_equal(clEnqueueReadBuffer(small, sub, CL_TRUE, 0, 4, bytes, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueWriteBuffer(small, sub, CL_TRUE, 0, 4, bytes, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueReadBufferRect(small, sub, CL_TRUE, zero, zero, one, 0, 0, 0, 0, bytes, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueWriteBufferRect(small, sub, CL_TRUE, zero, zero, one, 0, 0, 0, 0, bytes, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueCopyBuffer(small, sub, plain, 0, 0, 4, NONE), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueCopyBuffer(small, plain, sub, 0, 0, 4, NONE), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueCopyBufferRect(small, sub, plain, zero, zero, one, 0, 0, 0, 0, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueCopyBufferRect(small, plain, sub, zero, zero, one, 0, 0, 0, 0, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueFillBuffer(small, sub, bytes, 4, 0, 4, NONE), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    EXPECT_NULL(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                clEnqueueMapBuffer(small, sub, CL_TRUE, CL_MAP_READ, 0, 4, NONE, &err));
    assert_int_equal(clEnqueueCopyImageToBuffer(small, tiny_image, sub, zero, one, 0, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueCopyBufferToImage(small, sub, tiny_image, 0, zero, one, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    OK(clSetKernelArg(on_buffer, 0, sizeof sub, &sub));
    assert_int_equal(clEnqueueNDRangeKernel(small, on_buffer, 1, NULL, one, NULL, NONE),
                     CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_int_equal(clEnqueueTask(small, on_buffer, NONE), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    OK(clEnqueueNDRangeKernel(large, on_buffer, 1, NULL, one, NULL, NONE));
    OK(clFinish(large));
}

static void image_sizes(void **state)
{
    (void)state;
    size_t row;
    OK(clEnqueueReadImage(large, big_image, CL_TRUE, zero, one, 0, 0, bytes, NONE));
    assert_int_equal(clEnqueueReadImage(small, big_image, CL_TRUE, zero, one, 0, 0, bytes, NONE),
                     CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueWriteImage(small, big_image, CL_TRUE, zero, one, 0, 0, bytes, NONE),
                     CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueCopyImage(small, big_image, tiny_image, zero, zero, one, NONE),
                     CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueFillImage(small, big_image, bytes, zero, one, NONE), CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueCopyImageToBuffer(small, big_image, plain, zero, one, 0, NONE),
                     CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueCopyBufferToImage(small, plain, big_image, 0, zero, one, NONE),
                     CL_INVALID_IMAGE_SIZE);
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE,
                clEnqueueMapImage(small, big_image, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, NONE, &err));
    OK(clSetKernelArg(on_image, 0, sizeof big_image, &big_image));
    assert_int_equal(clEnqueueNDRangeKernel(small, on_image, 1, NULL, one, NULL, NONE),
                     CL_INVALID_IMAGE_SIZE);
    assert_int_equal(clEnqueueTask(small, on_image, NONE), CL_INVALID_IMAGE_SIZE);
}

static void image_formats(void **state)
{
    (void)state;
    size_t row;
    assert_int_equal(clEnqueueReadImage(small, odd_image, CL_TRUE, zero, one, 0, 0, bytes, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueWriteImage(small, odd_image, CL_TRUE, zero, one, 0, 0, bytes, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueCopyImage(small, odd_image, odd_image, zero, one, one, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueFillImage(small, odd_image, bytes, zero, one, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueCopyImageToBuffer(small, odd_image, plain, zero, one, 0, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueCopyBufferToImage(small, plain, odd_image, 0, zero, one, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    EXPECT_NULL(CL_IMAGE_FORMAT_NOT_SUPPORTED,
                clEnqueueMapImage(small, odd_image, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, NONE, &err));
    OK(clSetKernelArg(on_image, 0, sizeof odd_image, &odd_image));
    assert_int_equal(clEnqueueNDRangeKernel(small, on_image, 1, NULL, one, NULL, NONE),
                     CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(clEnqueueTask(small, on_image, NONE), CL_IMAGE_FORMAT_NOT_SUPPORTED);
}

static void CL_CALLBACK native(void *data)
{
    (void)data;
}

/* [CL 5.10 E20] [CL 5.10 E30] */
static void abilities(void **state)
{
    (void)state;
    assert_int_equal(clEnqueueNativeKernel(small, native, NULL, 0, 0, NULL, NULL, NONE),
                     CL_INVALID_OPERATION);
    OK(clEnqueueNativeKernel(large, native, NULL, 0, 0, NULL, NULL, NONE));
    void *svm = clSVMAlloc(context, 0, 64, 0);
    assert_non_null(svm);
    assert_null(clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    OK(clSetKernelArgSVMPointer(on_buffer, 0, svm));
    assert_int_equal(clEnqueueNDRangeKernel(small, on_buffer, 1, NULL, one, NULL, NONE),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueTask(small, on_buffer, NONE), CL_INVALID_OPERATION);
    OK(clEnqueueNDRangeKernel(large, on_buffer, 1, NULL, one, NULL, NONE));
    assert_int_equal(clEnqueueSVMMemcpy(small, CL_TRUE, svm, bytes, 4, NONE), CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueSVMMap(small, CL_TRUE, CL_MAP_READ, svm, 4, NONE), CL_INVALID_OPERATION);
    OK(clFinish(large));
    clSVMFree(context, svm);
}

/* Executables for one device alone, and kernels whose parameters differ between the devices. */
static void executables(void **state)
{
    (void)state;
    cl_program half = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, &err);
    OK(clBuildProgram(half, 1, &devices[0], "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(half, "e", &err);
    OK(err);
    assert_int_equal(clEnqueueNDRangeKernel(small, kernel, 1, NULL, one, NULL, NONE),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(half));
    const char *text = "kernel void k(T x, global T *o) { *o = x; }";
    cl_program unlike = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(clBuildProgram(unlike, 1, &devices[0], "-DT=int", NULL, NULL));
    OK(clBuildProgram(unlike, 1, &devices[1], "-DT=long", NULL, NULL));
    EXPECT_NULL(CL_INVALID_KERNEL_DEFINITION, clCreateKernel(unlike, "k", &err));
    OK(clReleaseProgram(unlike));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_MEMORY_ALIGNMENT", "128,1K", 1);
    setenv("REFCL_IMAGE_SIZE", "16384,64", 1);
    setenv("REFCL_IMAGE_FORMATS", "all,required", 1);
    setenv("REFCL_NATIVE_KERNELS", "1,0", 1);
    setenv("REFCL_SVM", "all,none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries),       cmocka_unit_test(origins),   cmocka_unit_test(image_sizes),
        cmocka_unit_test(image_formats), cmocka_unit_test(abilities), cmocka_unit_test(executables),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
