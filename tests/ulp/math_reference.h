/* References for the mathematical functions of OpenCL.std, computed with MPFR, and the errors that OpenCL's
 * full profile allows [CLC 7.4].  Shared by the unit tests and the ulp tool. */
#ifndef TESTS_ULP_MATH_REFERENCE_H
#define TESTS_ULP_MATH_REFERENCE_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/ext/convert.h"
#include "interp/ext/ext.h"

enum { REFERENCE_BITS = 120 }; /* more than twice those of a double: errors are right to 2^-60 ulp */

struct float_format {
    const char *name;
    uint32_t size;
    int precision, min_exponent, max_exponent; /* of 2^e * 1.f */
};
static const struct float_format formats[3] = {
    {"half", 2, 11, -14, 15}, {"float", 4, 24, -126, 127}, {"double", 8, 53, -1022, 1023}};

typedef void (*reference_function)(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c);

struct reference {
    uint32_t opcode;
    int operands; /* floats */
    bool integer; /* the second operand is an int */
    reference_function function;
    double bound[3]; /* ulp, for half, float, double; 0.5: correctly rounded; < 0: not specified */
};

#define REFERENCE_1(name)                                                                                    \
    static void ref_##name(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c)                                           \
    {                                                                                                        \
        (void)b, (void)c;                                                                                    \
        mpfr_##name(r, a, MPFR_RNDN);                                                                        \
    }
#define REFERENCE_2(name)                                                                                    \
    static void ref_##name(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c)                                           \
    {                                                                                                        \
        (void)c;                                                                                             \
        mpfr_##name(r, a, b, MPFR_RNDN);                                                                     \
    }
#define REFERENCE_AS(name, ...)                                                                              \
    static void ref_##name(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c)                                           \
    {                                                                                                        \
        (void)b, (void)c;                                                                                    \
        __VA_ARGS__                                                                                          \
    }

REFERENCE_1(acos)
REFERENCE_1(acosh)
REFERENCE_1(acospi)
REFERENCE_1(asin)
REFERENCE_1(asinh)
REFERENCE_1(asinpi)
REFERENCE_1(atan)
REFERENCE_2(atan2)
REFERENCE_1(atanh)
REFERENCE_1(atanpi)
REFERENCE_2(atan2pi)
REFERENCE_1(cbrt)
REFERENCE_1(cos)
REFERENCE_1(cosh)
REFERENCE_1(cospi)
REFERENCE_1(erfc)
REFERENCE_1(erf)
REFERENCE_1(exp)
REFERENCE_1(exp2)
REFERENCE_1(exp10)
REFERENCE_1(expm1)
REFERENCE_2(hypot)
REFERENCE_1(log)
REFERENCE_1(log2)
REFERENCE_1(log10)
REFERENCE_1(log1p)
REFERENCE_2(pow)
/* Unlike IEEE 754's, OpenCL's powr(1, NaN) is NaN [CLC 7.5.1]. */
REFERENCE_AS(powr, mpfr_powr(r, a, b, MPFR_RNDN); if (mpfr_nan_p(b)) mpfr_set_nan(r);)
REFERENCE_1(sin)
REFERENCE_1(sinh)
REFERENCE_1(sinpi)
REFERENCE_1(sqrt)
REFERENCE_1(tan)
REFERENCE_1(tanh)
REFERENCE_1(tanpi)
REFERENCE_2(div)
REFERENCE_2(dim)
REFERENCE_2(remainder)
REFERENCE_AS(fma, mpfr_fma(r, a, b, c, MPFR_RNDN);)
REFERENCE_AS(fmod, mpfr_fmod(r, a, b, MPFR_RNDN);)
REFERENCE_AS(gamma, mpfr_gamma(r, a, MPFR_RNDN);)
REFERENCE_AS(lgamma, int s; mpfr_lgamma(r, &s, a, MPFR_RNDN);)
REFERENCE_AS(rsqrt, mpfr_rec_sqrt(r, a, MPFR_RNDN);
             if (mpfr_zero_p(a)) mpfr_set_inf(r, mpfr_signbit(a) ? -1 : 1);)
REFERENCE_AS(recip, mpfr_ui_div(r, 1, a, MPFR_RNDN);)
REFERENCE_AS(floor, mpfr_floor(r, a);)
REFERENCE_AS(ceil, mpfr_ceil(r, a);)
REFERENCE_AS(trunc, mpfr_trunc(r, a);)
REFERENCE_AS(round, mpfr_round(r, a);)
REFERENCE_AS(rint, mpfr_rint(r, a, MPFR_RNDN);)
REFERENCE_AS(fabs, mpfr_abs(r, a, MPFR_RNDN);)
REFERENCE_AS(rootn, mpfr_rootn_si(r, a, mpfr_get_si(b, MPFR_RNDN), MPFR_RNDN);)
REFERENCE_AS(ldexp, mpfr_mul_2si(r, a, mpfr_get_si(b, MPFR_RNDN), MPFR_RNDN);)

