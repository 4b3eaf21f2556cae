/* Statically known accesses of a thread: those up to the first branch or address that depends on a read. */
#include "checker/search/step.h"

#include <string.h>

enum { MAX_PLAN = 4096, MAX_STEPS = 100000 }; /* accesses, and instructions, of a plan */

struct planned {
    uint32_t pc, root, offset; /* ROOT: the object whose memory it is */
    uint32_t event;            /* writes: index of the event, MM_CAT_NO_EVENT: unknown */
    uint32_t barriers;         /* number of barriers before it */
    uint8_t size;
    bool writes;
};

struct sx_plan {
    struct planned *accesses;
    uint32_t count;
    uint32_t barriers; /* number executed so far */
    uint32_t tail;     /* first instruction that is not planned; CK_NO_INSTR: none */
    /* Litmus tests: the first events, which are part of every complete execution. */
    struct sx_event *events;
    uint32_t event_count;
    bool cut; /* further events are unknown */
};

struct planner {
    const struct ck_program *p;
    const struct ck_thread *thread;
    uint64_t *regs, *known; /* KNOWN: set of registers */
    struct sx_plan *plan;
    uint32_t capacity;
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

static void plan_event(struct planner *r, enum sx_kind kind, uint32_t pc, uint64_t address)
{
    const struct ck_instr *i = &r->thread->instrs[pc];
    struct sx_plan *plan = r->plan;

    if (plan->cut || !plan->events)
        return;
    plan->events[plan->event_count++] = (struct sx_event){.kind = (uint8_t)kind,
                                                          .order = i->order,
                                                          .rmw_read = kind == SX_READ && i->op == CK_RMW,
                                                          .rmw_write = kind == SX_WRITE && i->op == CK_RMW,
                                                          .location = MM_CAT_NO_LOCATION,
                                                          .object = (uint32_t)(address >> 32) - 1,
                                                          .start = (uint32_t)address,
                                                          .instr = i};
}

/* A compare-exchange writes or not: what follows it is unknown. */
static void plan_access_events(struct planner *r, uint32_t pc, uint64_t address)
{
    const struct ck_instr *i = &r->thread->instrs[pc];

    r->plan->cut = r->plan->cut || i->op == CK_CAS;
    if (i->op != CK_STORE)
        plan_event(r, SX_READ, pc, address);
    if (i->op != CK_LOAD)
        plan_event(r, SX_WRITE, pc, address);
}

static void plan_barrier(struct planner *r, uint32_t pc)
{
    const struct ck_instr *i = &r->thread->instrs[pc];
    struct sx_plan *plan = r->plan;
    struct sx_event *e = plan->events ? &plan->events[plan->event_count] : NULL;

    plan->barriers++;
    plan->cut = plan->cut || i->quorum || (i->value != CK_NO_EXPR && !is_known(r, i->value));
    if (plan->cut || !e)
        return;
    plan_event(r, SX_BARRIER, pc, 0);
    e->object = CK_NO_OBJECT;
    e->barrier = i->value == CK_NO_EXPR ? i->site : ck_eval_expr(r->p, i->value, r->regs);
    for (uint32_t k = 0; k + 1 < plan->event_count; k++)
        e->occurrence += plan->events[k].kind == SX_BARRIER && plan->events[k].barrier == e->barrier;
}

static void forget_register(struct planner *r, uint32_t reg)
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

