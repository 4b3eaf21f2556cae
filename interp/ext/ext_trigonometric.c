/* Sine, cosine and tangent [CLC 6.15.2, 7.4] without branches and calls except for huge doubles (slow_path.h), so that loops over
 * work-items can be vectorized; the interpreter and compiled kernels execute the same operations.  An argument is reduced to a
 * multiple of pi/2 and a rest of at most pi/4 and a bit.  Functions of floats and halves are computed in double, those that need no
 * long reduction in float; results of float are within 2 ulp. */
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

/* ---- quarters -------------------------------------------------------------------------------------------------------- */

/* An angle is QUARTER, modulo 4 in its low bits, times pi/2, and R + CORRECTION.  A sum with 1.5 * 2^52 (2^23) has a small integer
 * in its low bits. */
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

/* ---- reduction --------------------------------------------------------------------------------------------------------- */

/* 2^k modulo 2 pi, at most pi in magnitude and divided by 2^k, in two parts. */
enum { ROWS = 99 };
/* clang-format off */
static const double powers[ROWS][2] = {
{0x1p+0, 0}, {0x1p+0, 0},
    {-0x1.243f6a8885a31p-1, 0x1.cb3b399d747f2p-55}, {0x1.b7812aeef4b9fp-3, -0x1.a62633145c06ep-59},
    {-0x1.6cbe3f9990e92p-3, 0x1.61b1acd85d7d7p-57}, {0x1.2b0bad558f435p-6, -0x1.f5f7fb2e61132p-64},
    {0x1.2b0bad558f435p-6, -0x1.f5f7fb2e61132p-64}, {0x1.2b0bad558f435p-6, -0x1.f5f7fb2e61132p-64},
    {-0x1.9c501fbace38dp-8, -0x1.ce0f17215e8dp-63}, {0x1.87ef4acdb76a3p-8, 0x1.4dbd3ad1dc3a6p-62},
    {-0x1.460d4ed16ce9ep-13, -0x1.94a50bed30c26p-67}, {-0x1.460d4ed16ce9ep-13, -0x1.94a50bed30c26p-67},
    {-0x1.460d4ed16ce9ep-13, -0x1.94a50bed30c26p-67}, {-0x1.460d4ed16ce9ep-13, -0x1.94a50bed30c26p-67},
    {-0x1.460d4ed16ce9ep-13, -0x1.94a50bed30c26p-67}, {0x1.304999cb579e8p-15, -0x1.e90aa2efac07ep-69},
    {0x1.304999cb579e8p-15, -0x1.e90aa2efac07ep-69}, {-0x1.87586de3accc3p-17, -0x1.b6831078e4261p-76},
    {-0x1.87586de3accc3p-17, -0x1.b6831078e4261p-76}, {0x1.58e8ec12c0aa8p-22, 0x1.95c955afd3e7bp-76},
    {0x1.58e8ec12c0aa8p-22, 0x1.95c955afd3e7bp-76}, {0x1.58e8ec12c0aa8p-22, 0x1.95c955afd3e7bp-76},
    {0x1.58e8ec12c0aa8p-22, 0x1.95c955afd3e7bp-76}, {0x1.58e8ec12c0aa8p-22, 0x1.95c955afd3e7bp-76},
    {-0x1.c9b6498c1137fp-25, -0x1.2643605c762f1p-82}, {-0x1.c9b6498c1137fp-25, -0x1.2643605c762f1p-82},
    {0x1.5a8920fc746b2p-25, -0x1.f003a5a90345p-79}, {-0x1.bcb4a23e73336p-28, -0x1.4cc11b4920ae8p-84},
    {-0x1.bcb4a23e73336p-28, -0x1.4cc11b4920ae8p-84}, {0x1.678ac84a126fap-28, 0x1.e1947f9043554p-82},
    {-0x1.54a767d1830eep-31, -0x1.c66f1d081359ap-85}, {-0x1.54a767d1830eep-31, -0x1.c66f1d081359ap-85},
    {-0x1.54a767d1830eep-31, -0x1.c66f1d081359ap-85}, {0x1.ebc26b95fe14fp-34, -0x1.6065ceb66cc97p-88},
    {0x1.ebc26b95fe14fp-34, -0x1.6065ceb66cc97p-88}, {-0x1.387cfef2878e2p-34, 0x1.ab55ab9c1ed6dp-90},
    {0x1.668ad946ed0dap-36, -0x1.eb20c79eca277p-90}, {0x1.668ad946ed0dap-36, -0x1.eb20c79eca277p-90},
    {-0x1.5ca6dfeaae1f6p-39, -0x1.60cab403f9f91p-96}, {-0x1.5ca6dfeaae1f6p-39, -0x1.60cab403f9f91p-96},
    {-0x1.5ca6dfeaae1f6p-39, -0x1.60cab403f9f91p-96}, {0x1.abc6aacca5912p-42, -0x1.1b6f34f397eb5p-97},
    {0x1.abc6aacca5912p-42, -0x1.1b6f34f397eb5p-97}, {-0x1.7878bfbbe011fp-42, 0x1.3d839f23a8898p-96},
    {0x1.9a6f58862bf99p-46, 0x1.7e60254ee49ebp-100}, {0x1.9a6f58862bf99p-46, 0x1.7e60254ee49ebp-100},
    {0x1.9a6f58862bf99p-46, 0x1.7e60254ee49ebp-100}, {-0x1.89d0120259a97p-46, -0x1.6cc942274dc45p-101},
    {0x1.09f4683d25023p-51, 0x1.fee10ecf6f246p-107}, {0x1.09f4683d25023p-51, 0x1.fee10ecf6f246p-107},
    {0x1.09f4683d25023p-51, 0x1.fee10ecf6f246p-107}, {0x1.09f4683d25023p-51, 0x1.fee10ecf6f246p-107},
    {0x1.09f4683d25023p-51, 0x1.fee10ecf6f246p-107}, {-0x1.10569a0e3b9eap-52, -0x1.35543efad3eebp-106},
    {0x1.0392366c0e65cp-53, -0x1.af1dbc98e2e42p-110}, {-0x1.1d1afdb068d79p-54, 0x1.5f73ca773bc62p-108},
    {0x1.d412de4f67e7ep-56, 0x1.e758b6a2061a3p-110}, {-0x1.502c8c391dbb2p-56, -0x1.35b03f02159adp-112},
    {0x1.07cca42c94599p-58, -0x1.984d6479fd323p-113}, {0x1.07cca42c94599p-58, -0x1.984d6479fd323p-113},
    {-0x1.14a6222f5ceffp-59, 0x1.976ea91bba67bp-116}, {0x1.f5e64c5397865p-61, 0x1.3540e152f4359p-115},
    {-0x1.2e591e34ee1cbp-61, -0x1.ff07ca1f2e969p-116}, {0x1.8f1a5c3d52d34p-63, 0x1.ade7e21ae7526p-119},
    {0x1.8f1a5c3d52d34p-63, 0x1.ade7e21ae7526p-119}, {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125},
    {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125}, {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125},
    {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125}, {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125},
    {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125}, {-0x1.82ac8377ff216p-70, 0x1.17955574142a1p-125},
    {0x1.ee6639887604dp-75, 0x1.8b437ad3f55ep-130}, {0x1.ee6639887604dp-75, 0x1.8b437ad3f55ep-130},
    {0x1.ee6639887604dp-75, 0x1.8b437ad3f55ep-130}, {0x1.ee6639887604dp-75, 0x1.8b437ad3f55ep-130},
    {-0x1.35d931000f9e3p-75, -0x1.6f2308f890d1ep-129}, {0x1.711a1110cccd4p-77, -0x1.5302971d2c45bp-131},
    {0x1.711a1110cccd4p-77, -0x1.5302971d2c45bp-131}, {-0x1.082d219bb0225p-80, 0x1.29b05b18df9e2p-135},
    {-0x1.082d219bb0225p-80, 0x1.29b05b18df9e2p-135}, {-0x1.082d219bb0225p-80, 0x1.29b05b18df9e2p-135},
    {0x1.13e52751255e7p-81, -0x1.4315bd0929c2p-136}, {-0x1.f8ea37cc75cc6p-83, 0x1.104af928957a5p-137},
    {0x1.2b5532bc0fd6bp-83, -0x1.75e080e9be09ap-138}, {-0x1.9b2a0a20cbeb6p-85, 0x1.556ae2ced9d62p-140},
    {0x1.89156067b9b7bp-85, -0x1.2085c83607941p-139}, {-0x1.214a9b91233b2p-90, 0x1.45f5262caae07p-145},
    {-0x1.214a9b91233b2p-90, 0x1.45f5262caae07p-145}, {-0x1.214a9b91233b2p-90, 0x1.45f5262caae07p-145},
    {-0x1.214a9b91233b2p-90, 0x1.45f5262caae07p-145}, {-0x1.214a9b91233b2p-90, 0x1.45f5262caae07p-145},
    {0x1.c35466cc7e59ap-92, -0x1.0a8c26e1933d7p-146}, {-0x1.60eb03bc07497p-92, 0x1.815e2577c2837p-147},
    {0x1.89a58c41dc40cp-95, -0x1.27745096c7eeep-149}, {0x1.89a58c41dc40cp-95, -0x1.27745096c7eeep-149},
    {0x1.89a58c41dc40cp-95, -0x1.27745096c7eeep-149}, {-0x1.0f45204cd2192p-100, -0x1.d6b3c80daf49ap-157},
    {-0x1.0f45204cd2192p-100, -0x1.d6b3c80daf49ap-157}};
