/* Floating-point arithmetic on bit patterns. An operation of the interpreter becomes a function,
 * uninterpreted in Z3 (CEGAR); comparisons and tests are lowered to integer operations, which Z3 decides
 * completely. */
#include "interp/exec/number.h"
#include "interp/exec/ops.h"
#include "interp/module/conversion.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <stdio.h>
#include <string.h>

/* ---- arithmetic --------------------------------------------------------------------------------- */

typedef uint64_t value_fn(const void *context, const uint64_t *arguments);

/* Halves are computed in float, as the interpreter does. */
#define VALUE_16 float
#define VALUE_32 float
#define VALUE_64 double
#define ARITHMETIC(name, expression, width)                                                                  \
    static uint64_t name##_##width(const void *context, const uint64_t *arguments)                           \
    {                                                                                                        \
        const VALUE_##width x = (VALUE_##width)in_bits_to_f64(arguments[0], width);                          \
        const VALUE_##width y = (VALUE_##width)in_bits_to_f64(arguments[1], width);                          \
        const VALUE_##width result = (VALUE_##width)(expression);                                            \
        (void)context;                                                                                       \
        return in_bits_from_f64(result, width);                                                              \
    }
#define THREE_WIDTHS(name, expression)                                                                       \
    ARITHMETIC(name, expression, 16) ARITHMETIC(name, expression, 32) ARITHMETIC(name, expression, 64)
IN_FLOAT_BINARY(THREE_WIDTHS)

enum arithmetic {
#define NAME_OF(name, expression) name,
    IN_FLOAT_BINARY(NAME_OF) ARITHMETIC_COUNT
};
static const struct {
    const char *names[3];
    value_fn *values[3];
} arithmetic[] = {
#define ROW(name, expression) {{#name "_16", #name "_32", #name "_64"}, {name##_16, name##_32, name##_64}},
    IN_FLOAT_BINARY(ROW)};

static unsigned width_index(unsigned size)
{
    return size == 2 ? 0 : size == 4 ? 1 : 2;
}

static struct ck_function function_of(enum arithmetic operation, unsigned size)
{
    return (struct ck_function){.name = arithmetic[operation].names[width_index(size)],
                                .value = arithmetic[operation].values[width_index(size)]};
}

static uint32_t compute_floats(struct ex *ex, enum arithmetic operation, uint32_t a, uint32_t b)
{
    unsigned size = ex_size(ex, a);
    const struct ck_function f = function_of(operation, size);
    return ex_hold(ex, ex_apply(ex, &f, size, 2, (const uint32_t[]){a, b}));
}

static const struct {
    uint16_t opcode, operation;
} binaries[] = {{SpvOpFAdd, FADD}, {SpvOpFSub, FSUB}, {SpvOpFMul, FMUL},
                {SpvOpFDiv, FDIV}, {SpvOpFRem, FREM}, {SpvOpFMod, FMOD}};

/* ---- comparisons and tests ---------------------------------------------------------------------- */

static uint64_t sign_bit(unsigned size)
{
    return UINT64_C(1) << (8 * size - 1);
}

static uint64_t infinity_bits(unsigned size)
{
    return size == 2 ? 0x7C00 : size == 4 ? 0x7F800000 : UINT64_C(0x7FF0000000000000);
}

static uint32_t magnitude_of(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    return ex_binary(ex, CK_AND, a, ex_const(ex, sign_bit(n) - 1, n));
}

static uint32_t is_nan(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    return ex_binary(ex, CK_ULT, ex_const(ex, infinity_bits(n), n), magnitude_of(ex, a));
}

static uint32_t are_unordered(struct ex *ex, uint32_t a, uint32_t b)
{
    return ex_binary(ex, CK_OR, is_nan(ex, a), is_nan(ex, b));
}

static uint32_t both_zero(struct ex *ex, uint32_t a, uint32_t b)
{
    unsigned n = ex_size(ex, a);
    uint32_t any = magnitude_of(ex, ex_binary(ex, CK_OR, a, b));
    return ex_binary(ex, CK_EQ, any, ex_const(ex, 0, n));
}

