/* Mipmapped images: creation, queries, and commands that read, write, copy, fill and map their levels;
 * samplers [cl_khr_mipmap_image] [CL 5.3]. */
#include "tests/runtime/memory/mipmap_test.h"

#include <float.h>
#include <math.h>

enum { MOST = 512 };

/* Texel I of a level, different from all others of the image. */
static uint32_t texel(cl_uint level, size_t i)
{
    return (level + 1) << 16 | (uint32_t)i;
}

static void write_all(cl_mem image, const struct mip_case *c)
{
    for (cl_uint l = 0; l < c->levels; l++) {
        uint32_t data[MOST];
        size_t origin[4], region[3];
        for (size_t i = 0; i < mip_texels(c, l); i++)
            data[i] = texel(l, i);
        mip_origin(c, l, origin);
        mip_region(c, l, region);
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
    }
}

static void read_level(cl_mem image, const struct mip_case *c, cl_uint level, uint32_t *data)
{
    size_t origin[4], region[3];
    mip_origin(c, level, origin);
    mip_region(c, level, region);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
}

/* Levels other than CHANGED have their texels. */
static void expect_others(cl_mem image, const struct mip_case *c, cl_uint changed)
{
    for (cl_uint l = 0; l < c->levels; l++) {
        uint32_t data[MOST];
        read_level(image, c, l, data);
        for (size_t i = 0; l != changed && i < mip_texels(c, l); i++)
            assert_int_equal(data[i], texel(l, i));
    }
}

static void created(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_mem image = mip_image(c, r32);
        cl_uint levels = 77;
        size_t bytes = 0, size = 0, width = 0;
        for (cl_uint l = 0; l < c->levels; l++)
            bytes += 4 * mip_texels(c, l);
        OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
        OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
        OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof size, &size, NULL));
        assert_int_equal(levels, c->levels);
        assert_int_equal(width, c->width);
        assert_int_equal(size, bytes);
        OK(clReleaseMemObject(image));
    }
    /* A single level is no mipmapped image: the host's memory may be given. */
    cl_image_desc one = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2, .num_mip_levels = 1};
    uint32_t data[4] = {1, 2, 3, 4};
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &r32, &one, data, &err);
    OK(err);
    OK(clReleaseMemObject(image));
}

static void creation_errors(void **state)
{
    (void)state;
    uint32_t data[MOST] = {0};
    const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc desc = mip_desc(&mip_cases[2]);
    cl_image_desc d = desc;
    /* [CL 5.3.1 R131] */
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &r32, &d, data, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_USE_HOST_PTR, &r32, &d, data, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateImage(context, 0, &r32, &d, data, &err));
    /* [CL 5.3.1 R132] */
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &depth, &d, NULL, &err));
    d.num_samples = 2;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &err);
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                        .image_width = 16,
                        .num_mip_levels = 2,
                        .mem_object = buffer};
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    /* More levels than halving yields; levels in memory that the application describes. */
    d = desc;
    d.num_mip_levels = 5;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    d.num_mip_levels = UINT32_MAX;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    d = desc;
    d.mem_object = buffer;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    d = desc;
    d.image_row_pitch = 64;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &d, NULL, &err));
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImageWithProperties(context, NULL, 0, &r32, &d, NULL, &err));
    OK(clReleaseMemObject(buffer));
}

static void written_and_read(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_mem image = mip_image(c, r32);
        write_all(image, c);
        expect_others(image, c, UINT32_MAX);
        /* A part of level 1: its second texel. */
        size_t origin[4], region[3] = {1, 1, 1};
        uint32_t one = 7, data[MOST];
        mip_origin(c, 1, origin);
        origin[0] = 1;
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, &one, 0, NULL, NULL));
        read_level(image, c, 1, data);
        for (size_t i = 0; i < mip_texels(c, 1); i++)
            assert_int_equal(data[i], i == 1 ? 7 : texel(1, i));
        expect_others(image, c, 1);
        OK(clReleaseMemObject(image));
    }
}

