/* Reads of event-by-event construction (search/step.c): a read branches over its sources, or blocks until a
 * later write revisits it.  docs/search.md#construction */
#include "checker/search/step.h"

static bool has_unconstrained_initial(const struct stepper *s, uint32_t l)
{
    return s->sx->values.locations[l].unconstrained && !s->is_initial[l];
}

void sx_read_piece_from(struct stepper *s, uint32_t t, uint64_t source, uint64_t value)
{
    struct step_thread *thread = &s->threads[t];
    struct sx_walker *w = &s->walkers[t];

    sx_push_piece(w, SX_READ, &thread->access, thread->piece, value, 0);
    if (w->failed)
        return;
    *sx_source(s, t, w->event_count - 1) = source;
    thread->value |= value << sx_piece_shift(s->sx, &thread->access, thread->piece++);
    thread->status = STEP_RUNS;
    s->guesses += source == STEP_GUESSED;
    s->unchecked = true;
}

bool sx_access_writes(const struct stepper *s, uint32_t t)
{
    const struct step_thread *thread = &s->threads[t];
    const struct ck_instr *i = thread->access.instr;

    return i->op == CK_RMW || (i->op == CK_CAS && thread->value == ck_eval_expr(s->sx->program, i->expected,
                                                                                s->walkers[t].block));
}

void sx_complete_access(struct stepper *s, uint32_t t, bool writes)
{
    const struct ck_program *p = s->sx->program;
    struct step_thread *thread = &s->threads[t];
    struct sx_walker *w = &s->walkers[t];
    struct sx_access a = thread->access;
    const struct ck_instr *i = a.instr;
    uint64_t depends = sx_read_bits(w, &a);
    uint32_t first = w->event_count;

    for (uint32_t e = first - a.count; e < first; e++) {
        w->events[e].order = i->order;
        w->events[e].rmw_read = false;
    }
    if (writes) {
        uint64_t operand = ck_eval_expr(p, i->value, w->block);

        sx_write_pieces(w, &a, i->op == CK_RMW ? sx_rmw_value(p, i, thread->value, operand) : operand,
                        sx_written_depends(w, &a, depends));
        s->pending = (struct step_pending){.thread = t, .event = first, .end = w->event_count};
    } else if (i->op == CK_CAS) {
        sx_fail_exchange(w, &a);
    }
    if (!w->failed)
        sx_walker_result(w, &a, thread->value, depends, writes);
    thread->access.count = 0;
    thread->accesses++;
    thread->pc++;
}

void sx_branch_on_spurious_failure(struct stepper *s, uint32_t t)
{
    struct sx_checkpoint m;

    if (!sx_checkpoint_take(s, &m))
        return;
    for (int writes = 1; writes >= 0 && !sx_is_exploration_over(s); writes--) {
        sx_complete_access(s, t, writes == 1);
        sx_explore(s);
        sx_checkpoint_rollback(s, &m);
    }
    sx_checkpoint_free(&m);
}

void sx_try_source(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint64_t source,
                   uint64_t value)
{
    if (sx_is_exploration_over(s))
        return;
    sx_read_piece_from(s, t, source, value);
    sx_explore(s);
    sx_checkpoint_rollback(s, m);
}

/* Whether the model may allow the next piece of T to be read from SOURCE. */
static bool is_possible_source(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint64_t source,
                               uint64_t value)
{
    bool possible;

    sx_read_piece_from(s, t, source, value);
    possible = sx_may_extend(s);
    sx_checkpoint_rollback(s, m);
    return possible;
}

/* The first read of an unconstrained initial value: branches over its candidates. */
static void try_unconstrained_initial(struct stepper *s, const struct sx_checkpoint *m, uint32_t t,
                                      uint32_t l)
{
    if (s->sx->values.locations[l].value_count > 1 && !is_possible_source(s, m, t, SX_INITIAL, 0))
        return;
    for (uint32_t v = 0; v < s->sx->values.locations[l].value_count && !sx_is_exploration_over(s); v++) {
        uint64_t value = s->sx->values.locations[l].values[v];

        if (!sx_is_candidate(s->sx, &s->sx->values.locations[l], value))
            continue;
        s->initial[l] = value;
        s->is_initial[l] = 1;
        sx_try_source(s, m, t, SX_INITIAL, value);
        s->is_initial[l] = 0;
    }
}

/* The writes of the prefix that the next piece of T, of location L, may read, and the initial write: a list
 * with COUNT items; NULL: out of memory. */
static uint64_t *list_sources(struct stepper *s, uint32_t t, uint32_t l, uint32_t *count)
{
    uint32_t most = 1;
    uint64_t *list;

    for (uint32_t u = 0; u < s->thread_count; u++)
        most += s->walkers[u].event_count;
    list = mm_alloc(most * sizeof *list);
    *count = 0;
    for (uint32_t u = 0; u < s->thread_count && list; u++) {
        for (uint32_t e = 0; e < s->walkers[u].event_count; e++) {
            const struct sx_event *event = &s->walkers[u].events[e];

            if (event->kind == SX_WRITE && event->location == l &&
                !sx_is_impossible_source(s, t, s->walkers[t].event_count, u, e))
                list[(*count)++] = sx_pack(u, e);
        }
    }
    if (list && !has_unconstrained_initial(s, l) &&
        !sx_is_initial_impossible(s, t, s->walkers[t].event_count, l))
        list[(*count)++] = SX_INITIAL;
    if (!list) {
        sx_stop_without_memory(s->sx);
    }
    return list;
}