/* A signed number that grows as the float does. */
static uint32_t rank_float(struct ex *ex, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    uint32_t sign = ex_binary(ex, CK_ASHR, a, ex_const(ex, 8 * n - 1, n));
    uint32_t flip = ex_binary(ex, CK_AND, sign, ex_const(ex, sign_bit(n) - 1, n));
    return ex_binary(ex, CK_XOR, a, flip);
}

/* Of numbers that are no NaN. */
static uint32_t floats_equal(struct ex *ex, uint32_t a, uint32_t b)
{
    return ex_binary(ex, CK_OR, ex_binary(ex, CK_EQ, a, b), both_zero(ex, a, b));
}

uint32_t ex_float_equal(struct ex *ex, uint32_t a, uint32_t b)
{
    return ex_binary(ex, CK_AND, ex_unary(ex, CK_LNOT, are_unordered(ex, a, b)), floats_equal(ex, a, b));
}

static uint32_t float_less(struct ex *ex, uint32_t a, uint32_t b)
{
    return ex_binary(ex, CK_AND, ex_binary(ex, CK_SLT, rank_float(ex, a), rank_float(ex, b)),
                     ex_unary(ex, CK_LNOT, both_zero(ex, a, b)));
}

enum relation { EQUAL, DIFFERENT, LESS, AT_MOST, ANY, NEVER };
static const struct {
    uint16_t opcode, relation;
    bool swap, of_nan; /* OF_NAN: the result if an operand is a NaN */
} relations[] = {
    {SpvOpFOrdEqual, EQUAL, false, false},
    {SpvOpFUnordEqual, EQUAL, false, true},
    {SpvOpFOrdNotEqual, DIFFERENT, false, false},
    {SpvOpFUnordNotEqual, DIFFERENT, false, true},
    {SpvOpLessOrGreater, DIFFERENT, false, false},
    {SpvOpFOrdLessThan, LESS, false, false},
    {SpvOpFUnordLessThan, LESS, false, true},
    {SpvOpFOrdGreaterThan, LESS, true, false},
    {SpvOpFUnordGreaterThan, LESS, true, true},
    {SpvOpFOrdLessThanEqual, AT_MOST, false, false},
    {SpvOpFUnordLessThanEqual, AT_MOST, false, true},
    {SpvOpFOrdGreaterThanEqual, AT_MOST, true, false},
    {SpvOpFUnordGreaterThanEqual, AT_MOST, true, true},
    {SpvOpOrdered, ANY, false, false},
    {SpvOpUnordered, NEVER, false, true},
};

static uint32_t relate_floats(struct ex *ex, size_t k, uint32_t a, uint32_t b)
{
    uint32_t x = relations[k].swap ? b : a, y = relations[k].swap ? a : b, nan = are_unordered(ex, a, b), is;
    switch ((enum relation)relations[k].relation) {
    case EQUAL:
        is = floats_equal(ex, x, y);
        break;
    case DIFFERENT:
        is = ex_unary(ex, CK_LNOT, floats_equal(ex, x, y));
        break;
    case LESS:
        is = float_less(ex, x, y);
        break;
    case AT_MOST:
        is = ex_unary(ex, CK_LNOT, float_less(ex, y, x));
        break;
    default:
        is = ex_const(ex, relations[k].relation == ANY, 1);
    }
    return ex_hold(ex, relations[k].of_nan ? ex_binary(ex, CK_OR, nan, is)
                                           : ex_binary(ex, CK_AND, ex_unary(ex, CK_LNOT, nan), is));
}

