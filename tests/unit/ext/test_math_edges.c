/* Edge cases that OpenCL C adds to C's [CLC 7.5.1], and functions that return two results or select an
 * operand [CLC 6.15.2, 6.15.4]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "interp/ext/convert.h"
#include "interp/ext/ext.h"
#include "tests/lib/skip.h"

enum {
    ACOSPI = 2,
    ASINPI = 5,
    ATANPI = 9,
    ATAN2PI = 10,
    CEIL = 12,
    COPYSIGN = 13,
    COSPI = 16,
    EXP10 = 21,
    FDIM = 24,
    FMAX = 27,
    FMIN = 28,
    FMOD = 29,
    FRACT = 30,
    FREXP = 31,
    ILOGB = 33,
    LDEXP = 34,
    LGAMMA_R = 36,
    LOGB = 41,
    MAD = 42,
    MAXMAG = 43,
    MINMAG = 44,
    MODF = 45,
    NAN_ = 46,
    NEXTAFTER = 47,
    POW = 48,
    POWN = 49,
    POWR = 50,
    REMQUO = 52,
    RINT = 53,
    ROOTN = 54,
    ROUND = 55,
    SINCOS = 58,
    SINPI = 60,
    TANPI = 64,
    TRUNC = 66,
    FCLAMP = 95,
    FMAX_COMMON = 97,
    FMIN_COMMON = 98,
    MIX = 99,
    STEP = 101,
    SMOOTHSTEP = 102,
    SIGN = 103
};

static void store(int type, void *out, double value)
{
    in_convert_find(IN_F64, (enum in_type)(IN_F16 + type), IN_RTE, false)(&value, out);
}

static double load(int type, const void *in)
{
    double value;
    in_convert_find((enum in_type)(IN_F16 + type), IN_F64, IN_RTE, false)(in, &value);
    return value;
}

static double call(int type, uint32_t opcode, double a, double b, double c)
{
    uint64_t x, y, z, r;
    store(type, &x, a);
    store(type, &y, b);
    store(type, &z, c);
    in_ext_find(opcode)->kernel[type](&r, NULL, &x, &y, &z);
    return load(type, &r);
}

static double call_integer(int type, uint32_t opcode, double a, int32_t n)
{
    uint64_t x, r;
    store(type, &x, a);
    in_ext_find(opcode)->kernel[type](&r, NULL, &x, &n, NULL);
    return load(type, &r);
}

/* Equal including the sign of zeros; any NaN equals any other. */
static bool same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

struct edge {
    uint32_t opcode;
    double a, b, c, want;
};

static void check(const struct edge *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int type = 0; type < 3; type++) {
            const struct edge *e = &edges[i];
            double got = call(type, e->opcode, e->a, e->b, e->c);
            if (!same(got, e->want))
                fail_msg("%s(%g, %g, %g), type %d: %g, not %g", in_ext_find(e->opcode)->name, e->a, e->b,
                         e->c, type, got, e->want);
        }
}
#define CHECK(...)                                                                                           \
    do {                                                                                                     \
        const struct edge edges[] = {__VA_ARGS__};                                                           \
        check(edges, sizeof edges / sizeof *edges);                                                          \
    } while (0)
#define INF INFINITY

