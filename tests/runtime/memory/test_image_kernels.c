/* Images and samplers in kernels, samplers by themselves [CL 5.3, 5.7]. */
#include "tests/runtime/memory/image_test.h"

#include <math.h>

static const char source[] =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "__kernel void turn(read_only image2d_t in, write_only image2d_t out) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(out, (int2)(p.y, p.x), read_imageui(in, nearest, p) + (uint4)(1, 2, 3, 4));\n"
    "}\n"
    "__kernel void sample(read_only image2d_t in, sampler_t s, __global float4 *out, float2 at) {\n"
    "  out[0] = read_imagef(in, s, at);\n"
    "  out[1] = (float4)(get_image_width(in), get_image_height(in), get_image_channel_order(in), 0);\n"
    "}\n"
    "__kernel void layers(read_only image2d_array_t in, write_only image1d_array_t out) {\n"
    "  int i = get_global_id(0);\n"
    "  uint4 v = read_imageui(in, nearest, (int4)(i, 1, 2, 0));\n"
    "  write_imageui(out, (int2)(i, 3), v * 2);\n"
    "}\n";
static const char source30[] =
    "__kernel void both(read_write image2d_t m) {\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imageui(m, p, read_imageui(m, p) * 3);\n"
    "}\n"
    "__kernel void deep(write_only image3d_t m, read_only image2d_depth_t d) {\n"
    "  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "  write_imagef(m, p, (float4)(p.x, p.y, p.z, read_imagef(d, (int2)(p.x, p.y))));\n"
    "}\n"
    "#ifndef cl_khr_srgb_image_writes\n#error\n#endif\n"
    "__kernel void colors(write_only image2d_t m) {\n"
    "  int x = get_global_id(0);\n"
    "  write_imagef(m, (int2)(x, 0), (float4)(x, 255 - x, x * 2, x) / 255);\n"
    "}\n"
    "__kernel void back(read_only image2d_t m, global float4 *to) {\n"
    "  int x = get_global_id(0);\n"
    "  to[x] = read_imagef(m, (int2)(x, 0));\n"
    "}\n";

static void kernels(void **state)
{
    (void)state;
    cl_program program = build_source(source, "");
    cl_kernel turn = clCreateKernel(program, "turn", &err);
    OK(err);
    cl_mem in = image_of(CL_MEM_OBJECT_IMAGE2D, rgba8, 5, 3, 0, 0);
    cl_mem out = image_of(CL_MEM_OBJECT_IMAGE2D, rgba8, 3, 5, 0, 0);
    unsigned char bytes[3][5][4], turned[5][3][4];
    for (int i = 0; i < 60; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)(i * 4);
    const size_t all[3] = {5, 3, 1}, across[3] = {3, 5, 1}, global[2] = {5, 3};
    OK(clEnqueueWriteImage(queue, in, CL_FALSE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    OK(clSetKernelArg(turn, 0, sizeof in, &in));
    OK(clSetKernelArg(turn, 1, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, turn, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, out, CL_TRUE, zero, across, 0, 0, turned, 0, NULL, NULL));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 5; x++)
            for (int c = 0; c < 4; c++) {
                int sum = bytes[y][x][c] + c + 1;
                assert_int_equal(turned[x][y][c], sum > 255 ? 255 : sum);
            }
    OK(clReleaseKernel(turn));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));

    cl_kernel layers = clCreateKernel(program, "layers", &err);
    OK(err);
    in = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, r32, 4, 2, 0, 3);
    out = image_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, r32, 4, 0, 0, 5);
    uint32_t words[3 * 2 * 4], row[4];
    for (uint32_t i = 0; i < 24; i++)
        words[i] = i * 1000;
    const size_t volume[3] = {4, 2, 3}, fourth[3] = {0, 3, 0}, line[3] = {4, 1, 1};
    OK(clEnqueueWriteImage(queue, in, CL_FALSE, zero, volume, 0, 0, words, 0, NULL, NULL));
    OK(clSetKernelArg(layers, 0, sizeof in, &in));
    OK(clSetKernelArg(layers, 1, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, layers, 1, NULL, line, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, out, CL_TRUE, fourth, line, 0, 0, row, 0, NULL, NULL));
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(row[i], (2 * 8 + 4 + i) * 2000);
    OK(clReleaseKernel(layers));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
}

