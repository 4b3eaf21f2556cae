/* Constant propagation over a lowered thread: most addresses and many branches depend only on the ids of
 * the work-item. Then dead-code elimination: unreachable instructions, unused assignments, and reads of
 * read-only memory. */
#include "tools/explore/program/fold.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/program/build.h"
#include "tools/explore/program/passes.h"

#include <string.h>

static void find_blocks(struct fold *f)
{
    uint32_t n = f->t->instr_count;
    uint8_t *leader = ex_alloc(f->ex, n + 2);
    leader[0] = 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct ck_instr *instr = &f->t->instrs[i];
        if (ck_instr_is_jump(instr))
            leader[instr->target] = 1;
        if (ck_instr_is_jump(instr) || instr->op == CK_END)
            leader[i + 1] = 1;
    }
    f->block_of = ex_alloc(f->ex, (n + 1) * sizeof *f->block_of);
    f->first = ex_alloc(f->ex, (n + 2) * sizeof *f->first);
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i])
            f->first[f->block_count++] = i;
        f->block_of[i] = f->block_count - 1;
    }
    f->first[f->block_count] = n;
    f->block_of[n] = f->block_count;
}

/* EXPR with constants substituted for the registers that are constant in the current state. */
static uint32_t substitute_constants(struct fold *f, uint32_t expr)
{
    struct ex *ex = f->ex;
    struct ck_expr e = ex->program->exprs[expr];
    if (e.op == CK_CONST)
        return expr;
    if (e.op == CK_REG)
        return f->now[e.imm] == CONSTANT ? ex_const(ex, f->now_values[e.imm], e.size) : expr;
    const uint32_t old[3] = {e.a, e.b, e.c};
    uint32_t operands[3] = {0};
    bool same = true;
    for (unsigned i = 0; i < ck_expr_operands(e.op); i++) {
        operands[i] = substitute_constants(f, old[i]);
        same = same && operands[i] == old[i];
    }
    return same ? expr : ex_with_operands(ex, &e, operands);
}

/* Whether all registers of EXPR are constant in the current state. */
static bool is_known(const struct fold *f, uint32_t expr)
{
    const struct ck_expr *e = &f->ex->program->exprs[expr];
    const uint32_t operands[3] = {e->a, e->b, e->c};
    if (e->op == CK_REG)
        return f->now[e->imm] == CONSTANT;
    for (unsigned i = 0; i < ck_expr_operands(e->op); i++)
        if (!is_known(f, operands[i]))
            return false;
    return true;
}

/* The value of EXPR, if it is constant in the current state.  For trip counts no expression is created. */
static bool constant_now(struct fold *f, uint32_t expr, uint64_t *value)
{
    if (!f->trips)
        return ex_is_const(f->ex, substitute_constants(f, expr), value);
    if (!is_known(f, expr))
        return false;
    *value = ck_eval_expr(f->ex->program, expr, f->now_values);
    return true;
}

static void set_reg(struct fold *f, uint32_t reg, bool constant, uint64_t value)
{
    if (reg == CK_NO_REG)
        return;
    f->now[reg] = constant ? CONSTANT : VARYING;
    if (constant)
        f->now_values[reg] = value;
}

static void step_instruction(struct fold *f, const struct ck_instr *i)
{
    uint64_t value = 0;
    if (i->op == CK_ASSIGN) {
        bool constant = constant_now(f, i->value, &value);
        set_reg(f, i->reg, constant, value);
    } else if (ck_instr_reads(i)) {
        uint64_t at;
        bool known = i->op == CK_LOAD && constant_now(f, i->address, &at) &&
                     ex_known_memory(f->ex, at, i->size, &value);
        set_reg(f, i->reg, known, value);
        if (i->op == CK_CAS)
            set_reg(f, i->reg2, false, 0);
    }
}

