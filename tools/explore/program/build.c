/* Expressions, registers and instructions of the thread being built.  Expressions are folded and shared as
 * they are made. */
#include "tools/explore/program/build.h"
#include "memmodel/base/hash.h"

#include <string.h>

static uint64_t size_mask(unsigned size)
{
    return size >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * size)) - 1;
}

/* ---- expressions -------------------------------------------------------------------------------- */

static uint64_t hash_expr(const struct ck_expr *e)
{
    const uint64_t words[] = {e->imm, (uint64_t)e->op << 8 | e->size, (uint64_t)e->a << 32 | e->b, e->c};
    return mm_fnv1a(MM_FNV1A, words, sizeof words);
}

static bool same_expr(const struct ck_expr *a, const struct ck_expr *b)
{
    return a->op == b->op && a->size == b->size && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->imm == b->imm;
}

static uint32_t intern_expr(struct ex *ex, const struct ck_expr *e)
{
    uint64_t hash = hash_expr(e), known;
    for (size_t at = 0; (known = mm_map_next(&ex->build.exprs, hash, &at)) != 0;)
        if (same_expr(&ex->program->exprs[known - 1], e))
            return (uint32_t)known - 1;
    uint32_t index = ex_check_added(ex, ck_program_add_expr(ex->program, e));
    if (!mm_map_add(&ex->build.exprs, hash, index + 1))
        ex_no_memory(ex);
    return index;
}

uint32_t ex_const(struct ex *ex, uint64_t value, unsigned size)
{
    return intern_expr(
        ex, &(struct ck_expr){.op = CK_CONST, .size = (uint8_t)size, .imm = value & size_mask(size)});
}

uint32_t ex_const_like(struct ex *ex, uint64_t value, uint32_t like)
{
    return ex_const(ex, value, ex_size(ex, like));
}

uint32_t ex_reg_expr(struct ex *ex, uint32_t reg)
{
    uint8_t size = ex->program->threads[ex->item.thread].reg_sizes[reg];
    return intern_expr(ex, &(struct ck_expr){.op = CK_REG, .size = size, .imm = reg});
}

bool ex_is_const(const struct ex *ex, uint32_t expr, uint64_t *value)
{
    const struct ck_expr *e = &ex->program->exprs[expr];
    if (e->op != CK_CONST)
        return false;
    *value = e->imm;
    return true;
}

unsigned ex_size(const struct ex *ex, uint32_t expr)
{
    return ex->program->exprs[expr].size;
}

/* What needs no constant on both sides; CK_NO_EXPR: nothing to gain. */
static uint32_t simplify_expr(struct ex *ex, enum ck_expr_op op, unsigned size, uint32_t a, uint32_t b)
{
    uint64_t y;
    if ((op == CK_ZEXT || op == CK_SEXT || op == CK_TRUNC) && ex_size(ex, a) == size)
        return a;
    if (op > CK_SLE)
        return CK_NO_EXPR;
    if (op == CK_EQ && a == b)
        return ex_const(ex, 1, size);
    if (op == CK_NE && a == b)
        return ex_const(ex, 0, size);
    if (!ex_is_const(ex, b, &y))
        return CK_NO_EXPR;
    if (y == 0 &&
        (op == CK_ADD || op == CK_SUB || op == CK_OR || op == CK_XOR || (op >= CK_SHL && op <= CK_ASHR)))
        return a;
    if (y == 1 && (op == CK_MUL || op == CK_UDIV))
        return a;
    if (y == 0 && (op == CK_MUL || op == CK_AND))
        return b;
    /* a boolean compared with 0 */
    if (y == 0 && op == CK_NE && ex_size(ex, a) == size && ex->program->exprs[a].op >= CK_EQ &&
        ex->program->exprs[a].op <= CK_SLE)
        return a;
    return CK_NO_EXPR;
}

uint32_t ex_op(struct ex *ex, enum ck_expr_op op, unsigned size, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x, y = 0;
    struct ck_expr e = {.op = op, .size = (uint8_t)size, .a = a};
    bool binary = op >= CK_ADD && op <= CK_SLE;
    if (op == CK_SELECT) {
        if (ex_is_const(ex, a, &x))
            return x ? b : c;
        if (b == c)
            return b;
        e.b = b;
        e.c = c;
        return intern_expr(ex, &e);
    }
    if (binary)
        e.b = b;
    if (ex_is_const(ex, a, &x) && (!binary || ex_is_const(ex, b, &y)))
        return ex_const(ex, ck_evaluate(op, x, y, ex_size(ex, a)), size);
    uint32_t simple = simplify_expr(ex, op, size, a, b);
    return simple != CK_NO_EXPR ? simple : intern_expr(ex, &e);
}

