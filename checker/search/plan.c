/* Statically known accesses of a thread: those up to the first branch or address that depends on a read. */
#include "checker/search/step.h"

#include <string.h>

enum { MAX_PLAN = 4096, MAX_STEPS = 100000 };

struct planned {
    uint32_t pc, root, offset; /* ROOT: the object whose memory it is */
    uint32_t barriers;         /* number of barriers before it */
    uint8_t size;
    bool writes;
};

struct sx_plan {
    struct planned *accesses;
    uint32_t count;
    uint32_t barriers; /* number executed so far */
    uint32_t tail;     /* first instruction that is not planned; UINT32_MAX: none */
};

struct planner {
    const struct ck_program *p;
    const struct ck_thread *thread;
    uint64_t *regs, *known; /* KNOWN: set of registers */
    struct sx_plan *plan;
};

static bool is_known(const struct planner *r, uint32_t expr)
{
    const struct ck_expr *e = &r->p->exprs[expr];
    unsigned operands = ck_expr_operands(e->op);

    if (e->op == CK_REG)
        return mm_set_has(r->known, (uint32_t)e->imm);
    return (operands < 1 || is_known(r, e->a)) && (operands < 2 || is_known(r, e->b)) &&
           (operands < 3 || is_known(r, e->c));
}

static void forget(struct planner *r, uint32_t reg)
{
    if (reg != CK_NO_REG)
        r->known[reg / 64] &= ~((uint64_t)1 << reg % 64);
}

/* False: the address is unknown or outside every object. */
static bool plan_access(struct planner *r, uint32_t pc)
{
    const struct ck_instr *i = &r->thread->instrs[pc];
    struct sx_plan *plan = r->plan;
    uint64_t address, number;

    if (plan->count == MAX_PLAN || !is_known(r, i->address))
        return false;
    address = sx_eval_expr(r->p, i->address, r->regs);
    number = (address >> 32) - 1;
    if (number >= r->p->object_count)
        return false;
    plan->accesses[plan->count++] = (struct planned){.pc = pc,
                                                     .root = r->p->objects[number].alias_of,
                                                     .offset = (uint32_t)address,
                                                     .size = i->size,
                                                     .barriers = plan->barriers,
                                                     .writes = i->op != CK_LOAD};
    if (i->op != CK_STORE) {
        forget(r, i->reg);
        if (i->op == CK_CAS)
            forget(r, i->reg2);
    }
    return true;
}

/* Executes the instruction at *PC; false: its effect is unknown. */
static bool plan_step(struct planner *r, uint32_t *pc)
{
    const struct ck_instr *i = &r->thread->instrs[*pc];

    switch (i->op) {
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        if (!plan_access(r, *pc))
            return false;
        break;
    case CK_ASSIGN:
        if (is_known(r, i->value)) {
            r->regs[i->reg] = sx_eval_expr(r->p, i->value, r->regs);
            mm_set_add(r->known, i->reg);
        } else {
            forget(r, i->reg);
        }
        break;
    case CK_BRANCH:
        if (!is_known(r, i->value))
            return false;
        *pc = sx_eval_expr(r->p, i->value, r->regs) ? *pc + 1 : i->target;
        return true;
    case CK_JUMP:
        *pc = i->target;
        return true;
    case CK_BARRIER:
        r->plan->barriers++;
        break;
    case CK_END:
        *pc = r->thread->instr_count;
        return true;
    default:
        break;
    }
    ++*pc;
    return true;
}

static bool plan_thread(struct stepper *s, uint32_t t)
{
    const struct ck_thread *thread = &s->sx->program->threads[t];
    struct planner r = {.p = s->sx->program, .thread = thread, .plan = &s->plans[t]};
    uint32_t pc = 0;

    r.regs = mm_arena_alloc(s->sx->arena, (thread->reg_count + 1) * sizeof *r.regs);
    r.known = mm_arena_alloc(s->sx->arena, (mm_rel_words(thread->reg_count) + 1) * sizeof *r.known);
    r.plan->accesses = mm_arena_alloc(s->sx->arena, MAX_PLAN * sizeof *r.plan->accesses);
    if (!r.regs || !r.known || !r.plan->accesses)
        return false;
    mm_set_complement(thread->reg_count, r.known, r.known); /* registers start at 0 */
    for (uint32_t step = 0; step < MAX_STEPS && pc < thread->instr_count; step++) {
        if (!plan_step(&r, &pc))
            break;
    }
    r.plan->tail = pc < thread->instr_count ? pc : UINT32_MAX;
    return true;
}

