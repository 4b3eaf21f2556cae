/* Image formats: which there are [CL 5.3.1.1], and texels from and to memory [CLC 8.3]. */
#include "image.h"

#include <math.h>
#include <string.h>

#include "interp/ext/convert.h"

/* ---- channel orders ------------------------------------------------------------------------------- */

enum {
    ANY = 1,
    NORMALIZED_OR_FLOAT = 2,
    DEPTHS = 4,
    PACKED_3 = 8,
    PACKED_4 = 16,
    BYTES = 32,
    UNORM8 = 64,
    PADDED = 128,
    PACKED_ABGR = 256
};

struct order_info {
    uint8_t channels;
    uint8_t place[4]; /* of each channel in memory: which of red, green, blue, alpha it is */
    uint16_t types;   /* groups of channel types that go with it */
    bool has_alpha;   /* alpha beyond the edges is 0 although the order may not store it */
    bool srgb;
};
static const struct order_info orders[IN_ORDER_COUNT] = {
    [IN_ORDER_R] = {1, {0}, ANY | PADDED, false, false},
    [IN_ORDER_RX] = {1, {0}, ANY, true, false},
    [IN_ORDER_A] = {1, {3}, ANY, true, false},
    [IN_ORDER_INTENSITY] = {1, {0}, NORMALIZED_OR_FLOAT, true, false},
    [IN_ORDER_LUMINANCE] = {1, {0}, NORMALIZED_OR_FLOAT, false, false},
    [IN_ORDER_DEPTH] = {1, {0}, DEPTHS, false, false},
    [IN_ORDER_RG] = {2, {0, 1}, ANY | PADDED, false, false},
    [IN_ORDER_RGX] = {2, {0, 1}, ANY, true, false},
    [IN_ORDER_RA] = {2, {0, 3}, ANY, true, false},
    [IN_ORDER_RGB] = {3, {0, 1, 2}, PACKED_3, false, false},
    [IN_ORDER_RGBX] = {3, {0, 1, 2}, PACKED_3, true, false},
    [IN_ORDER_RGBA] = {4, {0, 1, 2, 3}, ANY | PACKED_4 | PADDED, true, false},
    [IN_ORDER_BGRA] = {4, {2, 1, 0, 3}, BYTES, true, false},
    [IN_ORDER_ARGB] = {4, {3, 0, 1, 2}, BYTES, true, false},
    [IN_ORDER_ABGR] = {4, {3, 2, 1, 0}, BYTES | PACKED_ABGR, true, false},
    [IN_ORDER_SRGB] = {3, {0, 1, 2}, UNORM8, false, true},
    [IN_ORDER_SRGBX] = {3, {0, 1, 2}, UNORM8, true, true},
    [IN_ORDER_SRGBA] = {4, {0, 1, 2, 3}, UNORM8, true, true},
    [IN_ORDER_SBGRA] = {4, {2, 1, 0, 3}, UNORM8, true, true},
};

/* ---- channel types -------------------------------------------------------------------------------- */

