/* Kernels that read, sample and write levels of mipmapped images, against the specification's formulas
 * computed here in double [cl_khr_mipmap_image, cl_khr_mipmap_image_writes] [CLC 6.15.15, 8.2]; for levels of
 * detail, which it leaves to OpenGL, section 8.14 of OpenGL 4.6. */
#include "tests/runtime/memory/mipmap_test.h"

#include <math.h>
#include <stdbool.h>

static const char source[] =
    "#if !defined(cl_khr_mipmap_image) || !defined(cl_khr_mipmap_image_writes)\n#error\n#endif\n"
    "#define SAMPLE(name, type, coord, grad, swizzle, gswizzle) \\\n"
    "kernel void lod_##name(read_only type m, sampler_t s, global const float4 *at, global float *o) { \\\n"
    "  size_t i = get_global_id(0); \\\n"
    "  o[i] = read_imagef(m, s, at[4 * i].swizzle, at[4 * i + 1].x).x; } \\\n"
    "kernel void grad_##name(read_only type m, sampler_t s, global const float4 *at, global float *o) { \\\n"
    "  size_t i = get_global_id(0); \\\n"
    "  o[i] = read_imagef(m, s, at[4 * i].swizzle, at[4 * i + 2].gswizzle, at[4 * i + 3].gswizzle).x; } \\\n"
    "kernel void plain_##name(read_only type m, sampler_t s, global const float4 *at, global float *o) { \\\n"
    "  size_t i = get_global_id(0); \\\n"
    "  o[i] = read_imagef(m, s, at[4 * i].swizzle).x; } \\\n"
    "kernel void literal_##name(read_only type m, sampler_t unused, global const float4 *at, global float *o) { \\\n"
    "  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR; \\\n"
    "  size_t i = get_global_id(0); \\\n"
    "  o[i] = read_imagef(m, s, at[4 * i].swizzle, at[4 * i + 1].x).x; }\n"
    "SAMPLE(0, image1d_t, float, float, x, x)\n"
    "SAMPLE(1, image1d_array_t, float2, float, xy, x)\n"
    "SAMPLE(2, image2d_t, float2, float2, xy, xy)\n"
    "SAMPLE(3, image2d_array_t, float4, float2, xyzw, xy)\n"
    "SAMPLE(4, image3d_t, float4, float4, xyzw, xyzw)\n"
    "#define WRITE(name, type, place) \\\n"
    "kernel void write_##name(write_only type m, int lod, int2 size) { \\\n"
    "  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "  write_imageui(m, place, lod, (uint4)(lod * 10000 + (z * size.y + y) * size.x + x)); }\n"
    "WRITE(0, image1d_t, x)\n"
    "WRITE(1, image1d_array_t, ((int2)(x, y)))\n"
    "WRITE(2, image2d_t, ((int2)(x, y)))\n"
    "WRITE(3, image2d_array_t, ((int4)(x, y, z, 0)))\n"
    "WRITE(4, image3d_t, ((int4)(x, y, z, 0)))\n"
    "kernel void ask(read_only image2d_t a, write_only image2d_t w, read_only image3d_t c, read_only image1d_array_t d,\n"
    "                global int *o) {\n"
    "  o[0] = get_image_num_mip_levels(a); o[1] = get_image_num_mip_levels(w); o[2] = get_image_num_mip_levels(c);\n"
    "  o[3] = get_image_num_mip_levels(d); o[4] = get_image_width(a); o[5] = get_image_height(a);\n"
    "}\n"
    "kernel void integers(read_only image2d_t m, sampler_t s, global uint *o) {\n"
    "  o[get_global_id(0)] = read_imageui(m, s, (float2)(0.3f, 0.6f), (float)get_global_id(0) * 0.25f).x;\n"
    "}\n"
    "kernel void level0(write_only image2d_t m) { write_imageui(m, (int2)(2, 1), (uint4)(42)); }\n";

enum { MOST = 512, QUERIES = 64 };
static cl_program program;
static float contents[4][MOST];

static int build(void **state)
{
    if (open_device(state))
        return -1;
    program = build_source(source, "-cl-std=CL3.0");
    return program ? 0 : -1;
}

static int end(void **state)
{
    return clReleaseProgram(program) || close_device(state);
}

static cl_kernel kernel_of(const char *name, int k)
{
    char full[32];
    snprintf(full, sizeof full, "%s_%d", name, k);
    cl_kernel kernel = clCreateKernel(program, full, &err);
    OK(err);
    return kernel;
}

