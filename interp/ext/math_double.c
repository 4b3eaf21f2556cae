/* Mathematical [CLC 6.15.2] and common [CLC 6.15.4] functions in double precision that libm does not provide
 * as OpenCL defines them: quotients and parts of numbers, with the edge cases of [CLC 7.5.1]. */
#include "math_double.h"
#include "memmodel/base/bits.h"

#include <limits.h>
#include <stdbool.h>

/* ---- quotients and roots ---------------------------------------------------------------------- */

double in_double_divide(double x, double y)
{
    return x / y;
}

double in_double_recip(double x)
{
    return 1 / x;
}

double in_double_rsqrt(double x)
{
    return 1 / sqrt(x);
}

/* ---- parts of numbers --------------------------------------------------------------------------- */

/* X, neither 0 nor infinite nor a NaN, is 2^EXPONENT times the result, which is from 1 to 2 in magnitude. */
static double split_number(double x, int32_t *exponent)
{
    const uint64_t field = UINT64_C(0x7ff) << 52;
    bool tiny = fabs(x) < 0x1p-1022;
    uint64_t bits = mm_bits_of_double(tiny ? x * 0x1p54 : x);
    *exponent = (int32_t)(bits >> 52 & 0x7ff) - (tiny ? 1023 + 54 : 1023);
    return mm_double_of_bits((bits & ~field) | UINT64_C(1023) << 52);
}

static bool is_number(double x)
{
    return x != 0 && fabs(x) < (double)INFINITY;
}

double in_double_frexp(double x, int32_t *exponent)
{
    int32_t e;
    double m = split_number(x, &e);
    *exponent = is_number(x) ? e + 1 : 0;
    return is_number(x) ? 0.5 * m : x;
}

/* FP_ILOGB0 is INT_MIN and FP_ILOGBNAN is INT_MAX in OpenCL C, whatever the host's are. */
int32_t in_double_ilogb(double x)
{
    int32_t e;
    split_number(x, &e);
    return is_number(x) ? e : x == 0 ? INT_MIN : INT_MAX;
}

double in_double_logb(double x)
{
    int32_t e;
    split_number(x, &e);
    return is_number(x) ? e : x == 0 ? -INFINITY : x * x;
}

static double power_of_two(int32_t n)
{
    return mm_double_of_bits((uint64_t)(n + 1023) << 52);
}

/* In two steps, of which only the last can be inexact. */
double in_double_ldexp(double x, int32_t n)
{
    int32_t e;
    double m = split_number(x, &e);
    n = n < -3000 ? -3000 : n > 3000 ? 3000 : n;
    e += n;
    e = e < -1100 ? -1100 : e > 1100 ? 1100 : e;
    int32_t half = e / 2;
    double r = m * power_of_two(half) * power_of_two(e - half);
    return is_number(x) ? r : x;
}

/* The other one where one is a NaN; a signaling one is like any other here, which it is not to libm
 * [CLC 6.15.2].  Of zeros with different signs the first one, as compiled code's llvm.maxnum. */
double in_double_fmax(double x, double y)
{
    return (isnan(x) | (y > x)) ? y : x;
}

double in_double_fmin(double x, double y)
{
    return (isnan(x) | (y < x)) ? y : x;
}

/* The larger in magnitude; fmax if they are equal or one is NaN [CLC 6.15.2]. */
double in_double_maxmag(double x, double y)
{
    double r = in_double_fmax(x, y);
    r = fabs(y) > fabs(x) ? y : r;
    return fabs(x) > fabs(y) ? x : r;
}

double in_double_minmag(double x, double y)
{
    double r = in_double_fmin(x, y);
    r = fabs(y) < fabs(x) ? y : r;
    return fabs(x) < fabs(y) ? x : r;
}
