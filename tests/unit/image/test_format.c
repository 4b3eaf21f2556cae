/* Image formats: the available ones [CL 5.3.1.1]; every value of the narrow ones decoded, encoded and decoded
 * again; values out of range [CLC 8.3]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interp/image/image.h"

/* The channels of each order as they lie in memory, and the types that the standard allows: 'a'ny unpacked,
 * 'n'ormalized or float, 'd'epth, 'p'acked of three, 'q' packed of four, 'r' the same reversed, 'b'ytes,
 * 's'RGB bytes, 'x' padded. */
static const struct {
    enum in_channel_order order;
    const char *channels, *types;
    int border_alpha;
} orders[] = {
    {IN_ORDER_R, "r", "ax", 1},        {IN_ORDER_RX, "r", "a", 0},        {IN_ORDER_A, "a", "a", 0},
    {IN_ORDER_INTENSITY, "i", "n", 0}, {IN_ORDER_LUMINANCE, "l", "n", 1}, {IN_ORDER_DEPTH, "r", "d", 1},
    {IN_ORDER_RG, "rg", "ax", 1},      {IN_ORDER_RGX, "rg", "a", 0},      {IN_ORDER_RA, "ra", "a", 0},
    {IN_ORDER_RGB, "rgb", "p", 1},     {IN_ORDER_RGBX, "rgb", "p", 0},    {IN_ORDER_RGBA, "rgba", "aqx", 0},
    {IN_ORDER_BGRA, "bgra", "b", 0},   {IN_ORDER_ARGB, "argb", "b", 0},   {IN_ORDER_ABGR, "abgr", "br", 0},
    {IN_ORDER_SRGB, "rgb", "s", 1},    {IN_ORDER_SRGBX, "rgb", "s", 0},   {IN_ORDER_SRGBA, "rgba", "s", 0},
    {IN_ORDER_SBGRA, "bgra", "s", 0},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static const struct {
    enum in_channel_type type;
    uint32_t bytes; /* of a channel; of the element if packed */
    char kind;      /* 's'norm, 'u'norm, 'i'nt, 'w' unsigned, 'h'alf, 'f'loat, 'p'acked */
    const char *groups;
    uint32_t low; /* padded: bits below the value */
} types[] = {
    {IN_CHANNEL_SNORM_INT8, 1, 's', "anb", 0},
    {IN_CHANNEL_SNORM_INT16, 2, 's', "an", 0},
    {IN_CHANNEL_UNORM_INT8, 1, 'u', "anbs", 0},
    {IN_CHANNEL_UNORM_INT16, 2, 'u', "and", 0},
    {IN_CHANNEL_UNORM_SHORT_565, 2, 'p', "p", 0},
    {IN_CHANNEL_UNORM_SHORT_555, 2, 'p', "p", 0},
    {IN_CHANNEL_UNORM_INT_101010, 4, 'p', "p", 0},
    {IN_CHANNEL_UNORM_INT_101010_2, 4, 'p', "q", 0},
    {IN_CHANNEL_SIGNED_INT8, 1, 'i', "ab", 0},
    {IN_CHANNEL_SIGNED_INT16, 2, 'i', "a", 0},
    {IN_CHANNEL_SIGNED_INT32, 4, 'i', "a", 0},
    {IN_CHANNEL_UNSIGNED_INT8, 1, 'w', "ab", 0},
    {IN_CHANNEL_UNSIGNED_INT16, 2, 'w', "a", 0},
    {IN_CHANNEL_UNSIGNED_INT32, 4, 'w', "a", 0},
    {IN_CHANNEL_UNORM_INT10X6, 2, 'u', "x", 6},
    {IN_CHANNEL_UNORM_INT12X4, 2, 'u', "x", 4},
    {IN_CHANNEL_UNORM_INT14X2, 2, 'u', "x", 2},
    {IN_CHANNEL_UNSIGNED_INT10X6, 2, 'w', "x", 6},
    {IN_CHANNEL_UNSIGNED_INT12X4, 2, 'w', "x", 4},
    {IN_CHANNEL_UNSIGNED_INT14X2, 2, 'w', "x", 2},
    {IN_CHANNEL_UNORM_INT_2_101010, 4, 'p', "r", 0},
    {IN_CHANNEL_HALF_FLOAT, 2, 'h', "an", 0},
    {IN_CHANNEL_FLOAT, 4, 'f', "and", 0},
};
enum { TYPES = sizeof types / sizeof *types };

static int allowed(int o, int t)
{
    return strpbrk(orders[o].types, types[t].groups) != NULL;
}

static void test_valid(void **state)
{
    (void)state;
    int count = 0, expected = 0;
    for (uint32_t order = 0; order < 40; order++)
        for (uint32_t type = 0; type < 40; type++)
            count += in_image_format_valid(order, type);
    for (int o = 0; o < ORDERS; o++)
        for (int t = 0; t < TYPES; t++) {
            assert_int_equal(in_image_format_valid(orders[o].order, types[t].type), allowed(o, t));
            expected += allowed(o, t);
            if (!allowed(o, t))
                continue;
            uint32_t channels = (uint32_t)strlen(orders[o].channels);
            assert_int_equal(in_image_element_size(orders[o].order, types[t].type),
                             types[t].kind == 'p' ? types[t].bytes : types[t].bytes * channels);
        }
    assert_int_equal(count, expected);
    assert_false(in_image_format_valid(UINT32_MAX, 0));
}

/* ---- one channel: value and stored integer ------------------------------------------------------- */

static double half_value(uint32_t h)
{
    int exponent = h >> 10 & 31;
    double fraction = h & 1023, sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double channel_value(int t, uint32_t stored, int srgb)
{
    double most = types[t].bytes == 1 ? 127 : 32767;
    double value;
    if (types[t].low) {
        stored >>= types[t].low;
        return types[t].kind == 'u' ? stored / (double)(UINT16_MAX >> types[t].low) : stored;
    }
    switch (types[t].kind) {
    case 's':
        value = (types[t].bytes == 1 ? (int8_t)stored : (int16_t)stored) / most;
        return value < -1 ? -1 : value;
    case 'u':
        value = stored / (2 * most + 1);
        return !srgb ? value : value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
    case 'h':
        return half_value(stored);
    case 'i':
        return types[t].bytes == 1 ? (int8_t)stored : types[t].bytes == 2 ? (int16_t)stored : (int32_t)stored;
    default:
        return stored;
    }
}

/* sRGB values are converted through float. */
static int same_float(float got, double want, int srgb)
{
    return isnan(want) ? isnan(got) : srgb ? fabs((double)got - want) <= 2e-7 * want : got == (float)want;
}

static double component(const union in_texel *texel, int t, int i)
{
    char kind = types[t].kind;
    return kind == 'i' ? texel->i[i] : kind == 'w' ? texel->u[i] : (double)texel->f[i];
}

/* Channel C of the element is STORED, the others have other values: what is the texel? */
static void check_channel(int o, int t, uint32_t c, uint32_t stored)
{
    const char *channels = orders[o].channels;
    uint32_t bytes = types[t].bytes, filler = 1u << types[t].low,
             mask = bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;
    unsigned char element[16];
    for (uint32_t i = 0; i < strlen(channels); i++) {
        uint32_t v = i == c ? stored : filler;
        memcpy(element + i * bytes, &v, bytes);
    }
    union in_texel texel;
    in_texel_decode(orders[o].order, types[t].type, element, &texel);
    for (int i = 0; i < 4; i++) {
        const char *at = strchr(channels, "rgba"[i]);
        if (*channels == 'i' || (*channels == 'l' && i < 3))
            at = channels;
        int srgb = orders[o].types[0] == 's' && i < 3;
        double want = !at ? i == 3 : channel_value(t, at == channels + c ? stored : filler, srgb);
        if (!same_float((float)component(&texel, t, i), want, srgb))
            fail_msg("order %d type %d: stored 0x%x, component %d: %g, not %g", orders[o].order,
                     types[t].type, stored, i, component(&texel, t, i), want);
    }
    unsigned char again[16];
    in_texel_encode(orders[o].order, types[t].type, &texel, again);
    uint32_t back = 0;
    memcpy(&back, again + c * bytes, bytes);
    int lowest = types[t].kind == 's' && stored == (bytes == 1 ? 0x80u : 0x8000u);
    int is_nan = types[t].kind == 'h' && isnan(half_value(stored));
    mask &= UINT32_MAX << types[t].low;
    if (!is_nan && back != ((stored + (uint32_t)lowest) & mask))
        fail_msg("order %d type %d: stored 0x%x came back as 0x%x", orders[o].order, types[t].type, stored,
                 back);
}

static void test_channels(void **state)
{
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int t = 0; t < TYPES; t++) {
            if (!allowed(o, t) || types[t].kind == 'p' || types[t].kind == 'f')
                continue;
            for (uint32_t c = 0; c < strlen(orders[o].channels); c++) {
                uint32_t step = types[t].bytes == 1 ? 1 : types[t].bytes == 2 ? 7 : 0x01234567;
                uint64_t end = UINT64_C(1) << 8 * types[t].bytes;
                for (uint64_t v = 0; v < end; v += step)
                    check_channel(o, t, c, (uint32_t)v);
                check_channel(o, t, c, (uint32_t)(end - 1));
                check_channel(o, t, c, (uint32_t)(end / 2));
            }
        }
}

static void test_float_channels(void **state)
{
    (void)state;
    const float in[4] = {-0.0f, 1e-40f, INFINITY, -3.25f};
    union in_texel texel, out;
    memcpy(texel.f, in, sizeof in);
    float element[4];
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_FLOAT, &texel, element);
    assert_memory_equal(element, in, sizeof in);
    in_texel_decode(IN_ORDER_RGBA, IN_CHANNEL_FLOAT, element, &out);
    assert_memory_equal(out.f, in, sizeof in);
    in_texel_decode(IN_ORDER_DEPTH, IN_CHANNEL_FLOAT, &in[3], &out);
    assert_true(out.f[0] == -3.25f);
}

