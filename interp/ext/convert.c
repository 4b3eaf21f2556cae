/* Conversions between scalar types, exact up to one rounding [CLC 6.4.3], [SPIRV 3.42.11].
 *
 * A value is taken apart into sign, 64-bit significand and binary exponent, and put together in the target
 * format with integer arithmetic alone, so the host's floating-point environment plays no part. */
#include "convert.h"

#include <string.h>

struct type_info {
    uint8_t size;
    bool is_signed;       /* integers */
    uint8_t precision;    /* floats: significand bits with the implicit one; 0: an integer */
    int16_t min_exponent; /* floats: of the smallest normal number */
};
static const struct type_info types[IN_TYPE_COUNT] = {
    [IN_S8] = {1, true, 0, 0},      [IN_S16] = {2, true, 0, 0},      [IN_S32] = {4, true, 0, 0},
    [IN_S64] = {8, true, 0, 0},     [IN_U8] = {1, false, 0, 0},      [IN_U16] = {2, false, 0, 0},
    [IN_U32] = {4, false, 0, 0},    [IN_U64] = {8, false, 0, 0},     [IN_F16] = {2, true, 11, -14},
    [IN_F32] = {4, true, 24, -126}, [IN_F64] = {8, true, 53, -1022},
};

uint32_t in_type_size(enum in_type type)
{
    return types[type].size;
}

/* Inlined, so that each combination below is compiled for its own types. */
#define SPECIALIZED static inline __attribute__((always_inline))

/* (-1)^negative * significand * 2^exponent. */
struct number {
    uint64_t significand;
    int exponent;
    bool negative;
    enum { FINITE, INFINITE, NOT_A_NUMBER } kind; /* NaN: the significand holds the payload, left-aligned */
};

/* The low SIZE bytes; the supported hosts are little-endian, as SPIR-V's literals are. */
SPECIALIZED uint64_t load_bytes(const void *in, uint32_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, in, size);
    return bits;
}

SPECIALIZED void store(void *out, uint64_t bits, uint32_t size)
{
    memcpy(out, &bits, size);
}

SPECIALIZED struct number unpack_float(uint64_t bits, enum in_type type)
{
    const struct type_info *t = &types[type];
    unsigned field = t->precision - 1u;
    uint64_t fraction = bits & ((UINT64_C(1) << field) - 1);
    unsigned width = t->size * 8u;
    unsigned biased = (unsigned)(bits >> field) & ((1u << (width - 1 - field)) - 1);
    struct number n = {.negative = (bits >> (width - 1)) & 1};
    if (biased == (1u << (width - 1 - field)) - 1) {
        n.kind = fraction ? NOT_A_NUMBER : INFINITE;
        n.significand = fraction << (64 - field);
    } else {
        n.significand = biased ? fraction | UINT64_C(1) << field : fraction;
        n.exponent = t->min_exponent - (int)field + (biased ? (int)biased - 1 : 0);
    }
    return n;
}

SPECIALIZED struct number unpack_integer(uint64_t bits, enum in_type type)
{
    unsigned unused = 64u - types[type].size * 8u;
    struct number n = {.significand = bits};
    if (types[type].is_signed) {
        int64_t value = (int64_t)(bits << unused) >> unused;
        n.negative = value < 0;
        n.significand = n.negative ? 0 - (uint64_t)value : (uint64_t)value;
    }
    return n;
}

/* SIGNIFICAND / 2^SHIFT, rounded; a negative SHIFT must not lose bits. */
SPECIALIZED uint64_t round_shift(uint64_t significand, int shift, bool negative, enum in_rounding rounding)
{
    if (shift <= 0)
        return shift > -64 ? significand << -shift : 0;
    uint64_t whole = shift < 64 ? significand >> shift : 0;
    uint64_t rest = shift < 64 ? significand & ((UINT64_C(1) << shift) - 1) : significand;
    if (rest == 0)
        return whole;
    switch (rounding) {
    case IN_RTE: {
        if (shift > 64)
            return whole;
        uint64_t half = UINT64_C(1) << (shift - 1);
        return whole + (rest > half || (rest == half && (whole & 1)));
    }
    case IN_RTP:
        return whole + !negative;
    case IN_RTN:
        return whole + negative;
    default:
        return whole;
    }
}