struct type_info {
    enum in_image_class cls;
    enum in_type scalar; /* of a channel in memory; packed formats: of the whole element */
    uint16_t scale;      /* normalized types: what 1.0 is stored as; 0: not normalized */
    uint8_t bits[4];     /* packed formats: widths of the channels from the top, after PADDING bits */
    uint8_t padding;
    uint16_t groups;
    uint8_t low; /* padded formats: bits below the value */
};
static const struct type_info types[IN_CHANNEL_COUNT] = {
    [IN_CHANNEL_SNORM_INT8] = {IN_IMAGE_FLOAT, IN_S8, 127, {0}, 0, ANY | NORMALIZED_OR_FLOAT | BYTES, 0},
    [IN_CHANNEL_SNORM_INT16] = {IN_IMAGE_FLOAT, IN_S16, 32767, {0}, 0, ANY | NORMALIZED_OR_FLOAT, 0},
    [IN_CHANNEL_UNORM_INT8] =
        {IN_IMAGE_FLOAT, IN_U8, 255, {0}, 0, ANY | NORMALIZED_OR_FLOAT | BYTES | UNORM8, 0},
    [IN_CHANNEL_UNORM_INT16] = {IN_IMAGE_FLOAT, IN_U16, 65535, {0}, 0, ANY | NORMALIZED_OR_FLOAT | DEPTHS, 0},
    [IN_CHANNEL_UNORM_SHORT_565] = {IN_IMAGE_FLOAT, IN_U16, 0, {5, 6, 5}, 0, PACKED_3, 0},
    [IN_CHANNEL_UNORM_SHORT_555] = {IN_IMAGE_FLOAT, IN_U16, 0, {5, 5, 5}, 1, PACKED_3, 0},
    [IN_CHANNEL_UNORM_INT_101010] = {IN_IMAGE_FLOAT, IN_U32, 0, {10, 10, 10}, 2, PACKED_3, 0},
    [IN_CHANNEL_UNORM_INT_101010_2] = {IN_IMAGE_FLOAT, IN_U32, 0, {10, 10, 10, 2}, 0, PACKED_4, 0},
    [IN_CHANNEL_UNORM_INT_2_101010] = {IN_IMAGE_FLOAT, IN_U32, 0, {2, 10, 10, 10}, 0, PACKED_ABGR, 0},
    [IN_CHANNEL_UNORM_INT10X6] = {IN_IMAGE_FLOAT, IN_U16, 1023, {0}, 0, PADDED, 6},
    [IN_CHANNEL_UNORM_INT12X4] = {IN_IMAGE_FLOAT, IN_U16, 4095, {0}, 0, PADDED, 4},
    [IN_CHANNEL_UNORM_INT14X2] = {IN_IMAGE_FLOAT, IN_U16, 16383, {0}, 0, PADDED, 2},
    [IN_CHANNEL_UNSIGNED_INT10X6] = {IN_IMAGE_UNSIGNED, IN_U16, 0, {0}, 0, PADDED, 6},
    [IN_CHANNEL_UNSIGNED_INT12X4] = {IN_IMAGE_UNSIGNED, IN_U16, 0, {0}, 0, PADDED, 4},
    [IN_CHANNEL_UNSIGNED_INT14X2] = {IN_IMAGE_UNSIGNED, IN_U16, 0, {0}, 0, PADDED, 2},
    [IN_CHANNEL_SIGNED_INT8] = {IN_IMAGE_SIGNED, IN_S8, 0, {0}, 0, ANY | BYTES, 0},
    [IN_CHANNEL_SIGNED_INT16] = {IN_IMAGE_SIGNED, IN_S16, 0, {0}, 0, ANY, 0},
    [IN_CHANNEL_SIGNED_INT32] = {IN_IMAGE_SIGNED, IN_S32, 0, {0}, 0, ANY, 0},
    [IN_CHANNEL_UNSIGNED_INT8] = {IN_IMAGE_UNSIGNED, IN_U8, 0, {0}, 0, ANY | BYTES, 0},
    [IN_CHANNEL_UNSIGNED_INT16] = {IN_IMAGE_UNSIGNED, IN_U16, 0, {0}, 0, ANY, 0},
    [IN_CHANNEL_UNSIGNED_INT32] = {IN_IMAGE_UNSIGNED, IN_U32, 0, {0}, 0, ANY, 0},
    [IN_CHANNEL_HALF_FLOAT] = {IN_IMAGE_FLOAT, IN_F16, 0, {0}, 0, ANY | NORMALIZED_OR_FLOAT, 0},
    [IN_CHANNEL_FLOAT] = {IN_IMAGE_FLOAT, IN_F32, 0, {0}, 0, ANY | NORMALIZED_OR_FLOAT | DEPTHS, 0},
};