static uint32_t test_float(struct ex *ex, uint32_t opcode, uint32_t a)
{
    unsigned n = ex_size(ex, a);
    uint32_t top = ex_const(ex, infinity_bits(n), n), size = magnitude_of(ex, a);
    uint64_t least =
        infinity_bits(n) & (0 - infinity_bits(n)); /* of normal numbers: the exponent's lowest bit */
    switch (opcode) {
    case SpvOpIsNan:
        return is_nan(ex, a);
    case SpvOpIsInf:
        return ex_binary(ex, CK_EQ, size, top);
    case SpvOpIsFinite:
        return ex_binary(ex, CK_ULT, size, top);
    case SpvOpIsNormal:
        return ex_binary(ex, CK_AND, ex_binary(ex, CK_ULT, size, top),
                         ex_binary(ex, CK_ULE, ex_const(ex, least, n), size));
    case SpvOpSignBitSet:
        return ex_binary(ex, CK_SLT, a, ex_const(ex, 0, n));
    case SpvOpFNegate:
        return ex_binary(ex, CK_XOR, a, ex_const(ex, sign_bit(n), n));
    default:
        return CK_NO_EXPR;
    }
}

/* ---- instructions ------------------------------------------------------------------------------- */

static struct ex_value *float_operand(struct ex *ex, const struct in_inst *inst, uint32_t i, uint32_t count)
{
    struct ex_value *v = i < inst->operand_count ? ex_get(ex, inst->operands[i]) : NULL;
    if (!v || v->count != count || v->scalars[0].type->kind != IN_TY_FLOAT)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "an operand is no floating-point value of the right shape");
    return v;
}

static void check_size(struct ex *ex, uint32_t expr, unsigned size)
{
    if (ex_size(ex, expr) != size)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.13", "operands have different sizes");
}

/* Component by component: ROW of the table binaries, or of the table relations. */
static void lower_pairs(struct ex *ex, const struct in_inst *inst, size_t row, bool is_relation)
{
    struct ex_value out = ex_result(ex, inst);
    struct ex_value *a = float_operand(ex, inst, 0, out.count), *b = float_operand(ex, inst, 1, out.count);
    for (uint32_t i = 0; i < out.count; i++) {
        uint32_t x = a->leaves[i], y = b->leaves[i];
        check_size(ex, y, ex_size(ex, x));
        out.leaves[i] = is_relation ? relate_floats(ex, row, x, y)
                                    : compute_floats(ex, (enum arithmetic)binaries[row].operation, x, y);
    }
    ex_set(ex, inst->result, out);
}

static bool lower_binary(struct ex *ex, const struct in_inst *inst)
{
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++)
        if (binaries[k].opcode == inst->opcode) {
            lower_pairs(ex, inst, k, false);
            return true;
        }
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++)
        if (relations[k].opcode == inst->opcode) {
            lower_pairs(ex, inst, k, true);
            return true;
        }
    return false;
}

static bool lower_unary(struct ex *ex, const struct in_inst *inst)
{
    bool is_test = inst->opcode >= SpvOpIsNan && inst->opcode <= SpvOpSignBitSet;
    if (!is_test && inst->opcode != SpvOpFNegate)
        return false;
    struct ex_value out = ex_result(ex, inst);
    struct ex_value *a = float_operand(ex, inst, 0, out.count);
    for (uint32_t i = 0; i < out.count; i++)
        out.leaves[i] = ex_hold(ex, test_float(ex, inst->opcode, a->leaves[i]));
    ex_set(ex, inst->result, out);
    return true;
}

static void lower_scale(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value out = ex_result(ex, inst);
    struct ex_value *a = float_operand(ex, inst, 0, out.count), *b = float_operand(ex, inst, 1, 1);
    for (uint32_t i = 0; i < out.count; i++) {
        check_size(ex, b->leaves[0], ex_size(ex, a->leaves[i]));
        out.leaves[i] = compute_floats(ex, FMUL, a->leaves[i], b->leaves[0]);
    }
    ex_set(ex, inst->result, out);
}

static uint32_t convert_value(struct ex *ex, uint32_t a, enum in_type from, enum in_type to,
                              enum in_rounding rounding, bool saturate);

