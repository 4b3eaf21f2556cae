/* Operators of reductions and scans of work-groups and sub-groups. [SPIRV 3.49.21, 3.49.24] */
#include "reduction.h"

#include "interp/ext/convert.h"
#include <math.h>

static const struct in_reduction reductions[] = {
    {SpvOpGroupIAdd, IN_COMBINE_ADD, IN_SORT_UNSIGNED},
    {SpvOpGroupFAdd, IN_COMBINE_ADD, IN_SORT_FLOATING},
    {SpvOpGroupFMin, IN_COMBINE_MIN, IN_SORT_FLOATING},
    {SpvOpGroupUMin, IN_COMBINE_MIN, IN_SORT_UNSIGNED},
    {SpvOpGroupSMin, IN_COMBINE_MIN, IN_SORT_SIGNED},
    {SpvOpGroupFMax, IN_COMBINE_MAX, IN_SORT_FLOATING},
    {SpvOpGroupUMax, IN_COMBINE_MAX, IN_SORT_UNSIGNED},
    {SpvOpGroupSMax, IN_COMBINE_MAX, IN_SORT_SIGNED},
    {SpvOpGroupIMulKHR, IN_COMBINE_MUL, IN_SORT_UNSIGNED},
    {SpvOpGroupFMulKHR, IN_COMBINE_MUL, IN_SORT_FLOATING},
    {SpvOpGroupBitwiseAndKHR, IN_COMBINE_AND, IN_SORT_UNSIGNED},
    {SpvOpGroupBitwiseOrKHR, IN_COMBINE_OR, IN_SORT_UNSIGNED},
    {SpvOpGroupBitwiseXorKHR, IN_COMBINE_XOR, IN_SORT_UNSIGNED},
    {SpvOpGroupLogicalAndKHR, IN_COMBINE_AND, IN_SORT_UNSIGNED},
    {SpvOpGroupLogicalOrKHR, IN_COMBINE_OR, IN_SORT_UNSIGNED},
    {SpvOpGroupLogicalXorKHR, IN_COMBINE_XOR, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformIAdd, IN_COMBINE_ADD, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformFAdd, IN_COMBINE_ADD, IN_SORT_FLOATING},
    {SpvOpGroupNonUniformIMul, IN_COMBINE_MUL, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformFMul, IN_COMBINE_MUL, IN_SORT_FLOATING},
    {SpvOpGroupNonUniformSMin, IN_COMBINE_MIN, IN_SORT_SIGNED},
    {SpvOpGroupNonUniformUMin, IN_COMBINE_MIN, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformFMin, IN_COMBINE_MIN, IN_SORT_FLOATING},
    {SpvOpGroupNonUniformSMax, IN_COMBINE_MAX, IN_SORT_SIGNED},
    {SpvOpGroupNonUniformUMax, IN_COMBINE_MAX, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformFMax, IN_COMBINE_MAX, IN_SORT_FLOATING},
    {SpvOpGroupNonUniformBitwiseAnd, IN_COMBINE_AND, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformBitwiseOr, IN_COMBINE_OR, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformBitwiseXor, IN_COMBINE_XOR, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformLogicalAnd, IN_COMBINE_AND, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformLogicalOr, IN_COMBINE_OR, IN_SORT_UNSIGNED},
    {SpvOpGroupNonUniformLogicalXor, IN_COMBINE_XOR, IN_SORT_UNSIGNED},
};

static uint64_t combine_floats(enum in_combine how, uint64_t a, uint64_t b, uint32_t width)
{
    double x = in_bits_to_f64(a, width), y = in_bits_to_f64(b, width);
    return in_bits_from_f64(how == IN_COMBINE_ADD   ? x + y
                            : how == IN_COMBINE_MUL ? x * y
                            : how == IN_COMBINE_MIN ? fmin(x, y)
                                                    : fmax(x, y),
                            width);
}

uint64_t in_reduction_combine(const struct in_reduction *r, uint64_t a, uint64_t b, const struct in_ty *s)
{
    uint64_t shift = 64 - 8 * s->size;
    bool less = r->sort == IN_SORT_SIGNED ? (int64_t)(a << shift) < (int64_t)(b << shift) : a < b;
    if (r->sort == IN_SORT_FLOATING)
        return combine_floats((enum in_combine)r->combine, a, b, s->width);
    switch ((enum in_combine)r->combine) {
    case IN_COMBINE_ADD:
        return a + b;
    case IN_COMBINE_MUL:
        return a * b;
    case IN_COMBINE_MIN:
        return less ? a : b;
    case IN_COMBINE_MAX:
        return less ? b : a;
    case IN_COMBINE_AND:
        return a & b;
    case IN_COMBINE_OR:
        return a | b;
    case IN_COMBINE_XOR:
        break;
    }
    return a ^ b;
}

uint64_t in_reduction_identity(const struct in_reduction *r, const struct in_ty *s)
{
    uint64_t ones = s->kind == IN_TY_BOOL ? 1 : UINT64_MAX >> (64 - 8 * s->size), top = ones >> 1;
    bool floating = r->sort == IN_SORT_FLOATING, sign = r->sort == IN_SORT_SIGNED;
    switch ((enum in_combine)r->combine) {
    case IN_COMBINE_MUL:
        return floating ? in_bits_from_f64(1, s->width) : 1;
    case IN_COMBINE_MIN:
        return floating ? in_bits_from_f64(HUGE_VAL, s->width) : sign ? top : ones;
    case IN_COMBINE_MAX:
        return floating ? in_bits_from_f64(-HUGE_VAL, s->width) : sign ? top + 1 : 0;
    case IN_COMBINE_AND:
        return ones;
    default:
        return 0;
    }
}

const struct in_reduction *in_reduction_find(uint32_t opcode)
{
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++)
        if (reductions[k].opcode == opcode)
            return &reductions[k];
    return NULL;
}
