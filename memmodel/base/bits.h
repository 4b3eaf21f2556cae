/* Floating-point numbers by their representation: binary32 and binary64 of IEEE 754. */
#ifndef MEMMODEL_BASE_BITS_H
#define MEMMODEL_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#define MM_INLINE static inline __attribute__((always_inline))

MM_INLINE uint32_t mm_bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

MM_INLINE float mm_float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

MM_INLINE uint64_t mm_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

MM_INLINE double mm_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#undef MM_INLINE

#endif
