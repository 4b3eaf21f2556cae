/* Arithmetic: integers exactly, with wrap-around; floating-point results are unconstrained values. */
#include "tools/prove/internal.h"

typedef Z3_ast (*binary_term)(Z3_context, Z3_ast, Z3_ast);
static const struct {
    uint32_t opcode;
    binary_term make;
    bool swap;
} binaries[] = {
    {SpvOpISub, Z3_mk_bvsub, false},        {SpvOpBitwiseAnd, Z3_mk_bvand, false},
    {SpvOpBitwiseOr, Z3_mk_bvor, false},    {SpvOpBitwiseXor, Z3_mk_bvxor, false},
    {SpvOpULessThan, Z3_mk_bvult, false},   {SpvOpULessThanEqual, Z3_mk_bvule, false},
    {SpvOpUGreaterThan, Z3_mk_bvult, true}, {SpvOpUGreaterThanEqual, Z3_mk_bvule, true},
    {SpvOpSLessThan, Z3_mk_bvslt, false},   {SpvOpSLessThanEqual, Z3_mk_bvsle, false},
    {SpvOpSGreaterThan, Z3_mk_bvslt, true}, {SpvOpSGreaterThanEqual, Z3_mk_bvsle, true},
};

static bool is_comparison(uint32_t opcode)
{
    return opcode >= SpvOpIEqual && opcode <= SpvOpSLessThanEqual;
}

/* Comparisons and additions in loops suggest bounds and steps of counters. */
static void note_comparison(struct pv_run *run, const struct in_inst *inst, Z3_ast a, Z3_ast b)
{
    struct pv *pv = run->pv;
    if (pv->graph.blocks[run->block].loop == PV_NONE)
        return;
    run->compares = ex_grow(pv->ex, run->compares, run->compare_count, sizeof *run->compares);
    run->compares[run->compare_count++] = (struct pv_compare){run->block, inst, a, b};
}

/* Shifts by the width or more give any value [SPIRV 3.49.13]. */
static Z3_ast shift_value(struct pv *pv, const struct in_inst *inst, Z3_ast a, Z3_ast b)
{
    unsigned width = pv_width(pv, a);
    Z3_ast by = pv_resize(pv, b, width, false);
    uint64_t n, x;
    bool known = pv_is_number(pv, b, &n) && n < width;
    if (known) {
        if (pv_is_number(pv, a, &x) && inst->opcode != SpvOpShiftRightArithmetic)
            return pv_number(pv, inst->opcode == SpvOpShiftLeftLogical ? x << n : x >> n, width);
        if (n == 0)
            return a;
    }
    Z3_ast shifted = inst->opcode == SpvOpShiftLeftLogical    ? Z3_mk_bvshl(pv->c, a, by)
                     : inst->opcode == SpvOpShiftRightLogical ? Z3_mk_bvlshr(pv->c, a, by)
                                                              : Z3_mk_bvashr(pv->c, a, by);
    if (known)
        return shifted;
    return pv_if(pv, Z3_mk_bvult(pv->c, b, pv_number(pv, width, pv_width(pv, b))), shifted,
                 pv_fresh(pv, "shifted", width));
}

static bool no_signed_wrap(struct pv *pv, const struct in_inst *inst)
{
    return in_spirv_id(pv->ex->module.decoded, inst->result)->no_signed_wrap;
}

static Z3_ast product_of(struct pv_run *run, const struct in_inst *inst, Z3_ast a, Z3_ast b)
{
    struct pv *pv = run->pv;
    uint64_t n;
    bool wraps = !no_signed_wrap(pv, inst);
    if (!wraps && !pv_is_number(pv, a, &n) && !pv_is_number(pv, b, &n))
        pv->assumed.no_overflow = true;
    return pv_multiply(pv, a, b, !wraps, run->condition[run->block], (uintptr_t)inst);
}

