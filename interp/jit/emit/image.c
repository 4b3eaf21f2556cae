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

enum { FIELDS = 7 };

static void image_fields(struct in_emit *e, LLVMValueRef image, LLVMValueRef fields[FIELDS])
{
    const struct {
        LLVMTypeRef type;
        uint64_t offset;
    } table[FIELDS] = {
        {e->ptr, offsetof(struct in_image, data)},  {e->i64, offsetof(struct in_image, row_pitch)},
        {e->i32, offsetof(struct in_image, kind)},  {e->i32, offsetof(struct in_image, order)},
        {e->i32, offsetof(struct in_image, type)},  {e->i32, offsetof(struct in_image, width)},
        {e->i32, offsetof(struct in_image, height)}};
    for (int k = 0; k < FIELDS; k++)
        fields[k] = image_field(e, image, table[k].type, table[k].offset);
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

/* The value of the field at OFFSET of the handle of a 2D image of FORMAT; -1: not known. */
static int known_field(uint64_t offset, uint64_t format)
{
    switch (offset - offsetof(struct in_handle, image)) {
    case offsetof(struct in_image, kind):
        return IN_IMAGE_2D;
    case offsetof(struct in_image, order):
        return (int)((format - 1) & 255);
    case offsetof(struct in_image, type):
        return (int)((format - 1) >> 8);
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

static bool is_vector(const struct in_ty *ty, uint32_t count, bool of_floats)
{
    const struct in_ty *s = ty->kind == IN_TY_VECTOR ? ty->element : ty;
    return ty->kind == IN_TY_VECTOR && in_elements(ty) == count && s->size == 4 &&
           s->kind == (of_floats ? IN_TY_FLOAT : IN_TY_INT);
}

static bool is_texel(const struct in_ty *ty)
{
    return is_vector(ty, 4, true) || is_vector(ty, 4, false);
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

/* The short path for I, or NULL. */
static const char *short_path(struct in_emit *e, const struct in_inst *i)
{
    if (i->operand_count < 2 || names_level(e, i, i->opcode == SpvOpImageWrite ? 3 : 2))
        return NULL;
    bool floats = is_vector(in_emit_ty(e, i->operands[1]), 2, true);
    bool integers = is_vector(in_emit_ty(e, i->operands[1]), 2, false);
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
    image_fields(e, image, arguments + n);
    n += FIELDS;
    arguments[n++] = in_get(e, coordinates, ty, 0);
    arguments[n++] = in_get(e, coordinates, ty, 1);
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
    LLVMValueRef arguments[24], sampler, frame = callout[2];
    LLVMValueRef texel =
        helper ? slot_of(e, call, frame, i->opcode == SpvOpImageWrite ? i->operands[2] : i->result) : NULL;
    if (!texel)
        return false;
    LLVMValueRef image = accessed_image(e, i, &sampler);
    for (uint32_t k = 0; k < count; k++)
        arguments[k] = callout[k];
    uint32_t n = access_arguments(e, i, image, texel, arguments, count);
    if (sampler)
        arguments[n++] = sampler;
    in_helper_call(e, helper, arguments, n);
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
    LLVMValueRef arguments[24], sampler, image = accessed_image(e, i, &sampler), texel = in_alloca(e, 16, 16);
    if (writes)
        in_store(e, ty, in_value(e, i->operands[2]), texel, 16, SpvStorageClassFunction, false);
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
        in_define(e, i, in_load(e, ty, texel, 16, SpvStorageClassFunction, false));
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
