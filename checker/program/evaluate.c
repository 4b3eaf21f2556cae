/* Arithmetic of programs on concrete operands. */
#include "checker/program/program.h"

static uint64_t size_mask(unsigned size)
{
    return size >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * size)) - 1;
}

int64_t ck_sign_extend(uint64_t value, unsigned size)
{
    uint64_t sign = (uint64_t)1 << (8 * size - 1);

    value &= size_mask(size);
    return (int64_t)((value ^ sign) - sign);
}

/* Division by zero has no defined result in any source language: all ones, remainder the dividend, as in
 * bit-vector logic.  Shifts by the width or more give zero (or the sign). */
static uint64_t divide_values(enum ck_expr_op op, uint64_t a, uint64_t b, unsigned size)
{
    int64_t x = ck_sign_extend(a, size), y = ck_sign_extend(b, size);

    switch (op) {
    case CK_UDIV:
        return b ? a / b : size_mask(size);
    case CK_UREM:
        return b ? a % b : a;
    case CK_SDIV:
        if (y == 0)
            return x < 0 ? 1 : size_mask(size);
        return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
    default:
        if (y == 0)
            return a;
        return y == -1 ? 0 : (uint64_t)(x % y);
    }
}

static uint64_t shift_value(enum ck_expr_op op, uint64_t a, uint64_t b, unsigned size)
{
    unsigned width = 8 * size;
    int64_t x = ck_sign_extend(a, size);

    if (op == CK_ASHR) {
        uint64_t fill = x < 0 ? ~(uint64_t)0 : 0;

        if (b == 0)
            return a;
        return b >= width ? fill : ((uint64_t)x >> b) | (fill << (64 - b));
    }
    if (b >= width)
        return 0;
    return op == CK_SHL ? a << b : a >> b;
}

uint64_t ck_apply(const struct ck_program *program, uint64_t function, const uint64_t *arguments)
{
    const struct ck_function *f = &program->functions[function];

    return f->value(f->context, arguments);
}

uint64_t ck_evaluate(enum ck_expr_op op, uint64_t a, uint64_t b, unsigned size)
{
    switch (op) {
    case CK_ADD:
        return a + b;
    case CK_SUB:
        return a - b;
    case CK_MUL:
        return a * b;
    case CK_UDIV:
    case CK_SDIV:
    case CK_UREM:
    case CK_SREM:
        return divide_values(op, a, b, size);
    case CK_AND:
        return a & b;
    case CK_OR:
        return a | b;
    case CK_XOR:
        return a ^ b;
    case CK_SHL:
    case CK_LSHR:
    case CK_ASHR:
        return shift_value(op, a, b, size);
    case CK_EQ:
        return a == b;
    case CK_NE:
        return a != b;
    case CK_ULT:
        return a < b;
    case CK_ULE:
        return a <= b;
    case CK_SLT:
        return ck_sign_extend(a, size) < ck_sign_extend(b, size);
    case CK_SLE:
        return ck_sign_extend(a, size) <= ck_sign_extend(b, size);
    case CK_NOT:
        return ~a;
    case CK_LNOT:
        return a == 0;
    case CK_NEG:
        return 0 - a;
    case CK_SEXT:
        return (uint64_t)ck_sign_extend(a, size);
    case CK_ZEXT:
    case CK_TRUNC:
        return a;
    default:
        return 0;
    }
}

uint64_t ck_eval_expr(const struct ck_program *program, uint32_t expr, const uint64_t *regs)
{
    const struct ck_expr *e = &program->exprs[expr];
    uint64_t a[3] = {0};

    switch (e->op) {
    case CK_CONST:
        return e->imm & size_mask(e->size);
    case CK_REG:
        return regs[e->imm] & size_mask(e->size);
    case CK_SELECT:
        return ck_eval_expr(program, ck_eval_expr(program, e->a, regs) ? e->b : e->c, regs);
    default:
        break;
    }
    a[0] = ck_eval_expr(program, e->a, regs);
    if (ck_expr_operands(e->op) > 1)
        a[1] = ck_eval_expr(program, e->b, regs);
    if (ck_expr_operands(e->op) > 2)
        a[2] = ck_eval_expr(program, e->c, regs);
    if (e->op >= CK_APPLY1)
        return ck_apply(program, e->imm, a) & size_mask(e->size);
    return ck_evaluate(e->op, a[0], a[1], program->exprs[e->a].size) & size_mask(e->size);
}
