/* Consistency of a partial execution (search/step.c): whether the model may allow an extension of it, and the
 * verdict on an execution that is complete.  docs/search.md#partial-executions */
#include "checker/search/step.h"

#include <string.h>

/* MAX_TRIES: evaluations to find a coherence order, after which one is assumed to exist.  MAX_INCOMPLETE:
 * evaluations after a race is found and a limit reached, so that negative answers are unknown.  From
 * MANY_EVENTS on limits are checked at each evaluation, as it takes long. */
enum { MAX_TRIES = 40, MAX_INCOMPLETE = 4000, MANY_EVENTS = 128 };

/* ---- some order of writes -------------------------------------------------------------------------- */

/* The orders of the writes of x->all under trial. */
struct ordering {
    struct sx *sx;
    struct sx_exec *x;
    uint32_t tries;
};

bool sx_create_open_eval(struct sx *sx)
{
    if (sx->open_eval)
        return true;
    sx->open_eval = mm_cat_eval_create(sx->model, sx->err);
    if (sx->open_eval)
        mm_cat_eval_open(sx->open_eval);
    return sx->open_eval != NULL;
}

static bool is_forbidden(struct ordering *p)
{
    struct sx_exec *x = p->x;

    p->tries++;
    return sx_is_forbidden(x, p->sx->open_eval);
}

/* Whether some order of the writes from WRITE on is not forbidden. */
static bool try_writes(struct ordering *p, uint32_t write)
{
    struct sx_exec *x = p->x;
    uint32_t end = sx_end_of_location(x, write);
    bool found = false;

    if (p->tries > MAX_TRIES)
        return true;
    if (write == x->writes.count)
        return true;
    if (end - write == 1)
        return try_writes(p, end);
    for (uint32_t k = write; k < end && !found; k++) {
        uint32_t chosen = x->writes.event[k];

        x->writes.event[k] = x->writes.event[write];
        x->writes.event[write] = chosen;
        sx_order_write(x, write, end, false);
        found = !is_forbidden(p) && try_writes(p, write + 1);
        sx_order_write(x, write, end, true);
        x->writes.event[write] = x->writes.event[k];
        x->writes.event[k] = chosen;
    }
    return found;
}

bool sx_has_some_order(struct sx *sx)
{
    struct ordering p = {.sx = sx, .x = sx->exec};

    sx_find_writes(sx);
    return mm_cat_eval_begin(sx->open_eval, &p.x->all, sx->err) || (!is_forbidden(&p) && try_writes(&p, 0));
}

/* ---- the events so far --------------------------------------------------------------------------- */

bool sx_is_removed_write(const struct stepper *s, uint64_t write)
{
    const struct sx_walker *w = &s->walkers[write >> 32];

    return s->threads[write >> 32].status == STEP_ENDED && w->end == SX_WAIT &&
           (uint32_t)write >= w->wait_from;
}

static void set_prefix_traces(struct stepper *s)
{
    for (uint32_t t = 0; t < s->thread_count; t++) {
        const struct sx_walker *w = &s->walkers[t];
        bool ended = s->threads[t].status == STEP_ENDED;

        s->traces[t] = (struct sx_trace){.end = ended ? w->end : SX_DONE,
                                         .wait_from = ended && w->end == SX_WAIT ? w->wait_from : 0,
                                         .beyond = w->beyond,
                                         .stopped = !ended,
                                         .event_count = w->event_count,
                                         .events = w->events,
                                         .regs = w->block,
                                         .depends = w->depends};
        s->chosen[t] = &s->traces[t];
    }
}

/* The number in the graph of the event packed as PACKED. */
static uint32_t graph_index_of(const struct stepper *s, uint64_t packed)
{
    return sx_graph_index(s->sx->exec, sx_packed(s, packed));
}

static void set_prefix_sources(struct stepper *s)
{
    struct sx_exec *x = s->sx->exec;

    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t t = x->events[r].thread, w;
        uint64_t source;

        if (!x->events[r].read)
            continue;
        source = *sx_source(s, t, (uint32_t)(x->infos[r].event - s->walkers[t].events));
        if (source == STEP_GUESSED)
            continue;
        for (w = 0; w < x->n && source == SX_OPEN; w++) {
            if (sx_may_be_source(s->sx, w, r))
                mm_rel_add(x->n, x->bounds.rf_upper, w, r);
        }
        if (source == SX_OPEN)
            continue;
        w = source == SX_INITIAL ? x->init_of[x->events[r].location] : graph_index_of(s, source);
        sx_fix_rf(x, w, r);
    }
}

