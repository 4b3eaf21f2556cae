/* A device without images, alone and beside one that has them [CL 4.2, 5.3, 5.7.1]. */
#include "tests/runtime/errors/condition_test.h"

static cl_device_id devices[2];
static cl_context blind;
static cl_command_queue seeing_queue, blind_queue;
static cl_mem image, image2, buffer;
static char bytes[64];

static int setup(void **state)
{
    (void)state;
    if (find_devices(devices))
        return -1;
    device = devices[1];
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    blind = clCreateContext(NULL, 1, &devices[1], NULL, NULL, &err);
    seeing_queue = clCreateCommandQueueWithProperties(context, devices[0], NULL, &err);
    blind_queue = clCreateCommandQueueWithProperties(context, devices[1], NULL, &err);
    image = clCreateImage(context, 0, &rgba, &square, NULL, &err);
    image2 = clCreateImage(context, 0, &rgba, &square, NULL, &err);
    buffer = clCreateBuffer(context, 0, 64, NULL, &err);
    return err;
}

static int teardown(void **state)
{
    (void)state;
    clReleaseMemObject(image);
    clReleaseMemObject(image2);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(seeing_queue);
    clReleaseCommandQueue(blind_queue);
    clReleaseContext(blind);
    return clReleaseContext(context);
}

static void queries(void **state)
{
    (void)state;
    const cl_device_info numbers[] = {CL_DEVICE_IMAGE_SUPPORT,
                                      CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                      CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                      CL_DEVICE_MAX_SAMPLERS,
                                      CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                      CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                                      CL_DEVICE_IMAGE2D_MAX_WIDTH,
                                      CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                                      CL_DEVICE_IMAGE3D_MAX_DEPTH,
                                      CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                                      CL_DEVICE_IMAGE_MAX_ARRAY_SIZE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cl_ulong seeing = 0, value = 0;
        OK(clGetDeviceInfo(devices[0], numbers[i], sizeof seeing, &seeing, NULL));
        OK(clGetDeviceInfo(devices[1], numbers[i], sizeof value, &value, NULL));
        assert_true(seeing > 0);
        assert_int_equal(value, 0);
    }
    char names[4096];
    OK(clGetDeviceInfo(devices[0], CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_non_null(strstr(names, "images"));
    OK(clGetDeviceInfo(devices[1], CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    assert_null(strstr(names, "image"));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof names, names, NULL));
    assert_null(strstr(names, "image"));
    cl_uint formats = 77;
    OK(clGetSupportedImageFormats(blind, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &formats));
    assert_int_equal(formats, 0);
}

static void features(void **state)
{
    (void)state;
    cl_name_version list[64];
    size_t size;
    OK(clGetDeviceInfo(devices[1], CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        assert_null(strstr(list[i].name, "image"));
    const char *text = "#if defined(__opencl_c_images) || defined(__IMAGE_SUPPORT__)\n#error images\n#endif\n"
                       "kernel void k(global int *p) { *p = 1; }\n",
               *with = "kernel void k(read_only image2d_t i) { }\n";
    for (int common = 0; common < 2; common++) {
        cl_program plain = clCreateProgramWithSource(common ? context : blind, 1, &text, NULL, &err);
        OK(clBuildProgram(plain, 1, &devices[1], "-cl-std=CL3.0", NULL, NULL));
        OK(clReleaseProgram(plain));
        cl_program images = clCreateProgramWithSource(common ? context : blind, 1, &with, NULL, &err);
        assert_int_equal(clBuildProgram(images, 1, &devices[1], "-cl-std=CL3.0", NULL, NULL),
                         CL_BUILD_PROGRAM_FAILURE);
        if (common)
            OK(clBuildProgram(images, 1, &devices[0], "-cl-std=CL3.0", NULL, NULL));
        OK(clReleaseProgram(images));
    }
}

static void objects(void **state)
{
    (void)state;
    EXPECT_NULL(CL_INVALID_OPERATION, clCreateImage(blind, 0, &rgba, &square, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, clCreateSamplerWithProperties(blind, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION,
                clCreateImageWithProperties(blind, NULL, 0, &rgba, &square, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, clCreateImage2D(blind, 0, &rgba, 4, 4, 0, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, clCreateImage3D(blind, 0, &rgba, 4, 4, 4, 0, 0, NULL, &err));
    EXPECT_NULL(CL_INVALID_OPERATION,
                clCreateSampler(blind, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &err);
    OK(err);
    OK(clReleaseSampler(sampler));
}

static void commands(void **state)
{
    (void)state;
    const cl_int code = CL_INVALID_OPERATION;
    size_t pitch;
    OK(clEnqueueFillImage(seeing_queue, image, bytes, zero, one, NONE));
    queue = blind_queue;
    wrong = 0;
#define CALL(size_clause, format_clause, none_clause, call) compare(none_clause, #call, code, call);
#define CREATE(size_clause, format_clause, none_clause, call)                                                \
    assert_null(call), compare(none_clause, #call, code, err);
#define LAUNCH(size_clause, format_clause, call)
#include "tests/runtime/memory/image_commands.def"
    assert_int_equal(wrong, 0);
    OK(clFinish(seeing_queue));
}

int main(void)
{
    setenv("REFCL_DEVICES", "2", 1);
    setenv("REFCL_IMAGES", "1,0", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(queries), cmocka_unit_test(features),
                                       cmocka_unit_test(objects), cmocka_unit_test(commands)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
