/* Static pruning before traces are combined.  The common prefixes of the traces of each thread are combined,
 * without values, and the model is evaluated for each reads-from edge and each pair of writes: may an
 * execution contain it?  Traces that read values which only forbidden edges provide are dropped.
 * docs/search.md#trace-listing */
#include "checker/search/exec.h"

#include <string.h>

enum { FEW = 3000, MOST_EVENTS = 256, MOST_QUESTIONS = 4000, MOST_ROUNDS = 4 };

struct settler {
    struct sx *sx;
    struct sx_exec *x;
    struct mm_cat_eval *eval;
    struct sx_trace *shared; /* by thread: the common prefix of its traces */
    const struct sx_trace **chosen;
    bool whole; /* the prefixes are all events */
    uint32_t questions;
    uint64_t **values;  /* by event: set of numbers of values that some trace gives it */
    uint64_t **unknown; /* by location: those that some event after the prefix writes */
};

/* ---- common prefixes ------------------------------------------------------------------------------ */

static bool is_common(const struct sx_event *a, const struct sx_event *b)
{
    return a->instr == b->instr && a->kind == b->kind && a->order == b->order && a->location == b->location &&
           a->object == b->object && a->barrier == b->barrier && a->occurrence == b->occurrence &&
           a->first_half == b->first_half && a->second_half == b->second_half;
}

static void find_shared(struct settler *s, uint32_t t)
{
    const struct sx_thread *thread = &s->sx->threads[t];
    struct sx_trace *shared = &s->shared[t];

    *shared = thread->traces[0];
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        const struct sx_trace *trace = &thread->traces[i];
        uint32_t k = 0;

        while (k < shared->event_count && k < trace->event_count &&
               is_common(&shared->events[k], &trace->events[k]))
            k++;
        while (k > 0 && k < shared->event_count && sx_continues(shared->events, k))
            k--;
        s->whole = s->whole && k == shared->event_count && k == trace->event_count && trace->end == SX_DONE;
        shared->event_count = k;
    }
    s->chosen[t] = shared;
}

/* The index of event I of the graph in the traces of its thread. */
static uint32_t trace_index_of(const struct settler *s, uint32_t i)
{
    return (uint32_t)(s->x->infos[i].event - s->shared[s->x->events[i].thread].events);
}

/* ---- evaluation of the model ---------------------------------------------------------------------- */

static bool is_forbidden(struct settler *s)
{
    s->questions++;
    mm_cat_eval_rf(s->eval, s->x->rf_lower, s->x->rf_upper);
    mm_cat_eval_co(s->eval, s->x->co_lower, s->x->co_upper);
    return mm_cat_eval_forbidden(s->eval, NULL);
}

static bool is_within_limits(const struct settler *s)
{
    return s->questions < MOST_QUESTIONS && sx_in_bounds(s->sx);
}

/* Whether write A may precede B in coherence. */
static bool may_precede(struct settler *s, uint32_t a, uint32_t b)
{
    struct sx_exec *x = s->x;
    bool bad;

    mm_rel_add(x->n, x->co_lower, a, b);
    mm_rel_remove(x->n, x->co_upper, b, a);
    bad = is_forbidden(s);
    mm_rel_remove(x->n, x->co_lower, a, b);
    mm_rel_add(x->n, x->co_upper, b, a);
    return !bad;
}

/* Fixes the order of writes A and B if one direction is forbidden. */
static bool settle_order(struct settler *s, uint32_t a, uint32_t b)
{
    struct sx_exec *x = s->x;

    if (mm_rel_has(x->n, x->co_lower, a, b) || mm_rel_has(x->n, x->co_lower, b, a))
        return false;
    if (may_precede(s, b, a)) {
        if (may_precede(s, a, b))
            return false;
        uint32_t other = a;

        a = b;
        b = other;
    }
    mm_rel_add(x->n, x->co_lower, a, b);
    mm_rel_remove(x->n, x->co_upper, b, a);
    return true;
}

static bool settle_writes(struct settler *s)
{
    const struct sx_exec *x = s->x;
    bool changed = false;

    for (uint32_t i = 0; i < x->write_count; i++) {
        for (uint32_t k = 0; k < i && is_within_limits(s); k++) {
            if (x->events[x->writes[i]].location == x->events[x->writes[k]].location)
                changed = settle_order(s, x->writes[k], x->writes[i]) || changed;
        }
    }
    return changed;
}