static void ref_degrees(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c)
{
    (void)c;
    mpfr_const_pi(b, MPFR_RNDN);
    mpfr_mul_ui(r, a, 180, MPFR_RNDN);
    mpfr_div(r, r, b, MPFR_RNDN);
}

static void ref_radians(mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c)
{
    (void)c;
    mpfr_const_pi(b, MPFR_RNDN);
    mpfr_mul(r, a, b, MPFR_RNDN);
    mpfr_div_ui(r, r, 180, MPFR_RNDN);
}

/* Spelled ref_<MPFR's name>; the bounds are half, float, double. */
static const struct reference references[] = {
    {0, 1, false, ref_acos, {2, 4, 4}},         {1, 1, false, ref_acosh, {2, 4, 4}},
    {2, 1, false, ref_acospi, {2, 5, 5}},       {3, 1, false, ref_asin, {2, 4, 4}},
    {4, 1, false, ref_asinh, {2, 4, 4}},        {5, 1, false, ref_asinpi, {2, 5, 5}},
    {6, 1, false, ref_atan, {2, 5, 5}},         {7, 2, false, ref_atan2, {2, 6, 6}},
    {8, 1, false, ref_atanh, {2, 5, 5}},        {9, 1, false, ref_atanpi, {2, 5, 5}},
    {10, 2, false, ref_atan2pi, {2, 6, 6}},     {11, 1, false, ref_cbrt, {2, 2, 2}},
    {12, 1, false, ref_ceil, {0.5, 0.5, 0.5}},  {14, 1, false, ref_cos, {2, 4, 4}},
    {15, 1, false, ref_cosh, {2, 4, 4}},        {16, 1, false, ref_cospi, {2, 4, 4}},
    {17, 1, false, ref_erfc, {4, 16, 16}},      {18, 1, false, ref_erf, {4, 16, 16}},
    {19, 1, false, ref_exp, {2, 3, 3}},         {20, 1, false, ref_exp2, {2, 3, 3}},
    {21, 1, false, ref_exp10, {2, 3, 3}},       {22, 1, false, ref_expm1, {2, 3, 3}},
    {23, 1, false, ref_fabs, {0.5, 0.5, 0.5}},  {24, 2, false, ref_dim, {0.5, 0.5, 0.5}},
    {25, 1, false, ref_floor, {0.5, 0.5, 0.5}}, {26, 3, false, ref_fma, {0.5, 0.5, 0.5}},
    {29, 2, false, ref_fmod, {0.5, 0.5, 0.5}},  {32, 2, false, ref_hypot, {2, 4, 4}},
    {34, 1, true, ref_ldexp, {0.5, 0.5, 0.5}},  {35, 1, false, ref_lgamma, {-1, -1, -1}},
    {37, 1, false, ref_log, {2, 3, 3}},         {38, 1, false, ref_log2, {2, 3, 3}},
    {39, 1, false, ref_log10, {2, 3, 3}},       {40, 1, false, ref_log1p, {2, 2, 2}},
    {48, 2, false, ref_pow, {4, 16, 16}},       {49, 1, true, ref_pow, {4, 16, 16}},
    {50, 2, false, ref_powr, {4, 16, 16}},      {51, 2, false, ref_remainder, {0.5, 0.5, 0.5}},
    {53, 1, false, ref_rint, {0.5, 0.5, 0.5}},  {54, 1, true, ref_rootn, {4, 16, 16}},
    {55, 1, false, ref_round, {0.5, 0.5, 0.5}}, {56, 1, false, ref_rsqrt, {1, 2, 2}},
    {57, 1, false, ref_sin, {2, 4, 4}},         {59, 1, false, ref_sinh, {2, 4, 4}},
    {60, 1, false, ref_sinpi, {2, 4, 4}},       {61, 1, false, ref_sqrt, {0.5, 0.5, 0.5}},
    {62, 1, false, ref_tan, {2, 5, 5}},         {63, 1, false, ref_tanh, {2, 5, 5}},
    {64, 1, false, ref_tanpi, {2, 6, 6}},       {65, 1, false, ref_gamma, {4, 16, 16}},
    {66, 1, false, ref_trunc, {0.5, 0.5, 0.5}}, {67, 1, false, ref_cos, {2, 8192, 4}},
    {68, 2, false, ref_div, {1, 8192, 1}},      {69, 1, false, ref_exp, {2, 8192, 3}},
    {70, 1, false, ref_exp2, {2, 8192, 3}},     {71, 1, false, ref_exp10, {2, 8192, 3}},
    {72, 1, false, ref_log, {2, 8192, 3}},      {73, 1, false, ref_log2, {2, 8192, 3}},
    {74, 1, false, ref_log10, {2, 8192, 3}},    {75, 2, false, ref_powr, {4, 8192, 16}},
    {76, 1, false, ref_recip, {1, 8192, 1}},    {77, 1, false, ref_rsqrt, {1, 8192, 2}},
    {78, 1, false, ref_sin, {2, 8192, 4}},      {79, 1, false, ref_sqrt, {0.5, 8192, 0.5}},
    {80, 1, false, ref_tan, {2, 8192, 5}},      {81, 1, false, ref_cos, {-1, -1, -1}},
    {82, 2, false, ref_div, {-1, -1, -1}},      {83, 1, false, ref_exp, {-1, -1, -1}},
    {84, 1, false, ref_exp2, {-1, -1, -1}},     {85, 1, false, ref_exp10, {-1, -1, -1}},
    {86, 1, false, ref_log, {-1, -1, -1}},      {87, 1, false, ref_log2, {-1, -1, -1}},
    {88, 1, false, ref_log10, {-1, -1, -1}},    {89, 2, false, ref_powr, {-1, -1, -1}},
    {90, 1, false, ref_recip, {-1, -1, -1}},    {91, 1, false, ref_rsqrt, {-1, -1, -1}},
    {92, 1, false, ref_sin, {-1, -1, -1}},      {93, 1, false, ref_sqrt, {-1, -1, -1}},
    {94, 1, false, ref_tan, {-1, -1, -1}},      {96, 1, false, ref_degrees, {2, 2, 2}},
    {100, 1, false, ref_radians, {2, 2, 2}},
};
enum { REFERENCE_COUNT = sizeof references / sizeof *references };

