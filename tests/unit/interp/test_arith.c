/* Every arithmetic, bit and relational opcode on scalars and vectors, against results computed here. */
#include "spv.h"
#include <math.h>

struct int_case {
    const char *opcode;
    uint64_t (*expected)(uint64_t a, uint64_t b, unsigned bits);
    bool unary, divides;
};

static int64_t sx(uint64_t v, unsigned bits)
{
    uint64_t m = UINT64_C(1) << (bits - 1);
    v = bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
    return (int64_t)((v ^ m) - m);
}
static uint64_t zx(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

#define CASE(name, e)                                                                                        \
    static uint64_t f_##name(uint64_t a, uint64_t b, unsigned bits)                                          \
    {                                                                                                        \
        int64_t s = sx(a, bits), t = sx(b, bits);                                                            \
        uint64_t x = zx(a, bits), y = zx(b, bits);                                                           \
        (void)s, (void)t, (void)x, (void)y;                                                                  \
        return (uint64_t)(e);                                                                                \
    }
static uint64_t reverse(uint64_t v, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < bits; k++)
        if (v >> k & 1)
            r |= UINT64_C(1) << (bits - 1 - k);
    return r;
}
static unsigned ones(uint64_t v)
{
    unsigned n = 0;
    for (; v != 0; v &= v - 1)
        n++;
    return n;
}
CASE(OpIAdd, x + y)
CASE(OpISub, x - y)
CASE(OpIMul, x *y)
CASE(OpUDiv, x / y)
CASE(OpSDiv, t == -1 ? 0 - x : (uint64_t)(s / t))
CASE(OpUMod, x % y)
CASE(OpSRem, t == -1 ? 0 : s % t)
CASE(OpSMod, t == -1 ? 0 : ((s % t) + t) % t)
CASE(OpBitwiseAnd, x &y)
CASE(OpBitwiseOr, x | y)
CASE(OpBitwiseXor, x ^ y)
CASE(OpShiftLeftLogical, x << (y % bits))
CASE(OpShiftRightLogical, x >> (y % bits))
CASE(OpShiftRightArithmetic, s >> (y % bits))
CASE(OpSNegate, 0 - x)
CASE(OpNot, ~x)
CASE(OpBitReverse, reverse(x, bits))
CASE(OpBitCount, ones(x))
CASE(OpIEqual, x == y)
CASE(OpINotEqual, x != y)
CASE(OpUGreaterThan, x > y)
CASE(OpSGreaterThan, s > t)
CASE(OpUGreaterThanEqual, x >= y)
CASE(OpSGreaterThanEqual, s >= t)
CASE(OpULessThan, x < y)
CASE(OpSLessThan, s < t)
CASE(OpULessThanEqual, x <= y)
CASE(OpSLessThanEqual, s <= t)

#define ROW(name, unary, divides)                                                                            \
    {                                                                                                        \
#name, f_##name, unary, divides                                                                      \
    }
static const struct int_case int_cases[] = {ROW(OpIAdd, false, false),
                                            ROW(OpISub, false, false),
                                            ROW(OpIMul, false, false),
                                            ROW(OpUDiv, false, true),
                                            ROW(OpSDiv, false, true),
                                            ROW(OpUMod, false, true),
                                            ROW(OpSRem, false, true),
                                            ROW(OpSMod, false, true),
                                            ROW(OpBitwiseAnd, false, false),
                                            ROW(OpBitwiseOr, false, false),
                                            ROW(OpBitwiseXor, false, false),
                                            ROW(OpShiftLeftLogical, false, false),
                                            ROW(OpShiftRightLogical, false, false),
                                            ROW(OpShiftRightArithmetic, false, false),
                                            ROW(OpSNegate, true, false),
                                            ROW(OpNot, true, false),
                                            ROW(OpBitReverse, true, false),
                                            ROW(OpBitCount, true, false)};
static const struct int_case compare_cases[] = {ROW(OpIEqual, false, false),
                                                ROW(OpINotEqual, false, false),
                                                ROW(OpUGreaterThan, false, false),
                                                ROW(OpSGreaterThan, false, false),
                                                ROW(OpUGreaterThanEqual, false, false),
                                                ROW(OpSGreaterThanEqual, false, false),
                                                ROW(OpULessThan, false, false),
                                                ROW(OpSLessThan, false, false),
                                                ROW(OpULessThanEqual, false, false),
                                                ROW(OpSLessThanEqual, false, false)};

enum { N = 36 };
static const uint64_t corner[6] = {
    0, 1, UINT64_MAX, UINT64_C(0x8080808080808080), UINT64_C(0x7f7f7f7f7f7f7f7f), 77};

