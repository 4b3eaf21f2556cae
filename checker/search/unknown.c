/* Unconstrained initial values: how the program uses them.  Where it only moves and computes with them, a few
 * values represent all (no trace depends on them); where a branch or an address depends on one, search tries
 * the constants that the program compares with, and the answer is incomplete.
 * docs/search.md#unconstrained-memory */
#include "checker/search/walker.h"

/* How a value depends on an unconstrained one: as a copy of it or through comparisons for equality alone, or
 * by computation. */
enum level { NONE, COPY, COMPUTED };

struct taint {
    const struct ck_program *p;
    uint8_t *objects; /* enum level of what they hold */
    uint8_t *regs;    /* of the current thread */
    bool changed, control, address;
};

static enum level worst_level(enum level a, enum level b)
{
    return a > b ? a : b;
}

static bool is_constant(const struct ck_program *p, uint32_t expr)
{
    return p->exprs[expr].op == CK_CONST;
}

static enum level taint_of_expr(const struct taint *t, uint32_t expr)
{
    const struct ck_expr *e = &t->p->exprs[expr];
    enum level level;
    bool boolean;

    if (e->op == CK_CONST)
        return NONE;
    if (e->op == CK_REG)
        return (enum level)t->regs[e->imm];
    level = taint_of_expr(t, e->a);
    if (ck_expr_operands(e->op) > 1)
        level = worst_level(level, taint_of_expr(t, e->b));
    if (ck_expr_operands(e->op) > 2)
        level = worst_level(level, taint_of_expr(t, e->c));
    /* of the values to try, constants that the program compares with represent all; others may be equal to
     * any value */
    if ((e->op == CK_EQ || e->op == CK_NE) && !is_constant(t->p, e->a) && !is_constant(t->p, e->b))
        return level == NONE ? NONE : COMPUTED;
    /* Boolean values of one byte may be combined: they depend on the value by equality alone */
    boolean = t->p->exprs[e->a].size == 1 && e->op >= CK_AND && e->op != CK_NOT && e->op != CK_NEG &&
              !(e->op >= CK_SHL && e->op <= CK_ASHR) && !(e->op >= CK_ULT && e->op <= CK_SLE) &&
              e->op < CK_APPLY1;
    if (level == NONE || e->op == CK_EQ || e->op == CK_NE || e->op == CK_LNOT || e->op == CK_SELECT ||
        boolean)
        return level;
    return COMPUTED;
}

static void taint_raise(struct taint *t, uint8_t *what, enum level level)
{
    t->changed = t->changed || *what < level;
    *what = (uint8_t)worst_level((enum level) * what, level);
}

/* Object that an address without registers points into; CK_NO_OBJECT: any. */
static uint32_t object_of(const struct taint *t, uint32_t address)
{
    const struct ck_expr *e = &t->p->exprs[address];

    while (e->op == CK_ADD)
        e = &t->p->exprs[t->p->exprs[e->a].op == CK_CONST ? e->a : e->b];
    uint32_t object = e->op == CK_CONST ? ck_object_at(e->imm) : CK_NO_OBJECT;
    return object < t->p->object_count ? object : CK_NO_OBJECT;
}

static enum level may_hold(const struct taint *t, uint32_t object)
{
    enum level level = NONE;

    for (uint32_t o = 0; o < t->p->object_count; o++) {
        if (object == CK_NO_OBJECT || o == object)
            level = worst_level(level, (enum level)t->objects[o]);
    }
    return level;
}

static void taint_decide(struct taint *t, enum level level)
{
    t->control = t->control || level != NONE;
    t->address = t->address || level == COMPUTED;
}

static void taint_access(struct taint *t, const struct ck_instr *i)
{
    uint32_t object = object_of(t, i->address);
    enum level held = may_hold(t, object), written = NONE;

    if (taint_of_expr(t, i->address) != NONE)
        taint_decide(t, COMPUTED);
    if (i->op == CK_CAS && worst_level(held, taint_of_expr(t, i->expected)) != NONE)
        taint_decide(t, is_constant(t->p, i->expected) ? held : COMPUTED);
    if (i->op != CK_STORE && i->reg != CK_NO_REG && held)
        taint_raise(t, &t->regs[i->reg], held);
    if (i->op != CK_LOAD)
        written = taint_of_expr(t, i->value);
    if (i->op == CK_RMW && i->rmw != CK_RMW_XCHG && worst_level(written, held) != NONE)
        written = COMPUTED;
    for (uint32_t o = 0; o < t->p->object_count && written; o++) {
        if (o == object || object == CK_NO_OBJECT)
            taint_raise(t, &t->objects[o], written);
    }
}

