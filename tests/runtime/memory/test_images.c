/* Images: creation, queries, transfers, copies, fills, maps [CL 5.3]. */
#include "tests/runtime/memory/image_test.h"

#include "ref-runtime/registry.h"

/* The types with the sizes used here, and the shapes of their regions. */
static const struct {
    cl_mem_object_type type;
    size_t w, h, d, layers, extent[3];
} types[] = {
    {CL_MEM_OBJECT_IMAGE1D, 13, 0, 0, 0, {13, 1, 1}}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, 13, 0, 0, 5, {13, 5, 1}},
    {CL_MEM_OBJECT_IMAGE2D, 13, 7, 0, 0, {13, 7, 1}}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, 13, 7, 0, 4, {13, 7, 4}},
    {CL_MEM_OBJECT_IMAGE3D, 13, 7, 3, 0, {13, 7, 3}},
};
enum { TYPES = sizeof types / sizeof *types };
static void writes_come_back(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        size_t count = types[t].extent[0] * types[t].extent[1] * types[t].extent[2];
        uint32_t in[13 * 7 * 4], out[13 * 7 * 4] = {0};
        for (size_t i = 0; i < count; i++)
            in[i] = (uint32_t)(i * 2654435761u);
        cl_mem image = image_of(types[t].type, rgba8, types[t].w, types[t].h, types[t].d, types[t].layers);
        OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, types[t].extent, 0, 0, in, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, types[t].extent, 0, 0, out, 0, NULL, NULL));
        assert_memory_equal(in, out, count * 4);
        OK(clReleaseMemObject(image));
    }
}

/* Host pitches: rows of 16 texels, slices of 10 rows; memory in between is not written. */
static void pitches(void **state)
{
    (void)state;
    enum { ROW = 16, SLICE = ROW * 10 };
    static uint32_t host[SLICE * 3], back[SLICE * 3];
    for (int i = 0; i < SLICE * 3; i++)
        host[i] = (uint32_t)i;
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE3D, r32, 13, 7, 3, 0);
    const size_t origin[3] = {2, 1, 1}, region[3] = {5, 4, 2};
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, ROW * 4, SLICE * 4, host, 0, NULL, NULL));
    memset(back, 0xee, sizeof back);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, ROW * 4, SLICE * 4, back, 0, NULL, NULL));
    for (size_t i = 0; i < SLICE * 3; i++) {
        bool inside = i % ROW < 5 && i % SLICE / ROW < 4 && i / SLICE < 2;
        assert_int_equal(back[i], inside ? i : 0xeeeeeeee);
    }
    uint32_t whole[13 * 7 * 3];
    const size_t all[3] = {13, 7, 3};
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, whole, 0, NULL, NULL));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 7; y++)
            for (size_t x = 0; x < 13; x++) {
                bool inside = x >= 2 && x < 7 && y >= 1 && y < 5 && z >= 1;
                size_t from = (z - 1) * SLICE + (y - 1) * ROW + x - 2;
                assert_int_equal(whole[(z * 7 + y) * 13 + x], inside ? from : 0);
            }
    OK(clReleaseMemObject(image));
}

