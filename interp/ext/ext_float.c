/* Mathematical and common functions for half, float and double [CLC 6.15.2, 6.15.4].
 *
 * Most are computed in double and rounded once to the type.  For sums, differences, quotients and square
 * roots of floats and halves that gives the correctly rounded result, since double has more than twice their
 * precision; for the rest it adds at most half an ulp and a hair.  fma, mad, fract, nextafter and nan, where
 * double would show, are written for each type. */
#include <math.h>
#include <string.h>

#include "convert.h"
#include "ext_functions.h"
#include "math_double.h"
#include "math_gamma.h"
#include "memmodel/base/bits.h"

#define DEFINE_1(name, t)                                                                                    \
    in_##t in_ext_##name##_##t(in_##t x)                                                                     \
    {                                                                                                        \
        return TO_##t(in_double_##name(FROM_##t(x)));                                                        \
    }
#define DEFINE_2(name, t)                                                                                    \
    in_##t in_ext_##name##_##t(in_##t x, in_##t y)                                                           \
    {                                                                                                        \
        return TO_##t(in_double_##name(FROM_##t(x), FROM_##t(y)));                                           \
    }
#define DEFINE_3(name, t)                                                                                    \
    in_##t in_ext_##name##_##t(in_##t x, in_##t y, in_##t z)                                                 \
    {                                                                                                        \
        return TO_##t(in_double_##name(FROM_##t(x), FROM_##t(y), FROM_##t(z)));                              \
    }
#define DEFINE_1_INT(name, t)                                                                                \
    int32_t in_ext_##name##_##t(in_##t x)                                                                    \
    {                                                                                                        \
        return in_double_##name(FROM_##t(x));                                                                \
    }
#define DEFINE_1_PTR(name, t)                                                                                \
    in_##t in_ext_##name##_##t(in_##t x, in_##t *p)                                                          \
    {                                                                                                        \
        double second, r = in_double_##name(FROM_##t(x), &second);                                           \
        *p = TO_##t(second);                                                                                 \
        return TO_##t(r);                                                                                    \
    }
#define DEFINE_1_INT_PTR(name, t)                                                                            \
    in_##t in_ext_##name##_##t(in_##t x, int32_t *p)                                                         \
    {                                                                                                        \
        return TO_##t(in_double_##name(FROM_##t(x), p));                                                     \
    }
#define DEFINE_2_INT_PTR(name, t)                                                                            \
    in_##t in_ext_##name##_##t(in_##t x, in_##t y, int32_t *p)                                               \
    {                                                                                                        \
        return TO_##t(in_double_##name(FROM_##t(x), FROM_##t(y), p));                                        \
    }

#define F1(opcode, name)         IN_EACH_FLOAT(DEFINE_1, name)
#define F2(opcode, name)         IN_EACH_FLOAT(DEFINE_2, name)
#define F3(opcode, name)         IN_EACH_FLOAT(DEFINE_3, name)
#define F1_INT(opcode, name)     IN_EACH_FLOAT(DEFINE_1_INT, name)
#define F1_PTR(opcode, name)     IN_EACH_FLOAT(DEFINE_1_PTR, name)
#define F1_INT_PTR(opcode, name) IN_EACH_FLOAT(DEFINE_1_INT_PTR, name)
#define F2_INT_PTR(opcode, name) IN_EACH_FLOAT(DEFINE_2_INT_PTR, name)
#include "ext.def"

/* ---- rsqrt in float: 1.5 ulp, much faster than in double [CLC 7.4: 2 ulp] -------------------------- */

#define RECIPROCAL_ROOT(name)                                                                                \
    in_f16 in_ext_##name##_f16(in_f16 x)                                                                     \
    {                                                                                                        \
        return TO_f16(in_double_rsqrt(FROM_f16(x)));                                                         \
    }                                                                                                        \
    in_f32 in_ext_##name##_f32(in_f32 x)                                                                     \
    {                                                                                                        \
        return 1 / sqrtf(x);                                                                                 \
    }                                                                                                        \
    in_f64 in_ext_##name##_f64(in_f64 x)                                                                     \
    {                                                                                                        \
        return in_double_rsqrt(x);                                                                           \
    }
