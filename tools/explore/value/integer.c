/* Integers beyond single operations: carries, wide products, bit fields, dot products, computed constants.
 * [SPIRV 3.42.13 arithmetic, 3.42.14 bits, 3.42.7 OpSpecConstantOp; cl_khr_integer_dot_product] */
#include "tools/explore/flow.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <string.h>

enum { MAX_CONSTANT_DEPTH = 1000 }; /* of recursion */

static struct ex_value *integer_operand(struct ex *ex, const struct in_inst *inst, uint32_t i)
{
    if (i >= inst->operand_count)
        ex_fail(ex, MM_INVALID, "SPIRV 2.3", "an instruction lacks operands");
    return ex_get(ex, inst->operands[i]);
}

/* ---- pairs of results ------------------------------------------------------------------------------- */

/* The upper half of the product of 8 bytes, by halves of the operands. */
static uint32_t high_of_long(struct ex *ex, uint32_t a, uint32_t b)
{
    uint32_t low = ex_const(ex, UINT32_MAX, 8), shift = ex_const(ex, 32, 8);
    uint32_t a0 = ex_binary(ex, CK_AND, a, low), a1 = ex_binary(ex, CK_LSHR, a, shift);
    uint32_t b0 = ex_binary(ex, CK_AND, b, low), b1 = ex_binary(ex, CK_LSHR, b, shift);
    uint32_t p01 = ex_hold(ex, ex_binary(ex, CK_MUL, a0, b1)),
             p10 = ex_hold(ex, ex_binary(ex, CK_MUL, a1, b0));
    uint32_t middle =
        ex_binary(ex, CK_ADD, ex_binary(ex, CK_LSHR, ex_binary(ex, CK_MUL, a0, b0), shift),
                  ex_binary(ex, CK_ADD, ex_binary(ex, CK_AND, p01, low), ex_binary(ex, CK_AND, p10, low)));
    uint32_t upper =
        ex_binary(ex, CK_ADD, ex_binary(ex, CK_LSHR, p01, shift), ex_binary(ex, CK_LSHR, p10, shift));
    upper = ex_binary(ex, CK_ADD, upper, ex_binary(ex, CK_LSHR, middle, shift));
    return ex_hold(ex, ex_binary(ex, CK_ADD, ex_binary(ex, CK_MUL, a1, b1), upper));
}

static uint32_t is_negative(struct ex *ex, uint32_t a)
{
    return ex_binary(ex, CK_SLT, a, ex_const_like(ex, 0, a));
}

static uint32_t high_of_product(struct ex *ex, uint32_t a, uint32_t b, bool is_signed)
{
    unsigned size = ex_size(ex, a);
    if (size < 8) {
        uint32_t product =
            ex_binary(ex, CK_MUL, ex_resize(ex, a, 8, is_signed), ex_resize(ex, b, 8, is_signed));
        return ex_resize(ex, ex_binary(ex, CK_LSHR, product, ex_const(ex, 8 * size, 8)), size, false);
    }
    uint32_t high = high_of_long(ex, a, b), zero = ex_const(ex, 0, 8);
    if (!is_signed)
        return high;
    high = ex_binary(ex, CK_SUB, high, ex_select(ex, is_negative(ex, a), b, zero));
    return ex_binary(ex, CK_SUB, high, ex_select(ex, is_negative(ex, b), a, zero));
}

static void pair_of(struct ex *ex, uint32_t opcode, uint32_t a, uint32_t b, uint32_t out[2])
{
    bool product = opcode == SpvOpUMulExtended || opcode == SpvOpSMulExtended;
    out[0] = ex_hold(ex, ex_binary(ex, opcode == SpvOpIAddCarry ? CK_ADD : product ? CK_MUL : CK_SUB, a, b));
    if (product)
        out[1] = ex_hold(ex, high_of_product(ex, a, b, opcode == SpvOpSMulExtended));
    else
        out[1] = ex_hold(ex, ex_resize(ex, ex_binary(ex, CK_ULT, opcode == SpvOpIAddCarry ? out[0] : a, b),
                                       ex_size(ex, a), false));
}

static void lower_wide(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = integer_operand(ex, inst, 0), *b = integer_operand(ex, inst, 1),
                    out = ex_result(ex, inst);
    if (out.type->kind != IN_TY_STRUCT || out.count != 2 * a->count || b->count != a->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "the result type is not a pair of the operands' type");
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t pair[2];
        if (ex_size(ex, a->leaves[i]) != ex_size(ex, b->leaves[i]) ||
            ex_size(ex, a->leaves[i]) != out.scalars[i].size)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "operands have different sizes");
        pair_of(ex, inst->opcode, a->leaves[i], b->leaves[i], pair);
        out.leaves[i] = pair[0];
        out.leaves[a->count + i] = pair[1];
    }
    ex_set(ex, inst->result, out);
}