static void copies(void **state)
{
    (void)state;
    uint32_t data[13 * 7 * 4], out[13 * 7 * 4];
    for (uint32_t i = 0; i < 13 * 7 * 4; i++)
        data[i] = i;
    cl_mem array = image_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, r32, 13, 7, 0, 4);
    cl_mem flat = image_of(CL_MEM_OBJECT_IMAGE2D, r32, 13, 7, 0, 0);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &err);
    OK(err);
    const size_t all[3] = {13, 7, 4}, plane[3] = {13, 7, 1}, third[3] = {0, 0, 2};
    OK(clEnqueueWriteImage(queue, array, CL_FALSE, zero, all, 0, 0, data, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, array, flat, third, zero, plane, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, flat, CL_TRUE, zero, plane, 0, 0, out, 0, NULL, NULL));
    assert_memory_equal(out, data + 2 * 91, 91 * 4);
    OK(clEnqueueCopyImageToBuffer(queue, array, buffer, zero, all, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, out, 0, NULL, NULL));
    assert_memory_equal(out, data, sizeof data);
    const size_t at[3] = {3, 2, 0}, part[3] = {4, 3, 1};
    OK(clEnqueueCopyBufferToImage(queue, buffer, flat, 400, at, part, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, flat, CL_TRUE, at, part, 0, 0, out, 0, NULL, NULL));
    assert_memory_equal(out, data + 100, 12 * 4);
    /* Overlapping regions of one image. */
    const size_t next[3] = {1, 0, 0}, most[3] = {12, 7, 1};
    assert_int_equal(clEnqueueCopyImage(queue, flat, flat, zero, next, most, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    const size_t half[3] = {6, 7, 1}, right[3] = {6, 0, 0};
    OK(clEnqueueCopyImage(queue, flat, flat, zero, right, half, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(array));
    OK(clReleaseMemObject(flat));
    OK(clReleaseMemObject(buffer));
}

static void fills(void **state)
{
    (void)state;
    const cl_image_format formats[] = {{CL_RGBA, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}};
    for (int f = 0; f < 2; f++) {
        cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, formats[f], 6, 5, 0, 0);
        const float color[4] = {1, 0.5f, 0, 0.2f};
        const size_t at[3] = {1, 2, 0}, region[3] = {3, 2, 1}, all[3] = {6, 5, 1};
        OK(clEnqueueFillImage(queue, image, color, at, region, 0, NULL, NULL));
        unsigned char out[5][6][4];
        OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 6; x++) {
                bool inside = x >= 1 && x < 4 && y >= 2 && y < 4;
                assert_int_equal(out[y][x][f ? 2 : 0], inside ? 255 : 0);
                assert_in_range(out[y][x][1], inside ? 127 : 0, inside ? 128 : 0);
                assert_int_equal(out[y][x][f ? 0 : 2], 0);
                assert_int_equal(out[y][x][3], inside ? 51 : 0);
            }
        OK(clReleaseMemObject(image));
    }
}

static void maps(void **state)
{
    (void)state;
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE3D, r32, 8, 4, 3, 0);
    const size_t at[3] = {2, 1, 1}, region[3] = {3, 2, 2}, beside[3] = {5, 1, 1};
    size_t row = 0, slice = 0;
    uint32_t *left = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, at, region,
                                       &row, &slice, 0, NULL, NULL, &err);
    OK(err);
    assert_int_equal(row, 8 * 4);
    assert_int_equal(slice, 8 * 4 * 4);
    EXPECT_NULL(CL_INVALID_OPERATION, clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, at, region, &row,
                                                        &slice, 0, NULL, NULL, &err));
    uint32_t *right = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, beside, region, &row, &slice, 0,
                                        NULL, NULL, &err);
    OK(err);
    cl_uint maps_open = 0;
    OK(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof maps_open, &maps_open, NULL));
    assert_int_equal(maps_open, 2);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++) {
                left[z * 32 + y * 8 + x] = (uint32_t)(100 + z * 10 + y * 5 + x);
                right[z * 32 + y * 8 + x] = (uint32_t)(200 + z * 10 + y * 5 + x);
            }
    OK(clEnqueueUnmapMemObject(queue, image, left, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(queue, image, right, 0, NULL, NULL));
    uint32_t out[2][2][6];
    const size_t both[3] = {6, 2, 2};
    OK(clEnqueueReadImage(queue, image, CL_TRUE, at, both, 0, 0, out, 0, NULL, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 6; x++)
                assert_int_equal(out[z][y][x], (x < 3 ? 100 : 197) + z * 10 + y * 5 + x);
    OK(clReleaseMemObject(image));
}

static void queries(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        cl_mem image = image_of(types[t].type, rgba8, types[t].w, types[t].h, types[t].d, types[t].layers);
        size_t got[7];
        const cl_image_info names[7] = {CL_IMAGE_WIDTH,      CL_IMAGE_HEIGHT,       CL_IMAGE_DEPTH,
                                        CL_IMAGE_ARRAY_SIZE, CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH,
                                        CL_IMAGE_SLICE_PITCH};
        for (int i = 0; i < 7; i++) {
            size_t size = 0;
            OK(clGetImageInfo(image, names[i], sizeof *got, &got[i], &size));
            assert_int_equal(size, sizeof(size_t));
        }
        size_t slice = types[t].type == CL_MEM_OBJECT_IMAGE1D || types[t].type == CL_MEM_OBJECT_IMAGE2D ? 0
                       : types[t].h ? 13 * 4 * types[t].h
                                    : 13 * 4;
        const size_t wanted[7] = {13, types[t].h, types[t].d, types[t].layers, 4, 13 * 4, slice};
        assert_memory_equal(got, wanted, sizeof got);
        cl_mem_object_type type = 0;
        OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, types[t].type);
        cl_image_format format;
        OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
        assert_memory_equal(&format, &rgba8, sizeof format);
        assert_int_equal(clGetImageInfo(image, CL_IMAGE_FORMAT, 1, &format, NULL), CL_INVALID_VALUE);
        assert_int_equal(clGetImageInfo(image, 0, 0, NULL, NULL), CL_INVALID_VALUE);
        OK(clReleaseMemObject(image));
    }
}

