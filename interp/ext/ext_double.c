/* Mathematical functions of doubles [CLC 6.15.2, 7.4] without branches and calls, so that loops over
 * work-items can be vectorized; the interpreter and compiled kernels execute the same operations.
 * Polynomials are Chebyshev approximations with errors below 2^-53.  Results are within 2 ulp (sinh, cosh,
 * tanh and inverse functions 3, erf and erfc 4). */
#include "ext_functions.h"

#include <math.h>

#include "convert.h"
#include "exp_log.h"
#include "math_double.h"

static const double LN_2 = 0x1.62e42fefa39efp-1, LN_2_REST = 0x1.abc9e3b39803fp-56,
                    LN_10 = 0x1.26bb1bbb55516p+1, LN_10_REST = -0x1.f48ad494ea3e9p-53,
                    LOG2_10 = 0x1.a934f0979a371p+1, LOG10_2_HIGH = 0x1.34413509p-2,
                    LOG10_2_LOW = 0x1.ef3fde623e256p-35, LOG10_E = 0x1.bcb7b1526e50ep-2;

/* ---- exponential functions ------------------------------------------------------------------------- */

INLINE double double_exp2(double x)
{
    double y = x > 1200 ? 1200 : x < -1200 ? -1200 : x, n = rint(y), r = (y - n) * LN_2;
    return scaled(1 + exp_near_zero(r, fma(y - n, LN_2, -r) + (y - n) * LN_2_REST), n);
}

INLINE double double_exp10(double x)
{
    double y = x > 400 ? 400 : x < -400 ? -400 : x, n = rint(y * LOG2_10);
    double part = fma(n, -LOG10_2_HIGH, y), rest = -n * LOG10_2_LOW;
    double t = part + rest, t_rest = (part - t) + rest, r = t * LN_10;
    return scaled(1 + exp_near_zero(r, fma(t, LN_10, -r) + fma(t, LN_10_REST, t_rest * LN_10)), n);
}

/* (e^X - 1) / DIVISOR, a power of two. */
INLINE double expm1_divided(double x, double divisor)
{
    double n, q = reduced_exp(exp_range(x), 0, &n);
    double half = rint(0.5 * n), scale = power_of_two(half) / divisor, more = power_of_two(n - half);
    return fma(q, scale, scale - 1 / (divisor * more)) * more;
}

INLINE double double_expm1(double x)
{
    double r = expm1_divided(x, 1);
    return x == 0 ? x : r;
}

INLINE double double_tanh(double x)
{
    double a = fabs(x), e = expm1_divided(a > 32 ? 64 : 2 * a, 1), r = e / (e + 2);
    return copysign(x != x ? x : r, x);
}

INLINE double double_sinh(double x)
{
    double e = expm1_divided(fabs(x), 2), more = e / fma(2, e, 1);
    return copysign(e + (e == (double)INFINITY ? 0 : more), x);
}

INLINE double double_cosh(double x)
{
    double n, q = reduced_exp(exp_range(fabs(x)), 0, &n), e = scaled(0.5 + 0.5 * q, n);
    return e + 0.25 / e;
}

/* ---- logarithms ------------------------------------------------------------------------------------ */

INLINE double double_log2(double x)
{
    double e, f = split_at_root(x, &e) - 1, low = log1p_remainder(f, 0), log = f + low;
    double rest = (f - log) + low, high = log * LOG2_E;
    return log_or_special(x, e + (high + (fma(log, LOG2_E, -high) + rest * LOG2_E)));
}

INLINE double double_log10(double x)
{
    double e, f = split_at_root(x, &e) - 1, low = log1p_remainder(f, 0), log = f + low;
    double rest = fma((f - log) + low, LOG10_E, e * LOG10_2_LOW);
    return log_or_special(x, fma(e, LOG10_2_HIGH, fma(log, LOG10_E, rest)));
}

/* log(1 + X) + MORE.  1 + x is rounded to u; log(1 + x) = log(u) + log(1 + (1 + x - u) / u). */
INLINE double log_of_sum(double x, double more)
{
    double u = 1 + x, e, f = split_at_root(u, &e) - 1, wrong = x < 1 ? x - (u - 1) : 1 - (u - x);
    double low = log1p_remainder(f, fma(e, LN_2_LOW, wrong / u));
    return log_or_special(u, fma(e, LN_2_HIGH, f + low) + more);
}

INLINE double double_log1p(double x)
{
    double r = log_of_sum(x, 0);
    return x == 0 ? x : r;
}

/* Numbers whose squares are so large beside 1 that it is lost. */
INLINE int is_huge(double a)
{
    return a > 0x1p60;
}

