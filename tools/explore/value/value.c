/* Values of ids, and instructions that compute without touching memory.
 * [SPIRV 3.42.11 conversion, 3.42.12 composites, 3.42.13 arithmetic, 3.42.14 bits, 3.42.15 relations] */
#include "tools/explore/value/value.h"
#include "tools/explore/flow.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"

#include <string.h>

/* ---- values -------------------------------------------------------------------------------------- */

struct ex_value ex_new_value(struct ex *ex, const struct in_ty *t)
{
    const struct ex_shape *shape = ex_shape(ex, t);
    if (shape->count == 0 && t->kind != IN_TY_VOID && !(t->kind == IN_TY_STRUCT && t->count == 0))
        ex_fail(ex, MM_LIMIT, "explore.type",
                "a value too large or of unknown size is not explored: use pointers to its elements");
    return (struct ex_value){.type = t,
                             .storage = t->kind == IN_TY_POINTER ? t->storage : 0,
                             .scalars = shape->scalars,
                             .count = shape->count,
                             .leaves = ex_alloc(ex, shape->count * sizeof(uint32_t))};
}

struct ex_value ex_result(struct ex *ex, const struct in_inst *inst)
{
    return ex_new_value(ex, ex_type(ex, inst->type));
}

struct ex_value ex_new_registers(struct ex *ex, const struct in_ty *type)
{
    struct ex_value v = ex_new_value(ex, type);
    for (uint32_t i = 0; i < v.count; i++)
        v.leaves[i] = ex_reg_expr(ex, ex_new_reg(ex, v.scalars[i].size));
    return v;
}

void ex_assign_leaf(struct ex *ex, const struct ex_value *v, uint32_t i, uint32_t expr)
{
    ex_assign(ex, (uint32_t)ex->program->exprs[v->leaves[i]].imm, expr);
}

/* ---- values of ids ------------------------------------------------------------------------------ */

static struct ex_value *constant_value(struct ex *ex, uint32_t id)
{
    struct ex_value *v = ex_alloc(ex, sizeof *v);
    uint64_t value;
    *v = ex_new_value(ex, ex_type_of(ex, id));
    for (uint32_t i = 0; i < v->count && ex_constant(ex, id, i, &value); i++)
        v->leaves[i] = ex_const(ex, value, v->scalars[i].size);
    return v;
}

static struct ex_value *undefined_value(struct ex *ex, uint32_t id)
{
    struct ex_value *v = ex_alloc(ex, sizeof *v);
    *v = ex_new_value(ex, ex_type_of(ex, id));
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t any = ex_read_arbitrary(ex, ex_arbitrary_object(ex, "undefined", v->scalars[i].size),
                                         v->scalars[i].size);
        bool truth = v->scalars[i].type->kind == IN_TY_BOOL;
        v->leaves[i] = truth ? ex_hold(ex, ex_binary(ex, CK_NE, any, ex_const(ex, 0, 1))) : any;
    }
    return v;
}

/* The composite of INST's constituents. */
static struct ex_value *composed_value(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *out = ex_alloc(ex, sizeof *out);
    uint32_t at = 0;
    *out = ex_result(ex, inst);
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        struct ex_value *a = ex_get(ex, inst->operands[i]);
        if (at + a->count > out->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "too many constituents");
        memcpy(out->leaves + at, a->leaves, a->count * sizeof *out->leaves);
        at += a->count;
    }
    if (at != out->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "too few constituents");
    return out;
}

struct ex_value *ex_get(struct ex *ex, uint32_t id)
{
    const struct in_inst *inst = ex_definition(ex, id);
    uint64_t value;
    if (ex_constant(ex, id, 0, &value))
        return constant_value(ex, id);
    if (ex_id(ex, id)->kind == IN_ID_CONSTANT && inst->opcode != SpvOpUndef)
        return composed_value(ex, inst);
    if (inst && inst->opcode == SpvOpUndef)
        return undefined_value(ex, id);
    if (inst && inst->opcode == SpvOpSpecConstantOp)
        return ex_computed_constant(ex, inst);
    if (inst && inst->opcode == SpvOpSpecConstantComposite)
        return composed_value(ex, inst);
    if (ex->item.globals[id].leaves)
        return &ex->item.globals[id];
    if (!ex->item.frame || !ex->item.frame->values[id].type)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.2", "id %u is used where it has no value", id);
    return &ex->item.frame->values[id];
}

