/* Inside jit/bitcode: texels from and to memory, the same bits as interp/image/image_format.c computes.
 * Formats are constants where code is compiled for them, so that little of this remains. */
#ifndef INTERP_JIT_BITCODE_TEXEL_H
#define INTERP_JIT_BITCODE_TEXEL_H

#include "interp/ext/convert.h"
#include "interp/image/image.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint32_t uint4 __attribute__((vector_size(16)));
typedef uint16_t ushort4 __attribute__((vector_size(8)));
typedef int16_t short4 __attribute__((vector_size(8)));
typedef uint8_t uchar4 __attribute__((vector_size(4)));
typedef int8_t char4 __attribute__((vector_size(4)));

#define INLINE __attribute__((always_inline))

/* ---- formats ------------------------------------------------------------------------------ */

/* Channels in memory; 0: an order that is not decoded here. */
static inline INLINE uint32_t channel_count(uint32_t order)
{
    switch (order) {
    case IN_ORDER_R:
    case IN_ORDER_A:
    case IN_ORDER_INTENSITY:
    case IN_ORDER_LUMINANCE:
    case IN_ORDER_DEPTH:
        return 1;
    case IN_ORDER_RG:
    case IN_ORDER_RA:
        return 2;
    case IN_ORDER_RGBA:
    case IN_ORDER_BGRA:
    case IN_ORDER_ARGB:
    case IN_ORDER_ABGR:
        return 4;
    default:
        return 0;
    }
}

/* Bytes of a channel, or of a packed texel; 0: a type that is not decoded here. */
static inline INLINE uint32_t channel_size(uint32_t type)
{
    switch (type) {
    case IN_CHANNEL_SNORM_INT8:
    case IN_CHANNEL_UNORM_INT8:
    case IN_CHANNEL_SIGNED_INT8:
    case IN_CHANNEL_UNSIGNED_INT8:
        return 1;
    case IN_CHANNEL_SNORM_INT16:
    case IN_CHANNEL_UNORM_INT16:
    case IN_CHANNEL_SIGNED_INT16:
    case IN_CHANNEL_UNSIGNED_INT16:
    case IN_CHANNEL_HALF_FLOAT:
    case IN_CHANNEL_UNORM_SHORT_565:
    case IN_CHANNEL_UNORM_SHORT_555:
        return 2;
    case IN_CHANNEL_FLOAT:
    case IN_CHANNEL_SIGNED_INT32:
    case IN_CHANNEL_UNSIGNED_INT32:
    case IN_CHANNEL_UNORM_INT_101010:
        return 4;
    default:
        return 0;
    }
}

static inline INLINE bool is_packed(uint32_t type)
{
    return type == IN_CHANNEL_UNORM_SHORT_565 || type == IN_CHANNEL_UNORM_SHORT_555 ||
           type == IN_CHANNEL_UNORM_INT_101010;
}

/* Bytes of a texel; 0: not of a format that is decoded here. */
static inline INLINE uint32_t texel_size(uint32_t order, uint32_t type)
{
    if (is_packed(type))
        return order == IN_ORDER_RGB ? channel_size(type) : 0;
    return channel_count(order) * channel_size(type);
}

static inline INLINE bool has_floats(uint32_t type)
{
    switch (type) {
    case IN_CHANNEL_SIGNED_INT8:
    case IN_CHANNEL_SIGNED_INT16:
    case IN_CHANNEL_SIGNED_INT32:
    case IN_CHANNEL_UNSIGNED_INT8:
    case IN_CHANNEL_UNSIGNED_INT16:
    case IN_CHANNEL_UNSIGNED_INT32:
        return false;
    default:
        return true;
    }
}

/* ---- channels in memory and registers -------------------------------------------------------- */

/* The first COUNT channels at AT, the others 0; and back. */
#define DEFINE_CHANNELS(bits, vector)                                                                        \
    static inline INLINE vector load_channels_##bits(const uint8_t *at, uint32_t count)                      \
    {                                                                                                        \
        vector v = {0};                                                                                      \
        uint##bits##_t c;                                                                                    \
        if (count == 4) {                                                                                    \
            __builtin_memcpy(&v, at, sizeof v);                                                              \
            return v;                                                                                        \
        }                                                                                                    \
        __builtin_memcpy(&c, at, sizeof c);                                                                  \
        v[0] = c;                                                                                            \
        if (count == 2) {                                                                                    \
            __builtin_memcpy(&c, at + sizeof c, sizeof c);                                                   \
            v[1] = c;                                                                                        \
        }                                                                                                    \
        return v;                                                                                            \
    }                                                                                                        \
    static inline INLINE void store_channels_##bits(uint8_t *at, uint32_t count, vector v)                   \
    {                                                                                                        \
        uint##bits##_t c = v[0];                                                                             \
        if (count == 4) {                                                                                    \
            __builtin_memcpy(at, &v, sizeof v);                                                              \
            return;                                                                                          \
        }                                                                                                    \
        __builtin_memcpy(at, &c, sizeof c);                                                                  \
        c = v[1];                                                                                            \
        if (count == 2)                                                                                      \
            __builtin_memcpy(at + sizeof c, &c, sizeof c);                                                   \
    }