/* ---- bits ----------------------------------------------------------------------------------------- */

/* COUNT low bits of the size of LIKE. */
static uint32_t low_bits(struct ex *ex, uint32_t count, uint32_t like)
{
    uint32_t one = ex_const_like(ex, 1, like), all = ex_const_like(ex, UINT64_MAX, like);
    uint32_t fits = ex_binary(ex, CK_ULT, count, ex_const_like(ex, 8 * ex_size(ex, like), like));
    return ex_select(ex, fits, ex_binary(ex, CK_SUB, ex_binary(ex, CK_SHL, one, count), one), all);
}

/* The field's highest bit, if there is one, is copied into the bits above. */
static uint32_t sign_extended(struct ex *ex, uint32_t field, uint32_t mask)
{
    uint32_t one = ex_const_like(ex, 1, field);
    uint32_t top = ex_binary(ex, CK_SUB, mask, ex_binary(ex, CK_LSHR, mask, one));
    uint32_t set = ex_binary(ex, CK_NE, ex_binary(ex, CK_AND, field, top), ex_const_like(ex, 0, field));
    uint32_t above = ex_unary(ex, CK_NOT, mask);
    return ex_select(ex, set, ex_binary(ex, CK_OR, field, above), field);
}

static void bit_field(struct ex *ex, const struct in_inst *inst)
{
    bool insert = inst->opcode == SpvOpBitFieldInsert;
    struct ex_value *base = integer_operand(ex, inst, 0), *from = integer_operand(ex, inst, 1),
                    out = ex_result(ex, inst);
    uint32_t at = integer_operand(ex, inst, insert ? 2 : 1)->leaves[0],
             count = integer_operand(ex, inst, insert ? 3 : 2)->leaves[0];
    if (base->count != out.count || (insert && from->count != out.count))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.14", "operands have different numbers of components");
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t x = base->leaves[i];
        unsigned size = ex_size(ex, x);
        uint32_t offset = ex_resize(ex, at, size, false);
        uint32_t mask = ex_hold(ex, low_bits(ex, ex_resize(ex, count, size, false), x));
        if (insert) {
            uint32_t placed = ex_binary(ex, CK_SHL, mask, offset);
            uint32_t field = ex_binary(ex, CK_SHL, ex_binary(ex, CK_AND, from->leaves[i], mask), offset);
            uint32_t rest = ex_binary(ex, CK_AND, x, ex_unary(ex, CK_NOT, placed));
            out.leaves[i] = ex_hold(ex, ex_binary(ex, CK_OR, rest, field));
        } else {
            uint32_t field = ex_hold(ex, ex_binary(ex, CK_AND, ex_binary(ex, CK_LSHR, x, offset), mask));
            bool is_signed = inst->opcode == SpvOpBitFieldSExtract;
            out.leaves[i] = is_signed ? ex_hold(ex, sign_extended(ex, field, mask)) : field;
        }
    }
    ex_set(ex, inst->result, out);
}

static void reverse_bits(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = integer_operand(ex, inst, 0), out = ex_result(ex, inst);
    if (a->count != out.count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.14", "operands have different numbers of components");
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t x = a->leaves[i], sum = ex_const_like(ex, 0, x), one = ex_const_like(ex, 1, x);
        unsigned bits = 8 * ex_size(ex, x);
        for (unsigned k = 0; k < bits; k++) {
            uint32_t bit = ex_binary(ex, CK_AND, ex_binary(ex, CK_LSHR, x, ex_const_like(ex, k, x)), one);
            sum = ex_hold(ex, ex_binary(ex, CK_OR, sum,
                                        ex_binary(ex, CK_SHL, bit, ex_const_like(ex, bits - 1 - k, x))));
        }
        out.leaves[i] = sum;
    }
    ex_set(ex, inst->result, out);
}

/* ---- dot products ------------------------------------------------------------------------------------ */

/* Component K of the operand, as 8 bytes; packed ones are bytes of a number. */
static uint32_t dot_component(struct ex *ex, const struct ex_value *v, uint32_t k, bool packed,
                              bool is_signed)
{
    if (!packed)
        return ex_resize(ex, v->leaves[k], 8, is_signed);
    uint32_t shifted = ex_binary(ex, CK_LSHR, v->leaves[0], ex_const_like(ex, 8 * k, v->leaves[0]));
    return ex_resize(ex, ex_resize(ex, shifted, 1, false), 8, is_signed);
}

