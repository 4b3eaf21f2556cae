/* Image instructions from OpenCL C: reads with and without samplers, writes, queries, events, findings.
 * tests/unit/image tests the texel values. */
#include "clrun.h"
#include "interp/image/image.h"

static struct in_image image_2d(void *data, uint32_t width, uint32_t height, enum in_channel_order order,
                                enum in_channel_type type, uint32_t element)
{
    return (struct in_image){.kind = IN_IMAGE_2D,
                             .order = order,
                             .type = type,
                             .width = width,
                             .height = height,
                             .depth = 1,
                             .array_size = 1,
                             .row_pitch = width * element,
                             .slice_pitch = (uint64_t)width * height * element,
                             .data = data};
}

static struct in_object image_object(void *data, size_t size, uint32_t id)
{
    struct in_object o = spv_buffer(data, size, id);
    o.region = MM_IMAGE;
    o.name = "image";
    return o;
}

static struct in_argument image_argument(const struct in_image *image, const struct in_object *object)
{
    return (struct in_argument){.image = image, .object = object};
}

static void test_sampled_2d(void **state)
{
    static const char source[] =
        "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "kernel void k(read_only image2d_t in, sampler_t t, global float4 *out) {\n"
        "  int x = get_global_id(0);\n"
        "  out[x * 3] = read_imagef(in, s, (int2)(x - 1, 1));\n"
        "  out[x * 3 + 1] = read_imagef(in, t, (float2)((x + 0.5f) / 4, 0.25f));\n"
        "  out[x * 3 + 2] = read_imagef(in, (int2)(x, 0)); }\n";
    float texels[2][4][4], out[4][3][4] = {{{0}}};
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            for (int c = 0; c < 4; c++)
                texels[y][x][c] = (float)(100 * y + 10 * x + c);
    struct in_image image = image_2d(texels, 4, 2, IN_ORDER_RGBA, IN_CHANNEL_FLOAT, 16);
    struct in_sampler sampler = {
        .normalized = true, .addressing = IN_ADDRESS_REPEAT, .filter = IN_FILTER_LINEAR};
    struct in_object io = image_object(texels, sizeof texels, 1), bo = spv_buffer(out, sizeof out, 2);
    struct spv_run run;
    struct clr_launch l = {.kernel = "k",
                           .args = {image_argument(&image, &io), {.sampler = &sampler}, clr_buffer(&bo)},
                           .global = {4},
                           .local = {2}};
    (void)state;
    assert_int_equal(clr_once(source, &l, &run), MM_OK);
    for (int x = 0; x < 4; x++)
        for (int c = 0; c < 4; c++) {
            assert_true(out[x][0][c] == (x == 0 ? 0 : texels[1][x - 1][c]));
            assert_true(out[x][1][c] == texels[0][x][c]); /* at the texel's centre */
            assert_true(out[x][2][c] == texels[0][x][c]);
        }
}

static void test_integers_and_queries(void **state)
{
    static const char source[] =
        "kernel void k(read_only image2d_array_t a, write_only image2d_t b, read_only image3d_t d,\n"
        "              read_only image1d_buffer_t e, global int *o) {\n"
        "  int x = get_global_id(0), y = get_global_id(1);\n"
        "  int4 v = read_imagei(a, (int4)(x, y, 1, 0));\n"
        "  write_imageui(b, (int2)(x, y), convert_uint4(v) + (uint4)(1, 2, 3, 4));\n"
        "  if (x + y == 0) {\n"
        "    int4 dim = get_image_dim(d); int2 da = get_image_dim(a);\n"
        "    o[0] = get_image_width(a); o[1] = get_image_height(a); o[2] = get_image_array_size(a);\n"
        "    o[3] = dim.x; o[4] = dim.y; o[5] = dim.z; o[6] = get_image_width(e);\n"
        "    o[7] = get_image_channel_data_type(a); o[8] = get_image_channel_order(b);\n"
        "    o[9] = read_imagei(e, 2).x; o[10] = read_imagei(d, (int4)(1, 1, 2, 0)).x;\n"
        "    o[11] = get_image_depth(d); o[12] = da.x; o[13] = da.y; } }\n";
    int16_t array[3][2][3][2];
    uint8_t written[2][3][4] = {{{0}}};
    int32_t volume[3][2][2], line[5] = {5, 6, 7, 8, 9}, out[14] = {0};
    for (int n = 0; n < 36; n++)
        (&array[0][0][0][0])[n] = (int16_t)(n - 3);
    for (int n = 0; n < 12; n++)
        (&volume[0][0][0])[n] = -n;
    struct in_image a = image_2d(array, 3, 2, IN_ORDER_RG, IN_CHANNEL_SIGNED_INT16, 4);
    a.kind = IN_IMAGE_2D_ARRAY;
    a.array_size = 3;
    struct in_image b = image_2d(written, 3, 2, IN_ORDER_RGBA, IN_CHANNEL_UNSIGNED_INT8, 4);
    struct in_image d = image_2d(volume, 2, 2, IN_ORDER_R, IN_CHANNEL_SIGNED_INT32, 4);
    d.kind = IN_IMAGE_3D;
    d.depth = 3;
    struct in_image e = image_2d(line, 5, 1, IN_ORDER_R, IN_CHANNEL_SIGNED_INT32, 4);
    e.kind = IN_IMAGE_1D_BUFFER;
    struct in_object oa = image_object(array, sizeof array, 1), ob = image_object(written, sizeof written, 2),
                     od = image_object(volume, sizeof volume, 3), oe = image_object(line, sizeof line, 4),
                     oo = spv_buffer(out, sizeof out, 5);
    struct clr_launch l = {.kernel = "k",
                           .args = {image_argument(&a, &oa), image_argument(&b, &ob), image_argument(&d, &od),
                                    image_argument(&e, &oe), clr_buffer(&oo)},
                           .global = {3, 2}};
    struct spv_run run;
    (void)state;
    assert_int_equal(clr_once(source, &l, &run), MM_OK);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++) {
            const int16_t *v = array[1][y][x];
            const uint8_t expected[4] = {(uint8_t)(v[0] + 1), (uint8_t)(v[1] + 2), 3, 5};
            assert_memory_equal(written[y][x], expected, 4);
        }
    const int32_t expected[14] = {3, 2, 3, 2, 2, 3, 5, 0x10d8, 0x10b5, 7, -11, 3, 3, 2};
    assert_memory_equal(out, expected, sizeof expected);
}