DEFINE_CHANNELS(8, uchar4)
DEFINE_CHANNELS(16, ushort4)
DEFINE_CHANNELS(32, uint4)

/* From channels in memory to red, green, blue, alpha, which is 1 where there is none. */
static inline INLINE uint4 place_channels(uint4 c, uint32_t order, uint32_t type)
{
    const uint32_t one = has_floats(type) ? UINT32_C(0x3f800000) : 1;
    switch (order) {
    case IN_ORDER_A:
        return (uint4){0, 0, 0, c[0]};
    case IN_ORDER_RA:
        return (uint4){c[0], 0, 0, c[1]};
    case IN_ORDER_INTENSITY:
        return (uint4){c[0], c[0], c[0], c[0]};
    case IN_ORDER_LUMINANCE:
        return (uint4){c[0], c[0], c[0], one};
    case IN_ORDER_RGBA:
        return c;
    case IN_ORDER_BGRA:
        return __builtin_shufflevector(c, c, 2, 1, 0, 3);
    case IN_ORDER_ARGB:
        return __builtin_shufflevector(c, c, 1, 2, 3, 0);
    case IN_ORDER_ABGR:
        return __builtin_shufflevector(c, c, 3, 2, 1, 0);
    default: /* the others are 0 */
        c[3] = one;
        return c;
    }
}

/* The inverse. */
static inline INLINE uint4 pick_channels(uint4 t, uint32_t order)
{
    switch (order) {
    case IN_ORDER_A:
        return (uint4){t[3], 0, 0, 0};
    case IN_ORDER_RA:
        return (uint4){t[0], t[3], 0, 0};
    case IN_ORDER_BGRA:
        return __builtin_shufflevector(t, t, 2, 1, 0, 3);
    case IN_ORDER_ARGB:
        return __builtin_shufflevector(t, t, 3, 0, 1, 2);
    case IN_ORDER_ABGR:
        return __builtin_shufflevector(t, t, 3, 2, 1, 0);
    default:
        return t;
    }
}

/* ---- packed formats: red at the top ------------------------------------------------------------ */

/* Where green and blue begin, and the largest value of each channel. */
struct packing {
    uint32_t shift[2];
    float4 most;
};

static inline INLINE struct packing packing_of(uint32_t type)
{
    if (type == IN_CHANNEL_UNORM_SHORT_565)
        return (struct packing){{11, 5}, {31, 63, 31, 1}};
    if (type == IN_CHANNEL_UNORM_SHORT_555)
        return (struct packing){{10, 5}, {31, 31, 31, 1}};
    return (struct packing){{20, 10}, {1023, 1023, 1023, 1}};
}

static inline INLINE uint4 decode_packed(const uint8_t *at, uint32_t type)
{
    struct packing p = packing_of(type);
    uint4 most = __builtin_convertvector(p.most, uint4);
    uint32_t bits = channel_size(type) == 2 ? load_channels_16(at, 1)[0] : load_channels_32(at, 1)[0];
    uint4 c = (uint4){bits >> p.shift[0], bits >> p.shift[1], bits, 0} & most;
    return (uint4)(__builtin_convertvector((int4)c, float4) / p.most);
}

/* ---- normalized formats ------------------------------------------------------------------------- */

/* Rounded to the nearest integers, ties to even, within LOW and HIGH; not a number is stored as 0. */
static inline INLINE int4 round_channels(float4 scaled, float low, float high)
{
    float4 least = {low, low, low, low}, most = {high, high, high, high};
    int4 above = scaled > least, below = scaled < most, number = scaled == scaled;
    int4 kept =
        (above & below & (int4)scaled) | (above & ~below & (int4)most) | (~above & number & (int4)least);
    return __builtin_convertvector(__builtin_elementwise_roundeven((float4)kept), int4);
}

static inline INLINE void encode_packed(uint8_t *at, uint32_t type, float4 t)
{
    struct packing p = packing_of(type);
    t[3] = 0;
    float4 scaled = t * p.most;
    int4 c = round_channels(scaled, 0, 1023), most = __builtin_convertvector(p.most, int4), over = c > most;
    c = (c & ~over) | (most & over);
    uint32_t bits = (uint32_t)c[0] << p.shift[0] | (uint32_t)c[1] << p.shift[1] | (uint32_t)c[2];
    if (channel_size(type) == 2)
        store_channels_16(at, 1, (ushort4){(uint16_t)bits});
    else
        store_channels_32(at, 1, (uint4){bits});
}

/* At least -1. */
static inline INLINE uint4 decode_signed(int4 c, float scale)
{
    float4 f = __builtin_convertvector(c, float4) / scale;
    int4 below = f < -1.0f;
    return (uint4)(((int4)f & ~below) | ((int4)(float4){-1, -1, -1, -1} & below));
}

