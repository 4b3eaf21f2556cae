/* Programs without atomic operations: if one execution has no race it is the only one; if it has one, the
 * program has. An interleaving is followed with a vector clock for each region, and the model judges it,
 * unless it is too large. docs/search.md#programs-without-atomic-operations */
#include "checker/search/exec.h"
#include "checker/search/walker.h"
#include "memmodel/base/array.h"

#include <string.h>

/* Of the execution that is followed, which costs time in proportion to its length: its instructions, and its
 * events of a thread.  Up to SX_MAX_EVENTS events the model judges it. */
enum { MAX_STEPS = 1 << 23, MAX_THREAD_EVENTS = 1 << 18 };

/* Instead of a work-item: the copy starts after the calls of all work-items of the group. */
#define AFTER_ALL UINT32_MAX

enum drf_status { RUNS, AT_BARRIER, WAITS, ENDED };

struct drf_write {
    uint32_t thread, event, tick;
    uint32_t before; /* the write before it to its location, plus 1; 0: none */
    uint64_t value;
};
struct drf_location {
    uint32_t last;     /* its last write, plus 1; 0: none */
    uint32_t *reads;   /* by thread: tick of its last read, 0: none */
    uint32_t *release; /* the clock of its last write, a release; NULL: none */
};
struct drf {
    /* configuration */
    struct sx *sx;
    uint32_t thread_count;
    uint32_t chooser; /* the work-item of each group whose call starts copies, or AFTER_ALL */
    bool copies;      /* some thread makes an asynchronous copy */

    /* the execution so far */
    struct sx_walker *walkers;
    struct sx_thread *out;
    uint32_t *pcs;
    enum drf_status *status;
    const struct sx_event **waiting; /* by thread: its barrier, or NULL */
    uint64_t **sources;              /* by thread and event */
    struct sx_clocks clocks;
    struct drf_location *locations;
    struct drf_write *writes;
    uint32_t write_count, write_capacity;
    uint64_t steps; /* instructions executed */

    /* results */
    bool racy;          /* by the clocks */
    bool unconstrained; /* some read returns an unconstrained initial value, of which one is followed */
    bool undecided;     /* this execution decides nothing: search has to */
};

/* ---- applicability ------------------------------------------------------------------------------ */

/* An atomic access to hidden memory: a mailbox of a group function, or a flag of an asynchronous copy. */
static bool is_hidden_access(const struct ck_program *p, const struct ck_instr *i)
{
    uint32_t base = ck_program_base(p, i->address);

    return base != CK_NO_OBJECT && p->objects[base].hidden && i->op != CK_RMW;
}

static bool is_drf_instr(const struct ck_program *p, const struct ck_instr *i)
{
    if (ck_instr_is_access(i))
        return ck_instr_is_plain(i) || is_hidden_access(p, i);
    if (i->op == CK_BARRIER)
        return i->quorum == 0 && i->value == CK_NO_EXPR && i->scope != MM_SCOPE_WORK_ITEM; /* illegal_scope */
    return i->op != CK_FENCE && i->op != CK_AVAILABILITY && i->op != CK_VISIBILITY && i->op != CK_POINT;
}

static bool is_applicable(const struct sx *sx)
{
    const struct ck_program *p = sx->program;
    const struct ck_options *o = &sx->options;
    bool one = p->kernel && !p->vulkan && p->edge_count == 0 && p->thread_count > 0;

    if (!o->drf || o->no_walk || o->only_walk || o->forbidden || (o->explain && p->observed_count))
        return false;
    for (uint32_t i = 0; i < p->object_count && one; i++)
        one = p->objects[i].region != MM_IMAGE && p->objects[i].alias_of == i;
    for (uint32_t t = 0; t < p->thread_count && one; t++) {
        one = !p->threads[t].host && !(p->threads[t].agent && p->observed_count);
        for (uint32_t i = 0; i < p->threads[t].instr_count && one; i++)
            one = is_drf_instr(p, &p->threads[t].instrs[i]);
    }
    return one;
}

/* ---- clocks ------------------------------------------------------------------------------------- */

static enum sx_order region_of(const struct drf *d, uint32_t object)
{
    return sx_region_of(d->sx->program, object);
}