/* The coherence order chosen so far; initial writes come first. */
static void set_prefix_coherence(struct stepper *s)
{
    struct sx_exec *x = s->sx->exec;

    for (uint32_t w = 0; w < x->n; w++) {
        if (!x->events[w].write || x->events[w].init)
            continue;
        sx_fix_co(x, x->init_of[x->events[w].location], w);
        for (uint32_t k = 0; k < x->n && !s->facts.ordered[x->events[w].memory.object]; k++) {
            if (k != w && x->events[k].write && !x->events[k].init &&
                x->events[k].location == x->events[w].location)
                mm_rel_add(x->n, x->bounds.co_upper, w, k);
        }
    }
    for (uint32_t i = 0; i < s->order_count; i++) {
        uint32_t w = graph_index_of(s, s->order[i]);

        for (uint32_t k = 0; k < i; k++) {
            uint32_t before = graph_index_of(s, s->order[k]);

            if (x->events[before].location != x->events[w].location)
                continue;
            sx_fix_co(x, before, w);
        }
    }
}

bool sx_has_race(const struct sx *sx)
{
    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        if (sx->seen.flags[i] && ck_flag_is_race(sx->model->checks[i].name))
            return true;
    }
    return false;
}

bool sx_may_extend(struct stepper *s)
{
    struct sx *sx = s->sx;
    struct sx_exec *x = sx->exec;

    if (!s->unchecked || sx->stop || sx->explains)
        return !sx->stop;
    if (sx->limited && sx_has_race(sx) && ++s->counts.evaluations > MAX_INCOMPLETE)
        sx->stop = true; /* the program is undefined, and the answer is incomplete in any case */
    s->unchecked = false;
    set_prefix_traces(s);
    if (!sx_begin_events(sx, s->chosen)) {
        sx_limit(sx, "search.events", "limit reached: 1024 events in an execution");
        sx->stop = true;
        return false;
    }
    if (x->n > MANY_EVENTS && !sx_in_bounds(sx)) {
        sx->stop = true;
        return false;
    }
    set_prefix_sources(s);
    set_prefix_coherence(s);
    if (mm_cat_eval_begin(sx->open_eval, &x->all, sx->err))
        return sx_stop_without_memory(sx);
    return !sx_is_forbidden(x, sx->open_eval);
}

/* ---- happens-before of the prefix ---------------------------------------------------------------- */

/* Lower bounds of happens-before of each region, of the prefix that was evaluated last; of images NULL, if
 * the model has none. */
struct prefix_order {
    const uint64_t *hb[SX_REGIONS];
};

/* Evaluates the prefix; false: the model forbids it, or does not name its happens-before. */
static bool find_prefix_order(struct stepper *s, struct prefix_order *o, bool *forbidden)
{
    s->unchecked = true;
    *forbidden = !sx_may_extend(s);
    if (*forbidden)
        return false;
    o->hb[SX_GLOBAL] = mm_cat_eval_named(s->sx->open_eval, "ghb");
    o->hb[SX_LOCAL] = mm_cat_eval_named(s->sx->open_eval, "lhb");
    o->hb[SX_IMAGE] = mm_cat_eval_named(s->sx->open_eval, "ihb");
    return o->hb[SX_GLOBAL] && o->hb[SX_LOCAL];
}

/* Whether WRITE, or a read of it, happens before EVENT: EVENT neither reads nor is one of the writes that
 * precede WRITE in coherence [CL 3.3.6 G20-G23]. */
static bool is_seen(const struct sx_exec *x, const struct prefix_order *o, uint32_t write, uint32_t event)
{
    for (int region = SX_GLOBAL; region <= SX_LOCAL; region++) { /* atomic operations are not on images */
        if (mm_rel_has(x->n, o->hb[region], write, event))
            return true;
        for (uint32_t r = 0; r < x->n; r++) {
            if (mm_rel_has(x->n, x->bounds.rf_lower, write, r) && mm_rel_has(x->n, o->hb[region], r, event))
                return true;
        }
    }
    return false;
}

/* Whether no execution that extends the prefix has READ, an event of the graph, read from WRITE. */
static bool is_hidden(const struct sx_exec *x, const struct prefix_order *o, uint32_t write, uint32_t read,
                      bool atomic)
{
    uint8_t region = x->events[read].memory.region;
    const uint64_t *hb = o->hb[region == MM_LOCAL ? SX_LOCAL : region == MM_IMAGE ? SX_IMAGE : SX_GLOBAL];

    for (uint32_t w = 0; w < x->n && hb; w++) {
        if (!x->events[w].write || w == write || x->events[w].location != x->events[read].location)
            continue;
        if (atomic ? mm_rel_has(x->n, x->bounds.co_lower, write, w) && is_seen(x, o, w, read)
                   : mm_rel_has(x->n, hb, write, w) && mm_rel_has(x->n, hb, w, read))
            return true;
    }
    return false;
}