/* Products are added from the first on; those of halves in float. */
static void lower_dot(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value *a = ex_get(ex, inst->operands[0]);
    struct ex_value *x = float_operand(ex, inst, 0, a->count), *y = float_operand(ex, inst, 1, a->count);
    unsigned size = ex_size(ex, x->leaves[0]), wide = size == 2 ? 4 : size;
    uint32_t sum = ex_const(ex, 0, wide);
    for (uint32_t i = 0; i < a->count; i++) {
        check_size(ex, y->leaves[i], size);
        uint32_t p = x->leaves[i], q = y->leaves[i];
        p = ex_float_resize(ex, p, wide, IN_RTE);
        q = ex_float_resize(ex, q, wide, IN_RTE);
        sum = compute_floats(ex, FADD, sum, compute_floats(ex, FMUL, p, q));
    }
    ex_set_scalar(ex, inst, ex_float_resize(ex, sum, size, IN_RTE));
}

uint32_t ex_float_resize(struct ex *ex, uint32_t a, unsigned size, unsigned rounding)
{
    static const enum in_type types[] = {IN_F16, IN_F32, IN_F64};
    unsigned now = ex_size(ex, a);
    return now == size ? a
                       : convert_value(ex, a, types[width_index(now)], types[width_index(size)],
                                       (enum in_rounding)rounding, false);
}

/* ---- conversions -------------------------------------------------------------------------------- */

struct conversion {
    in_convert_fn function;
};

static uint64_t converted_value(const void *context, const uint64_t *arguments)
{
    const struct conversion *c = context;
    uint64_t result = 0;
    c->function(arguments, &result);
    return result;
}

static uint32_t convert_value(struct ex *ex, uint32_t a, enum in_type from, enum in_type to,
                              enum in_rounding rounding, bool saturate)
{
    char name[64];
    struct conversion *c = ex_alloc(ex, sizeof *c);
    c->function = in_convert_find(from, to, rounding, saturate);
    snprintf(name, sizeof name, "convert %d to %d, rounded %d%s", (int)from, (int)to, (int)rounding,
             saturate ? ", saturated" : "");
    const struct ck_function f = {.name = name, .context = c, .value = converted_value};
    return ex_hold(ex, ex_apply(ex, &f, in_type_size(to), 1, &a));
}

static enum in_type conversion_type(struct ex *ex, const struct in_ty *t, bool is_signed)
{
    if (t->kind != IN_TY_FLOAT && t->kind != IN_TY_INT)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.11", "a conversion of a value that is not a number");
    return in_conversion_type(t, is_signed);
}

static bool is_conversion(struct ex *ex, const struct in_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFConvert:
    case SpvOpSatConvertSToU:
    case SpvOpSatConvertUToS:
        return true;
    case SpvOpUConvert:
    case SpvOpSConvert:
        return ex_id(ex, inst->result)->saturated;
    default:
        return false;
    }
}

static void lower_conversion(struct ex *ex, const struct in_inst *inst)
{
    const struct in_conversion *c = in_conversion_of(inst->opcode);
    const struct in_id *id = ex_id(ex, inst->result);
    struct ex_value out = ex_result(ex, inst), *a = ex_get(ex, inst->operands[0]);
    if (a->count != out.count)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "operands have different numbers of components");
    for (uint32_t i = 0; i < out.count; i++) {
        enum in_type from = conversion_type(ex, a->scalars[i].type, c->from_signed);
        enum in_type to = conversion_type(ex, out.scalars[i].type, c->to_signed);
        out.leaves[i] = convert_value(ex, a->leaves[i], from, to, in_conversion_rounding(c, id),
                                      c->saturate || id->saturated);
    }
    ex_set(ex, inst->result, out);
}

bool ex_float(struct ex *ex, const struct in_inst *inst)
{
    if (is_conversion(ex, inst)) {
        lower_conversion(ex, inst);
        return true;
    }
    if (inst->opcode == SpvOpVectorTimesScalar) {
        lower_scale(ex, inst);
        return true;
    }
    if (inst->opcode == SpvOpDot) {
        lower_dot(ex, inst);
        return true;
    }
    return lower_binary(ex, inst) || lower_unary(ex, inst);
}
