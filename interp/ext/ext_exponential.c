/* exp and log of floats and doubles [CLC 6.15.2, 7.4] without branches, so that loops over work-items
 * can be vectorized; the interpreter and compiled kernels execute the same operations.  They are within 1.01
 * ulp of the exact value, the specification allows 3; half uses libm. */
#include "ext_functions.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "convert.h"
#include "memmodel/base/bits.h"

static float power_of_two(int32_t n)
{
    return mm_float_of_bits((uint32_t)(n + 127) << 23);
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; exp(r) is a polynomial.  2^n is multiplied in two steps, of which only
 * the last one can be inexact, when the result is subnormal. */
in_f32 in_ext_exp_f32(in_f32 x)
{
    float y = x > 89.0f ? 89.0f : x;
    y = y > -105.0f ? y : -105.0f; /* NaN too */
    float n = rintf(y * 0x1.715476p+0f);
    float r = fmaf(n, -0x1.62e400p-1f, y);
    r = fmaf(n, -0x1.7f7d1cp-20f, r);
    float p = 1.9875691500e-4f;
    p = fmaf(p, r, 1.3981999507e-3f);
    p = fmaf(p, r, 8.3334519073e-3f);
    p = fmaf(p, r, 4.1665795894e-2f);
    p = fmaf(p, r, 1.6666665459e-1f);
    p = fmaf(p, r, 5.0000001201e-1f);
    p = fmaf(p, r * r, r) + 1.0f;
    int32_t whole = (int32_t)n, half = whole >> 1;
    p = p * power_of_two(half) * power_of_two(whole - half);
    return x != x ? x : p;
}

/* x = 2^e m with m between the roots of 1/2 and 2; log(m) is a polynomial in m - 1. */
in_f32 in_ext_log_f32(in_f32 x)
{
    uint32_t tiny = x < 0x1p-126f;
    uint32_t bits = mm_bits_of_float(tiny ? x * 0x1p23f : x) - 0x3f3504f3u;
    float e = (float)(((int32_t)bits >> 23) - (tiny ? 23 : 0));
    float f = mm_float_of_bits((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f, z = f * f;
    float p = 7.0376836292e-2f;
    p = fmaf(p, f, -1.1514610310e-1f);
    p = fmaf(p, f, 1.1676998740e-1f);
    p = fmaf(p, f, -1.2420140846e-1f);
    p = fmaf(p, f, 1.4249322787e-1f);
    p = fmaf(p, f, -1.6668057665e-1f);
    p = fmaf(p, f, 2.0000714765e-1f);
    p = fmaf(p, f, -2.4999993993e-1f);
    p = fmaf(p, f, 3.3333331174e-1f);
    p = p * f * z;
    p = fmaf(e, -2.12194440e-4f, p);
    p = fmaf(-0.5f, z, p);
    float r = fmaf(e, 0.693359375f, f + p);
    r = x == 0 ? -INFINITY : x < 0 ? NAN : r;
    return x != x || x == INFINITY ? x : r;
}

static double wide_power_of_two(int32_t n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* As exp of floats; ln 2 is in two parts, and what r is rounded by is added to its polynomial. */
static double exp_double(double x)
{
    double y = x > 710 ? 710 : x < -746 ? -746 : x;
    double n = rint(y * 0x1.71547652b82fep+0);
    double high = fma(n, -0x1.62e42feep-1, y), low = n * 0x1.a39ef35793c76p-33;
    double r = high - low, rest = (high - r) - low;
    double p = 1.0 / 6227020800;
    p = fma(p, r, 1.0 / 479001600);
    p = fma(p, r, 1.0 / 39916800);
    p = fma(p, r, 1.0 / 3628800);
    p = fma(p, r, 1.0 / 362880);
    p = fma(p, r, 1.0 / 40320);
    p = fma(p, r, 1.0 / 5040);
    p = fma(p, r, 1.0 / 720);
    p = fma(p, r, 1.0 / 120);
    p = fma(p, r, 1.0 / 24);
    p = fma(p, r, 1.0 / 6);
    p = fma(p, r, 0.5);
    p = 1 + (r + fma(p, r * r, rest));
    int32_t whole = x == x ? (int32_t)n : 0, half = whole >> 1;
    return p * wide_power_of_two(half) * wide_power_of_two(whole - half);
}

/* As log of floats, with the polynomial of fdlibm. */
static double log_double(double x)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), fraction = (UINT64_C(1) << 52) - 1;
    bool tiny = x < 0x1p-1022;
    double scaled = tiny ? x * 0x1p54 : x, m;
    uint64_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits -= root;
    double e = (double)((int32_t)((int64_t)bits >> 52) - (tiny ? 54 : 0));
    bits = (bits & fraction) + root;
    memcpy(&m, &bits, sizeof m);
    double f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double p = 0x1.2f112df3e5244p-3;
    p = fma(p, z, 0x1.39a09d078c69fp-3);
    p = fma(p, z, 0x1.7466496cb03dep-3);
    p = fma(p, z, 0x1.c71c51d8e78afp-3);
    p = fma(p, z, 0x1.2492494229359p-2);
    p = fma(p, z, 0x1.999999997fa04p-2);
    p = fma(p, z, 0x1.5555555555593p-1) * z;
    double r = e * 0x1.62e42feep-1 - ((half - fma(s, half + p, e * 0x1.a39ef35793c76p-33)) - f);
    r = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : r;
    return x != x || x == (double)INFINITY ? x : r;
}

#define THROUGH_DOUBLE(name, function)                                                                       \
    in_f16 in_ext_##name##_f16(in_f16 x)                                                                     \
    {                                                                                                        \
        return in_half_from_f64(function(in_half_to_f64(x)));                                                \
    }                                                                                                        \
    in_f64 in_ext_##name##_f64(in_f64 x)                                                                     \
    {                                                                                                        \
        return function##_double(x);                                                                         \
    }
#define SAME(name, function)                                                                                 \
    THROUGH_DOUBLE(name, function)                                                                           \
    in_f32 in_ext_##name##_f32(in_f32 x)                                                                     \
    {                                                                                                        \
        return in_ext_##function##_f32(x);                                                                   \
    }
THROUGH_DOUBLE(exp, exp)
THROUGH_DOUBLE(log, log)
SAME(half_exp, exp)
SAME(half_log, log)
SAME(native_exp, exp)
SAME(native_log, log)
