/* OpenCL's mathematical functions in double precision, from which those of every type are derived. */
#ifndef INTERP_EXT_MATH_DOUBLE_H
#define INTERP_EXT_MATH_DOUBLE_H

#include <math.h>
#include <stdint.h>

/* Those where the host's libm has OpenCL's edge cases and an error within [CLC 7.4]'s bounds. */
#define in_double_ceil     ceil
#define in_double_copysign copysign
#define in_double_fabs     fabs
#define in_double_floor    floor
#define in_double_rint     rint
#define in_double_round    round
#define in_double_sqrt     sqrt
#define in_double_trunc    trunc

/* half_ and native_ may be less accurate; here they are not. */
#define in_double_half_divide   in_double_divide
#define in_double_half_recip    in_double_recip
#define in_double_half_sqrt     sqrt
#define in_double_native_divide in_double_divide
#define in_double_native_recip  in_double_recip
#define in_double_native_sqrt   sqrt

/* Those that are vectorized. */
static inline double in_double_fdim(double x, double y)
{
    return x <= y ? 0.0 : x - y;
}

static inline double in_double_modf(double x, double *whole)
{
    *whole = trunc(x);
    return copysign(isinf(x) ? 0.0 : x - *whole, x);
}

/* LOG, the logarithm of X to any base; where X is not positive and finite, the special value instead. */
static inline double log_or_special(double x, double log)
{
    return x > 0 ? (x == (double)INFINITY ? x : log) : x == 0 ? -(double)INFINITY : (double)NAN;
}

/* Those that libm lacks, or where it differs. */
double in_double_divide(double x, double y);
double in_double_recip(double x);
double in_double_rsqrt(double x);
double in_double_frexp(double x, int32_t *exponent);
int32_t in_double_ilogb(double x);
double in_double_ldexp(double x, int32_t n);
double in_double_logb(double x);
double in_double_fmax(double x, double y);
double in_double_fmin(double x, double y);
double in_double_maxmag(double x, double y);
double in_double_minmag(double x, double y);
double in_double_remquo(double x, double y, int32_t *quotient);

#endif