/* Executes an operation on integers; NULL: INST is none. */
static Z3_ast integer_operation(struct pv_run *run, const struct in_inst *inst, Z3_ast a, Z3_ast b)
{
    struct pv *pv = run->pv;
    uint64_t x, y;
    switch (inst->opcode) {
    case SpvOpIAdd:
        note_comparison(run, inst, a, b);
        return pv_add(pv, a, b);
    case SpvOpISub:
        if (pv_is_number(pv, b, &y))
            return pv_add(pv, a, pv_number(pv, -y, pv_width(pv, a)));
        return Z3_mk_bvsub(pv->c, a, b);
    case SpvOpIMul:
        return product_of(run, inst, a, b);
    case SpvOpUDiv:
    case SpvOpUMod:
        return pv_divide(pv, a, b, false, inst->opcode == SpvOpUMod);
    case SpvOpSDiv:
    case SpvOpSRem:
        return pv_divide(pv, a, b, true, inst->opcode == SpvOpSRem);
    case SpvOpSMod: {
        Z3_ast r = pv_divide(pv, a, b, true, true), zero = pv_number(pv, 0, pv_width(pv, a));
        Z3_ast differs = Z3_mk_xor(pv->c, Z3_mk_bvslt(pv->c, r, zero), Z3_mk_bvslt(pv->c, b, zero));
        return pv_if(pv, pv_and(pv, differs, pv_not(pv, pv_equal(pv, r, zero))), pv_add(pv, r, b), r);
    }
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift_value(pv, inst, a, b);
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        note_comparison(run, inst, a, b);
        return pv_equal(pv, a, b);
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        note_comparison(run, inst, a, b);
        return pv_not(pv, pv_equal(pv, a, b));
    case SpvOpLogicalAnd:
        return pv_and(pv, a, b);
    case SpvOpLogicalOr:
        return pv_or(pv, a, b);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (binaries[i].opcode != inst->opcode)
            continue;
        if (is_comparison(inst->opcode))
            note_comparison(run, inst, a, b);
        Z3_ast result = binaries[i].swap ? binaries[i].make(pv->c, b, a) : binaries[i].make(pv->c, a, b);
        bool known = pv_is_number(pv, a, &x) && pv_is_number(pv, b, &y);
        return known ? Z3_simplify(pv->c, result) : result;
    }
    return NULL;
}

static Z3_ast unary_operation(struct pv *pv, const struct in_inst *inst, struct pv_leaf a,
                              const struct in_ty *to)
{
    switch (inst->opcode) {
    case SpvOpSNegate:
        return Z3_mk_bvneg(pv->c, a.bits);
    case SpvOpNot:
        return Z3_mk_bvnot(pv->c, a.bits);
    case SpvOpLogicalNot:
        return pv_not(pv, a.bits);
    case SpvOpUConvert:
        return pv_resize(pv, a.bits, to->width, false);
    case SpvOpSConvert:
        return pv_resize(pv, a.bits, to->width, true);
    default:
        return NULL;
    }
}

/* Results that are any value of their type. */
static bool is_unconstrained(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpFNegate:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
    case SpvOpSatConvertSToU:
    case SpvOpSatConvertUToS:
    case SpvOpBitCount:
    case SpvOpBitReverse:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet:
    case SpvOpOrdered:
    case SpvOpUnordered:
    case SpvOpLessOrGreater:
    case SpvOpAny:
    case SpvOpAll:
    case SpvOpPtrDiff:
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return true;
    default:
        return opcode >= SpvOpFOrdEqual && opcode <= SpvOpFUnordGreaterThanEqual;
    }
}

/* Results of the same operation on the same operands are equal; so a branch on a uniform float is uniform. */
static struct pv_value same_as_other(struct pv_run *run, const struct in_inst *inst, struct pv_value result)
{
    struct pv *pv = run->pv;
    for (uint32_t i = 0; i < pv->abstractions.pure_count; i++) {
        struct pv_pure *p = &pv->abstractions.pures[i];
        bool same = p->inst == inst && p->count == inst->operand_count;
        for (uint32_t k = 0; same && k < inst->operand_count; k++) {
            struct pv_value v = pv_get(run, inst->operands[k]);
            for (uint32_t n = 0; n < v.count; n++)
                same &= v.leaves[n].bits == p->operands[k].leaves[n].bits &&
                        v.leaves[n].object == p->operands[k].leaves[n].object;
        }
        if (same)
            return p->result;
    }
    pv->abstractions.pures =
        ex_grow(pv->ex, pv->abstractions.pures, pv->abstractions.pure_count, sizeof *pv->abstractions.pures);
    struct pv_pure *p = &pv->abstractions.pures[pv->abstractions.pure_count++];
    *p = (struct pv_pure){inst, inst->operand_count, pv_alloc(pv, inst->operand_count, sizeof *p->operands),
                          result};
    for (uint32_t k = 0; k < inst->operand_count; k++) {
        struct pv_value v = pv_get(run, inst->operands[k]);
        p->operands[k] = pv_new_value(pv, v.type);
        for (uint32_t n = 0; n < v.count; n++)
            p->operands[k].leaves[n] = v.leaves[n];
    }
    return result;
}