static void test_half_turns(void **state)
{
    (void)state;
    CHECK({ACOSPI, 1, 0, 0, 0.0}, {ACOSPI, 2, 0, 0, NAN}, {ACOSPI, -1, 0, 0, 1}, {ASINPI, -0.0, 0, 0, -0.0},
          {ASINPI, 1, 0, 0, 0.5}, {ASINPI, -2, 0, 0, NAN}, {ATANPI, -0.0, 0, 0, -0.0},
          {ATANPI, -INF, 0, 0, -0.5}, {COSPI, -0.0, 0, 0, 1}, {COSPI, 0.5, 0, 0, 0.0},
          {COSPI, 1.5, 0, 0, 0.0}, {COSPI, -2.5, 0, 0, 0.0}, {COSPI, INF, 0, 0, NAN},
          {SINPI, -0.0, 0, 0, -0.0}, {SINPI, 3, 0, 0, 0.0}, {SINPI, -3, 0, 0, -0.0}, {SINPI, 4, 0, 0, 0.0},
          {SINPI, INF, 0, 0, NAN}, {SINPI, 1.5, 0, 0, -1}, {TANPI, -0.0, 0, 0, -0.0}, {TANPI, 2, 0, 0, 0.0},
          {TANPI, -2, 0, 0, -0.0}, {TANPI, 3, 0, 0, -0.0}, {TANPI, -3, 0, 0, 0.0}, {TANPI, 0.5, 0, 0, INF},
          {TANPI, 1.5, 0, 0, -INF}, {TANPI, -0.5, 0, 0, -INF}, {TANPI, -1.5, 0, 0, INF},
          {TANPI, INF, 0, 0, NAN});
    CHECK({ATAN2PI, 0.0, -0.0, 0, 1}, {ATAN2PI, -0.0, -0.0, 0, -1}, {ATAN2PI, -0.0, 0.0, 0, -0.0},
          {ATAN2PI, -0.0, -3, 0, -1}, {ATAN2PI, -0.0, 3, 0, -0.0}, {ATAN2PI, -2, -0.0, 0, -0.5},
          {ATAN2PI, 2, 0.0, 0, 0.5}, {ATAN2PI, -2, -INF, 0, -1}, {ATAN2PI, -2, INF, 0, -0.0},
          {ATAN2PI, -INF, 2, 0, -0.5}, {ATAN2PI, -INF, -INF, 0, -0.75}, {ATAN2PI, INF, INF, 0, 0.25});
}

static void test_rounding(void **state)
{
    (void)state;
    CHECK({CEIL, -0.25, 0, 0, -0.0}, {RINT, -0.5, 0, 0, -0.0}, {RINT, 2.5, 0, 0, 2}, {RINT, 3.5, 0, 0, 4},
          {ROUND, -0.25, 0, 0, -0.0}, {ROUND, 2.5, 0, 0, 3}, {ROUND, -2.5, 0, 0, -3},
          {TRUNC, -0.75, 0, 0, -0.0});
}

static void test_powers(void **state)
{
    (void)state;
    CHECK({EXP10, -0.0, 0, 0, 1}, {EXP10, -INF, 0, 0, 0.0}, {EXP10, INF, 0, 0, INF}, {EXP10, 2, 0, 0, 100},
          {POW, -0.0, -INF, 0, INF}, {POW, NAN, 0.0, 0, 1}, {POW, 1, NAN, 0, 1}, {POW, -1, INF, 0, 1},
          {POW, -8, 3, 0, -512}, {POW, -2, 0.5, 0, NAN}, {POWR, 3, -0.0, 0, 1}, {POWR, -0.0, -2, 0, INF},
          {POWR, 0.0, -INF, 0, INF}, {POWR, -0.0, 3, 0, 0.0}, {POWR, 1, 5, 0, 1}, {POWR, -1, 2, 0, NAN},
          {POWR, 0.0, -0.0, 0, NAN}, {POWR, INF, 0.0, 0, NAN}, {POWR, 1, INF, 0, NAN}, {POWR, 2, NAN, 0, NAN},
          {POWR, NAN, 0.0, 0, NAN}, {POWR, INF, -1, 0, 0.0}, {POWR, 4, 0.5, 0, 2});
    static const struct {
        uint32_t opcode;
        double x;
        int32_t n;
        double want;
    } integer[] = {
        {POWN, NAN, 0, 1},        {POWN, INF, 0, 1},          {POWN, -0.0, -3, -INF}, {POWN, -0.0, -2, INF},
        {POWN, -0.0, 2, 0.0},     {POWN, -0.0, 3, -0.0},      {POWN, -2, 3, -8},      {ROOTN, -0.0, -3, -INF},
        {ROOTN, -0.0, -2, INF},   {ROOTN, -0.0, 2, 0.0},      {ROOTN, -0.0, 3, -0.0}, {ROOTN, -4, 2, NAN},
        {ROOTN, 4, 0, NAN},       {ROOTN, -8, 3, -2},         {ROOTN, INF, 2, INF},   {ROOTN, -INF, 3, -INF},
        {ROOTN, -INF, -3, -0.0},  {ROOTN, 3, 1, 3},           {ROOTN, 1, INT_MIN, 1}, {LDEXP, 1, 5, 32},
        {LDEXP, 1, INT_MAX, INF}, {LDEXP, -1, INT_MIN, -0.0}, {LDEXP, NAN, 1, NAN}};
    for (size_t i = 0; i < sizeof integer / sizeof *integer; i++)
        for (int type = 0; type < 3; type++) {
            double got = call_integer(type, integer[i].opcode, integer[i].x, integer[i].n);
            if (!same(got, integer[i].want))
                fail_msg("%s(%g, %d), type %d: %g", in_ext_find(integer[i].opcode)->name, integer[i].x,
                         integer[i].n, type, got);
        }
}