bool ex_fold_join(const struct fold *f, uint8_t *states, uint64_t *values, bool first)
{
    bool changed = first;
    for (uint32_t r = 0; r < f->regs; r++) {
        uint8_t was = states[r];
        if (first || was == UNSEEN) {
            states[r] = f->now[r];
            values[r] = f->now_values[r];
        } else if (was == CONSTANT && f->now[r] != UNSEEN &&
                   (f->now[r] == VARYING || f->now_values[r] != values[r])) {
            states[r] = VARYING;
        }
        changed = changed || states[r] != was;
    }
    return changed;
}

bool ex_fold_merge(struct fold *f, uint32_t block)
{
    size_t at = (size_t)block * f->regs;
    bool changed = ex_fold_join(f, f->states + at, f->values + at, !f->reached[block]);
    f->reached[block] = 1;
    return changed;
}

/* Propagates the current state to the entry of BLOCK. */
static void flow_to(struct fold *f, uint32_t block)
{
    if (block >= f->block_count)
        return;
    if (f->trips)
        ex_trips_flow(f, block);
    else
        f->queued[block] |= ex_fold_merge(f, block);
}

static void enter_block(struct fold *f, uint32_t block)
{
    memcpy(f->now, f->states + (size_t)block * f->regs, f->regs);
    memcpy(f->now_values, f->values + (size_t)block * f->regs, f->regs * sizeof *f->now_values);
}

void ex_fold_walk(struct fold *f, uint32_t block)
{
    enter_block(f, block);
    for (uint32_t i = f->first[block]; i < f->first[block + 1]; i++) {
        const struct ck_instr *instr = &f->t->instrs[i];
        uint64_t value;
        step_instruction(f, instr);
        if (instr->op == CK_END)
            return;
        if (instr->op == CK_JUMP) {
            flow_to(f, f->block_of[instr->target]);
            return;
        }
        if (instr->op == CK_ASSUME && constant_now(f, instr->value, &value) && value == 0)
            return;
        if (instr->op != CK_BRANCH)
            continue;
        bool known = constant_now(f, instr->value, &value);
        f->decided |= known;
        if (!known || value == 0)
            flow_to(f, f->block_of[instr->target]);
        if (known && value == 0)
            return;
    }
    flow_to(f, block + 1);
}

static void propagate_states(struct fold *f)
{
    bool again = true;
    flow_to(f, 0);
    while (again) {
        again = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            if (!f->queued[b])
                continue;
            f->queued[b] = 0;
            ex_fold_walk(f, b);
            again = true;
        }
    }
}

/* ---- rewriting ---------------------------------------------------------------------------------- */

static void rewrite_instr(struct fold *f, struct ck_instr *i)
{
    bool access = ck_instr_is_access(i);
    if (access)
        i->address = substitute_constants(f, i->address);
    if (i->op != CK_LOAD && i->value != CK_NO_EXPR &&
        (access || i->op == CK_ASSIGN || i->op == CK_BRANCH || i->op == CK_ASSUME || i->op == CK_ASSERT))
        i->value = substitute_constants(f, i->value);
    if (i->op == CK_CAS)
        i->expected = substitute_constants(f, i->expected);
}

/* Sets KEEP for the instructions to keep; a decided branch becomes a jump, or is removed. */
static void rewrite_thread(struct fold *f, uint8_t *keep)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (!f->reached[b])
            continue;
        enter_block(f, b);
        for (uint32_t i = f->first[b]; i < f->first[b + 1]; i++) {
            struct ck_instr *instr = &f->t->instrs[i];
            uint64_t value;
            rewrite_instr(f, instr);
            step_instruction(f, instr);
            keep[i] = 1;
            bool decides = instr->op == CK_BRANCH || instr->op == CK_ASSUME;
            if (!decides || !ex_is_const(f->ex, instr->value, &value))
                continue;
            if (value)
                keep[i] = 0;
            else if (instr->op == CK_BRANCH)
                instr->op = CK_JUMP;
        }
    }
}

