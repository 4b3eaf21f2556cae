/* What the engine without checks executes as one instruction, and variables that share slots with values: results
 * as of the single instructions. */
#include "interp/lower/lower.h"
#include "spv.h"

enum { ITEMS = 4 };

#define HEAD                SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
#define FUNCTION            "%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%entry = OpLabel\n"
#define BEGIN(declarations) HEAD declarations FUNCTION
#define PLACE                                                                                                \
    "%g = OpLoad %v3u64 %gid Aligned 32\n%i = OpCompositeExtract %u64 %g 0\n%i32 = OpUConvert %u32 %i\n"     \
    "%at = OpInBoundsPtrAccessChain %pu32 %out %i\n%in = OpLoad %u32 %at Aligned 4\n"
#define END "OpStore %at %r Aligned 4\nOpReturn\nOpFunctionEnd\n"

static void execute(const char *text, uint32_t data[ITEMS])
{
    struct in_object buffer = spv_buffer(data, ITEMS * sizeof *data, 1);
    struct in_launch launch = {.global_size = {ITEMS}, .local_size = {ITEMS}};
    struct spv_run run;
    spv_unchecked = true;
    assert_int_equal(spv_execute(text, &launch, &buffer, 1, &run), MM_OK);
    spv_unchecked = false;
}

static void expect(const char *text, const uint32_t want[ITEMS])
{
    for (int checked = 0; checked < 2; checked++) {
        uint32_t data[ITEMS] = {10, 20, 30, 40};
        struct in_object buffer = spv_buffer(data, sizeof data, 1);
        struct in_launch launch = {.global_size = {ITEMS}, .local_size = {ITEMS}};
        struct spv_run run;
        spv_unchecked = !checked;
        assert_int_equal(spv_execute(text, &launch, &buffer, 1, &run), MM_OK);
        for (int k = 0; k < ITEMS; k++)
            assert_int_equal(data[k], want[k]);
    }
    spv_unchecked = false;
}

/* ---- pairs --------------------------------------------------------------------------------- */

static const char *const int_ops[] = {"OpIAdd",
                                      "OpISub",
                                      "OpIMul",
                                      "OpBitwiseAnd",
                                      "OpBitwiseOr",
                                      "OpBitwiseXor",
                                      "OpShiftLeftLogical",
                                      "OpShiftRightLogical",
                                      "OpShiftRightArithmetic"};
static const char *const float_ops[] = {"OpFAdd", "OpFSub", "OpFMul", "OpFDiv"};
enum { INTS = sizeof int_ops / sizeof *int_ops, FLOATS = sizeof float_ops / sizeof *float_ops };

static uint32_t int_result(int op, uint32_t x, uint32_t y)
{
    switch (op) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return x * y;
    case 3:
        return x & y;
    case 4:
        return x | y;
    case 5:
        return x ^ y;
    case 6:
        return x << (y % 32);
    case 7:
        return x >> (y % 32);
    default:
        return (uint32_t)((int64_t)(int32_t)x >> (y % 32));
    }
}

static uint32_t float_result(int op, uint32_t a, uint32_t b)
{
    float x, y, r;
    uint32_t bits;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    r = op == 0 ? x + y : op == 1 ? x - y : op == 2 ? x * y : x / y;
    memcpy(&bits, &r, sizeof bits);
    return bits;
}

/* The second operation has the result of the first as its first operand, as the second one, or as both. */
static void test_pair(bool is_float, int first, int second, int place)
{
    static const char *const operands[] = {"%x %c", "%c %x", "%x %x"};
    const char *copy = is_float ? "OpBitcast" : "OpCopyObject";
    const char *type = is_float ? "%f32" : "%u32";
    const char *const *ops = is_float ? float_ops : int_ops;
    char text[8192];
    uint32_t data[ITEMS] = {5, 0xfffffff3, 0x12345678, 0x80000001}, want[ITEMS];
    const uint32_t b = 7, c = 3;
    uint32_t (*result)(int, uint32_t, uint32_t) = is_float ? float_result : int_result;

    snprintf(text, sizeof text,
             "%s%%b = OpConstant %s %s\n%%c = OpConstant %s %s\n%s"
             "%%a = %s %s %%in\n%%x = %s %s %%a %%b\n%%y = %s %s %s\n"
             "%%xb = %s %%u32 %%x\n%%yb = %s %%u32 %%y\n"
             "%%r = OpBitwiseXor %%u32 %%xb %%yb\n%s",
             HEAD, type, is_float ? "7.5" : "7", type, is_float ? "-0.75" : "3", FUNCTION PLACE, copy, type,
             ops[first], type, ops[second], type, operands[place], copy, copy, END);
    for (int k = 0; k < ITEMS; k++) {
        uint32_t left = b, right = c;
        if (is_float) {
            const float numbers[ITEMS] = {1.5f, -2.25f, 1e30f, 3e-41f}, fb = 7.5f, fc = -0.75f;
            memcpy(&data[k], &numbers[k], 4);
            memcpy(&left, &fb, 4);
            memcpy(&right, &fc, 4);
        }
        uint32_t x = result(first, data[k], left);
        want[k] = x ^ (place == 0 ? result(second, x, right) : result(second, place == 1 ? right : x, x));
    }
    execute(text, data);
    for (int k = 0; k < ITEMS; k++)
        if (data[k] != want[k])
            fail_msg("%s, then %s %s: work-item %d has %x, not %x", ops[first], ops[second], operands[place],
                     k, data[k], want[k]);
}