static void samplers_in_kernels(void **state)
{
    (void)state;
    cl_program program = build_source(source, "");
    cl_kernel sample = clCreateKernel(program, "sample", &err);
    OK(err);
    const cl_image_format format = {CL_R, CL_FLOAT};
    cl_mem in = image_of(CL_MEM_OBJECT_IMAGE2D, format, 2, 2, 0, 0);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 32, NULL, &err);
    OK(err);
    const float texels[4] = {0, 10, 20, 30};
    const size_t all[3] = {2, 2, 1}, one = 1;
    OK(clEnqueueWriteImage(queue, in, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL));
    OK(clSetKernelArg(sample, 0, sizeof in, &in));
    OK(clSetKernelArg(sample, 2, sizeof out, &out));
    const struct {
        cl_bool normalized;
        cl_addressing_mode addressing;
        cl_filter_mode filter;
        float at[2], wanted;
    } cases[] = {
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, {1, 1}, 15},
        {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, {5, 0}, 0},
        {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, {5, 0}, 10},
        {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, {1.25f, 0.75f}, 20},
        {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, {1.25f, 0.75f}, 30},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_sampler sampler =
            clCreateSampler(context, cases[i].normalized, cases[i].addressing, cases[i].filter, &err);
        OK(err);
        OK(clSetKernelArg(sample, 1, sizeof sampler, &sampler));
        OK(clSetKernelArg(sample, 3, 8, cases[i].at));
        OK(clEnqueueNDRangeKernel(queue, sample, 1, NULL, &one, NULL, 0, NULL, NULL));
        float got[8];
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        assert_true(got[0] == cases[i].wanted); /* [CL 5.7.1 R2] */
        assert_true(got[4] == 2 && got[5] == 2 && got[6] == CL_R);
        OK(clReleaseSampler(sampler));
    }
    OK(clReleaseKernel(sample));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseProgram(program));
}

static void read_write_and_3d(void **state)
{
    (void)state;
    cl_program program = build_source(source30, "-cl-std=CL3.0");
    cl_kernel both = clCreateKernel(program, "both", &err);
    OK(err);
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, r32, 4, 4, 0, 0);
    uint32_t words[16], out[16];
    for (uint32_t i = 0; i < 16; i++)
        words[i] = i + 1;
    const size_t all[3] = {4, 4, 1};
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, words, 0, NULL, NULL));
    OK(clSetKernelArg(both, 0, sizeof image, &image));
    OK(clEnqueueNDRangeKernel(queue, both, 2, NULL, all, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out[i], 3 * (i + 1));
    OK(clReleaseMemObject(image));
    OK(clReleaseKernel(both));

    cl_kernel deep = clCreateKernel(program, "deep", &err);
    OK(err);
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT}, rgba = {CL_RGBA, CL_FLOAT};
    cl_mem d = image_of(CL_MEM_OBJECT_IMAGE2D, depth, 3, 2, 0, 0);
    cl_mem m = image_of(CL_MEM_OBJECT_IMAGE3D, rgba, 3, 2, 2, 0);
    const float far = 0.25f;
    const size_t plane[3] = {3, 2, 1}, volume[3] = {3, 2, 2};
    OK(clEnqueueFillImage(queue, d, &far, zero, plane, 0, NULL, NULL));
    OK(clSetKernelArg(deep, 0, sizeof m, &m));
    OK(clSetKernelArg(deep, 1, sizeof d, &d));
    OK(clEnqueueNDRangeKernel(queue, deep, 3, NULL, volume, NULL, 0, NULL, NULL));
    float got[2][2][3][4];
    OK(clEnqueueReadImage(queue, m, CL_TRUE, zero, volume, 0, 0, got, 0, NULL, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++)
                assert_true(got[z][y][x][0] == (float)x && got[z][y][x][1] == (float)y &&
                            got[z][y][x][2] == (float)z && got[z][y][x][3] == far);
    OK(clReleaseMemObject(d));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(deep));
    OK(clReleaseProgram(program));
}

static void samplers(void **state)
{
    (void)state;
    const cl_sampler_properties properties[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT,
                                                CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, properties, &err);
    OK(err);
    cl_uint value = 0;
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof value, &value, NULL));
    assert_int_equal(value, CL_TRUE);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof value, &value, NULL));
    assert_int_equal(value, CL_ADDRESS_REPEAT);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof value, &value, NULL));
    assert_int_equal(value, CL_FILTER_LINEAR);
    cl_sampler_properties told[8];
    size_t size = 0;
    /* [CL 5.7.2 R111] */
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof told, told, &size));
    assert_int_equal(size, sizeof properties);
    assert_memory_equal(told, properties, size);
    OK(clRetainSampler(sampler));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof value, &value, NULL));
    assert_int_equal(value, 2);
    OK(clReleaseSampler(sampler));
    OK(clReleaseSampler(sampler));
    assert_int_equal(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    assert_int_equal(clRetainSampler(NULL), CL_INVALID_SAMPLER);
    assert_int_equal(clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, 0, NULL, NULL), CL_INVALID_SAMPLER);
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateSamplerWithProperties(NULL, NULL, &err));
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR, 0};
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &err));
    EXPECT_NULL(CL_INVALID_VALUE,
                clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, 1, CL_FILTER_LINEAR, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, 7, &err));
    EXPECT_NULL(CL_INVALID_CONTEXT, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, &err));
}

