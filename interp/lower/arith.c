/* Lowering of arithmetic, conversions, composites. [SPIRV 3.49.11 - 3.49.15] */
#include "interp/ext/convert.h"
#include "interp/lower/lower.h"
#include "interp/module/conversion.h"
#include "memmodel/base/array.h"
#include <string.h>

static int32_t width_index(const struct in_ty *ty)
{
    return ty->width == 8 ? 0 : ty->width == 16 ? 1 : ty->width == 32 ? 2 : 3;
}

struct pair {
    uint16_t opcode, op;
};
static enum in_op find_op(const struct pair *table, size_t n, uint32_t opcode)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].opcode == opcode)
            return (enum in_op)table[i].op;
    return IN_UNSUPPORTED;
}
#define FIND(table, opcode) find_op(table, sizeof table / sizeof *table, opcode)

static const struct pair int_ops[] = {
    {SpvOpIAdd, IN_ADD_8},
    {SpvOpISub, IN_SUB_8},
    {SpvOpIMul, IN_MUL_8},
    {SpvOpUDiv, IN_UDIV_8},
    {SpvOpSDiv, IN_SDIV_8},
    {SpvOpUMod, IN_UMOD_8},
    {SpvOpSRem, IN_SREM_8},
    {SpvOpSMod, IN_SMOD_8},
    {SpvOpBitwiseAnd, IN_AND_8},
    {SpvOpBitwiseOr, IN_OR_8},
    {SpvOpBitwiseXor, IN_XOR_8},
    {SpvOpShiftLeftLogical, IN_SHL_8},
    {SpvOpSNegate, IN_NEG_8},
    {SpvOpNot, IN_NOT_8},
    {SpvOpShiftRightLogical, IN_LSHR_8},
    {SpvOpBitReverse, IN_BITREV_8}, /* [CLC 6.15.3.1 R4] */
    {SpvOpBitCount, IN_BITCNT_8},
    {SpvOpShiftRightArithmetic, IN_ASHR_8},
    {SpvOpIEqual, IN_EQ_8},
    {SpvOpINotEqual, IN_NE_8},
    {SpvOpUGreaterThan, IN_UGT_8},
    {SpvOpSGreaterThan, IN_SGT_8},
    {SpvOpUGreaterThanEqual, IN_UGE_8},
    {SpvOpSGreaterThanEqual, IN_SGE_8},
    {SpvOpULessThan, IN_ULT_8},
    {SpvOpSLessThan, IN_SLT_8},
    {SpvOpULessThanEqual, IN_ULE_8},
    {SpvOpSLessThanEqual, IN_SLE_8},
};
static const struct pair float_ops[] = {
    {SpvOpFAdd, IN_FADD_16},
    {SpvOpFSub, IN_FSUB_16},
    {SpvOpFMul, IN_FMUL_16},
    {SpvOpFDiv, IN_FDIV_16},
    {SpvOpFRem, IN_FREM_16},
    {SpvOpFMod, IN_FMOD_16},
    {SpvOpFNegate, IN_FNEG_16},
    {SpvOpFOrdEqual, IN_FOEQ_16},
    {SpvOpFUnordEqual, IN_FUEQ_16},
    {SpvOpFOrdNotEqual, IN_FONE_16},
    {SpvOpFUnordNotEqual, IN_FUNE_16},
    {SpvOpFOrdLessThan, IN_FOLT_16},
    {SpvOpFUnordLessThan, IN_FULT_16},
    {SpvOpFOrdGreaterThan, IN_FOGT_16},
    {SpvOpFUnordGreaterThan, IN_FUGT_16},
    {SpvOpFOrdLessThanEqual, IN_FOLE_16},
    {SpvOpFUnordLessThanEqual, IN_FULE_16},
    {SpvOpFOrdGreaterThanEqual, IN_FOGE_16},
    {SpvOpFUnordGreaterThanEqual, IN_FUGE_16},
    {SpvOpOrdered, IN_FORD_16},
    {SpvOpUnordered, IN_FUNO_16},
    {SpvOpLessOrGreater, IN_FONE_16},
    {SpvOpIsNan, IN_ISNAN_16},
    {SpvOpIsInf, IN_ISINF_16},
    {SpvOpIsFinite, IN_ISFINITE_16},
    {SpvOpIsNormal, IN_ISNORMAL_16},
    {SpvOpSignBitSet, IN_SIGNBIT_16},
};

