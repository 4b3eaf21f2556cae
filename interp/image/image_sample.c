/* Addressing and filtering [CLC 8.2], selecting a layer [CLC 8.4], reads and writes [CLC 6.15.15].
 *
 * Coordinates use the float arithmetic of the specification, operation by operation. */
#include "image.h"

#include <math.h>
#include <string.h>

/* ---- geometry ---------------------------------------------------------------------------------------- */

uint32_t in_image_coordinate_count(enum in_image_kind kind)
{
    switch (kind) {
    case IN_IMAGE_1D:
    case IN_IMAGE_1D_BUFFER:
        return 1;
    case IN_IMAGE_1D_ARRAY:
    case IN_IMAGE_2D:
        return 2;
    default:
        return 3;
    }
}

static bool is_array(enum in_image_kind kind)
{
    return kind == IN_IMAGE_1D_ARRAY || kind == IN_IMAGE_2D_ARRAY;
}

uint32_t in_image_dimensions(enum in_image_kind kind)
{
    return in_image_coordinate_count(kind) - is_array(kind);
}

/* Coordinates that are sampled; an array's last one selects the layer. */
static uint32_t sampled_dimensions(const struct in_image *image)
{
    return in_image_dimensions(image->kind);
}

static uint32_t axis_extent(const struct in_image *image, uint32_t axis)
{
    if (is_array(image->kind) && axis == sampled_dimensions(image))
        return image->array_size;
    return axis == 0 ? image->width : axis == 1 ? image->height : image->depth;
}

static uint64_t axis_pitch(const struct in_image *image, uint32_t axis)
{
    if (axis == 0)
        return in_image_element_size(image->order, image->type);
    return axis == 1 && image->kind != IN_IMAGE_1D_ARRAY ? image->row_pitch : image->slice_pitch;
}

static bool offset_of(const struct in_image *image, const int64_t *at, uint64_t *offset)
{
    *offset = 0;
    for (uint32_t axis = 0; axis < in_image_coordinate_count(image->kind); axis++) {
        if (at[axis] < 0 || at[axis] >= (int64_t)axis_extent(image, axis))
            return false;
        *offset += (uint64_t)at[axis] * axis_pitch(image, axis);
    }
    return true;
}

/* Offset of a texel from the data; false if a coordinate is outside the image. */
static bool texel_offset(const struct in_image *image, const int32_t *coordinates, uint64_t *offset)
{
    int64_t at[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < in_image_coordinate_count(image->kind); axis++)
        at[axis] = coordinates[axis];
    return offset_of(image, at, offset);
}

/* ---- addressing: one coordinate ---------------------------------------------------------------------- */

/* The float's value, held within what any image can have. */
static int64_t to_integer(float x)
{
    return isnan(x) ? 0 : x > 0x1p40f ? INT64_C(1) << 40 : x < -0x1p40f ? -(INT64_C(1) << 40) : (int64_t)x;
}

