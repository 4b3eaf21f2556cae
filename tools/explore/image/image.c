/* Images: arguments, reads without a sampler, writes, queries; image/sample.c has the reads with one.
 *
 * An image is an object of channels, texel by texel without gaps, and each access of a texel is one of each
 * of its channels: all accesses of a texel conflict, as those of the one location that it is [CL 3.3.6 G4]. A
 * value of an image type is the address of its object, a sampler is what interp/module makes of
 * OpConstantSampler, and a sampled image their sum. [SPIRV 3.49.10; CLC 6.15.15; CLC 8] */
#include "tools/explore/image/image.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"
#include "tools/launch/spec.h"

#include <stdio.h>
#include <string.h>

bool ex_is_image(const struct in_ty *t)
{
    return t->opcode == SpvOpTypeImage || t->opcode == SpvOpTypeSampler;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static bool is_array_kind(enum in_image_kind kind)
{
    return kind == IN_IMAGE_1D_ARRAY || kind == IN_IMAGE_2D_ARRAY;
}

/* The kind of images of type T; IN_IMAGE_KINDS: such images are not explored. */
static enum in_image_kind kind_of(struct ex *ex, const struct in_ty *t)
{
    const struct in_inst *type = ex_definition(ex, t->id);
    const uint32_t *w = type->operands; /* sampled type, dimensions, depth, arrayed, samples, ... */
    if (type->operand_count < 5 || w[2] == 1 || w[4] != 0 || w[1] > SpvDim3D || (w[3] && w[1] == SpvDim3D))
        return IN_IMAGE_KINDS;
    return w[1] == SpvDim3D   ? IN_IMAGE_3D
           : w[1] == SpvDim2D ? (w[3] ? IN_IMAGE_2D_ARRAY : IN_IMAGE_2D)
                              : (w[3] ? IN_IMAGE_1D_ARRAY : IN_IMAGE_1D);
}

/* Argument ID is an image of a kind that is not explored. */
_Noreturn static void fail_kind(struct ex *ex, uint32_t id)
{
    const struct in_inst *type = ex_definition(ex, ex_type_of(ex, id)->id);
    const uint32_t *w = type->operands;
    const char *array = type->operand_count > 3 && w[3] ? "_array" : "";
    char name[40] = "an image of this kind";
    if (type->operand_count > 4 && w[1] == SpvDimBuffer)
        snprintf(name, sizeof name, "image1d_buffer_t");
    else if (type->operand_count > 4 && w[1] == SpvDim2D)
        snprintf(name, sizeof name, "image2d%s%s%s_t", array, w[4] ? "_msaa" : "", w[2] == 1 ? "_depth" : "");
    ex->current = ex_definition(ex, id);
    ex_fail(ex, MM_LIMIT, "explore.image", "%s is not explored: pass the pixels in a buffer", name);
}

static enum in_image_kind kind_named(const char *name)
{
    static const char *const names[IN_IMAGE_KINDS] = {[IN_IMAGE_1D] = "1d",
                                                      [IN_IMAGE_1D_ARRAY] = "1d_array",
                                                      [IN_IMAGE_2D] = "2d",
                                                      [IN_IMAGE_2D_ARRAY] = "2d_array",
                                                      [IN_IMAGE_3D] = "3d"};
    uint32_t k = 0;
    while (k < IN_IMAGE_KINDS && (!names[k] || strcmp(names[k], name) != 0))
        k++;
    return (enum in_image_kind)k;
}

static const char *sampler_argument(struct ex_input *input, const struct spec *spec)
{
    static const char *const modes[] = {[IN_ADDRESS_NONE] = "none",
                                        [IN_ADDRESS_CLAMP_TO_EDGE] = "edge",
                                        [IN_ADDRESS_CLAMP] = "clamp",
                                        [IN_ADDRESS_REPEAT] = "repeat",
                                        [IN_ADDRESS_MIRRORED_REPEAT] = "mirror"};
    uint32_t mode = 0;
    while (mode < IN_ADDRESS_MIRRORED_REPEAT && strcmp(modes[mode], spec->addressing) != 0)
        mode++;
    input->sampler =
        mode << 2 | (uint32_t)spec->normalized << 1 | (spec->linear ? IN_FILTER_LINEAR : 0) | 1u << 31;
    return NULL;
}

const char *ex_image_argument(struct ex *ex, struct ex_input *input, struct spec *spec,
                              const struct in_ty **channel)
{
    const struct in_ty *t = ex_type_of(ex, input->id);
    struct spec_format format;
    if (t->opcode == SpvOpTypeSampler)
        return spec->kind == SPEC_SAMPLER ? sampler_argument(input, spec) : "the argument is a sampler";
    if (t->opcode != SpvOpTypeImage || spec->kind != SPEC_IMAGE)
        return t->opcode == SpvOpTypeImage ? "the argument is an image"
                                           : "the argument is no image or sampler";
    if (kind_of(ex, t) == IN_IMAGE_KINDS)
        fail_kind(ex, input->id);
    if (kind_of(ex, t) != kind_named(spec->image_kind))
        return "the argument is an image of another kind";
    if (!spec_format_read(spec->format, &format) || !in_image_format_valid(format.order, format.type))
        return "an image format is r, rg or rgba with 8, 16 or 32 bits and f, i, ui, s or nothing, or bgra8, bgra8s, bgra8i or bgra8ui";
    if (spec->levels > 1)
        return "exploring has no mipmapped images: leave the number of levels out, and read level 0";
    struct in_image d = {.kind = kind_of(ex, t),
                         .order = (enum in_channel_order)format.order,
                         .type = (enum in_channel_type)format.type,
                         .depth = 1,
                         .array_size = 1,
                         .levels = 1};
    uint64_t n[3] = {spec->size[0], spec->size[1] ? spec->size[1] : 1, spec->size[2] ? spec->size[2] : 1};
    if (n[0] > UINT16_MAX || n[1] > UINT16_MAX || n[2] > UINT16_MAX || n[0] == 0)
        return "exploring takes images of 1 to 65535 texels along each side";
    uint32_t sides = in_image_coordinate_count(d.kind);
    if ((sides < 3 && n[2] > 1) || (sides < 2 && n[1] > 1))
        return "the image has fewer sides";
    d.width = (uint32_t)n[0];
    d.height = d.kind == IN_IMAGE_1D_ARRAY ? 1 : (uint32_t)n[1];
    d.depth = d.kind == IN_IMAGE_3D ? (uint32_t)n[2] : 1;
    d.array_size = is_array_kind(d.kind) ? (uint32_t)n[sides - 1] : 1;
    *channel = ex_number_type(ex, &format.scalar);
    spec->kind = SPEC_BUFFER;
    spec->count = n[0] * n[1] * n[2] * format.channels;
    ex->build.images = ex_grow(ex, ex->build.images, ex->build.image_count, sizeof *ex->build.images);
    ex->build.images[ex->build.image_count++] =
        (struct ex_image){d, *channel, format.channels, format.scalar.kind == 'u', 0};
    input->image = ex->build.image_count;
    return NULL;
}

static struct ex_image *image_argument(struct ex *ex, uint32_t id)
{
    const struct ex_input *input = ex_input_of(ex, id);
    if (kind_of(ex, ex_type_of(ex, id)) == IN_IMAGE_KINDS)
        fail_kind(ex, id);
    if (!input || !input->image)
        ex_fail(
            ex, MM_INVALID, "explore.arguments",
            "the image %s is not described: give --arg image:KIND:SIZE:FORMAT, such as image:2d:4x4:rgba32ui",
            ex_id(ex, id)->name);
    return &ex->build.images[input->image - 1];
}

const struct in_ty *ex_image_channel(struct ex *ex, uint32_t id)
{
    return image_argument(ex, id)->channel;
}

void ex_image_object(struct ex *ex, uint32_t id, uint32_t object)
{
    image_argument(ex, id)->object = object;
}

struct ex_value ex_image_value(struct ex *ex, uint32_t id, const struct in_ty *t)
{
    struct ex_value v = ex_new_value(ex, t);
    const struct ex_input *input = ex_input_of(ex, id);
    if (t->opcode == SpvOpTypeSampler && (!input || !input->sampler))
        ex_fail(ex, MM_INVALID, "explore.arguments",
                "the sampler %s is not described: give --arg sampler:WORD, such as sampler:edge",
                ex_id(ex, id)->name);
    v.leaves[0] = ex_const(
        ex, t->opcode == SpvOpTypeSampler ? input->sampler : CK_OBJECT_BASE(image_argument(ex, id)->object),
        8);
    return v;
}

/* ---- operands ----------------------------------------------------------------------------------- */

_Noreturn void ex_image_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *what,
                                         const char *instead)
{
    ex_fail_unsupported(ex, inst, "explore.image", what, instead);
}