static void test_packed(void **state)
{
    (void)state;
    union in_texel t;
    for (uint32_t v = 0; v < 65536; v++) {
        uint16_t element = (uint16_t)v, back;
        in_texel_decode(IN_ORDER_RGB, IN_CHANNEL_UNORM_SHORT_565, &element, &t);
        assert_true(t.f[0] == (float)(v >> 11) / 31.0f && t.f[1] == (float)(v >> 5 & 63) / 63.0f &&
                    t.f[2] == (float)(v & 31) / 31.0f && t.f[3] == 1);
        in_texel_encode(IN_ORDER_RGB, IN_CHANNEL_UNORM_SHORT_565, &t, &back);
        assert_int_equal(back, v);
        in_texel_decode(IN_ORDER_RGBX, IN_CHANNEL_UNORM_SHORT_555, &element, &t);
        assert_true(t.f[0] == (float)(v >> 10 & 31) / 31.0f && t.f[1] == (float)(v >> 5 & 31) / 31.0f &&
                    t.f[2] == (float)(v & 31) / 31.0f && t.f[3] == 1);
        in_texel_encode(IN_ORDER_RGBX, IN_CHANNEL_UNORM_SHORT_555, &t, &back);
        assert_int_equal(back, v & 0x7fff);
    }
    for (uint32_t v = 0; v < 1024; v++) {
        uint32_t element = v << 20 | (1023 - v) << 10 | 5, back;
        in_texel_decode(IN_ORDER_RGB, IN_CHANNEL_UNORM_INT_101010, &element, &t);
        assert_true(t.f[0] == (float)v / 1023.0f && t.f[1] == (float)(1023 - v) / 1023.0f &&
                    t.f[2] == 5 / 1023.0f);
        in_texel_encode(IN_ORDER_RGB, IN_CHANNEL_UNORM_INT_101010, &t, &back);
        assert_int_equal(back, element);
        element = v << 22 | (1023 - v) << 12 | 5 << 2 | (v & 3);
        in_texel_decode(IN_ORDER_RGBA, IN_CHANNEL_UNORM_INT_101010_2, &element, &t);
        assert_true(t.f[0] == (float)v / 1023.0f && t.f[1] == (float)(1023 - v) / 1023.0f &&
                    t.f[2] == 5 / 1023.0f && t.f[3] == (float)(v & 3) / 3.0f);
        in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNORM_INT_101010_2, &t, &back);
        assert_int_equal(back, element);
        element = (v & 3) << 30 | 5 << 20 | (1023 - v) << 10 | v;
        in_texel_decode(IN_ORDER_ABGR, IN_CHANNEL_UNORM_INT_2_101010, &element, &t);
        assert_true(t.f[0] == (float)v / 1023.0f && t.f[1] == (float)(1023 - v) / 1023.0f &&
                    t.f[2] == 5 / 1023.0f && t.f[3] == (float)(v & 3) / 3.0f);
        in_texel_encode(IN_ORDER_ABGR, IN_CHANNEL_UNORM_INT_2_101010, &t, &back);
        assert_int_equal(back, element);
    }
}

