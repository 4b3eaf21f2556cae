/* All traces of a thread, given the possible values of each location: loads branch over the values
 * (search/access.c), loops are unrolled to options.bound iterations, and an iteration that changes no state
 * is not repeated.  docs/search.md#redundant-iterations */
#include "checker/search/walker.h"
#include "memmodel/base/array.h"

#include <string.h>

enum { MAX_TRACES = 1 << 20 };  /* of a thread */
enum { MAX_STEPS = 200000000 }; /* instructions that all threads execute to find their traces */
enum { MAX_SILENT = 1 << 16 };  /* iterations of a loop without events, which its bound does not count */

static void count_writes(struct sx_walker *w)
{
    struct sx_location *locations = w->sx->values.locations;

    for (uint32_t i = 0; i < w->event_count; i++) {
        if (w->events[i].kind == SX_WRITE)
            locations[w->events[i].location].trace_writes = 0;
    }
    for (uint32_t i = 0; i < w->event_count; i++) {
        struct sx_location *l = w->events[i].kind == SX_WRITE ? &locations[w->events[i].location] : NULL;

        if (l && ++l->trace_writes > l->thread_writes)
            l->thread_writes = l->trace_writes;
    }
}

void sx_walker_finish(struct sx_walker *w, enum sx_end end)
{
    struct sx_thread *out = w->out;
    struct mm_arena *arena = w->sx->trace_arena;
    struct sx_trace *t;

    w->end = end;
    w->finished = true;
    if (w->stepwise)
        return;
    if (out->trace_count == MAX_TRACES || !mm_arena_reserve(arena, &out->traces, out->trace_count,
                                                            &out->trace_capacity, out->trace_count + 1)) {
        sx_limit(w->sx, "search.traces", "limit reached: 1048576 traces of a thread");
        w->failed = true;
        return;
    }
    t = &out->traces[out->trace_count];
    t->end = end;
    t->beyond = w->beyond;
    t->event_count = w->event_count;
    t->events = mm_arena_alloc(arena, w->event_count * sizeof *t->events);
    t->regs = mm_arena_alloc(arena, 2 * (size_t)w->thread->reg_count * sizeof *t->regs);
    if (!t->events || !t->regs) {
        sx_out_of_memory(w->sx);
        w->failed = true;
        return;
    }
    memcpy(t->events, w->events, w->event_count * sizeof *t->events);
    memcpy(t->regs, w->block, w->thread->reg_count * sizeof *t->regs);
    t->depends = t->regs + w->thread->reg_count;
    memcpy(t->depends, w->depends, w->thread->reg_count * sizeof *t->depends);
    out->trace_count++;
    count_writes(w);
}

struct sx_event *sx_push(struct sx_walker *w, enum sx_kind kind, const struct ck_instr *instr)
{
    struct sx_event *e = &w->events[w->event_count];

    if (w->event_count == w->event_capacity) {
        sx_limit(w->sx, "search.events", "limit reached: 1024 events in a thread");
        w->failed = true;
        return NULL;
    }
    w->event_count++;
    *e = (struct sx_event){.kind = (uint8_t)kind,
                           .order = instr->order,
                           .location = MM_CAT_NO_LOCATION,
                           .object = CK_NO_OBJECT,
                           .control_depends = *w->control_depends,
                           .stamp = ++w->sx->events_created,
                           .instr = instr};
    /* the fence of an iteration that only reads adds happens-before alone: iterations before the last one
     * need not be repeated for it */
    if (kind != SX_READ && kind != SX_FENCE)
        w->last_effect = w->event_count;
    return e;
}

static void push_barrier(struct sx_walker *w, const struct ck_instr *instr)
{
    struct sx_event *e = sx_push(w, SX_BARRIER, instr);

    if (!e)
        return;
    e->barrier =
        instr->value == CK_NO_EXPR ? instr->site : ck_eval_expr(w->sx->program, instr->value, w->block);
    for (uint32_t i = 0; i + 1 < w->event_count; i++) {
        if (w->events[i].kind == SX_BARRIER && w->events[i].barrier == e->barrier)
            e->occurrence++;
    }
}

/* Removes the writes of the repeated iteration, which change no value; FIRST: its first event. */
static void remove_repeated_iteration(struct sx_trace *t, uint32_t first)
{
    uint32_t kept = first;

    t->wait_from = first;
    for (uint32_t i = first; i < t->event_count; i++) {
        if (t->events[i].kind == SX_WRITE)
            continue;
        t->events[kept] = t->events[i];
        t->events[kept++].rmw_read = false;
    }
    t->event_count = kept;
}