/* The variant of an operation for TY: width, scalar or vector. */
static enum mm_class emit_int(struct in_lower *l, const struct in_inst *i, int32_t a, int32_t b)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]), *s = in_scalar(ty);
    if (s->kind != IN_TY_INT || (s->width & (s->width - 1)) != 0)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.13", "%s without integer operands",
                      in_opcode_name(i->opcode));
    enum in_op op = FIND(int_ops, i->opcode);
    bool vector = ty->kind == IN_TY_VECTOR;
    const struct in_id *id = &l->m->ids[i->result];
    in_emit(l, (enum in_op)((int32_t)op + width_index(s) + (vector ? 4 : 0)), in_dest(l, i), a, b,
            (int32_t)in_count(ty))
        ->imm = (uint64_t)id->no_signed_wrap | (uint64_t)id->no_unsigned_wrap << 1;
    return l->result;
}

enum mm_class in_lower_int_binary(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    return emit_int(l, i, a, b);
}

enum mm_class in_lower_int_compare(struct in_lower *l, const struct in_inst *i)
{
    if (in_ty_of(l, i->operands[0])->kind == IN_TY_POINTER)
        return in_lower_ptr_compare(l, i);
    return l->use[i->result].deferred ? MM_OK : in_lower_int_binary(l, i);
}

enum mm_class in_lower_int_unary(struct in_lower *l, const struct in_inst *i)
{
    return emit_int(l, i, in_slot(l, i->operands[0]), 0);
}

/* Converts slot FROM, of type TY, to integers of WIDTH bits; gives the new slot. */
static int32_t resize_integers(struct in_lower *l, int32_t from, const struct in_ty *ty,
                               const struct in_ty *to, bool sign)
{
    const struct in_ty *s = in_scalar(ty), *t = in_scalar(to);
    if (s->width == t->width)
        return from;
    int32_t slot = in_alloc(l, to->reg_size, to->align);
    in_emit(l, IN_CVT, slot, from, (int32_t)(s->size | t->size << 8), (int32_t)in_count(ty))->convert =
        in_convert_find(in_conversion_type(s, sign), in_conversion_type(t, sign), IN_RTE, false);
    return slot;
}

enum mm_class in_lower_shift(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    return emit_int(l, i, a,
                    resize_integers(l, b, in_ty_of(l, i->operands[1]), in_ty_of(l, i->operands[0]), false));
}

enum mm_class in_lower_float_binary(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]), *s = in_scalar(ty);
    if (s->kind != IN_TY_FLOAT)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.13", "%s without float operands",
                      in_opcode_name(i->opcode));
    int32_t a = in_slot(l, i->operands[0]), b = i->operand_count > 1 ? in_slot(l, i->operands[1]) : 0;
    enum in_op op = FIND(float_ops, i->opcode);
    bool vector = ty->kind == IN_TY_VECTOR;
    in_emit(l, (enum in_op)((int32_t)op + width_index(s) - 1 + (vector ? 3 : 0)), in_dest(l, i), a, b,
            (int32_t)in_count(ty));
    return l->result;
}
enum mm_class in_lower_float_compare(struct in_lower *l, const struct in_inst *i)
{
    return in_lower_float_binary(l, i);
}
enum mm_class in_lower_float_unary(struct in_lower *l, const struct in_inst *i)
{
    return in_lower_float_binary(l, i);
}
enum mm_class in_lower_float_test(struct in_lower *l, const struct in_inst *i)
{
    return in_lower_float_binary(l, i);
}