static void format_lists(void **state)
{
    (void)state;
    static const cl_channel_type required[] = {
        CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
        CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
    const cl_mem_object_type all[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                      CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                      CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
    const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                  CL_MEM_KERNEL_READ_AND_WRITE};
    for (int t = 0; t < 6; t++)
        for (int f = 0; f < 4; f++) {
            cl_image_format list[256];
            cl_uint count = 0;
            OK(clGetSupportedImageFormats(context, flags[f], all[t], 256, list, &count));
            for (size_t o = 0; o < 3; o++)
                for (size_t c = 0; c < sizeof required / sizeof *required; c++) {
                    bool found = false;
                    for (cl_uint i = 0; i < count; i++)
                        found |= list[i].image_channel_order == orders[o] &&
                                 list[i].image_channel_data_type == required[c];
                    assert_true(found);
                }
        }
    assert_int_equal(clGetSupportedImageFormats(NULL, 0, all[0], 0, NULL, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clGetSupportedImageFormats(context, ~0ul, all[0], 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    cl_image_format one;
    assert_int_equal(clGetSupportedImageFormats(context, 0, all[0], 0, &one, NULL), CL_INVALID_VALUE);
}

/* Every combination of order and type is an image or has an error; then its texels can be transferred. */
static void every_format(void **state)
{
    (void)state;
    for (cl_uint order = CL_R; order <= CL_ABGR; order++)
        for (cl_uint type = CL_SNORM_INT8; type <= CL_UNORM_INT14X2_EXT; type++) {
            const cl_image_format format = {order, type};
            const cl_image_desc desc = {
                .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 3, .image_height = 2};
            cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
            if (!image) {
                assert_true(err == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR ||
                            err == CL_IMAGE_FORMAT_NOT_SUPPORTED);
                continue;
            }
            unsigned char bytes[3 * 2 * 16], out[3 * 2 * 16];
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (unsigned char)(i * 37);
            size_t element = 0;
            OK(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
            const size_t all[3] = {3, 2, 1};
            OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
            OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
            assert_memory_equal(out, bytes, 6 * element);
            OK(clReleaseMemObject(image));
        }
}

/* ---- images that show other objects ---- */

static void from_buffer(void **state)
{
    (void)state;
    uint32_t data[64];
    for (uint32_t i = 0; i < 64; i++)
        data[i] = i;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
    OK(err);
    const cl_image_desc line = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = buffer};
    cl_mem a = clCreateImage(context, 0, &r32, &line, NULL, &err);
    OK(err);
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = 6,
                                 .image_height = 8,
                                 .image_row_pitch = 32,
                                 .mem_object = buffer};
    cl_mem b = clCreateImage(context, 0, &r32, &plane, NULL, &err);
    OK(err);
    cl_mem shown = NULL;
    OK(clGetImageInfo(b, CL_IMAGE_BUFFER, sizeof shown, &shown, NULL));
    assert_ptr_equal(shown, buffer);
    OK(clGetMemObjectInfo(a, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof shown, &shown, NULL));
    assert_ptr_equal(shown, buffer);
    const uint32_t color[4] = {777};
    const size_t at[3] = {5, 2, 0}, one[3] = {1, 1, 1};
    OK(clEnqueueFillImage(queue, b, color, at, one, 0, NULL, NULL));
    uint32_t out[64];
    const size_t whole[3] = {64, 1, 1};
    OK(clEnqueueReadImage(queue, a, CL_TRUE, zero, whole, 0, 0, out, 0, NULL, NULL));
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], i == 2 * 8 + 5 ? 777 : i);
    cl_image_desc wrong = plane;
    wrong.image_height = 9;
    /* [CL 5.3.1 E161] */
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE, clCreateImage(context, 0, &r32, &wrong, NULL, &err));
    /* [CL 5.3.1 E161] */
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE,
                clCreateImageWithProperties(context, NULL, 0, &r32, &wrong, NULL, &err));
    wrong = plane;
    wrong.image_row_pitch = 27;
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &r32, &wrong, NULL, &err));
    EXPECT_NULL(CL_INVALID_HOST_PTR, clCreateImage(context, 0, &r32, &line, out, &err));
    EXPECT_NULL(CL_INVALID_VALUE, clCreateImage(context, CL_MEM_ALLOC_HOST_PTR, &r32, &line, NULL, &err));
    wrong = line;
    wrong.mem_object = NULL;
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &r32, &wrong, NULL, &err));
    OK(clReleaseMemObject(buffer));
    OK(clEnqueueReadImage(queue, a, CL_TRUE, zero, whole, 0, 0, out, 0, NULL, NULL));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static void from_image(void **state)
{
    (void)state;
    const cl_image_format linear = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    cl_mem image = image_of(CL_MEM_OBJECT_IMAGE2D, linear, 4, 4, 0, 0);
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .mem_object = image};
    cl_mem view = clCreateImage(context, CL_MEM_READ_ONLY, &srgb, &desc, NULL, &err);
    OK(err);
    const float half[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    const size_t all[3] = {4, 4, 1};
    unsigned char out[64];
    OK(clEnqueueFillImage(queue, image, half, zero, all, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, view, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
    assert_in_range(out[0], 127, 128);
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &rgba8, &desc, NULL, &err));
    desc.image_width = 3;
    EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &srgb, &desc, NULL, &err));
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(image));
}

