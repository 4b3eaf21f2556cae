/* tgamma and lgamma [CLC 6.15.2, 7.4] in double arithmetic without branches and calls, so that loops over
 * work-items can be vectorized.  tgamma is within 5 ulp; lgamma is within 8 ulp for positive arguments, and
 * for negative ones, between which it has zeros, within 2^-50 of the larger of 1, |x| and the result. */
#ifndef INTERP_EXT_MATH_GAMMA_H
#define INTERP_EXT_MATH_GAMMA_H

#include "exp_log.h"
#include "math_double.h"

static const double HALF_LOG_2_PI = 0x1.d67f1c864beb5p-1;

/* sin(pi F) / (pi F) for |F| <= 1/2. */
INLINE double sine_quotient(double f)
{
    double z = f * f, p = -0x1.e76f9713ceb75p-28;
    p = fma(p, z, 0x1.0faad1ce2b620p-22);
    p = fma(p, z, -0x1.d424086bd36bbp-18);
    p = fma(p, z, 0x1.3747192da83d2p-13);
    p = fma(p, z, -0x1.33816aa2f7e7dp-9);
    p = fma(p, z, 0x1.ac6805cf32063p-6);
    p = fma(p, z, -0x1.86a8e4720db2bp-3);
    p = fma(p, z, 0x1.9f9cb402bc46cp-1);
    p = fma(p, z, -0x1.a51a6625307d3p+0);
    return fma(p, z, 1);
}

/* Whether gamma is negative at X < 0, no integer. */
INLINE int is_negative(double x)
{
    double half = 0.5 * floor(x);
    return (x < 0) & (half != floor(half));
}

/* Stirling's series: what lgamma(A) differs by from (A - 1/2) log A - A + log(2 pi) / 2, for A >= 8. */
INLINE double stirling(double a)
{
    double z = 1 / (a * a), p = 0x1.4bffc9d8b455bp-8;
    p = fma(p, z, -0x1.ef8d748aeb0f2p-10);
    p = fma(p, z, 0x1.b92c33f9445e5p-11);
    p = fma(p, z, -0x1.38134d4f8896fp-11);
    p = fma(p, z, 0x1.a01a017dcf9e1p-11);
    p = fma(p, z, -0x1.6c16c16c149f4p-9);
    p = fma(p, z, 0x1.5555555555555p-4);
    return p / a;
}

INLINE double factor(double a, double k, double n)
{
    double difference = a - n;
    return k > n + 1 ? difference : 1;
}

/* The absolute value of what gamma(2 + F) is multiplied with, if K >= 2, or divided by, to yield gamma(X).
 * A = |X| < 9, and K is its nearest integer.  F is A - K, and the product that of the numbers between A and 2
 * at distance 1 from each other; where K is 0, F is X, and the product X (1 + X). */
INLINE double product_from_two(double x, double a, double k)
{
    double least = fabs(x * (1 + x)), product = k == 0 ? least : k == 1 ? a : 1;
    product *= factor(a, k, 1);
    product *= factor(a, k, 2);
    product *= factor(a, k, 3);
    product *= factor(a, k, 4);
    product *= factor(a, k, 5);
    product *= factor(a, k, 6);
    return product;
}

/* 1 / |gamma(-A) gamma(A)|, with the nearest integer K of A: A sin(pi A) / pi. */
INLINE double reflection(double a, double k)
{
    double f = a - k;
    return a * fabs(f) * sine_quotient(f);
}

/* ---- tgamma ---------------------------------------------------------------------------------------- */

/* 1 / gamma(2 + F) for |F| <= 1/2. */
INLINE double inverse_gamma_from_two(double f)
{
    double p = 0x1.b50da00823b9ep-28;
    p = fma(p, f, -0x1.7248ff472371dp-30);
    p = fma(p, f, -0x1.b951efa4da615p-23);
    p = fma(p, f, 0x1.676bac9e52d34p-20);
    p = fma(p, f, -0x1.5b7cfca9af169p-19);
    p = fma(p, f, -0x1.265f4213d0669p-16);
    p = fma(p, f, 0x1.3156555257cfap-13);
    p = fma(p, f, -0x1.7a5da952e1a6bp-12);
    p = fma(p, f, -0x1.a5b350a677528p-11);
    p = fma(p, f, 0x1.06e8179e26ec1p-7);
    p = fma(p, f, -0x1.21198511757a4p-6);
    p = fma(p, f, -0x1.92449b66f1e7ap-6);
    p = fma(p, f, 0x1.875ac57822509p-3);
    p = fma(p, f, -0x1.dd603fb6ac11ep-3);
    p = fma(p, f, -0x1.b0ee6072093cep-2);
    return fma(p, f, 1);
}