enum mm_class in_lower_bool_binary(struct in_lower *l, const struct in_inst *i)
{
    static const struct pair ops[] = {{SpvOpLogicalEqual, IN_BEQ},
                                      {SpvOpLogicalNotEqual, IN_BNE},
                                      {SpvOpLogicalOr, IN_BOR},
                                      {SpvOpLogicalAnd, IN_BAND}};
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, FIND(ops, i->opcode), in_dest(l, i), a, b, (int32_t)in_count(in_ty_of(l, i->result)));
    return l->result;
}

enum mm_class in_lower_bool_not(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]);
    in_emit(l, IN_BNOT, in_dest(l, i), a, a, (int32_t)in_count(in_ty_of(l, i->result)));
    return l->result;
}

enum mm_class in_lower_any_all(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]);
    in_emit(l, i->opcode == SpvOpAny ? IN_ANY : IN_ALL, in_dest(l, i), a, 0,
            (int32_t)in_count(in_ty_of(l, i->operands[0])));
    return l->result;
}

/* Common scalar conversions have dedicated operations. */
static enum in_op direct_conversion(enum in_type from, enum in_type to, int8_t rounding)
{
    if ((from == IN_S32 || from == IN_U32) && (to == IN_S64 || to == IN_U64))
        return from == IN_S32 ? IN_SX_32_64 : IN_ZX_32_64;
    if ((from == IN_S64 || from == IN_U64) && (to == IN_S32 || to == IN_U32))
        return IN_TR_64_32;
    if (from == IN_F32 && to == IN_F64)
        return IN_F32_F64;
    if (rounding > 0)
        return IN_CVT;
    return from == IN_S32 && to == IN_F32   ? IN_S32_F32
           : from == IN_U32 && to == IN_F32 ? IN_U32_F32
           : from == IN_F64 && to == IN_F32 ? IN_F64_F32
                                            : IN_CVT;
}

enum mm_class in_lower_convert(struct in_lower *l, const struct in_inst *i)
{
    if (l->use[i->result].deferred)
        return MM_OK;
    const struct in_conversion *c = in_conversion_of(i->opcode);
    const struct in_ty *from_ty = in_ty_of(l, i->operands[0]), *to_ty = in_ty_of(l, i->result);
    const struct in_ty *s = in_scalar(from_ty), *t = in_scalar(to_ty);
    enum in_type from = in_conversion_type(s, c->from_signed), to = in_conversion_type(t, c->to_signed);
    const struct in_id *id = &l->m->ids[i->result];
    bool saturate = c->saturate || id->saturated;
    int32_t a = in_slot(l, i->operands[0]);
    if (!saturate && !c->from_float && !c->to_float && s->width == t->width) {
        in_alias(l, i, a);
        return l->result;
    }
    enum in_op op =
        saturate || from_ty->kind == IN_TY_VECTOR ? IN_CVT : direct_conversion(from, to, id->rounding);
    enum in_rounding rounding = in_conversion_rounding(c, id);
    /* A conversion whose result may be out of range (check_value.c). */
    uint32_t flag = c->from_float && !c->to_float && !saturate ? (c->to_signed ? 1u : 2u) : 0;
    struct in_insn *insn = in_emit(l, op, in_dest(l, i), a, (int32_t)(s->size | t->size << 8 | flag << 16),
                                   (int32_t)in_count(from_ty));
    if (op == IN_CVT)
        insn->convert = in_convert_find(from, to, rounding, saturate);
    return l->result;
}

enum mm_class in_lower_alias(struct in_lower *l, const struct in_inst *i)
{
    in_alias(l, i, in_slot(l, i->operands[0]));
    return l->result;
}

enum mm_class in_lower_bitcast(struct in_lower *l, const struct in_inst *i)
{
    bool from = in_ty_of(l, i->operands[0])->kind == IN_TY_POINTER;
    bool to = in_ty_of(l, i->result)->kind == IN_TY_POINTER;
    return to && !from ? in_lower_int_to_ptr(l, i) : in_lower_alias(l, i);
}

