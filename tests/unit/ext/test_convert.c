/* Conversions against MPFR: every value of 8-bit types, every STRIDE-th of 16-bit types, special, boundary
 * and random values of the others, in every rounding mode, saturating and not [CLC 6.4.3]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "interp/ext/convert.h"

#ifndef STRIDE
#define STRIDE 13
#define RANDOM 1500
#endif

static const char *const names[IN_TYPE_COUNT] = {"char", "short", "int",  "long",  "uchar", "ushort",
                                                 "uint", "ulong", "half", "float", "double"};
static const int precisions[] = {11, 24, 53}, exponents[] = {-14, -126, -1022}, largest[] = {16, 128, 1024};
static const mpfr_rnd_t modes[IN_ROUNDING_COUNT] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};

static bool is_float(enum in_type t)
{
    return t >= IN_F16;
}

static int width(enum in_type t)
{
    return (int)in_type_size(t) * 8;
}

/* The value of BITS, according to the formats' definitions. */
static void set_value(mpfr_t r, enum in_type t, uint64_t bits)
{
    if (!is_float(t)) {
        if (t >= IN_U8)
            mpfr_set_uj(r, bits, MPFR_RNDN);
        else
            mpfr_set_sj(r, (int64_t)(bits << (64 - width(t))) >> (64 - width(t)), MPFR_RNDN);
        return;
    }
    int field = precisions[t - IN_F16] - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << field) - 1);
    bool negative = bits >> (width(t) - 1) & 1;
    long biased = (long)(bits >> field & ((UINT64_C(1) << (width(t) - 1 - field)) - 1));
    if (biased == (1L << (width(t) - 1 - field)) - 1) {
        if (fraction)
            mpfr_set_nan(r);
        else
            mpfr_set_inf(r, negative ? -1 : 1);
        return;
    }
    mpfr_set_uj(r, biased ? fraction | UINT64_C(1) << field : fraction, MPFR_RNDN);
    mpfr_mul_2si(r, r, exponents[t - IN_F16] - field + (biased ? biased - 1 : 0), MPFR_RNDN);
    mpfr_setsign(r, r, negative, MPFR_RNDN);
}

/* The bits of a value that T represents exactly. */
static uint64_t float_bits(mpfr_t x, enum in_type t)
{
    int field = precisions[t - IN_F16] - 1;
    uint64_t sign = (uint64_t) !!mpfr_signbit(x) << (width(t) - 1);
    uint64_t infinity = (UINT64_C(1) << (width(t) - 1)) - (UINT64_C(1) << field);
    if (mpfr_zero_p(x))
        return sign;
    if (mpfr_inf_p(x))
        return sign | infinity;
    long exponent = mpfr_get_exp(x) - 1, lowest = exponents[t - IN_F16];
    long unit = (exponent < lowest ? lowest : exponent) - field;
    mpfr_t scaled;
    mpfr_init2(scaled, 64);
    mpfr_mul_2si(scaled, x, -unit, MPFR_RNDN);
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    assert_true(mpfr_integer_p(scaled));
    uint64_t significand = mpfr_get_uj(scaled, MPFR_RNDN);
    mpfr_clear(scaled);
    uint64_t biased = exponent < lowest ? 0 : (uint64_t)(exponent - lowest + 1);
    return sign | biased << field | (significand & ((UINT64_C(1) << field) - 1));
}

static uint64_t expected_float(mpfr_t x, enum in_type t, enum in_rounding rounding)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t r;
    mpfr_init2(r, precisions[t - IN_F16]);
    mpfr_set_emin(exponents[t - IN_F16] - precisions[t - IN_F16] + 2);
    mpfr_set_emax(largest[t - IN_F16]);
    int ternary = mpfr_set(r, x, modes[rounding]);
    ternary = mpfr_check_range(r, ternary, modes[rounding]);
    mpfr_subnormalize(r, ternary, modes[rounding]);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    uint64_t bits = float_bits(r, t);
    mpfr_clear(r);
    return bits;
}