static void taint_instr(struct taint *t, const struct ck_instr *i)
{
    switch (i->op) {
    case CK_ASSIGN:
        taint_raise(t, &t->regs[i->reg], taint_of_expr(t, i->value));
        break;
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        taint_access(t, i);
        break;
    case CK_BRANCH:
    case CK_ASSUME:
    case CK_ASSERT:
        taint_decide(t, taint_of_expr(t, i->value));
        break;
    default:
        break;
    }
}

/* Room for T, and the registers of all threads; NULL: out of memory. */
static uint8_t *taint_create(struct sx *sx, struct taint *t, uint32_t *stride)
{
    const struct ck_program *p = sx->program;

    *t = (struct taint){.p = p, .changed = true};
    *stride = 1;
    for (uint32_t i = 0; i < p->thread_count; i++)
        *stride = p->threads[i].reg_count >= *stride ? p->threads[i].reg_count + 1 : *stride;
    t->objects = mm_arena_alloc(sx->arena, p->object_count * sizeof *t->objects);
    return t->objects ? mm_arena_alloc(sx->arena, (size_t)p->thread_count * *stride) : NULL;
}

/* REGS: of all threads, STRIDE for each.  True: the final state depends on the values. */
static bool taint_run(struct taint *t, uint8_t *regs, uint32_t stride)
{
    const struct ck_program *p = t->p;
    bool observed = false;

    while (t->changed) {
        t->changed = false;
        for (uint32_t i = 0; i < p->thread_count; i++) {
            t->regs = regs + (size_t)i * stride;
            for (uint32_t k = 0; k < p->threads[i].instr_count; k++)
                taint_instr(t, &p->threads[i].instrs[k]);
        }
    }
    for (uint32_t i = 0; i < p->observed_count; i++) {
        const struct ck_term *term = &p->observed[i];

        if (term->kind == CK_TERM_MEMORY)
            observed = observed || t->objects[term->object] != NONE;
        else if (term->kind == CK_TERM_REG)
            observed = observed || regs[(size_t)term->thread * stride + term->reg] != NONE;
    }
    return observed;
}

bool sx_is_decisive(struct sx *sx, uint32_t object)
{
    struct taint t;
    uint32_t stride;
    uint8_t *regs = taint_create(sx, &t, &stride);

    if (!regs)
        return true;
    t.objects[object] = COPY;
    return taint_run(&t, regs, stride) || t.control || t.address;
}

bool sx_find_unconstrained(struct sx *sx)
{
    const struct ck_program *p = sx->program;
    struct taint t;
    uint32_t stride;
    uint8_t *regs;

    for (uint32_t i = 0; i < p->object_count; i++)
        sx->unknown.present = sx->unknown.present || p->objects[i].uninitialized;
    if (!sx->unknown.present)
        return true;
    regs = taint_create(sx, &t, &stride);
    if (!regs)
        return false;
    for (uint32_t i = 0; i < p->object_count; i++)
        t.objects[i] = p->objects[i].uninitialized && !sx_is_assumed_unused(sx, i) ? COPY : NONE;
    sx->unknown.observed = taint_run(&t, regs, stride);
    sx->unknown.controls = t.control;
    sx->unknown.computed = t.address;
    return true;
}

/* ---- values that no work-item uses ------------------------------------------------------------------ */

bool sx_may_assume_unused(const struct ck_program *p)
{
    bool some = false;

    for (uint32_t o = 0; o < p->object_count; o++)
        some = some || (p->objects[o].uninitialized && p->objects[o].region == MM_PRIVATE);
    for (uint32_t i = 0; i < p->observed_count; i++)
        some = some && p->observed[i].kind != CK_TERM_REG;
    return some && p->kernel;
}

bool sx_is_assumed_unused(const struct sx *sx, uint32_t object)
{
    const struct ck_object *o = &sx->program->objects[object];

    return sx->unknown.assumed && o->uninitialized && o->region == MM_PRIVATE;
}

