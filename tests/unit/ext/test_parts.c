/* Functions that split numbers, select one of two, or have two roundings, for random values: against MPFR and
 * against their definitions [CLC 6.15.2]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/ulp/math_reference.h"

enum {
    FMAX = 27,
    FMIN,
    FRACT = 30,
    FREXP,
    ILOGB = 33,
    LGAMMA_R = 36,
    LOGB = 41,
    MAD,
    MAXMAG,
    MINMAG,
    MODF,
    NEXTAFTER = 47,
    REMQUO = 52,
    SINCOS = 58,
    COUNT = 6000
};

static uint64_t finite_value(int type)
{
    uint64_t bits;
    do
        bits = random_value(type);
    while (!isfinite(to_double(type, bits)));
    return bits;
}

/* Calls an instruction; the second result as bits. */
static double call(uint32_t opcode, int type, uint64_t x, uint64_t y, uint64_t z, uint64_t *second)
{
    uint64_t r = 0, s = 0;
    in_ext_find(opcode)->kernel[type](&r, &s, &x, &y, &z);
    *second = s;
    return to_double(type, r);
}

static bool same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

static void expect(uint32_t opcode, int type, uint64_t x, uint64_t y, double got, double want)
{
    if (!same(got, want))
        fail_msg("%s of %s(%a, %a): %a, not %a", in_ext_find(opcode)->name, formats[type].name,
                 to_double(type, x), to_double(type, y), got, want);
}

static void test_remquo(void **state)
{
    (void)state;
    mpfr_t a, b, r;
    mpfr_inits2(60, a, b, r, (mpfr_ptr)NULL);
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t x = finite_value(type), y = finite_value(type), second;
            if (i % 2) /* magnitudes within a few hundred of each other */
                x = from_double(type, to_double(type, y) * (double)(int64_t)random_bits() * 0x1p-55);
            if (to_double(type, y) == 0 || !isfinite(to_double(type, x)))
                continue;
            double got = call(REMQUO, type, x, y, 0, &second);
            long quotient;
            mpfr_set_d(a, to_double(type, x), MPFR_RNDN);
            mpfr_set_d(b, to_double(type, y), MPFR_RNDN);
            mpfr_remquo(r, &quotient, a, b, MPFR_RNDN);
            expect(REMQUO, type, x, y, got, mpfr_get_d(r, MPFR_RNDN));
            int32_t low = (int32_t)(labs(quotient) & 127);
            if ((int32_t)second != (quotient < 0 ? -low : low))
                fail_msg("remquo of %s(%a, %a): quotient %d, not %ld", formats[type].name, to_double(type, x),
                         to_double(type, y), (int32_t)second, quotient);
        }
    mpfr_clears(a, b, r, (mpfr_ptr)NULL);
}

static void test_exponents(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t x = finite_value(type), second, whole;
            double v = to_double(type, x);
            int exponent;
            double fraction = frexp(v, &exponent);
            expect(FREXP, type, x, 0, call(FREXP, type, x, 0, 0, &second), fraction);
            assert_int_equal((int32_t)second, exponent);
            if (v != 0) {
                int32_t e;
                in_ext_find(ILOGB)->kernel[type](&e, NULL, &x, NULL, NULL);
                assert_int_equal(e, exponent - 1);
                expect(LOGB, type, x, 0, call(LOGB, type, x, 0, 0, &second), exponent - 1);
            }
            double got = call(MODF, type, x, 0, 0, &whole);
            expect(MODF, type, x, 0, to_double(type, whole), trunc(v));
            expect(MODF, type, x, 0, got, copysign(v - trunc(v), v));
            got = call(FRACT, type, x, 0, 0, &whole);
            expect(FRACT, type, x, 0, to_double(type, whole), floor(v));
            double want = to_double(type, from_double(type, v - floor(v)));
            double below = 1 - ldexp(1, -formats[type].precision);
            expect(FRACT, type, x, 0, got, v == 0 ? v : fmin(want, below));
        }
}

/* lgamma(A) = R up to 8 units in the last place of a double where A is positive, and up to 2^-50 of the larger
 * of 1, |A| and |R| where it is negative, before GOT is rounded to its type. */
static void check_lgamma(int type, double x, double got, mpfr_t r)
{
    double want = mpfr_get_d(r, MPFR_RNDN), most = fmax(fabs(want), x < 0 ? fmax(1, fabs(x)) : 0);
    int precision = formats[type].precision, least = formats[type].min_exponent - precision;
    double rounding = fmax(ldexp(fabs(want), -precision), ldexp(1, least));
    if (isinf(to_double(type, from_double(type, want)))) {
        expect(LGAMMA_R, type, from_double(type, x), 0, got, INFINITY);
        return;
    }
    mpfr_sub_d(r, r, got, MPFR_RNDN);
    double error = fabs(mpfr_get_d(r, MPFR_RNDN));
    if (!(error <= most * 0x1p-50 + rounding))
        fail_msg("lgamma of %s(%a): %a, not %a", formats[type].name, x, got, want);
}

