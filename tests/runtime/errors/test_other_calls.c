/* Calls that the text of OpenCL 2.2 does not describe: deprecated ones and those of extensions [CL 4.4, 5.1,
 * 5.3.1, 5.7.1, 5.9.4, 5.10, 5.12]. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include "tests/runtime/runtime_test.h"

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};

static void images(void **state)
{
    (void)state;
    const cl_image_desc square = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_mem_properties none[] = {0};
    cl_mem_properties told[4] = {77};
    size_t size = 0;
    cl_mem made = clCreateImageWithProperties(context, none, 0, &rgba, &square, NULL, &err);
    OK(err);
    OK(clGetMemObjectInfo(made, CL_MEM_PROPERTIES, sizeof told, told, &size));
    assert_int_equal(size, sizeof none);
    assert_int_equal(told[0], 0);
    OK(clReleaseMemObject(made));
    made = clCreateImage3D(context, 0, &rgba, 4, 5, 6, 0, 0, NULL, &err);
    OK(err);
    OK(clGetImageInfo(made, CL_IMAGE_DEPTH, sizeof size, &size, NULL));
    assert_int_equal(size, 6);
    OK(clReleaseMemObject(made));
}

static void compilers_and_sub_groups(void **state)
{
    (void)state;
    size_t size = 0, told = 0;
    const size_t local = 8;
    OK(clUnloadCompiler());
    cl_program program = build_source("kernel void k(void) { }", "");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    OK(err);
    OK(clGetKernelSubGroupInfoKHR(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof local,
                                  &local, sizeof size, &size, &told));
    assert_int_equal(size, 1);
    assert_int_equal(told, sizeof size);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* Commands of an out-of-order queue, ordered only by events. */
static void synchronization(void **state)
{
    (void)state;
    cl_event gate = clCreateUserEvent(context, &err), marked, later;
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &err);
    const int one = 1;
    OK(clEnqueueFillBuffer(unordered, buffer, &one, 4, 0, 4, 1, &gate, NULL));
    OK(clEnqueueMarker(unordered, &marked));
    OK(clEnqueueWaitForEvents(unordered, 1, &gate));
    OK(clEnqueueBarrier(unordered));
    OK(clEnqueueFillBuffer(unordered, buffer, &one, 4, 0, 4, 0, NULL, &later));
    OK(clFlush(unordered));
    let_ready_run();
    assert_true(status_of(marked) > CL_COMPLETE && status_of(later) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(unordered));
    assert_int_equal(status_of(marked), CL_COMPLETE);
    assert_int_equal(status_of(later), CL_COMPLETE);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(marked));
    OK(clReleaseEvent(later));
    OK(clReleaseMemObject(buffer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(images), cmocka_unit_test(compilers_and_sub_groups),
                                       cmocka_unit_test(synchronization)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
