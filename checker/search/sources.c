/* Reads-from edges that no execution of a litmus test has.  The events up to the first branch of each thread
 * that depends on a read are part of every complete execution.  The model is evaluated on all of them, with
 * reads-from and coherence open: where it forbids an edge, no read blocks for that write.
 * docs/search.md#static-sources */
#include "checker/search/step.h"

#include <string.h>

/* For FEW_EVENTS or fewer these edges are not worth their evaluations.  The others bound the cost
 * (docs/search.md#static-sources): an evaluation of N events counts as N / 64 operations on words for each
 * pair of them. */
enum { FEW_EVENTS = 16, MOST_EVALUATIONS = 4000, MOST_ROUNDS = 4 };
#define MOST_OPERATIONS (UINT64_C(4) << 30)

struct sx_static {
    uint32_t **number; /* by thread and event: the number in the graph */
    uint32_t *initial; /* by location: that of the initial write */
    uint32_t locations;
    uint32_t n;           /* of events in the graph; 0: unknown */
    uint64_t *impossible; /* relation from writes to reads */
};

struct settler {
    struct sx *sx;
    struct sx_exec *x;
    struct mm_cat_eval *eval;
    uint64_t evaluations;
};

static bool is_forbidden(struct settler *s)
{
    s->evaluations++;
    return sx_is_forbidden(s->x, s->eval);
}

static bool may_continue(const struct settler *s)
{
    uint64_t operations = (uint64_t)s->x->n * s->x->n * mm_rel_words(s->x->n);

    return s->evaluations < MOST_EVALUATIONS && s->evaluations * operations < MOST_OPERATIONS &&
           sx_in_bounds(s->sx);
}

/* ---- coherence ----------------------------------------------------------------------------------- */

/* Whether coherence may order A before B. */
static bool may_precede(struct settler *s, uint32_t a, uint32_t b)
{
    struct sx_exec *x = s->x;
    bool forbidden;

    mm_rel_add(x->n, x->bounds.co_lower, a, b);
    mm_rel_remove(x->n, x->bounds.co_upper, b, a);
    forbidden = is_forbidden(s);
    mm_rel_remove(x->n, x->bounds.co_lower, a, b);
    mm_rel_add(x->n, x->bounds.co_upper, b, a);
    return !forbidden;
}

/* Orders A and B where one direction is forbidden. */
static bool settle_order(struct settler *s, uint32_t a, uint32_t b)
{
    struct sx_exec *x = s->x;

    if (mm_rel_has(x->n, x->bounds.co_lower, a, b) || mm_rel_has(x->n, x->bounds.co_lower, b, a))
        return false;
    if (may_precede(s, b, a)) {
        uint32_t other = a;

        if (may_precede(s, a, b))
            return false;
        a = b;
        b = other;
    }
    mm_rel_add(x->n, x->bounds.co_lower, a, b);
    mm_rel_remove(x->n, x->bounds.co_upper, b, a);
    return true;
}

static bool settle_writes(struct settler *s)
{
    const struct sx_exec *x = s->x;
    bool changed = false;

    for (uint32_t i = 0; i < x->writes.count; i++) {
        for (uint32_t k = 0; k < i && may_continue(s); k++) {
            if (x->events[x->writes.event[i]].location == x->events[x->writes.event[k]].location)
                changed = settle_order(s, x->writes.event[k], x->writes.event[i]) || changed;
        }
    }
    return changed;
}

/* ---- reads-from ---------------------------------------------------------------------------------- */

/* Whether read R may read from W. */
static bool may_read_from(struct settler *s, uint32_t w, uint32_t r)
{
    struct sx_exec *x = s->x;
    uint32_t count = 0;
    bool forbidden;

    for (uint32_t k = 0; k < x->n; k++) {
        if (k != w && mm_rel_has(x->n, x->bounds.rf_upper, k, r))
            x->reads.sources[count++] = k;
    }
    for (uint32_t k = 0; k < count; k++)
        mm_rel_remove(x->n, x->bounds.rf_upper, x->reads.sources[k], r);
    mm_rel_add(x->n, x->bounds.rf_lower, w, r);
    forbidden = is_forbidden(s);
    mm_rel_remove(x->n, x->bounds.rf_lower, w, r);
    for (uint32_t k = 0; k < count; k++)
        mm_rel_add(x->n, x->bounds.rf_upper, x->reads.sources[k], r);
    return !forbidden;
}

