/* Images and samplers in kernels: reads, writes and queries. [SPIRV 3.49.10], [CLC 6.15.15]. An image,
 * sampler or pipe in a register is the address of the launch's struct in_handle; a sampled image is a pair of
 * them; a literal sampler is its own value, marked by bit 31 (module/constant.c). */
#include "interp/ext/convert.h"
#include "interp/lower/lower.h"
#include "interp/weak/weak.h"
#include <string.h>

static uint64_t handle_bits(const struct in_item *item, int32_t slot, uint32_t at)
{
    uint64_t v;
    memcpy(&v, item->frame + slot + 8 * at, sizeof v);
    return v;
}

static const struct in_handle *find_handle(const struct in_handle *list, uint64_t count, uint64_t bits)
{
    uint64_t offset = bits - (uint64_t)(uintptr_t)list;
    return list && offset < count * sizeof *list && offset % sizeof *list == 0 ? &list[offset / sizeof *list]
                                                                               : NULL;
}

const struct in_handle *in_handle_of(const struct in_run *run, uint64_t bits)
{
    const struct in_handle *h = find_handle(run->instance->storages, run->instance->storage_count, bits);
    for (; !h && run; run = run->launch.parent)
        h = find_handle(run->handles, run->info->argument_count, bits);
    return h;
}

static const struct in_handle *image_of(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                        const struct in_call *c)
{
    const struct in_handle *h = in_handle_of(run, handle_bits(item, c->operand[0], 0));
    if (h && h->has_image)
        return h;
    in_raise(run, item, pc, "invalid-image", "CLC 6.15.15", "the image is not an image object");
    run->outcome.stopped = true;
    return NULL;
}

static bool sampler_of(struct in_run *run, uint64_t bits, struct in_sampler *sampler)
{
    const struct in_handle *h = in_handle_of(run, bits);
    if (h && h->has_sampler) {
        *sampler = h->sampler;
        return true;
    }
    if ((bits & 1u << 31) == 0 || bits >> 32 != 0)
        return false;
    sampler->addressing = (enum in_addressing)(bits >> 2 & 7);
    sampler->normalized = bits >> 1 & 1;
    sampler->filter = (enum in_filter)(bits & 1);
    sampler->has_mip = false;
    return sampler->addressing <= IN_ADDRESS_MIRRORED_REPEAT;
}

/* Integers of operand AT, of any width, held within 32 bits. */
static void int_operand(const struct in_item *item, const struct in_call *c, uint32_t at, int32_t to[4])
{
    const struct in_ty *ty = c->types[at], *s = in_scalar(ty);
    for (uint32_t k = 0; k < 4; k++) {
        int64_t v = 0;
        if (k < in_count(ty)) {
            memcpy(&v, item->frame + c->operand[at] + k * s->size, s->size);
            v = (int64_t)((uint64_t)v << (64 - 8 * s->size)) >> (64 - 8 * s->size);
        }
        to[k] = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
    }
}

static void float_operand(const struct in_item *item, const struct in_call *c, uint32_t at, float to[4])
{
    const struct in_ty *ty = c->types[at], *s = in_scalar(ty);
    for (uint32_t k = 0; k < 4; k++) {
        const uint8_t *from = item->frame + c->operand[at] + k * s->size;
        double d = 0;
        to[k] = 0;
        if (k >= in_count(ty))
            continue;
        if (s->size == 2) {
            uint16_t h;
            memcpy(&h, from, sizeof h);
            to[k] = in_half_to_f32(h);
        } else if (s->size == 4) {
            memcpy(&to[k], from, sizeof *to);
        } else {
            memcpy(&d, from, sizeof d);
            to[k] = (float)d;
        }
    }
}

/* Operand AT of an access without a sampler: its level of detail. */
static int32_t level_operand(const struct in_item *item, const struct in_call *c, uint32_t at)
{
    int32_t level[4] = {0};
    if ((c->literal & SpvImageOperandsLodMask) && at < c->operand_count)
        int_operand(item, c, at, level);
    return level[0];
}

static struct in_range image_range(const struct in_handle *h)
{
    return (struct in_range){h->object, h->object ? h->object->address : 0, 0};
}

