/* Iterations of loops: where they begin, in which state, and which of them are redundant.
 * docs/search.md#redundant-iterations */
#include "checker/search/walker.h"

#include <string.h>

/* ---- starts of iterations ------------------------------------------------------------------------- */

/* The start of an iteration, in the block of the walker. */
struct start {
    uint64_t effects, events; /* that came before it */
    uint64_t live[];          /* values of the live registers of the edge */
};

static size_t start_words(const struct sx_walker *w)
{
    return sizeof(struct start) / sizeof(uint64_t) + w->most_live;
}

/* The start that lies BACK iterations before the current one. */
static struct start *start_of(const struct sx_walker *w, uint32_t edge, uint32_t back)
{
    return (struct start *)(void *)(sx_loop_counts(w, edge) + SX_LOOP_COUNTS + back * start_words(w));
}

size_t sx_loop_words(const struct sx_walker *w)
{
    return SX_LOOP_COUNTS + SX_STARTS * start_words(w);
}

uint64_t *sx_loop_counts(const struct sx_walker *w, uint32_t edge)
{
    return w->block + w->thread->reg_count + edge * sx_loop_words(w);
}

bool sx_has_events(const struct sx_walker *w, uint32_t edge)
{
    return start_of(w, edge, 0)->events != w->event_count;
}

void sx_begin_iteration(struct sx_walker *w, uint32_t pc, bool is_first)
{
    for (uint32_t e = 0; e < w->edge_count; e++) {
        uint64_t *counts = sx_loop_counts(w, e);
        struct start *now = start_of(w, e, 0);

        if (w->thread->instrs[w->edges[e].pc].target != pc)
            continue;
        if (is_first)
            counts[SX_ITERATIONS] = counts[SX_KNOWN_STARTS] = 0;
        memmove(start_of(w, e, 1), now, (SX_STARTS - 1) * start_words(w) * sizeof *counts);
        counts[SX_KNOWN_STARTS] += counts[SX_KNOWN_STARTS] < SX_STARTS;
        now->effects = w->last_effect;
        now->events = w->event_count;
        for (uint32_t r = 0; r < w->edges[e].live_count; r++)
            now->live[r] = w->block[w->edges[e].live[r]];
    }
}

/* Whether an iteration that begins now would begin in the state of START, with no effect in between. */
static bool is_same_start(const struct sx_walker *w, const struct start *start, const struct sx_edge *edge)
{
    for (uint32_t r = 0; r < edge->live_count; r++) {
        if (start->live[r] != w->block[edge->live[r]])
            return false;
    }
    return start->effects == w->last_effect;
}

/* The number of iterations after which the state of the loop of EDGE is what it was FROM starts ago; 0:
 * unknown, or never. */
static uint32_t find_repetition(const struct sx_walker *w, uint32_t edge, uint32_t from)
{
    for (uint32_t back = from; back < sx_loop_counts(w, edge)[SX_KNOWN_STARTS]; back++) {
        if (is_same_start(w, start_of(w, edge, back), &w->edges[edge]))
            return back + 1;
    }
    return 0;
}

void sx_forget_iterations(struct sx_walker *w, uint32_t edge, uint32_t count)
{
    uint64_t *counts = sx_loop_counts(w, edge);
    uint32_t kept = (uint32_t)counts[SX_KNOWN_STARTS] - count;

    memmove(start_of(w, edge, 0), start_of(w, edge, count), kept * start_words(w) * sizeof *counts);
    counts[SX_KNOWN_STARTS] = kept;
}

/* ---- what an execution without an iteration lacks ---------------------------------------------------- */

static uint32_t thread_number(const struct sx_walker *w)
{
    return (uint32_t)(w->thread - w->sx->program->threads);
}

/* The fence flags that all barriers of the work-group of W have, if there are barriers and models order by
 * them; nothing if the flags differ, some barriers are of sub-groups or named, or the model is not known to
 * order by them. */
static struct sx_barrier_flags find_barrier_flags(const struct sx_walker *w)
{
    const struct ck_program *p = w->sx->program;
    uint32_t own = thread_number(w);
    struct sx_barrier_flags found = {.known = false};

    for (uint32_t t = 0; w->sx->options.drf && t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            const struct ck_instr *barrier = &p->threads[t].instrs[i];

            if (barrier->op != CK_BARRIER || (t != own && !sx_share_barriers(p, own, t, false)))
                continue;
            if (barrier->sub_group || barrier->quorum || barrier->barrier_name ||
                (found.known && barrier->fence_flags != found.flags))
                return (struct sx_barrier_flags){.known = false};
            found = (struct sx_barrier_flags){.known = true, .flags = barrier->fence_flags};
        }
    }
    return found;
}

/* Whether every barrier of the work-group of W orders accesses to OBJECT. */
static bool barriers_order(const struct sx_walker *w, uint32_t object)
{
    return w->barriers.known && sx_flags_order(w->barriers.flags, sx_region_of(w->sx->program, object));
}

