/* Queries of image requirements before an image is created, and images of every type created from a buffer
 * [cl_ext_image_requirements_info, cl_ext_image_from_buffer]. */
#include "tests/runtime/memory/image_test.h"

#include "ref-runtime/registry.h"

static cl_int(CL_API_CALL *ask)(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *,
                                const cl_image_desc *, cl_uint, size_t, void *, size_t *);

static int setup(void **state)
{
    if (open_device(state))
        return -1;
    void *found = clGetExtensionFunctionAddressForPlatform(platform, "clGetImageRequirementsInfoEXT");
    memcpy(&ask, &found, sizeof found);
    return found ? 0 : -1;
}

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                           CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                           CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
enum { TYPES = sizeof types / sizeof *types };

static size_t ask_size(const cl_image_format *format, const cl_image_desc *desc, cl_uint param)
{
    size_t answer = 0, size = 0;
    OK(ask(context, NULL, 0, format, desc, param, sizeof answer, &answer, &size));
    assert_int_equal(size, sizeof answer);
    return answer;
}

static cl_uint ask_uint(const cl_image_format *format, const cl_image_desc *desc, cl_uint param)
{
    cl_uint answer = 0;
    size_t size = 0;
    OK(ask(context, NULL, 0, format, desc, param, sizeof answer, &answer, &size));
    assert_int_equal(size, sizeof answer);
    return answer;
}

static size_t limit(cl_device_info param)
{
    size_t answer = 0;
    OK(clGetDeviceInfo(device, param, sizeof answer, &answer, NULL));
    return answer;
}

/* [CL 5.3.14 R141] [CL 5.3.14 R102] */
static void alignments(void **state)
{
    (void)state;
    static const cl_uint params[] = {CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                                     CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                                     CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT};
    cl_image_format formats[512];
    cl_uint count, pitch = 0, base = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof pitch, &pitch, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, sizeof base, &base, NULL));
    for (int t = 0; t < TYPES; t++) {
        const cl_image_desc desc = {.image_type = types[t]};
        OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, types[t], 512, formats, &count));
        assert_in_range(count, 1, 512);
        for (int p = 0; p < 3; p++) {
            size_t any = ask_size(NULL, NULL, params[p]);
            assert_int_equal(ask_size(NULL, &desc, params[p]), any);
            assert_true(any <= (size_t)16 * (p == 0 ? base : pitch));
            for (cl_uint f = 0; f < count; f++) {
                size_t here = ask_size(&formats[f], &desc, params[p]);
                assert_true(here > 0 && (here & (here - 1)) == 0 && here <= any);
            }
        }
    }
}

/* [CL 5.3.14 R141] */
static void largest(void **state)
{
    (void)state;
    static const struct {
        cl_uint param;
        int dimension;
    } rows[] = {{CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, 0},
                {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, 1},
                {CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, 2},
                {CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, 3}};
    size_t plane = limit(CL_DEVICE_IMAGE2D_MAX_WIDTH), high = limit(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
    size_t box = limit(CL_DEVICE_IMAGE3D_MAX_WIDTH), layers = limit(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
    size_t box_high = limit(CL_DEVICE_IMAGE3D_MAX_HEIGHT), box_deep = limit(CL_DEVICE_IMAGE3D_MAX_DEPTH);
    const size_t wanted[TYPES][4] = {
        {plane, 0, 0, 0},         {limit(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), 0, 0, 0},
        {plane, 0, 0, layers},    {plane, high, 0, 0},
        {plane, high, 0, layers}, {box, box_high, box_deep, 0}};
    for (int t = 0; t < TYPES; t++) {
        const cl_image_desc open = {.image_type = types[t]};
        const cl_image_desc given = {.image_type = types[t],
                                     .image_width = 7,
                                     .image_height = 5,
                                     .image_depth = 3,
                                     .image_array_size = 2};
        for (int r = 0; r < 4; r++) {
            cl_uint answer;
            size_t here = wanted[t][rows[r].dimension];
            const cl_int code = here ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
            assert_int_equal(ask(context, NULL, 0, &rgba8, &open, rows[r].param, 4, &answer, NULL), code);
            if (here) {
                assert_int_equal(answer, here);
                assert_int_equal(ask_uint(NULL, &given, rows[r].param), here);
            }
        }
    }
    const cl_image_desc any = {.image_type = 0};
    for (int pass = 0; pass < 2; pass++) {
        const cl_image_desc *desc = pass ? &any : NULL;
        assert_int_equal(ask_uint(NULL, desc, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT),
                         box < plane ? box : plane);
        assert_int_equal(ask_uint(NULL, desc, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT),
                         box_high < high ? box_high : high);
        assert_int_equal(ask_uint(&rgba8, desc, CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT), box_deep);
        assert_int_equal(ask_uint(&rgba8, desc, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT), layers);
    }
    /* Pitches and the buffer that is there say more. */
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &err);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_height = 4, .mem_object = buffer};
    assert_int_equal(ask_uint(&rgba8, &desc, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT), 256);
    desc.image_row_pitch = 512;
    assert_int_equal(ask_uint(&rgba8, &desc, CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT), 128);
    desc.image_width = 100;
    assert_int_equal(ask_uint(&rgba8, &desc, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT), 8);
    OK(clReleaseMemObject(buffer));
}