/* ---- writing what no element holds --------------------------------------------------------------- */

static void test_clamping(void **state)
{
    (void)state;
    const union in_texel wild = {.f = {2, -3, NAN, INFINITY}};
    int8_t s[4];
    uint8_t u[4];
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNORM_INT8, &wild, u);
    assert_true(u[0] == 255 && u[1] == 0 && u[2] == 0 && u[3] == 255);
    in_texel_encode(IN_ORDER_SRGBA, IN_CHANNEL_UNORM_INT8, &wild, u);
    assert_true(u[0] == 255 && u[1] == 0 && u[2] == 0 && u[3] == 255);
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_SNORM_INT8, &wild, s);
    assert_true(s[0] == 127 && s[1] == -128 && s[2] == 0 && s[3] == 127);
    uint32_t packed;
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNORM_INT_101010_2, &wild, &packed);
    assert_int_equal(packed, 0xffc00003);
    const union in_texel integers = {.i = {1000, -1000, -7, 7}};
    in_texel_encode(IN_ORDER_BGRA, IN_CHANNEL_SIGNED_INT8, &integers, s);
    assert_true(s[0] == -7 && s[1] == -128 && s[2] == 127 && s[3] == 7);
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNSIGNED_INT8, &integers, u);
    assert_true(u[0] == 255 && u[1] == 255 && u[2] == 255 && u[3] == 7);
    uint16_t padded[4];
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNORM_INT10X6, &wild, padded);
    assert_true(padded[0] == 0xffc0 && padded[1] == 0 && padded[2] == 0 && padded[3] == 0xffc0);
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_UNSIGNED_INT12X4, &integers, padded);
    assert_true(padded[0] == 1000 << 4 && padded[1] == 0xfff0 && padded[2] == 0xfff0 && padded[3] == 7 << 4);
    const union in_texel large = {.f = {65520, -65519, 1e-8f, 0x1.004p0f}};
    uint16_t h[4];
    in_texel_encode(IN_ORDER_RGBA, IN_CHANNEL_HALF_FLOAT, &large, h);
    assert_true(h[0] == 0x7c00 && h[1] == 0xfbff && h[2] == 0 && h[3] == 0x3c01);
}