static void test_pairs(void **state)
{
    (void)state;
    for (int first = 0; first < INTS; first++)
        for (int second = 0; second < INTS; second++)
            for (int place = 0; place < 3; place++)
                test_pair(false, first, second, place);
    for (int first = 0; first < FLOATS; first++)
        for (int second = 0; second < FLOATS; second++)
            for (int place = 0; place < 3; place++)
                test_pair(true, first, second, place);
}

/* ---- variables ----------------------------------------------------------------------------- */

#define SCALARS "%pf = OpTypePointer Function %u32\n%c5 = OpConstant %u32 5\n"
#define VECTORS                                                                                              \
    "%v3 = OpTypeVector %u32 3\n%v4 = OpTypeVector %u32 4\n%pf3 = OpTypePointer Function %v3\n"              \
    "%pf4 = OpTypePointer Function %v4\n"

/* A vector of 3 that is stored as a vector of 4 and loaded as both, as compilers do. */
static void test_view(void **state)
{
    (void)state;
    expect(BEGIN(VECTORS) "%v = OpVariable %pf3 Function\n" PLACE
                          "%w = OpCompositeConstruct %v4 %in %i32 %c3 %c2\n%p = OpBitcast %pf4 %v\n"
                          "OpStore %p %w Aligned 16\n%n = OpLoad %v3 %v Aligned 16\n"
                          "%q = OpBitcast %pf4 %v\n%m = OpLoad %v4 %q Aligned 16\n"
                          "%a = OpCompositeExtract %u32 %n 0\n%b = OpCompositeExtract %u32 %m 1\n"
                          "%s = OpIAdd %u32 %a %b\n%t = OpCompositeExtract %u32 %n 2\n"
                          "%r = OpIMul %u32 %s %t\n" END,
           (const uint32_t[]){30, 63, 96, 129});
}

/* v.xyz keeps its value when v changes. */
static void test_prefix(void **state)
{
    (void)state;
    expect(BEGIN(VECTORS) "%v = OpVariable %pf4 Function\n" PLACE
                          "%w = OpCompositeConstruct %v4 %in %i32 %c3 %c2\nOpStore %v %w Aligned 16\n"
                          "%l = OpLoad %v4 %v Aligned 16\n%x = OpVectorShuffle %v3 %l %l 0 1 2\n"
                          "%d = OpIAdd %v4 %w %w\nOpStore %v %d Aligned 16\n"
                          "%a = OpCompositeExtract %u32 %x 0\n%m = OpLoad %v4 %v Aligned 16\n"
                          "%b = OpCompositeExtract %u32 %m 1\n%r = OpIAdd %u32 %a %b\n" END,
           (const uint32_t[]){10, 22, 34, 46});
}

/* Shuffles in place: v = v.yxwz, and one with elements of two vectors. */
static void test_shuffles(void **state)
{
    (void)state;
    expect(BEGIN(VECTORS) "%v = OpVariable %pf4 Function\n" PLACE
                          "%w = OpCompositeConstruct %v4 %in %i32 %c3 %c2\nOpStore %v %w Aligned 16\n"
                          "%l = OpLoad %v4 %v Aligned 16\n%x = OpVectorShuffle %v4 %l %l 1 0 3 2\n"
                          "OpStore %v %x Aligned 16\n%m = OpLoad %v4 %v Aligned 16\n"
                          "%y = OpVectorShuffle %v4 %m %w 7 0 4 1\n%a = OpCompositeExtract %u32 %y 0\n"
                          "%b = OpCompositeExtract %u32 %y 1\n%c = OpCompositeExtract %u32 %y 2\n"
                          "%d = OpCompositeExtract %u32 %y 3\n%e = OpIMul %u32 %a %c\n"
                          "%f = OpIMul %u32 %b %d\n%r = OpIAdd %u32 %e %f\n" END,
           (const uint32_t[]){20, 60, 120, 200});
}