static void test_choosing(void **state)
{
    (void)state;
    CHECK({FMAX, NAN, 2, 0, 2}, {FMAX, 2, NAN, 0, 2}, {FMAX, NAN, NAN, 0, NAN}, {FMAX, -3, 2, 0, 2},
          {FMIN, NAN, 2, 0, 2}, {FMIN, 2, NAN, 0, 2}, {FMIN, -INF, 2, 0, -INF}, {MAXMAG, -3, 2, 0, -3},
          {MAXMAG, 2, -3, 0, -3}, {MAXMAG, -3, 3, 0, 3}, {MAXMAG, NAN, -3, 0, -3}, {MINMAG, -3, 2, 0, 2},
          {MINMAG, -3, 3, 0, -3}, {MINMAG, 1, NAN, 0, 1}, {COPYSIGN, 2, -0.0, 0, -2}, {COPYSIGN, -2, 1, 0, 2},
          {FDIM, 3, 1, 0, 2}, {FDIM, 1, 3, 0, 0.0}, {FDIM, NAN, 3, 0, NAN}, {FDIM, 3, NAN, 0, NAN},
          {FMOD, -0.0, NAN, 0, NAN}, {FMOD, -7, 2, 0, -1}, {FMOD, 7, -2, 0, 1}, {LOGB, 0.0, 0, 0, -INF},
          {LOGB, -INF, 0, 0, INF}, {LOGB, 10, 0, 0, 3}, {FCLAMP, 5, 0, 1, 1}, {FCLAMP, -5, 0, 1, 0.0},
          {FCLAMP, 0.5, 0, 1, 0.5}, {FMAX_COMMON, 1, 2, 0, 2}, {FMIN_COMMON, 1, 2, 0, 1}, {MIX, 1, 3, 0.5, 2},
          {MIX, 1, 3, 0, 1}, {STEP, 1, 0.5, 0, 0.0}, {STEP, 1, 1, 0, 1}, {SMOOTHSTEP, 0, 1, 0.5, 0.5},
          {SMOOTHSTEP, 0, 1, -3, 0.0}, {SMOOTHSTEP, 0, 1, 3, 1}, {SMOOTHSTEP, 0, 4, 1, 0.15625},
          {SIGN, -0.0, 0, 0, -0.0}, {SIGN, 7, 0, 0, 1}, {SIGN, -INF, 0, 0, -1}, {SIGN, NAN, 0, 0, 0.0},
          {MAD, 2, 3, 4, 10}, {MAD, INF, 0.0, 1, NAN});
}

/* A signaling NaN is a NaN like any other; written as bits, since converting it would make it quiet. */
static void test_signaling(void **state)
{
    (void)state;
    const uint64_t signaling = UINT64_C(0x7ff0000000000001);
    const double two = 2;
    static const uint32_t choosing[] = {FMAX, FMIN, MAXMAG, MINMAG};
    for (size_t i = 0; i < sizeof choosing / sizeof *choosing; i++) {
        double first = 0, second = 0;
        in_ext_find(choosing[i])->kernel[2](&first, NULL, &signaling, &two, NULL);
        in_ext_find(choosing[i])->kernel[2](&second, NULL, &two, &signaling, NULL);
        assert_true(first == two && second == two);
    }
}

static const double least[3] = {0x1p-24, 0x1p-149, 0x1p-1074},
                    greatest[3] = {65504, 0x1.fffffep127, 0x1.fffffffffffffp1023};
static const double below_one[3] = {0x1.ffcp-1, 0x1.fffffep-1, 0x1.fffffffffffffp-1};