uint32_t ex_scalar(struct ex *ex, uint32_t id)
{
    struct ex_value *v = ex_get(ex, id);
    if (v->count != 1)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a scalar", id);
    return v->leaves[0];
}

void ex_set(struct ex *ex, uint32_t id, struct ex_value value)
{
    if (ex->item.frame)
        ex->item.frame->values[id] = value;
    else
        ex->item.globals[id] = value;
}

void ex_set_scalar(struct ex *ex, const struct in_inst *inst, uint32_t expr)
{
    struct ex_value v = ex_result(ex, inst);
    if (v.count != 1)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "the result must be a scalar");
    if (ex_size(ex, expr) != v.scalars[0].size)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "the result's type does not fit its operands");
    v.leaves[0] = expr;
    ex_set(ex, inst->result, v);
}

/* ---- operators ---------------------------------------------------------------------------------- */

static const struct {
    uint16_t opcode;
    enum ck_expr_op op;
    bool swap; /* the operands */
} binaries[] = {
    {SpvOpIAdd, CK_ADD, false},
    {SpvOpISub, CK_SUB, false},
    {SpvOpIMul, CK_MUL, false},
    {SpvOpUDiv, CK_UDIV, false},
    {SpvOpSDiv, CK_SDIV, false},
    {SpvOpUMod, CK_UREM, false},
    {SpvOpSRem, CK_SREM, false},
    {SpvOpSMod, CK_SREM, false}, /* signed_modulo() */
    {SpvOpBitwiseAnd, CK_AND, false},
    {SpvOpBitwiseOr, CK_OR, false},
    {SpvOpBitwiseXor, CK_XOR, false},
    {SpvOpLogicalAnd, CK_AND, false},
    {SpvOpLogicalOr, CK_OR, false},
    {SpvOpLogicalEqual, CK_EQ, false},
    {SpvOpLogicalNotEqual, CK_NE, false},
    {SpvOpShiftLeftLogical, CK_SHL, false},
    {SpvOpShiftRightLogical, CK_LSHR, false},
    {SpvOpShiftRightArithmetic, CK_ASHR, false},
    {SpvOpIEqual, CK_EQ, false},
    {SpvOpINotEqual, CK_NE, false},
    {SpvOpPtrEqual, CK_EQ, false},
    {SpvOpPtrNotEqual, CK_NE, false},
    {SpvOpULessThan, CK_ULT, false},
    {SpvOpUGreaterThan, CK_ULT, true},
    {SpvOpULessThanEqual, CK_ULE, false},
    {SpvOpUGreaterThanEqual, CK_ULE, true},
    {SpvOpSLessThan, CK_SLT, false},
    {SpvOpSGreaterThan, CK_SLT, true},
    {SpvOpSLessThanEqual, CK_SLE, false},
    {SpvOpSGreaterThanEqual, CK_SLE, true},
};

static void need_count(struct ex *ex, const struct in_inst *inst, uint32_t count)
{
    if (inst->operand_count < count)
        ex_fail(ex, MM_INVALID, "SPIRV 2.3", "an instruction lacks operands");
}

static void check_same_shape(struct ex *ex, const struct ex_value *a, uint32_t count)
{
    if (a->count != count)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "operands have different numbers of components");
}

/* The remainder with the sign of the divisor [SPIRV 3.42.13 OpSMod]. */
static uint32_t signed_modulo(struct ex *ex, uint32_t a, uint32_t b)
{
    uint32_t zero = ex_const_like(ex, 0, a), r = ex_hold(ex, ex_binary(ex, CK_SREM, a, b));
    uint32_t differs = ex_binary(ex, CK_NE, ex_binary(ex, CK_SLT, r, zero), ex_binary(ex, CK_SLT, b, zero));
    uint32_t adjust = ex_binary(ex, CK_AND, differs, ex_binary(ex, CK_NE, r, zero));
    return ex_select(ex, adjust, ex_binary(ex, CK_ADD, r, b), r);
}