/* ---- the reference ---------------------------------------------------------------------------- */

struct setting {
    bool linear, mip_linear, repeat;
    float lod_min, lod_max;
};

static int dimensions(const struct mip_case *c)
{
    return c->depth ? 3 : c->height ? 2 : 1;
}

static double texel_at(const struct mip_case *c, cl_uint level, const long at[3], long layer)
{
    size_t region[3];
    mip_region(c, level, region);
    long y = dimensions(c) > 1 ? at[1] : layer, z = dimensions(c) > 2 ? at[2] : dimensions(c) > 1 ? layer : 0;
    return (double)contents[level][((size_t)z * region[1] + (size_t)y) * region[0] + (size_t)at[0]];
}

static long wrap(const struct setting *s, long i, long n)
{
    return s->repeat ? (i % n + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* [CLC 8.2] with normalized coordinates. */
static double sample_level(const struct mip_case *c, const struct setting *s, cl_uint level, const float *at)
{
    const size_t sizes[3] = {c->width, c->height, c->depth};
    int axes = dimensions(c);
    double sum = 0, u[3];
    long n[3], layer = c->layers ? lrint((double)at[axes]) : 0;
    layer = layer < 0 ? 0 : layer >= (long)c->layers ? (long)c->layers - 1 : layer;
    for (int a = 0; a < axes; a++) {
        n[a] = (long)mip_half(sizes[a], level);
        u[a] = (double)at[a];
        u[a] = (s->repeat ? u[a] - floor(u[a]) : u[a]) * (double)n[a] - (s->linear ? 0.5 : 0);
    }
    for (int corner = 0; corner < (s->linear ? 1 << axes : 1); corner++) {
        double weight = 1;
        long place[3] = {0, 0, 0};
        for (int a = 0; a < axes; a++) {
            int second = corner >> a & 1;
            double fraction = u[a] - floor(u[a]);
            place[a] = wrap(s, (long)floor(u[a]) + second, n[a]);
            weight *= !s->linear ? 1 : second ? fraction : 1 - fraction;
        }
        sum += weight * texel_at(c, level, place, c->layers ? layer : 0);
    }
    return sum;
}

static double sample_lambda(const struct mip_case *c, const struct setting *s, double lambda, const float *at)
{
    double last = c->levels - 1;
    lambda = lambda > (double)s->lod_max ? (double)s->lod_max : lambda;
    lambda = lambda > last ? last : lambda < 0 ? 0 : lambda;
    if (!s->mip_linear)
        return sample_level(c, s, lambda <= 0.5 ? 0 : (cl_uint)ceil(lambda + 0.5) - 1, at);
    cl_uint low = (cl_uint)floor(lambda), high = low + 1 < c->levels ? low + 1 : low;
    double f = lambda - floor(lambda);
    return (1 - f) * sample_level(c, s, low, at) + f * sample_level(c, s, high, at);
}

static double lambda_of(const struct mip_case *c, const struct setting *s, const float *dx, const float *dy)
{
    const size_t sizes[3] = {c->width, c->height, c->depth};
    double x = 0, y = 0;
    for (int a = 0; a < dimensions(c); a++) {
        x += pow((double)dx[a] * (double)sizes[a], 2);
        y += pow((double)dy[a] * (double)sizes[a], 2);
    }
    double lambda = log2(sqrt(x > y ? x : y));
    return lambda < (double)s->lod_min ? (double)s->lod_min : lambda;
}

/* ---- sampling --------------------------------------------------------------------------------- */

static cl_sampler sampler_of(const struct setting *s)
{
    uint32_t least, most;
    memcpy(&least, &s->lod_min, 4);
    memcpy(&most, &s->lod_max, 4);
    const cl_sampler_properties p[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                       CL_TRUE,
                                       CL_SAMPLER_ADDRESSING_MODE,
                                       s->repeat ? CL_ADDRESS_REPEAT : CL_ADDRESS_CLAMP_TO_EDGE,
                                       CL_SAMPLER_FILTER_MODE,
                                       s->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                       CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                       s->mip_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                       CL_SAMPLER_LOD_MIN_KHR,
                                       least,
                                       CL_SAMPLER_LOD_MAX_KHR,
                                       most,
                                       0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, p, &err);
    OK(err);
    return sampler;
}

static float random_float(float low, float high)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

static cl_mem filled(const struct mip_case *c)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    cl_mem image = mip_image(c, format);
    for (cl_uint l = 0; l < c->levels; l++) {
        size_t origin[4], region[3];
        mip_origin(c, l, origin);
        mip_region(c, l, region);
        for (size_t i = 0; i < mip_texels(c, l); i++)
            contents[l][i] = random_float(0, 8) + 10 * (float)l;
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, contents[l], 0, NULL, NULL));
    }
    return image;
}