static void test_nextafter(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        assert_true(same(call(t, NEXTAFTER, -0.0, 1, 0), least[t]));
        assert_true(same(call(t, NEXTAFTER, 0.0, -1, 0), -least[t]));
        assert_true(same(call(t, NEXTAFTER, least[t], -1, 0), 0.0));
        assert_true(same(call(t, NEXTAFTER, -least[t], 1, 0), -0.0));
        assert_true(same(call(t, NEXTAFTER, 1, 0, 0), below_one[t]));
        assert_true(same(call(t, NEXTAFTER, -below_one[t], -2, 0), -1));
        assert_true(same(call(t, NEXTAFTER, greatest[t], INF, 0), INF));
        assert_true(same(call(t, NEXTAFTER, INF, 0, 0), greatest[t]));
        assert_true(same(call(t, NEXTAFTER, 2, 2, 0), 2));
        assert_true(same(call(t, NEXTAFTER, NAN, 2, 0), NAN));
        assert_true(same(call(t, NEXTAFTER, 2, NAN, 0), NAN));
    }
}

static void check_pair(uint32_t opcode, double x, double want, double want_second)
{
    for (int t = 0; t < 3; t++) {
        uint64_t a, r, s;
        store(t, &a, x);
        in_ext_find(opcode)->kernel[t](&r, &s, &a, NULL, NULL);
        if (!same(load(t, &r), want) || !same(load(t, &s), want_second))
            fail_msg("%s(%g), type %d: %g and %g", in_ext_find(opcode)->name, x, t, load(t, &r), load(t, &s));
    }
}

static void test_fract_modf_sincos(void **state)
{
    (void)state;
    check_pair(FRACT, -0.0, -0.0, -0.0);
    check_pair(FRACT, 0.0, 0.0, 0.0);
    check_pair(FRACT, INF, 0.0, INF);
    check_pair(FRACT, -INF, -0.0, -INF);
    check_pair(FRACT, NAN, NAN, NAN);
    check_pair(FRACT, 2.75, 0.75, 2);
    check_pair(FRACT, -2.75, 0.25, -3);
    check_pair(FRACT, -3, 0.0, -3);
    check_pair(MODF, -2.75, -0.75, -2);
    check_pair(MODF, -INF, -0.0, -INF);
    check_pair(SINCOS, -0.0, -0.0, 1);
    check_pair(SINCOS, INF, NAN, NAN);
    for (int t = 0; t < 3; t++) {
        uint64_t a, r, s;
        store(t, &a, -least[t]);
        in_ext_find(FRACT)->kernel[t](&r, &s, &a, NULL, NULL);
        assert_true(same(load(t, &r), below_one[t]));
        assert_true(same(load(t, &s), -1));
    }
}

static void check_with_integer(uint32_t opcode, double x, double y, double want, int32_t want_second)
{
    for (int t = 0; t < 3; t++) {
        uint64_t a, b, r;
        int32_t s = 99;
        store(t, &a, x);
        store(t, &b, y);
        in_ext_find(opcode)->kernel[t](&r, &s, &a, &b, NULL);
        if (!same(load(t, &r), want) || s != want_second)
            fail_msg("%s(%g, %g), type %d: %g and %d", in_ext_find(opcode)->name, x, y, t, load(t, &r), s);
    }
}

static void test_frexp_lgamma(void **state)
{
    (void)state;
    check_with_integer(FREXP, 12, 0, 0.75, 4);
    check_with_integer(FREXP, -0.0, 0, -0.0, 0);
    check_with_integer(FREXP, -INF, 0, -INF, 0);
    check_with_integer(FREXP, NAN, 0, NAN, 0);
    check_with_integer(FREXP, 0x1p-24, 0, 0.5, -23);
    check_with_integer(LGAMMA_R, 1, 0, 0.0, 1);
    check_with_integer(LGAMMA_R, -0.0, 0, INF, 0);
    check_with_integer(LGAMMA_R, -3, 0, INF, 0);
    check_with_integer(LGAMMA_R, INF, 0, INF, 1);
}

