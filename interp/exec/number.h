/* Arithmetic that C lacks, for the operations of ops.h. */
#ifndef INTERP_EXEC_NUMBER_H
#define INTERP_EXEC_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t in_reverse_bits(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* Remainder with the sign of the divisor. [SPIRV 3.49.13 OpFMod] */
static inline double in_fmod(double x, double y)
{
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r == 0 ? copysign(r, y) : r;
}

static inline bool in_normal(double x, unsigned bits)
{
    double least = bits == 16 ? 0x1p-14 : bits == 32 ? 0x1p-126 : 0x1p-1022;
    return isfinite(x) && fabs(x) >= least;
}

#endif