/* c[i] = a[i] OP b[i] with elements of WIDTH bits, in vectors of COUNT. */
static void build(char *text, size_t size, const char *opcode, unsigned width, unsigned count, bool unary,
                  bool compare, char kind)
{
    char type[16], vector[200] = "";
    if (count > 1) {
        snprintf(type, sizeof type, "v%u", count);
        snprintf(vector, sizeof vector, "%%v%u = OpTypeVector %%%c%u %u\n%%vb = OpTypeVector %%bool %u\n",
                 count, kind, width, count, count);
    } else {
        snprintf(type, sizeof type, "%c%u", kind, width);
    }
    const char *truth = count > 1 ? "vb" : "bool";
    snprintf(text, size,
             "%s%s%%pt = OpTypePointer CrossWorkgroup %%%s\n"
             "%%fn = OpTypeFunction %%void %%pt %%pt %%pt\n%%zero = OpConstantNull %%%s\n"
             "%%k = OpFunction %%void None %%fn\n%%a = OpFunctionParameter %%pt\n"
             "%%b = OpFunctionParameter %%pt\n%%c = OpFunctionParameter %%pt\n%%e = OpLabel\n"
             "%%g = OpLoad %%v3u64 %%gid Aligned 32\n%%i = OpCompositeExtract %%u64 %%g 0\n"
             "%%pa = OpInBoundsPtrAccessChain %%pt %%a %%i\n%%pb = OpInBoundsPtrAccessChain %%pt %%b %%i\n"
             "%%pc = OpInBoundsPtrAccessChain %%pt %%c %%i\n"
             "%%x = OpLoad %%%s %%pa Aligned 1\n%%y = OpLoad %%%s %%pb Aligned 1\n",
             SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES, vector, type, type, type, type);
    size_t at = strlen(text);
    if (compare && kind == 'u')
        snprintf(text + at, size - at,
                 "%%r = %s %%%s %%x %%y\n%%s = OpSelect %%%s %%r %%x %%zero\n%%n = OpLogicalNot %%%s %%r\n"
                 "%%q = OpSelect %%%s %%n %%zero %%y\n%%z = OpBitwiseXor %%%s %%s %%q\n",
                 opcode, truth, type, truth, type, type);
    else if (compare)
        snprintf(text + at, size - at, "%%r = %s %%%s %%x%s\n%%z = OpSelect %%%s %%r %%y %%zero\n", opcode,
                 truth, unary ? "" : " %y", type);
    else
        snprintf(text + at, size - at, "%%z = %s %%%s %%x%s\n", opcode, type, unary ? "" : " %y");
    at = strlen(text);
    snprintf(text + at, size - at, "OpStore %%pc %%z Aligned 1\nOpReturn\nOpFunctionEnd\n");
}

static void run(const char *text, void *a, void *b, void *c, size_t bytes, unsigned items)
{
    struct spv_run out;
    struct in_object buffers[3] = {spv_buffer(a, bytes, 1), spv_buffer(b, bytes, 2), spv_buffer(c, bytes, 3)};
    struct in_launch launch = {.global_size = {items}, .local_size = {items}};
    enum mm_class result = spv_execute(text, &launch, buffers, 3, &out);
    if (result != MM_OK)
        fail_msg("%s\n%s", out.message, text);
}

static void check_int(const struct int_case *t, unsigned width, unsigned count, bool compare)
{
    char text[8192];
    uint8_t a[N * 8], b[N * 8], c[N * 8];
    unsigned bytes = width / 8;
    for (unsigned k = 0; k < N; k++) {
        uint64_t y = corner[k % 6];
        if (t->divides && zx(y, width) == 0)
            y = 3;
        memcpy(a + k * bytes, &corner[k / 6], bytes);
        memcpy(b + k * bytes, &y, bytes);
    }
    build(text, sizeof text, t->opcode, width, count, t->unary, compare, 'u');
    run(text, a, b, c, N * bytes, N / count);
    for (unsigned k = 0; k < N; k++) {
        uint64_t x = 0, y = 0, z = 0;
        memcpy(&x, a + k * bytes, bytes);
        memcpy(&y, b + k * bytes, bytes);
        memcpy(&z, c + k * bytes, bytes);
        uint64_t expected = zx(t->expected(x, y, width), width);
        if (compare)
            expected = t->expected(x, y, width) ? x ^ y : 0;
        if (z != expected)
            fail_msg("%s u%u x%u: %llx, %llx gives %llx, not %llx", t->opcode, width, count,
                     (unsigned long long)x, (unsigned long long)y, (unsigned long long)z,
                     (unsigned long long)expected);
    }
}

static void test_integers(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof int_cases / sizeof *int_cases; k++)
        for (unsigned width = 8; width <= 64; width *= 2)
            for (unsigned count = 1; count <= 4; count *= 2)
                check_int(&int_cases[k], width, count, false);
}

/* c = r ? x ^ y : 0, through selects on r and on its negation. */
static void test_comparisons(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof compare_cases / sizeof *compare_cases; k++)
        for (unsigned width = 8; width <= 64; width *= 2)
            for (unsigned count = 1; count <= 4; count *= 2)
                check_int(&compare_cases[k], width, count, true);
}

/* ---- floats ------------------------------------------------------------------------------ */