static bool lower_binary(struct ex *ex, const struct in_inst *inst)
{
    size_t k = 0;
    while (k < sizeof binaries / sizeof *binaries && binaries[k].opcode != inst->opcode)
        k++;
    if (k == sizeof binaries / sizeof *binaries)
        return false;
    need_count(ex, inst, 2);
    struct ex_value out = ex_result(ex, inst);
    struct ex_value *a = ex_get(ex, inst->operands[0]), *b = ex_get(ex, inst->operands[1]);
    check_same_shape(ex, a, out.count);
    check_same_shape(ex, b, out.count);
    for (uint32_t i = 0; i < out.count; i++) {
        enum ck_expr_op op = binaries[k].op;
        uint32_t x = a->leaves[i], y = b->leaves[i];
        unsigned size = out.scalars[i].size;
        if (op >= CK_SHL && op <= CK_ASHR)
            y = ex_resize(ex, y, ex_size(ex, x), false);
        if (ex_size(ex, x) != ex_size(ex, y) || (op < CK_EQ && ex_size(ex, x) != size))
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "operands have different sizes");
        uint32_t result = inst->opcode == SpvOpSMod ? signed_modulo(ex, x, y)
                          : binaries[k].swap        ? ex_op(ex, op, size, y, x, 0)
                                                    : ex_op(ex, op, size, x, y, 0);
        out.leaves[i] = ex_hold(ex, result);
    }
    ex_set(ex, inst->result, out);
    return true;
}

static uint32_t bit_count(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    uint32_t sum = ex_const(ex, 0, n), one = ex_const(ex, 1, n);
    for (unsigned i = 0; i < 8 * n; i++) {
        uint32_t bit = ex_binary(ex, CK_AND, ex_binary(ex, CK_LSHR, a, ex_const(ex, i, n)), one);
        sum = ex_hold(ex, ex_binary(ex, CK_ADD, sum, bit));
    }
    return sum;
}

/* Addresses are 8 bytes here whatever the module's addressing model: as 4 bytes they keep the object and 20
 * bits within it, null stays 0 and no other address becomes 0. */
enum { NARROW_BITS = 20 };

static uint32_t narrow_pointer(struct ex *ex, uint32_t a)
{
    uint32_t object = ex_binary(ex, CK_LSHR, a, ex_const(ex, 32, 8));
    uint32_t offset = ex_binary(ex, CK_AND, a, ex_const(ex, (1U << NARROW_BITS) - 1, 8));
    return ex_resize(
        ex, ex_binary(ex, CK_OR, ex_binary(ex, CK_SHL, object, ex_const(ex, NARROW_BITS, 8)), offset), 4,
        false);
}

static uint32_t wide_pointer(struct ex *ex, uint32_t a)
{
    uint32_t wide = ex_resize(ex, a, 8, false);
    uint32_t object = ex_binary(ex, CK_LSHR, wide, ex_const(ex, NARROW_BITS, 8));
    uint32_t offset = ex_binary(ex, CK_AND, wide, ex_const(ex, (1U << NARROW_BITS) - 1, 8));
    return ex_binary(ex, CK_OR, ex_binary(ex, CK_SHL, object, ex_const(ex, 32, 8)), offset);
}

static uint32_t unary_op(struct ex *ex, const struct in_inst *inst, uint32_t a, unsigned size)
{
    switch (inst->opcode) {
    case SpvOpSNegate:
        return ex_unary(ex, CK_NEG, a);
    case SpvOpNot:
        return ex_unary(ex, CK_NOT, a);
    case SpvOpLogicalNot:
        return ex_unary(ex, CK_LNOT, a);
    case SpvOpConvertPtrToU:
        return size == 4 ? narrow_pointer(ex, a) : ex_resize(ex, a, size, false);
    case SpvOpConvertUToPtr:
        return ex_size(ex, a) == 4 ? wide_pointer(ex, a) : ex_resize(ex, a, size, false);
    case SpvOpUConvert:
        return ex_resize(ex, a, size, false);
    case SpvOpSConvert:
        return ex_resize(ex, a, size, true);
    case SpvOpBitCount:
        return ex_resize(ex, bit_count(ex, a), size, false);
    default:
        return CK_NO_EXPR;
    }
}

