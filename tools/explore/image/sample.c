/* Reads through a sampler: addressing modes, normalized coordinates, the linear filter [CLC 6.15.15.2, 8.2].
 *
 * Texels and weights that belong to a coordinate are functions of the program, which interp/image evaluates:
 * engines and interpreter agree to the bit.  The linear filter reads each corner of the cell, and adds them
 * up in the interpreter's order. */
#include "memmodel/base/bits.h"
#include "tools/explore/image/image.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <stdio.h>
#include <string.h>

/* ---- functions of a coordinate ------------------------------------------------------------------ */

enum part { FIRST, SECOND, FRACTION, LAYER };
struct side { /* of an image */
    struct in_sampler sampler;
    uint32_t extent;
    bool linear;
    enum part part;
};

/* A texel's number within 4 bytes; texels outside of the image are all -1. */
static uint64_t texel_number(int64_t i, uint32_t extent)
{
    return (uint32_t)(i < 0 || i >= (int64_t)extent ? -1 : (int32_t)i);
}

static uint64_t part_of_coordinate(const void *context, const uint64_t *arguments)
{
    const struct side *s = context;
    float c = mm_float_of_bits((uint32_t)arguments[0]);
    if (s->part == LAYER)
        return (uint32_t)in_image_layer(c, s->extent);
    struct in_image_place p = in_image_place(&s->sampler, c, s->extent, s->linear);
    return s->part == FRACTION ? mm_bits_of_float(p.fraction)
                               : texel_number(s->part == FIRST ? p.i0 : p.i1, s->extent);
}

static uint32_t coordinate_part(struct ex *ex, struct side side, enum part part, uint32_t coordinate)
{
    struct side *s = ex_alloc(ex, sizeof *s);
    char name[80];
    *s = side;
    s->part = part;
    snprintf(name, sizeof name, "texel %d of %u, addressing %d%s%s", (int)part, side.extent,
             (int)side.sampler.addressing, side.sampler.normalized ? ", normalized" : "",
             side.linear ? ", linear" : "");
    const struct ck_function f = {mm_arena_strdup(ex->arena, name), s, part_of_coordinate};
    return ex_hold(ex, ex_apply(ex, &f, 4, 1, &coordinate));
}

/* ---- one texel ---------------------------------------------------------------------------------- */

static void put_border(struct ex *ex, const struct ex_image *image, const struct ex_value *out)
{
    union in_texel border;
    in_image_border(&image->description, &border);
    for (uint32_t i = 0; i < 4; i++)
        ex_assign_leaf(ex, out, i, ex_const(ex, border.u[i], 4));
}

/* Reads TEXEL, or the border color beyond the edges, into the registers of OUT. */
static void read_or_border(struct ex *ex, const struct ex_image *image, const struct ex_texel *texel,
                           struct ex_value *out)
{
    uint32_t outside = ex_new_label(ex), end = ex_new_label(ex);
    ex_branch_if_zero(ex, ex_image_inside(ex, texel), outside);
    ex_image_read_texel(ex, image, texel, out);
    ex_jump(ex, end);
    ex_place_label(ex, outside);
    put_border(ex, image, out);
    ex_place_label(ex, end);
}

/* ---- the linear filter -------------------------------------------------------------------------- */

static uint64_t weight_first(const void *context, const uint64_t *arguments)
{
    (void)context;
    return mm_bits_of_double(mm_double_of_bits(arguments[0]) *
                             (1 - (double)mm_float_of_bits((uint32_t)arguments[1])));
}

static uint64_t weight_second(const void *context, const uint64_t *arguments)
{
    (void)context;
    return mm_bits_of_double(mm_double_of_bits(arguments[0]) *
                             (double)mm_float_of_bits((uint32_t)arguments[1]));
}

static uint64_t add_weighted(const void *context, const uint64_t *arguments)
{
    (void)context;
    return mm_bits_of_double(mm_double_of_bits(arguments[0]) +
                             mm_double_of_bits(arguments[1]) *
                                 (double)mm_float_of_bits((uint32_t)arguments[2]));
}

static uint64_t to_float(const void *context, const uint64_t *arguments)
{
    (void)context;
    return mm_bits_of_float((float)mm_double_of_bits(arguments[0]));
}

struct cell { /* between texels */
    uint32_t axes, first[3], second[3], fraction[3];
};

/* The weight of CORNER, whose bits are 1 for the second texel of an axis. */
static uint32_t corner_weight(struct ex *ex, const struct cell *cell, uint32_t corner)
{
    static const struct ck_function first = {"weight of the first texel", NULL, weight_first},
                                    second = {"weight of the second texel", NULL, weight_second};
    uint32_t weight = ex_const(ex, mm_bits_of_double(1), 8);
    for (uint32_t axis = 0; axis < cell->axes; axis++)
        weight = ex_hold(ex, ex_apply(ex, corner >> axis & 1 ? &second : &first, 8, 2,
                                      (const uint32_t[]){weight, cell->fraction[axis]}));
    return weight;
}

/* Without an addressing mode a read is undefined if all corners are outside of the image. */
static void fault_outside_all(struct ex *ex, const struct cell *cell, struct ex_texel texel)
{
    uint32_t any = ex_const(ex, 0, 1);
    for (uint32_t corner = 0; corner < 1u << cell->axes; corner++) {
        for (uint32_t axis = 0; axis < cell->axes; axis++)
            texel.at[axis] = corner >> axis & 1 ? cell->second[axis] : cell->first[axis];
        any = ex_hold(ex, ex_binary(ex, CK_OR, any, ex_image_inside(ex, &texel)));
    }
    ex_fault_unless(ex, any);
}