/* The address is the first field of struct in_fat: narrower integers are its low bytes. */
enum mm_class in_lower_ptr_to_int(struct in_lower *l, const struct in_inst *i)
{
    return in_lower_alias(l, i);
}

enum mm_class in_lower_int_to_ptr(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    int32_t a = in_slot(l, i->operands[0]);
    bool handle = in_ty_of(l, i->result)->kind == IN_TY_OPAQUE;
    if (ty->kind == IN_TY_INT && ty->width < 64) {
        int32_t wide = in_alloc(l, 8, 8);
        in_emit(l, IN_CVT, wide, a, (int32_t)(ty->size | 8 << 8), 1)->convert =
            in_convert_find(in_conversion_type(ty, false), IN_U64, IN_RTE, false);
        a = wide;
    }
    if (handle)
        in_alias(l, i, a);
    else
        in_emit(l, IN_EXTRACTP, in_dest(l, i), a, 0, 0);
    return l->result;
}

enum mm_class in_lower_select(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->result);
    int32_t c = in_slot(l, i->operands[0]), a = in_slot(l, i->operands[1]), b = in_slot(l, i->operands[2]);
    static const enum in_op ops[] = {
        [1] = IN_SEL_1, [2] = IN_SEL_2, [4] = IN_SEL_4, [8] = IN_SEL_8, [16] = IN_SEL_16};
    if (in_ty_of(l, i->operands[0])->kind == IN_TY_VECTOR)
        in_emit(l, IN_SEL_V, in_dest(l, i), a, b, c)->imm = in_scalar(ty)->size | (uint64_t)in_count(ty)
                                                                                      << 32;
    else if (ty->reg_size <= 16 && (ty->reg_size & (ty->reg_size - 1)) == 0)
        in_emit(l, ops[ty->reg_size], in_dest(l, i), a, b, c);
    else
        in_emit(l, IN_SEL_N, in_dest(l, i), a, b, c)->imm = ty->reg_size;
    return l->result;
}

enum mm_class in_lower_dot(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, (enum in_op)(IN_DOT_16 + width_index(in_scalar(ty)) - 1), in_dest(l, i), a, b,
            (int32_t)in_count(ty));
    return l->result;
}

enum mm_class in_lower_scale(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, (enum in_op)(IN_SCALE_16 + width_index(in_scalar(ty)) - 1), in_dest(l, i), a, b,
            (int32_t)in_count(ty));
    return l->result;
}

/* ---- composites -------------------------------------------------------------------------- */

/* Byte offset and type of the part that literal indices select. */
static const struct in_ty *find_part(const struct in_ty *ty, const uint32_t *index, uint32_t n,
                                     uint64_t *offset)
{
    *offset = 0;
    for (uint32_t k = 0; k < n && ty; k++) {
        if (index[k] >= ty->count)
            return NULL;
        if (ty->kind == IN_TY_STRUCT) {
            *offset += ty->offsets[index[k]];
            ty = ty->members[index[k]];
        } else {
            uint64_t stride = ty->stride;
            ty = ty->element;
            *offset += index[k] * stride;
        }
    }
    return ty;
}

static enum mm_class bad_index(struct in_lower *l, const struct in_inst *i)
{
    return in_bad(l->m, i->word, l->err, "SPIRV 3.49.12", "%s: index past the composite",
                  in_opcode_name(i->opcode));
}

enum mm_class in_lower_extract(struct in_lower *l, const struct in_inst *i)
{
    uint64_t offset;
    const struct in_ty *ty =
        find_part(in_ty_of(l, i->operands[0]), i->operands + 1, i->operand_count - 1, &offset);
    if (!ty)
        return bad_index(l, i);
    int32_t from = in_slot(l, i->operands[0]) + (int32_t)offset;
    if (ty->kind == IN_TY_POINTER && i->operand_count > 1)
        in_emit(l, IN_EXTRACTP, in_dest(l, i), from, 0, 0);
    else
        in_alias(l, i, from);
    return l->result;
}