static uint64_t expected_integer(mpfr_t x, enum in_type t, enum in_rounding rounding, bool saturate)
{
    mpfr_t low, high, modulus;
    mpfr_inits2(1200, low, high, modulus, (mpfr_ptr)NULL);
    mpfr_set_ui_2exp(modulus, 1, width(t), MPFR_RNDN);
    mpfr_set_ui_2exp(high, 1, width(t) - (t < IN_U8), MPFR_RNDN);
    mpfr_neg(low, high, MPFR_RNDN);
    if (t >= IN_U8)
        mpfr_set_ui(low, 0, MPFR_RNDN);
    mpfr_sub_ui(high, high, 1, MPFR_RNDN);
    uint64_t bits = 0;
    if (!mpfr_nan_p(x) && (saturate || !mpfr_inf_p(x))) {
        mpfr_t r;
        mpfr_init2(r, 1200);
        mpfr_rint(r, x, modes[rounding]);
        if (saturate && mpfr_less_p(r, low))
            mpfr_set(r, low, MPFR_RNDN);
        if (saturate && mpfr_greater_p(r, high))
            mpfr_set(r, high, MPFR_RNDN);
        mpfr_fmod(r, r, modulus, MPFR_RNDN);
        if (mpfr_sgn(r) < 0)
            mpfr_add(r, r, modulus, MPFR_RNDN);
        bits = mpfr_get_uj(r, MPFR_RNDN);
        mpfr_clear(r);
    }
    mpfr_clears(low, high, modulus, (mpfr_ptr)NULL);
    return bits;
}

static bool is_nan(enum in_type t, uint64_t bits)
{
    uint64_t infinity = (UINT64_C(1) << (width(t) - 1)) - (UINT64_C(1) << (precisions[t - IN_F16] - 1));
    return (bits & ~(UINT64_C(1) << (width(t) - 1))) > infinity;
}

static void check(enum in_type from, enum in_type to, enum in_rounding rounding, bool saturate, uint64_t bits)
{
    uint64_t got = 0;
    in_convert_find(from, to, rounding, saturate)(&bits, &got);
    mpfr_t x;
    mpfr_init2(x, 64);
    set_value(x, from, bits);
    bool good;
    uint64_t want = 0;
    if (is_float(to) && mpfr_nan_p(x)) {
        good = is_nan(to, got);
    } else {
        want = is_float(to) ? expected_float(x, to, rounding) : expected_integer(x, to, rounding, saturate);
        good = got == want;
    }
    if (!good)
        fail_msg("%s -> %s, mode %d%s, 0x%llx: got 0x%llx, not 0x%llx", names[from], names[to], (int)rounding,
                 saturate ? ", saturating" : "", (unsigned long long)bits, (unsigned long long)got,
                 (unsigned long long)want);
    mpfr_clear(x);
}

static void check_value(enum in_type from, uint64_t bits)
{
    bits &= UINT64_MAX >> (64 - width(from));
    for (enum in_type to = 0; to < IN_TYPE_COUNT; to++)
        for (enum in_rounding r = 0; r < (is_float(from) || is_float(to) ? IN_ROUNDING_COUNT : 1); r++)
            for (int saturate = 0; saturate <= !is_float(to); saturate++)
                check(from, to, r, saturate, bits);
}