const struct ex_image *ex_image_of(struct ex *ex, const struct in_inst *inst, uint32_t *sampler)
{
    uint64_t bits = 0;
    bool known = ex_is_const(ex, ex_scalar(ex, inst->operands[0]), &bits);
    *sampler = (uint32_t)bits;
    for (uint32_t i = 0; known && i < ex->build.image_count; i++)
        if (CK_OBJECT_BASE(ex->build.images[i].object) >> 32 == bits >> 32)
            return &ex->build.images[i];
    ex_image_fail_unsupported(ex, inst, "on what is no argument of the kernel",
                              "pass the image to the functions that access it");
}

void ex_image_check_operands(struct ex *ex, const struct in_inst *inst, uint32_t at,
                             const struct ex_image *image)
{
    const uint32_t without = SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
                             SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |
                             SpvImageOperandsNontemporalMask;
    uint32_t mask = inst->operand_count > at ? inst->operands[at] : 0;
    enum in_image_class class = in_image_class(image->description.type);
    uint64_t level = 1;
    if (mask & ~(without | SpvImageOperandsLodMask))
        ex_image_fail_unsupported(ex, inst, "with bias, gradients, offsets or samples",
                                  "read the image without them");
    if ((mask & SpvImageOperandsLodMask) &&
        (inst->operand_count <= at + 1 || !ex_is_const(ex, ex_scalar(ex, inst->operands[at + 1]), &level) ||
         level != 0))
        ex_image_fail_unsupported(ex, inst, "of a level of detail", "read level 0");
    if ((mask & SpvImageOperandsSignExtendMask && class == IN_IMAGE_UNSIGNED) ||
        (mask & SpvImageOperandsZeroExtendMask && class == IN_IMAGE_SIGNED))
        ex_fail(ex, MM_INVALID, "CLC 6.15.15",
                "the sign of the texels is not that of the image's format: --arg image with another format");
}