static uint64_t source_value(const struct stepper *s, uint32_t l, uint64_t source)
{
    return source == SX_INITIAL ? sx_initial(s, l) : sx_packed(s, source)->value;
}

bool sx_may_leave_open(const struct stepper *s, uint32_t t)
{
    const struct ck_instr *i = s->threads[t].access.instr;

    return s->sx->program->kernel && i->op == CK_LOAD && !ck_instr_is_atomic(i) && !s->sx->explains;
}

/* Whether it may stay open which of A and B, sources of a read of L, is read. */
static bool is_same_value(const struct stepper *s, uint32_t l, uint64_t a, uint64_t b)
{
    bool any = s->sx->values.locations[l].unconstrained && (a == SX_INITIAL || b == SX_INITIAL);

    return a == b || (!any && source_value(s, l, a) == source_value(s, l, b));
}

/* Branches over the values of SOURCES.  Where several sources have the same value it stays open which one it
 * is. */
static void try_values(struct stepper *s, const struct sx_checkpoint *m, uint32_t t, uint32_t l,
                       uint64_t *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count && !sx_is_exploration_over(s); i++) {
        uint64_t value = source_value(s, l, sources[i]), only = sources[i];
        bool exchanged = sx_is_exchanged(s, t, sources[i], value, true);
        uint32_t same = 1, possible = 0, kept = i + 1;

        for (uint32_t k = i + 1; k < count; k++)
            same += is_same_value(s, l, sources[i], sources[k]);
        for (uint32_t k = i; k < count && same > 1; k++) {
            if (!is_same_value(s, l, only, sources[k])) {
                sources[kept++] = sources[k];
            } else if (is_possible_source(s, m, t, sources[k], value)) {
                exchanged = exchanged && sx_is_exchanged(s, t, sources[k], value, true);
                only = sources[k];
                possible++;
            }
        }
        count = same > 1 ? kept : count;
        if (exchanged)
            continue;
        if (same == 1 || possible == 1)
            sx_try_source(s, m, t, only, value);
        else if (possible > 1)
            sx_try_source(s, m, t, SX_OPEN, value);
    }
}

bool sx_reads_visible(const struct stepper *s, uint32_t t)
{
    const struct ck_instr *i = s->threads[t].access.instr;

    return sx_knows_order(s) && s->guesses == 0 && i->op == CK_LOAD && !ck_instr_is_atomic(i);
}

void sx_branch_on_read(struct stepper *s, uint32_t t, uint32_t l)
{
    struct sx_checkpoint m;
    uint64_t *sources;
    uint32_t count;

    if (!sx_knows_order(s) && !sx_may_extend(s))
        return;
    sources = list_sources(s, t, l, &count);
    if (!sources || !sx_checkpoint_take(s, &m)) {
        mm_free(sources);
        return;
    }
    if (sx_knows_order(s) && !sx_remove_hidden(s, &m, t, sources, &count)) {
        sx_checkpoint_free(&m);
        mm_free(sources);
        return;
    }
    m.unchecked = s->unchecked = false;
    sx_note_choice(s, t, false);
    if (sx_may_leave_open(s, t)) {
        try_values(s, &m, t, l, sources, count);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t value = source_value(s, l, sources[i]);

            if (!sx_is_exchanged(s, t, sources[i], value, false))
                sx_try_source(s, &m, t, sources[i], value);
        }
    }
    if (has_unconstrained_initial(s, l))
        try_unconstrained_initial(s, &m, t, l);
    if (!sx_is_exploration_over(s) && !sx_reads_visible(s, t) && sx_may_be_written_later(s, t, l)) {
        s->threads[t].status = STEP_BLOCKED;
        sx_note_choice(s, t, true);
        sx_explore(s);
        sx_checkpoint_rollback(s, &m);
    }
    sx_checkpoint_free(&m);
    mm_free(sources);
}

bool sx_read_private_location(struct stepper *s, uint32_t t, uint32_t l)
{
    const struct sx_walker *w = &s->walkers[t];

    if (s->sx->values.locations[l].shared || !s->sx->program->kernel)
        return false;
    for (uint32_t e = w->event_count; e-- > 0;) {
        if (w->events[e].location != l)
            continue;
        sx_read_piece_from(s, t, w->events[e].kind == SX_WRITE ? sx_pack(t, e) : *sx_source(s, t, e),
                           w->events[e].value);
        return true;
    }
    if (has_unconstrained_initial(s, l))
        return false;
    sx_read_piece_from(s, t, SX_INITIAL, sx_initial(s, l));
    return true;
}