/* Puts the register at FROM into a composite at TO. */
static void put_part(struct in_lower *l, int32_t to, int32_t from, const struct in_ty *ty)
{
    if (ty->kind == IN_TY_POINTER)
        in_emit(l, IN_INSERTP, to, from, 0, 0);
    else
        in_copy(l, to, from, ty->access);
}

enum mm_class in_lower_insert(struct in_lower *l, const struct in_inst *i)
{
    uint64_t offset;
    const struct in_ty *whole = in_ty_of(l, i->result);
    const struct in_ty *ty = find_part(whole, i->operands + 2, i->operand_count - 2, &offset);
    if (!ty)
        return bad_index(l, i);
    int32_t object = in_slot(l, i->operands[0]), old = in_slot(l, i->operands[1]), to = in_dest(l, i);
    in_copy(l, to, old, whole->reg_size);
    put_part(l, to + (int32_t)offset, object, ty);
    return l->result;
}

enum mm_class in_lower_construct(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->result);
    int32_t to = in_dest(l, i);
    uint64_t at = 0;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct in_ty *from = in_ty_of(l, i->operands[k]);
        if (ty->kind == IN_TY_STRUCT)
            at = k < ty->count ? ty->offsets[k] : ty->size;
        if (at + from->access > ty->size)
            return bad_index(l, i);
        put_part(l, to + (int32_t)at, in_slot(l, i->operands[k]), from);
        at += ty->kind == IN_TY_VECTOR ? from->access : ty->kind == IN_TY_ARRAY ? ty->stride : from->size;
    }
    return l->result;
}

enum mm_class in_lower_shuffle(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *a = in_ty_of(l, i->operands[0]), *b = in_ty_of(l, i->operands[1]);
    uint32_t n = i->operand_count - 2, size = (uint32_t)in_scalar(a)->size;
    int32_t *from = mm_arena_alloc(l->code->arena, (n + 1) * sizeof *from);
    if (!from)
        return in_lower_no_memory(l);
    int32_t sa = in_slot(l, i->operands[0]), sb = in_slot(l, i->operands[1]);
    if (in_is_prefix(l, i)) {
        in_alias(l, i, sa);
        return l->result;
    }
    from[0] = (int32_t)n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t c = i->operands[k + 2];
        if (c == UINT32_MAX) /* no source: any value */
            c = 0;
        if (c >= a->count + b->count || n > 16)
            return bad_index(l, i);
        from[k + 1] = c < a->count ? sa + (int32_t)(c * size) : sb + (int32_t)((c - a->count) * size);
    }
    in_emit(l, IN_SHUFFLE, in_dest(l, i), 0, 0, (int32_t)size)->p = from;
    return l->result;
}

enum mm_class in_lower_extract_dynamic(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, IN_EXTRACTD, in_dest(l, i), a, b, (int32_t)in_count(ty))->imm =
        in_scalar(ty)->size | in_ty_of(l, i->operands[1])->size << 32;
    return l->result;
}

enum mm_class in_lower_insert_dynamic(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    int32_t old = in_slot(l, i->operands[0]), a = in_slot(l, i->operands[1]), b = in_slot(l, i->operands[2]);
    int32_t to = in_dest(l, i);
    in_copy(l, to, old, ty->reg_size);
    in_emit(l, IN_INSERTD, to, a, b, (int32_t)in_count(ty))->imm =
        in_scalar(ty)->size | in_ty_of(l, i->operands[2])->size << 32;
    return l->result;
}

/* Undefined values are zero, so that runs can be replayed. */
enum mm_class in_lower_undef(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->result);
    struct in_fat null = {0, &in_unknown};
    int32_t slot = in_const_alloc(l, ty->kind == IN_TY_POINTER ? &null : NULL, ty->reg_size);
    struct in_undefined undefined = {slot, (uint32_t)(ty->kind == IN_TY_POINTER ? 8 : ty->reg_size)};
    if (!mm_append(&l->code->constants.undefined, &l->code->constants.undefined_count, &undefined))
        return in_lower_no_memory(l);
    in_alias(l, i, slot);
    return l->result;
}