static bool lower_unary(struct ex *ex, const struct in_inst *inst)
{
    static const uint16_t opcodes[] = {SpvOpSNegate,  SpvOpNot,           SpvOpLogicalNot,
                                       SpvOpUConvert, SpvOpConvertPtrToU, SpvOpConvertUToPtr,
                                       SpvOpSConvert, SpvOpBitCount};
    bool found = false;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        found = found || opcodes[i] == inst->opcode;
    if (!found)
        return false;
    need_count(ex, inst, 1);
    struct ex_value out = ex_result(ex, inst);
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    check_same_shape(ex, a, out.count);
    for (uint32_t i = 0; i < out.count; i++) {
        unsigned size = out.scalars[i].size;
        if ((inst->opcode <= SpvOpNot && inst->opcode >= SpvOpSNegate) && ex_size(ex, a->leaves[i]) != size)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "operands have different sizes");
        out.leaves[i] = ex_hold(ex, unary_op(ex, inst, a->leaves[i], size));
    }
    ex_set(ex, inst->result, out);
    return true;
}

/* ---- composites --------------------------------------------------------------------------------- */

static void lower_extract(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    const struct in_ty *type = a->type;
    uint32_t at = 0;
    for (uint32_t i = 1; i < inst->operand_count; i++)
        at += ex_leaf_index(ex, type, inst->operands[i], &type);
    struct ex_value out = ex_result(ex, inst);
    if (at + out.count > a->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "the result's type is not the member's");
    memcpy(out.leaves, a->leaves + at, out.count * sizeof *out.leaves);
    ex_set(ex, inst->result, out);
}

static void lower_insert(struct ex *ex, const struct in_inst *inst)
{
    need_count(ex, inst, 2);
    struct ex_value *object = ex_get(ex, inst->operands[0]), *a = ex_get(ex, inst->operands[1]);
    struct ex_value out = ex_result(ex, inst);
    const struct in_ty *type = a->type;
    uint32_t at = 0;
    check_same_shape(ex, a, out.count);
    for (uint32_t i = 2; i < inst->operand_count; i++)
        at += ex_leaf_index(ex, type, inst->operands[i], &type);
    if (at + object->count > out.count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "the object is larger than the member");
    memcpy(out.leaves, a->leaves, out.count * sizeof *out.leaves);
    memcpy(out.leaves + at, object->leaves, object->count * sizeof *out.leaves);
    ex_set(ex, inst->result, out);
}

static void lower_shuffle(struct ex *ex, const struct in_inst *inst)
{
    need_count(ex, inst, 2);
    struct ex_value *a = ex_get(ex, inst->operands[0]), *b = ex_get(ex, inst->operands[1]);
    struct ex_value out = ex_result(ex, inst);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t from = i + 2 < inst->operand_count ? inst->operands[i + 2] : 0;
        if (from == UINT32_MAX)
            from = 0;
        if (from >= a->count + b->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "no component %u", from);
        out.leaves[i] = from < a->count ? a->leaves[from] : b->leaves[from - a->count];
    }
    ex_set(ex, inst->result, out);
}

/* A component chosen at run time; past the end it is undefined, here the last one. */
static void dynamic_extract(struct ex *ex, const struct in_inst *inst)
{
    need_count(ex, inst, 2);
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    uint32_t index = ex_scalar(ex, inst->operands[1]);
    uint32_t out = a->leaves[a->count - 1];
    for (uint32_t i = a->count - 1; i-- > 0;) {
        uint32_t here = ex_binary(ex, CK_EQ, index, ex_const_like(ex, i, index));
        out = ex_hold(ex, ex_select(ex, here, a->leaves[i], out));
    }
    ex_set_scalar(ex, inst, out);
}

static void dynamic_insert(struct ex *ex, const struct in_inst *inst)
{
    need_count(ex, inst, 3);
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    uint32_t value = ex_scalar(ex, inst->operands[1]), index = ex_scalar(ex, inst->operands[2]);
    struct ex_value out = ex_result(ex, inst);
    check_same_shape(ex, a, out.count);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t here = ex_binary(ex, CK_EQ, index, ex_const_like(ex, i, index));
        out.leaves[i] = ex_hold(ex, ex_select(ex, here, value, a->leaves[i]));
    }
    ex_set(ex, inst->result, out);
}