INLINE double double_asinh(double x)
{
    double a = fabs(x), b = is_huge(a) ? 1 : a;
    double more = b + b * b / (1 + sqrt(fma(b, b, 1)));
    double log = log_of_sum(is_huge(a) ? a : more, is_huge(a) ? LN_2 : 0);
    return copysign(((x == 0) | (x != x)) ? x : log, x);
}

INLINE double double_acosh(double x)
{
    double f = is_huge(x) ? 1 : x - 1, sum = f + sqrt(f * (f + 2));
    double log = log_of_sum(is_huge(x) ? x : sum, is_huge(x) ? LN_2 : 0);
    return x < 1 ? (double)NAN : log;
}

INLINE double double_atanh(double x)
{
    double a = fabs(x), r = copysign(0.5 * log_of_sum(2 * a / (1 - a), 0), x);
    return x == 0 ? x : r;
}

/* ---- powers and roots ------------------------------------------------------------------------------ */

/* |X|^Y for Y that is no NaN; 1 for |X| = 1 and Y = 0. */
INLINE double power_of(double x, double y)
{
    double a = fabs(x), rest, log = exact_log(a, &rest), p = y * log;
    double more = fma(y, log, -p) + y * rest;
    p = a == 0 || a == (double)INFINITY ? ((a == 0) == (y > 0) ? -800.0 : 800.0) : p;
    double r = exp_sum(p, more);
    return ((a == 1) | (y == 0)) ? 1 : r;
}

INLINE double double_pow(double x, double y)
{
    double half = 0.5 * y, r = power_of(x, y);
    int whole = rint(y) == y, odd = whole & (rint(half) != half);
    r = odd ? copysign(r, x) : r;
    r = ((x < 0) & (x != -(double)INFINITY) & !whole) ? (double)NAN : r;
    r = ((x != x) | (y != y)) ? (double)NAN : r;
    return ((y == 0) | (x == 1)) ? 1 : r;
}

INLINE double double_pown(double x, int32_t n)
{
    return double_pow(x, n);
}

/* x^y as exp(y log x): x >= 0 only, NaN for 0^0, infinity^0 and 1^infinity [CLC 7.5.1]. */
INLINE double double_powr(double x, double y)
{
    double r = power_of(x, y);
    int zeroth = (y == 0) & ((x == 0) | (x == (double)INFINITY));
    int undefined = zeroth | ((x == 1) & (fabs(y) == (double)INFINITY));
    return ((x != x) | (y != y) | (x < 0) | undefined) ? (double)NAN : r;
}

/* |X|^(1/N) for finite X other than 0. */
INLINE double root_of(double x, double n)
{
    double rest, log = exact_log(fabs(x), &rest), p = log / n;
    return exp_sum(p, (fma(-p, n, log) + rest) / n);
}

/* x^(1/n) for the exact 1/n [CLC 7.5.1]. */
INLINE double double_rootn(double x, int32_t n)
{
    int odd = n & 1, special = (x == 0) | (fabs(x) == (double)INFINITY);
    double r = root_of(special ? 1 : x, n == 0 ? 1 : n);
    r = special ? ((x == 0) == (n > 0) ? 0.0 : (double)INFINITY) : r;
    r = odd ? copysign(r, x) : r;
    return ((n == 0) | (x != x) | ((x < 0) & !odd)) ? (double)NAN : r;
}

INLINE double double_cbrt(double x)
{
    int special = (x == 0) | (fabs(x) == (double)INFINITY) | (x != x);
    double r = copysign(root_of(special ? 1 : x, 3), x);
    return special ? x : r;
}

INLINE double double_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = a > b ? a : b;
    double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1;
    double r = sqrt(fma(a * scale, a * scale, (b * scale) * (b * scale))) * (1 / scale);
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (double)INFINITY : r;
}

/* ---- inverse trigonometric functions --------------------------------------------------------------- */

static const double PI = 0x1.921fb54442d18p+1, PI_REST = 0x1.1a62633145c07p-53,
                    INVERSE_PI = 0x1.45f306dc9c883p-2;

/* The angle of (x, y), both at least 0 and less than 2^1020: a multiple of pi/4 and the arc tangent of t with
 * |t| <= tan(pi/8). In units of pi if HALF_TURNS. */