/* Whether read R may read from W. */
static bool may_read_from(struct settler *s, uint32_t w, uint32_t r)
{
    struct sx_exec *x = s->x;
    const uint32_t *sources = x->sources;
    uint32_t count = 0;
    bool bad;

    for (uint32_t k = 0; k < x->n; k++) {
        if (k != w && mm_rel_has(x->n, x->rf_upper, k, r))
            x->sources[count++] = k;
    }
    for (uint32_t k = 0; k < count; k++)
        mm_rel_remove(x->n, x->rf_upper, sources[k], r);
    mm_rel_add(x->n, x->rf_lower, w, r);
    bad = is_forbidden(s);
    mm_rel_remove(x->n, x->rf_lower, w, r);
    for (uint32_t k = 0; k < count; k++)
        mm_rel_add(x->n, x->rf_upper, sources[k], r);
    return !bad;
}

static bool settle_reads(struct settler *s)
{
    struct sx_exec *x = s->x;
    bool changed = false;

    for (uint32_t r = 0; r < x->n; r++) {
        for (uint32_t w = 0; x->events[r].read && w < x->n && is_within_limits(s); w++) {
            if (!mm_rel_has(x->n, x->rf_upper, w, r) || may_read_from(s, w, r))
                continue;
            mm_rel_remove(x->n, x->rf_upper, w, r);
            changed = true;
        }
    }
    return changed;
}

/* ---- values -------------------------------------------------------------------------------------- */

static void note_value(struct settler *s, uint64_t *set, const struct sx_event *e)
{
    uint32_t i = sx_number_value(&s->sx->locations[e->location], e->value);

    if (i != UINT32_MAX)
        mm_set_add(set, i);
}

static void note_initial(struct settler *s, uint32_t l)
{
    const struct sx_location *location = &s->sx->locations[l];
    const uint32_t init = s->x->init_of[l];

    for (uint32_t i = 0; i < location->value_count && init != UINT32_MAX; i++) {
        if (location->any ? sx_is_candidate(s->sx, location, location->values[i])
                          : location->values[i] == location->initial)
            mm_set_add(s->values[init], i);
    }
}

static size_t set_bytes(const struct sx_location *l)
{
    return (mm_rel_words(l->value_count) + 1) * sizeof(uint64_t);
}

/* The values of each event in the remaining traces. */
static void collect_values(struct settler *s)
{
    const struct sx_exec *x = s->x;
    struct sx *sx = s->sx;

    for (uint32_t i = 0; i < x->n; i++) {
        if (x->events[i].location != UINT32_MAX)
            memset(s->values[i], 0, set_bytes(&sx->locations[x->events[i].location]));
    }
    for (uint32_t l = 0; l < sx->location_count; l++) {
        memset(s->unknown[l], 0, set_bytes(&sx->locations[l]));
        note_initial(s, l);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        const struct sx_thread *thread = x->events[i].init ? NULL : &sx->threads[x->events[i].thread];

        for (uint32_t k = 0; thread && x->events[i].location != UINT32_MAX && k < thread->trace_count; k++)
            note_value(s, s->values[i], &thread->traces[k].events[trace_index_of(s, i)]);
    }
    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        for (uint32_t i = 0; i < sx->threads[t].trace_count; i++) {
            const struct sx_trace *trace = &sx->threads[t].traces[i];

            for (uint32_t k = s->shared[t].event_count; k < trace->event_count; k++) {
                if (trace->events[k].kind == SX_WRITE)
                    note_value(s, s->unknown[trace->events[k].location], &trace->events[k]);
            }
        }
    }
}

/* Keeps of the sources of each read those with a value that some trace reads, and of its values those that a
 * source has. */
static bool match_values(struct settler *s)
{
    struct sx_exec *x = s->x;
    bool changed = false;

    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t l = x->events[r].location, words;
        uint64_t allowed[16];

        if (!x->events[r].read)
            continue;
        words = mm_rel_words(s->sx->locations[l].value_count);
        memcpy(allowed, s->unknown[l], words * sizeof *allowed);
        for (uint32_t w = 0; w < x->n; w++) {
            bool some = false;

            if (!mm_rel_has(x->n, x->rf_upper, w, r))
                continue;
            for (uint32_t k = 0; k < words; k++) {
                some = some || (s->values[w][k] & s->values[r][k]);
                allowed[k] |= s->values[w][k];
            }
            if (!some) {
                mm_rel_remove(x->n, x->rf_upper, w, r);
                changed = true;
            }
        }
        mm_bits_and(s->values[r], s->values[r], allowed, words);
    }
    return changed;
}

