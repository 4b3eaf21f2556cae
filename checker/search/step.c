/* Event-by-event construction of the executions of a kernel, all threads together
 * (docs/search.md#construction). The schedule is deterministic: the lowest-numbered runnable thread steps.  A
 * read branches: it takes one of the existing writes, or blocks until a later write revisits it.  A write
 * branches over the blocked reads of its location: each takes it, or stays blocked (forward revisit).  The
 * model is evaluated after each choice, so no forbidden prefix is extended and no value is tried that no
 * write provides.  Each execution is built once.
 *
 * Where all threads are blocked, each on an event that comes after the read of another, only values that
 * justify themselves can continue the execution: if the model allows such a cycle (search/stuck.c) a read
 * takes one of the possible values of its location, and its write has to follow. */
#include "checker/search/step.h"

#include <string.h>

enum { MAX_EXPLAINED_VISITS = 1 << 20 };

/* ---- checkpoints -------------------------------------------------------------------------------- */

struct checkpoint {
    struct step_thread *threads;
    uint32_t (*counts)[2]; /* of each walker: event count, last effect */
    bool *came_back;
    uint64_t *blocks, *order;
    uint32_t order_count, guesses;
    struct step_pending pending;
    bool unchecked;
};

static size_t block_words(const struct stepper *s)
{
    size_t words = 0;

    for (uint32_t t = 0; t < s->count; t++)
        words += s->walkers[t].block_words;
    return words;
}