/* ---- values ---------------------------------------------------------------------------------------- */

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double to_double(int type, uint64_t bits)
{
    double d;
    float f;
    switch (type) {
    case 0:
        return in_half_to_f64((uint16_t)bits);
    case 1:
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    default:
        memcpy(&d, &bits, sizeof d);
        return d;
    }
}

static uint64_t from_double(int type, double d)
{
    uint64_t bits = 0;
    float f = (float)d;
    uint16_t h = in_half_from_f64(d);
    if (type == 0)
        memcpy(&bits, &h, sizeof h);
    else if (type == 1)
        memcpy(&bits, &f, sizeof f);
    else
        memcpy(&bits, &d, sizeof d);
    return bits;
}

/* Special values of a type, by number; false past the last. */
static bool special_value(int type, unsigned i, uint64_t *bits)
{
    static const double common[] = {0.0,
                                    1.0,
                                    2.0,
                                    3.0,
                                    0.5,
                                    0.25,
                                    0.75,
                                    1.5,
                                    2.5,
                                    4.0,
                                    10.0,
                                    100.0,
                                    INFINITY,
                                    1e-3,
                                    7.0,
                                    0.3,
                                    3.14159265358979,
                                    1.5707963267949,
                                    33.0,
                                    1023.5};
    const struct float_format *f = &formats[type];
    unsigned field = (unsigned)f->precision - 1, count = sizeof common / sizeof *common;
    uint64_t sign = (uint64_t)(i & 1) << (f->size * 8 - 1), infinity = from_double(type, INFINITY);
    i /= 2;
    uint64_t extra[] = {1,
                        2,
                        (UINT64_C(1) << field) - 1,
                        UINT64_C(1) << field,
                        infinity - 1,
                        infinity + 1,
                        from_double(type, 1.0) - 1,
                        from_double(type, 1.0) + 1,
                        from_double(type, 0.5) - 1,
                        infinity | UINT64_C(1) << (field - 1),
                        infinity - (UINT64_C(1) << field)};
    if (i < count)
        *bits = sign | from_double(type, common[i]);
    else if (i - count < sizeof extra / sizeof *extra)
        *bits = sign | extra[i - count];
    else
        return false;
    return true;
}

static uint64_t random_value(int type)
{
    static const double ranges[] = {1, 4, 40, 1000, 1e6};
    uint64_t r = random_bits(), bits;
    if (r % 8 < 2)
        return random_bits() >> (64 - formats[type].size * 8);
    if (r % 8 == 2 && special_value(type, (unsigned)(r >> 8) % 62, &bits))
        return bits;
    double unit = (double)(int64_t)random_bits() * 0x1p-63;
    return from_double(type, unit * ranges[(r >> 8) % 5]);
}