    if (plan->count == r->capacity || !is_known(r, i->address))
        return false;
    address = ck_eval_expr(r->p, i->address, r->regs);
    number = (address >> 32) - 1;
    if (number >= r->p->object_count)
        return false;
    plan->accesses[plan->count++] = (struct planned){.pc = pc,
                                                     .root = r->p->objects[number].alias_of,
                                                     .offset = (uint32_t)address,
                                                     .size = i->size,
                                                     .event = MM_CAT_NO_EVENT,
                                                     .barriers = plan->barriers,
                                                     .writes = i->op != CK_LOAD};
    plan_access_events(r, pc, address);
    if (i->op != CK_LOAD && !plan->cut && plan->events)
        plan->accesses[plan->count - 1].event = plan->event_count - 1;
    if (i->op != CK_STORE) {
        forget_register(r, i->reg);
        if (i->op == CK_CAS)
            forget_register(r, i->reg2);
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
            r->regs[i->reg] = ck_eval_expr(r->p, i->value, r->regs);
            mm_set_add(r->known, i->reg);
        } else {
            forget_register(r, i->reg);
        }
        break;
    case CK_BRANCH:
        if (!is_known(r, i->value))
            return false;
        r->plan->cut = r->plan->cut || i->target <= *pc;
        *pc = ck_eval_expr(r->p, i->value, r->regs) ? *pc + 1 : i->target;
        return true;
    case CK_JUMP:
        r->plan->cut = r->plan->cut || i->target <= *pc;
        *pc = i->target;
        return true;
    case CK_BARRIER:
        plan_barrier(r, *pc);
        break;
    case CK_FENCE:
        plan_event(r, SX_FENCE, *pc, 0);
        break;
    case CK_AVAILABILITY:
        plan_event(r, SX_AVAILABILITY, *pc, 0);
        break;
    case CK_VISIBILITY:
        plan_event(r, SX_VISIBILITY, *pc, 0);
        break;
    case CK_POINT:
        plan_event(r, SX_POINT, *pc, 0);
        break;
    case CK_ASSERT:
        r->plan->cut = true;
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
    struct planner r = {.p = s->sx->program, .thread = thread, .plan = &s->facts.plans[t]};
    uint32_t pc = 0;

    r.regs = mm_arena_alloc(s->sx->arena, (thread->reg_count + 1) * sizeof *r.regs);
    r.known = mm_arena_alloc(s->sx->arena, (mm_rel_words(thread->reg_count) + 1) * sizeof *r.known);
    r.capacity = sx_event_capacity(thread) < SX_TRACE_EVENTS ? thread->instr_count : MAX_PLAN;
    r.plan->accesses = mm_arena_alloc(s->sx->arena, (r.capacity + 1) * sizeof *r.plan->accesses);
    if (!r.regs || !r.known || !r.plan->accesses)
        return false;
    if (!s->sx->program->kernel &&
        !(r.plan->events =
              mm_arena_alloc(s->sx->arena, 2 * ((size_t)thread->instr_count + 1) * sizeof *r.plan->events)))
        return false;
    mm_set_complement(thread->reg_count, r.known, r.known); /* registers start at 0 */
    for (uint32_t step = 0; step < MAX_STEPS && pc < thread->instr_count; step++) {
        if (!plan_step(&r, &pc))
            break;
    }
    r.plan->tail = pc < thread->instr_count ? pc : CK_NO_INSTR;
    r.plan->cut = r.plan->cut || pc < thread->instr_count;
    return true;
}

bool sx_plan_threads(struct stepper *s)
{
    s->facts.plans = mm_arena_alloc(s->sx->arena, (s->thread_count + 1) * sizeof *s->facts.plans);
    for (uint32_t t = 0; s->facts.plans && t < s->thread_count; t++) {
        if (!plan_thread(s, t))
            return false;
    }
    return s->facts.plans != NULL;
}

/* ---- planned events -------------------------------------------------------------------------------- */

bool sx_planned_trace(struct stepper *s, uint32_t t, struct sx_trace *trace)
{
    struct sx_plan *plan = &s->facts.plans[t];

    for (uint32_t i = 0; i < plan->event_count; i++) {
        struct sx_event *e = &plan->events[i];
        uint32_t locations[SX_PIECES];
        bool fault;

        if (e->kind > SX_WRITE)
            continue;
        if (sx_locate(s->sx, CK_OBJECT_BASE(e->object) + e->start, e->instr->size, &e->object, &fault,
                      locations) != 1 ||
            sx_strays(s->sx, e->instr, CK_OBJECT_BASE(e->object) + e->start)) {
            plan->event_count = i - e->rmw_write;
            plan->cut = true;
            break;
        }
        e->location = locations[0];
        e->start = s->sx->values.locations[e->location].offset;
    }
    *trace = (struct sx_trace){.events = plan->events, .event_count = plan->event_count};
    return !plan->cut;
}