#define LOOP(variable, body, after)                                                                          \
    BEGIN(SCALARS)                                                                                           \
    "%v = OpVariable %pf Function" variable "\n%n = OpVariable %pf Function\n"                               \
    "%s = OpVariable %pf Function\n" PLACE "OpStore %n %c0 Aligned 4\nOpStore %s %c0 Aligned 4\n"            \
    "OpBranch %head\n%head = OpLabel\n%n0 = OpLoad %u32 %n Aligned 4\n"                                      \
    "%go = OpULessThan %bool %n0 %c3\nOpBranchConditional %go %body %done\n%body = OpLabel\n" body           \
    "%n1 = OpLoad %u32 %n Aligned 4\n%n2 = OpIAdd %u32 %n1 %c1\nOpStore %n %n2 Aligned 4\n"                  \
    "OpBranch %head\n%done = OpLabel\n" after                                                                \
    "%s9 = OpLoad %u32 %s Aligned 4\n%r = OpIAdd %u32 %s9 %in\n" END
#define SUM "%s0 = OpLoad %u32 %s Aligned 4\n%s1 = OpIAdd %u32 %s0 %l\nOpStore %s %s1 Aligned 4\n"

/* Variables that are stored once in the code: each iteration, before and after they are loaded. */
static void test_stored_once(void **state)
{
    (void)state;
    expect(LOOP("", "%x = OpIMul %u32 %n0 %c2\nOpStore %v %x Aligned 4\n%l = OpLoad %u32 %v Aligned 4\n" SUM,
                ""),
           (const uint32_t[]){16, 26, 36, 46});
    expect(LOOP(" %c5",
                "%l = OpLoad %u32 %v Aligned 4\n%x = OpIMul %u32 %n0 %c2\nOpStore %v %x Aligned 4\n" SUM, ""),
           (const uint32_t[]){17, 27, 37, 47});
    expect(LOOP(" %c5",
                "%x = OpIMul %u32 %n0 %c2\n%l = OpLoad %u32 %v Aligned 4\n" SUM "OpStore %v %x Aligned 4\n",
                "%z = OpLoad %u32 %v Aligned 4\n%s2 = OpLoad %u32 %s Aligned 4\n%s3 = OpIAdd %u32 %s2 %z\n"
                "OpStore %s %s3 Aligned 4\n"),
           (const uint32_t[]){21, 31, 41, 51});
}

/* A variable with the value of a parameter, and one with that of a variable that changes. */
static void test_names(void **state)
{
    (void)state;
    expect(
        BEGIN(
            SCALARS
            "%ppu = OpTypePointer Function %pu32\n") "%p = OpVariable %ppu Function\n%v = OpVariable %pf Function\n%w = OpVariable %pf Function\n"
                                                     "OpStore %p %out Aligned 8\n" PLACE
                                                     "OpStore %v %in Aligned 4\n%x = OpLoad %u32 %v Aligned 4\n"
                                                     "OpStore %w %x Aligned 4\nOpStore %v %c5 Aligned 4\nOpBranch %next\n%next = OpLabel\n"
                                                     "%y = OpLoad %u32 %w Aligned 4\n%z = OpLoad %u32 %v Aligned 4\n%o = OpLoad %pu32 %p Aligned 8\n"
                                                     "%e = OpInBoundsPtrAccessChain %pu32 %o %i\n%f = OpLoad %u32 %e Aligned 4\n"
                                                     "%h = OpIAdd %u32 %y %z\n%r = OpIAdd %u32 %h %f\n" END,
        (const uint32_t[]){25, 45, 65, 85});
}

/* The last instructions of a module have no operands, and nothing behind them is read. */
static void test_end(void **state)
{
    (void)state;
    uint32_t *last = mm_guarded_alloc(sizeof *last, sizeof *last);
    assert_non_null(last);
    *last = 1u << 16 | SpvOpReturn;
    const struct in_inst end = {.w = last, .opcode = SpvOpReturn, .count = 1, .operands = last + 1};
    assert_false(in_is_prefix(NULL, &end));
    mm_guarded_free(last);
    expect(BEGIN("") PLACE
           "OpStore %at %i32 Aligned 4\nOpBranch %end\n%end = OpLabel\nOpReturn\nOpFunctionEnd\n",
           (const uint32_t[]){0, 1, 2, 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),    cmocka_unit_test(test_view),        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_shuffles), cmocka_unit_test(test_stored_once), cmocka_unit_test(test_names),
        cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
