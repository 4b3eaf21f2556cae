/* Sine, cosine and tangent [CLC 6.15.2, 7.4] without branches and calls except for huge arguments
 * (slow_path.h), so that loops over work-items can be vectorized; the interpreter and compiled kernels
 * execute the same operations.  An argument is reduced to a multiple of pi/2 and a rest of at most pi/4 and a
 * bit.  Functions of floats and halves are computed in double, those that need no long reduction in float;
 * results of float are within 2 ulp. */
#include "ext_functions.h"

#include <math.h>
#include <string.h>

#include "convert.h"
#include "math_double.h"
#include "slow_path.h"

#define INLINE static inline __attribute__((always_inline))

/* pi/2 = HIGH + MIDDLE + LOW to 160 bits in doubles and to 75 bits in floats; pi = PI_HIGH + PI_LOW. */
static const double HIGH = 0x1.921fb54442d18p+0, MIDDLE = 0x1.1a62633145c07p-54,
                    LOW = -0x1.f1976b7ed8fbcp-110, TWO_BY_PI = 0x1.45f306dc9c883p-1,
                    PI_HIGH = 0x1.921fb54442d18p+1, PI_LOW = 0x1.1a62633145c07p-53;
static const float HIGH_F = 0x1.921fb6p+0f, MIDDLE_F = -0x1.777a5cp-25f, LOW_F = -0x1.ee59dap-50f,
                   TWO_BY_PI_F = 0x1.45f306p-1f, PI_HIGH_F = 0x1.921fb6p+1f, PI_LOW_F = -0x1.777a5cp-24f;

/* ---- quarters -------------------------------------------------------------------------------------- */

/* An angle is QUARTER, modulo 4 in its low bits, times pi/2, and R + CORRECTION.  A sum with 1.5 * 2^52
 * (2^23) has a small integer in its low bits. */
#define DEFINE_ANGLE(type, word, magic, last_bit)                                                            \
    struct type##_angle {                                                                                    \
        type r, correction;                                                                                  \
        word quarter;                                                                                        \
    };                                                                                                       \
    INLINE word type##_low_bits(type n)                                                                      \
    {                                                                                                        \
        n += magic;                                                                                          \
        word bits;                                                                                           \
        memcpy(&bits, &n, sizeof bits);                                                                      \
        return bits;                                                                                         \
    }                                                                                                        \
    INLINE type type##_negate_if(type x, word sign)                                                          \
    {                                                                                                        \
        word bits;                                                                                           \
        memcpy(&bits, &x, sizeof bits);                                                                      \
        bits ^= sign << last_bit;                                                                            \
        memcpy(&x, &bits, sizeof x);                                                                         \
        return x;                                                                                            \
    }                                                                                                        \
    INLINE type type##_sine(word quarter, type sine, type cosine)                                            \
    {                                                                                                        \
        return type##_negate_if(quarter & 1 ? cosine : sine, quarter >> 1 & 1);                              \
    }                                                                                                        \
    INLINE type type##_cosine(word quarter, type sine, type cosine)                                          \
    {                                                                                                        \
        return type##_negate_if(quarter & 1 ? sine : cosine, (quarter >> 1 ^ quarter) & 1);                  \
    }                                                                                                        \
    INLINE type type##_tangent(word quarter, type sine, type cosine)                                         \
    {                                                                                                        \
        type above = quarter & 1 ? cosine : sine, below = quarter & 1 ? sine : cosine;                       \
        return type##_negate_if(above / below, quarter & 1);                                                 \
    }
DEFINE_ANGLE(float, uint32_t, 0x1.8p23f, 31)
DEFINE_ANGLE(double, uint64_t, 0x1.8p52, 63)

/* ---- reduction ------------------------------------------------------------------------------------- */

/* Of a float.  The smallest R of an angle below IN_SLOW_FROM has more than 40 bits, that of others, which are
 * rounded to double first, 23. */
INLINE struct double_angle reduce_single(float x)
{
    double angle = x;
    if (in_is_slow(angle))
        angle = in_slow_angle(angle, angle);
    double n = rint(angle * TWO_BY_PI), r = fma(-n, MIDDLE, fma(-n, HIGH, angle));
    return (struct double_angle){r, 0, double_low_bits(n)};
}

/* Of an argument of native_ functions, which need not be accurate from 2^20 on: R is at most 1. */
INLINE struct float_angle reduce_native(float x)
{
    float n = rintf(x * TWO_BY_PI_F), r = fmaf(-n, LOW_F, fmaf(-n, MIDDLE_F, fmaf(-n, HIGH_F, x)));
    return (struct float_angle){fabsf(r) < 1 ? r : x - x, 0, float_low_bits(n)};
}

