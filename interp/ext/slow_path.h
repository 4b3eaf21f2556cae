/* Trigonometric functions of doubles that are too large for the short reduction of ext_trigonometric.c. */
#ifndef INTERP_EXT_SLOW_PATH_H
#define INTERP_EXT_SLOW_PATH_H

#include <math.h>
#include <stdbool.h>

#define IN_SLOW_FROM 0x1p30

static inline bool in_is_slow(double x)
{
    return fabs(x) >= IN_SLOW_FROM;
}

/* The function of X if in_is_slow(X), and Y otherwise: where compiled code calls them for a vector, a vector of both is passed
 * (interp/jit/run/slow_vectors.c). */
__attribute__((const)) double in_slow_sin(double x, double y);
__attribute__((const)) double in_slow_cos(double x, double y);
__attribute__((const)) double in_slow_tan(double x, double y);

#endif