/* The result of an overflow: infinity, or the largest finite number, whose bits are one less. */
SPECIALIZED uint64_t overflow(uint64_t infinity, bool negative, enum in_rounding rounding)
{
    bool to_infinity =
        rounding == IN_RTE || (rounding == IN_RTP && !negative) || (rounding == IN_RTN && negative);
    return to_infinity ? infinity : infinity - 1;
}

SPECIALIZED uint64_t pack_float(struct number n, enum in_type type, enum in_rounding rounding)
{
    const struct type_info *t = &types[type];
    unsigned field = t->precision - 1u, width = t->size * 8u;
    uint64_t sign = (uint64_t)n.negative << (width - 1);
    uint64_t infinity = (UINT64_C(1) << (width - 1)) - (UINT64_C(1) << field);
    if (n.kind == NOT_A_NUMBER)
        return sign | infinity | UINT64_C(1) << (field - 1) | n.significand >> (64 - field);
    if (n.kind == INFINITE)
        return sign | infinity;
    if (n.significand == 0)
        return sign;
    int top = n.exponent + 63 - __builtin_clzll(n.significand);
    int lowest = t->min_exponent - (int)field;
    int unit = (top > t->min_exponent ? top : t->min_exponent) - (int)field;
    /* The rounded significand carries its implicit bit into the exponent field. */
    uint64_t rounded = round_shift(n.significand, unit - n.exponent, n.negative, rounding);
    uint64_t bits = ((uint64_t)(unit - lowest) << field) + rounded;
    if (bits >= infinity)
        bits = overflow(infinity, n.negative, rounding);
    return sign | bits;
}

SPECIALIZED uint64_t pack_integer(struct number n, enum in_type type, enum in_rounding rounding,
                                  bool saturate)
{
    const struct type_info *t = &types[type];
    unsigned width = t->size * 8u;
    uint64_t most = (UINT64_MAX >> (64 - width)) >> t->is_signed;
    uint64_t limit = !n.negative ? most : t->is_signed ? most + 1 : 0; /* of the magnitude */
    uint64_t magnitude;
    bool beyond = false;
    if (n.kind != FINITE) {
        beyond = n.kind == INFINITE;
        magnitude = 0;
    } else {
        beyond = n.exponent > 0 && n.significand && __builtin_clzll(n.significand) < n.exponent;
        magnitude = round_shift(n.significand, -n.exponent, n.negative, rounding);
    }
    if (saturate && (beyond || magnitude > limit))
        magnitude = limit;
    return n.negative ? 0 - magnitude : magnitude;
}

/* ---- one function per combination ------------------------------------------------------------ */

#define EACH_INTEGER(X, ...)                                                                                 \
    X(S8, __VA_ARGS__)                                                                                       \
    X(S16, __VA_ARGS__)                                                                                      \
    X(S32, __VA_ARGS__)                                                                                      \
    X(S64, __VA_ARGS__) X(U8, __VA_ARGS__) X(U16, __VA_ARGS__) X(U32, __VA_ARGS__) X(U64, __VA_ARGS__)
#define EACH_FLOAT(X, ...) X(F16, __VA_ARGS__) X(F32, __VA_ARGS__) X(F64, __VA_ARGS__)
#define TO_EACH_INTEGER(X, ...)                                                                              \
    X(S8, __VA_ARGS__)                                                                                       \
    X(S16, __VA_ARGS__)                                                                                      \
    X(S32, __VA_ARGS__)                                                                                      \
    X(S64, __VA_ARGS__) X(U8, __VA_ARGS__) X(U16, __VA_ARGS__) X(U32, __VA_ARGS__) X(U64, __VA_ARGS__)