/* clang-format on */

/* Of a float: from 2^30 on, the products with both parts of a row, by the exponent.  No float is so close to a multiple of pi/2 that R
 * has fewer than 40 bits. */
INLINE struct double_angle reduce_single(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t row = (int32_t)(bits >> 23 & 0xff) - (127 + 29);
    row = row < 0 ? 0 : row > ROWS - 1 ? ROWS - 1 : row;
    double y = x * powers[row][0], rest = fma(x, powers[row][0], -y) + x * powers[row][1];
    double n = rint(y * TWO_BY_PI), r = fma(-n, MIDDLE, fma(-n, HIGH, y)) + rest;
    return (struct double_angle){r, 0, double_low_bits(n)};
}

/* Of an argument of native_ functions, which need not be accurate from 2^20 on: R is at most 1. */
INLINE struct float_angle reduce_native(float x)
{
    float n = rintf(x * TWO_BY_PI_F), r = fmaf(-n, LOW_F, fmaf(-n, MIDDLE_F, fmaf(-n, HIGH_F, x)));
    return (struct float_angle){fabsf(r) < 1 ? r : x - x, 0, float_low_bits(n)};
}

/* Of a double below IN_SLOW_FROM.  x - n HIGH is exact: x and n HIGH are multiples of 2^-53, and their difference is below 1. */
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

/* ---- sine and cosine of the rest --------------------------------------------------------------------------------------- */

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

/* ---- functions ----------------------------------------------------------------------------------------------------------- */

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

/* [CLC 7.5.1]: sinpi(n) is a zero with n's sign, cospi(n + 0.5) is +0; zeros and infinities of tanpi alternate in sign from one
 * period to the next. */
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

/* ---- as functions of each type ------------------------------------------------------------------------------------------- */

#define DEFINE_EACH(name, short, function)                                                                   \
    in_f16 in_ext_##name##_f16(in_f16 x)                                                                     \
    {                                                                                                        \
        return in_half_from_f32(short##_##function(in_half_to_f32(x)));                                      \
    }                                                                                                        \
    in_f32 in_ext_##name##_f32(in_f32 x)                                                                     \
    {                                                                                                        \
        return short##_##function(x);                                                                        \
    }                                                                                                        \
    in_f64 in_ext_##name##_f64(in_f64 x)                                                                     \
    {                                                                                                        \
        return double_##function(x);                                                                         \
    }
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