bool sx_is_unset(const struct sx_walker *w, uint32_t expr)
{
    const struct ck_program *p = w->sx->program;
    const struct ck_expr *e = &p->exprs[expr];
    unsigned operands = ck_expr_operands(e->op);
    bool a, b;

    if (e->op == CK_CONST)
        return false;
    if (e->op == CK_REG)
        return mm_set_has(w->unset, (uint32_t)e->imm);
    a = sx_is_unset(w, e->a);
    if (e->op == CK_SELECT)
        return a || sx_is_unset(w, ck_eval_expr(p, e->a, w->block) ? e->b : e->c);
    b = operands > 1 && sx_is_unset(w, e->b);
    if (e->op == CK_AND && a != b) /* 0 decides the result */
        return ck_eval_expr(p, a ? e->b : e->a, w->block) != 0;
    return a || b || (operands > 2 && sx_is_unset(w, e->c));
}

void sx_set_unset(struct sx_walker *w, uint32_t reg, bool unset)
{
    w->unset[reg / 64] &= ~(UINT64_C(1) << reg % 64);
    w->unset[reg / 64] |= (uint64_t)unset << reg % 64;
}

void sx_note_use(struct sx *sx)
{
    sx->unknown.used = true;
    sx_limit(sx, "search.uninitialized", "an execution reads uninitialized memory");
    sx->stop = true;
}

/* ---- values to try ---------------------------------------------------------------------------------- */

/* A value that the program does not name. */
static uint64_t nameless_value(const struct sx *sx, unsigned size)
{
    uint64_t value = 0x5A & sx_mask(size);
    bool named = true;

    for (unsigned tries = 0; named && tries < 1000; tries++) {
        named = false;
        for (uint32_t i = 0; i < sx->values.constant_count && !named; i++)
            named = (sx->values.constants[i] & sx_mask(size)) == value;
        value = (value + named) & sx_mask(size);
    }
    return value;
}

/* Whether the program distinguishes VALUE: compares with it, or computes with unconstrained values. */
static bool value_matters(const struct sx *sx, uint64_t value)
{
    const struct ck_program *p = sx->program;

    if (sx->unknown.computed)
        return true;
    for (uint32_t i = 0; i < p->expr_count; i++) {
        const struct ck_expr *e = &p->exprs[i];

        if ((e->op == CK_EQ || e->op == CK_NE) &&
            ((p->exprs[e->a].op == CK_CONST && p->exprs[e->a].imm == value) ||
             (p->exprs[e->b].op == CK_CONST && p->exprs[e->b].imm == value)))
            return true;
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *instr = &p->threads[t].instrs[i];

            if (instr->op == CK_CAS && p->exprs[instr->expected].op == CK_CONST &&
                p->exprs[instr->expected].imm == value)
                return true;
        }
    }
    return false;
}

bool sx_is_candidate(const struct sx *sx, const struct sx_location *l, uint64_t value)
{
    if (sx->guess)
        return sx_is_guess(sx, l, value);
    if (value == 0 || (value == 1 && sx->unknown.observed))
        return true;
    if (sx->unknown.controls && value == nameless_value(sx, l->size))
        return true;
    for (uint32_t i = 0; i < sx->values.constant_count && sx->unknown.controls; i++) {
        if (sx->values.constants[i] == value)
            return value_matters(sx, value);
    }
    return false;
}

bool sx_add_candidates(struct sx *sx, struct sx_location *l)
{
    enum { MOST = 24 };
    bool ok;
    unsigned count = 0;

    if (sx->guess)
        return sx_add_guesses(sx, l);
    ok = sx_add_value(sx, l, 0);
    if (sx->unknown.observed)
        ok = ok && sx_add_value(sx, l, 1);
    if (!sx->unknown.controls)
        return ok;
    ok = ok && sx_add_value(sx, l, nameless_value(sx, l->size));
    for (uint32_t i = 0; i < sx->values.constant_count && ok; i++) {
        if (sx->values.constants[i] != (sx->values.constants[i] & sx_mask(l->size)) ||
            !value_matters(sx, sx->values.constants[i]))
            continue;
        ok = count++ < MOST ? sx_add_value(sx, l, sx->values.constants[i]) : ok;
    }
    sx->unknown.computed = sx->unknown.computed || count > MOST;
    return ok;
}
