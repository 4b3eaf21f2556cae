/* Memory objects that the implementation may not modify: how they are created, what may read them, and every
 * call that would write to one [cl_ext_immutable_memory_objects]. */
#include "tests/runtime/memory/image_test.h"

#include "ref-runtime/registry.h"

enum { IMMUTABLE = CL_MEM_IMMUTABLE_EXT };

static const cl_uint words[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 16};
static const size_t sixteen[3] = {16, 1, 1}, row[3] = {64, 1, 1};

static cl_mem constant_words(void)
{
    cl_mem m = clCreateBuffer(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR, sizeof words,
                              (void *)(uintptr_t)words, &err);
    OK(err);
    return m;
}

static cl_mem constant_line(cl_mem_flags more)
{
    cl_mem m = clCreateImage(context, IMMUTABLE | more, &r32, &line, (void *)(uintptr_t)words, &err);
    OK(err);
    return m;
}

static cl_mem_flags flags_of(cl_mem m)
{
    cl_mem_flags flags = 0;
    OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    return flags;
}

/* [CL 5.2.1 R181] */
static void buffers(void **state)
{
    (void)state;
    void *host = (void *)(uintptr_t)words;
    /* [CL 5.2.1 E112] */
    EXPECT_NULL(CL_INVALID_VALUE, clCreateBuffer(context, IMMUTABLE, 64, NULL, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateBuffer(context, IMMUTABLE | CL_MEM_ALLOC_HOST_PTR, 64, NULL, &err));
    static const cl_mem_flags writable[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY};
    cl_mem m = constant_words();
    const cl_buffer_region half = {0, 32};
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++) {
        /* [CL 5.2.1 E111] */
        EXPECT_NULL(CL_INVALID_VALUE,
                    clCreateBuffer(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR | writable[i], 64, host, &err));
        /* [CL 5.3.1 E150] */
        EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, IMMUTABLE | CL_MEM_COPY_HOST_PTR | writable[i],
                                                    &r32, &line, host, &err));
        /* [CL 5.2.1 E113] */
        EXPECT_NULL(CL_INVALID_VALUE,
                    clCreateSubBuffer(m, writable[i], CL_BUFFER_CREATE_TYPE_REGION, &half, &err));
    }
    assert_true(flags_of(m) == (IMMUTABLE | CL_MEM_COPY_HOST_PTR));
    static const cl_mem_flags narrow[] = {0, CL_MEM_READ_ONLY, IMMUTABLE, CL_MEM_HOST_READ_ONLY};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        cl_mem part = clCreateSubBuffer(m, narrow[i], CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
        OK(err);
        assert_true(flags_of(part) == (IMMUTABLE | CL_MEM_COPY_HOST_PTR | narrow[i]));
        assert_int_equal(clEnqueueFillBuffer(queue, part, words, 4, 0, 4, 0, NULL, NULL),
                         CL_INVALID_OPERATION);
        OK(clReleaseMemObject(part));
    }
    assert_null(clSVMAlloc(context, IMMUTABLE, 64, 0));
    cl_uint back[16] = {0};
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    assert_memory_equal(back, words, sizeof words); /* [CL 5.2.1 R162] */
    OK(clReleaseMemObject(m));
    m = clCreateBuffer(context, IMMUTABLE | CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 64, back, &err);
    OK(err);
    OK(clReleaseMemObject(m));
}

static void images(void **state)
{
    (void)state;
    /* [CL 5.3.1 E151] */
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, IMMUTABLE, &r32, &line, NULL, &err));
    cl_mem source = constant_words();
    cl_image_desc of = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = source};
    /* [CL 5.3.1 E152] */
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_READ_ONLY, &r32, &of, NULL, &err));
    cl_mem view = clCreateImage(context, IMMUTABLE, &r32, &of, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(view));
    cl_mem plain = clCreateBuffer(context, 0, 64, NULL, &err);
    of.mem_object = plain; /* written by others, not through this view */
    view = clCreateImage(context, IMMUTABLE | CL_MEM_READ_ONLY, &r32, &of, NULL, &err);
    OK(err);
    assert_int_equal(clEnqueueFillImage(queue, view, words, zero, sixteen, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(source));
    cl_uint constant = 0, read_only = 0;
    OK(clGetSupportedImageFormats(context, IMMUTABLE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &constant));
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &read_only));
    assert_int_equal(constant, read_only);
    assert_int_equal(clGetSupportedImageFormats(context, IMMUTABLE | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D,
                                                0, NULL, &constant),
                     CL_INVALID_VALUE);
}