struct float_case {
    const char *opcode;
    double (*expected)(double, double);
    bool unary, compare;
};
#define FCASE(name, e)                                                                                       \
    static double g_##name(double x, double y)                                                               \
    {                                                                                                        \
        (void)x, (void)y;                                                                                    \
        return (double)(e);                                                                                  \
    }
FCASE(OpFAdd, x + y)
FCASE(OpFSub, x - y)
FCASE(OpFMul, x *y)
FCASE(OpFDiv, x / y)
FCASE(OpFRem, fmod(x, y))
FCASE(OpFNegate, -x)
FCASE(OpFOrdEqual, x == y)
FCASE(OpFUnordEqual, isunordered(x, y) || x == y)
FCASE(OpFOrdNotEqual, islessgreater(x, y))
FCASE(OpFUnordNotEqual, isunordered(x, y) || x != y)
FCASE(OpFOrdLessThan, isless(x, y))
FCASE(OpFUnordLessThan, isunordered(x, y) || x < y)
FCASE(OpFOrdGreaterThan, isgreater(x, y))
FCASE(OpFUnordGreaterThan, isunordered(x, y) || x > y)
FCASE(OpFOrdLessThanEqual, islessequal(x, y))
FCASE(OpFUnordLessThanEqual, isunordered(x, y) || x <= y)
FCASE(OpFOrdGreaterThanEqual, isgreaterequal(x, y))
FCASE(OpFUnordGreaterThanEqual, isunordered(x, y) || x >= y)
FCASE(OpOrdered, !isunordered(x, y))
FCASE(OpUnordered, isunordered(x, y))
FCASE(OpIsNan, isnan(x) != 0)
FCASE(OpIsInf, isinf(x) != 0)
FCASE(OpIsFinite, isfinite(x) != 0)
FCASE(OpSignBitSet, signbit(x) != 0)
#define FROW(name, unary, compare)                                                                           \
    {                                                                                                        \
#name, g_##name, unary, compare                                                                      \
    }
static const struct float_case float_cases[] = {
    FROW(OpFAdd, false, false),
    FROW(OpFSub, false, false),
    FROW(OpFMul, false, false),
    FROW(OpFDiv, false, false),
    FROW(OpFRem, false, false),
    FROW(OpFNegate, true, false),
    FROW(OpFOrdEqual, false, true),
    FROW(OpFUnordEqual, false, true),
    FROW(OpFOrdNotEqual, false, true),
    FROW(OpFUnordNotEqual, false, true),
    FROW(OpFOrdLessThan, false, true),
    FROW(OpFUnordLessThan, false, true),
    FROW(OpFOrdGreaterThan, false, true),
    FROW(OpFUnordGreaterThan, false, true),
    FROW(OpFOrdLessThanEqual, false, true),
    FROW(OpFUnordLessThanEqual, false, true),
    FROW(OpFOrdGreaterThanEqual, false, true),
    FROW(OpFUnordGreaterThanEqual, false, true),
    FROW(OpOrdered, false, true),
    FROW(OpUnordered, false, true),
    FROW(OpIsNan, true, true),
    FROW(OpIsInf, true, true),
    FROW(OpIsFinite, true, true),
    FROW(OpSignBitSet, true, true),
};

static void check_float(const struct float_case *t, unsigned width, unsigned count)
{
    static const double values[6] = {0.0, -1.5, 3.25, INFINITY, NAN, 1e10};
    char text[8192];
    uint8_t a[N * 8], b[N * 8], c[N * 8];
    unsigned bytes = width / 8;
    for (unsigned k = 0; k < N; k++) {
        float x = (float)values[k / 6], y = (float)values[k % 6];
        memcpy(a + k * bytes, width == 32 ? (void *)&x : (void *)&values[k / 6], bytes);
        memcpy(b + k * bytes, width == 32 ? (void *)&y : (void *)&values[k % 6], bytes);
    }
    build(text, sizeof text, t->opcode, width, count, t->unary, t->compare, 'f');
    run(text, a, b, c, N * bytes, N / count);
    for (unsigned k = 0; k < N; k++) {
        double x = values[k / 6], y = values[k % 6], z;
        float w;
        memcpy(&w, c + k * bytes, sizeof w);
        memcpy(&z, c + k * bytes, bytes);
        z = width == 32 ? (double)w : z;
        double e = t->expected(x, y);
        e = t->compare ? (e != 0 ? y : 0) : width == 32 ? (double)(float)e : e;
        if (!(z == e || (isnan(z) && isnan(e))))
            fail_msg("%s f%u: %g, %g gives %g, not %g", t->opcode, width, x, y, z, e);
    }
}

static void test_floats(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof float_cases / sizeof *float_cases; k++)
        for (unsigned width = 32; width <= 64; width *= 2)
            for (unsigned count = 1; count <= 4; count *= 2)
                check_float(&float_cases[k], width, count);
}

int main(void)
{
    spv_unchecked = true; /* results of undefined operations are tested too */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_integers), cmocka_unit_test(test_comparisons),
                                       cmocka_unit_test(test_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