void ex_image_check_texel(struct ex *ex, const struct in_inst *inst, const struct in_ty *t,
                          const struct ex_image *image)
{
    const struct in_ty *s = in_scalar(t);
    bool floats = in_image_class(image->description.type) == IN_IMAGE_FLOAT;
    if (t->kind != IN_TY_VECTOR || t->count != 4 || s->size != 4)
        ex_image_fail_unsupported(ex, inst, "of texels that are not four numbers of 32 bits",
                                  "use read_imagef, read_imagei or read_imageui");
    if (floats != (s->kind == IN_TY_FLOAT))
        ex_fail(ex, MM_INVALID, "CLC 6.15.15",
                "%s texels of an image whose format has %s: --arg image with another format",
                floats ? "integer" : "float", floats ? "floats" : "integers");
}

struct ex_texel ex_image_sides(const struct ex_image *image)
{
    const struct in_image *d = &image->description;
    struct ex_texel p = {.sides = in_image_coordinate_count(d->kind),
                         .extent = {d->width, d->height, d->depth}};
    if (is_array_kind(d->kind))
        p.extent[p.sides - 1] = d->array_size;
    return p;
}

struct ex_texel ex_image_coordinates(struct ex *ex, const struct in_inst *inst, const struct ex_image *image)
{
    const struct ex_value *v = ex_get(ex, inst->operands[1]);
    struct ex_texel p = ex_image_sides(image);
    if (in_scalar(v->type)->kind != IN_TY_INT || in_scalar(v->type)->size != 4)
        ex_image_fail_unsupported(ex, inst, "at coordinates that are not int",
                                  "use integer coordinates of 32 bits");
    if (v->count < p.sides)
        ex_fail(ex, MM_INVALID, "SPIRV 3.49.10", "an image has fewer coordinates than sides");
    for (uint32_t i = 0; i < p.sides; i++)
        p.at[i] = ex_hold(ex, v->leaves[i]);
    return p;
}