static void copied(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_mem from = mip_image(c, r32), to = mip_image(c, r32);
        cl_mem buffer = clCreateBuffer(context, 0, 4 * MOST, NULL, &err);
        OK(err);
        write_all(from, c);
        write_all(to, c);
        /* Level 2, as a whole, into level 1. */
        size_t source[4], target[4], region[3];
        uint32_t data[MOST], words[MOST];
        mip_origin(c, 2, source);
        mip_origin(c, 1, target);
        mip_region(c, 2, region);
        OK(clEnqueueCopyImage(queue, from, to, source, target, region, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, to, CL_TRUE, target, region, 0, 0, data, 0, NULL, NULL));
        for (size_t i = 0; i < mip_texels(c, 2); i++)
            assert_int_equal(data[i], texel(2, i));
        expect_others(to, c, 1);
        /* Levels of one image do not overlap; one level overlaps itself. */
        OK(clEnqueueCopyImage(queue, from, from, source, target, region, 0, NULL, NULL));
        assert_int_equal(clEnqueueCopyImage(queue, from, from, source, source, region, 0, NULL, NULL),
                         CL_MEM_COPY_OVERLAP);
        /* Through a buffer. */
        write_all(to, c);
        OK(clEnqueueCopyImageToBuffer(queue, to, buffer, target, region, 8, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 8, 4 * mip_texels(c, 2), words, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, to, CL_TRUE, target, region, 0, 0, data, 0, NULL, NULL));
        assert_memory_equal(words, data, 4 * mip_texels(c, 2));
        OK(clEnqueueCopyBufferToImage(queue, buffer, to, 8, source, region, 0, NULL, NULL));
        read_level(to, c, 2, data);
        assert_memory_equal(words, data, 4 * mip_texels(c, 2));
        expect_others(to, c, 2);
        OK(clReleaseMemObject(from));
        OK(clReleaseMemObject(to));
        OK(clReleaseMemObject(buffer));
    }
}

static void filled_and_mapped(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_mem image = mip_image(c, r32);
        size_t origin[4], first[4], region[3], whole[3], row = 0, slice = 0;
        const uint32_t color[4] = {99};
        uint32_t data[MOST];
        write_all(image, c);
        mip_origin(c, 1, origin);
        mip_region(c, 1, region);
        OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
        read_level(image, c, 1, data);
        for (size_t i = 0; i < mip_texels(c, 1); i++)
            assert_int_equal(data[i], 99);
        expect_others(image, c, 1);

        write_all(image, c);
        unsigned char *bytes = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                                 region, &row, &slice, 0, NULL, NULL, &err);
        OK(err);
        assert_int_equal(row, 4 * region[0]);
        bool rows_are_layers = c->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) {
                    uint32_t *at = (uint32_t *)(bytes + z * slice + y * (rows_are_layers ? slice : row)) + x;
                    assert_int_equal(*at, texel(1, (z * region[1] + y) * region[0] + x));
                    *at = 5;
                }
        /* Other levels may be mapped for writing at the same time. */
        mip_origin(c, 0, first);
        mip_region(c, 0, whole);
        void *other = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, first, whole, &row, &slice, 0,
                                        NULL, NULL, &err);
        OK(err);
        EXPECT_NULL(CL_INVALID_OPERATION, clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin,
                                                            region, &row, &slice, 0, NULL, NULL, &err));
        OK(clEnqueueUnmapMemObject(queue, image, other, 0, NULL, NULL));
        OK(clEnqueueUnmapMemObject(queue, image, bytes, 0, NULL, NULL));
        read_level(image, c, 1, data);
        for (size_t i = 0; i < mip_texels(c, 1); i++)
            assert_int_equal(data[i], 5);
        expect_others(image, c, 1);
        OK(clReleaseMemObject(image));
    }
}

