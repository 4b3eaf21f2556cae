/* All traces of a thread, given the possible values of each location: loads branch over the values
 * (search/access.c), loops are unrolled to options.bound iterations, and an iteration that changes no state
 * is not repeated.  docs/search.md#redundant-iterations */
#include "checker/search/walker.h"
#include "memmodel/base/array.h"

#include <string.h>

enum { MAX_TRACES = 1 << 20, MAX_STEPS = 200000000, MAX_SILENT = 1 << 16 };

static uint64_t *edge_block(const struct sx_walker *w, uint32_t edge)
{
    return w->block + w->thread->reg_count + (size_t)edge * (3 + w->thread->reg_count);
}

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
    struct mm_arena *arena = w->sx->traces;
    struct sx_trace *t;

    w->end = end;
    w->ended = true;
    if (w->steps)
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
        sx_limit(w->sx, "memory", "out of memory");
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
                           .created = ++w->sx->created,
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
        instr->value == CK_NO_EXPR ? instr->site : sx_eval_expr(w->sx->program, instr->value, w->block);
    for (uint32_t i = 0; i + 1 < w->event_count; i++) {
        if (w->events[i].kind == SX_BARRIER && w->events[i].barrier == e->barrier)
            e->occurrence++;
    }
}

/* An iteration of the loops that begin at PC starts: FROM is the back edge taken, CK_NO_INSTR if none. */
static void begin_iteration(struct sx_walker *w, uint32_t pc, uint32_t from)
{
    size_t regs = w->thread->reg_count;

    for (uint32_t e = 0; e < w->edge_count; e++) {
        uint64_t *b = edge_block(w, e);

        if (w->thread->instrs[w->edges[e]].target != pc)
            continue;
        if (from == CK_NO_INSTR)
            b[0] = 0;
        b[1] = w->last_effect;
        b[2] = w->event_count;
        memcpy(b + 3, w->block, regs * sizeof *b);
    }
}

static uint32_t thread_number(const struct sx_walker *w)
{
    return (uint32_t)(w->thread - w->sx->program->threads);
}

static bool same_live(const struct sx_walker *w, const uint64_t *regs, const uint64_t *live)
{
    for (uint32_t r = 0; r < w->thread->reg_count; r++) {
        if ((live[r / 64] >> (r % 64) & 1) && regs[r] != w->block[r])
            return false;
    }
    return true;
}

/* The fence flags that all barriers of the work-group of W have, if there are barriers and models order by them; nothing if the
 * flags differ, some barriers are of sub-groups or named, or the model is not known to order by them. */
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

        if (i < at ? instr->op == CK_BARRIER
                   : (instr->op == CK_JUMP || instr->op == CK_BRANCH) && instr->target <= at)
            return false;
    }
    return true;
}

/* Races of an atomic access of W: none; with accesses before the first barrier of W's work-group alone, which orders them before
 * what follows it; others. */
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

/* Whether all accesses of OBJECT that synchronize are those of the work-group of W, whose barriers order them. */
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

/* Whether an execution without event WRITE, the write of a read-modify-write that changes no value, lacks nothing that
 * it released: it is no release, and before it come no fences, and no barriers but those that order all its readers. */
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

/* Whether the iteration that ends here is redundant: it changed no state, so the next one can only repeat it. */
static bool is_iteration_redundant(const struct sx_walker *w, const uint64_t *b, const uint64_t *live)
{
    if (b[1] != w->last_effect || !same_live(w, b + 3, live))
        return false;
    if (!w->sx->program->kernel)
        return b[0] > 0;
    for (uint32_t i = (uint32_t)b[2]; i < w->event_count; i++) {
        /* its reads may race with the awaited write, a reader of a write that changes no value may synchronize
         * with it, and a fence orders what follows: one more iteration covers them all */
        if ((w->events[i].kind == SX_WRITE && !releases_nothing(w, i)) || w->events[i].kind == SX_FENCE ||
            may_race(w, i))
            return b[0] > 0;
    }
    return true;
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
        t->events[kept++].first_half = false;
    }
    t->event_count = kept;
}

/* One execution is followed, and the iteration that ends here changed no state: its events are removed unless
 * it wrote. */
