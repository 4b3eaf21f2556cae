/* Images: accesses with a short path in compiled code (bitcode/image.c), and queries. */
#include "interp/image/image.h"
#include "interp/jit/instrument/emit_checks.h"
#include <stdio.h>
#include <string.h>

/* A field of the image that IMAGE, an address of a struct in_handle, describes: the same for the whole
 * launch. */
static LLVMValueRef image_field(struct in_emit *e, LLVMValueRef image, LLVMTypeRef type, uint64_t offset)
{
    LLVMValueRef handle = LLVMBuildIntToPtr(e->b, image, e->ptr, "");
    return in_constant_load(e, type, in_offset(e, handle, offsetof(struct in_handle, image) + offset), 4);
}

/* Of a handle without an image, none. */
static LLVMValueRef image_kind(struct in_emit *e, LLVMValueRef image)
{
    uint64_t has_image = offsetof(struct in_handle, has_image) - offsetof(struct in_handle, image);
    LLVMValueRef none = LLVMConstInt(e->i8, 0, 0);
    LLVMValueRef there = LLVMBuildICmp(e->b, LLVMIntNE, image_field(e, image, e->i8, has_image), none, "");
    LLVMValueRef kind = image_field(e, image, e->i32, offsetof(struct in_image, kind));
    return LLVMBuildSelect(e->b, there, kind, LLVMConstInt(e->i32, IN_IMAGE_KINDS, 0), "");
}

enum { FIELDS = 10 };

/* As IMAGE of bitcode/image.c has them, of an image of the kind WANTED. */
static void image_fields(struct in_emit *e, LLVMValueRef image, enum in_image_kind wanted,
                         LLVMValueRef fields[FIELDS])
{
    enum {
        NONE = -1,
        ROW = offsetof(struct in_image, row_pitch),
        SLICE = offsetof(struct in_image, slice_pitch)
    };
    enum { HEIGHT = offsetof(struct in_image, height), DEPTH = offsetof(struct in_image, depth) };
    enum { LAYERS = offsetof(struct in_image, array_size) };
    static const struct {
        int pitch, slice, height, depth;
    } shapes[IN_IMAGE_KINDS] = {
        [IN_IMAGE_1D] = {NONE, NONE, NONE, NONE},           [IN_IMAGE_1D_BUFFER] = {NONE, NONE, NONE, NONE},
        [IN_IMAGE_1D_ARRAY] = {SLICE, NONE, LAYERS, NONE},  [IN_IMAGE_2D] = {ROW, NONE, HEIGHT, NONE},
        [IN_IMAGE_2D_ARRAY] = {ROW, SLICE, HEIGHT, LAYERS}, [IN_IMAGE_3D] = {ROW, SLICE, HEIGHT, DEPTH}};
    const struct {
        LLVMTypeRef type;
        int offset;
        uint64_t otherwise;
    } table[FIELDS] = {{e->ptr, offsetof(struct in_image, data), 0},
                       {e->i64, shapes[wanted].pitch, 0},
                       {e->i64, shapes[wanted].slice, 0},
                       {e->i32, NONE, 0},
                       {e->i32, offsetof(struct in_image, order), 0},
                       {e->i32, offsetof(struct in_image, type), 0},
                       {e->i32, offsetof(struct in_image, width), 0},
                       {e->i32, shapes[wanted].height, 1},
                       {e->i32, shapes[wanted].depth, 1},
                       {e->i32, NONE, wanted}};
    for (int k = 0; k < FIELDS; k++)
        fields[k] = table[k].offset == NONE ? LLVMConstInt(table[k].type, table[k].otherwise, 0)
                                            : image_field(e, image, table[k].type, (uint64_t)table[k].offset);
    fields[3] = image_kind(e, image);
}

/* ---- formats that the code is compiled for ------------------------------------------------ */

static unsigned format_mark(struct in_emit *e)
{
    return LLVMGetMDKindIDInContext(e->c, "in.format", strlen("in.format"));
}

void in_mark_image_format(struct in_emit *e, LLVMValueRef word, uint16_t format)
{
    LLVMValueRef value = LLVMConstInt(e->i32, format, 0);
    LLVMSetMetadata(word, format_mark(e), LLVMMDNodeInContext(e->c, &value, 1));
}

enum { ORDER_BITS = 5, TYPE_BITS = 5 };

uint16_t in_jit_image_format(const struct in_image *image)
{
    return (uint16_t)(1 + image->order + (image->type << ORDER_BITS) +
                      (image->kind << (ORDER_BITS + TYPE_BITS)));
}