uint32_t ex_image_inside(struct ex *ex, const struct ex_texel *p)
{
    uint32_t all = ex_const(ex, 1, 1);
    for (uint32_t i = 0; i < p->sides; i++)
        all = ex_binary(ex, CK_AND, all, ex_binary(ex, CK_ULT, p->at[i], ex_const(ex, p->extent[i], 4)));
    return ex_hold(ex, all);
}

void ex_image_clamp(struct ex *ex, struct ex_texel *p, uint32_t i)
{
    uint32_t zero = ex_const(ex, 0, 4), last = ex_const(ex, p->extent[i] - 1, 4), c = p->at[i];
    c = ex_hold(ex, ex_select(ex, ex_binary(ex, CK_SLT, c, zero), zero, c));
    p->at[i] = ex_hold(ex, ex_select(ex, ex_binary(ex, CK_SLT, last, c), last, c));
}

/* Bytes from the beginning of the image to the texel at P, which is inside. */
static uint32_t offset_of(struct ex *ex, const struct ex_texel *p, uint64_t texel)
{
    uint32_t index = ex_resize(ex, p->at[p->sides - 1], 8, false);
    for (uint32_t i = p->sides - 1; i-- > 0;) {
        index = ex_binary(ex, CK_MUL, index, ex_const(ex, p->extent[i], 8));
        index = ex_binary(ex, CK_ADD, index, ex_resize(ex, p->at[i], 8, false));
    }
    return ex_hold(ex, ex_binary(ex, CK_MUL, index, ex_const(ex, texel, 8)));
}

/* ---- channels ----------------------------------------------------------------------------------- */

/* Which of red, green, blue and alpha channel I is. */
static uint32_t channel_component(const struct ex_image *image, uint32_t i)
{
    return image->description.order == IN_ORDER_BGRA && i < 3 ? 2 - i : i;
}

/* Conversions between the stored channel and the number in kernels; CONTEXT: the type of the channel. */
static uint64_t decode_channel(const void *context, const uint64_t *arguments)
{
    const enum in_channel_type *type = context;
    union in_texel texel;
    in_texel_decode(IN_ORDER_R, *type, arguments, &texel);
    return texel.u[0];
}

static uint64_t encode_channel(const void *context, const uint64_t *arguments)
{
    const enum in_channel_type *type = context;
    const union in_texel texel = {.u = {(uint32_t)arguments[0]}};
    uint64_t stored = 0;
    in_texel_encode(IN_ORDER_R, *type, &texel, &stored);
    return stored;
}