static void test_half_depth_and_channels(void **state)
{
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "kernel void k(read_only image2d_t a, read_only image2d_depth_t d, write_only image2d_t w,\n"
        "              write_only image2d_depth_t wd, global float *o) {\n"
        "  half4 h = read_imageh(a, (int2)(1, 0)); o[0] = h.x; o[1] = h.w;\n"
        "  o[2] = read_imagef(d, (int2)(0, 0));\n"
        "  write_imageh(w, (int2)(0, 0), (half4)(0.5h, 2.0h, -1.0h, 1.0h));\n"
        "  write_imagef(wd, (int2)(0, 0), 0.25f); }\n";
    float a[2][1] = {{1.5f}, {0.75f}}, d[1] = {0.625f}, wd[1] = {0}, out[3] = {0};
    uint8_t w[4] = {9, 9, 9, 9};
    struct in_image ia = image_2d(a, 2, 1, IN_ORDER_R, IN_CHANNEL_FLOAT, 4);
    struct in_image id = image_2d(d, 1, 1, IN_ORDER_DEPTH, IN_CHANNEL_FLOAT, 4);
    struct in_image iw = image_2d(w, 1, 1, IN_ORDER_BGRA, IN_CHANNEL_UNORM_INT8, 4);
    struct in_image iwd = image_2d(wd, 1, 1, IN_ORDER_DEPTH, IN_CHANNEL_FLOAT, 4);
    struct in_object oa = image_object(a, sizeof a, 1), od = image_object(d, sizeof d, 2),
                     ow = image_object(w, sizeof w, 3), owd = image_object(wd, sizeof wd, 4),
                     oo = spv_buffer(out, sizeof out, 5);
    struct clr_launch l = {.kernel = "k",
                           .args = {image_argument(&ia, &oa), image_argument(&id, &od),
                                    image_argument(&iw, &ow), image_argument(&iwd, &owd), clr_buffer(&oo)},
                           .global = {1}};
    struct spv_run run;
    (void)state;
    assert_int_equal(clr_once(source, &l, &run), MM_OK);
    assert_true(out[0] == 0.75f && out[1] == 1.0f && out[2] == 0.625f);
    const uint8_t expected[4] = {0, 255, 128, 255}; /* blue clamps to 0, 0.5 * 255 rounds to even */
    assert_memory_equal(w, expected, 4);
    assert_true(wd[0] == 0.25f);
}