/* Coordinates, a level of detail, and two gradients; none of them close to a change of the nearest texel or
 * level. */
static void make_queries(const struct mip_case *c, const struct setting *s, float at[QUERIES][4][4])
{
    for (int i = 0; i < QUERIES; i++) {
        for (int a = 0; a < 4; a++) {
            /* n / 840 + 1 / 2000 is no border between texels of levels with 1 to 8 texels, nor with 12 or
             * 13 */
            at[i][0][a] = floorf(random_float(-420, 1260)) / 840 + 0.0005f;
            at[i][2][a] = random_float(-0.6f, 0.6f);
            at[i][3][a] = random_float(-0.6f, 0.6f);
        }
        if (c->layers)
            at[i][0][dimensions(c)] = floorf(random_float(-1, (float)c->layers + 1)) + 0.2f;
        at[i][1][0] = floorf(random_float(-20, 100)) / 20 + 0.01f;
        double lambda = lambda_of(c, s, at[i][2], at[i][3]);
        if (fabs(lambda + 0.5 - round(lambda + 0.5)) < 0.001)
            at[i][2][0] *= 1.1f;
    }
    at[0][1][0] = INFINITY;
    at[1][1][0] = -INFINITY;
    at[2][1][0] = 0;
    at[3][1][0] = 0.5f; /* halfway: the larger level */
    at[4][1][0] = 1.5f;
    memset(at[5][2], 0, sizeof at[5][2]); /* no gradient: level 0, or what LOD_MIN says */
    memset(at[5][3], 0, sizeof at[5][3]);
}

static void run(const char *name, int k, cl_mem image, cl_sampler sampler, float at[QUERIES][4][4],
                float *out)
{
    const size_t global = QUERIES;
    cl_kernel kernel = kernel_of(name, k);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(float[QUERIES][4][4]), at, &err);
    OK(err);
    cl_mem result = clCreateBuffer(context, 0, sizeof(float[QUERIES]), NULL, &err);
    OK(err);
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof in, &in));
    OK(clSetKernelArg(kernel, 3, sizeof result, &result));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof(float[QUERIES]), out, 0, NULL, NULL));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(result));
    OK(clReleaseKernel(kernel));
}

static void expect_near(float is, double wanted, const char *what, int k, int i)
{
    if (fabs((double)is - wanted) > 1e-3)
        fail_msg("%s of case %d, query %d: %g, wanted %g", what, k, i, (double)is, wanted);
}

static void check_setting(int k, cl_mem image, const struct setting *s)
{
    const struct mip_case *c = &mip_cases[k];
    const struct setting literal = {true, false, false, 0, 1e9f};
    float at[QUERIES][4][4], out[QUERIES];
    cl_sampler sampler = sampler_of(s);
    make_queries(c, s, at);
    run("lod", k, image, sampler, at, out);
    for (int i = 0; i < QUERIES; i++)
        expect_near(out[i], sample_lambda(c, s, (double)at[i][1][0], at[i][0]), "level of detail", k, i);
    /* [CL 5.7.1 R132] */
    run("grad", k, image, sampler, at, out);
    for (int i = 0; i < QUERIES; i++)
        expect_near(out[i], sample_lambda(c, s, lambda_of(c, s, at[i][2], at[i][3]), at[i][0]), "gradients",
                    k, i);
    run("plain", k, image, sampler, at, out);
    for (int i = 0; i < QUERIES; i++)
        expect_near(out[i], sample_level(c, s, 0, at[i][0]), "no level", k, i);
    /* [CL 5.7.1 R133] */
    run("literal", k, image, sampler, at, out);
    for (int i = 0; i < QUERIES; i++)
        expect_near(out[i], sample_lambda(c, &literal, (double)at[i][1][0], at[i][0]), "literal sampler", k,
                    i);
    OK(clReleaseSampler(sampler));
}