/* Everything that writes to a memory object. */
static void writes(void **state)
{
    (void)state;
    cl_mem buffer = constant_words(), image = constant_line(CL_MEM_COPY_HOST_PTR);
    cl_mem bytes = clCreateBuffer(context, 0, 64, NULL, &err),
           texels = clCreateImage(context, 0, &r32, &line, NULL, &err);
    size_t pitch;
    cl_uint host[16];
    const cl_int codes[] = {
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, words, 0, NULL, NULL),
        clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, row, 0, 0, 0, 0, words, 0, NULL, NULL),
        clEnqueueCopyBuffer(queue, bytes, buffer, 0, 0, 64, 0, NULL, NULL),
        clEnqueueCopyBufferRect(queue, bytes, buffer, zero, zero, row, 0, 0, 0, 0, 0, NULL, NULL),
        clEnqueueFillBuffer(queue, buffer, words, 4, 0, 64, 0, NULL, NULL),
        clEnqueueCopyImageToBuffer(queue, texels, buffer, zero, sixteen, 0, 0, NULL, NULL),
        clEnqueueWriteImage(queue, image, CL_TRUE, zero, sixteen, 0, 0, words, 0, NULL, NULL),
        clEnqueueCopyImage(queue, texels, image, zero, zero, sixteen, 0, NULL, NULL),
        clEnqueueCopyBufferToImage(queue, bytes, image, 0, zero, sixteen, 0, NULL, NULL),
        clEnqueueFillImage(queue, image, words, zero, sixteen, 0, NULL, NULL)};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        /* [CL 5.2.1 E114] */
        if (codes[i] != CL_INVALID_OPERATION)
            fail_msg("call %zu returns %d", i, codes[i]);
    static const cl_map_flags flags[] = {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION,
                                         CL_MAP_READ | CL_MAP_WRITE};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        /* [CL 5.2.1 E115] */
        EXPECT_NULL(CL_INVALID_OPERATION,
                    clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags[i], 0, 64, 0, NULL, NULL, &err));
        /* [CL 5.2.1 E115] */
        EXPECT_NULL(CL_INVALID_OPERATION, clEnqueueMapImage(queue, image, CL_TRUE, flags[i], zero, sixteen,
                                                            &pitch, NULL, 0, NULL, NULL, &err));
    }
    cl_uint *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    OK(err);
    assert_memory_equal(mapped, words, sizeof words);
    OK(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, buffer, bytes, 0, 0, 64, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, bytes, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    assert_memory_equal(host, words, sizeof words);
    const cl_mem all[] = {buffer, image, bytes, texels};
    for (size_t i = 0; i < 4; i++)
        OK(clReleaseMemObject(all[i]));
}

static void kernels(void **state)
{
    (void)state;
    cl_program program = build_source(
        "kernel void k(global const uint *a, read_only image1d_t b, global uint *sum, write_only image1d_t to) {\n"
        "    uint s = 0; for (int i = 0; i < 16; i++) s += a[i] * 100 + read_imageui(b, i).x; *sum = s;\n"
        "    write_imageui(to, 0, (uint4)(7)); }",
        NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_uint own[16], sum = 0, wanted = 0;
    memcpy(own, words, sizeof own);
    cl_mem buffer = clCreateBuffer(context, IMMUTABLE | CL_MEM_USE_HOST_PTR, sizeof own, own, &err);
    cl_mem image = constant_line(CL_MEM_COPY_HOST_PTR),
           to = clCreateImage(context, 0, &r32, &line, NULL, &err);
    cl_mem out = clCreateBuffer(context, 0, 4, NULL, &err);
    for (int i = 0; i < 16; i++)
        wanted += words[i] * 101;
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, sizeof image, &image));
    OK(clSetKernelArg(kernel, 2, sizeof out, &out));
    assert_int_equal(clSetKernelArg(kernel, 3, sizeof image, &image), CL_INVALID_ARG_VALUE);
    OK(clSetKernelArg(kernel, 3, sizeof to, &to));
    const size_t one = 1;
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    assert_int_equal(sum, wanted); /* [CL 5.3.1 R163] */
    const cl_mem all[] = {buffer, image, to, out};
    for (size_t i = 0; i < 4; i++)
        OK(clReleaseMemObject(all[i]));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers), cmocka_unit_test(images),
                                       cmocka_unit_test(writes), cmocka_unit_test(kernels)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
