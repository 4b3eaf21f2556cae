/* Mathematical functions of floats and halves [CLC 6.15.2, 7.4] in double arithmetic without branches and
 * calls, so that loops over work-items can be vectorized; the interpreter and compiled kernels execute the
 * same operations.  Errors in double are below 2^-35, so that results are within 0.51 ulp. */
#include "ext_functions.h"

#include <math.h>

#include "convert.h"
#include "math_double.h"
#include "memmodel/base/bits.h"

#define INLINE static inline __attribute__((always_inline))

static const double LN_2 = 0x1.62e42fefa39efp-1, LOG2_E = 0x1.71547652b82fep+0,
                    LOG2_10 = 0x1.a934f0979a371p+1, LOG10_2 = 0x1.34413509f79ffp-2,
                    LOG10_E = 0x1.bcb7b1526e50ep-2, PI = 0x1.921fb54442d18p+1,
                    INVERSE_PI = 0x1.45f306dc9c883p-2;

/* ---- exponential functions ------------------------------------------------------------------------- */

/* 2^X - SUBTRAHEND, which is 0 or 1: 2^n (1 + q) with q = e^r - 1 and |r| <= ln 2 / 2.  Powers beyond 2^300
 * are beyond float, too.  A sum with 1.5 * 2^52 has the integer N in its low bits. */
INLINE double exp2_minus(double x, double subtrahend)
{
    x = x > 300 ? 300 : x < -300 ? -300 : x;
    double n = rint(x), r = (x - n) * LN_2;
    double q = 1.0 / 3628800;
    q = fma(q, r, 1.0 / 362880);
    q = fma(q, r, 1.0 / 40320);
    q = fma(q, r, 1.0 / 5040);
    q = fma(q, r, 1.0 / 720);
    q = fma(q, r, 1.0 / 120);
    q = fma(q, r, 1.0 / 24);
    q = fma(q, r, 1.0 / 6);
    q = fma(q, r, 0.5);
    q = fma(q, r, 1.0) * r;
    double scale = mm_double_of_bits((mm_bits_of_double(n + 0x1.8p52) + 1023) << 52);
    return fma(scale, q, scale - subtrahend);
}

INLINE double single_exp2(double x)
{
    return exp2_minus(x, 0);
}

INLINE double single_exp10(double x)
{
    return exp2_minus(x * LOG2_10, 0);
}

INLINE double single_expm1(double x)
{
    double r = exp2_minus(x * LOG2_E, 1);
    return x == 0 ? x : r;
}

INLINE double single_sinh(double x)
{
    double e = exp2_minus(fabs(x) * LOG2_E, 1);
    return copysign(0.5 * (e + e / (e + 1)), x);
}

INLINE double single_cosh(double x)
{
    double e = exp2_minus(fabs(x) * LOG2_E, 0);
    return 0.5 * (e + 1 / e);
}

INLINE double single_tanh(double x)
{
    double e = exp2_minus(fabs(x) * (2 * LOG2_E), 1);
    return copysign(e / (e + 2), x);
}

/* ---- logarithms ------------------------------------------------------------------------------------ */

/* x = 2^EXPONENT m with m between the roots of 1/2 and 2; log m = 2 artanh s with s = (m - 1) / (m + 1).
 * Floats are normal doubles.  X > 0. */
INLINE double log_of_part(double x, double *exponent)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), fraction = (UINT64_C(1) << 52) - 1;
    uint64_t bits = mm_bits_of_double(x) - root;
    *exponent = (double)(int32_t)((int64_t)bits >> 52);
    double m = mm_double_of_bits((bits & fraction) + root), s = (m - 1) / (m + 1), z = s * s;
    double p = 2.0 / 15;
    p = fma(p, z, 2.0 / 13);
    p = fma(p, z, 2.0 / 11);
    p = fma(p, z, 2.0 / 9);
    p = fma(p, z, 2.0 / 7);
    p = fma(p, z, 2.0 / 5);
    p = fma(p, z, 2.0 / 3);
    return fma(p * z, s, 2 * s);
}

INLINE double single_log2(double x)
{
    double e, part = log_of_part(x, &e);
    return log_or_special(x, fma(part, LOG2_E, e));
}

INLINE double single_log10(double x)
{
    double e, part = log_of_part(x, &e);
    return log_or_special(x, fma(part, LOG10_E, e * LOG10_2));
}

/* 1 + x is rounded to u; log(1 + x) = log(u) + log(1 + (1 + x - u) / u). */
INLINE double single_log1p(double x)
{
    double u = 1 + x, e, part = log_of_part(u, &e);
    double log = fma(e, LN_2, part) + (x - (u - 1)) / u, r = log_or_special(u, log);
    return x == 0 ? x : r;
}

INLINE double single_asinh(double x)
{
    double a = fabs(x), more = a + a * a / (1 + sqrt(fma(a, a, 1)));
    return copysign(single_log1p(a == INFINITY ? a : more), x);
}

INLINE double single_acosh(double x)
{
    double f = x - 1, r = single_log1p(f + sqrt(f * (x + 1)));
    return x < 1 ? NAN : r;
}

INLINE double single_atanh(double x)
{
    double a = fabs(x);
    return copysign(0.5 * single_log1p(2 * a / (1 - a)), x);
}

/* ---- powers and roots ------------------------------------------------------------------------------ */

INLINE double single_cbrt(double x)
{
    double root = copysign(single_exp2(single_log2(fabs(x)) / 3), x);
    return x == 0 || fabs(x) == INFINITY ? x : root;
}

/* [CLC 7.5.1]: NaN for negative x, 0^0, infinity^0 and 1^infinity. */
INLINE double single_powr(double x, double y)
{
    return single_exp2(single_log2(x) * y);
}