static bool falls_through(const uint8_t *keep, uint32_t from, uint32_t target)
{
    for (uint32_t i = from; i < target; i++)
        if (keep[i])
            return false;
    return target >= from;
}

static void compact_thread(struct fold *f, uint8_t *keep)
{
    struct ck_thread *t = f->t;
    uint32_t n = t->instr_count, at = 0;
    uint32_t *moved = ex_alloc(f->ex, (n + 1) * sizeof *moved);
    for (uint32_t i = n; i-- > 0;)
        if (keep[i] && t->instrs[i].op == CK_JUMP && falls_through(keep, i + 1, t->instrs[i].target))
            keep[i] = 0;
    for (uint32_t i = 0; i < n; i++) {
        moved[i] = at;
        at += keep[i];
    }
    moved[n] = at;
    for (uint32_t i = 0; i < n; i++) {
        if (!keep[i])
            continue;
        struct ck_instr instr = t->instrs[i];
        if (ck_instr_is_jump(&instr))
            instr.target = moved[instr.target];
        t->instrs[moved[i]] = instr;
    }
    t->instr_count = at;
}

/* ---- dead code ---------------------------------------------------------------------------------- */

static bool is_live(const uint64_t *live, uint32_t reg)
{
    return reg != CK_NO_REG && (live[reg / 64] >> (reg % 64) & 1);
}

/* A load that may be removed if its result is unused: of memory that is never written and in no condition, or
 * of hidden memory. */
static bool is_removable_load(const struct fold *f, const struct ck_instr *i)
{
    uint64_t root = i->op == CK_LOAD ? ex_root(f->ex, i->address) : 0;
    uint32_t object = (uint32_t)(root >> 32) - 1;
    return root && object < f->ex->program->object_count &&
           (f->ex->program->objects[object].region == MM_PRIVATE || ex_is_hidden(f->ex, i->address));
}

/* Updates LIVE from after instruction I to before it; false: I has no effect. */
static bool step_backwards(const struct fold *f, const struct ck_instr *i, uint64_t *live)
{
    const struct ck_program *p = f->ex->program;
    if ((i->op == CK_ASSIGN || is_removable_load(f, i)) && !is_live(live, i->reg))
        return false;
    if (i->op == CK_STORE && !i->point && ex_is_unread(f->ex, i->address))
        return false;
    if (i->op == CK_ASSIGN && p->exprs[i->value].op == CK_REG && p->exprs[i->value].imm == i->reg)
        return false;
    ck_instr_live(p, i, live);
    return true;
}

static void find_live_out(const struct fold *f, uint32_t block, const uint64_t *live_in, uint32_t words,
                          uint64_t *live)
{
    uint32_t last = f->first[block + 1];
    const struct ck_instr *end = last > f->first[block] ? &f->t->instrs[last - 1] : NULL;
    memset(live, 0, words * sizeof *live);
    uint32_t targets[2] = {block + 1, f->block_count};
    if (end && ck_instr_is_jump(end))
        targets[end->op == CK_JUMP ? 0 : 1] = f->block_of[end->target];
    if (end && end->op == CK_END)
        return;
    for (int k = 0; k < 2; k++)
        for (uint32_t w = 0; w < words && targets[k] < f->block_count; w++)
            live[w] |= live_in[(size_t)targets[k] * words + w];
}

/* Removes instructions without effect; true if there was one. */
static bool remove_dead(struct fold *f)
{
    uint32_t words = f->regs / 64 + 1, n = f->t->instr_count;
    uint64_t *live_in = ex_alloc(f->ex, ((size_t)f->block_count + 1) * words * sizeof *live_in);
    uint64_t *live = ex_alloc(f->ex, words * sizeof *live);
    uint8_t *keep = ex_alloc(f->ex, n + 1);
    bool changed = true, removed = false;
    while (changed) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;) {
            uint64_t *in = live_in + (size_t)b * words;
            find_live_out(f, b, live_in, words, live);
            for (uint32_t i = f->first[b + 1]; i-- > f->first[b];)
                keep[i] = step_backwards(f, &f->t->instrs[i], live);
            changed = changed || memcmp(in, live, words * sizeof *in) != 0;
            memcpy(in, live, words * sizeof *in);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        removed = removed || !keep[i];
    compact_thread(f, keep);
    return removed;
}