/* Converts a channel of floats that is not stored as float; BACK: from float. */
static uint32_t converted_channel(struct ex *ex, const struct ex_image *image, uint32_t value, bool back)
{
    static const enum in_channel_type types[] = {IN_CHANNEL_SNORM_INT8, IN_CHANNEL_SNORM_INT16,
                                                 IN_CHANNEL_UNORM_INT8, IN_CHANNEL_UNORM_INT16,
                                                 IN_CHANNEL_HALF_FLOAT};
    char name[40];
    size_t k = 0;
    while (k + 1 < sizeof types / sizeof *types && types[k] != image->description.type)
        k++;
    snprintf(name, sizeof name, "%s channel %d", back ? "encode" : "decode", (int)types[k]);
    const struct ck_function f = {mm_arena_strdup(ex->arena, name), &types[k],
                                  back ? encode_channel : decode_channel};
    return ex_apply(ex, &f, back ? (unsigned)image->channel->size : 4, 1, &value);
}

static uint32_t decoded_channel(struct ex *ex, const struct ex_image *image, uint32_t stored)
{
    enum in_image_class class = in_image_class(image->description.type);
    if (class == IN_IMAGE_FLOAT)
        return image->channel->size == 4 ? stored : converted_channel(ex, image, stored, false);
    return ex_resize(ex, stored, 4, class == IN_IMAGE_SIGNED);
}

