/* The candidate executions of a constructed one: the sources of reads and the coherence orders of locations
 * that construction left open.  After each choice the model's checks are evaluated on lower and upper bounds
 * of rf and co; a choice that no completion can satisfy is pruned.  No property is assumed that the model
 * does not state.  docs/search.md#bounds */
#include "checker/search/exec.h"

#include <string.h>

enum { MAX_EXPLAINED = 20000 }; /* candidates that a pass which explains compares */

enum mm_class sx_exec_create(struct sx *sx)
{
    struct sx_exec *x = mm_arena_alloc(sx->arena, sizeof *x);

    sx->exec = x;
    sx->seen.flags = mm_arena_alloc(sx->arena, sx->model->check_count + 1);
    if (!x || !sx->seen.flags ||
        !(x->memory = mm_arena_alloc(sx->arena, (sx->program->observed_count + 1) * sizeof(uint64_t))) ||
        !(x->regs = mm_arena_alloc(sx->arena, (sx->program->thread_count + 1) * sizeof *x->regs)))
        return mm_out_of_memory(sx->err);
    x->fewest = UINT32_MAX;
    sx->final_check = MM_CAT_NO_CHECK;
    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        if (strcmp(sx->model->checks[i].name, "final-order") == 0)
            sx->final_check = i;
    }
    return MM_OK;
}

void sx_exec_destroy(struct sx *sx)
{
    if (sx->exec)
        mm_free(sx->exec->block.bytes);
}

/* ---- what is open ------------------------------------------------------------------------------- */

/* How many completions there are, capped. */
static uint32_t count_completions(const struct sx_exec *x, uint32_t read, uint32_t write)
{
    uint64_t product = 1;
    uint32_t run = 1;

    for (uint32_t r = read; r < x->reads.count && product < 1000000; r++)
        product *= x->reads.source_count[r];
    for (uint32_t w = write; w < x->writes.count && product < 1000000; w++) {
        bool same =
            w > write && x->events[x->writes.event[w]].location == x->events[x->writes.event[w - 1]].location;

        run = same ? run + 1 : 1;
        product *= run;
    }
    return product > 1000000 ? 1000000 : (uint32_t)product;
}

/* ---- choosing ----------------------------------------------------------------------------------- */

static void choose_next(struct sx *sx, uint32_t read, uint32_t write);

/* Whether every completion of the choices is redundant: these traces have one final state, an
 * execution with it is known, and no completion raises a flag. */
static bool is_redundant(struct sx *sx)
{
    const struct sx_exec *x = sx->exec;

    for (uint32_t i = 0; i < sx->model->check_count && x->states.known; i++) {
        if (sx->model->checks[i].flag && i != sx->final_check &&
            !(x->states.known_racy && sx->seen.flags[i]) && !mm_cat_eval_fails(sx->eval, i))
            return false;
    }
    return x->states.known;
}

static bool is_pruned(struct sx *sx, uint32_t read, uint32_t write)
{
    struct sx_exec *x = sx->exec;

    if (sx->explains || count_completions(x, read, write) < 3)
        return false;
    if (x->ending == SX_HANG && !sx_may_repeat(sx, read))
        return true;
    if ((++sx->limits.ticks & 63) == 0 && !sx_in_bounds(sx)) {
        sx->stop = true;
        return true;
    }
    return sx_is_forbidden(x, sx->eval) || is_redundant(sx);
}

static void judge_candidate(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    sx->verdict->candidate_count++;
    if ((++sx->limits.ticks & 63) == 0 && !sx_in_bounds(sx)) {
        sx->stop = true;
        return;
    }
    mm_cat_eval_rf(sx->eval, x->bounds.rf_lower, NULL);
    mm_cat_eval_co(sx->eval, x->bounds.co_lower, NULL);
    if (sx->explains) {
        if (sx->explains == SX_EXPLAINS_STATES)
            sx_note_forbidden(sx);
        else
            sx_compare_candidate(sx);
        if (++x->explained > MAX_EXPLAINED)
            sx->stop = true;
    } else if (!mm_cat_eval_forbidden(sx->eval, NULL)) {
        sx_accept(sx);
    } else if (mm_cat_eval_limited(sx->eval)) {
        sx_limit(sx, "search.orders", "limit reached: linearisations that the model enumerates");
    }
}

