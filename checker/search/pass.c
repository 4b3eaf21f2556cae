/* The passes of event-by-event construction (search/step.c): one for executions that terminate, one for those
 * with a loop that never terminates.  docs/search.md#construction */
#include "checker/search/step.h"

static bool pass_set_up(struct stepper *s)
{
    struct sx *sx = s->sx;
    struct mm_arena *arena = sx->trace_arena;
    uint32_t n = s->thread_count;

    s->walkers = mm_arena_alloc(arena, n * sizeof *s->walkers);
    s->threads = mm_arena_alloc(arena, n * sizeof *s->threads);
    s->out = mm_arena_alloc(arena, n * sizeof *s->out);
    s->traces = mm_arena_alloc(arena, n * sizeof *s->traces);
    s->chosen = mm_arena_alloc(arena, n * sizeof *s->chosen);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t most = sx_event_capacity(&sx->program->threads[t]);

        s->stride = most > s->stride ? most : s->stride;
    }
    s->sources = mm_arena_alloc(arena, n * s->stride * sizeof *s->sources);
    s->choices = mm_arena_alloc(arena, n * s->stride * sizeof *s->choices);
    s->order = mm_arena_alloc(arena, n * s->stride * sizeof *s->order);
    s->waiting = mm_arena_alloc(arena, n * sizeof *s->waiting);
    s->initial = mm_arena_alloc(arena, SX_MAX_LOCATIONS * sizeof *s->initial);
    s->is_initial = mm_arena_alloc(arena, SX_MAX_LOCATIONS);
    if (!s->walkers || !s->threads || !s->out || !s->traces || !s->chosen || !s->sources || !s->choices ||
        !s->order || !s->waiting || !s->initial || !s->is_initial)
        return false;
    for (uint32_t t = 0; t < n; t++) {
        s->walkers[t] = (struct sx_walker){
            .sx = sx, .thread = &sx->program->threads[t], .out = &s->out[t], .stepwise = true};
        if (!sx_walker_begin(&s->walkers[t]))
            return false;
    }
    return true;
}

/* The instructions reachable from each instruction, itself included. */
static bool find_reach(struct stepper *s, uint32_t t)
{
    const struct ck_thread *thread = &s->sx->program->threads[t];
    uint32_t n = thread->instr_count;

    s->facts.reach[t] =
        mm_arena_alloc(s->sx->arena, (mm_rel_size(n, MM_CAT_REL) + 1) * sizeof **s->facts.reach);
    if (!s->facts.reach[t])
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ck_instr *instr = &thread->instrs[i];
        bool jumps = ck_instr_is_jump(instr);

        if (jumps && instr->target < n)
            mm_rel_add(n, s->facts.reach[t], i, instr->target);
        if (i + 1 < n && instr->op != CK_JUMP && instr->op != CK_END)
            mm_rel_add(n, s->facts.reach[t], i, i + 1);
    }
    mm_rel_star(n, s->facts.reach[t], s->facts.reach[t]);
    return true;
}

enum { READ_THERE = 1, ATOMIC_THERE = 2 };

/* Objects with atomic accesses and with reads: the order of writes decides which of them a read may return.
 * Where nothing reads, it is chosen at the end. */
static void find_ordered_objects(struct stepper *s)
{
    const struct ck_program *p = s->sx->program;

    for (uint32_t t = 0; t < s->thread_count; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            const struct ck_instr *i = &p->threads[t].instrs[k];
            uint32_t base;

            if (!ck_instr_is_access(i))
                continue;
            base = ck_program_base(p, i->address);
            for (uint32_t o = 0; o < p->object_count; o++) {
                if (base != CK_NO_OBJECT && p->objects[base].alias_of != p->objects[o].alias_of)
                    continue;
                s->facts.ordered[o] |= i->op != CK_STORE ? READ_THERE : 0;
                s->facts.ordered[o] |= ck_instr_is_atomic(i) || i->op >= CK_RMW ? ATOMIC_THERE : 0;
            }
        }
    }
    for (uint32_t o = 0; o < p->object_count; o++)
        s->facts.ordered[o] = s->facts.ordered[o] == (READ_THERE | ATOMIC_THERE);
}

static bool stepper_init(struct stepper *s)
{
    struct sx *sx = s->sx;

    s->facts.reach = mm_arena_alloc(sx->arena, (s->thread_count + 1) * sizeof *s->facts.reach);
    s->facts.ordered = mm_arena_alloc(sx->arena, sx->program->object_count + 1);
    if (!s->facts.reach || !s->facts.ordered || !sx_create_open_eval(sx) || !sx_plan_threads(s))
        return false;
    for (uint32_t t = 0; t < s->thread_count; t++) {
        if (!find_reach(s, t))
            return false;
    }
    find_ordered_objects(s);
    return true;
}

/* Explores all executions; restarts where it finds that locations overlap or are shared. */
static bool run_pass(struct stepper *s, bool explores_hangs)
{
    s->explores_hangs = explores_hangs;
    s->facts.exchanges = s->sx->explains || (explores_hangs && !sx_is_fair(s->sx)) ? NULL : s->sx->exchanges;
    for (unsigned tries = 0; tries < SX_MAX_RESTARTS; tries++) {
        struct sx *sx = s->sx;

        mm_arena_reset(sx->trace_arena);
        sx->iteration.cuts_changed = sx->iteration.sharing_changed = s->restart = false;
        s->pending = (struct step_pending){0};
        s->order_count = s->guesses = 0;
        if (!pass_set_up(s))
            return sx_out_of_memory(sx);
        if (!sx_add_observed(sx) && !sx->iteration.cuts_changed)
            return false;
        sx_find_impossible_sources(s);
        s->restart = sx->iteration.cuts_changed;
        s->unwind_to = UINT32_MAX;
        s->split_us = 0;
        sx_explore(s);
        sx_join(s);
        if (!s->restart)
            return !s->failed;
        if (sx->iteration.cuts_changed) {
            sx->values.location_count = 0;
            s->facts.values_known = false;
        }
    }
    sx_limit(s->sx, "search.locations", "limit reached: 1100 restarts for locations");
    return false;
}

bool sx_step_through(struct sx *sx, bool values_known)
{
    struct stepper s = {.sx = sx,
                        .thread_count = sx->program->thread_count,
                        .facts.values_known = values_known,
                        .unwind_to = UINT32_MAX};

    if (!stepper_init(&s)) {
        sx_out_of_memory(sx);
        return true;
    }
    if (!run_pass(&s, false))
        return sx->limited;
    if (sx->explains)
        return true;
    sx->explored_all = !sx->limited;
    return !s.facts.waits || !sx->program->kernel || sx->stop || run_pass(&s, true) || sx->limited;
}