/* Integers that do not fit become the nearest that does [CLC 8.3]. */
static uint32_t encoded_channel(struct ex *ex, const struct ex_image *image, uint32_t value)
{
    enum in_image_class class = in_image_class(image->description.type);
    unsigned size = (unsigned)image->channel->size;
    if (size == 4)
        return value;
    if (class == IN_IMAGE_FLOAT)
        return converted_channel(ex, image, value, true);
    bool has_sign = class == IN_IMAGE_SIGNED;
    enum ck_expr_op less = has_sign ? CK_SLT : CK_ULT;
    uint64_t most = (UINT64_C(1) << (8 * size - has_sign)) - 1;
    uint32_t high = ex_const(ex, most, 4), low = ex_const(ex, has_sign ? (uint32_t)~most : 0, 4);
    value = ex_hold(ex, ex_select(ex, ex_binary(ex, less, high, value), high, value));
    value = ex_hold(ex, ex_select(ex, ex_binary(ex, less, value, low), low, value));
    return ex_resize(ex, value, size, false);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static uint32_t channel_address(struct ex *ex, const struct ex_image *image, uint32_t offset, uint32_t i)
{
    uint32_t first = ex_const(ex, CK_OBJECT_BASE(image->object) + i * image->channel->size, 8);
    return ex_binary(ex, CK_ADD, first, offset);
}

void ex_image_read_texel(struct ex *ex, const struct ex_image *image, const struct ex_texel *p,
                         struct ex_value *out)
{
    uint32_t offset = offset_of(ex, p, image->channels * image->channel->size);
    const uint32_t one = in_image_class(image->description.type) == IN_IMAGE_FLOAT ? 0x3F800000 : 1;
    for (uint32_t i = image->channels; i < 4; i++) /* that the format lacks [CLC 8.3] */
        ex_assign_leaf(ex, out, i, ex_const(ex, i == 3 ? one : 0, 4));
    for (uint32_t i = 0; i < image->channels; i++) {
        struct ck_instr load =
            ex_load(ex, channel_address(ex, image, offset, i), (unsigned)image->channel->size);
        ex_emit(ex, load);
        ex_assign_leaf(ex, out, channel_component(image, i),
                       decoded_channel(ex, image, ex_reg_expr(ex, load.reg)));
    }
}

/* A read without a sampler outside of the image, or a write, is undefined [CLC 6.15.15.4]. */
void ex_image_fault_outside(struct ex *ex, const struct ex_texel *p)
{
    ex_fault_unless(ex, ex_image_inside(ex, p));
}

static void image_read(struct ex *ex, const struct in_inst *inst)
{
    uint32_t none;
    const struct ex_image *image = ex_image_of(ex, inst, &none);
    struct ex_value out = ex_new_registers(ex, ex_type(ex, inst->type));
    ex_image_check_texel(ex, inst, out.type, image);
    ex_image_check_operands(ex, inst, 2, image);
    const struct ex_texel p = ex_image_coordinates(ex, inst, image);
    ex_image_fault_outside(ex, &p);
    ex_image_read_texel(ex, image, &p, &out);
    ex_set(ex, inst->result, out);
}

static void image_write(struct ex *ex, const struct in_inst *inst)
{
    uint32_t none;
    const struct ex_image *image = ex_image_of(ex, inst, &none);
    const struct ex_value *texel = ex_get(ex, inst->operand_count > 2 ? inst->operands[2] : 0);
    ex_image_check_texel(ex, inst, texel->type, image);
    ex_image_check_operands(ex, inst, 3, image);
    const struct ex_texel p = ex_image_coordinates(ex, inst, image);
    ex_image_fault_outside(ex, &p);
    uint32_t offset = offset_of(ex, &p, image->channels * image->channel->size);
    for (uint32_t i = 0; i < image->channels; i++) {
        struct ck_instr store = ex_instr(CK_STORE);
        store.size = (uint8_t)image->channel->size;
        store.address = channel_address(ex, image, offset, i);
        store.value = ex_hold(ex, encoded_channel(ex, image, texel->leaves[channel_component(image, i)]));
        ex_emit(ex, store);
    }
}

static void sampled_image(struct ex *ex, const struct in_inst *inst)
{
    uint64_t sampler;
    struct ex_value out = ex_result(ex, inst);
    if (inst->operand_count < 2 || !ex_is_const(ex, ex_scalar(ex, inst->operands[1]), &sampler) ||
        sampler >> 32)
        ex_image_fail_unsupported(ex, inst, "with a sampler that is no constant or argument",
                                  "pass the sampler to the functions that use it");
    out.leaves[0] = ex_binary(ex, CK_OR, ex_scalar(ex, inst->operands[0]), ex_const(ex, sampler, 8));
    ex_set(ex, inst->result, out);
}

static void image_query(struct ex *ex, const struct in_inst *inst)
{
    uint32_t none;
    uint64_t level = 0;
    const struct in_image *d = &ex_image_of(ex, inst, &none)->description;
    uint64_t value[4] = {d->width, d->height, d->depth, 1};
    struct ex_value out = ex_result(ex, inst);
    if (is_array_kind(d->kind))
        value[in_image_coordinate_count(d->kind) - 1] = d->array_size;
    if (inst->opcode == SpvOpImageQuerySizeLod &&
        (inst->operand_count < 2 || !ex_is_const(ex, ex_scalar(ex, inst->operands[1]), &level) || level != 0))
        ex_image_fail_unsupported(ex, inst, "of a level of detail", "ask for the size of level 0");
    if (inst->opcode == SpvOpImageQueryFormat)
        value[0] = d->type;
    else if (inst->opcode == SpvOpImageQueryOrder)
        value[0] = d->order;
    else if (inst->opcode == SpvOpImageQueryLevels)
        value[0] = 1;
    for (uint32_t i = 0; i < out.count && i < 4; i++)
        out.leaves[i] = ex_const(ex, value[i], out.scalars[i].size);
    ex_set(ex, inst->result, out);
}

bool ex_image(struct ex *ex, const struct in_inst *inst)
{
    static const struct ex_handler handlers[] = {
        {SpvOpSampledImage, sampled_image},   {SpvOpImageSampleExplicitLod, ex_image_sample},
        {SpvOpImageRead, image_read},         {SpvOpImageWrite, image_write},
        {SpvOpImageQuerySize, image_query},   {SpvOpImageQuerySizeLod, image_query},
        {SpvOpImageQueryFormat, image_query}, {SpvOpImageQueryOrder, image_query},
        {SpvOpImageQueryLevels, image_query},
    };
    return !ex->module.vulkan && inst->operand_count > 0 &&
           ex_handle(ex, inst, handlers, sizeof handlers / sizeof *handlers);
}
