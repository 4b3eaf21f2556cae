/* Invalid images, and commands that cannot use images [CL 5.3]. */
#include "tests/runtime/memory/image_test.h"

static void creation_errors(void **state)
{
    (void)state;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    unsigned char bytes[64];
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &rgba8, &desc, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, ~0ul, &rgba8, &desc, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &desc, NULL, &err));
    const cl_image_format wrong = {CL_RGB, CL_FLOAT}, unknown = {1, 2}, depth = {CL_DEPTH, CL_FLOAT};
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &wrong, &desc, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &unknown, &desc, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, NULL, NULL, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateImage(context, 0, &rgba8, &desc, bytes, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &desc, NULL, &err));
    cl_image_desc d = desc;
    d.image_row_pitch = 16;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, &d, NULL, &err));
    d.image_row_pitch = 12;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &d, bytes, &err));
    /* Sizes that overflow size_t: four rows, two slices. */
    d.image_row_pitch = SIZE_MAX / 4 + 1;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &d, bytes, &err));
    d = desc;
    d.image_type = CL_MEM_OBJECT_IMAGE3D;
    d.image_depth = 2;
    d.image_slice_pitch = SIZE_MAX / 2 + 1;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba8, &d, bytes, &err));
    d = desc;
    d.image_type = CL_MEM_OBJECT_BUFFER;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, &d, NULL, &err));
    d = desc;
    d.image_height = 0;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, &d, NULL, &err));
    d = desc;
    d.num_mip_levels = 4; /* one more than halving leads to */
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, &d, NULL, &err));
    d = desc;
    d.image_width = 100000;
    /* [CL 5.3.1 E7] */
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE, clCreateImage(context, 0, &rgba8, &d, NULL, &err));
    d = desc;
    d.image_type = CL_MEM_OBJECT_IMAGE3D;
    d.image_depth = 2;
    /* [CL 5.3.1 R8] */
    EXPECT_NULL(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(context, 0, &depth, &d, NULL, &err));
    const cl_mem_properties properties[] = {7, 7, 0};
    EXPECT_NULL(CL_INVALID_PROPERTY,
                clCreateImageWithProperties(context, properties, 0, &rgba8, &desc, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &rgba8, 0, 4, 0, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &rgba8, 4, 4, 9999, 0, 0, NULL, &err));
    cl_mem old = clCreateImage3D(context, 0, &rgba8, 4, 4, 1, 0, 0, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(old));
    old = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 16, bytes, &err);
    OK(err);
    OK(clReleaseMemObject(old));
}

static void command_errors(void **state)
{
    (void)state;
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, rgba8, 4, 4, 0, 0);
    cl_mem other = image_of(CL_MEM_OBJECT_IMAGE2D, r32, 4, 4, 0, 0);
    cl_mem buffer = clCreateBuffer(context, 0, 60, NULL, &err);
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem far = clCreateImage(foreign, 0, &rgba8, &desc, NULL, &err);
    cl_mem hidden = clCreateImage(context, CL_MEM_HOST_NO_ACCESS, &rgba8, &desc, NULL, &err);
    OK(err);
    const size_t all[3] = {4, 4, 1}, deep[3] = {4, 4, 2}, none[3] = {4, 0, 1}, at[3] = {1, 0, 0};
    unsigned char bytes[64];
    const float color[4] = {0};
    size_t row, slice;