uint32_t ex_binary(struct ex *ex, enum ck_expr_op op, uint32_t a, uint32_t b)
{
    return ex_op(ex, op, op >= CK_EQ && op <= CK_SLE ? 1 : ex_size(ex, a), a, b, 0);
}

uint32_t ex_unary(struct ex *ex, enum ck_expr_op op, uint32_t a)
{
    return ex_op(ex, op, op == CK_LNOT ? 1 : ex_size(ex, a), a, 0, 0);
}

uint32_t ex_select(struct ex *ex, uint32_t condition, uint32_t yes, uint32_t no)
{
    return ex_op(ex, CK_SELECT, ex_size(ex, yes), condition, yes, no);
}

uint32_t ex_function(struct ex *ex, const struct ck_function *f)
{
    const struct ck_program *p = ex->program;
    for (uint32_t i = 0; i < p->function_count; i++)
        if (strcmp(p->functions[i].name, f->name) == 0)
            return i;
    return ex_check_added(ex, ck_program_add_function(ex->program, f));
}

static uint32_t apply_function(struct ex *ex, uint32_t function, unsigned size, unsigned count,
                               const uint32_t *arguments)
{
    static const enum ck_expr_op ops[] = {CK_APPLY1, CK_APPLY2, CK_APPLY3};
    struct ck_expr e = {.op = ops[count - 1], .size = (uint8_t)size, .imm = function, .a = arguments[0]};
    uint64_t known[3] = {0};
    bool constant = true;
    for (unsigned i = 0; i < count; i++)
        constant = ex_is_const(ex, arguments[i], &known[i]) && constant;
    if (constant)
        return ex_const(ex, ck_apply(ex->program, function, known), size);
    e.b = count > 1 ? arguments[1] : 0;
    e.c = count > 2 ? arguments[2] : 0;
    return intern_expr(ex, &e);
}

uint32_t ex_apply(struct ex *ex, const struct ck_function *function, unsigned size, unsigned count,
                  const uint32_t *arguments)
{
    return apply_function(ex, ex_function(ex, function), size, count, arguments);
}

uint32_t ex_with_operands(struct ex *ex, const struct ck_expr *e, const uint32_t operands[3])
{
    if (e->op < CK_APPLY1)
        return ex_op(ex, e->op, e->size, operands[0], operands[1], operands[2]);
    return apply_function(ex, (uint32_t)e->imm, e->size, ck_expr_operands(e->op), operands);
}

uint32_t ex_resize(struct ex *ex, uint32_t expr, unsigned size, bool is_signed)
{
    unsigned now = ex_size(ex, expr);
    enum ck_expr_op op = size < now ? CK_TRUNC : is_signed ? CK_SEXT : CK_ZEXT;
    return now == size ? expr : ex_op(ex, op, size, expr, 0, 0);
}

/* ---- instructions ------------------------------------------------------------------------------- */

uint32_t ex_new_reg(struct ex *ex, unsigned size)
{
    return ex_check_added(ex, ck_program_add_reg(ex->program, ex->item.thread, "", (uint8_t)size, false));
}

uint32_t ex_emit(struct ex *ex, struct ck_instr instr)
{
    enum { MAX_INSTRS = 1 << 18 };
    if (ex->current) {
        instr.line = ex->current->line;
        instr.column = ex->current->column;
    }
    if (ex->program->threads[ex->item.thread].instr_count >= MAX_INSTRS)
        ex_fail(ex, MM_LIMIT, "explore.size",
                "a work-item of more than %d instructions is not explored: call fewer functions", MAX_INSTRS);
    return ex_check_added(ex, ck_program_add_instr(ex->program, ex->item.thread, &instr));
}

struct ck_instr ex_load(struct ex *ex, uint32_t address, unsigned size)
{
    struct ck_instr i = ex_instr(CK_LOAD);
    i.size = (uint8_t)size;
    i.reg = ex_new_reg(ex, size);
    i.address = address;
    return i;
}