/* Of a double below IN_SLOW_FROM.  x - n HIGH is exact: x and n HIGH are multiples of 2^-53, and their
 * difference is below 1. */
INLINE struct double_angle reduce_double(double x)
{
    double n = rint(x * TWO_BY_PI), high = fma(-n, HIGH, x), product = n * MIDDLE;
    double r = high - product, taken = high - r, back = r + taken;
    double rounded = (high - back) + (taken - product);
    return (struct double_angle){r, rounded - fma(n, MIDDLE, -product) - n * LOW, double_low_bits(n)};
}

/* Of pi x.  An even number is subtracted first, exactly. */
INLINE struct float_angle reduce_single_of_pi(float x)
{
    float turn = x - 2 * rintf(0.5f * x), n = rintf(2 * turn), half_turns = turn - 0.5f * n,
          r = half_turns * PI_HIGH_F;
    return (struct float_angle){r, fmaf(half_turns, PI_HIGH_F, -r) + half_turns * PI_LOW_F,
                                float_low_bits(n)};
}

INLINE struct double_angle reduce_double_of_pi(double x)
{
    double turn = x - 2 * rint(0.5 * x), n = rint(2 * turn), half_turns = turn - 0.5 * n,
           r = half_turns * PI_HIGH;
    return (struct double_angle){r, fma(half_turns, PI_HIGH, -r) + half_turns * PI_LOW, double_low_bits(n)};
}

/* ---- sine and cosine of the rest ------------------------------------------------------------------- */

/* Within 2^-40. */
INLINE double short_sine(struct double_angle a)
{
    double z = a.r * a.r, p = 1.0 / 6227020800;
    p = fma(p, z, -1.0 / 39916800);
    p = fma(p, z, 1.0 / 362880);
    p = fma(p, z, -1.0 / 5040);
    p = fma(p, z, 1.0 / 120);
    p = fma(p, z, -1.0 / 6);
    return fma(p * z, a.r, a.r);
}

INLINE double short_cosine(struct double_angle a)
{
    double z = a.r * a.r, p = 1.0 / 479001600;
    p = fma(p, z, -1.0 / 3628800);
    p = fma(p, z, 1.0 / 40320);
    p = fma(p, z, -1.0 / 720);
    p = fma(p, z, 1.0 / 24);
    p = fma(p, z, -0.5);
    return fma(p, z, 1);
}

/* Within 0.8 ulp of double, with the polynomials of fdlibm. */
INLINE double long_sine(struct double_angle a)
{
    double z = a.r * a.r, v = z * a.r, p = 1.58969099521155010221e-10;
    p = fma(p, z, -2.50507602534068634195e-08);
    p = fma(p, z, 2.75573137070700676789e-06);
    p = fma(p, z, -1.98412698298579493134e-04);
    p = fma(p, z, 8.33333333332248946124e-03);
    return a.r - ((z * (0.5 * a.correction - v * p) - a.correction) - v * -1.66666666666666324348e-01);
}

INLINE double long_cosine(struct double_angle a)
{
    double z = a.r * a.r, p = -1.13596475577881948265e-11, half = 0.5 * z, w = 1 - half;
    p = fma(p, z, 2.08757232129817482790e-09);
    p = fma(p, z, -2.75573143513906633035e-07);
    p = fma(p, z, 2.48015872894767294178e-05);
    p = fma(p, z, -1.38888888888741095749e-03);
    p = fma(p, z, 4.16666666666666019037e-02);
    return w + (((1 - w) - half) + (z * (z * p) - a.r * a.correction));
}

/* Within 1 ulp of float, with the polynomials of Cephes. */
INLINE float float_sine_of(struct float_angle a)
{
    float z = a.r * a.r, p = -1.9515295891e-4f;
    p = fmaf(p, z, 8.3321608736e-3f);
    p = fmaf(p, z, -1.6666654611e-1f);
    return a.r + fmaf(p * z, a.r, a.correction);
}

INLINE float float_cosine_of(struct float_angle a)
{
    float z = a.r * a.r, p = 2.443315711809948e-5f, half = 0.5f * z, w = 1 - half;
    p = fmaf(p, z, -1.388731625493765e-3f);
    p = fmaf(p, z, 4.166664568298827e-2f);
    return w + (((1 - w) - half) + fmaf(p * z, z, -a.r * a.correction));
}

/* ---- functions ------------------------------------------------------------------------------------- */