static bool arrive_at_barrier(struct drf *d, uint32_t t)
{
    const struct ck_program *p = d->sx->program;

    d->status[t] = AT_BARRIER;
    for (uint32_t u = 0; u < d->thread_count; u++) {
        const struct sx_walker *w = &d->walkers[u];

        d->waiting[u] = d->status[u] == AT_BARRIER ? &w->events[w->event_count - 1] : NULL;
    }
    if (!sx_all_wait(p, d->waiting, t))
        return true;
    for (uint32_t u = 0; u < d->thread_count; u++) {
        if (u == t || sx_share_barriers(p, t, u, d->waiting[t]->instr->sub_group))
            d->status[u] = RUNS;
    }
    return sx_pass_barrier(&d->clocks, p, d->waiting, t);
}

/* ---- accesses ----------------------------------------------------------------------------------- */

static struct drf_location *location_at(struct drf *d, uint32_t l)
{
    struct drf_location *location = &d->locations[l];

    if (!location->reads)
        location->reads = mm_arena_alloc(d->sx->trace_arena, d->thread_count * sizeof *location->reads);
    d->undecided = d->undecided || !location->reads;
    return location;
}

/* Whether a plain access of T to location L conflicts with one that does not happen before it. */
static bool has_conflict(struct drf *d, uint32_t t, uint32_t l, bool writes)
{
    const struct drf_location *location = location_at(d, l);
    enum sx_order order = region_of(d, d->sx->values.locations[l].object);
    const struct drf_write *last = location->last ? &d->writes[location->last - 1] : NULL;

    if (last && !sx_is_before(&d->clocks, order, last->thread, last->tick, t))
        return true;
    for (uint32_t u = 0; u < d->thread_count && writes && location->reads; u++) {
        if (!sx_is_before(&d->clocks, order, u, location->reads[u], t))
            return true;
    }
    return false;
}

/* The visible write to location L, the last one that comes before T by ORDER; NULL: the initial one.  In the
 * interleaving no write follows another one that it comes before. */
static const struct drf_write *find_visible(const struct drf *d, uint32_t t, uint32_t l, enum sx_order order)
{
    for (uint32_t i = d->locations[l].last; i; i = d->writes[i - 1].before) {
        const struct drf_write *w = &d->writes[i - 1];

        if (sx_is_before(&d->clocks, order, w->thread, w->tick, t))
            return w;
    }
    return NULL;
}

/* Reads piece K of A. */
static uint64_t read_piece(struct drf *d, uint32_t t, const struct sx_access *a, unsigned k)
{
    struct sx_walker *w = &d->walkers[t];
    uint32_t l = a->locations[k];
    bool plain = ck_instr_is_plain(a->instr);
    enum sx_order order = plain ? region_of(d, a->object) : SX_PASSED;
    const struct drf_write *from;
    uint64_t value;

    if (plain && has_conflict(d, t, l, false))
        d->racy = true;
    if (a->instr->order == MM_ACQUIRE) /* the flag is set, once */
        from = &d->writes[d->locations[l].last - 1];
    else
        from = find_visible(d, t, l, order);
    d->unconstrained = d->unconstrained || (!from && d->sx->values.locations[l].unconstrained);
    value = from ? from->value : d->sx->values.locations[l].initial;
    sx_push_piece(w, SX_READ, a, k, value, 0);
    if (w->failed)
        return 0;
    d->sources[t][w->event_count - 1] = from ? (uint64_t)from->thread << 32 | from->event : SX_INITIAL;
    if (plain && !d->undecided)
        location_at(d, l)->reads[t] = d->clocks.ticks[t];
    return value << sx_piece_shift(d->sx, a, k);
}