bool in_image_format_valid(uint32_t order, uint32_t type)
{
    return order < IN_ORDER_COUNT && type < IN_CHANNEL_COUNT && (orders[order].types & types[type].groups);
}

uint32_t in_image_element_size(enum in_channel_order order, enum in_channel_type type)
{
    uint32_t size = in_type_size(types[type].scalar);
    return types[type].bits[0] ? size : size * orders[order].channels;
}

enum in_image_class in_image_class(enum in_channel_type type)
{
    return types[type].cls;
}

void in_image_border(const struct in_image *image, union in_texel *texel)
{
    memset(texel, 0, sizeof *texel);
    if (orders[image->order].has_alpha)
        return;
    if (types[image->type].cls == IN_IMAGE_FLOAT)
        texel->f[3] = 1;
    else
        texel->u[3] = 1;
}

/* ---- sRGB [CLC 8.3.5]; alpha is linear ------------------------------------------------------------- */

static float from_srgb(float c)
{
    double x = (double)c;
    return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

static float to_srgb(float linear)
{
    if (!(linear > 0))
        return 0;
    double x = linear < 1 ? (double)linear : 1;
    return (float)(x < 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055);
}

/* ---- packed elements --------------------------------------------------------------------------------- */

static void decode_packed(const struct type_info *t, const void *element, float channel[4])
{
    uint32_t size = in_type_size(t->scalar), bits = 0;
    memcpy(&bits, element, size);
    unsigned shift = 8 * size - t->padding;
    for (int i = 0; i < 4 && t->bits[i]; i++) {
        uint32_t most = (1u << t->bits[i]) - 1;
        shift -= t->bits[i];
        channel[i] = (float)(bits >> shift & most) / (float)most;
    }
}

static void encode_packed(const struct type_info *t, const float channel[4], void *element)
{
    in_convert_fn round = in_convert_find(IN_F32, IN_U16, IN_RTE, true);
    uint32_t size = in_type_size(t->scalar), bits = 0;
    unsigned shift = 8 * size - t->padding;
    for (int i = 0; i < 4 && t->bits[i]; i++) {
        uint32_t most = (1u << t->bits[i]) - 1;
        float scaled = channel[i] * (float)most;
        uint16_t stored;
        round(&scaled, &stored);
        shift -= t->bits[i];
        bits |= (stored < most ? stored : most) << shift;
    }
    memcpy(element, &bits, size);
}

/* ---- elements of separate channels ----------------------------------------------------------------- */

static float stored_value(enum in_type scalar, const unsigned char *stored)
{
    int16_t wide;
    float single;
    switch (scalar) {
    case IN_U8:
        return (float)*stored;
    case IN_S8:
        return (float)(int8_t)*stored;
    case IN_F32:
        memcpy(&single, stored, sizeof single);
        return single;
    default:
        memcpy(&wide, stored, sizeof wide);
        return scalar == IN_S16   ? (float)wide
               : scalar == IN_U16 ? (float)(uint16_t)wide
                                  : in_half_to_f32((uint16_t)wide);
    }
}

/* Reads a component of a padded format: the bits of 16 above the padding. */
static uint32_t take_padded(const struct type_info *t, const unsigned char *stored)
{
    uint16_t bits;
    memcpy(&bits, stored, sizeof bits);
    return (uint32_t)bits >> t->low;
}

/* The nearest value that fits; the low bits are 0. */
static void put_padded(const struct type_info *t, uint32_t value, unsigned char *stored)
{
    uint32_t most = UINT16_MAX >> t->low;
    uint16_t bits = (uint16_t)((value < most ? value : most) << t->low);
    memcpy(stored, &bits, sizeof bits);
}

/* Normalized: the stored integer divided by the encoding of 1, and at least -1. */
static float decode_channel(const struct type_info *t, const unsigned char *stored)
{
    float value = t->low ? (float)take_padded(t, stored) : stored_value(t->scalar, stored);
    if (t->scale == 0)
        return value;
    value /= (float)t->scale;
    return value < -1 ? -1 : value;
}

static void encode_channel(const struct type_info *t, float value, unsigned char *stored)
{
    float scaled = t->scale ? value * (float)t->scale : value;
    in_convert_find(IN_F32, t->scalar, IN_RTE, true)(&scaled, stored);
    if (t->low) {
        uint16_t whole;
        memcpy(&whole, stored, sizeof whole);
        put_padded(t, whole, stored);
    }
}

static void decode_integers(const struct order_info *o, const struct type_info *t, const void *element,
                            uint32_t rgba[4])
{
    in_convert_fn widen =
        in_convert_find(t->scalar, t->cls == IN_IMAGE_SIGNED ? IN_S32 : IN_U32, IN_RTE, false);
    for (uint32_t i = 0; i < o->channels; i++) {
        widen((const unsigned char *)element + i * in_type_size(t->scalar), &rgba[o->place[i]]);
        rgba[o->place[i]] >>= t->low;
    }
}

static void encode_integers(const struct order_info *o, const struct type_info *t, const uint32_t rgba[4],
                            void *element)
{
    in_convert_fn narrow =
        in_convert_find(t->cls == IN_IMAGE_SIGNED ? IN_S32 : IN_U32, t->scalar, IN_RTE, true);
    for (uint32_t i = 0; i < o->channels; i++) {
        unsigned char *stored = (unsigned char *)element + i * in_type_size(t->scalar);
        if (t->low)
            put_padded(t, rgba[o->place[i]], stored);
        else
            narrow(&rgba[o->place[i]], stored);
    }
}

static void decode_floats(const struct order_info *o, const struct type_info *t, const void *element,
                          float rgba[4])
{
    float channel[4];
    if (t->bits[0])
        decode_packed(t, element, channel);
    else
        for (uint32_t i = 0; i < o->channels; i++)
            channel[i] = decode_channel(t, (const unsigned char *)element + i * in_type_size(t->scalar));
    for (uint32_t i = 0; i < o->channels; i++)
        rgba[o->place[i]] = o->srgb && o->place[i] < 3 ? from_srgb(channel[i]) : channel[i];
}

static void encode_floats(const struct order_info *o, const struct type_info *t, const float rgba[4],
                          void *element)
{
    float channel[4];
    for (uint32_t i = 0; i < o->channels; i++)
        channel[i] = o->srgb && o->place[i] < 3 ? to_srgb(rgba[o->place[i]]) : rgba[o->place[i]];
    if (t->bits[0]) {
        encode_packed(t, channel, element);
        return;
    }
    for (uint32_t i = 0; i < o->channels; i++)
        encode_channel(t, channel[i], (unsigned char *)element + i * in_type_size(t->scalar));
}

void in_texel_decode(enum in_channel_order order, enum in_channel_type type, const void *element,
                     union in_texel *texel)
{
    const struct order_info *o = &orders[order];
    const struct type_info *t = &types[type];
    memset(texel, 0, sizeof *texel);
    if (t->cls == IN_IMAGE_FLOAT) {
        texel->f[3] = 1;
        decode_floats(o, t, element, texel->f);
        if (order == IN_ORDER_LUMINANCE || order == IN_ORDER_INTENSITY)
            texel->f[1] = texel->f[2] = texel->f[0];
        if (order == IN_ORDER_INTENSITY)
            texel->f[3] = texel->f[0];
    } else {
        texel->u[3] = 1;
        decode_integers(o, t, element, texel->u);
    }
}

void in_texel_encode(enum in_channel_order order, enum in_channel_type type, const union in_texel *texel,
                     void *element)
{
    if (types[type].cls == IN_IMAGE_FLOAT)
        encode_floats(&orders[order], &types[type], texel->f, element);
    else
        encode_integers(&orders[order], &types[type], texel->u, element);
}