bool sx_remove_hidden(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint64_t *sources,
                      uint32_t *count)
{
    const struct sx_exec *x = s->sx->exec;
    struct sx_walker *w = &s->walkers[t];
    bool atomic = ck_instr_is_atomic(s->threads[t].access.instr), forbidden = false;
    struct prefix_order o;
    uint32_t kept = 0;

    sx_read_piece_from(s, t, STEP_GUESSED, 0);
    if (!w->failed && find_prefix_order(s, &o, &forbidden)) {
        uint32_t read = graph_index_of(s, sx_pack(t, w->event_count - 1));

        for (uint32_t i = 0; i < *count; i++) {
            uint32_t source = sources[i] == SX_INITIAL ? x->init_of[x->events[read].location]
                                                       : graph_index_of(s, sources[i]);

            if (!is_hidden(x, &o, source, read, atomic))
                sources[kept++] = sources[i];
        }
        *count = kept;
    }
    sx_checkpoint_rollback(s, m);
    return !forbidden;
}

uint32_t sx_first_position(struct stepper *s, uint64_t write)
{
    const struct sx_exec *x = s->sx->exec;
    uint32_t event, first = s->order_count;
    struct prefix_order o;
    bool forbidden;

    if (!find_prefix_order(s, &o, &forbidden))
        return forbidden ? SX_NO_POSITION : 0;
    event = graph_index_of(s, write);
    while (first > 0) {
        uint32_t other = graph_index_of(s, s->order[first - 1]);

        if (x->events[other].location == x->events[event].location && is_seen(x, &o, other, event))
            break;
        first--;
    }
    return first;
}

/* ---- at the end ---------------------------------------------------------------------------------- */

/* Removes from the trace of T, which ends in a loop that never terminates, the writes of the repeated
 * iteration.  KEPT and SOURCES receive its events and their sources. */
static void remove_repeated_writes(struct stepper *s, uint32_t t, struct sx_event *kept, uint64_t *sources)
{
    struct sx_trace *trace = &s->traces[t];
    uint32_t count = 0;

    for (uint32_t i = 0; i < trace->event_count; i++) {
        if (i >= trace->wait_from && trace->events[i].kind == SX_WRITE)
            continue;
        kept[count] = trace->events[i];
        sources[count] = *sx_source(s, t, i);
        kept[count].rmw_read = kept[count].rmw_read && i < trace->wait_from;
        count++;
    }
    trace->events = kept;
    trace->event_count = count;
}

/* An execution in which loops never terminate. */
static void judge_hang(struct stepper *s, struct sx_given *given)
{
    size_t words = s->thread_count * s->stride;
    struct sx_event *kept = mm_alloc(words * sizeof *kept);
    uint64_t *sources = mm_alloc(2 * words * sizeof *sources), *order = sources + words;
    uint32_t count = 0;

    if (!kept || !sources) {
        sx_stop_without_memory(s->sx);
    } else {
        for (uint32_t i = 0; i < s->order_count; i++) {
            if (!sx_is_removed_write(s, s->order[i]))
                order[count++] = s->order[i];
        }
        for (uint32_t t = 0; t < s->thread_count; t++) {
            size_t first = t * s->stride;

            if (s->traces[t].end == SX_WAIT)
                remove_repeated_writes(s, t, kept + first, sources + first);
            else
                memcpy(sources + first, sx_source(s, t, 0), s->traces[t].event_count * sizeof *sources);
        }
        given->sources = sources;
        given->order = order;
        given->order_count = count;
        if (sx_may_hang(s->sx, s->chosen))
            sx_execute(s->sx, s->chosen, SX_HANG, given);
    }
    mm_free(kept);
    mm_free(sources);
}

void sx_judge_execution(struct stepper *s)
{
    struct sx *sx = s->sx;
    struct sx_given given = {.sources = s->sources,
                             .stride = s->stride,
                             .order = s->order,
                             .order_count = s->order_count,
                             .initial = s->initial,
                             .is_initial = s->is_initial};
    bool partial = false, stopped = false, waits = false;

    set_prefix_traces(s);
    for (uint32_t t = 0; t < s->thread_count; t++) {
        partial = partial || s->traces[t].end != SX_DONE;
        waits = waits || s->traces[t].end == SX_WAIT;
        stopped = stopped || s->traces[t].stopped;
    }
    if (s->explores_hangs != waits)
        return;
    if (stopped && !partial && (sx->seen.diverges || !sx->program->kernel))
        return;
    if (waits)
        judge_hang(s, &given);
    else
        sx_execute(sx, s->chosen, partial ? SX_PARTIAL : stopped ? SX_DIVERGE : SX_COMPLETE, &given);
}