/* The value of the field at OFFSET of the handle of an image of FORMAT; -1: not known. */
static int known_field(uint64_t offset, uint64_t format)
{
    switch (offset) {
    case offsetof(struct in_handle, has_image):
        return 1;
    case offsetof(struct in_handle, image) + offsetof(struct in_image, kind):
        return (int)((format - 1) >> (ORDER_BITS + TYPE_BITS));
    case offsetof(struct in_handle, image) + offsetof(struct in_image, order):
        return (int)((format - 1) & ((1 << ORDER_BITS) - 1));
    case offsetof(struct in_handle, image) + offsetof(struct in_image, type):
        return (int)((format - 1) >> ORDER_BITS & ((1 << TYPE_BITS) - 1));
    default:
        return -1;
    }
}

/* Of a handle's ADDRESS + OFFSET, as image_field() computes it. */
static void fix_loads(LLVMValueRef address, uint64_t offset, uint64_t format)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int value = known_field(offset, format);
        if (LLVMIsAIntToPtrInst(user))
            fix_loads(user, offset, format);
        else if (LLVMIsAGetElementPtrInst(user) && LLVMGetNumOperands(user) == 2 &&
                 LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            fix_loads(user, offset + LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)), format);
        else if (LLVMIsALoadInst(user) && value >= 0)
            LLVMReplaceAllUsesWith(user, LLVMConstInt(LLVMTypeOf(user), (unsigned)value, 0));
    }
}

void in_fix_image_formats(struct in_emit *e, LLVMValueRef item)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(item); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef mark = LLVMIsALoadInst(i) ? LLVMGetMetadata(i, format_mark(e)) : NULL, format;
            if (!mark)
                continue;
            LLVMGetMDNodeOperands(mark, &format);
            fix_loads(i, 0, LLVMConstIntGetZExtValue(format));
        }
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* Numbers of 32 bits. */
static bool is_number(const struct in_ty *s, enum in_ty_kind kind)
{
    return s->kind == kind && s->size == 4;
}

/* Four channels, or the one of a depth image. */
static bool is_texel(const struct in_ty *ty)
{
    const struct in_ty *s = in_scalar(ty);
    bool halves = s->kind == IN_TY_FLOAT && s->size == 2;
    return in_count(ty) == 4 ? halves || is_number(s, IN_TY_FLOAT) || is_number(s, IN_TY_INT)
                             : in_count(ty) == 1 && (halves || is_number(s, IN_TY_FLOAT));
}

/* Puts VALUE, of type TY, into the texel at TEXEL. */
static void texel_from_value(struct in_emit *e, const struct in_ty *ty, LLVMValueRef value,
                             LLVMValueRef texel)
{
    const struct in_ty *s = in_scalar(ty);
    LLVMValueRef wide = s->size == 2 ? in_half_out(e, value) : value;
    LLVMBuildStore(e->b, LLVMConstNull(LLVMVectorType(e->i32, 4)), texel);
    LLVMSetAlignment(LLVMBuildStore(e->b, wide, texel), 16);
}

/* And back. */
static LLVMValueRef value_from_texel(struct in_emit *e, const struct in_ty *ty, LLVMValueRef texel)
{
    const struct in_ty *s = in_scalar(ty);
    LLVMTypeRef number = s->kind == IN_TY_FLOAT ? e->f32 : e->i32;
    LLVMValueRef wide =
        LLVMBuildLoad2(e->b, in_count(ty) == 1 ? number : LLVMVectorType(number, in_count(ty)), texel, "");
    LLVMSetAlignment(wide, 16);
    return s->size == 2 ? in_half_in(e, wide) : wide;
}

/* Whether I names a level of a mipmapped image that may be another one than level 0; BASE: how many operands
 * come before its image operands. */
static bool names_level(struct in_emit *e, const struct in_inst *i, uint32_t base)
{
    const uint32_t level = SpvImageOperandsLodMask | SpvImageOperandsGradMask;
    if (i->operand_count <= base + 1 || !(i->operands[base] & level))
        return false;
    LLVMValueRef lod = in_value(e, i->operands[base + 1]);
    return (i->operands[base] & SpvImageOperandsGradMask) || !LLVMIsConstant(lod) || !LLVMIsNull(lod);
}

