/* Geometric functions [CLC 6.15.5] in double, rounded once to the type.  Lengths neither overflow nor lose
 * precision to underflow [CLC 7.5.1]: vectors of doubles are scaled by a power of two first; squares of
 * floats and halves do neither in double.  The fast_ functions are allowed 8192 ulp and do not use it. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "convert.h"
#include "ext_functions.h"
#include "memmodel/base/bits.h"

enum { MOST = 16 }; /* elements of the longest vector */

/* Scales V by a power of two so that its largest magnitude, if normal, lies in [1, 4).  Multiplying by the
 * result undoes it.  Without branches, so that loops over work-items can be vectorized. */
static double scale_vector(double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    int64_t exponent = (int64_t)(mm_bits_of_double(most) >> 52);
    exponent = exponent < 1 ? 1 : exponent > 2045 ? 2045 : exponent;
    double factor = mm_double_of_bits((uint64_t)(2046 - exponent) << 52);
    for (uint32_t i = 0; i < n; i++)
        v[i] *= factor;
    return mm_double_of_bits((uint64_t)exponent << 52);
}

static double vector_norm(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = fma(v[i], v[i], sum);
    return sqrt(sum);
}

/* The length of vector V, which the function may change. */
static double length_f64(double *v, uint32_t n)
{
    double scale = scale_vector(v, n);
    return vector_norm(v, n) * scale;
}

static double length_f32(double *v, uint32_t n)
{
    return vector_norm(v, n);
}

static double distance_f64(const double *a, const double *b, uint32_t n)
{
    double v[MOST], factor = 1;
    for (uint32_t i = 0; i < n; i++)
        factor = fmax(fabs(a[i]), fabs(b[i])) > 0x1p1022 ? 0.5 : factor;
    for (uint32_t i = 0; i < n; i++)
        v[i] = a[i] * factor - b[i] * factor;
    return length_f64(v, n) / factor;
}

static double distance_f32(const double *a, const double *b, uint32_t n)
{
    double v[MOST];
    for (uint32_t i = 0; i < n; i++)
        v[i] = a[i] - b[i];
    return vector_norm(v, n);
}

/* NaN anywhere gives NaN everywhere; infinite elements count as ones among zeros [CLC 7.5.1]. */
static void normalize_f64(double *v, uint32_t n)
{
    bool infinite = false, nan = false;
    for (uint32_t i = 0; i < n; i++) {
        infinite |= isinf(v[i]) != 0;
        nan |= isnan(v[i]) != 0;
    }
    for (uint32_t i = 0; i < n; i++)
        v[i] = nan ? (double)NAN : !infinite ? v[i] : isinf(v[i]) ? copysign(1, v[i]) : 0 * v[i];
    scale_vector(v, n);
    double by = vector_norm(v, n);
    by = by == 0 ? 1 : by;
    for (uint32_t i = 0; i < n; i++)
        v[i] /= by;
}

/* Without branches, so that loops over work-items can be vectorized: the squares of finite elements have a
 * finite sum, which is NaN if an element is, and otherwise infinite if one is.  One quotient of doubles
 * serves all elements: it and the product are rounded to 53 bits, which is little beside 2 + n ulp of
 * float. */
static void normalize_f32(double *v, uint32_t n)
{
    double by = vector_norm(v, n), count = 0;
    bool infinite = by == INFINITY;
    for (uint32_t i = 0; i < n; i++)
        count += fabs(v[i]) == INFINITY;
    double factor = 1 / (infinite ? sqrt(count) : by == 0 ? 1 : by);
    for (uint32_t i = 0; i < n; i++)
        v[i] = (infinite ? copysign(fabs(v[i]) == INFINITY, v[i]) : v[i]) * factor;
}

#define length_f16    length_f32
#define distance_f16  distance_f32
#define normalize_f16 normalize_f32

/* a*b - c*d, corrected by the rounding error of one product (Kahan). */
static double difference_of_products(double a, double b, double c, double d)
{
    double cd = c * d;
    double error = fma(-c, d, cd);
    double r = fma(a, b, -cd);
    return isfinite(r) ? r + error : r;
}

/* The fourth element of a vector of four is 0. */
static void cross_product(const double *a, const double *b, double *r)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = difference_of_products(a[j], b[k], a[k], b[j]);
    }
    r[3] = 0;
}

/* ---- vectors of each type ------------------------------------------------------------------------ */

#define VECTORS(t)                                                                                           \
    static uint32_t load_##t(double *v, const void *from, uint32_t n)                                        \
    {                                                                                                        \
        in_##t x[MOST];                                                                                      \
        n = n < MOST ? n : MOST;                                                                             \
        memcpy(x, from, n * sizeof *x);                                                                      \
        for (uint32_t i = 0; i < n; i++)                                                                     \
            v[i] = FROM_##t(x[i]);                                                                           \
        return n;                                                                                            \
    }                                                                                                        \
    static void store_##t(void *to, const double *v, uint32_t n)                                             \
    {                                                                                                        \
        in_##t x[MOST];                                                                                      \
        for (uint32_t i = 0; i < n; i++)                                                                     \
            x[i] = TO_##t(v[i]);                                                                             \
        memcpy(to, x, n * sizeof *x);                                                                        \
    }                                                                                                        \
    void in_ext_length_##t(void *result, const void *a, const void *b, uint32_t n)                           \
    {                                                                                                        \
        (void)b;                                                                                             \
        double v[MOST];                                                                                      \
        n = load_##t(v, a, n);                                                                               \
        double r = length_##t(v, n);                                                                         \
        store_##t(result, &r, 1);                                                                            \
    }                                                                                                        \
    void in_ext_fast_length_##t(void *result, const void *a, const void *b, uint32_t n)                      \
    {                                                                                                        \
        in_ext_length_##t(result, a, b, n);                                                                  \
    }                                                                                                        \
    void in_ext_distance_##t(void *result, const void *a, const void *b, uint32_t n)                         \
    {                                                                                                        \
        double v[MOST], w[MOST];                                                                             \
        n = load_##t(v, a, n);                                                                               \
        load_##t(w, b, n);                                                                                   \
        double r = distance_##t(v, w, n);                                                                    \
        store_##t(result, &r, 1);                                                                            \
    }                                                                                                        \
    void in_ext_fast_distance_##t(void *result, const void *a, const void *b, uint32_t n)                    \
    {                                                                                                        \
        in_ext_distance_##t(result, a, b, n);                                                                \
    }                                                                                                        \
    void in_ext_normalize_##t(void *result, const void *a, const void *b, uint32_t n)                        \
    {                                                                                                        \
        (void)b;                                                                                             \
        double v[MOST];                                                                                      \
        n = load_##t(v, a, n);                                                                               \
        normalize_##t(v, n);                                                                                 \
        store_##t(result, v, n);                                                                             \
    }                                                                                                        \
    void in_ext_fast_normalize_##t(void *result, const void *a, const void *b, uint32_t n)                   \
    {                                                                                                        \
        in_ext_normalize_##t(result, a, b, n);                                                               \
    }                                                                                                        \
    void in_ext_cross_##t(void *result, const void *a, const void *b, uint32_t n)                            \
    {                                                                                                        \
        double v[MOST], w[MOST], r[4];                                                                       \
        n = n == 4 ? 4 : 3;                                                                                  \
        load_##t(v, a, n);                                                                                   \
        load_##t(w, b, n);                                                                                   \
        cross_product(v, w, r);                                                                              \
        store_##t(result, r, n);                                                                             \
    }
VECTORS(f16)
VECTORS(f32)
VECTORS(f64)