/* One execution is followed, and COUNT iterations of the loop of EDGE, from event FIRST on, repeat others:
 * their events are removed unless they wrote. */
static void remove_redundant_iterations(struct sx_walker *w, uint32_t edge, uint32_t count, uint32_t first)
{
    bool writes = false;

    for (uint32_t i = first; i < w->event_count; i++)
        writes = writes || w->events[i].kind == SX_WRITE;
    if (!writes) {
        w->event_count = first;
        sx_forget_iterations(w, edge, count);
    }
    w->ended_redundant = true;
}

/* Whether EDGE is not to be taken again: the iteration that ends here has events and the
 * bound is reached, or it has none and is one of too many; and so is the trip count, if that is known. */
static bool is_beyond_bound(const struct sx_walker *w, uint32_t edge)
{
    const struct ck_options *o = &w->sx->options;
    uint32_t bound = o->unroll ? o->unroll - 1 : o->bound;
    uint64_t count = sx_loop_counts(w, edge)[SX_ITERATIONS];

    return (uint32_t)count + (count >> 32) >= w->thread->instrs[w->edges[edge].pc].trip_count &&
           (sx_has_events(w, edge) ? (uint32_t)count >= bound : count >> 32 >= MAX_SILENT);
}

/* The trace ends in a loop whose iterations from event FIRST on repeat others. */
static void finish_waiting(struct sx_walker *w, uint32_t first)
{
    uint32_t count = w->out->trace_count;

    w->wait_from = first;
    sx_walker_finish(w, SX_WAIT);
    if (w->out->trace_count > count)
        remove_repeated_iteration(&w->out->traces[count], first);
}

/* Executes the jump from PC to TARGET; false: the trace ends here. */
static bool take_jump(struct sx_walker *w, uint32_t pc, uint32_t target)
{
    uint32_t edge = 0, redundant, first;

    if (target > pc)
        return true;
    while (w->edges[edge].pc != pc)
        edge++;
    redundant = sx_find_redundant_iterations(w, edge, &first);
    if (redundant && !w->follows_one) {
        finish_waiting(w, first);
        return false;
    }
    if (redundant) {
        remove_redundant_iterations(w, edge, redundant, first);
    } else if (is_beyond_bound(w, edge)) {
        w->beyond = &w->thread->instrs[pc];
        sx_walker_finish(w, SX_BOUND);
        return false;
    } else {
        sx_loop_counts(w, edge)[SX_ITERATIONS] += sx_has_events(w, edge) ? 1 : UINT64_C(1) << 32;
    }
    sx_begin_iteration(w, target, false);
    w->took_back_edge = true;
    return true;
}

/* Whether I, not an access, uses a value that is assumed to be unused. */
static bool uses_unset(const struct sx_walker *w, const struct ck_instr *i)
{
    bool uses = i->op == CK_BRANCH || i->op == CK_ASSUME || i->op == CK_ASSERT || i->op == CK_BARRIER;

    return w->sx->unknown.assumed && uses && i->value != CK_NO_EXPR && sx_is_unset(w, i->value);
}

bool sx_walker_step(struct sx_walker *w, uint32_t *pc)
{
    const struct ck_program *p = w->sx->program;
    const struct ck_instr *i = &w->thread->instrs[*pc];

    if (uses_unset(w, i)) {
        sx_note_use(w->sx);
        w->failed = true;
        return false;
    }
    switch (i->op) {
    case CK_ASSIGN:
        if (w->sx->unknown.assumed)
            sx_set_unset(w, i->reg, sx_is_unset(w, i->value));
        w->block[i->reg] = ck_eval_expr(p, i->value, w->block);
        w->depends[i->reg] = sx_depends(p, i->value, w->depends);
        break;
    case CK_FENCE:
        sx_push(w, SX_FENCE, i);
        break;
    case CK_BARRIER:
        push_barrier(w, i);
        break;
    case CK_AVAILABILITY:
        sx_push(w, SX_AVAILABILITY, i);
        break;
    case CK_VISIBILITY:
        sx_push(w, SX_VISIBILITY, i);
        break;
    case CK_POINT:
        sx_push(w, SX_POINT, i);
        break;
    case CK_JUMP:
    case CK_BRANCH:
        if (i->op == CK_BRANCH)
            *w->control_depends |= sx_depends(p, i->value, w->depends);
        if (i->op == CK_JUMP || ck_eval_expr(p, i->value, w->block) == 0) {
            if (!take_jump(w, *pc, i->target))
                return false;
            *pc = i->target;
            return true;
        }
        break;
    case CK_ASSUME:
        if (ck_eval_expr(p, i->value, w->block) == 0) {
            if (i->site)
                sx_walker_finish(w, SX_LEFT);
            return false;
        }
        break;
    case CK_ASSERT:
        if (ck_eval_expr(p, i->value, w->block) == 0) {
            sx_walker_finish(w, SX_ASSERT);
            return false;
        }
        break;
    default:
        sx_walker_finish(w, SX_DONE);
        return false;
    }
    ++*pc;
    return !w->failed;
}