/* Whether instruction AT of THREAD is executed before each barrier of THREAD. */
static bool is_before_barriers(const struct ck_thread *thread, uint32_t at)
{
    for (uint32_t i = 0; i < thread->instr_count; i++) {
        const struct ck_instr *instr = &thread->instrs[i];

        if (i < at ? instr->op == CK_BARRIER : (ck_instr_is_jump(instr)) && instr->target <= at)
            return false;
    }
    return true;
}

/* Races of an atomic access of W: none; with accesses before the first barrier of W's work-group alone, which
 * orders them before what follows it; others. */
enum racing { RACING_UNKNOWN, RACING_NEVER, RACING_BEFORE_BARRIER, RACING };

static enum racing find_races(const struct sx_walker *w, const struct ck_instr *access)
{
    const struct ck_program *p = w->sx->program;
    uint32_t own = thread_number(w), object = ck_program_base(p, access->address), t = 0, i = 0;
    enum racing races = RACING_NEVER;

    for (; ck_program_next_race(p, own, access, &t, &i); i++) {
        if (!sx_share_barriers(p, own, t, false) || object == CK_NO_OBJECT ||
            ck_program_base(p, p->threads[t].instrs[i].address) == CK_NO_OBJECT ||
            !barriers_order(w, object) || !is_before_barriers(&p->threads[t], i))
            return RACING;
        races = RACING_BEFORE_BARRIER;
    }
    return races;
}

static bool has_passed_barrier(const struct sx_walker *w, uint32_t event)
{
    for (uint32_t e = 0; e < event; e++) {
        if (w->events[e].kind == SX_BARRIER)
            return true;
    }
    return false;
}

/* Whether EVENT, an access, may race. */
static bool may_race(const struct sx_walker *w, uint32_t event)
{
    const struct ck_instr *i = w->events[event].instr;
    uint8_t *known = &w->racing[i - w->thread->instrs];

    if (!ck_instr_is_atomic(i))
        return true;
    if (*known == RACING_UNKNOWN)
        *known = (uint8_t)find_races(w, i);
    return *known == RACING || (*known == RACING_BEFORE_BARRIER && !has_passed_barrier(w, event));
}

/* Whether all accesses of OBJECT that synchronize are those of the work-group of W, whose barriers order
 * them. */
static bool is_ordered_by_barriers(const struct sx_walker *w, uint32_t object)
{
    const struct ck_program *p = w->sx->program;
    uint32_t own = thread_number(w);

    if (!barriers_order(w, object))
        return false;
    for (uint32_t t = 0; t < p->thread_count && p->objects[object].region != MM_LOCAL; t++) {
        if (t != own && !sx_share_barriers(p, own, t, false))
            return false;
    }
    return true;
}

/* Whether an execution without event WRITE, the write of a read-modify-write that changes no value, lacks
 * nothing that it released: it is no release, and before it come no fences, and no barriers but those that
 * order all its readers. */
static bool releases_nothing(const struct sx_walker *w, uint32_t write)
{
    const struct ck_instr *i = w->events[write].instr;
    bool ordered = is_ordered_by_barriers(w, w->sx->values.locations[w->events[write].location].object);

    if (i->op != CK_RMW || (i->order != MM_RELAXED && i->order != MM_ACQUIRE) || (i->semantics & ~0xFF))
        return false;
    for (uint32_t e = 0; e < write; e++) {
        if (w->events[e].kind > SX_WRITE && !(w->events[e].kind == SX_BARRIER && ordered))
            return false;
    }
    return true;
}

static bool observes_object(const struct sx *sx, const struct ck_term *term, uint32_t object)
{
    const struct ck_object *objects = sx->program->objects;

    return term->kind == CK_TERM_MEMORY && objects[term->object].alias_of == objects[object].alias_of;
}

/* Whether the final state, or a condition on it, contains a part of OBJECT. */
static bool is_object_observed(const struct sx *sx, uint32_t object)
{
    const struct ck_program *p = sx->program;
    bool found = false;

    for (uint32_t i = 0; i < p->observed_count && !found; i++)
        found = observes_object(sx, &p->observed[i], object);
    for (uint32_t i = 0; i < p->prop_count && !found; i++)
        found = p->props[i].op == CK_PROP_COMPARE && (observes_object(sx, &p->props[i].left, object) ||
                                                      observes_object(sx, &p->props[i].right, object));
    return found;
}

bool sx_find_never_read(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    sx->never_read = mm_arena_alloc(sx->arena, p->object_count + 1);
    for (uint32_t o = 0; o < p->object_count && sx->never_read; o++)
        sx->never_read[o] = p->kernel && sx->options.drf && !is_object_observed(sx, o);
    for (uint32_t t = 0; t < p->thread_count && sx->never_read; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            const struct ck_instr *i = &p->threads[t].instrs[k];
            uint32_t base = CK_NO_OBJECT;

            if (!ck_instr_is_access(i) || i->op == CK_STORE)
                continue;
            base = ck_program_base(p, i->address);
            for (uint32_t o = 0; o < p->object_count; o++)
                sx->never_read[o] = sx->never_read[o] && base != CK_NO_OBJECT &&
                                    p->objects[base].alias_of != p->objects[o].alias_of;
        }
    }
    return sx->never_read != NULL;
}