uint32_t sx_end_of_location(const struct sx_exec *x, uint32_t write)
{
    uint32_t end = write;

    while (end < x->writes.count &&
           x->events[x->writes.event[end]].location == x->events[x->writes.event[write]].location)
        end++;
    return end;
}

void sx_order_write(struct sx_exec *x, uint32_t from, uint32_t end, bool undo)
{
    uint32_t w = x->writes.event[from];

    for (uint32_t k = from + 1; k < end; k++) {
        uint32_t other = x->writes.event[k];

        if (undo) {
            mm_rel_remove(x->n, x->bounds.co_lower, w, other);
            mm_rel_add(x->n, x->bounds.co_upper, other, w);
        } else {
            mm_rel_add(x->n, x->bounds.co_lower, w, other);
            mm_rel_remove(x->n, x->bounds.co_upper, other, w);
        }
    }
}

static void swap_writes(struct sx_exec *x, uint32_t a, uint32_t b)
{
    uint32_t t = x->writes.event[a];

    x->writes.event[a] = x->writes.event[b];
    x->writes.event[b] = t;
}

/* Whether the order of the writes from WRITE on, the first of its location, is irrelevant to the model: every
 * check has the same result for all orders.  Only where final values do not depend on it. */
static bool is_order_irrelevant(struct sx *sx, uint32_t write)
{
    struct sx_exec *x = sx->exec;

    if (sx->final_check == MM_CAT_NO_CHECK || sx->explains || x->ending == SX_HANG || !sx_in_bounds(sx) ||
        (write > 0 &&
         x->events[x->writes.event[write]].location == x->events[x->writes.event[write - 1]].location))
        return false;
    mm_cat_eval_rf(sx->eval, x->bounds.rf_lower, x->bounds.rf_upper);
    mm_cat_eval_co(sx->eval, x->bounds.co_lower, x->bounds.co_upper);
    for (uint32_t i = 0; i < sx->model->check_count; i++) {
        bool passes = i == sx->final_check || mm_cat_eval_passes(sx->eval, i);

        if (!passes && !(sx->model->checks[i].flag && mm_cat_eval_fails(sx->eval, i)))
            return false;
    }
    return true;
}

static void choose_write(struct sx *sx, uint32_t read, uint32_t write)
{
    struct sx_exec *x = sx->exec;
    uint32_t end = sx_end_of_location(x, write);

    if (write == x->writes.count ||
        (read == x->reads.count && write != end - 1 && is_order_irrelevant(sx, write))) {
        judge_candidate(sx);
        return;
    }
    for (uint32_t k = write; k < end && !sx->stop; k++) {
        swap_writes(x, write, k);
        sx_order_write(x, write, end, false);
        if (end - write < 2 || !is_pruned(sx, read, write + 1))
            choose_next(sx, read, write + 1);
        sx_order_write(x, write, end, true);
        swap_writes(x, write, k);
    }
}

static void choose_read(struct sx *sx, uint32_t read, uint32_t write)
{
    struct sx_exec *x = sx->exec;
    const uint32_t *sources = x->reads.sources + x->reads.first_source[read];
    uint32_t r = x->reads.event[read];

    for (uint32_t k = 0; k < x->reads.source_count[read]; k++)
        mm_rel_remove(x->n, x->bounds.rf_upper, sources[k], r);
    for (uint32_t k = 0; k < x->reads.source_count[read] && !sx->stop; k++) {
        x->reads.source[read] = sources[k];
        sx_fix_rf(x, sources[k], r);
        if (!is_pruned(sx, read + 1, write))
            choose_next(sx, read + 1, write);
        mm_rel_remove(x->n, x->bounds.rf_lower, sources[k], r);
        mm_rel_remove(x->n, x->bounds.rf_upper, sources[k], r);
    }
    for (uint32_t k = 0; k < x->reads.source_count[read]; k++)
        mm_rel_add(x->n, x->bounds.rf_upper, sources[k], r);
}

/* Continues where the reads before READ and the writes before WRITE are chosen. */
static void choose_next(struct sx *sx, uint32_t read, uint32_t write)
{
    const struct sx_exec *x = sx->exec;

    while (read < x->reads.count && x->reads.source_count[read] == 1)
        read++;
    if (read < x->reads.count)
        choose_read(sx, read, write);
    else
        choose_write(sx, read, write);
}