/* SUM plus the accumulator A of SIZE bytes, at most 4, limited to what SIZE bytes hold. */
static uint32_t saturated_sum(struct ex *ex, uint32_t sum, uint32_t a, unsigned size, bool is_signed)
{
    uint64_t all = (UINT64_C(1) << (8 * size)) - 1;
    uint32_t most = ex_const(ex, is_signed ? all >> 1 : all, 8),
             least = ex_const(ex, is_signed ? ~(all >> 1) : 0, 8);
    sum = ex_hold(ex, ex_binary(ex, CK_ADD, sum, ex_resize(ex, a, 8, is_signed)));
    sum = ex_hold(ex, ex_select(ex, ex_binary(ex, CK_SLT, most, sum), most, sum));
    return ex_select(ex, ex_binary(ex, CK_SLT, sum, least), least, sum);
}

static void dot_product(struct ex *ex, const struct in_inst *inst)
{
    const uint32_t op = inst->opcode;
    bool accumulates = op >= SpvOpSDotAccSatKHR && op <= SpvOpSUDotAccSatKHR;
    bool first = op != SpvOpUDotKHR && op != SpvOpUDotAccSatKHR,
         second = op == SpvOpSDotKHR || op == SpvOpSDotAccSatKHR;
    struct ex_value *a = integer_operand(ex, inst, 0), *b = integer_operand(ex, inst, 1),
                    out = ex_result(ex, inst);
    bool packed = a->type->kind == IN_TY_INT;
    unsigned size = out.scalars[0].size;
    uint32_t sum = ex_const(ex, 0, 8), count = packed ? 4 : a->count;
    if (a->count != b->count || out.count != 1 || (packed && ex_size(ex, a->leaves[0]) != 4))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "operands of different types");
    if (accumulates && (size > 4 || (!packed && ex_size(ex, a->leaves[0]) > 2)))
        ex_fail(
            ex, MM_LIMIT, "explore.opcode",
            "%s (opcode %u) of more than 16 bits of components or 32 of the result is not explored: add the products",
            in_opcode_name(op), op);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t product = ex_binary(ex, CK_MUL, dot_component(ex, a, k, packed, first),
                                     dot_component(ex, b, k, packed, second));
        sum = ex_hold(ex, ex_binary(ex, CK_ADD, sum, product));
    }
    if (accumulates)
        sum = saturated_sum(ex, sum, integer_operand(ex, inst, 2)->leaves[0], size, first);
    ex_set_scalar(ex, inst, ex_hold(ex, ex_resize(ex, sum, size, false)));
}

/* ---- the instructions -------------------------------------------------------------------------------- */

bool ex_integer(struct ex *ex, const struct in_inst *inst)
{
    static const struct ex_handler handlers[] = {
        {SpvOpIAddCarry, lower_wide},       {SpvOpISubBorrow, lower_wide},
        {SpvOpUMulExtended, lower_wide},    {SpvOpSMulExtended, lower_wide},
        {SpvOpBitFieldInsert, bit_field},   {SpvOpBitFieldSExtract, bit_field},
        {SpvOpBitFieldUExtract, bit_field}, {SpvOpBitReverse, reverse_bits},
        {SpvOpSDotKHR, dot_product},        {SpvOpUDotKHR, dot_product},
        {SpvOpSUDotKHR, dot_product},       {SpvOpSDotAccSatKHR, dot_product},
        {SpvOpUDotAccSatKHR, dot_product},  {SpvOpSUDotAccSatKHR, dot_product},
    };
    return ex_handle(ex, inst, handlers, sizeof handlers / sizeof *handlers);
}

struct ex_value *ex_computed_constant(struct ex *ex, const struct in_inst *inst)
{
    struct in_inst operation = *inst;
    struct ex_value *out =
        ex->item.frame ? &ex->item.frame->values[inst->result] : &ex->item.globals[inst->result];
    if (out->leaves)
        return out;
    if (ex->constant_depth++ >= MAX_CONSTANT_DEPTH)
        ex_fail(ex, MM_LIMIT, "explore.constant",
                "constants that are computed from one another, more than %d", MAX_CONSTANT_DEPTH);
    if (inst->operand_count < 2)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.7", "an instruction lacks operands");
    operation.opcode = (uint16_t)inst->operands[0];
    operation.operands = inst->operands + 1;
    operation.operand_count--;
    if (!ex_compute(ex, &operation))
        ex_fail_unsupported(ex, &operation, "explore.opcode", "in a computed constant", NULL);
    ex->constant_depth--;
    return out;
}