static void errors(void **state)
{
    (void)state;
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_image_desc levels = {.image_type = CL_MEM_OBJECT_IMAGE2D, .num_samples = 2};
    const cl_image_desc kind = {.image_type = CL_MEM_OBJECT_PIPE};
    const cl_image_desc wide = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1 << 20};
    const cl_image_desc foreign = {.image_type = CL_MEM_OBJECT_IMAGE2D, .mem_object = (cl_mem)context};
    const cl_image_desc pitch = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .image_row_pitch = 15};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4};
    const cl_image_format wrong = {CL_RGBA, CL_UNORM_SHORT_565};
    const cl_mem_properties properties[] = {0x7777, 1, 0}, none[] = {0};
    const cl_uint size = CL_IMAGE_REQUIREMENTS_SIZE_EXT, width = CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT;
    size_t answer;
    OK(ask(context, none, CL_MEM_KERNEL_READ_AND_WRITE, &rgba8, &desc, size, sizeof answer, &answer, NULL));
    assert_int_equal(answer, 64);
    /* [CL 5.3.14 R101] */
    assert_int_equal(ask(context, NULL, 0, &rgba8, &desc, size, 0, NULL, NULL), CL_SUCCESS);
    /* [CL 5.3.14 E101] */
    assert_int_equal(ask(NULL, NULL, 0, &rgba8, &desc, size, 8, &answer, NULL), CL_INVALID_CONTEXT);
    /* [CL 5.3.14 E102] */
    assert_int_equal(ask(context, properties, 0, &rgba8, &desc, size, 8, &answer, NULL), CL_INVALID_PROPERTY);
    /* [CL 5.3.14 E103] */
    assert_int_equal(
        ask(context, NULL, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &desc, size, 8, &answer, NULL),
        CL_INVALID_VALUE);
    /* [CL 5.3.14 E104] */
    assert_int_equal(ask(context, NULL, 0, &wrong, &desc, size, 8, &answer, NULL),
                     CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    /* [CL 5.3.14 E105] */
    assert_int_equal(ask(context, NULL, 0, &rgba8, &levels, width, 4, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &kind, width, 4, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &wide, size, 8, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &foreign, width, 4, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &pitch, size, 8, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &flat, size, 8, &answer, NULL),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    /* [CL 5.3.14 E106] */
    assert_int_equal(ask(context, NULL, 0, NULL, &desc, size, 8, &answer, NULL), CL_INVALID_VALUE);
    assert_int_equal(ask(context, NULL, 0, &rgba8, NULL, size, 8, &answer, NULL), CL_INVALID_VALUE);
    /* [CL 5.3.14 E107] */
    assert_int_equal(ask(context, NULL, 0, &rgba8, &desc, 0x7777, 8, &answer, NULL), CL_INVALID_VALUE);
    /* [CL 5.3.14 E108] */
    assert_int_equal(ask(context, NULL, 0, &rgba8, &desc, size, 7, &answer, NULL), CL_INVALID_VALUE);
    assert_int_equal(ask(context, NULL, 0, &rgba8, &desc, width, 3, &answer, NULL), CL_INVALID_VALUE);
}

/* ---- images of buffers ---- */

enum { W = 5, H = 3, D = 2 };
static const struct layout {
    cl_mem_object_type type;
    size_t h, d, layers, row, slice; /* 0: those that follow from the sizes */
    const char *argument, *coordinates;
} layouts[] = {{CL_MEM_OBJECT_IMAGE1D, 1, 1, 0, 0, 0, "image1d_t", "x"},
               {CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, 1, 0, 0, 0, "image1d_buffer_t", "x"},
               {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 1, D, 0, 0, "image1d_array_t", "(int2)(x, z)"},
               {CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 1, D, 32, 64, "image1d_array_t", "(int2)(x, z)"},
               {CL_MEM_OBJECT_IMAGE2D, H, 1, 0, 48, 0, "image2d_t", "(int2)(x, y)"},
               {CL_MEM_OBJECT_IMAGE2D_ARRAY, H, 1, D, 0, 0, "image2d_array_t", "(int4)(x, y, z, 0)"},
               {CL_MEM_OBJECT_IMAGE2D_ARRAY, H, 1, D, 24, 120, "image2d_array_t", "(int4)(x, y, z, 0)"},
               {CL_MEM_OBJECT_IMAGE3D, H, D, 0, 0, 0, "image3d_t", "(int4)(x, y, z, 0)"},
               {CL_MEM_OBJECT_IMAGE3D, H, D, 0, 20, 80, "image3d_t", "(int4)(x, y, z, 0)"}};

static cl_image_desc described(const struct layout *l, cl_mem buffer)
{
    return (cl_image_desc){.image_type = l->type,
                           .image_width = W,
                           .image_height = l->h > 1 ? l->h : 0,
                           .image_depth = l->d > 1 ? l->d : 0,
                           .image_array_size = l->layers,
                           .image_row_pitch = l->row,
                           .image_slice_pitch = l->slice,
                           .mem_object = buffer};
}

/* A kernel copies texels through the image to memory where the same bytes are expected. */
static void check_texels(const struct layout *l, cl_mem image, const cl_uint *words, size_t row, size_t slice)
{
    char text[600];
    size_t deep = l->layers ? l->layers : l->d;
    cl_uint got[W * H * D];
    snprintf(
        text, sizeof text,
        "kernel void k(read_only %s i, global uint *to) { int x = get_global_id(0), y = get_global_id(1),\n"
        "  z = get_global_id(2); to[(z * get_global_size(1) + y) * get_global_size(0) + x] =\n"
        "  read_imageui(i, %s).x; }",
        l->argument, l->coordinates);
    cl_program program = build_source(text, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem to = clCreateBuffer(context, 0, sizeof got, NULL, &err);
    const size_t sizes[3] = {W, l->h, deep};
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof to, &to));
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, sizes, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (size_t z = 0; z < deep; z++)
        for (size_t y = 0; y < l->h; y++)
            for (size_t x = 0; x < W; x++)
                assert_int_equal(got[(z * l->h + y) * W + x], words[(z * slice + y * row) / 4 + x]);
    OK(clReleaseMemObject(to));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void of_buffers(void **state)
{
    (void)state;
    cl_uint words[256], back[256];
    for (cl_uint i = 0; i < 256; i++)
        words[i] = i * 2654435761u;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout *l = &layouts[i];
        cl_mem whole = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof words, words, &err), shown;
        const cl_buffer_region part = {512, 512};
        cl_mem buffer =
            i % 2 ? clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &err) : whole;
        cl_image_desc desc = described(l, buffer);
        cl_mem image = clCreateImage(context, 0, &r32, &desc, NULL, &err);
        OK(err);
        size_t row = l->row ? l->row : W * 4, slice = l->slice ? l->slice : row * l->h, answer, size;
        size_t deep = l->layers ? l->layers : l->d;
        OK(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof answer, &answer, NULL));
        assert_int_equal(answer, row);
        OK(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof answer, &answer, NULL));
        assert_int_equal(answer, deep > 1 ? slice : 0);
        OK(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof shown, &shown, NULL));
        assert_ptr_equal(shown, buffer);
        OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof size, &size, NULL));
        assert_int_equal(size, slice * deep);
        assert_int_equal(ask_size(&r32, &desc, CL_IMAGE_REQUIREMENTS_SIZE_EXT), size);
        const cl_uint *seen = i % 2 ? words + 128 : words;
        check_texels(l, image, seen, row, slice);
        /* Data written to the image is in the buffer. */
        const cl_uint color[4] = {777};
        const size_t last[3] = {W - 1, l->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? deep - 1 : l->h - 1,
                                l->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : deep - 1},
                     one[3] = {1, 1, 1};
        OK(clEnqueueFillImage(queue, image, color, last, one, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, back, 0, NULL, NULL));
        for (size_t k = 0; k < size / 4; k++) {
            size_t filled = ((deep - 1) * slice + (l->h - 1) * row) / 4 + W - 1;
            assert_int_equal(back[k], k == filled ? 777 : seen[k]);
        }
        OK(clReleaseMemObject(image));
        /* A byte less is too small. */
        const cl_buffer_region small = {0, slice * deep - 1};
        cl_mem less = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &small, &err);
        OK(err);
        desc.mem_object = less;
        /* [CL 5.3.1 E161] */
        EXPECT_NULL(CL_INVALID_IMAGE_SIZE, clCreateImage(context, 0, &r32, &desc, NULL, &err));
        OK(clReleaseMemObject(less));
        /* Pitches that are no multiples of an element. */
        desc.mem_object = buffer;
        desc.image_row_pitch = row + 2;
        EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &r32, &desc, NULL, &err));
        desc.image_row_pitch = l->row;
        desc.image_slice_pitch = slice + 2;
        if (deep > 1)
            EXPECT_NULL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                        clCreateImage(context, 0, &r32, &desc, NULL, &err));
        if (buffer != whole)
            OK(clReleaseMemObject(buffer));
        OK(clReleaseMemObject(whole));
    }
}

/* The buffer's host memory begins at the alignment of an element. */
static void host_pointers(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char bytes[256];
    const cl_image_format wide = {CL_RGBA, CL_FLOAT};
    for (size_t at = 0; at < 16; at += 4) {
        cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 128, bytes + at, &err);
        OK(err);
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                    .image_width = 2,
                                    .image_height = 2,
                                    .image_depth = 2,
                                    .mem_object = buffer};
        cl_mem image = clCreateImage(context, 0, &wide, &desc, NULL, &err);
        assert_int_equal(err, at ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_SUCCESS);
        if (image)
            OK(clReleaseMemObject(image));
        OK(clReleaseMemObject(buffer));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alignments), cmocka_unit_test(largest),
                                       cmocka_unit_test(errors), cmocka_unit_test(of_buffers),
                                       cmocka_unit_test(host_pointers)};
    return cmocka_run_group_tests(tests, setup, close_device);
}