INLINE double in_double_tgamma(double x)
{
    double a = fabs(x), k = rint(a), part = a - k, product = product_from_two(x, a, k);
    double inverse = inverse_gamma_from_two(k == 0 ? x : part), divided = inverse * product;
    double near = (k < 2 ? 1 : product) / (k < 2 ? divided : inverse);
    /* Where it is used, the power is larger than B, and their difference than what is added to it. */
    double b = a > 8 ? a < 200 ? a : 200 : 8, rest, power_rest, sum_rest, log = exact_log(b, &rest);
    double power = (b - 0.5) * log, difference = sum_of(power, -b, &power_rest);
    double t = sum_of(difference, HALF_LOG_2_PI + stirling(b), &sum_rest);
    rest = fma(b - 0.5, log, -power) + fma(b - 0.5, rest, power_rest + sum_rest);
    rest = t < 800 ? rest : 0;
    double n, q = reduced_exp(copysign(exp_range(t), x), copysign(1, x) * rest, &n);
    double divisor = reflection(a, k), near_mirrored = 1 / (divisor * near);
    double far = scaled((1 + q) / (x < 0 ? divisor : 1), n), infinite = 1 / x;
    int mirrored = (x < 0) & (k > 0);
    near = mirrored ? near_mirrored : near;
    double r = a < 8 ? near : far, negated = -r;
    r = x == 0 ? infinite : is_negative(x) ? negated : r;
    int undefined = (x != x) | (x == -(double)INFINITY) | ((x < 0) & (a == k));
    return undefined ? (double)NAN : x == (double)INFINITY ? x : r;
}

/* ---- lgamma ---------------------------------------------------------------------------------------- */

/* The logarithm of X >= 0. */
INLINE double natural_log(double x)
{
    double e, f = split_at_root(x, &e) - 1;
    return log_or_special(x, fma(e, LN_2_HIGH, f + log1p_remainder(f, e * LN_2_LOW)));
}

/* lgamma(2 + F) for |F| <= 1/2. */
INLINE double log_gamma_from_two(double f)
{
    double p = -0x1.1be56b7e101c6p-23;
    p = fma(p, f, 0x1.2b4bb069ee6a9p-22);
    p = fma(p, f, -0x1.d06b46182e294p-22);
    p = fma(p, f, 0x1.edf317afe0c72p-21);
    p = fma(p, f, -0x1.125408d7ee6ebp-19);
    p = fma(p, f, 0x1.2640a5e8ab73ep-18);
    p = fma(p, f, -0x1.3cb5f201754a6p-17);
    p = fma(p, f, 0x1.5806d7786fbc2p-16);
    p = fma(p, f, -0x1.78de85fa0bf74p-15);
    p = fma(p, f, 0x1.a127dd231f4b2p-14);
    p = fma(p, f, -0x1.d3fd4bda4f97bp-13);
    p = fma(p, f, 0x1.0b36af3424c50p-11);
    p = fma(p, f, -0x1.38ac5c2c96006p-10);
    p = fma(p, f, 0x1.7add6eae5b8fdp-9);
    p = fma(p, f, -0x1.e404fc218ecffp-8);
    p = fma(p, f, 0x1.51322ac7d7fd2p-6);
    p = fma(p, f, -0x1.13e001a557607p-4);
    p = fma(p, f, 0x1.4a34cc4a60fa7p-2);
    return f * fma(p, f, 0x1.b0ee6072093cep-2);
}

INLINE double in_double_lgamma(double x)
{
    double a = fabs(x), k = rint(a), part = a - k, start = log_gamma_from_two(k == 0 ? x : part);
    double product = product_from_two(x, a, k), log = natural_log(a < 8 ? product : a);
    double near = start + copysign(1, k - 1.5) * log;
    double far = fma(a - 0.5, log - 1, stirling(a) + (HALF_LOG_2_PI - 0.5));
    double r = a < 8 ? near : far, reflected = -(natural_log(reflection(a, k)) + r);
    int mirrored = (x < 0) & (k > 0);
    r = mirrored ? reflected : r;
    int pole = x <= -0x1p52; /* an integer, and far too large for a difference */
    return (a == (double)INFINITY) | pole ? (double)INFINITY : x != x ? x : r;
}

/* The sign is 0 at the poles, zero and the negative integers [CLC 7.5.1]. */
INLINE double in_double_lgamma_r(double x, int32_t *sign)
{
    int pole = (x == 0) | ((x < 0) & (x == floor(x)) & (x != -(double)INFINITY));
    int negative = is_negative(x) & (x != -(double)INFINITY);
    *sign = pole ? 0 : (negative ? -1 : 1);
    return in_double_lgamma(x);
}

#endif