static void select_value(struct ex *ex, const struct in_inst *inst)
{
    need_count(ex, inst, 3);
    struct ex_value *c = ex_get(ex, inst->operands[0]), *a = ex_get(ex, inst->operands[1]),
                    *b = ex_get(ex, inst->operands[2]);
    struct ex_value out = ex_result(ex, inst);
    check_same_shape(ex, a, out.count);
    check_same_shape(ex, b, out.count);
    if (c->count != 1)
        check_same_shape(ex, c, out.count);
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] =
            ex_hold(ex, ex_select(ex, c->leaves[c->count == 1 ? 0 : i], a->leaves[i], b->leaves[i]));
    ex_set(ex, inst->result, out);
}

/* Components of other sizes: bytes are regrouped, the lowest first [SPIRV 3.42.11 OpBitcast]. */
static void lower_bitcast(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    struct ex_value out = ex_result(ex, inst);
    if (a->count == 0 || out.count == 0)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.11", "a bitcast of what has no value");
    unsigned in_size = ex_size(ex, a->leaves[0]), size = out.scalars[0].size;
    if (in_size * a->count != size * out.count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.11", "a bitcast between types of different sizes");
    for (uint32_t i = 0; i < out.count; i++) {
        if (size == in_size) {
            out.leaves[i] = a->leaves[i];
            continue;
        }
        uint32_t value = ex_const(ex, 0, size);
        for (unsigned byte = 0; byte < size; byte++) {
            unsigned at = i * size + byte, shift = at % in_size * 8;
            uint32_t piece = ex_binary(ex, CK_LSHR, a->leaves[at / in_size], ex_const(ex, shift, in_size));
            piece = ex_resize(ex, ex_resize(ex, piece, 1, false), size, false);
            piece = ex_binary(ex, CK_SHL, piece, ex_const(ex, byte * 8, size));
            value = ex_hold(ex, ex_binary(ex, CK_OR, value, piece));
        }
        out.leaves[i] = value;
    }
    ex_set(ex, inst->result, out);
}

/* All components true, or any of them [SPIRV 3.42.15]. */
static void lower_any_or_all(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    uint32_t out = a->leaves[0];
    for (uint32_t i = 1; i < a->count; i++)
        out = ex_hold(ex, ex_binary(ex, inst->opcode == SpvOpAll ? CK_AND : CK_OR, out, a->leaves[i]));
    ex_set_scalar(ex, inst, out);
}

static void lower_construct(struct ex *ex, const struct in_inst *inst)
{
    ex_set(ex, inst->result, *composed_value(ex, inst));
}

static void copy_value(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = ex_get(ex, inst->operands[0]), out = ex_result(ex, inst);
    check_same_shape(ex, a, out.count);
    memcpy(out.leaves, a->leaves, out.count * sizeof *out.leaves);
    ex_keep_storage(&out, a);
    ex_set(ex, inst->result, out);
}

bool ex_handle(struct ex *ex, const struct in_inst *inst, const struct ex_handler *handlers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (handlers[i].opcode == inst->opcode) {
            handlers[i].lower(ex, inst);
            return true;
        }
    return false;
}

bool ex_compute(struct ex *ex, const struct in_inst *inst)
{
    static const struct ex_handler handlers[] = {
        {SpvOpCompositeExtract, lower_extract},
        {SpvOpCompositeInsert, lower_insert},
        {SpvOpCompositeConstruct, lower_construct},
        {SpvOpVectorShuffle, lower_shuffle},
        {SpvOpVectorExtractDynamic, dynamic_extract},
        {SpvOpVectorInsertDynamic, dynamic_insert},
        {SpvOpCopyObject, copy_value},
        {SpvOpCopyLogical, copy_value},
        {SpvOpPtrCastToGeneric, copy_value},
        {SpvOpGenericCastToPtr, copy_value},
        {SpvOpExpectKHR, copy_value},
        {SpvOpBitcast, lower_bitcast},
        {SpvOpAll, lower_any_or_all},
        {SpvOpAny, lower_any_or_all},
        {SpvOpSelect, select_value},
    };
    if (!inst->type || !inst->result || inst->operand_count == 0)
        return false;
    return ex_handle(ex, inst, handlers, sizeof handlers / sizeof *handlers) || ex_float(ex, inst) ||
           ex_integer(ex, inst) || lower_binary(ex, inst) || lower_unary(ex, inst);
}
