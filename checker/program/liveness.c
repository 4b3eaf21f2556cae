/* Strong liveness: the registers whose values decide what a thread does from an instruction on. */
#include "checker/program/program.h"

void ck_expr_registers(const struct ck_program *p, uint32_t expr, uint64_t *set)
{
    const struct ck_expr *e = &p->exprs[expr];
    const unsigned operands = ck_expr_operands(e->op);

    if (e->op == CK_REG)
        set[e->imm / 64] |= UINT64_C(1) << (e->imm % 64);
    if (operands > 0)
        ck_expr_registers(p, e->a, set);
    if (operands > 1)
        ck_expr_registers(p, e->b, set);
    if (operands > 2)
        ck_expr_registers(p, e->c, set);
}

static void remove_live(uint64_t *live, uint32_t reg)
{
    if (reg != CK_NO_REG)
        live[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

static bool is_live(const uint64_t *live, uint32_t reg)
{
    return live[reg / 64] >> (reg % 64) & 1;
}

static bool has_value(enum ck_op op)
{
    return op == CK_ASSIGN || op == CK_STORE || op == CK_RMW || op == CK_CAS || op == CK_BRANCH ||
           op == CK_ASSUME || op == CK_ASSERT || op == CK_BARRIER;
}

void ck_instr_live(const struct ck_program *p, const struct ck_instr *i, uint64_t *live)
{
    const bool access = ck_instr_is_access(i);

    /* An assignment to a dead register uses nothing: a counter that only counts is dead in its loop. */
    if (i->op == CK_ASSIGN && !is_live(live, i->reg))
        return;
    if (i->op == CK_ASSIGN || (access && i->op != CK_STORE))
        remove_live(live, i->reg);
    if (i->op == CK_CAS)
        remove_live(live, i->reg2);
    if (access)
        ck_expr_registers(p, i->address, live);
    if (i->op == CK_CAS)
        ck_expr_registers(p, i->expected, live);
    if (has_value(i->op) && i->value != CK_NO_EXPR)
        ck_expr_registers(p, i->value, live);
}
