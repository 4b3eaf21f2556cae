/* Integer and floating-point arithmetic, bits, comparisons. [SPIRV 3.49.13 - 3.49.15].  Nothing is
 * contracted or reassociated: results are the interpreter's. */
#include "interp/jit/emit/emit.h"
#include "interp/jit/llvm/llvm_shim.h"

static LLVMValueRef operand_value(struct in_emit *e, const struct in_inst *i, uint32_t k)
{
    return in_value(e, i->operands[k]);
}

/* ---- integers ---------------------------------------------------------------------------- */

static LLVMValueRef equals_constant(struct in_emit *e, LLVMValueRef x, uint64_t value)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, x, in_int(e, LLVMTypeOf(x), value), "");
}

/* A zero divisor gives 0, and -1 never traps: the interpreter's results.  Remainders of 1 are 0, which serves
 * both divisors. */
static LLVMValueRef emit_division(struct in_emit *e, uint32_t opcode, LLVMValueRef x, LLVMValueRef y)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = in_int(e, type, 0), one = in_int(e, type, 1), none = equals_constant(e, y, 0), r;
    bool sign = opcode == SpvOpSDiv || opcode == SpvOpSRem || opcode == SpvOpSMod;
    LLVMValueRef minus = sign ? equals_constant(e, y, UINT64_MAX) : NULL;
    LLVMValueRef bad = sign ? LLVMBuildOr(e->b, none, minus, "") : none;
    LLVMValueRef divisor = LLVMBuildSelect(e->b, bad, one, y, "");
    switch (opcode) {
    case SpvOpUDiv:
        r = LLVMBuildUDiv(e->b, x, divisor, "");
        break;
    case SpvOpUMod:
        return LLVMBuildURem(e->b, x, divisor, "");
    case SpvOpSDiv:
        r = LLVMBuildSDiv(e->b, x, divisor, "");
        r = LLVMBuildSelect(e->b, minus, LLVMBuildNeg(e->b, x, ""), r, "");
        break;
    default:
        r = LLVMBuildSRem(e->b, x, divisor, "");
        if (opcode == SpvOpSRem)
            return r;
        LLVMValueRef differ = LLVMBuildICmp(e->b, LLVMIntSLT, LLVMBuildXor(e->b, r, divisor, ""), zero, "");
        LLVMValueRef fix = LLVMBuildAnd(e->b, differ, LLVMBuildNot(e->b, equals_constant(e, r, 0), ""), "");
        return LLVMBuildSelect(e->b, fix, LLVMBuildAdd(e->b, r, divisor, ""), r, "");
    }
    return LLVMBuildSelect(e->b, none, zero, r, "");
}

void in_emit_int_binary(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0), y = operand_value(e, i, 1);
    static const struct {
        uint16_t opcode, op;
    } table[] = {{SpvOpIAdd, LLVMAdd},       {SpvOpISub, LLVMSub},     {SpvOpIMul, LLVMMul},
                 {SpvOpBitwiseAnd, LLVMAnd}, {SpvOpBitwiseOr, LLVMOr}, {SpvOpBitwiseXor, LLVMXor}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].opcode == i->opcode) {
            const struct in_id *id = &e->m->ids[i->result];
            LLVMValueRef r = LLVMBuildBinOp(e->b, (LLVMOpcode)table[k].op, x, y, "");
            if (k < 3)
                in_shim_no_wrap(r, id->no_signed_wrap, id->no_unsigned_wrap);
            in_define(e, i, r);
            return;
        }
    in_define(e, i, emit_division(e, i->opcode, x, y));
}

void in_emit_shift(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0), y = operand_value(e, i, 1);
    LLVMTypeRef type = LLVMTypeOf(x);
    uint32_t width = in_element(in_emit_ty(e, i->operands[0]))->width;
    y = LLVMBuildIntCast2(e->b, y, type, 0, "");
    y = LLVMBuildAnd(e->b, y, in_int(e, type, width - 1), "");
    LLVMOpcode op = i->opcode == SpvOpShiftLeftLogical    ? LLVMShl
                    : i->opcode == SpvOpShiftRightLogical ? LLVMLShr
                                                          : LLVMAShr;
    in_define(e, i, LLVMBuildBinOp(e->b, op, x, y, ""));
}

void in_emit_int_unary(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0), r;
    switch (i->opcode) {
    case SpvOpSNegate:
        r = LLVMBuildNeg(e->b, x, "");
        break;
    case SpvOpNot:
        r = LLVMBuildNot(e->b, x, "");
        break;
    case SpvOpBitReverse:
        r = in_intrinsic(e, "llvm.bitreverse", LLVMTypeOf(x), &x, 1);
        break;
    default:
        r = in_intrinsic(e, "llvm.ctpop", LLVMTypeOf(x), &x, 1);
        r = LLVMBuildIntCast2(e->b, r, in_type(e, in_emit_ty(e, i->result)), 0, "");
        break;
    }
    in_define(e, i, r);
}

