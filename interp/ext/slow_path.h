/* Functions of arguments for which those of ext_trigonometric.c and ext_remainder.c, which have no loops, are
 * not made. */
#ifndef INTERP_EXT_SLOW_PATH_H
#define INTERP_EXT_SLOW_PATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define IN_SLOW_FROM 0x1p30

static inline bool in_is_slow(double x)
{
    return fabs(x) >= IN_SLOW_FROM;
}

/* Quotients beyond, infinities, divisors 0 and NaNs. */
#define IN_SLOW_QUOTIENT 0x1p28

static inline bool in_is_slow_quotient(double x, double y)
{
    return !(fabs(x) < IN_SLOW_QUOTIENT * fabs(y));
}

/* The function of X if in_is_slow(X), and Y otherwise: where compiled code calls them for a vector, a vector
 * of both is passed (interp/jit/run/slow_vectors.c). */
__attribute__((const)) double in_slow_sin(double x, double y);
__attribute__((const)) double in_slow_cos(double x, double y);
__attribute__((const)) double in_slow_tan(double x, double y);
/* An angle of at most pi whose difference to X is a multiple of 2 pi, rounded to double, if in_is_slow(X),
 * and Y otherwise. */
__attribute__((const)) double in_slow_angle(double x, double y);
/* The function of X and Y if in_is_slow_quotient(X, Y), and R otherwise. */
__attribute__((const)) double in_slow_fmod(double x, double y, double r);
__attribute__((const)) double in_slow_remainder(double x, double y, double r);
/* The quotient of remquo(X, Y), 0 if the remainder is NaN. */
__attribute__((const)) double in_slow_quotient(double x, double y, double q);

#endif