static bool checkpoint_take(struct stepper *s, struct checkpoint *m)
{
    size_t blocks = block_words(s), at = 0;
    uint64_t *room = mm_alloc((blocks + s->order_count + 1) * sizeof *room);
    char *rest = mm_alloc(s->count * (sizeof *m->threads + sizeof *m->counts + sizeof *m->came_back) + 1);

    *m = (struct checkpoint){.blocks = room, .threads = (struct step_thread *)(void *)rest};
    if (!room || !rest) {
        sx_limit(s->sx, "memory", "out of memory");
        s->sx->stop = true;
        mm_free(room);
        mm_free(rest);
        return false;
    }
    m->counts = (uint32_t(*)[2])(void *)(m->threads + s->count);
    m->came_back = (bool *)(m->counts + s->count);
    m->order = room + blocks;
    m->order_count = s->order_count;
    m->guesses = s->guesses;
    m->pending = s->pending;
    m->unchecked = s->unchecked;
    memcpy(m->threads, s->threads, s->count * sizeof *m->threads);
    if (s->order_count)
        memcpy(m->order, s->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->count; t++) {
        const struct sx_walker *w = &s->walkers[t];

        m->counts[t][0] = w->event_count;
        m->counts[t][1] = w->last_effect;
        m->came_back[t] = w->came_back;
        memcpy(m->blocks + at, w->block, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
    return true;
}

static void checkpoint_rollback(struct stepper *s, const struct checkpoint *m)
{
    size_t at = 0;

    s->order_count = m->order_count;
    s->guesses = m->guesses;
    s->pending = m->pending;
    s->unchecked = m->unchecked;
    memcpy(s->threads, m->threads, s->count * sizeof *m->threads);
    if (s->order_count)
        memcpy(s->order, m->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->count; t++) {
        struct sx_walker *w = &s->walkers[t];

        w->event_count = m->counts[t][0];
        w->last_effect = m->counts[t][1];
        w->came_back = m->came_back[t];
        memcpy(w->block, m->blocks + at, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
}

static void checkpoint_free(struct checkpoint *m)
{
    mm_free(m->blocks);
    mm_free(m->threads);
}

static bool is_exploration_over(const struct stepper *s)
{
    return s->failed || s->restart || s->sx->stop;
}

/* ---- reads -------------------------------------------------------------------------------------- */

static bool has_unconstrained_initial(const struct stepper *s, uint32_t l)
{
    return s->sx->locations[l].any && !s->is_initial[l];
}

/* The current access of T reads VALUE in its next piece, from SOURCE. */
static void read_piece_from(struct stepper *s, uint32_t t, uint64_t source, uint64_t value)
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

/* Whether the access of T, which is read, writes unless it fails spuriously. */
static bool access_writes(const struct stepper *s, uint32_t t)
{
    const struct step_thread *thread = &s->threads[t];
    const struct ck_instr *i = thread->access.instr;

    return i->op == CK_RMW || (i->op == CK_CAS && thread->value == sx_eval_expr(s->sx->program, i->expected,
                                                                                s->walkers[t].block));
}

/* All pieces are read: executes the writes of the access, if it WRITES, and sets its result registers. */
static void complete_access(struct stepper *s, uint32_t t, bool writes)
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
        w->events[e].first_half = false;
    }
    if (writes) {
        uint64_t operand = sx_eval_expr(p, i->value, w->block);

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

/* A weak compare-exchange reads the value that it expects: it writes, or fails spuriously. */
static void branch_on_spurious_failure(struct stepper *s, uint32_t t)
{
    struct checkpoint m;

    if (!checkpoint_take(s, &m))
        return;
    for (int writes = 1; writes >= 0 && !is_exploration_over(s); writes--) {
        complete_access(s, t, writes == 1);
        sx_explore(s);
        checkpoint_rollback(s, &m);
    }
    checkpoint_free(&m);
}

/* The next read event of T from *AT on; NULL: none yet. */
static const struct sx_event *next_read(const struct stepper *s, uint32_t t, uint32_t *at)
{
    const struct sx_walker *w = &s->walkers[t];

    while (*at < w->event_count && w->events[*at].kind != SX_READ)
        ++*at;
    return *at < w->event_count ? &w->events[(*at)++] : NULL;
}

/* Whether the values that T has read come after those of U, in lexicographic order. */
static bool reads_more(const struct stepper *s, uint32_t t, uint32_t u)
{
    uint32_t i = 0, k = 0;
    const struct sx_event *a = next_read(s, t, &i), *b = next_read(s, u, &k);

    while (a && b && a->value == b->value) {
        a = next_read(s, t, &i);
        b = next_read(s, u, &k);
    }
    return a && b && a->value > b->value;
}

/* Whether an exchange of work-items turns all executions that extend the prefix into others that are explored
 * (docs/search.md#reductions).  T has just read. */
static bool is_exchanged(const struct stepper *s, uint32_t t)
{
    if (!s->not_before)
        return false;
    if (s->not_before[t] != UINT32_MAX && reads_more(s, s->not_before[t], t))
        return true;
    for (uint32_t u = t + 1; u < s->count; u++) {
        if (s->not_before[u] == t && reads_more(s, t, u))
            return true;
    }
    return false;
}

/* Explores the executions in which the next piece is read from SOURCE. */
static void try_source(struct stepper *s, const struct checkpoint *m, uint32_t t, uint64_t source,
                       uint64_t value)
{
    if (is_exploration_over(s))
        return;
    read_piece_from(s, t, source, value);
    if (!is_exchanged(s, t))
        sx_explore(s);
    checkpoint_rollback(s, m);
}

/* The first read of an unconstrained initial value: branches over its candidates. */
static void try_unconstrained_initial(struct stepper *s, const struct checkpoint *m, uint32_t t, uint32_t l)
{
    for (uint32_t v = 0; v < s->sx->locations[l].value_count && !is_exploration_over(s); v++) {
        uint64_t value = s->sx->locations[l].values[v];

        if (!sx_is_candidate(s->sx, &s->sx->locations[l], value))
            continue;
        s->initial[l] = value;
        s->is_initial[l] = 1;
        try_source(s, m, t, STEP_INITIAL, value);
        s->is_initial[l] = 0;
    }
}

static void branch_on_read(struct stepper *s, uint32_t t, uint32_t l)
{
    struct checkpoint m;

    if (!sx_may_extend(s) || !checkpoint_take(s, &m))
        return;
    for (uint32_t u = 0; u < s->count; u++) {
        for (uint32_t e = 0; e < s->walkers[u].event_count; e++) {
            const struct sx_event *event = &s->walkers[u].events[e];

            if (event->kind == SX_WRITE && event->location == l &&
                !sx_is_impossible_source(s, t, s->walkers[t].event_count, u, e))
                try_source(s, &m, t, sx_pack(u, e), event->value);
        }
    }
    if (has_unconstrained_initial(s, l))
        try_unconstrained_initial(s, &m, t, l);
    else if (!sx_is_initial_impossible(s, t, s->walkers[t].event_count, l))
        try_source(s, &m, t, STEP_INITIAL, sx_initial(s, l));
    if (!is_exploration_over(s) && sx_may_be_written_later(s, t, l)) {
        s->threads[t].status = STEP_BLOCKED;
        sx_explore(s);
        checkpoint_rollback(s, &m);
    }
    checkpoint_free(&m);
}

/* A location that no other thread accesses holds the last value that T wrote.  False: it is shared. */
static bool read_private_location(struct stepper *s, uint32_t t, uint32_t l)
{
    const struct sx_walker *w = &s->walkers[t];

    if (s->sx->locations[l].shared || !s->sx->program->kernel)
        return false;
    for (uint32_t e = w->event_count; e-- > 0;) {
        if (w->events[e].location != l)
            continue;
        read_piece_from(s, t, w->events[e].kind == SX_WRITE ? sx_pack(t, e) : *sx_source(s, t, e),
                        w->events[e].value);
        return true;
    }
    if (has_unconstrained_initial(s, l))
        return false;
    read_piece_from(s, t, STEP_INITIAL, sx_initial(s, l));
    return true;
}

/* ---- writes ------------------------------------------------------------------------------------- */

static bool is_ordered(const struct stepper *s, uint32_t location)
{
    return s->ordered[s->sx->locations[location].object];
}

static void insert_write(struct stepper *s, uint32_t at, uint64_t packed)
{
    memmove(s->order + at + 1, s->order + at, (s->order_count - at) * sizeof *s->order);
    s->order[at] = packed;
    s->order_count++;
    s->unchecked = true;
}

/* Whether EVENT of T, a read of a loop that never terminates, returns the last write so far. */
static bool reads_last_write(const struct stepper *s, uint32_t t, uint32_t event)
{
    uint64_t source = *sx_source(s, t, event);
    uint32_t l = s->walkers[t].events[event].location;
    bool after = source == STEP_INITIAL;

    for (uint32_t i = 0; i < s->order_count; i++) {
        if (after && sx_packed(s, s->order[i])->location == l && !sx_is_removed_write(s, s->order[i]))
            return false;
        after = after || s->order[i] == source;
    }
    return true;
}

static bool loops_read_final_values(const struct stepper *s)
{
    for (uint32_t t = 0; t < s->count; t++) {
        const struct sx_walker *w = &s->walkers[t];

        if (s->threads[t].status != STEP_ENDED || w->end != SX_WAIT)
            continue;
        for (uint32_t e = w->wait_from; e < w->event_count; e++) {
            if (w->events[e].kind == SX_READ && !reads_last_write(s, t, e))
                return false;
        }
    }
    return true;
}

/* Branches on the coherence position of the pending write: after each other write of its location, or first.
 */
static void choose_coherence_position(struct stepper *s)
{
    uint64_t packed = sx_pack(s->pending.thread, s->pending.event);
    uint32_t l = sx_packed(s, packed)->location, others = 0;
    struct checkpoint m;

    s->pending.placed = true;
    for (uint32_t i = 0; i < s->order_count; i++)
        others += sx_packed(s, s->order[i])->location == l;
    if (others == 0) {
        insert_write(s, s->order_count, packed);
        sx_explore(s);
        return;
    }
    if (!checkpoint_take(s, &m))
        return;
    for (uint32_t at = s->order_count + 1; at-- > 0 && !is_exploration_over(s);) {
        bool first = at == 0;

        if (at > 0 && sx_packed(s, s->order[at - 1])->location != l)
            continue;
        insert_write(s, at, packed);
        if (sx_may_be_placed(s, at) && (!s->hangs || loops_read_final_values(s)) && sx_may_extend(s))
            sx_explore(s);
        checkpoint_rollback(s, &m);
        if (first)
            break;
    }
    checkpoint_free(&m);
}

/* Branches on a blocked read of the pending write's location: it takes the write, or stays blocked. */
static void offer_to_blocked_read(struct stepper *s, uint32_t reader)
{
    uint64_t packed = sx_pack(s->pending.thread, s->pending.event);
    struct checkpoint m;

    s->pending.reader = reader + 1;
    if (!checkpoint_take(s, &m))
        return;
    try_source(s, &m, reader, packed, sx_packed(s, packed)->value);
    if (!is_exploration_over(s) && sx_may_be_written_later(s, reader, sx_packed(s, packed)->location))
        sx_explore(s);
    checkpoint_rollback(s, &m);
    checkpoint_free(&m);
}

/* The same for a read whose value was guessed: the pending write is its source, or is not. */
static void offer_to_guessed_read(struct stepper *s, uint64_t guess)
{
    uint32_t t = (uint32_t)(guess >> 32), e = (uint32_t)guess;
    struct checkpoint m;

    s->pending.guess = guess + 1;
    if (!checkpoint_take(s, &m))
        return;
    *sx_source(s, t, e) = sx_pack(s->pending.thread, s->pending.event);
    s->guesses--;
    s->unchecked = true;
    if (sx_may_extend(s))
        sx_explore(s);
    checkpoint_rollback(s, &m);
    *sx_source(s, t, e) = STEP_GUESSED;
    if (!is_exploration_over(s))
        sx_explore(s);
    checkpoint_rollback(s, &m);
    checkpoint_free(&m);
}

/* The next guessed read from FROM on that may read the pending write; UINT64_MAX: none. */
static uint64_t next_guess(const struct stepper *s, uint64_t from)
{
    const struct sx_event *pending = sx_packed(s, sx_pack(s->pending.thread, s->pending.event));

    for (uint32_t t = (uint32_t)(from >> 32); t < s->count && s->guesses; t++) {
        uint32_t e = t == from >> 32 ? (uint32_t)from : 0;

        for (; e < s->walkers[t].event_count; e++) {
            const struct sx_event *event = &s->walkers[t].events[e];

            if (event->kind == SX_READ && event->location == pending->location &&
                event->value == pending->value && *sx_source(s, t, e) == STEP_GUESSED)
                return sx_pack(t, e);
        }
    }
    return UINT64_MAX;
}

/* Processes the first pending write; false: the exploration branched. */
static bool process_pending_write(struct stepper *s)
{
    uint32_t l = sx_packed(s, sx_pack(s->pending.thread, s->pending.event))->location;
    uint64_t guess;

    if (!s->pending.placed && is_ordered(s, l)) {
        choose_coherence_position(s);
        return false;
    }
    s->pending.placed = true;
    for (uint32_t u = s->pending.reader; u < s->count; u++) {
        if (s->threads[u].status == STEP_BLOCKED &&
            s->threads[u].access.locations[s->threads[u].piece] == l &&
            !sx_is_impossible_source(s, u, s->walkers[u].event_count, s->pending.thread, s->pending.event)) {
            offer_to_blocked_read(s, u);
            return false;
        }
    }
    guess = next_guess(s, s->pending.guess);
    if (guess != UINT64_MAX) {
        s->pending.reader = s->count;
        offer_to_guessed_read(s, guess);
        return false;
    }
    s->pending = (struct step_pending){
        .thread = s->pending.thread, .event = s->pending.event + 1, .end = s->pending.end};
    return true;
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* T ended; false: this prefix needs no further exploration. */
static bool handle_thread_end(struct stepper *s, uint32_t t)
{
    const struct sx_walker *w = &s->walkers[t];
    struct sx *sx = s->sx;

    s->threads[t].status = STEP_ENDED;
    switch (w->end) {
    case SX_DONE:
        return true;
    case SX_LEFT: /* all participants passed the barriers before it */
        return false;
    case SX_WAIT:
        s->waits = true;
        return s->hangs && loops_read_final_values(s);
    default:
        return !s->hangs && (!sx->raised[w->end - 1] || (sx->program->kernel && sx_flags_open(sx)));
    }
}

static void arrive_at_barrier(struct stepper *s, uint32_t t)
{
    const struct sx_event **waiting = s->waiting;
    bool sub_group;

    if (s->sx->program->vulkan && !s->sx->program->kernel)
        return; /* barriers of Vulkan's litmus tests order, and block nothing */
    s->threads[t].status = STEP_AT_BARRIER;
    for (uint32_t u = 0; u < s->count; u++)
        waiting[u] = s->threads[u].status == STEP_AT_BARRIER
                         ? &s->walkers[u].events[s->walkers[u].event_count - 1]
                         : NULL;
    if (!sx_all_wait(s->sx->program, waiting, t))
        return;
    sub_group = waiting[t]->instr->sub_group;
    for (uint32_t u = 0; u < s->count; u++) {
        if (u == t || sx_share_barriers(s->sx->program, t, u, sub_group))
            s->threads[u].status = STEP_RUNS;
    }
}

/* The last event of T arrives at a barrier with a quorum: before enough others, or late. */
static void branch_on_quorum(struct stepper *s, uint32_t t)
{
    struct sx_event *barrier = &s->walkers[t].events[s->walkers[t].event_count - 1];
    struct checkpoint m;

    if (!checkpoint_take(s, &m))
        return;
    for (int late = 0; late < 2 && !is_exploration_over(s); late++) {
        barrier->late = late == 1;
        sx_explore(s);
        checkpoint_rollback(s, &m);
    }
    checkpoint_free(&m);
}

/* Whether T may stop before INSTR: an execution in which it stops after reads and fences alone is consistent
 * without them too (docs/search.md#progress). */
static bool may_stop(const struct stepper *s, uint32_t t, const struct ck_instr *instr)
{
    const struct sx_walker *w = &s->walkers[t];
    bool is_event = instr->op != CK_ASSIGN && instr->op != CK_JUMP && instr->op != CK_BRANCH &&
                    instr->op != CK_ASSUME && instr->op != CK_ASSERT && instr->op != CK_END;
    const struct sx_event *last = w->event_count ? &w->events[w->event_count - 1] : NULL;

    return !s->threads[t].continues && is_event && !sx_is_fair(s->sx) &&
           !(last && (last->kind == SX_READ || last->kind == SX_FENCE));
}

/* T stops here, or continues. */
static void branch_on_stop(struct stepper *s, uint32_t t)
{
    struct checkpoint m;

    s->threads[t].continues = true;
    if (!checkpoint_take(s, &m))
        return;
    sx_explore(s);
    checkpoint_rollback(s, &m);
    if (!is_exploration_over(s)) {
        s->threads[t].status = STEP_STOPPED;
        sx_explore(s);
        checkpoint_rollback(s, &m);
    }
    checkpoint_free(&m);
}

static bool start_access(struct stepper *s, uint32_t t)
{
    struct step_thread *thread = &s->threads[t];
    struct sx_walker *w = &s->walkers[t];
    const struct ck_program *p = s->sx->program;
    struct sx_access a = sx_begin_access(w, thread->pc);

    s->restart = s->restart || s->sx->again || s->sx->sharing_changed;
    if (w->failed || s->restart)
        return false;
    if (a.count == 0)
        return handle_thread_end(s, t);
    if (a.instr->op != CK_STORE) {
        thread->access = a;
        thread->piece = 0;
        thread->value = 0;
        return true;
    }
    s->pending = (struct step_pending){.thread = t, .event = w->event_count};
    sx_write_pieces(w, &a, sx_eval_expr(p, a.instr->value, w->block),
                    sx_depends(p, a.instr->value, w->depends));
    s->pending.end = w->event_count;
    s->unchecked = true;
    thread->accesses++;
    thread->pc++;
    return true;
}

/* The next step of thread T; false: the exploration branched, or the prefix is done. */
static bool advance_thread(struct stepper *s, uint32_t t)
{
    struct step_thread *thread = &s->threads[t];
    struct sx_walker *w = &s->walkers[t];
    const struct ck_instr *i;

    if (thread->access.count && thread->piece < thread->access.count) {
        uint32_t l = thread->access.locations[thread->piece];

        if (read_private_location(s, t, l))
            return true;
        branch_on_read(s, t, l);
        return false;
    }
    if (thread->access.count) {
        bool writes = access_writes(s, t);

        if (writes && thread->access.instr->op == CK_CAS && thread->access.instr->weak) {
            branch_on_spurious_failure(s, t);
            return false;
        }
        complete_access(s, t, writes);
        return true;
    }
    if (thread->pc >= w->thread->instr_count) {
        w->end = SX_DONE;
        return handle_thread_end(s, t);
    }
    i = &w->thread->instrs[thread->pc];
    if (s->hangs && may_stop(s, t, i)) {
        branch_on_stop(s, t);
        return false;
    }
    thread->continues = false;
    sx_walker_enter(w, thread->pc);
    if (i->op >= CK_LOAD && i->op <= CK_CAS)
        return start_access(s, t);
    w->ended = false;
    if (!sx_walker_step(w, &thread->pc))
        return w->ended && handle_thread_end(s, t);
    s->unchecked = s->unchecked || i->op == CK_FENCE || i->op == CK_BARRIER;
    if (i->op == CK_BARRIER && i->quorum) {
        branch_on_quorum(s, t);
        return false;
    }
    if (i->op == CK_BARRIER)
        arrive_at_barrier(s, t);
    return true;
}

bool sx_progresses_with(struct stepper *s, uint32_t t, uint64_t value)
{
    struct step_thread *thread = &s->threads[t];
    bool waits = s->waits, hangs = s->hangs, goes_on = true;
    struct checkpoint m;

    if (!checkpoint_take(s, &m))
        return true;
    s->hangs = false;
    read_piece_from(s, t, STEP_GUESSED, value);
    complete_access(s, t, access_writes(s, t));
    while (goes_on && thread->status == STEP_RUNS && !s->walkers[t].failed &&
           !(thread->pc < s->walkers[t].thread->instr_count &&
             s->walkers[t].thread->instrs[thread->pc].op >= CK_LOAD &&
             s->walkers[t].thread->instrs[thread->pc].op <= CK_CAS))
        goes_on = advance_thread(s, t);
    s->failed = s->failed || s->walkers[t].failed;
    checkpoint_rollback(s, &m);
    checkpoint_free(&m);
    s->hangs = hangs;
    s->waits = waits;
    return goes_on;
}

/* ---- blocked prefixes ----------------------------------------------------------------------------- */

/* Branches on the value of the blocked read of T, which a write after it has to provide. */
static void guess_read(struct stepper *s, uint32_t t)
{
    uint32_t l = s->threads[t].access.locations[s->threads[t].piece];
    struct checkpoint m;

    if (!s->values_known) {
        s->failed = true;
        return;
    }
    if (!checkpoint_take(s, &m))
        return;
    for (uint32_t v = 0; v < s->sx->locations[l].value_count; v++)
        try_source(s, &m, t, STEP_GUESSED, s->sx->locations[l].values[v]);
    checkpoint_free(&m);
}

static void handle_blocked_prefix(struct stepper *s)
{
    uint32_t first = UINT32_MAX;

    for (uint32_t t = s->count; t-- > 0;) {
        if (s->threads[t].status == STEP_BLOCKED)
            first = t;
    }
    if (first == UINT32_MAX) {
        if (s->guesses == 0)
            sx_judge_execution(s);
    } else if (sx_may_extend(s) && sx_may_unblock(s)) {
        guess_read(s, first);
    }
}

static bool is_within_limits(struct stepper *s)
{
    if (s->sx->explaining && ++s->visits > MAX_EXPLAINED_VISITS)
        s->sx->stop = true;
    if ((++s->sx->ticks & 63) == 0 && !sx_in_bounds(s->sx))
        s->sx->stop = true;
    return !s->sx->stop;
}

/* Whether T is at a read of a location that another thread may still write. */
static bool is_at_open_read(struct stepper *s, uint32_t t)
{
    const struct step_thread *thread = &s->threads[t];

    return thread->access.count && thread->piece < thread->access.count &&
           sx_others_may_write(s, t, thread->access.locations[thread->piece]);
}

/* The thread that steps: the first runnable one that is not at an open read, else the first runnable one;
 * the number of threads: none. */
static uint32_t choose_thread(struct stepper *s)
{
    uint32_t first = s->count;

    for (uint32_t t = s->count; t-- > 0;)
        first = s->threads[t].status == STEP_RUNS ? t : first;
    for (uint32_t t = first; t < s->count; t++) {
        if (s->threads[t].status == STEP_RUNS && !is_at_open_read(s, t))
            return t;
    }
    return first;
}

void sx_explore(struct stepper *s)
{
    bool branched = false;

    while (!branched && !is_exploration_over(s) && is_within_limits(s)) {
        uint32_t t;

        if (s->pending.event < s->pending.end) {
            branched = !process_pending_write(s);
            continue;
        }
        t = choose_thread(s);
        if (t == s->count) {
            handle_blocked_prefix(s);
            return;
        }
        branched = !advance_thread(s, t);
        s->failed = s->failed || (s->walkers[t].failed && !s->restart);
    }
}