/* Reports that the image of H has no level LEVEL [CLC 6.15.15.4]. */
static void report_level(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_handle *h, int32_t level)
{
    if (run->launch.checks)
        in_raise_at(run, item, pc, "out-of-bounds", "CLC 6.15.15", image_range(h),
                    "access to level %d of image %s of %u level%s", level,
                    h->object && h->object->name ? h->object->name : "", in_image_levels(&h->image),
                    in_image_levels(&h->image) == 1 ? "" : "s");
}

/* The level of detail of a read with a sampler. */
static void lod_operand(const struct in_item *item, const struct in_call *c, struct in_lod *lod)
{
    float v[4] = {0};
    *lod = (struct in_lod){.gradients = c->literal & SpvImageOperandsGradMask};
    if (lod->gradients && c->operand_count > 3) {
        float_operand(item, c, 2, v);
        memcpy(lod->dx, v, sizeof lod->dx);
        float_operand(item, c, 3, v);
        memcpy(lod->dy, v, sizeof lod->dy);
    } else if (c->operand_count > 2) {
        float_operand(item, c, 2, v);
        lod->lod = v[0];
    }
}

static void record_texels(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                          const struct in_handle *h, const struct in_image_touched *touched, bool write)
{
    if (!run->full || !h->object)
        return;
    run->switch_budget -= touched->count;
    for (uint32_t k = 0; run->launch.recorder && k < touched->count; k++) {
        const uint8_t *m = (const uint8_t *)h->image.data + touched->offset[k];
        in_record_access(run, item, pc, &(struct in_range){h->object, (uint64_t)(uintptr_t)m, touched->size},
                         write ? MM_WRITE : MM_READ, m,
                         h->object->region == MM_IMAGE ? 0 : (uint32_t)MM_THROUGH_IMAGE << 16);
        if (run->launch.oracle)
            in_weak_recorded(run);
    }
}

/* Guided execution: gives texels to be read the values that the oracle determines, or passes written texels
 * to the oracle.  False without an oracle. */
static bool guide_access(struct in_run *run, struct in_item *item, const struct in_handle *h,
                         const struct in_image_touched *touched, bool write)
{
    if (!run->launch.oracle || !h->object)
        return false;
    for (uint32_t k = 0; k < touched->count; k++) {
        uint8_t *m = (uint8_t *)h->image.data + touched->offset[k];
        uint64_t address = (uint64_t)(uintptr_t)m;
        if (write)
            in_oracle_wrote(run, item, h->object, address, touched->size, m);
        else
            memcpy(m, in_oracle_read(run, item, h->object, address, touched->size), touched->size);
    }
    return true;
}

/* Reports coordinates outside of I, the image of H or one of its levels. */
static void report_outside(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                           const struct in_handle *h, const struct in_image *i, const int32_t *at, bool write)
{
    if (run->launch.checks)
        in_raise_at(run, item, pc, "out-of-bounds", "CLC 6.15.15", image_range(h),
                    "%s at (%d, %d, %d) of image %s of %u x %u x %u texels, %u layers",
                    write ? "write" : "read", at[0], at[1], at[2],
                    h->object && h->object->name ? h->object->name : "", i->width, i->height, i->depth,
                    i->array_size);
}

/* read_imagei on a float format, and similar mismatches, give undefined values [CLC 6.15.15.2]. */
static void check_class(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_handle *h, const struct in_ty *texel)
{
    bool floats = in_image_class(h->image.type) == IN_IMAGE_FLOAT;
    if (run->launch.checks && floats != (in_scalar(texel)->kind == IN_TY_FLOAT))
        in_raise_at(run, item, pc, "image-format", "CLC 6.15.15", image_range(h),
                    "%s texels of an image whose format has %s", floats ? "integer" : "float",
                    floats ? "floats" : "integers");
}

/* Texel to register: a vector of four, or the one component of a depth image. */
static void put_texel(struct in_item *item, const struct in_call *c, const union in_texel *texel)
{
    const struct in_ty *s = in_scalar(c->ty);
    uint8_t *to = item->frame + c->result;
    for (uint32_t k = 0; k < in_count(c->ty) && k < 4; k++) {
        uint16_t half = s->kind == IN_TY_FLOAT && s->size == 2 ? in_half_from_f64((double)texel->f[k]) : 0;
        uint64_t wide = (uint64_t)texel->u[k];
        const void *from = s->kind == IN_TY_FLOAT && s->size == 2 ? (const void *)&half : &wide;
        memcpy(to + k * s->size, from, s->size);
    }
}