#define READ(q, i, o, r, rp, sp, p)  clEnqueueReadImage(q, i, CL_TRUE, o, r, rp, sp, p, 0, NULL, NULL)
#define WRITE(q, i, o, r, rp, sp, p) clEnqueueWriteImage(q, i, CL_TRUE, o, r, rp, sp, p, 0, NULL, NULL)
#define BOTH(code, ...)                                                                                      \
    assert_int_equal(READ(__VA_ARGS__), code);                                                               \
    assert_int_equal(WRITE(__VA_ARGS__), code)
    BOTH(CL_INVALID_COMMAND_QUEUE, NULL, image, zero, all, 0, 0, bytes);
    BOTH(CL_INVALID_MEM_OBJECT, queue, buffer, zero, all, 0, 0, bytes);
    BOTH(CL_INVALID_CONTEXT, queue, far, zero, all, 0, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, zero, all, 0, 0, NULL);
    BOTH(CL_INVALID_VALUE, queue, image, at, all, 0, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, zero, deep, 0, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, zero, none, 0, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, NULL, all, 0, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, zero, all, 15, 0, bytes);
    BOTH(CL_INVALID_VALUE, queue, image, zero, all, 0, 64, bytes);
    BOTH(CL_INVALID_OPERATION, queue, hidden, zero, all, 0, 0, bytes);
    assert_int_equal(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);

    assert_int_equal(clEnqueueCopyImage(queue, image, other, zero, zero, all, 0, NULL, NULL),
                     CL_IMAGE_FORMAT_MISMATCH);
    assert_int_equal(clEnqueueCopyImage(NULL, image, image, zero, zero, all, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clEnqueueCopyImage(queue, image, buffer, zero, zero, all, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueCopyImage(queue, image, far, zero, zero, all, 0, NULL, NULL),
                     CL_INVALID_CONTEXT);
    assert_int_equal(clEnqueueCopyImage(queue, image, image, zero, at, all, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyImage(queue, image, image, zero, zero, all, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);

    assert_int_equal(clEnqueueCopyImageToBuffer(queue, image, buffer, zero, all, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyImageToBuffer(queue, buffer, image, zero, all, 0, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueCopyBufferToImage(queue, buffer, image, 0, zero, all, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBufferToImage(queue, image, buffer, 0, zero, all, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueCopyBufferToImage(queue, buffer, far, 0, zero, all, 0, NULL, NULL),
                     CL_INVALID_CONTEXT);

    assert_int_equal(clEnqueueFillImage(queue, image, NULL, zero, all, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillImage(queue, image, color, at, all, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillImage(queue, buffer, color, zero, all, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueFillImage(queue, far, color, zero, all, 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clEnqueueFillImage(NULL, image, color, zero, all, 0, NULL, NULL),
                     CL_INVALID_COMMAND_QUEUE);

#define MAP(q, i, flags, o, r, rp)                                                                           \
    clEnqueueMapImage(q, i, CL_TRUE, flags, o, r, rp, &slice, 0, NULL, NULL, &err)
    EXPECT_NULL(CL_INVALID_COMMAND_QUEUE, MAP(NULL, image, CL_MAP_READ, zero, all, &row));
    EXPECT_NULL(CL_INVALID_MEM_OBJECT, MAP(queue, buffer, CL_MAP_READ, zero, all, &row));
    EXPECT_NULL(CL_INVALID_CONTEXT, MAP(queue, far, CL_MAP_READ, zero, all, &row));
    EXPECT_NULL(CL_INVALID_VALUE, MAP(queue, image, CL_MAP_READ, at, all, &row));
    EXPECT_NULL(CL_INVALID_VALUE, MAP(queue, image, CL_MAP_READ, zero, all, NULL));
    EXPECT_NULL(CL_INVALID_VALUE, MAP(queue, image, 64, zero, all, &row));
    EXPECT_NULL(CL_INVALID_OPERATION, MAP(queue, hidden, CL_MAP_READ, zero, all, &row));

    cl_program program =
        build_source("kernel void turn(read_only image2d_t in, write_only image2d_t out) {}\n"
                     "kernel void sample(read_only image2d_t in, sampler_t s) {}",
                     "");
    cl_kernel kernel = clCreateKernel(program, "turn", &err);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
    OK(err);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof far, &far), CL_INVALID_CONTEXT);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &image), CL_INVALID_ARG_SIZE);
    cl_mem read_only = clCreateImage(context, CL_MEM_READ_ONLY, &rgba8, &desc, NULL, &err);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof read_only, &read_only), CL_INVALID_ARG_VALUE);
    OK(clReleaseMemObject(read_only));
    OK(clReleaseKernel(kernel));
    kernel = clCreateKernel(program, "sample", &err);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof image, &image), CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(kernel, 1, 3, &sampler), CL_INVALID_ARG_SIZE);
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clReleaseSampler(sampler));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(far));
    OK(clReleaseMemObject(hidden));
    OK(clReleaseContext(foreign));
}

/* Each kind of parameter accepts only its kind of image, whatever its name in the source; depth parameters
 * accept only depth images, and a depth image is a 2D image too. [CL 5.9.2] */
static void arguments(void **state)
{
    (void)state;
    static const char *const types[] = {
        "image1d_t", "image1d_buffer_t", "image1d_array_t", "image2d_t",
        "image3d_t", "image2d_array_t",  "image2d_depth_t", "image2d_array_depth_t",
    };
    enum { KINDS = sizeof types / sizeof *types };
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    cl_mem buffer = clCreateBuffer(context, 0, 64, NULL, &err);
    OK(err);
    const cl_image_desc of_buffer = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = buffer};
    const cl_mem images[KINDS] = {
        image_of(CL_MEM_OBJECT_IMAGE1D, rgba8, 4, 0, 0, 0),
        clCreateImage(context, 0, &rgba8, &of_buffer, NULL, &err),
        image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, rgba8, 4, 0, 0, 2),
        image_of(CL_MEM_OBJECT_IMAGE2D, rgba8, 4, 4, 0, 0),
        image_of(CL_MEM_OBJECT_IMAGE3D, rgba8, 4, 4, 4, 0),
        image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, rgba8, 4, 4, 0, 2),
        image_of(CL_MEM_OBJECT_IMAGE2D, depth, 4, 4, 0, 0),
        image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, depth, 4, 4, 0, 2),
    };
    for (int t = 0; t < KINDS; t++) {
        char text[256];
        snprintf(text, sizeof text,
                 "typedef read_only %s named;\n"
                 "kernel void plain(read_only %s m) { get_image_width(m); }\n"
                 "kernel void other(named m) { get_image_width(m); }\n",
                 types[t], types[t]);
        cl_program program = build_source(text, "-cl-std=CL3.0");
        const char *const names[] = {"plain", "other"};
        for (int n = 0; n < 2; n++) {
            cl_kernel kernel = clCreateKernel(program, names[n], &err);
            OK(err);
            for (int i = 0; i < KINDS; i++) {
                bool fits = i == t || (i == 6 && t == 3) || (i == 7 && t == 5);
                assert_int_equal(clSetKernelArg(kernel, 0, sizeof images[i], &images[i]),
                                 fits ? CL_SUCCESS : CL_INVALID_MEM_OBJECT);
            }
            OK(clReleaseKernel(kernel));
        }
        OK(clReleaseProgram(program));
    }
    for (int i = 0; i < KINDS; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(buffer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_errors),
        cmocka_unit_test(command_errors),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
