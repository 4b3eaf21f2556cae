/* Event-by-event construction of the executions of a kernel, all threads together
 * (docs/search.md#construction). The schedule is deterministic: the lowest-numbered runnable thread steps.  A
 * read branches: it takes one of the existing writes, or blocks until a later write revisits it.  A write
 * branches over the blocked reads of its location: each takes it, or stays blocked (forward revisit).  The
 * model is evaluated after each choice, so no forbidden prefix is extended and no value is tried that no
 * write provides.  Each execution is built once.
 *
 * Where all threads are blocked, each on an event that comes after the read of another, only values that
 * justify themselves can continue the execution: if the model allows such a cycle (search/blocked_cycles.c) a
 * read takes one of the possible values of its location, and its write has to follow. */
#include "checker/search/step.h"

#include <string.h>

enum { MAX_EXPLAINED_VISITS = 1 << 20 }; /* steps of a pass that explains */

/* ---- checkpoints -------------------------------------------------------------------------------- */

static size_t block_words(const struct stepper *s)
{
    size_t words = 0;

    for (uint32_t t = 0; t < s->thread_count; t++)
        words += s->walkers[t].block_words;
    return words;
}

bool sx_checkpoint_take(struct stepper *s, struct sx_checkpoint *m)
{
    size_t blocks = block_words(s), at = 0;
    uint64_t *room = mm_alloc((blocks + s->order_count + 1) * sizeof *room);
    char *rest =
        mm_alloc(s->thread_count * (sizeof *m->threads + sizeof *m->counts + sizeof *m->took_back_edge) + 1);

    *m = (struct sx_checkpoint){.blocks = room, .threads = (struct step_thread *)(void *)rest};
    if (!room || !rest) {
        sx_stop_without_memory(s->sx);
        mm_free(room);
        mm_free(rest);
        return false;
    }
    m->counts = (uint32_t(*)[2])(void *)(m->threads + s->thread_count);
    m->took_back_edge = (bool *)(m->counts + s->thread_count);
    m->order = room + blocks;
    m->order_count = s->order_count;
    m->guesses = s->guesses;
    m->pending = s->pending;
    m->unchecked = s->unchecked;
    memcpy(m->threads, s->threads, s->thread_count * sizeof *m->threads);
    if (s->order_count)
        memcpy(m->order, s->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->thread_count; t++) {
        const struct sx_walker *w = &s->walkers[t];

        m->counts[t][0] = w->event_count;
        m->counts[t][1] = w->last_effect;
        m->took_back_edge[t] = w->took_back_edge;
        memcpy(m->blocks + at, w->block, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
    return true;
}

void sx_checkpoint_rollback(struct stepper *s, const struct sx_checkpoint *m)
{
    size_t at = 0;

    s->order_count = m->order_count;
    s->guesses = m->guesses;
    s->pending = m->pending;
    s->unchecked = m->unchecked;
    memcpy(s->threads, m->threads, s->thread_count * sizeof *m->threads);
    if (s->order_count)
        memcpy(s->order, m->order, s->order_count * sizeof *m->order);
    for (uint32_t t = 0; t < s->thread_count; t++) {
        struct sx_walker *w = &s->walkers[t];

        w->event_count = m->counts[t][0];
        w->last_effect = m->counts[t][1];
        w->took_back_edge = m->took_back_edge[t];
        memcpy(w->block, m->blocks + at, w->block_words * sizeof *w->block);
        at += w->block_words;
    }
}

void sx_checkpoint_free(struct sx_checkpoint *m)
{
    mm_free(m->blocks);
    mm_free(m->threads);
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
        s->facts.waits = true;
        return s->explores_hangs && sx_loops_read_final_values(s);
    default:
        return !s->explores_hangs &&
               (!sx->seen.raised[w->end - 1] || (sx->program->kernel && sx_flags_open(sx)));
    }
}

static void arrive_at_barrier(struct stepper *s, uint32_t t)
{
    const struct sx_event **waiting = s->waiting;
    bool sub_group;

    if (s->sx->program->vulkan && !s->sx->program->kernel)
        return; /* barriers of Vulkan's litmus tests order, and block nothing */
    s->threads[t].status = STEP_AT_BARRIER;
    for (uint32_t u = 0; u < s->thread_count; u++)
        waiting[u] = s->threads[u].status == STEP_AT_BARRIER
                         ? &s->walkers[u].events[s->walkers[u].event_count - 1]
                         : NULL;
    if (!sx_all_wait(s->sx->program, waiting, t))
        return;
    sub_group = waiting[t]->instr->sub_group;
    for (uint32_t u = 0; u < s->thread_count; u++) {
        if (u == t || sx_share_barriers(s->sx->program, t, u, sub_group))
            s->threads[u].status = STEP_RUNS;
    }
}

/* The last event of T arrives at a barrier with a quorum: before enough others, or late. */
static void branch_on_quorum(struct stepper *s, uint32_t t)
{
    struct sx_event *barrier = &s->walkers[t].events[s->walkers[t].event_count - 1];
    struct sx_checkpoint m;

    if (!sx_checkpoint_take(s, &m))
        return;
    for (int late = 0; late < 2 && !sx_is_exploration_over(s); late++) {
        barrier->late = late == 1;
        sx_explore(s);
        sx_checkpoint_rollback(s, &m);
    }
    sx_checkpoint_free(&m);
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
    struct sx_checkpoint m;

    s->threads[t].continues = true;
    if (!sx_checkpoint_take(s, &m))
        return;
    sx_explore(s);
    sx_checkpoint_rollback(s, &m);
    if (!sx_is_exploration_over(s)) {
        s->threads[t].status = STEP_STOPPED;
        sx_explore(s);
        sx_checkpoint_rollback(s, &m);
    }
    sx_checkpoint_free(&m);
}

static bool start_access(struct stepper *s, uint32_t t)
{
    struct step_thread *thread = &s->threads[t];
    struct sx_walker *w = &s->walkers[t];
    const struct ck_program *p = s->sx->program;
    struct sx_access a = sx_begin_access(w, thread->pc);

    s->restart = s->restart || s->sx->iteration.cuts_changed || s->sx->iteration.sharing_changed;
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
    sx_write_pieces(w, &a, ck_eval_expr(p, a.instr->value, w->block),
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

        if (sx_read_private_location(s, t, l))
            return true;
        sx_branch_on_read(s, t, l);
        return false;
    }
    if (thread->access.count) {
        bool writes = sx_access_writes(s, t);

        if (writes && thread->access.instr->op == CK_CAS && thread->access.instr->weak) {
            sx_branch_on_spurious_failure(s, t);
            return false;
        }
        sx_complete_access(s, t, writes);
        return true;
    }
    if (thread->pc >= w->thread->instr_count) {
        w->end = SX_DONE;
        return handle_thread_end(s, t);
    }
    i = &w->thread->instrs[thread->pc];
    if (s->explores_hangs && may_stop(s, t, i)) {
        branch_on_stop(s, t);
        return false;
    }
    thread->continues = false;
    sx_walker_enter(w, thread->pc);
    if (ck_instr_is_access(i))
        return start_access(s, t);
    w->finished = false;
    if (!sx_walker_step(w, &thread->pc))
        return w->finished && handle_thread_end(s, t);
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
    bool waits = s->facts.waits, explores_hangs = s->explores_hangs, goes_on = true;
    struct sx_checkpoint m;

    if (!sx_checkpoint_take(s, &m))
        return true;
    s->explores_hangs = false;
    sx_read_piece_from(s, t, STEP_GUESSED, value);
    sx_complete_access(s, t, sx_access_writes(s, t));
    while (goes_on && thread->status == STEP_RUNS && !s->walkers[t].failed &&
           !(thread->pc < s->walkers[t].thread->instr_count &&
             s->walkers[t].thread->instrs[thread->pc].op >= CK_LOAD &&
             s->walkers[t].thread->instrs[thread->pc].op <= CK_CAS))
        goes_on = advance_thread(s, t);
    s->failed = s->failed || s->walkers[t].failed;
    sx_checkpoint_rollback(s, &m);
    sx_checkpoint_free(&m);
    s->explores_hangs = explores_hangs;
    s->facts.waits = waits;
    return goes_on;
}

/* ---- blocked prefixes ----------------------------------------------------------------------------- */

/* Branches on the value of the blocked read of T, which a write after it has to provide. */
static void guess_read(struct stepper *s, uint32_t t)
{
    uint32_t l = s->threads[t].access.locations[s->threads[t].piece];
    struct sx_checkpoint m;

    if (!s->facts.values_known) {
        s->failed = true;
        return;
    }
    if (!sx_checkpoint_take(s, &m))
        return;
    for (uint32_t v = 0; v < s->sx->values.locations[l].value_count; v++)
        sx_try_source(s, &m, t, STEP_GUESSED, s->sx->values.locations[l].values[v]);
    sx_checkpoint_free(&m);
}

static void handle_blocked_prefix(struct stepper *s)
{
    bool blocked = false;
    uint32_t t;

    for (uint32_t u = 0; u < s->thread_count; u++)
        blocked = blocked || s->threads[u].status == STEP_BLOCKED;
    if (!blocked) {
        if (s->guesses == 0)
            sx_judge_execution(s);
        return;
    }
    t = sx_may_extend(s) ? sx_may_unblock(s) : CK_NO_THREAD;
    if (t != CK_NO_THREAD)
        guess_read(s, t);
}

static bool is_within_limits(struct stepper *s)
{
    if (s->sx->explains && ++s->counts.visits > MAX_EXPLAINED_VISITS)
        s->sx->stop = true;
    if ((++s->sx->limits.ticks & 63) == 0 && (!sx_in_bounds(s->sx) || sx_split_is_over(s->sx)))
        s->sx->stop = true;
    sx_split(s);
    return !sx_is_exploration_over(s);
}

/* Whether T is at a read of a location that another thread may still write. */
static bool is_at_open_read(struct stepper *s, uint32_t t)
{
    const struct step_thread *thread = &s->threads[t];

    return thread->access.count && thread->piece < thread->access.count && !sx_reads_visible(s, t) &&
           sx_others_may_write(s, t, thread->access.locations[thread->piece]);
}

/* The thread that steps: the first runnable one that is not at an open read, else the first runnable one;
 * the number of threads: none. */
static uint32_t choose_thread(struct stepper *s)
{
    uint32_t first = s->thread_count;

    for (uint32_t t = s->thread_count; t-- > 0;)
        first = s->threads[t].status == STEP_RUNS ? t : first;
    for (uint32_t t = first; t < s->thread_count; t++) {
        if (s->threads[t].status == STEP_RUNS && !is_at_open_read(s, t))
            return t;
    }
    return first;
}

static void explore_prefix(struct stepper *s)
{
    bool branched = false;

    while (!branched && !sx_is_exploration_over(s) && is_within_limits(s)) {
        uint32_t t;

        if (s->pending.event < s->pending.end) {
            branched = !sx_process_pending_write(s);
            continue;
        }
        t = choose_thread(s);
        if (t == s->thread_count) {
            handle_blocked_prefix(s);
            return;
        }
        branched = !advance_thread(s, t);
        s->failed = s->failed || (s->walkers[t].failed && !s->restart);
    }
}

void sx_explore(struct stepper *s)
{
    if (sx_is_exploration_over(s))
        return;
    s->depth++;
    explore_prefix(s);
    s->depth--;
    if (s->depth <= s->unwind_to)
        s->unwind_to = UINT32_MAX;
}