/* The kind of the image, or sampled image, ID; IN_IMAGE_KINDS: unknown. */
static enum in_image_kind accessed_kind(struct in_emit *e, uint32_t id)
{
    const struct in_ty *ty = in_emit_ty(e, id);
    struct in_inst type;
    if (ty->opcode != SpvOpTypeImage && ty->opcode != SpvOpTypeSampledImage)
        return IN_IMAGE_KINDS;
    in_inst_at(e->m, e->m->ids[ty->id].word, &type);
    if (ty->opcode == SpvOpTypeSampledImage)
        in_inst_at(e->m, e->m->ids[type.operands[0]].word, &type);
    return in_image_type_kind(&type);
}

/* The short path for I, or NULL. */
static const char *short_path(struct in_emit *e, const struct in_inst *i)
{
    if (i->operand_count < 2 || names_level(e, i, i->opcode == SpvOpImageWrite ? 3 : 2))
        return NULL;
    enum in_image_kind kind = accessed_kind(e, i->operands[0]);
    const struct in_ty *at = in_emit_ty(e, i->operands[1]);
    if (kind == IN_IMAGE_KINDS || in_count(at) < in_image_coordinate_count(kind))
        return NULL;
    bool floats = is_number(in_scalar(at), IN_TY_FLOAT), integers = is_number(in_scalar(at), IN_TY_INT);
    switch (i->opcode) {
    case SpvOpImageWrite:
        return integers && i->operand_count > 2 && is_texel(in_emit_ty(e, i->operands[2]))
                   ? "in_jit_image_write"
                   : NULL;
    case SpvOpImageRead:
        return integers && is_texel(in_emit_ty(e, i->result)) ? "in_jit_image_read" : NULL;
    case SpvOpImageSampleExplicitLod:
        if (!is_texel(in_emit_ty(e, i->result)))
            return NULL;
        return floats ? "in_jit_image_sample" : integers ? "in_jit_image_sample_int" : NULL;
    default:
        return NULL;
    }
}

/* Where in FRAME the value ID is. */
static LLVMValueRef slot_of(struct in_emit *e, const struct in_jit_call *call, LLVMValueRef frame,
                            uint32_t id)
{
    for (uint32_t k = 0; k < call->count; k++)
        if (e->calls->slots[call->first + k].id == id)
            return in_offset(e, frame, (uint64_t)e->calls->slots[call->first + k].slot);
    return NULL;
}

/* Appends what the short path for I has after the arguments of a callout: the image, coordinates, TEXEL, the
 * sampler. */
static uint32_t access_arguments(struct in_emit *e, const struct in_inst *i, LLVMValueRef image,
                                 LLVMValueRef texel, LLVMValueRef *arguments, uint32_t n)
{
    LLVMValueRef coordinates = in_value(e, i->operands[1]);
    const struct in_ty *ty = in_emit_ty(e, i->operands[1]);
    enum in_image_kind kind = accessed_kind(e, i->operands[0]);
    LLVMTypeRef number = in_type(e, in_scalar(ty));
    image_fields(e, image, kind, arguments + n);
    n += FIELDS;
    for (uint32_t k = 0; k < 3; k++)
        arguments[n++] =
            k < in_image_coordinate_count(kind) ? in_get(e, coordinates, ty, k) : LLVMConstNull(number);
    arguments[n++] = texel;
    return n;
}

/* The image that I accesses; *SAMPLER: what it is sampled with, else NULL. */
static LLVMValueRef accessed_image(struct in_emit *e, const struct in_inst *i, LLVMValueRef *sampler)
{
    LLVMValueRef image = in_value(e, i->operands[0]);
    struct in_inst pair;
    *sampler = NULL;
    if (i->opcode != SpvOpImageSampleExplicitLod)
        return image;
    in_inst_at(e->m, e->m->ids[i->operands[0]].word, &pair);
    if (pair.opcode == SpvOpSampledImage) {
        *sampler = in_value(e, pair.operands[1]);
        return in_value(e, pair.operands[0]);
    }
    LLVMValueRef bits = LLVMConstInt(LLVMTypeOf(image), 64, 0);
    *sampler = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, image, bits, ""), e->i64, "");
    return LLVMBuildTrunc(e->b, image, e->i64, "");
}