static bool settle_reads(struct settler *s, uint64_t *impossible)
{
    struct sx_exec *x = s->x;
    bool changed = false;

    for (uint32_t r = 0; r < x->n; r++) {
        for (uint32_t w = 0; x->events[r].read && w < x->n && may_continue(s); w++) {
            if (!mm_rel_has(x->n, x->bounds.rf_upper, w, r) || may_read_from(s, w, r))
                continue;
            mm_rel_remove(x->n, x->bounds.rf_upper, w, r);
            mm_rel_add(x->n, impossible, w, r);
            changed = true;
        }
    }
    return changed;
}

/* ---- the events ---------------------------------------------------------------------------------- */

/* The planned events as traces; false: there are too few to be worth it, or too many. */
static bool choose_planned(struct stepper *s, bool *whole)
{
    uint32_t count = 0;

    *whole = true;
    for (uint32_t t = 0; t < s->thread_count; t++) {
        bool all = sx_planned_trace(s, t, &s->traces[t]);

        *whole = *whole && all;
        s->chosen[t] = &s->traces[t];
        count += s->traces[t].event_count;
    }
    return count > FEW_EVENTS && count <= SX_MAX_EVENTS && !s->sx->iteration.cuts_changed &&
           !s->sx->limited && sx_count_events(s->sx, s->chosen) <= SX_MAX_EVENTS &&
           sx_begin_events(s->sx, s->chosen);
}

static bool number_events(struct stepper *s, struct sx_static *out)
{
    const struct sx_exec *x = s->sx->exec;

    out->number = mm_arena_alloc(s->sx->trace_arena, (s->thread_count + 1) * sizeof *out->number);
    out->impossible =
        mm_arena_alloc(s->sx->trace_arena, (mm_rel_size(x->n, MM_CAT_REL) + 1) * sizeof *out->impossible);
    for (uint32_t t = 0; out->number && t < s->thread_count; t++) {
        out->number[t] =
            mm_arena_alloc(s->sx->trace_arena, (s->traces[t].event_count + 1) * sizeof(uint32_t));
        if (!out->number[t])
            return false;
    }
    out->locations = s->sx->values.location_count;
    out->initial = mm_arena_alloc(s->sx->trace_arena, (out->locations + 1) * sizeof *out->initial);
    if (!out->number || !out->impossible || !out->initial)
        return false;
    memcpy(out->initial, x->init_of, out->locations * sizeof *out->initial);
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t t = x->events[i].thread;

        if (!x->events[i].init && !x->events[i].exit)
            out->number[t][x->infos[i].event - s->traces[t].events] = i;
    }
    return true;
}

void sx_find_impossible_sources(struct stepper *s)
{
    struct settler settler = {.sx = s->sx, .x = s->sx->exec};
    struct sx_exec *x = settler.x;
    struct sx_static *out = mm_arena_alloc(s->sx->trace_arena, sizeof *out);
    bool whole;

    s->facts.impossible = NULL;
    if (!out || s->sx->program->kernel || s->sx->features.tracks_dependencies || s->sx->explains ||
        !choose_planned(s, &whole) || !number_events(s, out))
        return;
    for (uint32_t r = 0; r < x->n; r++) {
        for (uint32_t w = 0; x->events[r].read && w < x->n; w++) {
            if (x->events[w].write && x->events[w].location == x->events[r].location)
                mm_rel_add(x->n, x->bounds.rf_upper, w, r);
        }
    }
    sx_find_writes(s->sx);
    settler.eval = whole ? s->sx->eval : s->sx->open_eval;
    if (mm_cat_eval_begin(settler.eval, &x->all, s->sx->err) || is_forbidden(&settler))
        return;
    for (unsigned round = 0; round < MOST_ROUNDS && may_continue(&settler); round++) {
        bool changed = settle_writes(&settler);

        if (!settle_reads(&settler, out->impossible) && !changed)
            break;
    }
    out->n = x->n;
    s->facts.impossible = out;
}

bool sx_is_initial_impossible(const struct stepper *s, uint32_t reader, uint32_t read, uint32_t location)
{
    const struct sx_static *known = s->facts.impossible;

    return known && read < sx_planned_count(s, reader) && location < known->locations &&
           known->initial[location] != MM_CAT_NO_EVENT &&
           mm_rel_has(known->n, known->impossible, known->initial[location], known->number[reader][read]);
}

bool sx_is_impossible_source(const struct stepper *s, uint32_t reader, uint32_t read, uint32_t writer,
                             uint32_t write)
{
    const struct sx_static *known = s->facts.impossible;

    return known && read < sx_planned_count(s, reader) && write < sx_planned_count(s, writer) &&
           mm_rel_has(known->n, known->impossible, known->number[writer][write], known->number[reader][read]);
}