/* The quotient's low seven bits with its sign; the expectations are simple enough to divide by hand. */
static void test_remquo(void **state)
{
    (void)state;
    check_with_integer(REMQUO, 7, 2, -1, 4);
    check_with_integer(REMQUO, 5, 2, 1, 2);
    check_with_integer(REMQUO, -7, 2, 1, -4);
    check_with_integer(REMQUO, 7, -2, -1, -4);
    check_with_integer(REMQUO, 1000, 3, 1, 333 & 127);
    check_with_integer(REMQUO, -1000, 3, -1, -(333 & 127));
    check_with_integer(REMQUO, 2047, 1, 0.0, 127);
    check_with_integer(REMQUO, -2048, 1, -0.0, 0);
    check_with_integer(REMQUO, 3, INF, 3, 0);
    check_with_integer(REMQUO, INF, 3, NAN, 0);
    check_with_integer(REMQUO, 3, 0.0, NAN, 0);
    check_with_integer(REMQUO, NAN, 3, NAN, 0);
    check_with_integer(REMQUO, 3, NAN, NAN, 0);
    check_with_integer(REMQUO, 0x1p-24, 0x1p-23, 0x1p-24, 0);
    check_with_integer(REMQUO, 0x1.8p-23, 0x1p-23, -0x1p-24, 2);
    double x = 0x1.8p1023, y = 0x1p1015, r;
    int32_t q;
    in_ext_find(REMQUO)->kernel[IN_EXT_F64](&r, &q, &x, &y, NULL);
    assert_true(r == 0 && q == (384 & 127));
    y = 0x1.fffffffffffffp1023;
    in_ext_find(REMQUO)->kernel[IN_EXT_F64](&r, &q, &x, &y, NULL);
    assert_true(r == x - y && q == 1);
}

static void test_ilogb_nan(void **state)
{
    (void)state;
    static const struct {
        double x;
        int32_t want;
    } cases[] = {{0.0, INT_MIN}, {NAN, INT_MAX}, {-INF, INT_MAX}, {10, 3}, {0x1p-24, -24}, {-0.75, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; t < 3; t++) {
            uint64_t x;
            int32_t r;
            store(t, &x, cases[i].x);
            in_ext_find(ILOGB)->kernel[t](&r, NULL, &x, NULL, NULL);
            assert_int_equal(r, cases[i].want);
        }
    uint64_t code = UINT64_C(0xffffffffffffff55), r = 0;
    in_ext_find(NAN_)->kernel[IN_EXT_F16](&r, NULL, &code, NULL, NULL);
    assert_int_equal(r, 0x7f55);
    in_ext_find(NAN_)->kernel[IN_EXT_F32](&r, NULL, &code, NULL, NULL);
    assert_int_equal(r, 0x7fffff55);
    in_ext_find(NAN_)->kernel[IN_EXT_F64](&r, NULL, &code, NULL, NULL);
    assert_true(r == UINT64_C(0x7fffffffffffff55));
}

/* 1.5 * 683/1024 is halfway between two halves; the addend, far below their precision, decides. */
static void test_fma_half(void **state)
{
    (void)state;
    assert_true(call(0, 26, 1.5, 683.0 / 1024, 0x1p-24) == 1 + 0x1p-10);
    assert_true(call(0, 26, 1.5, 683.0 / 1024, 0) == 1);
    assert_true(call(0, 26, 1.5, 683.0 / 1024, -0x1p-24) == 1);
    assert_true(call(0, 26, 0x1p-24, 0x1p-24, 65504) == 65504);
    assert_true(call(0, 26, -256, 256, 65504) == -32);
}

static void test_remainder_sign(void **state)
{
    (void)state;
    assert_true(same(call(2, 51, -0x1.82ec5e4c7984cp-861, 0x1p-1022, 0), -0.0));
    assert_true(same(call(2, 51, 6, -3, 0), 0.0));
}

/* A host thread that rounds upward and flushes denormals does not disturb kernels. */
static void test_environment(void **state)
{
    (void)state;
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0xdfc0);
    struct in_fp_state saved;
    in_fp_enter(&saved);
    double flushed = call(1, LDEXP, 0, 0, 0), third = call(1, 68, 1, 3, 0),
           tiny = call(1, 68, 0x1p-126, 4, 0);
    in_fp_leave(&saved);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    assert_true(flushed == 0);
    assert_true(third == (double)(1.0f / 3.0f));
    assert_true(tiny == 0x1p-128);
    assert_int_equal(after & 0xffc0, 0xdfc0);
#else
    skip_for("no x86-64");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_turns),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_choosing),
        cmocka_unit_test(test_signaling),
        cmocka_unit_test(test_nextafter),
        cmocka_unit_test(test_fract_modf_sincos),
        cmocka_unit_test(test_frexp_lgamma),
        cmocka_unit_test(test_remquo),
        cmocka_unit_test(test_ilogb_nan),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_fma_half),
        cmocka_unit_test(test_remainder_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
