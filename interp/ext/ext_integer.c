/* Integer functions [CLC 6.15.3], bitselect and select [CLC 6.15.6], for every width.
 *
 * Each width's functions come from one macro: W the width's name, U and S its unsigned and signed types, UU
 * and SS types of twice the width, in which sums and products are exact.  bitselect has no disjunction: where
 * the result is an addend, LLVM would add both parts, though processors select bits in one instruction. */
#include <limits.h>
#include <string.h>

#include "ext_functions.h"

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

#define BITS(type) (sizeof(type) * CHAR_BIT)
#define U_MAX(U)   ((U) ~(U)0)
#define S_MAX(U)   ((U)(U_MAX(U) >> 1))
#define S_MIN(U)   ((U)(S_MAX(U) + 1u))

/* The value of type SS clamped to S's range, as U. */
#define CLAMP_SIGNED(U, S, SS, value)                                                                        \
    SS v = (value);                                                                                          \
    U limit = (U)(S_MAX(U) + (v < 0));                                                                       \
    return v == (S)v ? (U)v : limit;
#define CLAMP_UNSIGNED(U, UU, value)                                                                         \
    UU v = (value);                                                                                          \
    return v > U_MAX(U) ? U_MAX(U) : (U)v;

#define F1(W, U, name, ...)                                                                                  \
    U in_ext_##name##_##W(U x)                                                                               \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define F2(W, U, name, ...)                                                                                  \
    U in_ext_##name##_##W(U x, U y)                                                                          \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define F3(W, U, name, ...)                                                                                  \
    U in_ext_##name##_##W(U x, U y, U z)                                                                     \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