/* Levels are sampled with normalized coordinates [CLC 6.15.15.2]. */
static void check_normalized(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                             const struct in_handle *h, const struct in_sampler *sampler,
                             const struct in_lod *lod)
{
    bool level_0 = !lod->gradients && lod->lod == 0;
    if (run->launch.checks && in_image_levels(&h->image) > 1 && !sampler->normalized && !level_0)
        in_raise_at(run, item, pc, "invalid-sampler", "CLC 6.15.15", image_range(h),
                    "a level of a mipmapped image is read with a sampler of unnormalized coordinates");
}

/* A read with a sampler. */
struct sampling {
    const struct in_handle *h;
    struct in_sampler sampler;
    union in_texel texel;
    struct in_image_touched touched;
    int32_t at[4]; /* integer coordinates, for messages */
};

/* Sets texel, touched and at of S. */
static void sample_image(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c, struct sampling *s)
{
    const struct in_image *image = &s->h->image;
    if (in_scalar(c->types[1])->kind == IN_TY_FLOAT) {
        float f[4];
        struct in_lod lod;
        float_operand(item, c, 1, f);
        lod_operand(item, c, &lod);
        check_normalized(run, item, pc, s->h, &s->sampler, &lod);
        for (int k = 0; k < 4; k++)
            s->at[k] = f[k] > -1e9f && f[k] < 1e9f ? (int32_t)f[k] : 0;
        if (in_image_levels(image) > 1)
            in_image_sample_lod(image, &s->sampler, f, &lod, &s->texel, &s->touched);
        else
            in_image_sample(image, &s->sampler, f, &s->texel, &s->touched);
    } else {
        int_operand(item, c, 1, s->at);
        in_image_sample_int(image, &s->sampler, s->at, &s->texel, &s->touched);
    }
}

static bool run_sample(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    struct sampling s = {.h = image_of(run, item, pc, c)};
    if (!s.h)
        return !run->outcome.stopped;
    if (!sampler_of(run, handle_bits(item, c->operand[0], 1), &s.sampler)) {
        in_raise(run, item, pc, "invalid-sampler", "CLC 6.15.15.1", "the sampler is not a sampler object");
        run->outcome.stopped = true;
        return false;
    }
    check_class(run, item, pc, s.h, c->ty);
    sample_image(run, item, pc, c, &s);
    if (guide_access(run, item, s.h, &s.touched, false))
        sample_image(run, item, pc, c, &s);
    if (s.touched.count == 0 && s.sampler.addressing == IN_ADDRESS_NONE)
        report_outside(run, item, pc, s.h, &s.h->image, s.at, false);
    record_texels(run, item, pc, s.h, &s.touched, false);
    put_texel(item, c, &s.texel);
    return !run->outcome.stopped;
}

/* One texel at integer coordinates, of the type TY: from the image to TEXEL, or the other way. */
static bool access_texel(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                         const struct in_call *c, const struct in_ty *ty, bool write, union in_texel *texel)
{
    const struct in_handle *h = image_of(run, item, pc, c);
    struct in_image_touched touched = {0};
    struct in_image level;
    uint64_t offset;
    int32_t at[4];
    if (!h)
        return false;
    int_operand(item, c, 1, at);
    check_class(run, item, pc, h, ty);
    int32_t number = level_operand(item, c, write ? 3 : 2);
    if (!in_image_level(&h->image, number, &level, &offset)) {
        report_level(run, item, pc, h, number);
        return true;
    }
    bool inside =
        write ? in_image_write(&level, at, texel, &touched) : in_image_read(&level, at, texel, &touched);
    if (!inside)
        report_outside(run, item, pc, h, &level, at, write);
    for (uint32_t k = 0; k < touched.count; k++)
        touched.offset[k] += offset;
    if (guide_access(run, item, h, &touched, write) && !write)
        in_image_read(&level, at, texel, NULL);
    record_texels(run, item, pc, h, &touched, write);
    return true;
}

static bool run_read(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                     const struct in_call *c)
{
    union in_texel texel = {{0}};
    if (access_texel(run, item, pc, c, c->ty, false, &texel))
        put_texel(item, c, &texel);
    return !run->outcome.stopped;
}

