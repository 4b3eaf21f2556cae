/* fmod, remainder and remquo [CLC 6.15.2] in double arithmetic without branches and loops, so that loops over
 * work-items can be vectorized, for quotients below IN_SLOW_QUOTIENT; slow_path.h has the others. */
#include "ext_functions.h"

#include <math.h>

#include "convert.h"
#include "math_double.h"
#include "slow_path.h"

#define INLINE static inline __attribute__((always_inline))

/* |X| modulo |Y|, and the quotient.  Exact: the product's difference to |X| is a multiple of Y's last place
 * and at most |Y|, so that it is a double.  A quotient that was rounded up is one too large. */
INLINE double modulus(double x, double y, double *quotient)
{
    double a = fabs(x), b = fabs(y), q = trunc(a / b), r = fma(-q, b, a);
    *quotient = r < 0 ? q - 1 : q;
    r = r < 0 ? r + b : r;
    return b == (double)INFINITY ? a : r;
}

INLINE double double_fmod(double x, double y)
{
    double q, r = copysign(modulus(x, y, &q), x);
    if (in_is_slow_quotient(x, y))
        r = in_slow_fmod(x, y, r);
    return r;
}

/* Of the quotients beside |x / y| the nearest one, of two equally near ones the even one. */
INLINE double nearest(double x, double y, double *quotient)
{
    double q, r = modulus(x, y, &q), rest = fabs(y) - r, half = 0.5 * q;
    int odd = rint(half) != half, up = (r > rest) | ((r == rest) & odd);
    *quotient = up ? q + 1 : q;
    r = copysign(1, x) * (up ? -rest : r);
    if (in_is_slow_quotient(x, y))
        r = in_slow_remainder(x, y, r);
    return r;
}

INLINE double double_remainder(double x, double y)
{
    double quotient;
    return nearest(x, y, &quotient);
}

/* The low 7 bits of the quotient, with its sign; 0 where the remainder is NaN [CLC 7.5.1]. */
double in_double_remquo(double x, double y, int32_t *quotient)
{
    double q, r = nearest(x, y, &q), bits = q - 128 * floor(q / 128);
    bits = (x < 0) != (y < 0) ? -bits : bits;
    if (in_is_slow_quotient(x, y))
        bits = in_slow_quotient(x, y, bits);
    *quotient = (int32_t)bits;
    return r;
}

#define DEFINE(name, t)                                                                                      \
    in_##t in_ext_##name##_##t(in_##t x, in_##t y)                                                           \
    {                                                                                                        \
        return TO_##t(double_##name(FROM_##t(x), FROM_##t(y)));                                              \
    }
IN_EACH_FLOAT(DEFINE, fmod)
IN_EACH_FLOAT(DEFINE, remainder)