/* Each command with an image at ORIGIN fails. */
static void expect_errors(cl_mem image, const size_t *origin, const size_t *good, const size_t *region)
{
    uint32_t data[MOST] = {0};
    size_t row, slice;
    cl_mem buffer = clCreateBuffer(context, 0, 4 * MOST, NULL, &err);
    OK(err);
    assert_int_equal(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyImage(queue, image, image, origin, good, region, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyImage(queue, image, image, good, origin, region, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, region, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillImage(queue, image, data, origin, region, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_NULL(CL_INVALID_VALUE, clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row,
                                                    &slice, 0, NULL, NULL, &err));
    OK(clReleaseMemObject(buffer));
}

/* No command takes a level that the image does not have. */
static void expect_no_level(cl_mem image, const size_t *no, const size_t *good)
{
    const size_t region[3] = {1, 1, 1};
    uint32_t data[4] = {0};
    size_t row, slice;
    cl_mem buffer = clCreateBuffer(context, 0, 16, NULL, &err);
    OK(err);
    /* [CL 5.3.3 E131] */
    assert_int_equal(clEnqueueReadImage(queue, image, CL_TRUE, no, region, 0, 0, data, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.3 E131] */
    assert_int_equal(clEnqueueWriteImage(queue, image, CL_TRUE, no, region, 0, 0, data, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.3 E132] */
    assert_int_equal(clEnqueueCopyImage(queue, image, image, no, good, region, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.3 E133] */
    assert_int_equal(clEnqueueCopyImage(queue, image, image, good, no, region, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.4 E131] */
    assert_int_equal(clEnqueueFillImage(queue, image, data, no, region, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.5 E131] */
    assert_int_equal(clEnqueueCopyImageToBuffer(queue, image, buffer, no, region, 0, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.5 E132] */
    assert_int_equal(clEnqueueCopyBufferToImage(queue, buffer, image, 0, no, region, 0, NULL, NULL),
                     CL_INVALID_MIP_LEVEL);
    /* [CL 5.3.6 E131] */
    EXPECT_NULL(CL_INVALID_MIP_LEVEL, clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, no, region, &row,
                                                        &slice, 0, NULL, NULL, &err));
    OK(clReleaseMemObject(buffer));
}

static void command_errors(void **state)
{
    (void)state;
    for (int k = 0; k < MIP_CASES; k++) {
        const struct mip_case *c = &mip_cases[k];
        cl_mem image = mip_image(c, r32);
        size_t origin[4], good[4], region[3] = {1, 1, 1};
        mip_origin(c, 0, good);
        mip_origin(c, c->levels, origin);
        expect_no_level(image, origin, good);
        origin[c->level_at] = SIZE_MAX;
        expect_no_level(image, origin, good);
        /* Inside of level 0, outside of level 1. */
        mip_origin(c, 1, origin);
        origin[0] = c->width / 2;
        expect_errors(image, origin, good, region);
        OK(clReleaseMemObject(image));
    }
    /* Images with one level have none to select. */
    cl_mem flat = image_of(CL_MEM_OBJECT_IMAGE2D, r32, 4, 4, 0, 0);
    const size_t second[4] = {0, 0, 1, 0}, one[3] = {1, 1, 1};
    expect_errors(flat, second, zero, one);
    OK(clReleaseMemObject(flat));
}

static cl_sampler_properties bits(float f)
{
    uint32_t word;
    memcpy(&word, &f, 4);
    return word;
}

static void samplers(void **state)
{
    (void)state;
    const cl_sampler_properties good[] = {CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                          CL_FILTER_LINEAR,
                                          CL_SAMPLER_LOD_MIN_KHR,
                                          bits(0.5f),
                                          CL_SAMPLER_LOD_MAX_KHR,
                                          bits(2.5f),
                                          0};
    const cl_sampler_properties bad[][3] = {{CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_FILTER_LINEAR + 1, 0},
                                            {CL_SAMPLER_LOD_MIN_KHR, bits(NAN), 0},
                                            {CL_SAMPLER_LOD_MAX_KHR, bits(NAN), 0},
                                            {CL_SAMPLER_LOD_MAX_KHR + 1, 0, 0}};
    const cl_sampler_properties twice[] = {CL_SAMPLER_LOD_MIN_KHR, 0, CL_SAMPLER_LOD_MIN_KHR, 0, 0};
    cl_sampler with = clCreateSamplerWithProperties(context, good, &err);
    OK(err);
    cl_sampler plain = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &err);
    OK(err);
    cl_filter_mode filter = 0;
    cl_float least = 7, most = 7;
    OK(clGetSamplerInfo(with, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof filter, &filter, NULL));
    OK(clGetSamplerInfo(with, CL_SAMPLER_LOD_MIN_KHR, sizeof least, &least, NULL));
    OK(clGetSamplerInfo(with, CL_SAMPLER_LOD_MAX_KHR, sizeof most, &most, NULL));
    assert_int_equal(filter, CL_FILTER_LINEAR);
    assert_true(least == 0.5f && most == 2.5f);
    /* [CL 5.7.1 R131] */
    OK(clGetSamplerInfo(plain, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof filter, &filter, NULL));
    OK(clGetSamplerInfo(plain, CL_SAMPLER_LOD_MIN_KHR, sizeof least, &least, NULL));
    OK(clGetSamplerInfo(plain, CL_SAMPLER_LOD_MAX_KHR, sizeof most, &most, NULL));
    assert_int_equal(filter, CL_FILTER_NEAREST);
    assert_true(least == 0 && most == FLT_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_NULL(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, bad[i], &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &err));
    OK(clReleaseSampler(with));
    OK(clReleaseSampler(plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created),  cmocka_unit_test(creation_errors),   cmocka_unit_test(written_and_read),
        cmocka_unit_test(copied),   cmocka_unit_test(filled_and_mapped), cmocka_unit_test(command_errors),
        cmocka_unit_test(samplers),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