bool sx_plan_threads(struct stepper *s)
{
    s->plans = mm_arena_alloc(s->sx->arena, (s->count + 1) * sizeof *s->plans);
    for (uint32_t t = 0; s->plans && t < s->count; t++) {
        if (!plan_thread(s, t))
            return false;
    }
    return s->plans != NULL;
}

/* ---- possible writers ---------------------------------------------------------------------------- */

static bool may_write(const struct stepper *s, uint32_t thread, uint32_t i, const struct sx_location *l)
{
    const struct ck_program *p = s->sx->program;
    const struct ck_instr *instr = &p->threads[thread].instrs[i];
    uint32_t base, offset;

    if (instr->op != CK_STORE && instr->op != CK_RMW && instr->op != CK_CAS)
        return false;
    base = ck_program_base(p, instr->address);
    if (base == UINT32_MAX)
        return true;
    if (p->objects[base].alias_of != l->object)
        return false;
    if (sx_has_register(p, instr->address))
        return true;
    offset = (uint32_t)sx_eval_expr(p, instr->address, NULL);
    return offset < l->offset + l->size && l->offset < offset + instr->size;
}

/* Whether the remaining plan of THREAD has a write to L by instruction I, after at most BARRIERS barriers. */
static bool plans_to_write(const struct stepper *s, uint32_t thread, uint32_t i, const struct sx_location *l,
                           uint32_t barriers)
{
    const struct sx_plan *plan = &s->plans[thread];

    for (uint32_t k = s->threads[thread].accesses; k < plan->count; k++) {
        const struct planned *a = &plan->accesses[k];

        if (a->pc == i && a->writes && a->barriers <= barriers && a->root == l->object &&
            a->offset < l->offset + l->size && l->offset < a->offset + a->size)
            return true;
    }
    return false;
}

/* The same for instructions after the plan. */
static bool may_write_unplanned(const struct stepper *s, uint32_t thread, uint32_t i,
                                const struct sx_location *l)
{
    const struct step_thread *state = &s->threads[thread];
    uint32_t tail = s->plans[thread].tail;

    if (tail != UINT32_MAX && state->accesses >= s->plans[thread].count)
        tail = state->pc; /* the thread has left its plan */
    return tail != UINT32_MAX &&
           mm_rel_has(s->sx->program->threads[thread].instr_count, s->reach[thread], tail, i) &&
           may_write(s, thread, i, l);
}

uint32_t sx_next_write(const struct stepper *s, uint32_t thread, uint32_t location, uint32_t from)
{
    const struct step_thread *state = &s->threads[thread];
    const struct sx_location *l = &s->sx->locations[location];
    uint32_t n = s->sx->program->threads[thread].instr_count;

    if (state->status == STEP_ENDED || state->pc >= n)
        return UINT32_MAX;
    for (uint32_t i = from; i < n; i++) {
        if (plans_to_write(s, thread, i, l, UINT32_MAX) || may_write_unplanned(s, thread, i, l))
            return i;
    }
    return UINT32_MAX;
}

bool sx_writes_after_barrier(const struct stepper *s, uint32_t thread, uint32_t i, uint32_t location)
{
    const struct sx_location *l = &s->sx->locations[location];
    uint32_t passed = 0;

    for (uint32_t e = 0; e < s->walkers[thread].event_count; e++)
        passed += s->walkers[thread].events[e].kind == SX_BARRIER;
    return !may_write_unplanned(s, thread, i, l) && !plans_to_write(s, thread, i, l, passed);
}
