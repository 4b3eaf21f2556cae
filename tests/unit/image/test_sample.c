/* Sampling against a naive reference: the image extended over the whole plane by the addressing mode, read at
 * the nearest point or interpolated there in double [CLC 8.2].  Coordinates are chosen so that float computes
 * them exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interp/image/image.h"

enum { PADDING = 16, MOST = 8 };

static unsigned char memory[1 << 16];

/* Texel (x, y, z) of the test images, z being the layer of 2D arrays and y that of 1D arrays. */
static void color(int64_t x, int64_t y, int64_t z, float rgba[4])
{
    rgba[0] = (float)(1 + x + 10 * y + 100 * z);
    rgba[1] = (float)(x * x - 3 * y);
    rgba[2] = (float)((x + y + z) % 2);
    rgba[3] = 0.25f;
}

static struct in_image make_image(enum in_image_kind kind, enum in_channel_type type)
{
    struct in_image image = {.kind = kind,
                             .order = IN_ORDER_RGBA,
                             .type = type,
                             .width = 5,
                             .height = 1,
                             .depth = 1,
                             .array_size = 1,
                             .data = memory};
    if (kind == IN_IMAGE_2D || kind == IN_IMAGE_2D_ARRAY || kind == IN_IMAGE_3D)
        image.height = 3;
    if (kind == IN_IMAGE_3D)
        image.depth = 4;
    if (kind == IN_IMAGE_1D_ARRAY || kind == IN_IMAGE_2D_ARRAY)
        image.array_size = 4;
    image.row_pitch = image.width * in_image_element_size(image.order, type) + PADDING;
    image.slice_pitch = image.row_pitch * image.height + PADDING;
    return image;
}

static void sizes(const struct in_image *image, uint32_t n[3])
{
    n[0] = image->width;
    n[1] = image->kind == IN_IMAGE_1D_ARRAY ? image->array_size : image->height;
    n[2] = image->kind == IN_IMAGE_2D_ARRAY ? image->array_size : image->depth;
}

static void fill(const struct in_image *image)
{
    uint32_t n[3];
    sizes(image, n);
    memset(memory, 0xee, sizeof memory);
    for (int32_t z = 0; z < (int32_t)n[2]; z++)
        for (int32_t y = 0; y < (int32_t)n[1]; y++)
            for (int32_t x = 0; x < (int32_t)n[0]; x++) {
                float rgba[4];
                color(x, y, z, rgba);
                union in_texel texel;
                for (int i = 0; i < 4; i++)
                    if (image->type == IN_CHANNEL_FLOAT)
                        texel.f[i] = rgba[i];
                    else
                        texel.i[i] = (int32_t)rgba[i];
                assert_true(in_image_write(image, (int32_t[]){x, y, z}, &texel, NULL));
            }
}

/* ---- the reference ------------------------------------------------------------------------------------- */

static int64_t modulo(int64_t i, int64_t n)
{
    return (i % n + n) % n;
}

/* The index in the image for index I of the extended image; -1 for the border. */
static int64_t continued(enum in_addressing mode, int64_t i, int64_t n)
{
    switch (mode) {
    case IN_ADDRESS_REPEAT:
        return modulo(i, n);
    case IN_ADDRESS_MIRRORED_REPEAT:
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case IN_ADDRESS_CLAMP_TO_EDGE:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    default:
        return i < 0 || i >= n ? -1 : i;
    }
}

static void continued_color(enum in_addressing mode, const int64_t at[3], const uint32_t n[3], int axes,
                            float rgba[4])
{
    int64_t p[3];
    memset(rgba, 0, 4 * sizeof *rgba);
    for (int a = 0; a < 3; a++) {
        p[a] = a < axes ? continued(mode, at[a], n[a]) : at[a];
        if (p[a] < 0)
            return;
    }
    color(p[0], p[1], p[2], rgba);
}

/* U: unnormalized coordinates of the sampled axes, and the layer in the following one. */
static void reference(const struct in_sampler *sampler, const double u[3], const uint32_t n[3], int axes,
                      double rgba[4])
{
    memset(rgba, 0, 4 * sizeof *rgba);
    int corners = sampler->filter == IN_FILTER_LINEAR ? 1 << axes : 1;
    for (int corner = 0; corner < corners; corner++) {
        int64_t at[3];
        double weight = 1;
        for (int a = 0; a < 3; a++) {
            if (a >= axes || corners == 1) {
                at[a] = (int64_t)floor(u[a]);
                continue;
            }
            double base = floor(u[a] - 0.5), part = u[a] - 0.5 - base;
            at[a] = (int64_t)base + (corner >> a & 1);
            weight *= corner >> a & 1 ? part : 1 - part;
        }
        float texel[4];
        continued_color(sampler->addressing, at, n, axes, texel);
        for (int i = 0; i < 4; i++)
            rgba[i] += weight * (double)texel[i];
    }
}