/* ---- named barriers ----------------------------------------------------------------------------- */

static uint32_t quorum_of(const struct sx_exec *x, uint32_t event)
{
    const struct sx_event *e = x->infos[event].event;

    return e && e->kind == SX_BARRIER ? e->instr->quorum : 0;
}

/* Whether every barrier with a quorum is passed: exactly as many threads as the quorum arrive early. */
static bool quorums_met(const struct sx_exec *x)
{
    for (uint32_t a = 0; a < x->n; a++) {
        uint32_t early = 0;

        if (!quorum_of(x, a))
            continue;
        for (uint32_t b = 0; b < x->n; b++)
            early += x->events[b].barrier == x->events[a].barrier && !x->events[b].late;
        if (early != quorum_of(x, a))
            return false;
    }
    return true;
}

static void clear_relations(struct sx_exec *x)
{
    uint64_t *const relations[] = {x->bounds.rf_lower, x->bounds.rf_upper, x->bounds.co_lower,
                                   x->bounds.co_upper};

    for (int i = 0; i < 4; i++)
        memset(relations[i], 0, mm_rel_size(x->n, MM_CAT_REL) * sizeof(uint64_t));
}

/* ---- executions that are given ------------------------------------------------------------------- */

static const struct sx_event *given_event(const struct sx_exec *x, uint64_t packed)
{
    return &x->chosen[packed >> 32]->events[(uint32_t)packed];
}

/* The number in the graph of the event packed as PACKED. */
static uint32_t find_given(const struct sx_exec *x, uint64_t packed)
{
    return sx_graph_index(x, given_event(x, packed));
}

bool sx_may_be_source(const struct sx *sx, uint32_t w, uint32_t r)
{
    const struct sx_exec *x = sx->exec;

    return x->events[w].write && x->events[w].location == x->events[r].location &&
           x->infos[w].value == x->infos[r].value &&
           (x->events[w].init ? !sx->values.locations[x->events[w].location].unconstrained
                              : x->infos[w].event->stamp < x->infos[r].event->stamp);
}

/* The sources of read R, which is open: the writes of its value before it. */
static uint32_t adopt_open_sources(struct sx *sx, uint32_t r, uint32_t at)
{
    struct sx_exec *x = sx->exec;

    for (uint32_t w = 0; w < x->n; w++) {
        if (!sx_may_be_source(sx, w, r))
            continue;
        x->reads.sources[at++] = w;
        mm_rel_add(x->n, x->bounds.rf_upper, w, r);
    }
    return at;
}

static void adopt_sources(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    const struct sx_trace *const *chosen = x->chosen;
    const struct sx_given *given = x->given;
    uint32_t at = 0;

    x->reads.count = 0;
    for (uint32_t r = 0; r < x->n; r++) {
        uint64_t source;
        uint32_t w, t = x->events[r].thread;

        if (!x->events[r].read)
            continue;
        source = given->sources[(size_t)t * given->stride + (size_t)(x->infos[r].event - chosen[t]->events)];
        if (source == SX_OPEN) {
            x->reads.event[x->reads.count] = r;
            x->reads.first_source[x->reads.count] = at;
            at = adopt_open_sources(sx, r, at);
            x->reads.source_count[x->reads.count] = at - x->reads.first_source[x->reads.count];
            x->reads.source[x->reads.count++] = MM_CAT_NO_EVENT;
            continue;
        }
        w = source == SX_INITIAL ? x->init_of[x->events[r].location] : find_given(x, source);
        x->reads.event[x->reads.count] = r;
        x->reads.source_count[x->reads.count] = 1;
        x->reads.source[x->reads.count++] = w;
        sx_fix_rf(x, w, r);
    }
}

static void adopt_coherence_of(struct sx_exec *x, uint32_t l)
{
    uint32_t first = x->writes.count;

    for (uint32_t i = 0; i < x->given->order_count; i++) {
        uint32_t w;

        if (given_event(x, x->given->order[i])->location != l)
            continue;
        w = find_given(x, x->given->order[i]);
        sx_fix_co(x, x->init_of[l], w);
        for (uint32_t k = first; k < x->writes.count; k++) {
            sx_fix_co(x, x->writes.event[k], w);
        }
        x->writes.event[x->writes.count++] = w;
    }
}