void in_emit_int_compare(struct in_emit *e, const struct in_inst *i)
{
    static const struct {
        uint16_t opcode, predicate;
    } table[] = {{SpvOpIEqual, LLVMIntEQ},
                 {SpvOpINotEqual, LLVMIntNE},
                 {SpvOpUGreaterThan, LLVMIntUGT},
                 {SpvOpSGreaterThan, LLVMIntSGT},
                 {SpvOpUGreaterThanEqual, LLVMIntUGE},
                 {SpvOpSGreaterThanEqual, LLVMIntSGE},
                 {SpvOpULessThan, LLVMIntULT},
                 {SpvOpSLessThan, LLVMIntSLT},
                 {SpvOpULessThanEqual, LLVMIntULE},
                 {SpvOpSLessThanEqual, LLVMIntSLE}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].opcode == i->opcode)
            in_define(e, i,
                      LLVMBuildICmp(e->b, (LLVMIntPredicate)table[k].predicate, operand_value(e, i, 0),
                                    operand_value(e, i, 1), ""));
}

/* A structure of the low and the high half. */
void in_emit_wide(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0), y = operand_value(e, i, 1), low, high;
    const struct in_ty *ty = in_emit_ty(e, i->operands[0]);
    LLVMTypeRef type = LLVMTypeOf(x);
    uint32_t bits = in_element(ty)->width;
    LLVMTypeRef wide = in_type_like(e, LLVMIntTypeInContext(e->c, 2 * bits), ty);
    if (i->opcode == SpvOpISubBorrow) {
        low = LLVMBuildSub(e->b, x, y, "");
        high = LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntULT, x, y, ""), type, "");
    } else {
        bool sign = i->opcode == SpvOpSMulExtended;
        LLVMValueRef a = sign ? LLVMBuildSExt(e->b, x, wide, "") : LLVMBuildZExt(e->b, x, wide, "");
        LLVMValueRef b = sign ? LLVMBuildSExt(e->b, y, wide, "") : LLVMBuildZExt(e->b, y, wide, "");
        LLVMValueRef r = LLVMBuildBinOp(e->b, i->opcode == SpvOpIAddCarry ? LLVMAdd : LLVMMul, a, b, "");
        low = LLVMBuildTrunc(e->b, r, type, "");
        high = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, r, in_int(e, wide, bits), ""), type, "");
    }
    LLVMValueRef pair = LLVMGetUndef(in_type(e, in_emit_ty(e, i->result)));
    pair = LLVMBuildInsertValue(e->b, pair, low, 0, "");
    in_define(e, i, LLVMBuildInsertValue(e->b, pair, high, 1, ""));
}

/* [SPIRV OpBitFieldInsert .. OpBitFieldUExtract], in 64 bits as in the interpreter. */
void in_emit_bitfield(struct in_emit *e, const struct in_inst *i)
{
    bool insert = i->opcode == SpvOpBitFieldInsert, sign = i->opcode == SpvOpBitFieldSExtract;
    uint32_t at = insert ? 2 : 1;
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMValueRef x = operand_value(e, i, 0), r = LLVMGetUndef(in_type(e, ty));
    LLVMValueRef offset = in_widen(e, operand_value(e, i, at), in_emit_ty(e, i->operands[at]), false);
    LLVMValueRef count = in_widen(e, operand_value(e, i, at + 1), in_emit_ty(e, i->operands[at + 1]), false);
    LLVMValueRef top = in_int(e, e->i64, 63), all = in_int(e, e->i64, UINT64_MAX), one = in_int(e, e->i64, 1);
    offset = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntUGT, offset, top, ""), top, offset, "");
    LLVMValueRef some = LLVMBuildICmp(e->b, LLVMIntULT, count, in_int(e, e->i64, 64), "");
    LLVMValueRef narrow = LLVMBuildAnd(e->b, count, top, "");
    LLVMValueRef mask = LLVMBuildSub(e->b, LLVMBuildShl(e->b, one, narrow, ""), one, "");
    mask = LLVMBuildSelect(e->b, some, mask, all, "");
    for (uint32_t k = 0; k < in_elements(ty); k++) {
        LLVMValueRef v = in_widen(e, in_get(e, x, ty, k), in_element(ty), false), field;
        field = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, v, offset, ""), mask, "");
        if (insert) {
            LLVMValueRef new = in_widen(e, in_get(e, operand_value(e, i, 1), ty, k), in_element(ty), false);
            LLVMValueRef hole = LLVMBuildNot(e->b, LLVMBuildShl(e->b, mask, offset, ""), "");
            new = LLVMBuildShl(e->b, LLVMBuildAnd(e->b, new, mask, ""), offset, "");
            field = LLVMBuildOr(e->b, LLVMBuildAnd(e->b, v, hole, ""), new, "");
        } else if (sign) {
            LLVMValueRef used = LLVMBuildICmp(e->b, LLVMIntNE, count, in_int(e, e->i64, 0), "");
            LLVMValueRef high = LLVMBuildAnd(e->b, LLVMBuildSub(e->b, narrow, one, ""), top, "");
            LLVMValueRef set = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, field, high, ""), e->i1, "");
            set = LLVMBuildAnd(e->b, set, LLVMBuildAnd(e->b, used, some, ""), "");
            LLVMValueRef filled = LLVMBuildOr(e->b, field, LLVMBuildNot(e->b, mask, ""), "");
            field = LLVMBuildSelect(e->b, set, filled, field, "");
        }
        r = in_put(e, r, ty, LLVMBuildIntCast2(e->b, field, in_type(e, in_element(ty)), 0, ""), k);
    }
    in_define(e, i, r);
}