void sx_walker_enter(struct sx_walker *w, uint32_t pc)
{
    if (!w->is_header[pc])
        return;
    if (!w->took_back_edge)
        sx_begin_iteration(w, pc, true);
    w->took_back_edge = false;
}

void sx_walker_run(struct sx_walker *w, uint32_t pc)
{
    while (!w->failed) {
        const struct ck_instr *i = &w->thread->instrs[pc];

        if (pc >= w->thread->instr_count) {
            sx_walker_finish(w, SX_DONE);
            return;
        }
        sx_walker_enter(w, pc);
        if (w->sx->limits.step_bound && w->sx->limits.steps >= w->sx->limits.step_bound) {
            w->failed = w->sx->limits.step_bound_exceeded = true;
            return;
        }
        if (++w->sx->limits.steps > MAX_STEPS) {
            sx_limit(w->sx, "search.steps", "limit reached: 200 million steps of all threads");
            w->failed = true;
            return;
        }
        if ((w->sx->limits.steps & 1023) == 0 && !sx_in_bounds(w->sx)) {
            w->failed = true;
            return;
        }
        if (ck_instr_is_access(i)) {
            if (!sx_walker_access(w, pc))
                return;
            pc++;
        } else if (!sx_walker_step(w, &pc)) {
            return;
        }
    }
}

uint32_t sx_event_capacity(const struct ck_thread *t)
{
    uint32_t most =
        t->instr_count < SX_TRACE_EVENTS / (2 * SX_PIECES) ? t->instr_count * 2 * SX_PIECES : SX_TRACE_EVENTS;

    for (uint32_t i = 0; i < t->instr_count; i++) {
        if ((ck_instr_is_jump(&t->instrs[i])) && t->instrs[i].target <= i)
            most = SX_TRACE_EVENTS;
    }
    return most;
}

/* ---- threads ------------------------------------------------------------------------------------ */

bool sx_walker_begin(struct sx_walker *w)
{
    const struct ck_thread *t = w->thread;

    if (!sx_find_loops(w))
        return false;
    w->block_words = 2 * (size_t)t->reg_count + 1 + t->reg_count / 64 + 1 + w->edge_count * sx_loop_words(w);
    w->block = mm_arena_alloc(w->sx->trace_arena, (w->block_words + 1) * sizeof *w->block);
    w->event_capacity = sx_event_capacity(t);
    w->events = mm_arena_alloc(w->sx->trace_arena, (w->event_capacity + 1) * sizeof *w->events);
    if (!w->block || !w->events)
        return false;
    w->control_depends = w->block + w->block_words - 1;
    w->depends = w->control_depends - t->reg_count;
    w->unset = w->depends - (t->reg_count / 64 + 1);
    return true;
}

static bool list_thread_traces(struct sx *sx, uint32_t thread)
{
    struct sx_walker w = {.sx = sx, .thread = &sx->program->threads[thread], .out = &sx->threads[thread]};

    *w.out = (struct sx_thread){0};
    if (!sx_walker_begin(&w))
        return sx_out_of_memory(sx);
    sx_walker_run(&w, 0);
    return !w.failed;
}

bool sx_run_threads(struct sx *sx)
{
    mm_arena_reset(sx->trace_arena);
    sx->iteration.sharing_changed = sx->iteration.costs_changed = false;
    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        sx->values.locations[l].fresh_count = sx->values.locations[l].writes = 0;
        memset(sx->values.locations[l].stored, 0, sx->values.locations[l].value_capacity);
    }
    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        if (!list_thread_traces(sx, t))
            return false;
        for (uint32_t l = 0; l < sx->values.location_count; l++) {
            sx->values.locations[l].writes += sx->values.locations[l].thread_writes;
            sx->values.locations[l].thread_writes = 0;
        }
    }
    return true;
}