struct log {
    struct mm_event events[64];
    uint32_t count;
};
static enum mm_class on_record(void *context, const struct mm_record *record)
{
    struct log *log = context;
    if (record->type == MM_RECORD_EVENT && log->count < 64)
        log->events[log->count++] = record->event;
    return MM_OK;
}

static const char fences[] =
    "kernel void k(read_write image2d_t i) {\n"
    "  int x = get_local_id(0);\n"
    "  write_imagei(i, (int2)(x, 0), (int4)(x + 5, 0, 0, 0));\n"
    "  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
    "  int v = read_imagei(i, (int2)(x, 0)).x;\n"
    "  work_group_barrier(CLK_IMAGE_MEM_FENCE);\n"
    "  write_imagei(i, (int2)(x, 1), (int4)(v, 0, 0, 0)); }\n";

static void test_events(void **state)
{
    int32_t texels[2][2] = {{0}};
    struct in_image image = image_2d(texels, 2, 2, IN_ORDER_R, IN_CHANNEL_SIGNED_INT32, 4);
    struct in_object object = image_object(texels, sizeof texels, 9);
    struct log log = {.count = 0};
    struct mm_sink sink = {.context = &log, .record = on_record};
    struct clr_launch l = {.kernel = "k",
                           .args = {image_argument(&image, &object)},
                           .global = {2},
                           .local = {2},
                           .recorder = mm_recorder_create(&sink)};
    struct spv_run run;
    (void)state;
    assert_int_equal(clr_once(fences, &l, &run), MM_OK);
    mm_recorder_destroy(l.recorder);
    uint32_t reads = 0, writes = 0, image_fences = 0, barriers = 0;
    for (uint32_t k = 0; k < log.count; k++) {
        const struct mm_event *e = &log.events[k];
        if (e->allocation == 9 && e->kind == MM_WRITE && e->size == 4) {
            assert_int_equal(e->value_written, 5 + e->agent.index);
            assert_int_equal(e->offset % 8, 4 * e->agent.index);
            writes++;
        }
        reads += e->allocation == 9 && e->kind == MM_READ && e->value_read == 5 + e->agent.index;
        image_fences += e->kind == MM_FENCE && e->fence_flags == MM_FENCE_IMAGE;
        barriers += e->kind == MM_BARRIER_ENTRY && e->fence_flags == MM_FENCE_IMAGE;
    }
    assert_int_equal(writes, 4);
    assert_int_equal(reads, 2);
    assert_int_equal(image_fences, 2);
    assert_int_equal(barriers, 2);
    assert_true(texels[1][0] == 5 && texels[1][1] == 6);
}

static void expect(const char *source, const struct in_image *image, const struct in_object *object,
                   const char *kind)
{
    int32_t out[4] = {0};
    struct in_object oo = spv_buffer(out, sizeof out, 2);
    struct clr_launch l = {
        .kernel = "k", .args = {image_argument(image, object), clr_buffer(&oo)}, .global = {1}};
    struct spv_run run;
    assert_int_equal(clr_once(source, &l, &run), MM_UNDEFINED);
    assert_string_equal(run.kind, kind);
    assert_int_equal(run.line, 2);
}