/* The channel order that shares its texels with sRGB and depth orders. */
static cl_channel_order plain_order(cl_channel_order order)
{
    return order == CL_sBGRA   ? CL_BGRA
           : order == CL_sRGBA ? CL_RGBA
           : order == CL_sRGB  ? CL_RGB
           : order == CL_sRGBx ? CL_RGBx
           : order == CL_DEPTH ? CL_R
                               : order;
}

/* An image of an image keeps its data type, and its channel order or a compatible one [CL 5.3.1]. */
static void formats_of_views(void **state)
{
    (void)state;
    cl_image_format formats[256];
    cl_uint count = 0;
    int compatible = 0;
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
    for (cl_uint i = 0; i < count; i++) {
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
        cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &formats[i], &desc, NULL, &err);
        OK(err);
        desc.mem_object = image;
        for (cl_uint k = 0; k < count; k++) {
            bool same =
                formats[i].image_channel_data_type == formats[k].image_channel_data_type &&
                plain_order(formats[i].image_channel_order) == plain_order(formats[k].image_channel_order);
            cl_mem view = clCreateImage(context, CL_MEM_READ_ONLY, &formats[k], &desc, NULL, &err);
            assert_int_equal(err, same ? CL_SUCCESS : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
            if (view)
                OK(clReleaseMemObject(view));
            compatible += same && i != k;
        }
        OK(clReleaseMemObject(image));
    }
    assert_true(compatible >= 4); /* sRGBA, sBGRA and their plain orders, each way */
}

/* Maps return the application's memory, with its pitches. */
static void host_memory(void **state)
{
    (void)state;
    static uint32_t host[5 * 16];
    for (uint32_t i = 0; i < 80; i++)
        host[i] = i;
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 13, .image_height = 5, .image_row_pitch = 64};
    for (int copy = 0; copy < 2; copy++) {
        cl_mem image = clCreateImage(context, copy ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR, &r32, &desc,
                                     host, &err);
        OK(err);
        uint32_t out[13 * 5];
        const size_t all[3] = {13, 5, 1};
        OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, out, 0, NULL, NULL));
        for (uint32_t i = 0; i < 65; i++)
            assert_int_equal(out[i], i / 13 * 16 + i % 13);
        if (!copy) {
            const size_t at[3] = {2, 3, 0}, one[3] = {1, 1, 1};
            const cl_uint color[4] = {777};
            size_t row;
            OK(clEnqueueFillImage(queue, image, color, at, one, 0, NULL, NULL));
            void *pointer = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, one, &row, NULL, 0,
                                              NULL, NULL, &err);
            assert_ptr_equal(pointer, host + 3 * 16 + 2);
            assert_int_equal(host[3 * 16 + 2], 777); /* [CL 5.3.6 R13] */
            assert_int_equal(row, 64);
            OK(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
        }
        OK(clReleaseMemObject(image));
        host[3 * 16 + 2] = 3 * 16 + 2;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_come_back),
        cmocka_unit_test(pitches),
        cmocka_unit_test(copies),
        cmocka_unit_test(fills),
        cmocka_unit_test(maps),
        cmocka_unit_test(queries),
        cmocka_unit_test(format_lists),
        cmocka_unit_test(every_format),
        cmocka_unit_test(from_buffer),
        cmocka_unit_test(from_image),
        cmocka_unit_test(formats_of_views),
        cmocka_unit_test(host_memory),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