INLINE double angle(double y, double x, int half_turns)
{
    int steep = y > 0x1.3504f333f9de6p+1 * x, diagonal = y > 0x1.a827999fcef32p-2 * x;
    double above = steep ? -x : diagonal ? y - x : y, below = steep ? y : diagonal ? y + x : x;
    double start = steep ? 0.5 : diagonal ? 0.25 : 0;
    double t = above / (below == 0 ? 1 : below), z = t * t;
    double p = 0x1.0a997ba33c0e1p-6;
    p = fma(p, z, -0x1.1b1992aa4134ep-5);
    p = fma(p, z, 0x1.74d3a7b4334e5p-5);
    p = fma(p, z, -0x1.ac7858539e486p-5);
    p = fma(p, z, 0x1.e199c62156607p-5);
    p = fma(p, z, -0x1.110e84aa36d9cp-4);
    p = fma(p, z, 0x1.3b1392a9c2d8bp-4);
    p = fma(p, z, -0x1.745d165c497f3p-4);
    p = fma(p, z, 0x1.c71c71c2fc236p-4);
    p = fma(p, z, -0x1.249249248d739p-3);
    p = fma(p, z, 0x1.9999999999952p-3);
    p = fma(p, z, -0x1.5555555555555p-2);
    if (half_turns)
        return start + fma(p * z, t, t) * INVERSE_PI;
    return start * PI + (t + fma(p * z, t, start * PI_REST));
}

/* R for a direction to the right, its mirror image for one to the left. */
INLINE double mirrored(double r, int left, int half_turns)
{
    double mirror = half_turns ? 1 - r : PI - (r - PI_REST);
    return left ? mirror : r;
}

INLINE double arc_tangent(double x, int half_turns)
{
    double a = fabs(x);
    int infinite = a == (double)INFINITY;
    return copysign(angle(infinite ? 1 : a, infinite ? 0 : 1, half_turns), x);
}

INLINE double arc_tangent_of(double y, double x, int half_turns)
{
    double ay = fabs(y), ax = fabs(x), infinite = (double)INFINITY;
    double most = ay > ax ? ay : ax, scale = most > 0x1p1000 ? 0x1p-100 : most < 0x1p-900 ? 0x1p120 : 1;
    int far = ay == infinite || ax == infinite;
    double r = angle(far ? ay == infinite : ay * scale, far ? ax == infinite : ax * scale, half_turns);
    r = copysign(mirrored(r, signbit(x) != 0, half_turns), y);
    return x != x || y != y ? (double)NAN : r;
}

INLINE double arc_sine(double x, int half_turns)
{
    double a = fabs(x);
    return copysign(angle(a, sqrt((1 - a) * (1 + a)), half_turns), x);
}

INLINE double arc_cosine(double x, int half_turns)
{
    double a = fabs(x);
    return mirrored(angle(sqrt((1 - a) * (1 + a)), a, half_turns), signbit(x) != 0, half_turns);
}

/* ---- error functions ------------------------------------------------------------------------------- */

/* erfc A for A >= 0: e^(-A^2) / (1 + 2 A) times a function of (A - 4) / (A + 4). */
INLINE double upper_erfc(double a)
{
    double b = a < 28 ? a : 28, t = (b - 4) / (b + 4);
    double p = -0x1.f47207b168acdp-30;
    p = fma(p, t, -0x1.d5bb4c6d5b92dp-27);
    p = fma(p, t, -0x1.09198a32cd9a9p-27);
    p = fma(p, t, 0x1.ef6c0c38d1a2bp-24);
    p = fma(p, t, 0x1.0d535fce28f99p-24);
    p = fma(p, t, -0x1.c05fc977974eap-21);
    p = fma(p, t, 0x1.4392983419eddp-22);
    p = fma(p, t, 0x1.7fb88e391a9fep-18);
    p = fma(p, t, -0x1.78a43458cca4bp-17);
    p = fma(p, t, -0x1.996ad056e530bp-16);
    p = fma(p, t, 0x1.3be0b393ee921p-13);
    p = fma(p, t, -0x1.a1de7c6e9ac9cp-13);
    p = fma(p, t, -0x1.8d4a9dc0d22f3p-11);
    p = fma(p, t, 0x1.49c671893963fp-8);
    p = fma(p, t, -0x1.0962388367b2fp-6);
    p = fma(p, t, 0x1.3079edfa1033fp-5);
    p = fma(p, t, -0x1.0fb06dfe46987p-4);
    p = fma(p, t, 0x1.7fee004df6263p-4);
    p = fma(p, t, -0x1.9ddb23c3e98a6p-4);
    p = fma(p, t, 0x1.16ecefcfa6077p-4);
    p = fma(p, t, 0x1.f7f5df66fd951p-7);
    p = fma(p, t, -0x1.1df1ad154a29cp-3);
    p = fma(p, t, 0x1.3ba5916e9fd7fp+0);
    double square = b * b, n, q = reduced_exp(-square, -fma(b, b, -square), &n);
    return scaled((1 + q) * (p / fma(2, b, 1)), n);
}