bool in_inline_image_access(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call,
                            LLVMValueRef *callout, uint32_t count)
{
    const char *helper = short_path(e, i);
    bool writes = i->opcode == SpvOpImageWrite;
    LLVMValueRef arguments[32], sampler, frame = callout[2];
    LLVMValueRef slot = helper ? slot_of(e, call, frame, writes ? i->operands[2] : i->result) : NULL;
    if (!slot)
        return false;
    const struct in_ty *ty = in_emit_ty(e, writes ? i->operands[2] : i->result);
    LLVMValueRef image = accessed_image(e, i, &sampler), texel = in_alloca(e, 16, 16);
    if (writes)
        texel_from_value(e, ty, in_value(e, i->operands[2]), texel);
    for (uint32_t k = 0; k < count; k++)
        arguments[k] = callout[k];
    uint32_t n = access_arguments(e, i, image, texel, arguments, count);
    if (sampler)
        arguments[n++] = sampler;
    LLVMValueRef made = in_helper_call(e, helper, arguments, n);
    if (writes || e->failure.failed)
        return true;
    LLVMValueRef left = in_load(e, ty, slot, ty->align < 8 ? ty->align : 8, SpvStorageClassFunction, false);
    in_define(e, i, LLVMBuildSelect(e->b, made, value_from_texel(e, ty, texel), left, ""));
    return true;
}

bool in_checked_image_access(struct in_emit *e, const struct in_inst *i)
{
    char name[48];
    const char *helper = short_path(e, i);
    bool writes = i->opcode == SpvOpImageWrite;
    if (!helper)
        return false;
    const struct in_ty *ty = in_emit_ty(e, writes ? i->operands[2] : i->result);
    LLVMValueRef arguments[32], sampler, image = accessed_image(e, i, &sampler), texel = in_alloca(e, 16, 16);
    if (writes)
        texel_from_value(e, ty, in_value(e, i->operands[2]), texel);
    else
        LLVMBuildStore(e->b, LLVMConstNull(LLVMVectorType(e->i32, 4)), texel);
    snprintf(name, sizeof name, "%s_checked", helper);
    in_check_texels(e);
    arguments[0] = image;
    arguments[1] = LLVMConstInt(e->i1, in_element(ty)->kind == IN_TY_FLOAT, 0);
    uint32_t n = access_arguments(e, i, image, texel, arguments, 2);
    if (sampler)
        arguments[n++] = sampler;
    in_helper_call(e, name, arguments, n);
    if (!writes)
        in_define(e, i, value_from_texel(e, ty, texel));
    return true;
}

/* ---- queries ----------------------------------------------------------------------------- */

/* SIZE, or the number of layers where KIND has that many coordinates before. */
static LLVMValueRef image_extent(struct in_emit *e, LLVMValueRef image, uint64_t offset,
                                 enum in_image_kind array)
{
    LLVMValueRef kind = image_field(e, image, e->i32, offsetof(struct in_image, kind));
    LLVMValueRef is_array =
        LLVMBuildICmp(e->b, LLVMIntEQ, kind, LLVMConstInt(e->i32, (uint64_t)array, 0), "");
    return LLVMBuildSelect(e->b, is_array,
                           image_field(e, image, e->i32, offsetof(struct in_image, array_size)),
                           image_field(e, image, e->i32, offset), "");
}

bool in_inline_image_query(struct in_emit *e, const struct in_inst *i)
{
    if (i->opcode != SpvOpImageQuerySizeLod && i->opcode != SpvOpImageQuerySize)
        return false;
    const struct in_ty *ty = in_emit_ty(e, i->result), *s = ty->kind == IN_TY_VECTOR ? ty->element : ty;
    LLVMValueRef image = in_value(e, i->operands[0]);
    uint32_t count = in_elements(ty);
    if (s->kind != IN_TY_INT || (s->size != 4 && s->size != 8) || count > 3 || LLVMTypeOf(image) != e->i64)
        return false;
    LLVMValueRef lod = i->operand_count > 1 ? in_value(e, i->operands[1]) : NULL;
    if (lod && (!LLVMIsConstant(lod) || !LLVMIsNull(lod)))
        return false;
    LLVMValueRef sizes[3] = {image_field(e, image, e->i32, offsetof(struct in_image, width)),
                             image_extent(e, image, offsetof(struct in_image, height), IN_IMAGE_1D_ARRAY),
                             image_extent(e, image, offsetof(struct in_image, depth), IN_IMAGE_2D_ARRAY)};
    LLVMValueRef r = LLVMGetUndef(in_type(e, ty));
    for (uint32_t k = 0; k < count; k++) {
        LLVMValueRef v = s->size == 8 ? LLVMBuildZExt(e->b, sizes[k], e->i64, "") : sizes[k];
        r = count == 1 ? v : in_put(e, r, ty, v, k);
    }
    in_define(e, i, r);
    return true;
}