void ex_emit_fault(struct ex *ex)
{
    ex_emit(ex, ex_load(ex, ex_const(ex, 0, 8), 1));
}

void ex_assign(struct ex *ex, uint32_t reg, uint32_t value)
{
    ex_emit(ex, (struct ck_instr){
                    .op = CK_ASSIGN, .size = (uint8_t)ex_size(ex, value), .reg = reg, .value = value});
}

uint32_t ex_hold(struct ex *ex, uint32_t expr)
{
    if (ex->program->exprs[expr].op == CK_CONST)
        return expr;
    uint32_t reg = ex_new_reg(ex, ex_size(ex, expr));
    ex_assign(ex, reg, expr);
    return ex_reg_expr(ex, reg);
}

uint32_t ex_new_label(struct ex *ex)
{
    struct ex_item *item = &ex->item;
    item->labels = ex_grow(ex, item->labels, item->label_count, sizeof *item->labels);
    item->labels[item->label_count] = EX_NO_LABEL;
    return item->label_count++;
}

void ex_place_label(struct ex *ex, uint32_t label)
{
    ex->item.labels[label] = ex->program->threads[ex->item.thread].instr_count;
}

void ex_jump(struct ex *ex, uint32_t label)
{
    ex_emit(ex, (struct ck_instr){.op = CK_JUMP, .target = label});
}

void ex_branch_if_zero(struct ex *ex, uint32_t value, uint32_t label)
{
    ex_emit(ex, (struct ck_instr){.op = CK_BRANCH, .value = value, .target = label});
}

void ex_fault_unless(struct ex *ex, uint32_t condition)
{
    uint32_t fault = ex_new_label(ex), end = ex_new_label(ex);
    ex_branch_if_zero(ex, condition, fault);
    ex_jump(ex, end);
    ex_place_label(ex, fault);
    ex_emit_fault(ex);
    ex_place_label(ex, end);
}

/* Targets are label numbers until the thread is complete. */
void ex_resolve_labels(struct ex *ex)
{
    struct ck_thread *t = &ex->program->threads[ex->item.thread];
    for (uint32_t i = 0; i < t->instr_count; i++) {
        struct ck_instr *instr = &t->instrs[i];
        if (!ck_instr_is_jump(instr))
            continue;
        if (ex->item.labels[instr->target] == EX_NO_LABEL)
            ex_fail(ex, MM_INVALID, "SPIRV 2.11", "a branch to a block that does not exist");
        instr->target = ex->item.labels[instr->target];
    }
}

static uint32_t rename_registers(struct ex *ex, uint32_t expr, const uint32_t *number)
{
    struct ck_expr e = ex->program->exprs[expr];
    if (e.op == CK_CONST)
        return expr;
    if (e.op == CK_REG)
        return intern_expr(ex, &(struct ck_expr){.op = CK_REG, .size = e.size, .imm = number[e.imm]});
    e.a = rename_registers(ex, e.a, number);
    if (ck_expr_operands(e.op) > 1)
        e.b = rename_registers(ex, e.b, number);
    if (ck_expr_operands(e.op) > 2)
        e.c = rename_registers(ex, e.c, number);
    return intern_expr(ex, &e);
}

void ex_rename_registers(struct ex *ex, const uint32_t *number)
{
    struct ck_thread *t = &ex->program->threads[ex->item.thread];
    for (uint32_t i = 0; i < t->instr_count; i++) {
        struct ck_instr *instr = &t->instrs[i];
        bool access = ck_instr_is_access(instr);
        bool has_value = (access && instr->op != CK_LOAD) || instr->op == CK_ASSIGN ||
                         (instr->op >= CK_BRANCH && instr->op <= CK_ASSERT);
        if (access)
            instr->address = rename_registers(ex, instr->address, number);
        if (has_value)
            instr->value = rename_registers(ex, instr->value, number);
        if (instr->op == CK_CAS)
            instr->expected = rename_registers(ex, instr->expected, number);
        if ((access && instr->op != CK_STORE) || instr->op == CK_ASSIGN)
            instr->reg = instr->reg == CK_NO_REG ? CK_NO_REG : number[instr->reg];
        if (instr->op == CK_CAS && instr->reg2 != CK_NO_REG)
            instr->reg2 = number[instr->reg2];
    }
}