/* ---- floats ------------------------------------------------------------------------------ */

static bool is_half(struct in_emit *e, uint32_t id)
{
    const struct in_ty *s = in_element(in_emit_ty(e, id));
    return s->kind == IN_TY_FLOAT && s->width == 16;
}

/* A float operand for arithmetic: halves are converted to float. */
static LLVMValueRef float_operand(struct in_emit *e, uint32_t id)
{
    LLVMValueRef v = in_value(e, id);
    return is_half(e, id) ? in_half_out(e, v) : v;
}

static void define_number(struct in_emit *e, const struct in_inst *i, LLVMValueRef v)
{
    in_define(e, i, is_half(e, i->result) ? in_half_in(e, v) : v);
}

/* Remainders are computed in double, as in the interpreter. */
static LLVMValueRef remainder_of(struct in_emit *e, const struct in_inst *i, LLVMValueRef x, LLVMValueRef y)
{
    const char *name = i->opcode == SpvOpFRem ? "in_jit_frem" : "in_jit_fmod";
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMTypeRef each = LLVMTypeOf(in_get(e, x, ty, 0));
    LLVMValueRef r = LLVMGetUndef(LLVMTypeOf(x));
    for (uint32_t k = 0; k < in_elements(ty); k++) {
        LLVMValueRef v[2] = {in_get(e, x, ty, k), in_get(e, y, ty, k)};
        for (int j = 0; j < 2; j++)
            v[j] = LLVMBuildFPCast(e->b, v[j], e->f64, "");
        r = in_put(e, r, ty, LLVMBuildFPCast(e->b, in_helper_call(e, name, v, 2), each, ""), k);
    }
    return r;
}

void in_emit_float_binary(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = float_operand(e, i->operands[0]), y = float_operand(e, i->operands[1]), r;
    switch (i->opcode) {
    case SpvOpFAdd:
        r = LLVMBuildFAdd(e->b, x, y, "");
        break;
    case SpvOpFSub:
        r = LLVMBuildFSub(e->b, x, y, "");
        break;
    case SpvOpFMul:
        r = LLVMBuildFMul(e->b, x, y, "");
        break;
    case SpvOpFDiv:
        r = LLVMBuildFDiv(e->b, x, y, "");
        break;
    default:
        r = remainder_of(e, i, x, y);
        break;
    }
    define_number(e, i, r);
}

void in_emit_float_unary(struct in_emit *e, const struct in_inst *i)
{
    define_number(e, i, LLVMBuildFNeg(e->b, float_operand(e, i->operands[0]), ""));
}

void in_emit_float_compare(struct in_emit *e, const struct in_inst *i)
{
    static const struct {
        uint16_t opcode, predicate;
    } table[] = {{SpvOpFOrdEqual, LLVMRealOEQ},
                 {SpvOpFUnordEqual, LLVMRealUEQ},
                 {SpvOpFOrdNotEqual, LLVMRealONE},
                 {SpvOpLessOrGreater, LLVMRealONE},
                 {SpvOpFUnordNotEqual, LLVMRealUNE},
                 {SpvOpFOrdLessThan, LLVMRealOLT},
                 {SpvOpFUnordLessThan, LLVMRealULT},
                 {SpvOpFOrdGreaterThan, LLVMRealOGT},
                 {SpvOpFUnordGreaterThan, LLVMRealUGT},
                 {SpvOpFOrdLessThanEqual, LLVMRealOLE},
                 {SpvOpFUnordLessThanEqual, LLVMRealULE},
                 {SpvOpFOrdGreaterThanEqual, LLVMRealOGE},
                 {SpvOpFUnordGreaterThanEqual, LLVMRealUGE},
                 {SpvOpOrdered, LLVMRealORD},
                 {SpvOpUnordered, LLVMRealUNO}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].opcode == i->opcode)
            in_define(e, i,
                      LLVMBuildFCmp(e->b, (LLVMRealPredicate)table[k].predicate,
                                    float_operand(e, i->operands[0]), float_operand(e, i->operands[1]), ""));
}