/* A zero keeps its sign. */
#define DEFINE(name, in_quarter, value)                                                                      \
    INLINE float single_##name(float x)                                                                      \
    {                                                                                                        \
        struct double_angle a = reduce_single(x);                                                            \
        float y = (float)double_##in_quarter(a.quarter, short_sine(a), short_cosine(a));                     \
        return value;                                                                                        \
    }                                                                                                        \
    INLINE float native_##name(float x)                                                                      \
    {                                                                                                        \
        struct float_angle a = reduce_native(x);                                                             \
        float y = float_##in_quarter(a.quarter, float_sine_of(a), float_cosine_of(a));                       \
        return value;                                                                                        \
    }                                                                                                        \
    INLINE double double_##name(double x)                                                                    \
    {                                                                                                        \
        struct double_angle a = reduce_double(x);                                                            \
        double y = double_##in_quarter(a.quarter, long_sine(a), long_cosine(a));                             \
        y = value;                                                                                           \
        if (in_is_slow(x))                                                                                   \
            y = in_slow_##name(x, y);                                                                        \
        return y;                                                                                            \
    }
DEFINE(sin, sine, x == 0 ? x : y)
DEFINE(cos, cosine, y)
DEFINE(tan, tangent, x == 0 ? x : y)

/* [CLC 7.5.1]: sinpi(n) is a zero with n's sign, cospi(n + 0.5) is +0; zeros and infinities of tanpi
 * alternate in sign from one period to the next. */
#define DEFINE_OF_PI(part, type, sine_of, cosine_of, copysign)                                               \
    INLINE type part##_sinpi(type x)                                                                         \
    {                                                                                                        \
        struct type##_angle a = reduce_##part##_of_pi(x);                                                    \
        type y = type##_sine(a.quarter, sine_of(a), cosine_of(a));                                           \
        return y == 0 ? copysign(0, x) : y;                                                                  \
    }                                                                                                        \
    INLINE type part##_cospi(type x)                                                                         \
    {                                                                                                        \
        struct type##_angle a = reduce_##part##_of_pi(x);                                                    \
        type y = type##_cosine(a.quarter, sine_of(a), cosine_of(a));                                         \
        return y == 0 ? 0 : y;                                                                               \
    }                                                                                                        \
    INLINE type part##_tanpi(type x)                                                                         \
    {                                                                                                        \
        struct type##_angle a = reduce_##part##_of_pi(copysign(x, 1));                                       \
        type sine = sine_of(a), y = type##_tangent(a.quarter, sine, cosine_of(a));                           \
        type exact = type##_negate_if(a.quarter & 1 ? (type)INFINITY : 0, a.quarter >> 1 & 1);               \
        y = sine == 0 ? exact : y;                                                                           \
        return signbit(x) ? -y : y;                                                                          \
    }
DEFINE_OF_PI(single, float, float_sine_of, float_cosine_of, copysignf)
DEFINE_OF_PI(double, double, long_sine, long_cosine, copysign)

/* ---- as functions of each type --------------------------------------------------------------------- */

/* fma() is a call without the instruction, so the interpreter has a version for processors that have it; both
 * compute the same. */
#if defined(__x86_64__) && !defined(__clang__)
#define DEFINE_VERSIONS(type, name, value)                                                                   \
    __attribute__((target("fma"))) static type name##_with_fma(type x)                                       \
    {                                                                                                        \
        return value;                                                                                        \
    }                                                                                                        \
    type name(type x)                                                                                        \
    {                                                                                                        \
        return __builtin_cpu_supports("fma") ? name##_with_fma(x) : (value);                                 \
    }
#else
#define DEFINE_VERSIONS(type, name, value)                                                                   \
    type name(type x)                                                                                        \
    {                                                                                                        \
        return value;                                                                                        \
    }
#endif
#define DEFINE_EACH(name, short, function)                                                                   \
    DEFINE_VERSIONS(in_f16, in_ext_##name##_f16, in_half_from_f32(short##_##function(in_half_to_f32(x))))    \
    DEFINE_VERSIONS(in_f32, in_ext_##name##_f32, short##_##function(x))                                      \
    DEFINE_VERSIONS(in_f64, in_ext_##name##_f64, double_##function(x))
#define DEFINE_NATIVE(function)                                                                              \
    DEFINE_EACH(function, single, function)                                                                  \
    DEFINE_EACH(half_##function, single, function)                                                           \
    DEFINE_EACH(native_##function, native, function)
DEFINE_NATIVE(sin)
DEFINE_NATIVE(cos)
DEFINE_NATIVE(tan)
DEFINE_EACH(sinpi, single, sinpi)
DEFINE_EACH(cospi, single, cospi)
DEFINE_EACH(tanpi, single, tanpi)

#define SINCOS(name, t)                                                                                      \
    in_##t in_ext_##name##_##t(in_##t x, in_##t *p)                                                          \
    {                                                                                                        \
        *p = in_ext_cos_##t(x);                                                                              \
        return in_ext_sin_##t(x);                                                                            \
    }
IN_EACH_FLOAT(SINCOS, sincos)