bool sx_is_lost_store(const struct sx_walker *w, const struct ck_instr *i, uint32_t location)
{
    const struct sx_location *l = &w->sx->values.locations[location];

    return i->op == CK_STORE && !ck_instr_is_atomic(i) && !l->shared && w->sx->never_read[l->object] &&
           !w->follows_one;
}

/* Whether an execution without the events from FIRST on, which change no state, may lack a race or an order:
 * its reads may race with the awaited write, a reader of a write that changes no value may synchronize with
 * it, and a fence orders what follows. */
static bool has_consequences(const struct sx_walker *w, uint32_t first)
{
    for (uint32_t i = first; i < w->event_count; i++) {
        if (w->events[i].kind == SX_WRITE && sx_is_lost_store(w, w->events[i].instr, w->events[i].location))
            continue;
        if ((w->events[i].kind == SX_WRITE && !releases_nothing(w, i)) || w->events[i].kind == SX_FENCE ||
            may_race(w, i))
            return true;
    }
    return !w->sx->program->kernel;
}

uint32_t sx_find_redundant_iterations(const struct sx_walker *w, uint32_t edge, uint32_t *first)
{
    uint32_t count = find_repetition(w, edge, 0);

    if (!count)
        return 0;
    for (uint32_t r = 0; r < w->edges[edge].live_count && w->sx->unknown.assumed; r++) {
        uint32_t reg = w->edges[edge].live[r];

        if (mm_set_has(w->unset, reg))
            sx_note_use(w->sx); /* with another value the iterations may have changed the register */
    }
    *first = (uint32_t)start_of(w, edge, count - 1)->events;
    /* one repetition covers all consequences of others in the same state */
    return has_consequences(w, *first) && !find_repetition(w, edge, count) ? 0 : count;
}

/* ---- live registers ----------------------------------------------------------------------------- */

/* Registers that the condition names stay live to the end. */
static void add_observed_registers(const struct ck_program *p, uint32_t thread, uint64_t *live)
{
    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_REG && p->observed[i].thread == thread)
            mm_set_add(live, p->observed[i].reg);
    }
}

/* Lists the registers of the set LIVE for EDGE; false: out of memory. */
static bool list_live_registers(struct sx_walker *w, struct sx_edge *edge, const uint64_t *live)
{
    edge->live = mm_arena_alloc(w->sx->trace_arena, (w->thread->reg_count + 1) * sizeof *edge->live);
    for (uint32_t r = 0; r < w->thread->reg_count && edge->live; r++) {
        if (mm_set_has(live, r))
            edge->live[edge->live_count++] = r;
    }
    w->most_live = edge->live_count > w->most_live ? edge->live_count : w->most_live;
    return edge->live != NULL;
}

/* Finds for each back edge the registers that its target may read; false: out of memory.  Others may differ
 * between iterations that count as repetitions of each other. */
static bool find_loop_liveness(struct sx_walker *w)
{
    const struct ck_thread *t = w->thread;
    uint32_t n = t->instr_count, words = t->reg_count / 64 + 1;
    size_t size = ((size_t)n + 1) * words;
    uint64_t *in = w->edge_count ? mm_alloc_zero(size + words, sizeof *in) : NULL;
    bool changed = in != NULL, done = in || !w->edge_count;

    if (in)
        add_observed_registers(w->sx->program, thread_number(w), in + (size_t)n * words);
    while (changed) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct ck_instr *instr = &t->instrs[i];
            uint64_t *live = in + size;

            memcpy(live, in + (size_t)(instr->op == CK_END ? n : i + 1) * words, words * sizeof *live);
            if (instr->op == CK_JUMP)
                memset(live, 0, words * sizeof *live);
            for (uint32_t k = 0; k < words && (ck_instr_is_jump(instr)); k++)
                live[k] |= in[(size_t)instr->target * words + k];
            ck_instr_live(w->sx->program, instr, live);
            changed = changed || memcmp(in + (size_t)i * words, live, words * sizeof *live) != 0;
            memcpy(in + (size_t)i * words, live, words * sizeof *live);
        }
    }
    for (uint32_t e = 0; e < w->edge_count && done; e++)
        done = list_live_registers(w, &w->edges[e], in + (size_t)t->instrs[w->edges[e].pc].target * words);
    mm_free(in);
    return done;
}

bool sx_find_loops(struct sx_walker *w)
{
    const struct ck_thread *t = w->thread;

    w->edges = mm_arena_alloc(w->sx->trace_arena, (t->instr_count + 1) * sizeof *w->edges);
    w->is_header = mm_arena_alloc(w->sx->trace_arena, t->instr_count + 1);
    w->racing = mm_arena_alloc(w->sx->trace_arena, t->instr_count + 1);
    if (!w->edges || !w->is_header || !w->racing)
        return false;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        if (!ck_instr_is_jump(&t->instrs[i]) || t->instrs[i].target > i)
            continue;
        w->edges[w->edge_count++].pc = i;
        w->is_header[t->instrs[i].target] = 1;
    }
    w->barriers = find_barrier_flags(w);
    return find_loop_liveness(w);
}
