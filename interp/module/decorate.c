/* Decorations, names and groups of decorations. [SPIRV 3.20, 3.49.3]. */
#include "module.h"
#include <string.h>

static void decorate_id(struct in_module *m, struct in_id *id, const uint32_t *w, uint32_t count)
{
    switch (w[0]) {
    case SpvDecorationSpecId:
        id->spec_id = count > 1 ? w[1] : IN_UNDECORATED;
        break;
    case SpvDecorationArrayStride:
        id->array_stride = count > 1 ? w[1] : 0;
        break;
    case SpvDecorationDescriptorSet:
        id->set = count > 1 ? w[1] : IN_UNDECORATED;
        break;
    case SpvDecorationBinding:
        id->binding = count > 1 ? w[1] : IN_UNDECORATED;
        break;
    case SpvDecorationNoSignedWrap:
        id->no_signed_wrap = true;
        break;
    case SpvDecorationNoUnsignedWrap:
        id->no_unsigned_wrap = true;
        break;
    case SpvDecorationBuiltIn:
        id->builtin = count > 1 ? (int32_t)w[1] : IN_NO_BUILTIN;
        break;
    case SpvDecorationAlignment:
        id->alignment = count > 1 ? w[1] : 0;
        break;
    case SpvDecorationFuncParamAttr:
        id->attributes |= count > 1 && w[1] < 32 ? 1u << w[1] : 0;
        break;
    case SpvDecorationLinkageAttributes:
        id->linkage = mm_arena_strdup(m->arena, (const char *)(w + 1));
        if (!id->linkage)
            id->linkage = "";
        id->linkage_type = w[count - 1];
        break;
    case SpvDecorationVolatile:
        id->volatile_ = true;
        break;
    case SpvDecorationRestrict:
        id->restrict_ = true;
        break;
    case SpvDecorationConstant:
        id->constant = true;
        break;
    case SpvDecorationCPacked:
        id->packed = true;
        break;
    case SpvDecorationSaturatedConversion:
        id->saturated = true;
        break;
    case SpvDecorationFPRoundingMode:
        id->rounding = count > 1 && w[1] < 4 ? (int8_t)w[1] : -1;
        break;
    default:
        break;
    }
}

/* Copies the decorations of an OpDecorationGroup to each target of OpGroupDecorate. */
static void copy_decorations(struct in_id *to, const struct in_id *from)
{
    if (from->spec_id != IN_UNDECORATED)
        to->spec_id = from->spec_id;
    if (from->builtin != IN_NO_BUILTIN)
        to->builtin = from->builtin;
    if (from->alignment != 0)
        to->alignment = from->alignment;
    to->attributes |= from->attributes;
    if (from->linkage_type != IN_UNDECORATED) {
        to->linkage = from->linkage;
        to->linkage_type = from->linkage_type;
    }
    if (from->array_stride != 0)
        to->array_stride = from->array_stride;
    if (from->set != IN_UNDECORATED)
        to->set = from->set;
    if (from->binding != IN_UNDECORATED)
        to->binding = from->binding;
    to->no_signed_wrap |= from->no_signed_wrap;
    to->no_unsigned_wrap |= from->no_unsigned_wrap;
    to->volatile_ |= from->volatile_;
    to->restrict_ |= from->restrict_;
    to->constant |= from->constant;
    to->packed |= from->packed;
    to->saturated |= from->saturated;
    if (from->rounding >= 0)
        to->rounding = from->rounding;
}

static enum mm_class member_offset(struct in_module *m, struct in_id *id, uint32_t member, uint32_t offset,
                                   struct mm_error *err)
{
    struct in_member_offset *o = mm_arena_alloc(m->arena, sizeof *o);
    if (!o)
        return mm_out_of_memory(err);
    *o = (struct in_member_offset){id->offsets, member, offset};
    id->offsets = o;
    return MM_OK;
}

enum mm_class in_decorate(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    const uint32_t *w = inst->operands;
    if (inst->operand_count < 1 || w[0] >= m->bound)
        return in_bad(m, inst->word, err, "SPIRV 3.49.3", "broken %s", in_opcode_name(inst->opcode));
    switch (inst->opcode) {
    case SpvOpName:
        m->ids[w[0]].name = mm_arena_strdup(m->arena, (const char *)(w + 1));
        if (!m->ids[w[0]].name)
            return mm_out_of_memory(err);
        break;
    case SpvOpDecorate:
        if (inst->operand_count >= 3 && w[1] == SpvDecorationAlignment && (w[2] & (w[2] - 1)) != 0)
            return in_bad(m, inst->word, err, "SPIRV 3.20", "the alignment %u is not a power of two", w[2]);
        if (inst->operand_count >= 2)
            decorate_id(m, &m->ids[w[0]], w + 1, inst->operand_count - 1);
        break;
    case SpvOpMemberDecorate:
        if (inst->operand_count >= 4 && w[2] == SpvDecorationOffset)
            return member_offset(m, &m->ids[w[0]], w[1], w[3], err);
        break;
    case SpvOpGroupDecorate:
        for (uint32_t i = 1; i < inst->operand_count; i++)
            if (w[i] < m->bound)
                copy_decorations(&m->ids[w[i]], &m->ids[w[0]]);
        break;
    default:
        break;
    }
    return MM_OK;
}