static void remove_redundant_iteration(struct sx_walker *w, uint32_t first)
{
    bool writes = false;

    for (uint32_t i = first; i < w->event_count; i++)
        writes = writes || w->events[i].kind == SX_WRITE;
    if (!writes)
        w->event_count = first;
    w->waited = true;
}

/* Whether the back edge at PC, of the loop at B, is not to be taken again: the iteration that ends here has events and the
 * bound is reached, or it has none and is one of too many; and so is the trip count, if that is known. */
static bool is_beyond_bound(const struct sx_walker *w, uint32_t pc, const uint64_t *b)
{
    const struct ck_options *o = &w->sx->options;
    uint32_t bound = o->unroll ? o->unroll - 1 : o->bound;

    return (uint32_t)b[0] + (b[0] >> 32) >= w->thread->instrs[pc].trip_count &&
           (b[2] == w->event_count ? b[0] >> 32 >= MAX_SILENT : (uint32_t)b[0] >= bound);
}

/* Executes the jump from PC to TARGET; false: the trace ends here. */
static bool take_jump(struct sx_walker *w, uint32_t pc, uint32_t target)
{
    uint32_t edge = 0, words = w->thread->reg_count / 64 + 1;
    uint64_t *b;

    if (target > pc)
        return true;
    while (w->edges[edge] != pc)
        edge++;
    b = edge_block(w, edge);
    if (is_iteration_redundant(w, b, w->live + (size_t)edge * words)) {
        uint32_t count = w->out->trace_count;

        if (w->alone) {
            remove_redundant_iteration(w, (uint32_t)b[2]);
            begin_iteration(w, target, edge);
            w->came_back = true;
            return true;
        }
        w->wait_from = (uint32_t)b[2];
        sx_walker_finish(w, SX_WAIT);
        if (w->out->trace_count > count)
            remove_repeated_iteration(&w->out->traces[count], (uint32_t)b[2]);
        return false;
    }
    if (is_beyond_bound(w, pc, b)) {
        w->beyond = &w->thread->instrs[pc];
        sx_walker_finish(w, SX_BOUND);
        return false;
    }
    b[0] += b[2] == w->event_count ? UINT64_C(1) << 32 : 1;
    begin_iteration(w, target, edge);
    w->came_back = true;
    return true;
}

/* Executes one instruction other than an access; false: the trace ends here. */
bool sx_walker_step(struct sx_walker *w, uint32_t *pc)
{
    const struct ck_program *p = w->sx->program;
    const struct ck_instr *i = &w->thread->instrs[*pc];

    switch (i->op) {
    case CK_ASSIGN:
        w->block[i->reg] = sx_eval_expr(p, i->value, w->block);
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
        if (i->op == CK_JUMP || sx_eval_expr(p, i->value, w->block) == 0) {
            if (!take_jump(w, *pc, i->target))
                return false;
            *pc = i->target;
            return true;
        }
        break;
    case CK_ASSUME:
        if (sx_eval_expr(p, i->value, w->block) == 0) {
            if (i->site)
                sx_walker_finish(w, SX_LEFT);
            return false;
        }
        break;
    case CK_ASSERT:
        if (sx_eval_expr(p, i->value, w->block) == 0) {
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
    if (!w->came_back)
        begin_iteration(w, pc, CK_NO_INSTR);
    w->came_back = false;
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
        if (w->sx->limits.enough && w->sx->steps >= w->sx->limits.enough) {
            w->failed = w->sx->limits.exceeded = true;
            return;
        }
        if (++w->sx->steps > MAX_STEPS) {
            sx_limit(w->sx, "search.steps", "limit reached: 200 million steps of all threads");
            w->failed = true;
            return;
        }
        if ((w->sx->steps & 1023) == 0 && !sx_in_bounds(w->sx)) {
            w->failed = true;
            return;
        }
        if (i->op == CK_LOAD || i->op == CK_STORE || i->op == CK_RMW || i->op == CK_CAS) {
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
        if ((t->instrs[i].op == CK_JUMP || t->instrs[i].op == CK_BRANCH) && t->instrs[i].target <= i)
            most = SX_TRACE_EVENTS;
    }
    return most;
}

/* ---- live registers ----------------------------------------------------------------------------- */

/* Registers that the condition names stay live to the end. */
static void add_observed_registers(const struct ck_program *p, uint32_t thread, uint64_t *live)
{
    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_REG && p->observed[i].thread == thread)
            live[p->observed[i].reg / 64] |= (uint64_t)1 << (p->observed[i].reg % 64);
    }
}