/* ---- the comparison ------------------------------------------------------------------------------ */

static uint64_t next_random(void)
{
    static uint64_t state = 11;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void check_samples(const struct in_image *image, const struct in_sampler *sampler)
{
    uint32_t n[3];
    sizes(image, n);
    int coordinates = (int)in_image_coordinate_count(image->kind);
    int axes = coordinates - (image->array_size > 1);
    for (int k = 0; k < 400; k++) {
        float c[4] = {0, 0, 0, 0};
        double u[3] = {0, 0, 0};
        for (int a = 0; a < axes; a++) {
            /* Odd multiples of 1/128 from -2 to 3: never on the edge of a texel. */
            double s = ((double)(next_random() % 320) - 128 + 0.5) / 64;
            c[a] = (float)(sampler->normalized ? s : s * n[a]);
            u[a] = s * n[a];
            if (sampler->addressing == IN_ADDRESS_NONE) { /* outside is undefined */
                u[a] = 0.5 + fmod(fabs(u[a]), n[a] - 1.0);
                c[a] = (float)u[a];
            }
        }
        if (axes < coordinates)
            u[axes] = c[axes] = (float)(next_random() % image->array_size);
        union in_texel got;
        struct in_image_touched touched;
        in_image_sample(image, sampler, c, &got, &touched);
        double want[4];
        reference(sampler, u, n, axes, want);
        for (int i = 0; i < 4; i++)
            if (fabs((double)got.f[i] - want[i]) > (sampler->filter == IN_FILTER_LINEAR ? 1e-4 : 0))
                fail_msg("kind %d, mode %d, filter %d, normalized %d at (%g, %g, %g): %g, not %g",
                         image->kind, sampler->addressing, sampler->filter, sampler->normalized, (double)c[0],
                         (double)c[1], (double)c[2], (double)got.f[i], want[i]);
        assert_true(touched.count <= (sampler->filter == IN_FILTER_LINEAR ? 1u << axes : 1));
        assert_int_equal(touched.size, 16);
    }
}

static void test_sampling(void **state)
{
    (void)state;
    for (enum in_image_kind kind = 0; kind < IN_IMAGE_KINDS; kind++) {
        struct in_image image = make_image(kind, IN_CHANNEL_FLOAT);
        fill(&image);
        for (int mode = IN_ADDRESS_NONE; mode <= IN_ADDRESS_MIRRORED_REPEAT; mode++)
            for (int filter = 0; filter < 2; filter++)
                for (int normalized = 0; normalized < 2; normalized++) {
                    if (mode >= IN_ADDRESS_REPEAT ? !normalized : mode == IN_ADDRESS_NONE && normalized)
                        continue;
                    check_samples(
                        &image,
                        &(struct in_sampler){.normalized = normalized, .addressing = mode, .filter = filter});
                }
    }
}

/* ---- by hand ------------------------------------------------------------------------------------- */

static float red_at(const struct in_image *image, struct in_sampler sampler, float x)
{
    union in_texel texel;
    in_image_sample(image, &sampler, (float[3]){x, 0, 0}, &texel, NULL);
    return texel.f[0];
}

/* Red of the 1D image is 1 2 3 4 5. */
static void test_edges(void **state)
{
    (void)state;
    struct in_image image = make_image(IN_IMAGE_1D, IN_CHANNEL_FLOAT);
    fill(&image);
    const struct in_sampler repeat = {
        .normalized = true, .addressing = IN_ADDRESS_REPEAT, .filter = IN_FILTER_NEAREST};
    const struct in_sampler mirror = {
        .normalized = true, .addressing = IN_ADDRESS_MIRRORED_REPEAT, .filter = IN_FILTER_NEAREST};
    const struct in_sampler clamp = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP, .filter = IN_FILTER_NEAREST};
    const struct in_sampler edge = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP_TO_EDGE, .filter = IN_FILTER_LINEAR};
    assert_true(red_at(&image, repeat, 0) == 1 && red_at(&image, repeat, 1) == 1 &&
                red_at(&image, repeat, -1) == 1);
    assert_true(red_at(&image, repeat, -0x1p-30f) == 1); /* 1 - 2^-30 is 1 in float */
    assert_true(red_at(&image, mirror, 0) == 1 && red_at(&image, mirror, 1) == 5 &&
                red_at(&image, mirror, 2) == 1);
    assert_true(red_at(&image, mirror, -1) == 5 && red_at(&image, mirror, -0.25f) == 2);
    assert_true(red_at(&image, clamp, 0) == 1 && red_at(&image, clamp, 4.99f) == 5 &&
                red_at(&image, clamp, 5) == 0);
    assert_true(red_at(&image, clamp, -0.01f) == 0 && red_at(&image, clamp, 1e30f) == 0);
    assert_true(red_at(&image, edge, 0) == 1 && red_at(&image, edge, 0.5f) == 1 &&
                red_at(&image, edge, 1) == 1.5f);
    assert_true(red_at(&image, edge, 4.75f) == 5 && red_at(&image, edge, -1e30f) == 1);
    const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int i = 0; i < 4; i++)
        for (int mode = 0; mode < 5; mode++)
            for (int filter = 0; filter < 2; filter++) {
                float r = red_at(
                    &image, (struct in_sampler){.normalized = true, .addressing = mode, .filter = filter},
                    odd[i]);
                assert_true(isfinite(r));
            }
}