static uint64_t next_random(void)
{
    static uint64_t state = 7;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Powers of two and their neighbors as integers; about each integer limit and rounding boundary as floats. */
static void check_boundaries(enum in_type from)
{
    for (int bit = 0; bit < width(from); bit++)
        for (int delta = -2; delta <= 2; delta++) {
            check_value(from, (UINT64_C(1) << bit) + (uint64_t)delta);
            check_value(from, 0 - (UINT64_C(1) << bit) + (uint64_t)delta);
        }
    if (!is_float(from))
        return;
    int field = precisions[from - IN_F16] - 1, bias = 1 - exponents[from - IN_F16];
    for (int e = -160; e <= 130; e++) {
        if (e + bias < 0 || e + bias >= 2 * bias + 2)
            continue;
        uint64_t power = (uint64_t)(e + bias) << field;
        for (int delta = -2; delta <= 2; delta++)
            for (int sign = 0; sign < 2; sign++) {
                check_value(from, (power + (uint64_t)delta) | (uint64_t)sign << (width(from) - 1));
                uint64_t half = power | UINT64_C(1) << (field - 1 - (e & 3));
                check_value(from, (half + (uint64_t)delta) | (uint64_t)sign << (width(from) - 1));
            }
    }
}

/* Random significands with exponents near those where the target's range or precision ends. */
static uint64_t random_value(enum in_type from)
{
    uint64_t bits = next_random();
    if (from == IN_F64 && next_random() % 2) {
        uint64_t exponent =
            next_random() % 4 == 0 ? 1023 - 150 + next_random() % 40 : 1023 - 26 + next_random() % 95;
        return (bits & ~(UINT64_C(0x7ff) << 52)) | exponent << 52;
    }
    if (from == IN_F32 && next_random() % 2)
        return (bits & UINT64_C(0x807fffff)) | (127 - 26 + next_random() % 95) << 23;
    return is_float(from) ? bits : bits >> next_random() % 64;
}

static void test_from(void **state)
{
    enum in_type from = (enum in_type)(uintptr_t)*state;
    if (width(from) <= 16) {
        uint32_t stride = width(from) == 8 ? 1 : STRIDE;
        for (uint32_t bits = 0; bits < 1u << width(from); bits += stride)
            check_value(from, bits);
    }
    check_boundaries(from);
    for (int i = 0; i < RANDOM; i++)
        check_value(from, random_value(from));
    mpfr_free_cache();
}

static void test_payload(void **state)
{
    (void)state;
    uint16_t h = 0xfd23;
    uint32_t f = 0;
    in_convert_find(IN_F16, IN_F32, IN_RTE, false)(&h, &f);
    assert_int_equal(f, 0xffe46000 | 0x400000);
    in_convert_find(IN_F32, IN_F16, IN_RTE, false)(&f, &h);
    assert_int_equal(h, 0xff23);
}

/* The functions for halves have the results of the table's conversions. */
static void test_half_functions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i;
        uint32_t f, got;
        in_convert_find(IN_F16, IN_F32, IN_RTE, false)(&h, &f);
        float x = in_half_to_f32(h);
        memcpy(&got, &x, sizeof got);
        assert_int_equal(f, got);
        uint64_t d, wide;
        in_convert_find(IN_F16, IN_F64, IN_RTE, false)(&h, &d);
        double y = in_half_to_f64(h);
        memcpy(&wide, &y, sizeof wide);
        assert_true(d == wide);
        /* The half itself, halfway to the next, and the neighbors of both. */
        for (uint32_t from = 0; from <= 0x1000; from += 0x1000)
            for (uint32_t delta = 0; delta < 3; delta++) {
                uint32_t bits = f + from + delta - 1;
                memcpy(&x, &bits, sizeof x);
                in_convert_find(IN_F32, IN_F16, IN_RTE, false)(&bits, &h);
                assert_int_equal(in_half_from_f32(x), h);
            }
    }
}

static void test_bad_arguments(void **state)
{
    (void)state;
    assert_null(in_convert_find(IN_TYPE_COUNT, IN_S8, IN_RTE, false));
    assert_null(in_convert_find(IN_S8, IN_TYPE_COUNT, IN_RTE, false));
    assert_null(in_convert_find(IN_S8, IN_S8, IN_ROUNDING_COUNT, false));
}

int main(void)
{
    static struct CMUnitTest tests[IN_TYPE_COUNT + 3];
    for (uintptr_t i = 0; i < IN_TYPE_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = test_from, .initial_state = (void *)i};
    tests[IN_TYPE_COUNT] = (struct CMUnitTest)cmocka_unit_test(test_payload);
    tests[IN_TYPE_COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_bad_arguments);
    tests[IN_TYPE_COUNT + 2] = (struct CMUnitTest)cmocka_unit_test(test_half_functions);
    return _cmocka_run_group_tests("convert", tests, IN_TYPE_COUNT + 3, NULL, NULL);
}
