/* Parts of exponential functions and logarithms of doubles, without branches and calls, for functions that
 * are computed from them.  Polynomials are Chebyshev approximations with errors below 2^-53. */
#ifndef INTERP_EXT_EXP_LOG_H
#define INTERP_EXT_EXP_LOG_H

#include <math.h>
#include <stdint.h>

#include "memmodel/base/bits.h"

#define INLINE static inline __attribute__((always_inline))

/* Constants and their remainders; LN_2_HIGH has zeros in its low bits, so that products with exponents are
 * exact. */
static const double LN_2_HIGH = 0x1.62e42feep-1, LN_2_LOW = 0x1.a39ef35793c76p-33,
                    LOG2_E = 0x1.71547652b82fep+0;

/* e^(R + REST) - 1 for |R| up to ln(2) / 2 and REST, which is small beside R. */
INLINE double exp_near_zero(double r, double rest)
{
    double p = 0x1.1f75aba0b1e2ep-29;
    p = fma(p, r, 0x1.af52906239de4p-26);
    p = fma(p, r, 0x1.27e4da1a3bf04p-22);
    p = fma(p, r, 0x1.71ddffef9e7b1p-19);
    p = fma(p, r, 0x1.a01a01a741b3cp-16);
    p = fma(p, r, 0x1.a01a01aca0134p-13);
    p = fma(p, r, 0x1.6c16c16c16212p-10);
    p = fma(p, r, 0x1.111111110ff87p-7);
    p = fma(p, r, 0x1.5555555555556p-5);
    p = fma(p, r, 0x1.5555555555557p-3);
    p = fma(p, r, 0.5);
    return r + fma(p, r * r, fma(rest, r, rest));
}

/* X and REST, which is small beside X, are N ln 2 + r; e^r - 1. */
INLINE double reduced_exp(double x, double rest, double *n)
{
    *n = rint(x * LOG2_E);
    double high = fma(*n, -LN_2_HIGH, x), low = fma(*n, LN_2_LOW, -rest);
    double r = high - low;
    return exp_near_zero(r, (high - r) - low);
}

/* A sum with 1.5 * 2^52 has the integer N in its low bits. */
INLINE double power_of_two(double n)
{
    return mm_double_of_bits((mm_bits_of_double(n + 0x1.8p52) + 1023) << 52);
}

/* M 2^N in two steps, of which only the last can be inexact. */
INLINE double scaled(double m, double n)
{
    double half = rint(0.5 * n);
    return m * power_of_two(half) * power_of_two(n - half);
}

/* X so far from 0 that its power of e is 0 or infinite: as far as is needed for that. */
INLINE double exp_range(double x)
{
    return x > 800 ? 800 : x < -800 ? -800 : x;
}

/* e^(X + REST). */
INLINE double exp_sum(double x, double rest)
{
    double n, q = reduced_exp(exp_range(x), fabs(x) < 800 ? rest : 0, &n);
    return scaled(1 + q, n);
}

/* X > 0 is 2^EXPONENT m with m between the roots of 1/2 and 2. */
INLINE double split_at_root(double x, double *exponent)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), fraction = (UINT64_C(1) << 52) - 1;
    int tiny = x < 0x1p-1022;
    uint64_t bits = mm_bits_of_double(tiny ? x * 0x1p54 : x) - root;
    *exponent = (double)((int32_t)((int64_t)bits >> 52) - (tiny ? 54 : 0));
    return mm_double_of_bits((bits & fraction) + root);
}

/* log(1 + F) - F for 1 + F between the roots, with LOW added before the last rounding (as in fdlibm). */
INLINE double log1p_remainder(double f, double low)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double p = 0x1.2f112df3e5244p-3;
    p = fma(p, z, 0x1.39a09d078c69fp-3);
    p = fma(p, z, 0x1.7466496cb03dep-3);
    p = fma(p, z, 0x1.c71c51d8e78afp-3);
    p = fma(p, z, 0x1.2492494229359p-2);
    p = fma(p, z, 0x1.999999997fa04p-2);
    p = fma(p, z, 0x1.5555555555593p-1) * z;
    return fma(s, half + p, low) - half;
}

/* HIGH + LOW, of which HIGH is the larger, or 0. */
INLINE double sum_of(double high, double low, double *rest)
{
    double sum = high + low;
    *rest = low - (sum - high);
    return sum;
}

/* log X with *REST, to 2^-62, for finite X > 0: 2 artanh s with s = (m - 1) / (m + 1) is 2 s + s^3 (2/3 + s^2
 * q). */
INLINE double exact_log(double x, double *rest)
{
    double e, m = split_at_root(x, &e), f = m - 1, d = m + 1, inverse = 1 / d;
    double s = f * inverse, s_rest = (fma(-s, d, f) - s * (m - (d - 1))) * inverse;
    double z = s * s, z_rest = fma(s, s, -z) + 2 * s * s_rest;
    double q = 0x1.b8e0c07efd68ep-4;
    q = fma(q, z, 0x1.ac4927065bfa5p-4);
    q = fma(q, z, 0x1.e1f80a4c22da3p-4);
    q = fma(q, z, 0x1.1110df7e2b9b5p-3);
    q = fma(q, z, 0x1.3b13b1bd0ead0p-3);
    q = fma(q, z, 0x1.745d1745124c7p-3);
    q = fma(q, z, 0x1.c71c71c71cfe7p-3);
    q = fma(q, z, 0x1.2492492492491p-2);
    q = fma(q, z, 0x1.999999999999ap-2) * z;
    double third_rest, third = sum_of(0x1.5555555555555p-1, q, &third_rest);
    third_rest += 0x1.5555555555555p-55;
    double cube = s * z, cube_rest = fma(s, z, -cube) + fma(s, z_rest, s_rest * z);
    double c = cube * third, c_rest = fma(cube, third, -c) + fma(cube, third_rest, cube_rest * third);
    double first, second, high = sum_of(sum_of(e * LN_2_HIGH, 2 * s, &first), c, &second);
    return sum_of(high, first + second + fma(e, LN_2_LOW, fma(2, s_rest, c_rest)), rest);
}

#endif
