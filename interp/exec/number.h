/* Arithmetic and moves for the operations of ops.h. */
#ifndef INTERP_EXEC_NUMBER_H
#define INTERP_EXEC_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* memmove(), most often of a scalar or a short vector, for which a call takes longer than the move. */
static inline void in_move(void *to, const void *from, size_t size)
{
    uint64_t low, high;
    uint32_t four;
    switch (size) {
    case 4:
        memcpy(&four, from, 4);
        memcpy(to, &four, 4);
        break;
    case 8:
        memcpy(&low, from, 8);
        memcpy(to, &low, 8);
        break;
    case 12:
        memcpy(&low, from, 8);
        memcpy(&four, (const uint8_t *)from + 8, 4);
        memcpy(to, &low, 8);
        memcpy((uint8_t *)to + 8, &four, 4);
        break;
    case 16:
        memcpy(&low, from, 8);
        memcpy(&high, (const uint8_t *)from + 8, 8);
        memcpy(to, &low, 8);
        memcpy((uint8_t *)to + 8, &high, 8);
        break;
    default:
        memmove(to, from, size);
    }
}

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