static void test_lgamma(void **state)
{
    (void)state;
    mpfr_t a, r;
    mpfr_inits2(120, a, r, (mpfr_ptr)NULL);
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT / 4; i++) {
            uint64_t x = i % 2 ? finite_value(type)
                               : from_double(type, ldexp((double)(int32_t)random_bits(), -26)),
                     second, unused;
            double v = to_double(type, x);
            double got = call(LGAMMA_R, type, x, 0, 0, &second);
            int sign;
            mpfr_set_d(a, v, MPFR_RNDN);
            mpfr_lgamma(r, &sign, a, MPFR_RNDN);
            assert_int_equal((int32_t)second, v == 0 || (v < 0 && v == floor(v)) ? 0 : sign);
            expect(LGAMMA_R, type, x, 0, got, call(35, type, x, 0, 0, &unused));
            check_lgamma(type, v, got, r);
        }
    mpfr_clears(a, r, (mpfr_ptr)NULL);
}

static void test_choosing(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t x = finite_value(type), y = finite_value(type), unused;
            double a = to_double(type, x), b = to_double(type, y);
            if (a == 0 && b == 0)
                continue;
            double most = a > b ? a : b, least = a > b ? b : a;
            expect(FMAX, type, x, y, call(FMAX, type, x, y, 0, &unused), most);
            expect(FMIN, type, x, y, call(FMIN, type, x, y, 0, &unused), least);
            double larger = fabs(a) > fabs(b) ? a : fabs(a) < fabs(b) ? b : most;
            double smaller = fabs(a) < fabs(b) ? a : fabs(a) > fabs(b) ? b : least;
            expect(MAXMAG, type, x, y, call(MAXMAG, type, x, y, 0, &unused), larger);
            expect(MINMAG, type, x, y, call(MINMAG, type, x, y, 0, &unused), smaller);
        }
}

/* The next number in the direction of y is the one whose bits, ordered by value, follow. */
static int64_t ordinal(int type, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (formats[type].size * 8 - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static void test_nextafter(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t x = finite_value(type), y = i % 8 ? finite_value(type) : x, r = 0;
            in_ext_find(NEXTAFTER)->kernel[type](&r, NULL, &x, &y, NULL);
            int64_t step = ordinal(type, y) > ordinal(type, x)   ? 1
                           : ordinal(type, y) < ordinal(type, x) ? -1
                                                                 : 0;
            if (ordinal(type, r) != ordinal(type, x) + step)
                fail_msg("nextafter of %s(%a, %a): %a", formats[type].name, to_double(type, x),
                         to_double(type, y), to_double(type, r));
        }
}

/* mad has separate roundings of the product and the sum. */
static void test_mad(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t x = finite_value(type), y = finite_value(type), z = finite_value(type), unused;
            mpfr_t r;
            mpfr_init2(r, 2300);
            mpfr_set_d(r, to_double(type, x), MPFR_RNDN);
            mpfr_mul_d(r, r, to_double(type, y), MPFR_RNDN);
            double product = mpfr_get_d(r, MPFR_RNDN); /* exact for half and float */
            product = to_double(type, from_double(type, product));
            if (isfinite(product)) {
                mpfr_set_d(r, product, MPFR_RNDN);
                mpfr_add_d(r, r, to_double(type, z), MPFR_RNDN);
                double error = ulp_error(type, call(MAD, type, x, y, z, &unused), r);
                if (!mpfr_zero_p(r) && error > 0.5)
                    fail_msg("mad of %s(%a, %a, %a): %g ulp", formats[type].name, to_double(type, x),
                             to_double(type, y), to_double(type, z), error);
            }
            mpfr_clear(r);
        }
}

static void test_sincos(void **state)
{
    (void)state;
    for (int type = 0; type < 3; type++)
        for (int i = 0; i < COUNT / 4; i++) {
            uint64_t x = finite_value(type), second, unused;
            expect(SINCOS, type, x, 0, call(SINCOS, type, x, 0, 0, &second),
                   call(57, type, x, 0, 0, &unused));
            expect(SINCOS, type, x, 0, to_double(type, second), call(14, type, x, 0, 0, &unused));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remquo),   cmocka_unit_test(test_exponents), cmocka_unit_test(test_lgamma),
        cmocka_unit_test(test_choosing), cmocka_unit_test(test_nextafter), cmocka_unit_test(test_mad),
        cmocka_unit_test(test_sincos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
