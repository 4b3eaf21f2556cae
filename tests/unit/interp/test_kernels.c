/* Kernels for the language's guarantees on memory and types: alignment of variables, layout, reinterpreted
 * constants, copies of two and three dimensions.  [CLC 6.3.5, 6.4.4, 6.15.11,
 * cl_khr_extended_async_copies] */
#include "clrun.h"

static struct spv_run out;

static void go(const char *source, struct in_object *buffers, uint32_t count, uint32_t items)
{
    struct clr_launch l = {.kernel = "k", .global = {items}, .local = {items}, .max_findings = 1};
    for (uint32_t k = 0; k < count; k++)
        l.args[k] = clr_buffer(&buffers[k]);
    l.args[count].local_size = 1024;
    if (clr_once(source, &l, &out) != MM_OK)
        fail_msg("%s %s", out.message, out.err.message);
}

/* Variables of every type in every address space start at multiples of the type's size, that of three
 * components at multiples of four. */
static void test_alignment(void **state)
{
    static const char *const types[] = {"char", "ushort", "int", "ulong", "half", "float", "double"};
    static const uint32_t sizes[] = {1, 2, 4, 8, 2, 4, 8}, widths[] = {2, 3, 4, 8, 16};
    static uint64_t offset[4 * 7 * 5];
    static char text[40000], body[30000];
    uint32_t n = 0;
    (void)state;
    memset(offset, 255, sizeof offset);
    text[0] = body[0] = 0;
    for (uint32_t t = 0; t < 7; t++)
        for (uint32_t w = 0; w < 5; w++, n++) {
            uint32_t size = sizes[t] * (widths[w] == 3 ? 4 : widths[w]);
            sprintf(text + strlen(text),
                    "global char g%uc; global %s%u g%u; constant char c%uc = 1; constant %s%u c%u = 0;\n", n,
                    types[t], widths[w], n, n, types[t], widths[w], n);
            sprintf(body + strlen(body), "local char l%uc; local %s%u l%u; char p%uc = 1; %s%u p%u = 0;\n", n,
                    types[t], widths[w], n, n, types[t], widths[w], n);
            sprintf(
                body + strlen(body),
                "o[%u] = (ulong)&g%u %% %u + (ulong)&c%u %% %u + (ulong)&l%u %% %u + (ulong)&p%u %% %u;\n", n,
                n, size, n, size, n, size, n, size);
        }
    static char whole[80000];
    snprintf(whole, sizeof whole,
             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n%skernel void k(global ulong *o) {\n%s}", text,
             body);
    struct in_object o = spv_buffer(offset, sizeof offset, 1);
    go(whole, &o, 1, 1);
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(offset[k], 0);
}

/* Constants reinterpreted as another type of the same size. */
static void test_reinterpreted(void **state)
{
    uint64_t v[8] = {0};
    struct in_object o = spv_buffer(v, sizeof v, 1);
    (void)state;
    go("kernel void k(global ulong *o) { o[0] = as_uint2(0x1234567800000003ul).y; o[1] = "
       "as_ushort4(0x1234567800000003l).s3;\n"
       "  o[2] = as_short2(0x12345678).y; o[3] = as_float2(0x3f80000040000000ul).x == 2.0f; o[4] = "
       "as_uchar8(3.0).s7;\n"
       "  o[5] = as_ulong((uchar8)(1, 2, 3, 4, 5, 6, 7, 8)); o[6] = as_uint4((double2)(1.0, 2.0)).w; }",
       &o, 1, 1);
    const uint64_t expected[] = {0x12345678, 0x1234, 0x1234, 1, 0x40, 0x0807060504030201, 0x40000000};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        assert_int_equal(v[k], expected[k]);
}

/* Parts of a rectangle and of a box, with different line and plane lengths on the two sides. */
static void test_extended_copies(void **state)
{
    static int16_t from[4096], to[4096], expected[4096];
    struct in_object o[2] = {spv_buffer(from, sizeof from, 1), spv_buffer(to, sizeof to, 2)};
    (void)state;
    for (int k = 0; k < 4096; k++)
        from[k] = (int16_t)k;
    /* [CLC 6.15.11.1 R1] */
    go("kernel void k(global short *s, global short *o, local short *l) {\n"
       "  event_t e = async_work_group_copy_2D2D(l, 1, s, 2 * 16 + 3, sizeof(short), 4, 5, 16, 7, 0);\n"
       "  wait_group_events(1, &e); e = async_work_group_copy_2D2D(o, 2, l, 1, sizeof(short), 4, 5, 7, 11, "
       "0);\n"
       "  wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE);\n"
       "  e = async_work_group_copy_3D3D(l, 3, s, 5, sizeof(short), 4, 3, 2, 16, 256, 6, 30, 0); "
       "wait_group_events(1, &e);\n"
       "  e = async_work_group_copy_3D3D(o, 1007, l, 3, sizeof(short), 4, 3, 2, 6, 30, 10, 100, 0);\n"
       "  wait_group_events(1, &e); }",
       o, 2, 4);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 4; x++)
            expected[2 + y * 11 + x] = from[35 + y * 16 + x];
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                expected[1007 + z * 100 + y * 10 + x] = from[5 + z * 256 + y * 16 + x];
    assert_memory_equal(to, expected, sizeof to);
}

/* Loops with counters of both widths: without checks, in_thread() shortens their ends, which changes neither
 * what they compute nor how many instructions are counted. */
static void test_loops(void **state)
{
    static const char source[] =
        "kernel void k(global long *o) {\n"
        "  for (int i = 0; i < 10; i++) o[0] += i;\n"
        "  for (uint i = 3; i != 9; i += 2) o[1] += i;\n"
        "  for (long i = 5; i >= 0; i--) o[2] += i;\n"
        "  for (ulong i = 0; i <= 7; i += 3) { if (i == 3) continue; o[3] += i; }\n"
        "  for (int i = 0; i < 3; i++) for (short j = 0; j < i; j++) o[4] += 10 * i + j;\n"
        "  int n = 20; while (n > 1) n -= 3; o[5] = n; }";
    static const int64_t expected[6] = {45, 3 + 5 + 7, 5 + 4 + 3 + 2 + 1, 6, 10 + 20 + 21, -1};
    uint64_t instructions[2];
    (void)state;
    for (int unchecked = 0; unchecked < 2; unchecked++) {
        int64_t v[6] = {0};
        struct in_object o = spv_buffer(v, sizeof v, 1);
        struct clr_launch l = {
            .kernel = "k", .args = {clr_buffer(&o)}, .max_findings = 1, .unchecked = unchecked};
        assert_int_equal(clr_once(source, &l, &out), MM_OK);
        assert_memory_equal(v, expected, sizeof v);
        instructions[unchecked] = out.instructions;
    }
    assert_true(instructions[0] > 0);
    assert_int_equal(instructions[0], instructions[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alignment), cmocka_unit_test(test_reinterpreted),
                                       cmocka_unit_test(test_extended_copies), cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