/* The writes whose order is given come first. */
static void adopt_coherence(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    x->writes.count = 0;
    for (int open = 0; open < 2; open++) {
        for (uint32_t l = 0; l < sx->values.location_count; l++) {
            bool ordered = false;

            for (uint32_t i = 0; i < x->given->order_count && !ordered; i++)
                ordered = given_event(x, x->given->order[i])->location == l;
            if (open && !ordered)
                sx_find_writes_to(x, l);
            else if (!open && ordered)
                adopt_coherence_of(x, l);
        }
        if (!open)
            x->given_writes = x->writes.count;
    }
}

/* Adopts the given edges; chooses the sources and the order of writes that are open. */
static void choose_open(struct sx *sx)
{
    struct sx_exec *x = sx->exec;

    clear_relations(x);
    adopt_sources(sx);
    adopt_coherence(sx);
    if (!quorums_met(x))
        return;
    if (mm_cat_eval_begin(sx->eval, &x->all, sx->err)) {
        sx_stop_without_memory(sx);
    } else if (!is_pruned(sx, 0, x->given_writes)) {
        choose_next(sx, 0, x->given_writes);
    }
}

/* ---- initial values ------------------------------------------------------------------------------ */

static bool is_observed(struct sx *sx, uint32_t location)
{
    for (uint32_t i = 0; i < sx->program->observed_count; i++) {
        if (sx_is_observed(sx, i, location))
            return true;
    }
    return false;
}

/* Whether location L is written, so that its initial value is not final. */
static bool is_written_there(const struct sx_exec *x, uint32_t l)
{
    for (uint32_t w = 0; w < x->n; w++) {
        if (x->events[w].write && !x->events[w].init && x->events[w].location == l)
            return true;
    }
    return false;
}

/* Unconstrained initial values, from location L on: that which a read returned; if there is none, all where
 * the initial value is final and observed, else any. */
static void choose_initial(struct sx *sx, uint32_t l)
{
    struct sx_exec *x = sx->exec;
    const struct sx_location *location;
    bool some = false;

    while (l < sx->values.location_count &&
           (!sx->values.locations[l].unconstrained || x->init_of[l] == MM_CAT_NO_EVENT))
        l++;
    if (l == sx->values.location_count) {
        choose_open(sx);
        return;
    }
    if (!x->given->is_initial || x->given->is_initial[l]) {
        x->infos[x->init_of[l]].value = x->given->initial[l];
        choose_initial(sx, l + 1);
        return;
    }
    location = &sx->values.locations[l];
    for (uint32_t i = 0;
         i < location->value_count && !sx->stop && is_observed(sx, l) && !is_written_there(x, l); i++) {
        uint64_t value = location->values[i];

        if (!sx_is_candidate(sx, location, value))
            continue;
        some = true;
        x->infos[x->init_of[l]].value = value;
        choose_initial(sx, l + 1);
    }
    if (!some && !sx->stop) {
        x->infos[x->init_of[l]].value = location->initial;
        choose_initial(sx, l + 1);
    }
}

bool sx_begin_events(struct sx *sx, const struct sx_trace *const *chosen)
{
    struct sx_exec *x = sx->exec;
    uint32_t n = sx_count_events(sx, chosen);

    if (n > SX_MAX_EVENTS || !sx_reserve(sx, n))
        return false;
    x->chosen = chosen;
    for (uint32_t t = 0; t < sx->program->thread_count; t++)
        x->regs[t] = chosen[t] ? chosen[t]->regs : NULL;
    sx_build_events(sx, chosen);
    x->all = (struct mm_cat_events){.events = x->events,
                                    .count = x->n,
                                    .vulkan = sx->program->vulkan,
                                    .edges = (const struct mm_cat_edge *)sx->program->edges,
                                    .edge_count = sx->program->edge_count};
    clear_relations(x);
    return true;
}

void sx_execute(struct sx *sx, const struct sx_trace *const *chosen, enum sx_ending ending,
                const struct sx_given *given)
{
    sx->exec->ending = ending;
    sx->exec->given = given;
    sx->exec->states.known = sx->exec->states.known_racy = false;
    if (sx_begin_events(sx, chosen)) {
        choose_initial(sx, 0);
        return;
    }
    sx_limit(sx, "search.events", "limit reached: 1024 events in an execution");
    sx->stop = true;
}