static void test_findings(void **state)
{
    int32_t texels[4] = {0};
    struct in_image image = image_2d(texels, 2, 2, IN_ORDER_R, IN_CHANNEL_SIGNED_INT32, 4);
    struct in_object object = image_object(texels, sizeof texels, 1);
    (void)state;
    expect("kernel void k(read_only image2d_t i, global int *o)\n"
           "{ o[0] = read_imagei(i, (int2)(2, 0)).x; }\n",
           &image, &object, "out-of-bounds");
    expect("kernel void k(write_only image2d_t i, global int *o)\n"
           "{ write_imagei(i, (int2)(0, -1), (int4)(1)); }\n",
           &image, &object, "out-of-bounds");
    expect("kernel void k(read_only image2d_t i, global int *o)\n"
           "{ const sampler_t s = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST; o[0] = read_imagei(i, s, "
           "(float2)(0, 5)).x; }\n",
           &image, &object, "out-of-bounds");
    expect("kernel void k(read_only image2d_t i, global float *o)\n"
           "{ o[0] = read_imagef(i, (int2)(0, 0)).x; }\n",
           &image, &object, "image-format");
}

/* Instructions that OpenCL C does not reach. */
static void test_without_source(void **state)
{
    static const char text[] =
        "OpCapability ImageBasic\nOpCapability LiteralSampler\nOpCapability ImageMipmap\nOpCapability "
        "Image1D\n" SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%im = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%sm = OpTypeSampler\n%si = OpTypeSampledImage "
        "%im\n"
        "%ims = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly\n%cs = OpConstantSampler %sm ClampToEdge 0 "
        "Nearest\n%v2 = OpTypeVector %u32 2\n%v4 = OpTypeVector %u32 4\n"
        "%at = OpConstantComposite %v2 %c1 %c1\n%fn = OpTypeFunction %void %pu32 %im %ims\n"
        "%k = OpFunction %void None %fn\n%out = OpFunctionParameter %pu32\n%a = OpFunctionParameter %im\n%am "
        "= OpFunctionParameter %ims\n"
        "%e = OpLabel\n%s = OpSampledImage %si %a %cs\n%b = OpImage %im %s\n%size = OpImageQuerySize %v2 %b\n"
        "%w = OpCompositeExtract %u32 %size 0\n%h = OpCompositeExtract %u32 %size 1\n"
        "%lv = OpImageQueryLevels %u32 %b\n%samples = OpImageQuerySamples %u32 %am\n%levels = OpIAdd %u32 "
        "%lv %samples\n%t = OpImageRead %v4 %b %at\n%x = OpCompositeExtract %u32 %t 0\n"
        "%p1 = OpInBoundsPtrAccessChain %pu32 %out %l1\n%l2 = OpConvertPtrToU %u64 %out\n"
        "%m = OpIMul %u32 %w %h\nOpStore %out %m Aligned 4\n%n = OpIAdd %u32 %levels %x\nOpStore %p1 %n "
        "Aligned 4\n"
        "OpReturn\nOpFunctionEnd\n";
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    struct spv_run run = {.findings = 0};
    uint32_t texels[6] = {0, 1, 2, 3, 40, 5}, out[2] = {0};
    struct in_image image = image_2d(texels, 3, 2, IN_ORDER_R, IN_CHANNEL_UNSIGNED_INT32, 4);
    struct in_object io = image_object(texels, sizeof texels, 1), bo = spv_buffer(out, sizeof out, 2);
    struct in_environment environment = {.context = &run, .finding = spv_on_finding};
    struct clr_launch l = {
        .kernel = "k",
        .args = {clr_buffer(&bo), image_argument(&image, &io), image_argument(&image, &io)},
        .global = {1}};
    (void)state;
    if (spv_load(text, &module, &run.err) != MM_OK)
        fail_msg("%s", run.err.message);
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &run.err), MM_OK);
    assert_int_equal(clr_run(instance, module, &l, &run), MM_OK);
    assert_int_equal(out[0], 6);
    assert_int_equal(out[1], 42);
    in_instance_destroy(instance);
    in_module_release(module);
}

/* Levels of 4 x 4, 2 x 2 and 1 texel. */
static struct in_image mipmapped(int32_t texels[21])
{
    struct in_image image = image_2d(texels, 4, 4, IN_ORDER_R, IN_CHANNEL_SIGNED_INT32, 4);
    image.depth = image.array_size = 1;
    image.slice_pitch = 64;
    image.levels = 3;
    return image;
}