/* Reads the corners of CELL, and their weighted sum into OUT; TEXEL has the layer of an array. */
static void filter_cell(struct ex *ex, const struct ex_image *image, const struct cell *cell,
                        struct ex_texel texel, struct ex_value *out)
{
    static const struct ck_function add = {"weighted sum of texels", NULL, add_weighted},
                                    round = {"double to float", NULL, to_float};
    uint32_t sum[4];
    for (uint32_t i = 0; i < 4; i++)
        sum[i] = ex_const(ex, 0, 8);
    for (uint32_t corner = 0; corner < 1u << cell->axes; corner++) {
        struct ex_value t = ex_new_registers(ex, out->type);
        uint32_t weight = corner_weight(ex, cell, corner);
        for (uint32_t axis = 0; axis < cell->axes; axis++)
            texel.at[axis] = corner >> axis & 1 ? cell->second[axis] : cell->first[axis];
        read_or_border(ex, image, &texel, &t);
        for (uint32_t i = 0; i < 4; i++)
            sum[i] = ex_hold(ex, ex_apply(ex, &add, 8, 3, (const uint32_t[]){sum[i], weight, t.leaves[i]}));
    }
    for (uint32_t i = 0; i < 4; i++)
        ex_assign_leaf(ex, out, i, ex_apply(ex, &round, 4, 1, &sum[i]));
}

/* ---- instructions ------------------------------------------------------------------------------- */

static void sample_float(struct ex *ex, const struct in_inst *inst, const struct ex_image *image,
                         const struct in_sampler *sampler, struct ex_value *out)
{
    bool linear =
        sampler->filter == IN_FILTER_LINEAR && in_image_class(image->description.type) == IN_IMAGE_FLOAT;
    const struct ex_value *v = ex_get(ex, inst->operands[1]);
    struct ex_texel texel = ex_image_sides(image);
    struct cell cell = {.axes = in_image_dimensions(image->description.kind)};
    if (sampler->addressing > IN_ADDRESS_CLAMP && !sampler->normalized)
        ex_image_fail_unsupported(ex, inst,
                                  "with a sampler that repeats the image without normalized coordinates",
                                  "use CLK_NORMALIZED_COORDS_TRUE [CLC 6.15.15.1]");
    if (v->count < texel.sides)
        ex_fail(ex, MM_INVALID, "SPIRV 3.49.10", "an image has fewer coordinates than sides");
    for (uint32_t i = 0; i < texel.sides; i++) {
        const struct side side = {.sampler = *sampler, .extent = texel.extent[i], .linear = linear};
        uint32_t c = ex_hold(ex, v->leaves[i]);
        texel.at[i] = coordinate_part(ex, side, i < cell.axes ? FIRST : LAYER, c);
        if (i >= cell.axes || !linear)
            continue;
        cell.first[i] = texel.at[i];
        cell.second[i] = coordinate_part(ex, side, SECOND, c);
        cell.fraction[i] = coordinate_part(ex, side, FRACTION, c);
    }
    bool none = sampler->addressing == IN_ADDRESS_NONE;
    if (none && linear)
        fault_outside_all(ex, &cell, texel);
    else if (none)
        ex_image_fault_outside(ex, &texel);
    if (linear)
        filter_cell(ex, image, &cell, texel, out);
    else
        read_or_border(ex, image, &texel, out);
}

/* Integer coordinates go with samplers that neither normalize, filter nor repeat; else the result is
 * undefined [CLC 6.15.15.2]. */
static void sample_integer(struct ex *ex, const struct in_inst *inst, const struct ex_image *image,
                           const struct in_sampler *sampler, struct ex_value *out)
{
    if (sampler->normalized || sampler->filter == IN_FILTER_LINEAR || sampler->addressing > IN_ADDRESS_CLAMP)
        ex_image_fail_unsupported(ex, inst,
                                  "at integer coordinates with a sampler that normalizes, filters or repeats",
                                  "use float coordinates");
    struct ex_texel texel = ex_image_coordinates(ex, inst, image);
    bool edge = sampler->addressing == IN_ADDRESS_CLAMP_TO_EDGE;
    for (uint32_t i = 0; i < texel.sides; i++)
        if (edge || i >= in_image_dimensions(image->description.kind))
            ex_image_clamp(ex, &texel, i);
    if (sampler->addressing == IN_ADDRESS_NONE)
        ex_image_fault_outside(ex, &texel);
    if (sampler->addressing == IN_ADDRESS_CLAMP)
        read_or_border(ex, image, &texel, out);
    else
        ex_image_read_texel(ex, image, &texel, out);
}

void ex_image_sample(struct ex *ex, const struct in_inst *inst)
{
    uint32_t bits;
    const struct ex_image *image = ex_image_of(ex, inst, &bits);
    const struct in_sampler sampler = {.normalized = bits >> 1 & 1,
                                       .addressing = (enum in_addressing)(bits >> 2 & 7),
                                       .filter = (enum in_filter)(bits & 1)};
    if (bits >> 31 == 0 || sampler.addressing > IN_ADDRESS_MIRRORED_REPEAT)
        ex_fail(ex, MM_INVALID, "CLC 6.15.15.1", "a read with what is no sampler");
    struct ex_value out = ex_new_registers(ex, ex_type(ex, inst->type));
    ex_image_check_texel(ex, inst, out.type, image);
    ex_image_check_operands(ex, inst, 2, image);
    const struct in_ty *coordinate = in_scalar(ex_get(ex, inst->operands[1])->type);
    if (coordinate->kind == IN_TY_FLOAT && coordinate->size == 4)
        sample_float(ex, inst, image, &sampler, &out);
    else
        sample_integer(ex, inst, image, &sampler, &out);
    ex_set(ex, inst->result, out);
}