uint32_t sx_planned_count(const struct stepper *s, uint32_t t)
{
    return s->facts.plans[t].event_count;
}

/* ---- possible writers ---------------------------------------------------------------------------- */

static bool may_write(const struct stepper *s, uint32_t thread, uint32_t i, const struct sx_location *l)
{
    const struct ck_program *p = s->sx->program;
    const struct ck_instr *instr = &p->threads[thread].instrs[i];
    uint32_t base, offset;

    if (!ck_instr_writes(instr))
        return false;
    base = ck_program_base(p, instr->address);
    if (base == CK_NO_OBJECT)
        return true;
    if (p->objects[base].alias_of != l->object)
        return false;
    if (sx_has_register(p, instr->address))
        return true;
    offset = (uint32_t)ck_eval_expr(p, instr->address, NULL);
    return offset < l->offset + l->size && l->offset < offset + instr->size;
}

/* Whether the remaining plan of THREAD has a write to L by instruction I, after at most BARRIERS barriers,
 * that the current read of READER may read. */
static bool plans_to_write(const struct stepper *s, uint32_t thread, uint32_t i, const struct sx_location *l,
                           uint32_t barriers, uint32_t reader)
{
    const struct sx_plan *plan = &s->facts.plans[thread];

    for (uint32_t k = s->threads[thread].accesses; k < plan->count; k++) {
        const struct planned *a = &plan->accesses[k];

        if (a->pc == i && a->writes && a->barriers <= barriers && a->root == l->object &&
            a->offset < l->offset + l->size && l->offset < a->offset + a->size &&
            !sx_is_impossible_source(s, reader, s->walkers[reader].event_count, thread, a->event))
            return true;
    }
    return false;
}

/* The same for instructions after the plan. */
static bool may_write_unplanned(const struct stepper *s, uint32_t thread, uint32_t i,
                                const struct sx_location *l)
{
    const struct step_thread *state = &s->threads[thread];
    uint32_t tail = s->facts.plans[thread].tail;

    if (tail != CK_NO_INSTR && state->accesses >= s->facts.plans[thread].count)
        tail = state->pc; /* the thread has left its plan */
    return tail != CK_NO_INSTR &&
           mm_rel_has(s->sx->program->threads[thread].instr_count, s->facts.reach[thread], tail, i) &&
           may_write(s, thread, i, l);
}

uint32_t sx_next_write(const struct stepper *s, uint32_t thread, uint32_t location, uint32_t from,
                       uint32_t reader)
{
    const struct step_thread *state = &s->threads[thread];
    const struct sx_location *l = &s->sx->values.locations[location];
    const struct ck_thread *code = &s->sx->program->threads[thread];
    uint32_t n = code->instr_count;

    if (state->status >= STEP_STOPPED || state->pc >= n)
        return CK_NO_INSTR;
    for (uint32_t i = from; i < n; i++) {
        if (ck_instr_writes(&code->instrs[i]) && (plans_to_write(s, thread, i, l, MM_CAT_NO_EVENT, reader) ||
                                                  may_write_unplanned(s, thread, i, l)))
            return i;
    }
    return CK_NO_INSTR;
}

bool sx_writes_after_barrier(const struct stepper *s, uint32_t thread, uint32_t i, uint32_t location,
                             uint32_t reader)
{
    const struct sx_location *l = &s->sx->values.locations[location];
    uint32_t passed = 0;

    for (uint32_t e = 0; e < s->walkers[thread].event_count; e++)
        passed += s->walkers[thread].events[e].kind == SX_BARRIER;
    return !may_write_unplanned(s, thread, i, l) && !plans_to_write(s, thread, i, l, passed, reader);
}