static void test_missing_levels(void **state)
{
    int32_t texels[21] = {0};
    struct in_image image = mipmapped(texels);
    struct in_object object = image_object(texels, sizeof texels, 1);
    (void)state;
    expect("kernel void k(write_only image2d_t i, global int *o)\n"
           "{ write_imagei(i, (int2)(0, 0), 3, (int4)(1)); }\n",
           &image, &object, "out-of-bounds");
    expect("kernel void k(write_only image2d_t i, global int *o)\n"
           "{ write_imagei(i, (int2)(0, 0), -1, (int4)(1)); }\n",
           &image, &object, "out-of-bounds");
    expect("kernel void k(write_only image2d_t i, global int *o)\n"
           "{ write_imagei(i, (int2)(2, 0), 1, (int4)(1)); }\n",
           &image, &object, "out-of-bounds");
    expect(
        "kernel void k(read_only image2d_t i, global int *o)\n"
        "{ const sampler_t s = CLK_NORMALIZED_COORDS_FALSE; o[0] = read_imagei(i, s, (float2)(0, 0), 1.0f).x; }\n",
        &image, &object, "invalid-sampler");
    for (int k = 0; k < 21; k++)
        assert_int_equal(texels[k], 0);
}

/* Only in SPIR-V do reads without a sampler and queries name levels [CL env 5.2.9 R1]. */
static void test_levels_without_source(void **state)
{
    static const char text[] =
        "OpCapability ImageBasic\nOpCapability ImageMipmap\n" SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%im = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n%v2 = OpTypeVector %u32 2\n"
        "%v4 = OpTypeVector %u32 4\n%fn = OpTypeFunction %void %pu32 %im\n"
        "%at = OpConstantComposite %v2 %c1 %c1\n"
        "%k = OpFunction %void None %fn\n%out = OpFunctionParameter %pu32\n%a = OpFunctionParameter %im\n"
        "%e = OpLabel\n%size = OpImageQuerySizeLod %v2 %a %c1\n%w = OpCompositeExtract %u32 %size 0\n"
        "%t = OpImageRead %v4 %a %at Lod %c1\n%x = OpCompositeExtract %u32 %t 0\n"
        "%p1 = OpInBoundsPtrAccessChain %pu32 %out %l1\n%l2 = OpConvertPtrToU %u64 %out\n"
        "OpStore %out %w Aligned 4\nOpStore %p1 %x Aligned 4\nOpReturn\nOpFunctionEnd\n";
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    struct spv_run run = {.findings = 0};
    uint32_t out[2] = {0};
    int32_t texels[21];
    struct in_image image = mipmapped(texels);
    struct in_object io = image_object(texels, sizeof texels, 1), bo = spv_buffer(out, sizeof out, 2);
    struct in_environment environment = {.context = &run, .finding = spv_on_finding};
    struct clr_launch l = {
        .kernel = "k", .args = {clr_buffer(&bo), image_argument(&image, &io)}, .global = {1}};
    (void)state;
    for (int k = 0; k < 21; k++)
        texels[k] = 100 + k;
    if (spv_load(text, &module, &run.err) != MM_OK)
        fail_msg("%s", run.err.message);
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &run.err), MM_OK);
    assert_int_equal(clr_run(instance, module, &l, &run), MM_OK);
    assert_int_equal(out[0], 2);
    assert_int_equal(out[1], 119); /* the last texel of level 1 */
    in_instance_destroy(instance);
    in_module_release(module);
}

static void test_opcodes_covered(void **state)
{
    static const char *const opcodes[] = {
        "OpSampledImage",     "OpImageSampleExplicitLod", "OpImageRead",        "OpImageWrite",
        "OpImageQueryFormat", "OpImageQueryOrder",        "OpImageQuerySizeLod"};
    (void)state;
    clr_must_have_seen(opcodes, sizeof opcodes / sizeof *opcodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sampled_2d),
                                       cmocka_unit_test(test_integers_and_queries),
                                       cmocka_unit_test(test_half_depth_and_channels),
                                       cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_findings),
                                       cmocka_unit_test(test_without_source),
                                       cmocka_unit_test(test_missing_levels),
                                       cmocka_unit_test(test_levels_without_source),
                                       cmocka_unit_test(test_opcodes_covered)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