/* A layer is the nearest one, ties to even, clamped to the array; it is never normalized [CLC 8.4]. */
static void test_layers(void **state)
{
    (void)state;
    static const struct {
        float w;
        float layer;
    } cases[] = {{0, 0}, {0.5f, 0}, {1.5f, 2}, {2.4f, 2}, {2.5f, 2}, {3.6f, 3}, {99, 3}, {-7, 0}};
    const struct in_sampler sampler = {
        .normalized = true, .addressing = IN_ADDRESS_CLAMP_TO_EDGE, .filter = IN_FILTER_LINEAR};
    struct in_image image = make_image(IN_IMAGE_1D_ARRAY, IN_CHANNEL_FLOAT);
    fill(&image);
    union in_texel t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        in_image_sample(&image, &sampler, (float[2]){0, cases[i].w}, &t, NULL);
        assert_true(t.f[0] == 1 + 10 * cases[i].layer);
    }
    const struct in_sampler integer = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP, .filter = IN_FILTER_NEAREST};
    in_image_sample_int(&image, &integer, (int32_t[2]){1, 77}, &t, NULL);
    assert_true(t.f[0] == 32);
    in_image_sample_int(&image, &integer, (int32_t[2]){1, -77}, &t, NULL);
    assert_true(t.f[0] == 2);
    in_image_sample_int(&image, &integer, (int32_t[2]){-1, 1}, &t, NULL);
    assert_true(t.f[0] == 0);
}

/* Integer formats are never filtered. */
static void test_integers(void **state)
{
    (void)state;
    struct in_image image = make_image(IN_IMAGE_2D, IN_CHANNEL_SIGNED_INT16);
    fill(&image);
    union in_texel t;
    struct in_image_touched touched;
    const struct in_sampler sampler = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP, .filter = IN_FILTER_LINEAR};
    in_image_sample(&image, &sampler, (float[2]){1.9f, 2.1f}, &t, &touched);
    assert_true(t.i[0] == 22 && t.i[1] == -5 && t.i[3] == 0);
    assert_int_equal(touched.count, 1);
    assert_int_equal(touched.size, 8);
    assert_int_equal(touched.offset[0], 2 * image.row_pitch + 8);
    in_image_sample(&image, &sampler, (float[2]){1.9f, 3.1f}, &t, &touched);
    assert_true(t.i[0] == 0 && t.i[3] == 0 && touched.count == 0);
    in_image_sample_int(&image, &sampler, (int32_t[2]){4, INT32_MAX}, &t, NULL);
    assert_int_equal(t.i[0], 0);
    const struct in_sampler edge = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP_TO_EDGE, .filter = IN_FILTER_NEAREST};
    in_image_sample_int(&image, &edge, (int32_t[2]){INT32_MIN, INT32_MAX}, &t, NULL);
    assert_int_equal(t.i[0], 21);
}

static void test_bounds(void **state)
{
    (void)state;
    for (enum in_image_kind kind = 0; kind < IN_IMAGE_KINDS; kind++) {
        struct in_image image = make_image(kind, IN_CHANNEL_FLOAT);
        fill(&image);
        uint32_t n[3];
        sizes(&image, n);
        uint32_t count = in_image_coordinate_count(kind);
        int32_t at[3] = {(int32_t)n[0] - 1, (int32_t)n[1] - 1, (int32_t)n[2] - 1};
        union in_texel t = {.f = {7, 7, 7, 7}};
        struct in_image_touched touched;
        assert_true(in_image_read(&image, at, &t, &touched));
        assert_int_equal(touched.count, 1);
        float want[4];
        color(at[0], at[1], at[2], want);
        assert_memory_equal(t.f, want, sizeof want);
        for (uint32_t axis = 0; axis < count; axis++)
            for (int side = 0; side < 2; side++) {
                int32_t outside[3] = {0, 0, 0};
                outside[axis] = side ? (int32_t)n[axis] : -1;
                assert_false(in_image_write(&image, outside, &t, &touched));
                assert_int_equal(touched.count, 0);
                assert_false(in_image_read(&image, outside, &t, &touched));
                assert_true(t.f[0] == 0 && t.f[3] == 0);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sampling), cmocka_unit_test(test_edges),  cmocka_unit_test(test_layers),
        cmocka_unit_test(test_integers), cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