/* Adds the last event of T, a write to location L. */
static void add_write(struct drf *d, uint32_t t, uint32_t l, const struct ck_instr *i)
{
    const struct sx_walker *w = &d->walkers[t];
    struct drf_location *location = location_at(d, l);
    enum sx_order order = region_of(d, d->sx->values.locations[l].object);

    if (!mm_arena_reserve(d->sx->trace_arena, &d->writes, d->write_count, &d->write_capacity,
                          d->write_count + 1)) {
        d->undecided = true;
        return;
    }
    d->writes[d->write_count++] = (struct drf_write){.thread = t,
                                                     .event = w->event_count - 1,
                                                     .tick = d->clocks.ticks[t],
                                                     .before = location->last,
                                                     .value = w->events[w->event_count - 1].value};
    location->last = d->write_count;
    if (i->order != MM_RELEASE)
        return;
    location->release = mm_arena_alloc(d->sx->trace_arena, d->thread_count * sizeof *location->release);
    d->undecided = d->undecided || !location->release;
    if (location->release)
        sx_clock_copy(&d->clocks, order, t, location->release);
}

static void write_value(struct drf *d, uint32_t t, const struct sx_access *a, uint64_t value)
{
    struct sx_walker *w = &d->walkers[t];

    for (unsigned k = 0; k < a->count && !w->failed && !d->undecided; k++) {
        if (ck_instr_is_plain(a->instr) && has_conflict(d, t, a->locations[k], true))
            d->racy = true;
        sx_push_piece(w, SX_WRITE, a, k, sx_piece(d->sx, a, k, value), 0);
        if (!w->failed)
            add_write(d, t, a->locations[k], a->instr);
    }
}

/* ---- flags of asynchronous copies ----------------------------------------------------------------- */

/* The number of work-items in the group of T. */
static uint32_t member_count(const struct drf *d, uint32_t t)
{
    const struct ck_program *p = d->sx->program;
    const struct ck_thread *thread = &p->threads[t];
    uint32_t count = 0;

    for (uint32_t u = 0; u < d->thread_count; u++)
        count += ck_meets_others(&p->threads[u]) && p->threads[u].device == thread->device &&
                 p->threads[u].work_group == thread->work_group;
    return count;
}

/* The location of the flag at ADDRESS; MM_CAT_NO_LOCATION: none yet. */
static uint32_t flag_at(struct drf *d, uint64_t address)
{
    uint32_t object, locations[SX_PIECES];
    bool fault;

    return sx_locate(d->sx, address, 8, &object, &fault, locations) == 1 ? locations[0] : MM_CAT_NO_LOCATION;
}

static bool is_released(struct drf *d, uint64_t address)
{
    uint32_t l = flag_at(d, address);

    return l != MM_CAT_NO_LOCATION && d->locations[l].release;
}

/* Whether all the work-items have called whose calls the copy of T, at the flag at ADDRESS, comes after; a
 * work-item waits for the end of a copy. */
static bool may_acquire(struct drf *d, uint32_t t, uint64_t address)
{
    uint32_t members = member_count(d, t);

    if (!d->sx->program->threads[t].agent || d->chooser != AFTER_ALL)
        return is_released(d, address);
    for (uint32_t m = 0; m < members; m++) {
        if (!is_released(d, address - (uint32_t)address + 8 * (uint64_t)m))
            return false;
    }
    return true;
}

/* T acquires the flag at ADDRESS.  Of an agent that comes after all calls: what comes before each of them. */
static void acquire_flag(struct drf *d, uint32_t t, uint64_t address)
{
    uint32_t l = flag_at(d, address), members = member_count(d, t);
    uint32_t *clock = sx_clock(&d->clocks, region_of(d, d->sx->values.locations[l].object), t);

    if (!d->sx->program->threads[t].agent || d->chooser != AFTER_ALL) {
        sx_clock_join(&d->clocks, clock, d->locations[l].release);
        return;
    }
    for (uint32_t u = 0; u < d->thread_count; u++) {
        uint32_t least = UINT32_MAX;

        for (uint32_t m = 0; m < members; m++) {
            uint32_t flag = flag_at(d, address - (uint32_t)address + 8 * (uint64_t)m);

            least = d->locations[flag].release[u] < least ? d->locations[flag].release[u] : least;
        }
        clock[u] = least > clock[u] ? least : clock[u];
    }
}

/* The weak compare-exchange by which agent T chooses the work-item that its copy comes after
 * (tools/explore/memory/copy.c). */