/* To the nearest stored value, ties to even. */
static void test_rounding(void **state)
{
    (void)state;
    for (int i = 0; i <= 2048; i++) {
        float f = (float)i / 2048;
        const union in_texel texel = {.f = {f, -f, 0, 0}};
        uint8_t u;
        int16_t s[2];
        in_texel_encode(IN_ORDER_R, IN_CHANNEL_UNORM_INT8, &texel, &u);
        assert_int_equal(u, (int)rint((double)f * 255));
        in_texel_encode(IN_ORDER_RG, IN_CHANNEL_SNORM_INT16, &texel, s);
        assert_true(fabs(s[0] - (double)f * 32767) <= 0.501); /* the product is a float */
        assert_int_equal(s[1], -s[0]);
    }
}

static void test_border(void **state)
{
    (void)state;
    for (int o = 0; o < ORDERS; o++)
        for (int t = 0; t < TYPES; t++) {
            if (!allowed(o, t))
                continue;
            struct in_image image = {.order = orders[o].order, .type = types[t].type};
            union in_texel texel;
            in_image_border(&image, &texel);
            for (int i = 0; i < 4; i++)
                assert_true(component(&texel, t, i) == (i == 3 && orders[o].border_alpha));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),  cmocka_unit_test(test_channels), cmocka_unit_test(test_float_channels),
        cmocka_unit_test(test_packed), cmocka_unit_test(test_clamping), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