/* ---- errors ------------------------------------------------------------------------------------------ */

/* The error of a result in units in the last place [CLC 7.4]: infinite where one is NaN, or infinite beyond
 * what rounding excuses, or a zero has the wrong sign. */
static double ulp_error(int type, double result, mpfr_t exact)
{
    const struct float_format *f = &formats[type];
    if (mpfr_nan_p(exact) || isnan(result))
        return mpfr_nan_p(exact) && isnan(result) ? 0 : INFINITY;
    if (mpfr_inf_p(exact) && isinf(result))
        return (mpfr_sgn(exact) > 0) == (result > 0) ? 0 : INFINITY;
    if (mpfr_inf_p(exact))
        return INFINITY;
    if (mpfr_zero_p(exact))
        return result != 0 ? INFINITY : !!mpfr_signbit(exact) == !!signbit(result) ? 0 : INFINITY;
    long exponent = mpfr_get_exp(exact) - 1;
    if (exponent < f->min_exponent)
        exponent = f->min_exponent;
    mpfr_t value;
    mpfr_init2(value, REFERENCE_BITS);
    if (isinf(result)) {
        mpfr_set_ui_2exp(value, 1, f->max_exponent + 1, MPFR_RNDN);
        if (result < 0)
            mpfr_neg(value, value, MPFR_RNDN);
        if (mpfr_cmpabs(exact, value) > 0)
            mpfr_set(value, exact, MPFR_RNDN);
    } else {
        mpfr_set_d(value, result, MPFR_RNDN);
    }
    if (exponent > f->max_exponent)
        exponent = f->max_exponent;
    mpfr_sub(value, value, exact, MPFR_RNDN);
    mpfr_div_2si(value, value, exponent - f->precision + 1, MPFR_RNDN);
    double error = fabs(mpfr_get_d(value, MPFR_RNDN));
    mpfr_clear(value);
    return error;
}

struct measured {
    double error;
    uint64_t x, y, z;
    double result;
};

static void measure_one(const struct reference *ref, int type, const uint64_t in[3], mpfr_t r[4],
                        struct measured *worst)
{
    uint64_t bits = 0;
    int32_t n = (int32_t)in[1];
    in_ext_find(ref->opcode)
        ->kernel[type](&bits, NULL, &in[0], ref->integer ? (const void *)&n : &in[1], &in[2]);
    double result = to_double(type, bits);
    for (int i = 0; i < 3; i++)
        mpfr_set_d(r[i], to_double(type, in[i]), MPFR_RNDN);
    if (ref->integer)
        mpfr_set_si(r[1], n, MPFR_RNDN);
    ref->function(r[3], r[0], r[1], r[2]);
    double error = ulp_error(type, result, r[3]);
    if (error > worst->error)
        *worst = (struct measured){error, in[0], ref->integer ? (uint64_t)(int64_t)n : in[1], in[2], result};
}

static uint64_t second_integer(uint64_t r)
{
    return r % 4 == 0 ? r >> 32 : (uint64_t)((int64_t)(r >> 8) % 41 - 20);
}

/* The worst error of a function over special values, their combinations, and COUNT random inputs; for unary
 * functions of halves over all values if COUNT is at least 65536. */
static inline struct measured measure(const struct reference *ref, int type, unsigned count)
{
    struct measured worst = {.error = 0};
    mpfr_t r[4];
    for (int i = 0; i < 4; i++)
        mpfr_init2(r[i], REFERENCE_BITS);
    uint64_t in[3] = {0, 0, 0};
    bool unary = ref->operands == 1 && !ref->integer;
    for (unsigned i = 0; special_value(type, i, &in[0]); i++) {
        if (unary)
            measure_one(ref, type, in, r, &worst);
        else if (ref->integer)
            for (int n = -9; n <= 9; n++)
                measure_one(ref, type, (uint64_t[3]){in[0], (uint64_t)n, 0}, r, &worst);
        else
            for (unsigned j = 0; special_value(type, j, &in[1]); j++) {
                in[2] = random_value(type);
                measure_one(ref, type, in, r, &worst);
            }
    }
    bool all = unary && type == 0 && count >= 65536;
    for (unsigned i = 0; i < (all ? 65536 : count); i++) {
        in[0] = all ? i : random_value(type);
        in[1] = ref->integer ? second_integer(random_bits()) : random_value(type);
        in[2] = random_value(type);
        measure_one(ref, type, in, r, &worst);
    }
    for (int i = 0; i < 4; i++)
        mpfr_clear(r[i]);
    mpfr_free_cache();
    return worst;
}

#endif