static bool run_write(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_call *c)
{
    union in_texel texel = {{0}};
    const struct in_ty *ty = c->types[2], *s = in_scalar(ty);
    for (uint32_t k = 0; k < in_count(ty) && k < 4; k++) {
        uint64_t v = 0;
        memcpy(&v, item->frame + c->operand[2] + k * s->size, s->size);
        if (s->kind == IN_TY_FLOAT && s->size == 2)
            texel.f[k] = in_half_to_f32((uint16_t)v);
        else
            texel.u[k] = (uint32_t)v;
    }
    access_texel(run, item, pc, c, ty, true, &texel);
    return !run->outcome.stopped;
}

static bool run_query(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_call *c)
{
    const struct in_handle *h = image_of(run, item, pc, c);
    uint64_t value[4] = {0, 1, 1, 1}, offset;
    if (h) {
        int32_t lod[4] = {0};
        struct in_image level;
        if (c->opcode == SpvOpImageQuerySizeLod && c->operand_count > 1)
            int_operand(item, c, 1, lod);
        if (!in_image_level(&h->image, lod[0], &level, &offset))
            in_image_level(&h->image, 0, &level, &offset);
        const struct in_image *i = &level;
        bool array = i->kind == IN_IMAGE_1D_ARRAY || i->kind == IN_IMAGE_2D_ARRAY;
        uint32_t layers = in_image_coordinate_count(i->kind) - 1;
        value[0] = i->width;
        value[1] = i->height;
        value[2] = i->depth;
        if (array)
            value[layers] = i->array_size;
        if (c->opcode == SpvOpImageQueryFormat)
            value[0] = i->type;
        else if (c->opcode == SpvOpImageQueryOrder)
            value[0] = i->order;
        else if (c->opcode == SpvOpImageQueryLevels)
            value[0] = in_image_levels(&h->image);
        else if (c->opcode == SpvOpImageQuerySamples)
            value[0] = 1;
    }
    const struct in_ty *s = in_scalar(c->ty);
    for (uint32_t k = 0; k < in_count(c->ty) && k < 4; k++)
        memcpy(item->frame + c->result + k * s->size, &value[k], s->size);
    return !run->outcome.stopped;
}

/* ---- lowering ---------------------------------------------------------------------------- */

enum mm_class in_lower_sampled_image(struct in_lower *l, const struct in_inst *i)
{
    if (in_ty_of(l, i->result)->size != 16 || in_ty_of(l, i->result)->kind != IN_TY_OPAQUE)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.10", "OpSampledImage of another type");
    int32_t image = in_slot(l, i->operands[0]), sampler = in_slot(l, i->operands[1]), to = in_dest(l, i);
    in_copy(l, to, image, 8);
    in_copy(l, to + 8, sampler, 8);
    return l->result;
}

static bool is_number(const struct in_ty *ty)
{
    const struct in_ty *s = in_scalar(ty);
    return (s->kind == IN_TY_INT || s->kind == IN_TY_FLOAT) && s->size <= 8;
}

/* Lowers an access; coordinates, texels, levels of detail and results are numbers or vectors of these. */
static enum mm_class lower_access(struct in_lower *l, const struct in_inst *i, in_call_fn fn)
{
    bool fits = i->operand_count >= 1 && in_ty_of(l, i->operands[0])->kind == IN_TY_OPAQUE &&
                (i->result == 0 || is_number(in_ty_of(l, i->result)));
    bool placed = fn == run_sample || fn == run_read || fn == run_write;
    uint32_t numbers = fn == run_write ? 3 : placed ? 2 : 1;
    fits = fits && i->operand_count >= numbers;
    for (uint32_t k = 1; k < i->operand_count && fits; k++)
        fits = (k >= numbers && !l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k]) ||
               is_number(in_ty_of(l, i->operands[k]));
    if (fn == run_sample && fits)
        fits = in_ty_of(l, i->operands[0])->size == 16;
    return fits ? in_call_c(l, i, fn)
                : in_bad(l->m, i->word, l->err, "SPIRV 3.49.10", "%s: operands do not match",
                         in_opcode_name(i->opcode));
}

enum mm_class in_lower_image_sample(struct in_lower *l, const struct in_inst *i)
{
    return lower_access(l, i, run_sample);
}

enum mm_class in_lower_image_read(struct in_lower *l, const struct in_inst *i)
{
    return lower_access(l, i, run_read);
}

enum mm_class in_lower_image_write(struct in_lower *l, const struct in_inst *i)
{
    return lower_access(l, i, run_write);
}

enum mm_class in_lower_image_query(struct in_lower *l, const struct in_inst *i)
{
    return lower_access(l, i, run_query);
}