/* Tests look at the bits. */
void in_emit_float_test(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[0]), *s = in_element(ty);
    LLVMTypeRef type = in_type_like(e, LLVMIntTypeInContext(e->c, s->width), ty);
    LLVMValueRef x = LLVMBuildBitCast(e->b, operand_value(e, i, 0), type, ""), r;
    uint64_t sign = UINT64_C(1) << (s->width - 1);
    unsigned field = s->width == 16 ? 10 : s->width == 32 ? 23 : 52;
    uint64_t infinity = sign - (UINT64_C(1) << field), least = UINT64_C(1) << field;
    LLVMValueRef magnitude = LLVMBuildAnd(e->b, x, in_int(e, type, sign - 1), "");
    switch (i->opcode) {
    case SpvOpIsNan:
        r = LLVMBuildICmp(e->b, LLVMIntUGT, magnitude, in_int(e, type, infinity), "");
        break;
    case SpvOpIsInf:
        r = LLVMBuildICmp(e->b, LLVMIntEQ, magnitude, in_int(e, type, infinity), "");
        break;
    case SpvOpIsFinite:
        r = LLVMBuildICmp(e->b, LLVMIntULT, magnitude, in_int(e, type, infinity), "");
        break;
    case SpvOpIsNormal:
        r = LLVMBuildICmp(e->b, LLVMIntULT, magnitude, in_int(e, type, infinity), "");
        r = LLVMBuildAnd(e->b, r, LLVMBuildICmp(e->b, LLVMIntUGE, magnitude, in_int(e, type, least), ""), "");
        break;
    default:
        r = LLVMBuildICmp(e->b, LLVMIntSLT, x, in_int(e, type, 0), "");
        break;
    }
    in_define(e, i, r);
}

/* Sums run from the first component on. */
void in_emit_dot(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->operands[0]);
    LLVMValueRef x = float_operand(e, i->operands[0]), y = float_operand(e, i->operands[1]);
    LLVMValueRef p = LLVMBuildFMul(e->b, x, y, ""), sum = NULL;
    for (uint32_t k = 0; k < in_elements(ty); k++) {
        LLVMValueRef one = in_get(e, p, ty, k);
        if (!sum)
            sum = LLVMConstNull(LLVMTypeOf(one));
        sum = LLVMBuildFAdd(e->b, sum, one, "");
    }
    define_number(e, i, sum);
}

void in_emit_scale(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMValueRef x = float_operand(e, i->operands[0]), y = float_operand(e, i->operands[1]);
    define_number(e, i, LLVMBuildFMul(e->b, x, in_splat(e, y, in_elements(ty)), ""));
}

/* ---- booleans ---------------------------------------------------------------------------- */

void in_emit_bool_binary(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0), y = operand_value(e, i, 1), r;
    if (i->opcode == SpvOpLogicalAnd)
        r = LLVMBuildAnd(e->b, x, y, "");
    else if (i->opcode == SpvOpLogicalOr)
        r = LLVMBuildOr(e->b, x, y, "");
    else
        r = LLVMBuildICmp(e->b, i->opcode == SpvOpLogicalEqual ? LLVMIntEQ : LLVMIntNE, x, y, "");
    in_define(e, i, r);
}

void in_emit_bool_not(struct in_emit *e, const struct in_inst *i)
{
    in_define(e, i, LLVMBuildNot(e->b, operand_value(e, i, 0), ""));
}

void in_emit_any_all(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef x = operand_value(e, i, 0);
    const char *name = i->opcode == SpvOpAny ? "llvm.vector.reduce.or" : "llvm.vector.reduce.and";
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
        x = in_intrinsic(e, name, LLVMTypeOf(x), &x, 1);
    in_define(e, i, x);
}

void in_emit_select(struct in_emit *e, const struct in_inst *i)
{
    in_define(
        e, i,
        LLVMBuildSelect(e->b, operand_value(e, i, 0), operand_value(e, i, 1), operand_value(e, i, 2), ""));
}