RECIPROCAL_ROOT(rsqrt)
RECIPROCAL_ROOT(half_rsqrt)
RECIPROCAL_ROOT(native_rsqrt)

/* ---- ldexp: in double, the product of a float and a power of two beyond its range is exact --------- */

static double times_power_of_two(double x, int32_t n)
{
    n = n < -400 ? -400 : n > 400 ? 400 : n;
    return x * mm_double_of_bits((uint64_t)(n + 1023) << 52);
}

in_f16 in_ext_ldexp_f16(in_f16 x, int32_t n)
{
    return in_half_from_f64(times_power_of_two(in_half_to_f64(x), n));
}

in_f32 in_ext_ldexp_f32(in_f32 x, int32_t n)
{
    return (float)times_power_of_two(x, n);
}

in_f64 in_ext_ldexp_f64(in_f64 x, int32_t n)
{
    return in_double_ldexp(x, n);
}

/* ---- fma: one rounding ------------------------------------------------------------------------------ */

/* The product of two halves is exact in double, and so is its sum with a third wherever the third can change
 * how the product rounds to half, or the product how the third does. */
in_f16 in_ext_fma_f16(in_f16 x, in_f16 y, in_f16 z)
{
    return in_half_from_f64(in_half_to_f64(x) * in_half_to_f64(y) + in_half_to_f64(z));
}

in_f32 in_ext_fma_f32(in_f32 x, in_f32 y, in_f32 z)
{
    return fmaf(x, y, z);
}

in_f64 in_ext_fma_f64(in_f64 x, in_f64 y, in_f64 z)
{
    return fma(x, y, z);
}

/* mad: a product and a sum, each correctly rounded [CLC 7.4]. */
in_f16 in_ext_mad_f16(in_f16 x, in_f16 y, in_f16 z)
{
    float product = in_half_to_f32(in_half_from_f32(in_half_to_f32(x) * in_half_to_f32(y)));
    return in_half_from_f32(product + in_half_to_f32(z));
}

in_f32 in_ext_mad_f32(in_f32 x, in_f32 y, in_f32 z)
{
    return x * y + z;
}

in_f64 in_ext_mad_f64(in_f64 x, in_f64 y, in_f64 z)
{
    return x * y + z;
}

/* ---- fract: x - floor(x), but below 1 [CLC 6.15.2] ----------------------------------------------------- */

#define FRACT(t, type, from, to, function, below_one)                                                        \
    in_##t in_ext_fract_##t(in_##t h, in_##t *p)                                                             \
    {                                                                                                        \
        type x = from(h), whole = floor##function(x), part = x - whole;                                      \
        *p = to(whole);                                                                                      \
        type r = part < below_one ? part : below_one;                                                        \
        r = x == 0 || fabs##function(x) == (type)INFINITY ? copysign##function(0, x) : r;                    \
        return x != x ? h : to(r);                                                                           \
    }
FRACT(f16, float, in_half_to_f32, in_half_from_f32, f, 0x1.ffcp-1f)
FRACT(f32, float, , , f, 0x1.fffffep-1f)
FRACT(f64, double, , , , 0x1.fffffffffffffp-1)

/* ---- common functions: halves in float ------------------------------------------------------------- */