/* Pointer arguments may be null, and a pointer past the end of an object may equal one to another object. */
static Z3_ast same_pointers(struct pv *pv, struct pv_leaf a, struct pv_leaf b)
{
    uint64_t x, y;
    if (pv_is_number(pv, a.object, &x) && pv_is_number(pv, b.object, &y) && !x != !y &&
        pv->objects.list[x + y].is_argument)
        return pv->objects.list[x + y].is_null;
    return pv_if(pv, pv_equal(pv, a.object, b.object), pv_equal(pv, a.bits, b.bits),
                 pv_fresh(pv, "same_pointers", 0));
}

static bool pointer_operation(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    if (inst->opcode != SpvOpPtrEqual && inst->opcode != SpvOpPtrNotEqual && inst->opcode != SpvOpIEqual &&
        inst->opcode != SpvOpINotEqual)
        return false;
    struct pv_value a = pv_get(run, inst->operands[0]), b = pv_get(run, inst->operands[1]);
    if (!a.leaves[0].object || !b.leaves[0].object)
        return false;
    struct pv_value out = pv_new_value(pv, ex_type(pv->ex, inst->type));
    Z3_ast same = same_pointers(pv, a.leaves[0], b.leaves[0]);
    bool equal = inst->opcode == SpvOpPtrEqual || inst->opcode == SpvOpIEqual;
    out.leaves[0].bits = equal ? same : pv_not(pv, same);
    pv_set(run, inst, out);
    return true;
}

static bool execute_bitcast(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    if (inst->opcode != SpvOpBitcast)
        return false;
    const struct in_ty *type = ex_type(pv->ex, inst->type);
    struct pv_value a = pv_get(run, inst->operands[0]), out = pv_fresh_value(pv, type);
    bool same = a.count == out.count;
    for (uint32_t i = 0; same && i < a.count; i++)
        same &= pv_width(pv, a.leaves[i].bits) == pv_width(pv, out.leaves[i].bits) &&
                !a.leaves[i].object == !out.leaves[i].object;
    for (uint32_t i = 0; same && i < a.count; i++)
        out.leaves[i] = a.leaves[i];
    pv_set(run, inst, out);
    return true;
}

bool pv_arithmetic(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    if (!inst->result || !inst->type)
        return false;
    const struct in_ty *type = ex_type(pv->ex, inst->type);
    if (pointer_operation(run, inst) || execute_bitcast(run, inst))
        return true;
    if (is_unconstrained(inst->opcode)) {
        pv_set(run, inst, same_as_other(run, inst, pv_fresh_value(pv, type)));
        return true;
    }
    if (inst->opcode ==
        SpvOpConvertPtrToU) { /* addresses of local and private variables differ between work-items */
        pv_set(run, inst, pv_fresh_value(pv, type));
        return true;
    }
    bool one = inst->operand_count == 1, two = inst->operand_count == 2;
    if (!(one || two) || inst->opcode < SpvOpUConvert || inst->opcode > SpvOpNot ||
        (in_scalar(type)->kind != IN_TY_INT && in_scalar(type)->kind != IN_TY_BOOL))
        return false;
    struct pv_value a = pv_get(run, inst->operands[0]), b = two ? pv_get(run, inst->operands[1]) : a;
    struct pv_value out = pv_new_value(pv, type);
    for (uint32_t i = 0; i < out.count; i++) {
        Z3_ast bits = one ? unary_operation(pv, inst, a.leaves[i], in_scalar(type))
                          : integer_operation(run, inst, a.leaves[i].bits, b.leaves[i].bits);
        if (!bits)
            return false;
        out.leaves[i].bits = bits;
    }
    pv_set(run, inst, out);
    return true;
}