static int64_t clamp_index(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

static int64_t address_texel(enum in_addressing mode, int64_t i, int64_t size)
{
    switch (mode) {
    case IN_ADDRESS_CLAMP_TO_EDGE:
        return clamp_index(i, 0, size - 1);
    case IN_ADDRESS_CLAMP:
        return clamp_index(i, -1, size);
    default:
        return i;
    }
}

/* The unnormalized coordinate that the mode makes of C. */
static float unnormalize_coordinate(const struct in_sampler *sampler, float c, uint32_t size)
{
    float n = (float)size, s = sampler->normalized ? c : c / n;
    switch (sampler->addressing) {
    case IN_ADDRESS_REPEAT:
        return (s - floorf(s)) * n;
    case IN_ADDRESS_MIRRORED_REPEAT:
        return fabsf(s - 2.0f * rintf(0.5f * s)) * n;
    default:
        return sampler->normalized ? c * n : c;
    }
}

static struct in_image_place nearest_place(const struct in_sampler *sampler, float c, uint32_t extent_)
{
    int64_t size = extent_, i = to_integer(floorf(unnormalize_coordinate(sampler, c, extent_)));
    if (sampler->addressing == IN_ADDRESS_REPEAT)
        i = i > size - 1 ? i - size : i;
    else if (sampler->addressing == IN_ADDRESS_MIRRORED_REPEAT)
        i = i > size - 1 ? size - 1 : i;
    else
        i = address_texel(sampler->addressing, i, size);
    return (struct in_image_place){i, i, 0};
}

static struct in_image_place linear_place(const struct in_sampler *sampler, float c, uint32_t extent_)
{
    int64_t size = extent_;
    float u = unnormalize_coordinate(sampler, c, extent_) - 0.5f;
    struct in_image_place p = {.i0 = to_integer(floorf(u)), .fraction = u - floorf(u)};
    p.i1 = p.i0 + 1;
    if (isnan(p.fraction))
        p.fraction = 0;
    switch (sampler->addressing) {
    case IN_ADDRESS_REPEAT:
        p.i0 = p.i0 < 0 ? size + p.i0 : p.i0;
        p.i1 = p.i1 > size - 1 ? p.i1 - size : p.i1;
        break;
    case IN_ADDRESS_MIRRORED_REPEAT:
        p.i0 = p.i0 < 0 ? 0 : p.i0;
        p.i1 = p.i1 > size - 1 ? size - 1 : p.i1;
        break;
    default:
        p.i0 = address_texel(sampler->addressing, p.i0, size);
        p.i1 = address_texel(sampler->addressing, p.i1, size);
    }
    return p;
}

struct in_image_place in_image_place(const struct in_sampler *sampler, float c, uint32_t extent_,
                                     bool is_linear)
{
    return (is_linear ? linear_place : nearest_place)(sampler, c, extent_);
}

int64_t in_image_layer(float c, uint32_t array_size)
{
    return clamp_index(to_integer(rintf(c)), 0, (int64_t)array_size - 1);
}

/* ---- reads --------------------------------------------------------------------------------------- */

static void touch_texel(struct in_image_touched *touched, uint64_t offset)
{
    if (touched)
        touched->offset[touched->count++] = offset;
}

static void reset_touched(const struct in_image *image, struct in_image_touched *touched)
{
    if (touched)
        *touched = (struct in_image_touched){.size = in_image_element_size(image->order, image->type)};
}

static bool fetch_texel(const struct in_image *image, const int64_t *at, union in_texel *texel,
                        struct in_image_touched *touched)
{
    uint64_t offset;
    if (!offset_of(image, at, &offset))
        return false;
    touch_texel(touched, offset);
    in_texel_decode(image->order, image->type, (const unsigned char *)image->data + offset, texel);
    return true;
}

static void fetch_or_border(const struct in_image *image, const int64_t *at, union in_texel *texel,
                            struct in_image_touched *touched)
{
    if (!fetch_texel(image, at, texel, touched))
        in_image_border(image, texel);
}

/* The weighted sum over the corners of the cell; CORNER's bit says which of I0, I1 on that axis. */
static void filter_texels(const struct in_image *image, const struct in_image_place *places, int64_t layer,
                          union in_texel *texel, struct in_image_touched *touched)
{
    uint32_t axes = sampled_dimensions(image);
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t corner = 0; corner < 1u << axes; corner++) {
        int64_t at[4] = {0, 0, 0, 0};
        double weight = 1;
        for (uint32_t axis = 0; axis < axes; axis++) {
            bool second = corner >> axis & 1;
            at[axis] = second ? places[axis].i1 : places[axis].i0;
            weight *= second ? (double)places[axis].fraction : 1 - (double)places[axis].fraction;
        }
        at[axes] = layer;
        union in_texel t;
        fetch_or_border(image, at, &t, touched);
        for (int i = 0; i < 4; i++)
            sum[i] += weight * (double)t.f[i];
    }
    for (int i = 0; i < 4; i++)
        texel->f[i] = (float)sum[i];
}

void in_image_sample(const struct in_image *image, const struct in_sampler *sampler, const float *coordinates,
                     union in_texel *texel, struct in_image_touched *touched)
{
    reset_touched(image, touched);
    bool is_linear = sampler->filter == IN_FILTER_LINEAR && in_image_class(image->type) == IN_IMAGE_FLOAT;
    uint32_t axes = sampled_dimensions(image);
    struct in_image_place places[3];
    int64_t at[4] = {0, 0, 0, 0}, layer = 0;
    if (is_array(image->kind))
        layer = in_image_layer(coordinates[axes], image->array_size);
    for (uint32_t axis = 0; axis < axes; axis++) {
        places[axis] = in_image_place(sampler, coordinates[axis], axis_extent(image, axis), is_linear);
        at[axis] = places[axis].i0;
    }
    at[axes] = layer;
    if (is_linear)
        filter_texels(image, places, layer, texel, touched);
    else
        fetch_or_border(image, at, texel, touched);
}

void in_image_sample_int(const struct in_image *image, const struct in_sampler *sampler,
                         const int32_t *coordinates, union in_texel *texel, struct in_image_touched *touched)
{
    reset_touched(image, touched);
    uint32_t axes = sampled_dimensions(image);
    int64_t at[4] = {0, 0, 0, 0};
    for (uint32_t axis = 0; axis < axes; axis++)
        at[axis] = address_texel(sampler->addressing, coordinates[axis], axis_extent(image, axis));
    if (is_array(image->kind))
        at[axes] = clamp_index(coordinates[axes], 0, (int64_t)image->array_size - 1);
    fetch_or_border(image, at, texel, touched);
}

bool in_image_read(const struct in_image *image, const int32_t *coordinates, union in_texel *texel,
                   struct in_image_touched *touched)
{
    reset_touched(image, touched);
    int64_t at[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < in_image_coordinate_count(image->kind); axis++)
        at[axis] = coordinates[axis];
    if (fetch_texel(image, at, texel, touched))
        return true;
    memset(texel, 0, sizeof *texel);
    return false;
}

bool in_image_write(const struct in_image *image, const int32_t *coordinates, const union in_texel *texel,
                    struct in_image_touched *touched)
{
    reset_touched(image, touched);
    uint64_t offset;
    if (!texel_offset(image, coordinates, &offset))
        return false;
    touch_texel(touched, offset);
    in_texel_encode(image->order, image->type, texel, (unsigned char *)image->data + offset);
    return true;
}