static void renumber_registers(struct fold *f)
{
    struct ck_thread *t = f->t;
    struct ck_program *p = f->ex->program;
    uint64_t *used = ex_alloc(f->ex, (f->regs / 64 + 1) * sizeof *used);
    uint32_t *number = ex_alloc(f->ex, (f->regs + 1) * sizeof *number);
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        const struct ck_instr *instr = &t->instrs[i];
        const uint32_t exprs[3] = {ck_instr_is_access(instr) ? instr->address : CK_NO_EXPR,
                                   instr->op == CK_LOAD ? CK_NO_EXPR : instr->value,
                                   instr->op == CK_CAS ? instr->expected : CK_NO_EXPR};
        bool has_value = instr->op <= CK_CAS || (instr->op >= CK_BRANCH && instr->op <= CK_ASSERT);
        for (int k = 0; k < 3 && has_value; k++)
            if (exprs[k] != CK_NO_EXPR)
                ck_expr_registers(p, exprs[k], used);
        if (instr->op <= CK_CAS && instr->op != CK_STORE && instr->reg != CK_NO_REG)
            used[instr->reg / 64] |= UINT64_C(1) << (instr->reg % 64);
        if (instr->op == CK_CAS && instr->reg2 != CK_NO_REG)
            used[instr->reg2 / 64] |= UINT64_C(1) << (instr->reg2 % 64);
    }
    for (uint32_t r = 0; r < f->regs; r++) {
        if (!is_live(used, r))
            continue;
        number[r] = count;
        t->reg_sizes[count] = t->reg_sizes[r];
        t->reg_names[count] = t->reg_names[r];
        t->reg_signed[count++] = t->reg_signed[r];
    }
    ex_rename_registers(f->ex, number);
    t->reg_count = count;
}

static struct fold start_fold(struct ex *ex)
{
    struct fold f = {.ex = ex, .t = &ex->program->threads[ex->item.thread]};
    f.regs = f.t->reg_count;
    find_blocks(&f);
    return f;
}

struct fold ex_fold_begin(struct ex *ex)
{
    enum { MAX_CELLS = 1 << 26 };
    struct fold f = start_fold(ex);
    size_t cells = ((size_t)f.block_count + 1) * (f.regs + 1);
    if (cells > MAX_CELLS)
        ex_fail(
            ex, MM_LIMIT, "explore.size",
            "a work-item of more than %d pairs of a register and a block is not explored: call fewer functions",
            MAX_CELLS);
    f.reached = ex_alloc(ex, f.block_count + 1);
    f.queued = ex_alloc(ex, f.block_count + 1);
    f.now = ex_alloc(ex, f.regs + 1);
    f.now_values = ex_alloc(ex, (f.regs + 1) * sizeof *f.now_values);
    f.states = mm_alloc_zero(cells, 1);
    f.values = mm_alloc_zero(cells, sizeof *f.values);
    if (!f.states || !f.values) {
        ex_fold_end(&f);
        ex_no_memory(ex);
    }
    return f;
}

void ex_fold_end(struct fold *f)
{
    mm_free(f->states);
    mm_free(f->values);
}

void ex_fold(struct ex *ex)
{
    struct fold f = ex_fold_begin(ex);
    uint8_t *keep = ex_alloc(ex, f.t->instr_count + 1);
    propagate_states(&f);
    rewrite_thread(&f, keep);
    ex_fold_end(&f);
    compact_thread(&f, keep);
    do {
        f = start_fold(ex);
    } while (remove_dead(&f));
    renumber_registers(&f);
}