static bool trace_fits(const struct settler *s, uint32_t t, const struct sx_trace *trace)
{
    const struct sx_exec *x = s->x;

    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t value;

        if (!x->events[r].read || x->events[r].thread != t)
            continue;
        value = sx_number_value(&s->sx->locations[x->events[r].location],
                                trace->events[trace_index_of(s, r)].value);
        if (value != UINT32_MAX && !mm_set_has(s->values[r], value))
            return false;
    }
    return true;
}

/* A thread that no trace fits never executes its prefix: it keeps all. */
static bool drop_traces(struct settler *s, uint32_t t)
{
    struct sx_thread *thread = &s->sx->threads[t];
    uint32_t kept = 0, fitting = 0, before = thread->trace_count;

    for (uint32_t i = 0; i < before; i++)
        fitting += trace_fits(s, t, &thread->traces[i]);
    if (fitting == 0 || fitting == before)
        return false;
    for (uint32_t i = 0; i < before; i++) {
        if (trace_fits(s, t, &thread->traces[i]))
            thread->traces[kept++] = thread->traces[i];
    }
    thread->trace_count = kept;
    return true;
}

static bool settle_values(struct settler *s)
{
    bool changed = false, again = true;

    while (again && sx_in_bounds(s->sx)) {
        collect_values(s);
        again = match_values(s);
        for (uint32_t t = 0; t < s->sx->program->thread_count; t++)
            again = drop_traces(s, t) || again;
        changed = changed || again;
    }
    return changed;
}

/* ---- driver ---------------------------------------------------------------------------------------- */

static bool is_worthwhile(const struct sx *sx)
{
    double combinations = 1;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        const struct ck_thread *thread = &sx->program->threads[t];

        combinations *= sx->threads[t].trace_count;
        for (uint32_t i = 0; i < thread->instr_count; i++) {
            if (thread->instrs[i].quorum) /* early and late arrival is not chosen yet */
                return false;
        }
    }
    return combinations >= FEW && sx->program->thread_count >= 2;
}

static bool settler_allocate(struct settler *s)
{
    struct sx *sx = s->sx;

    s->values = mm_arena_alloc(sx->traces, (s->x->n + 1) * sizeof *s->values);
    s->unknown = mm_arena_alloc(sx->traces, (sx->location_count + 1) * sizeof *s->unknown);
    for (uint32_t i = 0; s->values && s->unknown && i < s->x->n; i++) {
        uint32_t l = s->x->events[i].location;

        if (l != UINT32_MAX && !(s->values[i] = mm_arena_alloc(sx->traces, set_bytes(&sx->locations[l]))))
            return false;
    }
    for (uint32_t l = 0; s->values && s->unknown && l < sx->location_count; l++) {
        if (!(s->unknown[l] = mm_arena_alloc(sx->traces, set_bytes(&sx->locations[l]))))
            return false;
    }
    return s->values && s->unknown;
}

/* The events of all threads, every read open to every write of its location. */
static bool settler_begin(struct settler *s)
{
    struct sx *sx = s->sx;
    struct sx_exec *x = s->x;

    for (uint32_t t = 0; t < sx->program->thread_count; t++)
        find_shared(s, t);
    if (sx_count_events(sx, s->chosen) > MOST_EVENTS || !sx_begin_events(sx, s->chosen))
        return false;
    for (uint32_t r = 0; r < x->n; r++) {
        for (uint32_t w = 0; x->events[r].read && w < x->n; w++) {
            if (x->events[w].write && x->events[w].location == x->events[r].location)
                mm_rel_add(x->n, x->rf_upper, w, r);
        }
    }
    sx_find_writes(sx);
    s->eval = s->whole ? sx->eval : sx->open;
    return settler_allocate(s) && !mm_cat_eval_begin(s->eval, &x->all, sx->err) && !is_forbidden(s);
}

void sx_settle(struct sx *sx)
{
    struct settler s = {.sx = sx, .x = sx->exec, .whole = !sx->program->kernel};

    if (!is_worthwhile(sx) || !sx_prune_create(sx))
        return;
    s.shared = mm_arena_alloc(sx->traces, (sx->program->thread_count + 1) * sizeof *s.shared);
    s.chosen = mm_arena_alloc(sx->traces, (sx->program->thread_count + 1) * sizeof *s.chosen);
    if (!s.shared || !s.chosen || !settler_begin(&s))
        return;
    for (unsigned round = 0; round < MOST_ROUNDS && is_within_limits(&s); round++) {
        bool changed = settle_writes(&s);

        changed = settle_reads(&s) || changed;
        if (!settle_values(&s) && !changed)
            break;
    }
}