static void sampled(void **state)
{
    (void)state;
    const struct setting settings[] = {
        {false, false, false, 0, 1e9f}, {false, true, true, 0, 1e9f},   {true, false, true, 0, 1e9f},
        {true, true, false, 0, 1e9f},   {true, true, true, 0.7f, 1.6f}, {false, false, false, 1, 2},
        {true, true, false, 0, -3},
    };
    for (int k = 0; k < MIP_CASES; k++) {
        cl_mem image = filled(&mip_cases[k]);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
            check_setting(k, image, &settings[i]);
        OK(clReleaseMemObject(image));
    }
}

/* ---- writes and queries ----------------------------------------------------------------------- */

static void written(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_kernel kernel = kernel_of("write", k);
        cl_mem image = mip_image(c, r32);
        size_t origin[4], region[3];
        OK(clSetKernelArg(kernel, 0, sizeof image, &image));
        for (cl_uint l = 0; l < c->levels; l++) {
            mip_region(c, l, region);
            const cl_int lod = (cl_int)l, size[2] = {(cl_int)region[0], (cl_int)region[1]};
            OK(clSetKernelArg(kernel, 1, sizeof lod, &lod));
            OK(clSetKernelArg(kernel, 2, sizeof size, size));
            OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, region, NULL, 0, NULL, NULL));
        }
        for (cl_uint l = 0; l < c->levels; l++) {
            uint32_t data[MOST];
            mip_origin(c, l, origin);
            mip_region(c, l, region);
            OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
            for (size_t i = 0; i < mip_texels(c, l); i++)
                assert_int_equal(data[i], l * 10000 + i);
        }
        OK(clReleaseKernel(kernel));
        OK(clReleaseMemObject(image));
    }
}

static void asked(void **state)
{
    (void)state;
    cl_kernel kernel = clCreateKernel(program, "ask", &err);
    OK(err);
    cl_mem images[4] = {mip_image(&mip_cases[2], r32), image_of(CL_MEM_OBJECT_IMAGE2D, r32, 4, 4, 0, 0),
                        mip_image(&mip_cases[4], r32), mip_image(&mip_cases[1], r32)};
    cl_mem out = clCreateBuffer(context, 0, 24, NULL, &err);
    cl_int is[6];
    const size_t one = 1;
    OK(err);
    for (cl_uint i = 0; i < 4; i++)
        OK(clSetKernelArg(kernel, i, sizeof(cl_mem), &images[i]));
    OK(clSetKernelArg(kernel, 4, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof is, is, 0, NULL, NULL));
    const cl_int wanted[6] = {4, 1, 4, 3, 12, 5};
    assert_memory_equal(is, wanted, sizeof is);
    for (int i = 0; i < 4; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(kernel));
}

/* Integer formats are not filtered, nor are their levels; writes that name no level write level 0. */
static void integers(void **state)
{
    (void)state;
    const struct mip_case *c = &mip_cases[2];
    const struct setting s = {false, true, false, 0, 1e9f};
    cl_kernel kernel = clCreateKernel(program, "integers", &err);
    OK(err);
    cl_mem image = mip_image(c, r32), out = clCreateBuffer(context, 0, 64, NULL, &err);
    cl_sampler sampler = sampler_of(&s);
    size_t origin[4], region[3];
    for (cl_uint l = 0; l < c->levels; l++) {
        const uint32_t color[4] = {100 + l};
        mip_origin(c, l, origin);
        mip_region(c, l, region);
        OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
    }
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    OK(clSetKernelArg(kernel, 2, sizeof out, &out));
    const size_t global = 16, one = 1, single[3] = {1, 1, 1};
    uint32_t is[16];
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof is, is, 0, NULL, NULL));
    const uint32_t wanted[16] = {100, 100, 100, 101, 101, 101, 101, 102,
                                 102, 102, 102, 103, 103, 103, 103, 103};
    assert_memory_equal(is, wanted, sizeof is);
    OK(clReleaseKernel(kernel));
    kernel = clCreateKernel(program, "level0", &err);
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    for (size_t l = 0; l < 2; l++) {
        const size_t at[3] = {2, 1, l};
        OK(clEnqueueReadImage(queue, image, CL_TRUE, at, single, 0, 0, is, 0, NULL, NULL));
        assert_int_equal(is[0], l ? 101 : 42);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseSampler(sampler));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled),
        cmocka_unit_test(written),
        cmocka_unit_test(asked),
        cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, build, end);
}