/* clamp is fmin(fmax(x, low), high), where a NaN gives way to a number [CLC 6.15.4]. */
#define COMMON(t, type, from, to, by_degree, by_radian)                                                      \
    in_##t in_ext_fclamp_##t(in_##t x, in_##t low, in_##t high)                                              \
    {                                                                                                        \
        type v = from(x), l = from(low), h = from(high);                                                     \
        v = v >= l || l != l ? v : l;                                                                        \
        return to(v <= h || h != h ? v : h);                                                                 \
    }                                                                                                        \
    in_##t in_ext_degrees_##t(in_##t x)                                                                      \
    {                                                                                                        \
        return to(from(x) * by_radian);                                                                      \
    }                                                                                                        \
    in_##t in_ext_radians_##t(in_##t x)                                                                      \
    {                                                                                                        \
        return to(from(x) * by_degree);                                                                      \
    }                                                                                                        \
    in_##t in_ext_fmax_common_##t(in_##t x, in_##t y)                                                        \
    {                                                                                                        \
        return from(x) < from(y) ? y : x;                                                                    \
    }                                                                                                        \
    in_##t in_ext_fmin_common_##t(in_##t x, in_##t y)                                                        \
    {                                                                                                        \
        return from(y) < from(x) ? y : x;                                                                    \
    }                                                                                                        \
    in_##t in_ext_step_##t(in_##t edge, in_##t x)                                                            \
    {                                                                                                        \
        return to(from(x) < from(edge) ? 0 : 1);                                                             \
    }                                                                                                        \
    in_##t in_ext_smoothstep_##t(in_##t edge0, in_##t edge1, in_##t x)                                       \
    {                                                                                                        \
        type p = (from(x) - from(edge0)) / (from(edge1) - from(edge0));                                      \
        p = p > 0 ? p : 0;                                                                                   \
        p = p < 1 ? p : 1;                                                                                   \
        return to(p * p * (3 - 2 * p));                                                                      \
    }                                                                                                        \
    in_##t in_ext_sign_##t(in_##t x)                                                                         \
    {                                                                                                        \
        type v = from(x), r = (type)((v > 0) - (v < 0));                                                     \
        return to(v == 0 ? v : r);                                                                           \
    }                                                                                                        \
    in_##t in_ext_mix_##t(in_##t x, in_##t y, in_##t a)                                                      \
    {                                                                                                        \
        return to(from(x) + (from(y) - from(x)) * from(a));                                                  \
    }
COMMON(f16, float, in_half_to_f32, in_half_from_f32, 0x1.1df46ap-6f, 0x1.ca5dc2p+5f)
COMMON(f32, float, , , 0x1.1df46ap-6f, 0x1.ca5dc2p+5f)
COMMON(f64, double, , , 0x1.1df46a2529d39p-6, 0x1.ca5dc1a63c1f8p+5)

/* ---- by their bits ------------------------------------------------------------------------------- */

/* [CLC 7.5.1]: from a zero of either sign to the smallest denormal on y's side. */
in_f16 in_ext_nextafter_f16(in_f16 x, in_f16 y)
{
    float from = in_half_to_f32(x), to = in_half_to_f32(y);
    if (isnan(from))
        return x | 0x200;
    if (isnan(to))
        return y | 0x200;
    if (from == to)
        return y;
    if (from == 0)
        return to > 0 ? 0x0001 : 0x8001;
    return (in_f16)((from < to) == (from > 0) ? x + 1 : x - 1);
}

#define NEXT_AFTER(t, last_bit)                                                                              \
    in_##t in_ext_nextafter_##t(in_##t x, in_##t y)                                                          \
    {                                                                                                        \
        IN_BITS_##t from, zero;                                                                              \
        in_##t next, tiny;                                                                                   \
        memcpy(&from, &x, sizeof from);                                                                      \
        memcpy(&zero, &y, sizeof zero);                                                                      \
        from += (x < y) == (x > 0) ? 1 : (IN_BITS_##t) - 1;                                                  \
        zero = (zero >> last_bit << last_bit) | 1;                                                           \
        memcpy(&next, &from, sizeof next);                                                                   \
        memcpy(&tiny, &zero, sizeof tiny);                                                                   \
        next = x == 0 ? tiny : next;                                                                         \
        next = x == y ? y : next;                                                                            \
        return ((x != x) | (y != y)) ? x + y : next;                                                         \
    }
NEXT_AFTER(f32, 31)
NEXT_AFTER(f64, 63)

/* A quiet NaN with the code in the significand. */
in_f16 in_ext_nan_f16(uint16_t code)
{
    return 0x7e00 | (code & 0x1ff);
}

in_f32 in_ext_nan_f32(uint32_t code)
{
    uint32_t bits = UINT32_C(0x7fc00000) | (code & UINT32_C(0x3fffff));
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

in_f64 in_ext_nan_f64(uint64_t code)
{
    uint64_t bits = UINT64_C(0x7ff8) << 48 | (code & ((UINT64_C(1) << 51) - 1));
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