/* erf X for |X| <= 1. */
INLINE double middle_erf(double x)
{
    double z = x * x, p = -0x1.29b9f1b3df556p-38;
    p = fma(p, z, 0x1.7f072188e194dp-34);
    p = fma(p, z, -0x1.4e607b41a6416p-30);
    p = fma(p, z, 0x1.fc4356498c2d9p-27);
    p = fma(p, z, -0x1.5f6d925a0bc7ap-23);
    p = fma(p, z, 0x1.b9e6509b9867dp-20);
    p = fma(p, z, -0x1.f4d2561aeafd4p-17);
    p = fma(p, z, 0x1.f9a326c233146p-14);
    p = fma(p, z, -0x1.c02db3feeb579p-11);
    p = fma(p, z, 0x1.565bcd0e6502dp-8);
    p = fma(p, z, -0x1.b82ce312889bap-6);
    p = fma(p, z, 0x1.ce2f21a042bdep-4);
    p = fma(p, z, -0x1.812746b0379e7p-2);
    p = fma(p, z, 0x1.20dd750429b6dp+0);
    return p * x;
}

INLINE double double_erfc(double x)
{
    double r = upper_erfc(fabs(x));
    r = x < 0 ? 2 - r : r;
    return x != x ? x : r;
}

INLINE double double_erf(double x)
{
    double a = fabs(x), r = a < 1 ? middle_erf(a) : 1 - upper_erfc(a);
    return x != x ? x : copysign(r, x);
}

/* ---- as functions of OpenCL.std -------------------------------------------------------------------- */

#define DEFINE_1(name, ...)                                                                                  \
    in_f64 in_ext_##name##_f64(in_f64 x)                                                                     \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }
#define DEFINE_2(name, ...)                                                                                  \
    in_f64 in_ext_##name##_f64(in_f64 x, in_f64 y)                                                           \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }
/* Of all types; for half and float double suffices. */
#define DEFINE_ALL(name, t)                                                                                  \
    in_##t in_ext_##name##_##t(in_##t x)                                                                     \
    {                                                                                                        \
        return TO_##t(double_##name(FROM_##t(x)));                                                           \
    }
#define DEFINE_ALL_INT(name, t)                                                                              \
    in_##t in_ext_##name##_##t(in_##t x, int32_t n)                                                          \
    {                                                                                                        \
        return TO_##t(double_##name(FROM_##t(x), n));                                                        \
    }
IN_EACH_FLOAT(DEFINE_ALL, erf)
IN_EACH_FLOAT(DEFINE_ALL, erfc)
IN_EACH_FLOAT(DEFINE_ALL_INT, pown)
IN_EACH_FLOAT(DEFINE_ALL_INT, rootn)
#define DEFINE_NARROW(name)                                                                                  \
    DEFINE_1(name, double_##name(x))                                                                         \
    DEFINE_1(half_##name, double_##name(x)) DEFINE_1(native_##name, double_##name(x))
DEFINE_NARROW(exp2)
DEFINE_NARROW(exp10)
DEFINE_NARROW(log2)
DEFINE_NARROW(log10)
DEFINE_1(acos, arc_cosine(x, 0))
DEFINE_1(acospi, arc_cosine(x, 1))
DEFINE_1(asin, arc_sine(x, 0))
DEFINE_1(asinpi, arc_sine(x, 1))
DEFINE_1(atan, arc_tangent(x, 0))
DEFINE_1(atanpi, arc_tangent(x, 1))
DEFINE_1(acosh, double_acosh(x))
DEFINE_1(asinh, double_asinh(x))
DEFINE_1(atanh, double_atanh(x))
DEFINE_1(cbrt, double_cbrt(x))
DEFINE_1(cosh, double_cosh(x))
DEFINE_1(expm1, double_expm1(x))
DEFINE_1(log1p, double_log1p(x))
DEFINE_1(sinh, double_sinh(x))
DEFINE_1(tanh, double_tanh(x))
DEFINE_2(atan2, arc_tangent_of(x, y, 0))
DEFINE_2(atan2pi, arc_tangent_of(x, y, 1))
DEFINE_2(hypot, double_hypot(x, y))
DEFINE_2(pow, double_pow(x, y))
DEFINE_2(powr, double_powr(x, y))
DEFINE_2(half_powr, double_powr(x, y))
DEFINE_2(native_powr, double_powr(x, y))