static void choose_work_item(struct drf *d, uint32_t t, const struct sx_access *a)
{
    const struct ck_program *p = d->sx->program;
    struct sx_walker *w = &d->walkers[t];
    uint32_t member = a->start / 8 - member_count(d, t) - 1,
             chosen = d->chooser == AFTER_ALL ? 0 : d->chooser;
    bool writes = member == chosen;
    uint64_t value = read_piece(d, t, a, 0);

    if (w->failed)
        return;
    w->events[w->event_count - 1].order = a->instr->order;
    if (writes)
        write_value(d, t, a, ck_eval_expr(p, a->instr->value, w->block));
    else
        sx_fail_exchange(w, a);
    if (!w->failed)
        sx_walker_result(w, a, value, 0, writes);
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* Room for the events of one more access of T. */
static bool reserve_events(struct drf *d, uint32_t t)
{
    struct sx_walker *w = &d->walkers[t];
    uint32_t capacity = w->event_capacity;
    struct sx_event *events;
    uint64_t *sources;

    if (d->sources[t] && w->event_count + 2 * SX_PIECES <= capacity)
        return true;
    capacity = d->sources[t] ? 2 * capacity : capacity + 2 * SX_PIECES;
    events = mm_arena_alloc(d->sx->trace_arena, capacity * sizeof *events);
    sources = mm_arena_alloc(d->sx->trace_arena, capacity * sizeof *sources);
    if (!events || !sources || capacity > MAX_THREAD_EVENTS)
        return false;
    if (w->event_count) {
        memcpy(events, w->events, w->event_count * sizeof *events);
        memcpy(sources, d->sources[t], w->event_count * sizeof *sources);
    }
    w->events = events;
    w->event_capacity = capacity;
    d->sources[t] = sources;
    return true;
}

/* False: T waits for a flag. */
static bool step_access(struct drf *d, uint32_t t)
{
    struct sx_walker *w = &d->walkers[t];
    const struct ck_program *p = d->sx->program;
    const struct ck_instr *i = &w->thread->instrs[d->pcs[t]];
    uint64_t address = ck_eval_expr(p, i->address, w->block), value = 0;
    struct sx_access a;

    if (i->order == MM_ACQUIRE && !may_acquire(d, t, address)) {
        d->status[t] = WAITS;
        return false;
    }
    a = sx_begin_access(w, d->pcs[t]);
    d->undecided = d->undecided || w->failed || d->sx->iteration.cuts_changed || a.count == 0;
    if (d->undecided)
        return true;
    d->clocks.ticks[t]++;
    if (i->op == CK_CAS) {
        choose_work_item(d, t, &a);
    } else if (i->op == CK_STORE) {
        write_value(d, t, &a, ck_eval_expr(p, i->value, w->block));
    } else {
        for (unsigned k = 0; k < a.count && !w->failed; k++)
            value |= read_piece(d, t, &a, k);
        if (i->order == MM_ACQUIRE && !w->failed)
            acquire_flag(d, t, address);
        if (!w->failed)
            sx_walker_result(w, &a, value, 0, false);
    }
    d->pcs[t]++;
    d->undecided = d->undecided || w->failed;
    return true;
}

/* Executes the next instruction of T; false: it cannot continue now. */
static bool drf_step(struct drf *d, uint32_t t)
{
    struct sx_walker *w = &d->walkers[t];
    uint32_t pc = d->pcs[t];
    const struct ck_instr *i = &w->thread->instrs[pc];

    if (++d->steps > MAX_STEPS || ((d->steps & 1023) == 0 && !sx_in_bounds(d->sx)) || !reserve_events(d, t)) {
        d->undecided = true;
        return false;
    }
    if (pc >= w->thread->instr_count) {
        d->status[t] = ENDED;
        return false;
    }
    if (ck_instr_is_access(i)) {
        if (d->status[t] == RUNS)
            sx_walker_enter(w, pc);
        return step_access(d, t) && !d->undecided;
    }
    sx_walker_enter(w, pc);
    w->finished = false;
    if (!sx_walker_step(w, &d->pcs[t])) {
        d->status[t] = ENDED;
        d->undecided = d->undecided || w->failed || !w->finished || w->end != SX_DONE;
        return false;
    }
    if (i->op == CK_BARRIER && !arrive_at_barrier(d, t))
        d->undecided = true;
    return d->status[t] == RUNS && !d->undecided;
}

/* Executes all threads, each as far as it can, in turns. */
static void run_threads(struct drf *d)
{
    bool progress = true;

    while (progress && !d->undecided) {
        progress = false;
        for (uint32_t t = 0; t < d->thread_count && !d->undecided; t++) {
            uint64_t before = d->steps;
            bool waits = d->status[t] == WAITS;

            if (d->status[t] != RUNS && !waits)
                continue;
            while (drf_step(d, t))
                d->status[t] = RUNS;
            progress = progress || !waits || d->steps > before + 1;
        }
    }
    for (uint32_t t = 0; t < d->thread_count; t++)
        d->undecided = d->undecided || d->status[t] != ENDED;
}

static bool drf_set_up(struct drf *d, uint32_t chooser)
{
    struct sx *sx = d->sx;
    struct mm_arena *arena = sx->trace_arena;
    uint32_t n = sx->program->thread_count;

    mm_arena_reset(arena);
    *d = (struct drf){.sx = sx, .thread_count = n, .chooser = chooser, .copies = d->copies};
    d->walkers = mm_arena_alloc(arena, n * sizeof *d->walkers);
    d->out = mm_arena_alloc(arena, n * sizeof *d->out);
    d->pcs = mm_arena_alloc(arena, n * sizeof *d->pcs);
    d->status = mm_arena_alloc(arena, n * sizeof *d->status);
    d->waiting = mm_arena_alloc(arena, n * sizeof *d->waiting);
    d->sources = mm_arena_alloc(arena, n * sizeof *d->sources);
    d->locations = mm_arena_alloc(arena, SX_MAX_LOCATIONS * sizeof *d->locations);
    if (!d->walkers || !d->out || !d->pcs || !d->status || !d->waiting || !d->sources ||
        !sx_clocks_create(&d->clocks, arena, n) || !d->locations)
        return false;
    sx->values.location_count = 0;
    sx->iteration.cuts_changed = false;
    for (uint32_t t = 0; t < n; t++) {
        d->walkers[t] = (struct sx_walker){
            .sx = sx, .thread = &sx->program->threads[t], .out = &d->out[t], .stepwise = true};
        if (!sx_walker_begin(&d->walkers[t]))
            return false;
    }
    return sx_add_observed(sx) || sx->iteration.cuts_changed;
}

/* Follows one execution, however often its loops iterate. */
static void drf_run(struct drf *d, uint32_t chooser)
{
    struct sx *sx = d->sx;
    unsigned unroll = sx->options.unroll;
    uint32_t tries = 0;

    sx->options.unroll = UINT32_MAX;
    do {
        d->undecided = !drf_set_up(d, chooser);
        if (!d->undecided && !sx->iteration.cuts_changed)
            run_threads(d);
    } while (sx->iteration.cuts_changed && !sx->limited && ++tries < SX_MAX_RESTARTS);
    d->undecided = d->undecided || sx->iteration.cuts_changed;
    sx->options.unroll = unroll;
}

/* ---- judging ------------------------------------------------------------------------------------ */

/* The traces of all threads; NULL: out of memory. */
static const struct sx_trace **make_traces(const struct drf *d)
{
    struct sx_trace *traces = mm_arena_alloc(d->sx->trace_arena, d->thread_count * sizeof *traces);
    const struct sx_trace **chosen = mm_arena_alloc(d->sx->trace_arena, d->thread_count * sizeof *chosen);

    for (uint32_t t = 0; t < d->thread_count && traces && chosen; t++) {
        const struct sx_walker *w = &d->walkers[t];

        traces[t] = (struct sx_trace){
            .event_count = w->event_count, .events = w->events, .regs = w->block, .depends = w->depends};
        chosen[t] = &traces[t];
    }
    return traces ? chosen : NULL;
}

/* Whether the final state has memory that holds an unconstrained value. */
static bool ends_unconstrained(const struct drf *d)
{
    for (uint32_t l = 0; l < d->sx->values.location_count; l++) {
        for (uint32_t i = 0; i < d->sx->program->observed_count; i++) {
            if (d->sx->values.locations[l].unconstrained && !d->locations[l].last &&
                sx_is_observed(d->sx, i, l))
                return true;
        }
    }
    return false;
}

/* The model judges the execution.  Whether it allows it, and finds a race where one is expected and no
 * other. */
static bool judge_by_model(struct drf *d, const struct sx_trace *const *chosen, bool expect_race)
{
    struct sx *sx = d->sx;
    struct mm_arena *arena = sx->trace_arena;
    uint64_t *order = mm_arena_alloc(arena, (d->write_count + 1) * sizeof *order), *sources;
    uint64_t *initial = mm_arena_alloc(arena, (sx->values.location_count + 1) * sizeof *initial);
    uint64_t executions = sx->verdict->execution_count;
    struct sx_given given = {.stride = 1, .order = order, .order_count = d->write_count, .initial = initial};
    bool race = false;

    for (uint32_t t = 0; t < d->thread_count; t++)
        given.stride = chosen[t]->event_count > given.stride ? chosen[t]->event_count : given.stride;
    given.sources = sources = mm_arena_alloc(arena, d->thread_count * given.stride * sizeof *sources);
    if (!order || !initial || !sources)
        return false;
    for (uint32_t t = 0; t < d->thread_count; t++) {
        if (chosen[t]->event_count)
            memcpy(sources + t * given.stride, d->sources[t], chosen[t]->event_count * sizeof *sources);
    }
    for (uint32_t i = 0; i < d->write_count; i++)
        order[i] = (uint64_t)d->writes[i].thread << 32 | d->writes[i].event;
    for (uint32_t l = 0; l < sx->values.location_count; l++)
        initial[l] = sx->values.locations[l].initial;
    sx_execute(sx, chosen, SX_COMPLETE, &given);
    for (uint32_t i = 0; i < sx->model->check_count; i++)
        race = race || (sx->seen.flags[i] && ck_flag_is_race(sx->model->checks[i].name));
    return !sx->limited && sx->verdict->execution_count > executions && race == expect_race;
}

/* The execution has more events than the model is evaluated on: its clocks decide. */
static bool judge_by_clocks(struct drf *d, bool race)
{
    struct sx *sx = d->sx;

    if (sx->program->observed_count || sx->program->filter != CK_NO_EXPR)
        return false;
    for (uint32_t i = 0; i < sx->model->check_count && race; i++) {
        if (strcmp(sx->model->checks[i].name, "data_race") == 0)
            sx->seen.flags[i] = 1;
    }
    return sx_accept_terminated(sx, race);
}

static bool judge_drf(struct drf *d, bool race)
{
    const struct sx_trace **chosen = make_traces(d);

    if (!chosen || (!race && (d->unconstrained || ends_unconstrained(d))))
        return false;
    if (sx_count_events(d->sx, chosen) <= SX_MAX_EVENTS && !d->sx->options.by_clocks)
        return judge_by_model(d, chosen, race);
    return judge_by_clocks(d, race);
}

/* Whether the copies of some choice of their calls race: the execution followed last does. */
static bool finds_racy_choice(struct drf *d)
{
    d->racy = false;
    for (uint32_t m = 0; m < member_count(d, 0) && !d->undecided && !d->racy; m++)
        drf_run(d, m);
    return d->racy && !d->undecided;
}

bool sx_decide_drf(struct sx *sx)
{
    struct drf d = {.sx = sx};
    bool decided = false;

    if (!is_applicable(sx))
        return false;
    for (uint32_t t = 0; t < sx->program->thread_count; t++)
        d.copies = d.copies || sx->program->threads[t].agent;
    drf_run(&d, AFTER_ALL);
    if (!d.undecided && !d.racy)
        decided = sx->explored_all = judge_drf(&d, false);
    else if (!d.undecided && (!d.copies || finds_racy_choice(&d)))
        judge_drf(&d, true); /* what else the program does search has to find */
    if (!decided && !(sx->inputs && sx->inputs->wanted != CK_NO_INPUT)) {
        sx->limited = sx->stop = false; /* limits of this execution are none of the search */
        sx->verdict->limit = (struct mm_error){0};
    }
    sx->values.location_count = 0;
    sx->iteration.cuts_changed = false;
    mm_arena_reset(sx->trace_arena);
    return decided;
}