static inline INLINE int4 clamp_channels(int4 i, int32_t low, int32_t high)
{
    int4 below = i<low, above = i> high;
    return (i & ~below & ~above) | (low & below) | (high & above);
}

static inline INLINE uint4 saturate_channels(uint4 u, uint32_t most)
{
    uint4 fits = (uint4)(u <= most);
    return (u & fits) | (most & ~fits);
}

/* ---- texels ------------------------------------------------------------------------------------ */

static inline INLINE uint4 decode_halves(ushort4 h)
{
    return (uint4)(float4){in_half_to_f32(h[0]), in_half_to_f32(h[1]), in_half_to_f32(h[2]),
                           in_half_to_f32(h[3])};
}

static inline INLINE ushort4 encode_halves(float4 f)
{
    return (ushort4){in_half_from_f32(f[0]), in_half_from_f32(f[1]), in_half_from_f32(f[2]),
                     in_half_from_f32(f[3])};
}

static inline INLINE uint4 decode_channels(const uint8_t *at, uint32_t count, uint32_t type)
{
    switch (type) {
    case IN_CHANNEL_UNORM_INT8:
        return (uint4)(__builtin_convertvector(load_channels_8(at, count), float4) / 255.0f);
    case IN_CHANNEL_SNORM_INT8:
        return decode_signed(__builtin_convertvector((char4)load_channels_8(at, count), int4), 127);
    case IN_CHANNEL_UNSIGNED_INT8:
        return __builtin_convertvector(load_channels_8(at, count), uint4);
    case IN_CHANNEL_SIGNED_INT8:
        return (uint4) __builtin_convertvector((char4)load_channels_8(at, count), int4);
    case IN_CHANNEL_UNORM_INT16:
        return (uint4)(__builtin_convertvector(load_channels_16(at, count), float4) / 65535.0f);
    case IN_CHANNEL_SNORM_INT16:
        return decode_signed(__builtin_convertvector((short4)load_channels_16(at, count), int4), 32767);
    case IN_CHANNEL_UNSIGNED_INT16:
        return __builtin_convertvector(load_channels_16(at, count), uint4);
    case IN_CHANNEL_SIGNED_INT16:
        return (uint4) __builtin_convertvector((short4)load_channels_16(at, count), int4);
    case IN_CHANNEL_HALF_FLOAT:
        return decode_halves(load_channels_16(at, count));
    default:
        return load_channels_32(at, count);
    }
}

/* Red, green and blue of packed formats, or all of their channels as they are in memory. */
static inline INLINE uint4 load_channels(const uint8_t *at, uint32_t order, uint32_t type)
{
    return is_packed(type) ? decode_packed(at, type) : decode_channels(at, channel_count(order), type);
}

static inline INLINE uint4 decode_texel(const uint8_t *at, uint32_t order, uint32_t type)
{
    return place_channels(load_channels(at, order, type), order, type);
}

static inline INLINE void encode_channels(uint8_t *at, uint32_t count, uint32_t type, uint4 c)
{
    int4 i = (int4)c;
    uint4 u = c;
    if (type == IN_CHANNEL_UNORM_INT8)
        i = round_channels((float4)c * 255.0f, 0, 255);
    else if (type == IN_CHANNEL_SNORM_INT8)
        i = round_channels((float4)c * 127.0f, -128, 127);
    else if (type == IN_CHANNEL_UNORM_INT16)
        i = round_channels((float4)c * 65535.0f, 0, 65535);
    else if (type == IN_CHANNEL_SNORM_INT16)
        i = round_channels((float4)c * 32767.0f, -32768, 32767);
    else if (type == IN_CHANNEL_SIGNED_INT8)
        i = clamp_channels(i, -128, 127);
    else if (type == IN_CHANNEL_SIGNED_INT16)
        i = clamp_channels(i, -32768, 32767);
    else if (type == IN_CHANNEL_UNSIGNED_INT8)
        i = (int4)saturate_channels(u, 255);
    else if (type == IN_CHANNEL_UNSIGNED_INT16)
        i = (int4)saturate_channels(u, 65535);
    if (type == IN_CHANNEL_HALF_FLOAT)
        store_channels_16(at, count, encode_halves((float4)c));
    else if (channel_size(type) == 1)
        store_channels_8(at, count, __builtin_convertvector(i, uchar4));
    else if (channel_size(type) == 2)
        store_channels_16(at, count, __builtin_convertvector(i, ushort4));
    else
        store_channels_32(at, count, c);
}

static inline INLINE void encode_texel(uint8_t *at, uint32_t order, uint32_t type, uint4 texel)
{
    if (is_packed(type))
        encode_packed(at, type, (float4)texel);
    else
        encode_channels(at, channel_count(order), type, pick_channels(texel, order));
}

#endif