INLINE double single_pow(double x, double y)
{
    double a = fabs(x), half = 0.5 * y;
    int whole = rint(y) == y, odd = whole & (rint(half) != half);
    double log = single_log2(a) * y, r = single_exp2(((a == 1) & (y == y)) ? 0 : log);
    r = odd ? copysign(r, x) : r;
    r = ((x < 0) & (a != INFINITY) & !whole) ? NAN : r;
    return ((y == 0) | (x == 1)) ? 1 : r;
}

INLINE double single_hypot(double x, double y)
{
    double r = sqrt(fma(x, x, y * y));
    return ((fabs(x) == INFINITY) | (fabs(y) == INFINITY)) ? INFINITY : r;
}

/* ---- trigonometry ---------------------------------------------------------------------------------- */

/* The angle of (x, y), both at least 0: a multiple of pi/4 and the arc tangent of t with |t| <= tan(pi/8). */
INLINE double angle(double y, double x)
{
    int steep = y > 0x1.3504f333f9de6p+1 * x, diagonal = y > 0x1.a827999fcef32p-2 * x;
    double above = steep ? -x : diagonal ? y - x : y, below = steep ? y : diagonal ? y + x : x;
    double start = steep ? PI / 2 : diagonal ? PI / 4 : 0;
    double t = above / (below == 0 ? 1 : below), z = t * t;
    double p = 0x1.0dd59508b6224p-5;
    p = fma(p, z, -0x1.edaca326c7317p-5);
    p = fma(p, z, 0x1.377bcb9f568cbp-4);
    p = fma(p, z, -0x1.741576953d93ap-4);
    p = fma(p, z, 0x1.c7196012bf2ccp-4);
    p = fma(p, z, -0x1.249240cf239b5p-3);
    p = fma(p, z, 0x1.9999998842440p-3);
    p = fma(p, z, -0x1.55555555525bdp-2);
    return start + fma(p * z, t, t);
}

INLINE double single_atan(double x)
{
    return copysign(angle(fabs(x), 1), x);
}

INLINE double single_atan2(double y, double x)
{
    double ay = fabs(y), ax = fabs(x);
    int corner = ay == INFINITY && ax == INFINITY;
    double r = angle(corner ? 1 : ay, corner ? 1 : ax);
    return copysign(signbit(x) ? PI - r : r, y);
}

INLINE double single_asin(double x)
{
    double a = fabs(x);
    return copysign(angle(a, sqrt((1 - a) * (1 + a))), x);
}

INLINE double single_acos(double x)
{
    double a = fabs(x), r = angle(sqrt((1 - a) * (1 + a)), a);
    return signbit(x) ? PI - r : r;
}

INLINE double single_asinpi(double x)
{
    return single_asin(x) * INVERSE_PI;
}

INLINE double single_acospi(double x)
{
    return single_acos(x) * INVERSE_PI;
}

INLINE double single_atanpi(double x)
{
    return single_atan(x) * INVERSE_PI;
}

INLINE double single_atan2pi(double y, double x)
{
    return single_atan2(y, x) * INVERSE_PI;
}

/* ---- as functions of each type --------------------------------------------------------------------- */

#define DEFINE_1(name, single)                                                                               \
    in_f16 in_ext_##name##_f16(in_f16 x)                                                                     \
    {                                                                                                        \
        return in_half_from_f64(single_##single(in_half_to_f64(x)));                                         \
    }                                                                                                        \
    in_f32 in_ext_##name##_f32(in_f32 x)                                                                     \
    {                                                                                                        \
        return (float)single_##single((double)x);                                                            \
    }
#define DEFINE_2(name, single)                                                                               \
    in_f16 in_ext_##name##_f16(in_f16 x, in_f16 y)                                                           \
    {                                                                                                        \
        return in_half_from_f64(single_##single(in_half_to_f64(x), in_half_to_f64(y)));                      \
    }                                                                                                        \
    in_f32 in_ext_##name##_f32(in_f32 x, in_f32 y)                                                           \
    {                                                                                                        \
        return (float)single_##single((double)x, (double)y);                                                 \
    }
DEFINE_1(acos, acos)
DEFINE_1(acospi, acospi)
DEFINE_1(acosh, acosh)
DEFINE_1(asin, asin)
DEFINE_1(asinpi, asinpi)
DEFINE_1(asinh, asinh)
DEFINE_1(atan, atan)
DEFINE_1(atanpi, atanpi)
DEFINE_1(atanh, atanh)
DEFINE_1(cbrt, cbrt)
DEFINE_1(cosh, cosh)
DEFINE_1(exp2, exp2)
DEFINE_1(half_exp2, exp2)
DEFINE_1(native_exp2, exp2)
DEFINE_1(exp10, exp10)
DEFINE_1(half_exp10, exp10)
DEFINE_1(native_exp10, exp10)
DEFINE_1(expm1, expm1)
DEFINE_1(log2, log2)
DEFINE_1(half_log2, log2)
DEFINE_1(native_log2, log2)
DEFINE_1(log10, log10)
DEFINE_1(half_log10, log10)
DEFINE_1(native_log10, log10)
DEFINE_1(log1p, log1p)
DEFINE_1(sinh, sinh)
DEFINE_1(tanh, tanh)
DEFINE_2(atan2, atan2)
DEFINE_2(atan2pi, atan2pi)
DEFINE_2(hypot, hypot)
DEFINE_2(pow, pow)
DEFINE_2(powr, powr)
DEFINE_2(half_powr, powr)
DEFINE_2(native_powr, powr)