/* For each back edge (an instruction of T) the set of registers that its target may read; NULL: out of memory.  Others may
 * differ between iterations that count as repetitions of each other. */
static uint64_t *find_loop_liveness(struct sx *sx, const struct ck_thread *t, const uint32_t *edges,
                                    uint32_t edge_count)
{
    uint32_t n = t->instr_count, words = t->reg_count / 64 + 1;
    size_t size = ((size_t)n + 1) * words;
    uint64_t *out = mm_arena_alloc(sx->traces, ((size_t)edge_count + 1) * words * sizeof *out);
    uint64_t *in = edge_count ? mm_alloc_zero(size + words, sizeof *in) : NULL;
    bool changed = in != NULL;

    if (!out || (edge_count && !in)) {
        mm_free(in);
        return NULL;
    }
    if (in)
        add_observed_registers(sx->program, (uint32_t)(t - sx->program->threads), in + (size_t)n * words);
    while (changed) {
        changed = false;
        for (uint32_t i = n; i-- > 0;) {
            const struct ck_instr *instr = &t->instrs[i];
            uint64_t *live = in + size;

            memcpy(live, in + (size_t)(instr->op == CK_END ? n : i + 1) * words, words * sizeof *live);
            if (instr->op == CK_JUMP)
                memset(live, 0, words * sizeof *live);
            for (uint32_t w = 0; w < words && (instr->op == CK_JUMP || instr->op == CK_BRANCH); w++)
                live[w] |= in[(size_t)instr->target * words + w];
            ck_instr_live(sx->program, instr, live);
            changed = changed || memcmp(in + (size_t)i * words, live, words * sizeof *live) != 0;
            memcpy(in + (size_t)i * words, live, words * sizeof *live);
        }
    }
    for (uint32_t e = 0; e < edge_count; e++)
        memcpy(out + (size_t)e * words, in + (size_t)t->instrs[edges[e]].target * words, words * sizeof *out);
    mm_free(in);
    return out;
}

/* ---- threads ------------------------------------------------------------------------------------ */

bool sx_walker_begin(struct sx_walker *w)
{
    const struct ck_thread *t = w->thread;

    w->edges = mm_arena_alloc(w->sx->traces, (t->instr_count + 1) * sizeof *w->edges);
    if (!w->edges)
        return false;
    for (uint32_t i = 0; i < t->instr_count; i++) {
        if ((t->instrs[i].op == CK_JUMP || t->instrs[i].op == CK_BRANCH) && t->instrs[i].target <= i)
            w->edges[w->edge_count++] = i;
    }
    w->is_header = mm_arena_alloc(w->sx->traces, t->instr_count + 1);
    w->racing = mm_arena_alloc(w->sx->traces, t->instr_count + 1);
    w->live = find_loop_liveness(w->sx, t, w->edges, w->edge_count);
    if (!w->is_header || !w->racing || !w->live)
        return false;
    w->barriers = find_barrier_flags(w);
    for (uint32_t e = 0; e < w->edge_count; e++)
        w->is_header[t->instrs[w->edges[e]].target] = 1;
    w->block_words = 2 * (size_t)t->reg_count + 1 + (size_t)w->edge_count * (3 + t->reg_count);
    w->block = mm_arena_alloc(w->sx->traces, (w->block_words + 1) * sizeof *w->block);
    w->event_capacity = sx_event_capacity(t);
    w->events = mm_arena_alloc(w->sx->traces, (w->event_capacity + 1) * sizeof *w->events);
    if (!w->block || !w->events)
        return false;
    w->control_depends = w->block + w->block_words - 1;
    w->depends = w->control_depends - t->reg_count;
    return true;
}

static bool list_thread_traces(struct sx *sx, uint32_t thread)
{
    struct sx_walker w = {.sx = sx, .thread = &sx->program->threads[thread], .out = &sx->threads[thread]};

    *w.out = (struct sx_thread){0};
    if (!sx_walker_begin(&w)) {
        sx_limit(sx, "memory", "out of memory");
        return false;
    }
    sx_walker_run(&w, 0);
    return !w.failed;
}

bool sx_run_threads(struct sx *sx)
{
    mm_arena_reset(sx->traces);
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