#define TO_EACH_FLOAT(X, ...) X(F16, __VA_ARGS__) X(F32, __VA_ARGS__) X(F64, __VA_ARGS__)
#define EACH_MODE(X, ...)     X(RTE, __VA_ARGS__) X(RTZ, __VA_ARGS__) X(RTP, __VA_ARGS__) X(RTN, __VA_ARGS__)

#define SIZE(type) types[IN_##type].size

#define INTEGER_INTEGER(to, from)                                                                            \
    static void from##_##to(const void *in, void *out)                                                       \
    {                                                                                                        \
        struct number n = unpack_integer(load_bytes(in, SIZE(from)), IN_##from);                             \
        store(out, pack_integer(n, IN_##to, IN_RTE, false), SIZE(to));                                       \
    }                                                                                                        \
    static void from##_##to##_sat(const void *in, void *out)                                                 \
    {                                                                                                        \
        struct number n = unpack_integer(load_bytes(in, SIZE(from)), IN_##from);                             \
        store(out, pack_integer(n, IN_##to, IN_RTE, true), SIZE(to));                                        \
    }
#define INTEGER_FLOAT(mode, to, from)                                                                        \
    static void from##_##to##_##mode(const void *in, void *out)                                              \
    {                                                                                                        \
        struct number n = unpack_integer(load_bytes(in, SIZE(from)), IN_##from);                             \
        store(out, pack_float(n, IN_##to, IN_##mode), SIZE(to));                                             \
    }
#define FLOAT_INTEGER(mode, to, from)                                                                        \
    static void from##_##to##_##mode(const void *in, void *out)                                              \
    {                                                                                                        \
        struct number n = unpack_float(load_bytes(in, SIZE(from)), IN_##from);                               \
        store(out, pack_integer(n, IN_##to, IN_##mode, false), SIZE(to));                                    \
    }                                                                                                        \
    static void from##_##to##_##mode##_sat(const void *in, void *out)                                        \
    {                                                                                                        \
        struct number n = unpack_float(load_bytes(in, SIZE(from)), IN_##from);                               \
        store(out, pack_integer(n, IN_##to, IN_##mode, true), SIZE(to));                                     \
    }
#define FLOAT_FLOAT(mode, to, from)                                                                          \
    static void from##_##to##_##mode(const void *in, void *out)                                              \
    {                                                                                                        \
        struct number n = unpack_float(load_bytes(in, SIZE(from)), IN_##from);                               \
        store(out, pack_float(n, IN_##to, IN_##mode), SIZE(to));                                             \
    }

#define DEFINE_INTEGER_FLOAT(to, from) EACH_MODE(INTEGER_FLOAT, to, from)
#define DEFINE_FLOAT_INTEGER(to, from) EACH_MODE(FLOAT_INTEGER, to, from)
#define DEFINE_FLOAT_FLOAT(to, from)   EACH_MODE(FLOAT_FLOAT, to, from)
#define FROM_INTEGER(from, ...)                                                                              \
    TO_EACH_INTEGER(INTEGER_INTEGER, from)                                                                   \
    TO_EACH_FLOAT(DEFINE_INTEGER_FLOAT, from)
#define FROM_FLOAT(from, ...)                                                                                \
    TO_EACH_INTEGER(DEFINE_FLOAT_INTEGER, from)                                                              \
    TO_EACH_FLOAT(DEFINE_FLOAT_FLOAT, from)
EACH_INTEGER(FROM_INTEGER, )
EACH_FLOAT(FROM_FLOAT, )

#define ROW_INTEGER_INTEGER(to, from)                                                                        \
    [IN_##from][IN_##to] = {{from##_##to, from##_##to, from##_##to, from##_##to},                            \
                            {from##_##to##_sat, from##_##to##_sat, from##_##to##_sat, from##_##to##_sat}},
#define ROW_TO_FLOAT(to, from)                                                                               \
    [IN_##from][IN_##to] = {{from##_##to##_RTE, from##_##to##_RTZ, from##_##to##_RTP, from##_##to##_RTN},    \
                            {from##_##to##_RTE, from##_##to##_RTZ, from##_##to##_RTP, from##_##to##_RTN}},
#define ROW_FLOAT_INTEGER(to, from)                                                                          \
    [IN_##from][IN_##to] = {                                                                                 \
        {from##_##to##_RTE, from##_##to##_RTZ, from##_##to##_RTP, from##_##to##_RTN},                        \
        {from##_##to##_RTE_sat, from##_##to##_RTZ_sat, from##_##to##_RTP_sat, from##_##to##_RTN_sat}},
#define ROWS_FROM_INTEGER(from, ...)                                                                         \
    TO_EACH_INTEGER(ROW_INTEGER_INTEGER, from)                                                               \
    TO_EACH_FLOAT(ROW_TO_FLOAT, from)
#define ROWS_FROM_FLOAT(from, ...)                                                                           \
    TO_EACH_INTEGER(ROW_FLOAT_INTEGER, from)                                                                 \
    TO_EACH_FLOAT(ROW_TO_FLOAT, from)

static const in_convert_fn table[IN_TYPE_COUNT][IN_TYPE_COUNT][2][IN_ROUNDING_COUNT] = {
    EACH_INTEGER(ROWS_FROM_INTEGER, ) EACH_FLOAT(ROWS_FROM_FLOAT, )};

in_convert_fn in_convert_find(enum in_type from, enum in_type to, enum in_rounding rounding, bool saturate)
{
    if ((unsigned)from >= IN_TYPE_COUNT || (unsigned)to >= IN_TYPE_COUNT ||
        (unsigned)rounding >= IN_ROUNDING_COUNT)
        return NULL;
    return table[from][to][saturate][rounding];
}

/* ---- half ------------------------------------------------------------------------------------- */

/* Fast path for normal numbers: the exponent's bias changes by 112, the fraction by 13 bits. */
float in_half_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h & 0x7fff;
    if (bits - 0x400 < 0x7800)
        bits = (bits << 13) + (UINT32_C(112) << 23) + (((uint32_t)h & 0x8000) << 16);
    else
        bits = (uint32_t)pack_float(unpack_float(h, IN_F16), IN_F32, IN_RTE);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double in_half_to_f64(uint16_t h)
{
    uint64_t bits = pack_float(unpack_float(h, IN_F16), IN_F64, IN_RTE);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The fast path holds for normal results; rounding up from the largest gives infinity by itself. */
uint16_t in_half_from_f32(float x)
{
    uint32_t bits = (uint32_t)load_bytes(&x, sizeof x), magnitude = bits & 0x7fffffff;
    if (magnitude - UINT32_C(0x38800000) < UINT32_C(0x0f000000))
        return (uint16_t)((bits >> 16 & 0x8000) |
                          (magnitude - UINT32_C(0x38000000) + 0xfff + (bits >> 13 & 1)) >> 13);
    return (uint16_t)pack_float(unpack_float(bits, IN_F32), IN_F16, IN_RTE);
}

uint16_t in_half_from_f64(double x)
{
    return (uint16_t)pack_float(unpack_float(load_bytes(&x, sizeof x), IN_F64), IN_F16, IN_RTE);
}

double in_bits_to_f64(uint64_t bits, uint32_t width)
{
    float f;
    double d;
    if (width == 16)
        return in_half_to_f64((uint16_t)bits);
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return width == 32 ? (double)f : d;
}

uint64_t in_bits_from_f64(double x, uint32_t width)
{
    float f = (float)x;
    if (width == 16)
        return in_half_from_f64(x);
    return width == 32 ? load_bytes(&f, sizeof f) : load_bytes(&x, sizeof x);
}