#define INTEGER_FUNCTIONS(W, U, S, UU, SS)                                                                   \
    F1(W, U, u_abs, return x;)                                                                               \
    F1(W, U, s_abs, return (S)x < 0 ? (U)(0u - x) : x;)                                                      \
    F2(W, U, u_abs_diff, return x > y ? (U)(x - y) : (U)(y - x);)                                            \
    F2(W, U, s_abs_diff, return (S)x > (S)y ? (U)(x - y) : (U)(y - x);)                                      \
    F2(W, U, u_add_sat, CLAMP_UNSIGNED(U, UU, (UU)x + y))                                                    \
    F2(W, U, s_add_sat, CLAMP_SIGNED(U, S, SS, (SS)(S)x + (S)y))                                             \
    F2(W, U, u_sub_sat, return x > y ? (U)(x - y) : 0;)                                                      \
    F2(W, U, s_sub_sat, CLAMP_SIGNED(U, S, SS, (SS)(S)x - (S)y))                                             \
    F2(W, U, u_hadd, return (U)(((UU)x + y) >> 1);)                                                          \
    F2(W, U, s_hadd, return (U)(((SS)(S)x + (S)y) >> 1);)                                                    \
    F2(W, U, u_rhadd, return (U)(((UU)x + y + 1) >> 1);)                                                     \
    F2(W, U, s_rhadd, return (U)(((SS)(S)x + (S)y + 1) >> 1);)                                               \
    F2(W, U, u_max, return x > y ? x : y;)                                                                   \
    F2(W, U, s_max, return (S)x > (S)y ? x : y;)                                                             \
    F2(W, U, u_min, return x < y ? x : y;)                                                                   \
    F2(W, U, s_min, return (S)x < (S)y ? x : y;)                                                             \
    F3(W, U, u_clamp, U low = x > y ? x : y; return low < z ? low : z;)                                      \
    F3(W, U, s_clamp, U low = (S)x > (S)y ? x : y; return (S)low < (S)z ? low : z;)                          \
    F3(W, U, u_mad_hi, return (U)(in_ext_u_mul_hi_##W(x, y) + z);)                                           \
    F3(W, U, s_mad_hi, return (U)(in_ext_s_mul_hi_##W(x, y) + z);)                                           \
    F2(W, U, rotate, unsigned n = (unsigned)(y & (BITS(U) - 1)),                                             \
       m = (unsigned)((BITS(U) - n) & (BITS(U) - 1));                                                        \
       return (U)(x << n | x >> m);)                                                                         \
    F1(W, U, popcount, return (U)__builtin_popcountll(x);)                                                   \
    F1(W, U, clz, return (U)(x ? (unsigned)__builtin_clzll(x) - (64 - BITS(U)) : BITS(U));)                  \
    F1(W, U, ctz, return (U)(x ? (unsigned)__builtin_ctzll(x) : BITS(U));)                                   \
    F3(W, U, bitselect, return (U)(x ^ ((x ^ y) & z));)                                                      \
    F3(W, U, select, return (S)z < 0 ? y : x;)                                                               \
    F3(W, U, select_scalar, return z ? y : x;)

INTEGER_FUNCTIONS(w8, uint8_t, int8_t, uint32_t, int32_t)
INTEGER_FUNCTIONS(w16, uint16_t, int16_t, uint64_t, int64_t)
INTEGER_FUNCTIONS(w32, uint32_t, int32_t, uint64_t, int64_t)
INTEGER_FUNCTIONS(w64, uint64_t, int64_t, wide_unsigned, wide_signed)

#define NARROW_PRODUCTS(W, U, S, UU, SS)                                                                     \
    F2(W, U, u_mul_hi, return (U)(((UU)x * y) >> BITS(U));)                                                  \
    F2(W, U, s_mul_hi, return (U)(((SS)(S)x * (S)y) >> BITS(U));)                                            \
    F3(W, U, u_mad_sat, CLAMP_UNSIGNED(U, UU, (UU)x *y + z))                                                 \
    F3(W, U, s_mad_sat, CLAMP_SIGNED(U, S, SS, (SS)(S)x *(S)y + (S)z))

NARROW_PRODUCTS(w8, uint8_t, int8_t, uint32_t, int32_t)
NARROW_PRODUCTS(w16, uint16_t, int16_t, uint64_t, int64_t)
NARROW_PRODUCTS(w32, uint32_t, int32_t, uint64_t, int64_t)

/* Of 64 bits, from products of halves: LLVM would take vectors of 128 bits apart. */
uint64_t in_ext_u_mul_hi_w64(uint64_t x, uint64_t y)
{
    uint64_t x_low = (uint32_t)x, x_high = x >> 32, y_low = (uint32_t)y, y_high = y >> 32;
    uint64_t first = x_high * y_low + (x_low * y_low >> 32), second = x_low * y_high + (uint32_t)first;
    return x_high * y_high + (first >> 32) + (second >> 32);
}

static inline uint64_t sign_mask(uint64_t x)
{
    return (uint64_t)((int64_t)x >> 63);
}

uint64_t in_ext_s_mul_hi_w64(uint64_t x, uint64_t y)
{
    return in_ext_u_mul_hi_w64(x, y) - (sign_mask(x) & y) - (sign_mask(y) & x);
}

uint64_t in_ext_u_mad_sat_w64(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t low = x * y + z, high = in_ext_u_mul_hi_w64(x, y) + (low < z);
    return high != 0 ? UINT64_MAX : low;
}

uint64_t in_ext_s_mad_sat_w64(uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t low = x * y + z, high = in_ext_s_mul_hi_w64(x, y) + sign_mask(z) + (low < z);
    return high == sign_mask(low) ? low : (uint64_t)INT64_MAX ^ sign_mask(high);
}

#define UPSAMPLE(W, U, WIDE)                                                                                 \
    WIDE in_ext_u_upsample_##W(U hi, U lo)                                                                   \
    {                                                                                                        \
        return (WIDE)((WIDE)((WIDE)hi << BITS(U)) | lo);                                                     \
    }                                                                                                        \
    WIDE in_ext_s_upsample_##W(U hi, U lo)                                                                   \
    {                                                                                                        \
        return in_ext_u_upsample_##W(hi, lo);                                                                \
    }
UPSAMPLE(w8, uint8_t, uint16_t)
UPSAMPLE(w16, uint16_t, uint32_t)
UPSAMPLE(w32, uint32_t, uint64_t)

/* Operands beyond 24 bits are undefined behavior: only their low 24 bits are used. */
static int32_t signed_24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

uint32_t in_ext_s_mul24_w32(uint32_t x, uint32_t y)
{
    return (uint32_t)((int64_t)signed_24(x) * signed_24(y));
}

uint32_t in_ext_u_mul24_w32(uint32_t x, uint32_t y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}

uint32_t in_ext_s_mad24_w32(uint32_t x, uint32_t y, uint32_t z)
{
    return in_ext_s_mul24_w32(x, y) + z;
}

uint32_t in_ext_u_mad24_w32(uint32_t x, uint32_t y, uint32_t z)
{
    return in_ext_u_mul24_w32(x, y) + z;
}

/* ---- floats by their bits ---------------------------------------------------------------------------- */

in_f16 in_ext_bitselect_f16(in_f16 x, in_f16 y, in_f16 z)
{
    return in_ext_bitselect_w16(x, y, z);
}

in_f16 in_ext_select_f16(in_f16 a, in_f16 b, uint16_t c)
{
    return in_ext_select_w16(a, b, c);
}

in_f16 in_ext_select_scalar_f16(in_f16 a, in_f16 b, uint16_t c)
{
    return c ? b : a;
}

#define FLOAT_BITS(t, U)                                                                                     \
    in_##t in_ext_bitselect_##t(in_##t x, in_##t y, in_##t z)                                                \
    {                                                                                                        \
        U a, b, c;                                                                                           \
        memcpy(&a, &x, sizeof a);                                                                            \
        memcpy(&b, &y, sizeof b);                                                                            \
        memcpy(&c, &z, sizeof c);                                                                            \
        a = (a & ~c) | (b & c);                                                                              \
        memcpy(&x, &a, sizeof x);                                                                            \
        return x;                                                                                            \
    }                                                                                                        \
    in_##t in_ext_select_##t(in_##t a, in_##t b, U c)                                                        \
    {                                                                                                        \
        return c >> (BITS(U) - 1) ? b : a;                                                                   \
    }                                                                                                        \
    in_##t in_ext_select_scalar_##t(in_##t a, in_##t b, U c)                                                 \
    {                                                                                                        \
        return c ? b : a;                                                                                    \
    }
FLOAT_BITS(f32, uint32_t)
FLOAT_BITS(f64, uint64_t)