static double to_srgb(double linear)
{
    linear = linear > 1 ? 1 : linear;
    return linear < 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static double from_srgb(double stored)
{
    return stored <= 0.04045 ? stored / 12.92 : pow((stored + 0.055) / 1.055, 2.4);
}

/* Kernels write linear values, which are stored as sRGB except alpha, and read back
 * (cl_khr_srgb_image_writes). */
static void srgb_writes(void **state)
{
    (void)state;
    const cl_channel_order orders[] = {CL_sRGBA, CL_sBGRA};
    const size_t row[3] = {256, 1, 1};
    cl_program program = build_source(source30, "-cl-std=CL3.0");
    cl_kernel colors = clCreateKernel(program, "colors", &err), back = clCreateKernel(program, "back", &err);
    cl_mem linear = clCreateBuffer(context, 0, 256 * sizeof(cl_float4), NULL, &err);
    OK(err);
    for (int o = 0; o < 2; o++) {
        const cl_image_format format = {orders[o], CL_UNORM_INT8};
        unsigned char stored[256][4];
        float read[256][4];
        cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, format, 256, 1, 0, 0);
        OK(clSetKernelArg(colors, 0, sizeof image, &image));
        OK(clSetKernelArg(back, 0, sizeof image, &image));
        OK(clSetKernelArg(back, 1, sizeof linear, &linear));
        OK(clEnqueueNDRangeKernel(queue, colors, 1, NULL, row, NULL, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, back, 1, NULL, row, NULL, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, row, 0, 0, stored, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, linear, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
        for (int x = 0; x < 256; x++) {
            const int wrote[3] = {x, 255 - x, x * 2}, place[3] = {o ? 2 : 0, 1, o ? 0 : 2};
            for (int c = 0; c < 3; c++) {
                unsigned char value = stored[x][place[c]];
                assert_true(fabs(value - 255 * to_srgb(wrote[c] / 255.0)) <= 0.6);
                assert_true(fabs((double)read[x][c] - from_srgb(value / 255.0)) <= 1e-6);
            }
            assert_int_equal(stored[x][3], x);
        }
        OK(clReleaseMemObject(image));
    }
    OK(clReleaseMemObject(linear));
    OK(clReleaseKernel(colors));
    OK(clReleaseKernel(back));
    OK(clReleaseProgram(program));
}

/* Writable formats are listed; none can be both read and written by one kernel. */
static void srgb_formats(void **state)
{
    (void)state;
    const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                  CL_MEM_KERNEL_READ_AND_WRITE};
    for (int f = 0; f < 4; f++) {
        cl_image_format formats[256];
        cl_uint count = 0, found = 0;
        OK(clGetSupportedImageFormats(context, flags[f], CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
        for (cl_uint i = 0; i < count; i++)
            found += formats[i].image_channel_order == CL_sRGBA;
        assert_int_equal(found, f < 3);
    }
}

/* As many images and samplers as the device permits, and one more. [CL 5.10 R12] [CL 5.10 R13]
 * [CL 5.10 R14] */
static void argument_limits(void **state)
{
    (void)state;
    static const struct {
        cl_device_info limit;
        const char *type;
    } kinds[] = {{CL_DEVICE_MAX_READ_IMAGE_ARGS, "read_only image2d_t"},
                 {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, "write_only image2d_t"},
                 {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, "read_write image2d_t"},
                 {CL_DEVICE_MAX_SAMPLERS, "sampler_t"}};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    const size_t one = 1;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    OK(err);
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &err);
    OK(err);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        cl_uint most = 0;
        bool is_image = kinds[k].limit != CL_DEVICE_MAX_SAMPLERS;
        OK(clGetDeviceInfo(device, kinds[k].limit, sizeof most, &most, NULL));
        assert_true(most > 0 && most < 1000);
        for (cl_uint count = most; count <= most + 1; count++) {
            char *text = malloc(40 * (count + 1)), *end = text + sprintf(text, "kernel void k(");
            for (cl_uint i = 0; i < count; i++)
                end += sprintf(end, "%s%s a%u", i ? ", " : "", kinds[k].type, i);
            strcpy(end, ") {}");
            cl_program program = build_source(text, "-cl-std=CL3.0");
            free(text);
            cl_kernel kernel = clCreateKernel(program, "k", &err);
            OK(err);
            for (cl_uint i = 0; i < count; i++)
                OK(is_image ? clSetKernelArg(kernel, i, sizeof image, &image)
                            : clSetKernelArg(kernel, i, sizeof sampler, &sampler));
            assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                             count > most ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
            OK(clFinish(queue));
            OK(clReleaseKernel(kernel));
            OK(clReleaseProgram(program));
        }
    }
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(image));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),           cmocka_unit_test(samplers_in_kernels),
        cmocka_unit_test(read_write_and_3d), cmocka_unit_test(samplers),
        cmocka_unit_test(srgb_writes),       cmocka_unit_test(srgb_formats),
        cmocka_unit_test(argument_limits),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
