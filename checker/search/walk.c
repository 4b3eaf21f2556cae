/* Random executions: a scheduler picks the threads of a kernel at random, reads return the latest write (and
 * sometimes an older one), and the model judges the result.  In half of the executions plain reads return the
 * write that is visible by vector clocks: our models forbid that they return another one, so some races show
 * in these alone.  The clocks may be wrong, as the model judges the execution.  Search decides all that these
 * executions show, but they find races, failed assertions and final states before it has listed all
 * traces. */
#include "checker/search/exec.h"
#include "checker/search/step.h"
#include "checker/search/walker.h"

#include <string.h>

/* Executions; those in a row that find nothing new; turns of an execution; the cost of all, in units of
 * roughly a microsecond, which is counted so that the result does not depend on the machine. */
enum { MAX_WALKS = 400, MAX_IDLE = 40, MAX_TURNS = 1 << 15, MAX_WORK = 300000 };

enum status { RUNS, AT_BARRIER, SPINS, ENDED };

struct walk_write {
    uint32_t tick, before; /* BEFORE: number of the write before it to its location, plus 1; 0: none */
    uint32_t *release;     /* clocks by region that operations of SCOPE acquire by reading it; NULL: none */
    uint8_t scope;
};

/* Of a thread: what its release fences cover, with FLAGS and SCOPE of the last one; what the next acquire
 * fence may acquire.  Clocks by region. */
struct walk_fences {
    uint8_t flags, scope;
    uint32_t *released, *acquirable;
};

struct walk {
    /* of all executions */
    struct sx *sx;
    uint32_t thread_count;
    uint64_t random; /* state of the generator */
    uint64_t work;   /* so far: at most MAX_WORK */

    /* the choices of this execution */
    bool reads_older;   /* a load may return an older write than the latest one */
    bool reads_visible; /* a plain read returns the visible write */

    /* this execution */
    struct sx_walker *walkers;
    struct sx_thread *out;
    uint32_t *pcs;
    enum status *status;
    const struct sx_event **waiting;   /* by thread: the barrier that it is at, or NULL */
    uint64_t *values, *last, *initial; /* by location; LAST: the number of its last write, plus 1 */
    uint32_t known, capacity;          /* locations with a value */
    uint64_t *sources;                 /* by thread and event */
    uint64_t *order;                   /* the writes, as they came */
    uint32_t order_count;
    struct walk_write *writes;  /* in that order: a write's number is its place there */
    struct walk_fences *fences; /* by thread */
    struct sx_clocks clocks;
    uint32_t changes; /* writes of other values than were there */
    bool failed;
};

static uint32_t walk_random(struct walk *k, uint32_t below)
{
    k->random ^= k->random << 13;
    k->random ^= k->random >> 7;
    k->random ^= k->random << 17;
    return (uint32_t)((k->random >> 11) % below);
}

/* ---- memory ------------------------------------------------------------------------------------- */

/* Initializes the locations found since the last call. */
static bool walk_init_locations(struct walk *k)
{
    struct sx *sx = k->sx;

    if (sx->values.location_count > k->capacity) {
        uint32_t capacity = 2 * sx->values.location_count + 16;
        uint64_t *values = mm_arena_alloc(sx->trace_arena, 3 * (size_t)capacity * sizeof *values);

        if (!values)
            return false;
        if (k->known) {
            memcpy(values, k->values, k->known * sizeof *values);
            memcpy(values + capacity, k->last, k->known * sizeof *values);
            memcpy(values + 2 * (size_t)capacity, k->initial, k->known * sizeof *values);
        }
        k->values = values;
        k->last = values + capacity;
        k->initial = values + 2 * (size_t)capacity;
        k->capacity = capacity;
    }
    for (; k->known < sx->values.location_count; k->known++) {
        const struct sx_location *l = &sx->values.locations[k->known];

        k->values[k->known] = k->initial[k->known] =
            l->unconstrained && l->value_count ? l->values[walk_random(k, l->value_count)] : l->initial;
        k->last[k->known] = 0;
    }
    return true;
}

static uint64_t walk_value_of(const struct walk *k, uint64_t writer)
{
    return k->walkers[writer >> 32].events[(uint32_t)writer].value;
}

/* ---- synchronization ------------------------------------------------------------------------------ */

/* Whether operations of SCOPE by threads A and B include each other. */
static bool is_inclusive(const struct walk *k, uint8_t scope, uint32_t a, uint32_t b)
{
    enum sx_level level = scope == MM_SCOPE_WORK_ITEM    ? SX_WORK_ITEM
                          : scope == MM_SCOPE_SUB_GROUP  ? SX_SUB_GROUP
                          : scope == MM_SCOPE_WORK_GROUP ? SX_WORK_GROUP
                                                         : SX_DEVICE;

    return sx_same_unit(k->sx->program, a, b, level);
}

/* Adds FROM to INTO, clocks by region: those that FLAGS name. */
static void join_regions(const struct walk *k, uint32_t *into, const uint32_t *from, uint8_t flags)
{
    for (enum sx_order region = SX_GLOBAL; region < SX_REGIONS; region++) {
        if (sx_flags_order(flags, region))
            sx_clock_join(&k->clocks, into + region * k->thread_count, from + region * k->thread_count);
    }
}

/* T acquires FROM, clocks by region, for the regions that FLAGS name. */
static void learn_regions(const struct walk *k, uint32_t t, const uint32_t *from, uint8_t flags)
{
    for (enum sx_order region = SX_GLOBAL; region < SX_REGIONS; region++) {
        if (sx_flags_order(flags, region))
            sx_clock_join(&k->clocks, sx_clock(&k->clocks, region, t), from + region * k->thread_count);
    }
}

/* Adds what comes before the next event of T to INTO, likewise. */
static void join_own(struct walk *k, uint32_t *into, uint32_t t, uint8_t flags)
{
    uint32_t *own = mm_alloc(SX_REGIONS * (size_t)k->thread_count * sizeof *own);

    if (!own) {
        k->failed = true;
        return;
    }
    for (enum sx_order region = SX_GLOBAL; region < SX_REGIONS; region++)
        sx_clock_copy(&k->clocks, region, t, own + region * k->thread_count);
    join_regions(k, into, own, flags);
    mm_free(own);
}

/* The regions that I, an operation on LOCATION, orders. */
static uint8_t regions_of(const struct walk *k, uint32_t location, const struct ck_instr *i)
{
    bool local = sx_region_of(k->sx->program, k->sx->values.locations[location].object) == SX_LOCAL;

    return i->order == MM_SEQ_CST ? MM_FENCE_GLOBAL | MM_FENCE_LOCAL
           : local                ? MM_FENCE_LOCAL
                                  : MM_FENCE_GLOBAL;
}

/* The last write, to LOCATION by I of T, releases what T did, what its last release fence covers and, if it
 * is a read-modify-write of SOURCE (a number plus 1), what that released. */
static void walk_release(struct walk *k, uint32_t t, uint32_t location, const struct ck_instr *i,
                         uint32_t source)
{
    struct walk_write *w = &k->writes[k->order_count - 1];
    const struct walk_fences *fences = &k->fences[t];
    const struct walk_write *before = source ? &k->writes[source - 1] : NULL;
    bool continues = before && before->release;

    if (!ck_instr_is_atomic(i) || !(mm_releases(i->order) || fences->flags || continues))
        return;
    w->release =
        mm_arena_alloc(k->sx->trace_arena, SX_REGIONS * (size_t)k->thread_count * sizeof *w->release);
    if (!w->release) {
        k->failed = true;
        return;
    }
    w->scope = continues ? before->scope : mm_releases(i->order) ? i->scope : fences->scope;
    if (continues)
        join_regions(k, w->release, before->release, MM_FENCE_GLOBAL | MM_FENCE_LOCAL);
    join_regions(k, w->release, fences->released, fences->flags);
    if (mm_releases(i->order))
        join_own(k, w->release, t, regions_of(k, location, i));
}

/* I of T read LOCATION from SOURCE (a number plus 1). */
static void walk_acquire(struct walk *k, uint32_t t, uint32_t location, const struct ck_instr *i,
                         uint32_t source)
{
    const struct walk_write *w = source ? &k->writes[source - 1] : NULL;

    if (!w || !w->release || !ck_instr_is_atomic(i))
        return;
    join_regions(k, k->fences[t].acquirable, w->release, MM_FENCE_GLOBAL | MM_FENCE_LOCAL);
    if (mm_acquires(i->order) && is_inclusive(k, w->scope, (uint32_t)(k->order[source - 1] >> 32), t))
        learn_regions(k, t, w->release, regions_of(k, location, i));
}

static void walk_fence(struct walk *k, uint32_t t, const struct ck_instr *i)
{
    struct walk_fences *fences = &k->fences[t];

    if (mm_acquires(i->order))
        learn_regions(k, t, fences->acquirable, i->fence_flags);
    if (!mm_releases(i->order))
        return;
    fences->flags = i->fence_flags;
    fences->scope = i->scope;
    join_own(k, fences->released, t, i->fence_flags);
}

/* ---- accesses ----------------------------------------------------------------------------------- */

/* The number, plus 1, of the visible write to LOCATION, the last one that comes before T; 0: the initial
 * one. */
static uint32_t find_visible(const struct walk *k, uint32_t t, uint32_t location)
{
    enum sx_order region = sx_region_of(k->sx->program, k->sx->values.locations[location].object);
    uint32_t number = (uint32_t)k->last[location];

    while (number && !sx_is_before(&k->clocks, region, (uint32_t)(k->order[number - 1] >> 32),
                                   k->writes[number - 1].tick, t))
        number = k->writes[number - 1].before;
    return number;
}

/* The write that I of T reads from LOCATION: the last one, or now and then an older one. */
static uint32_t choose_source(struct walk *k, uint32_t t, uint32_t location, const struct ck_instr *i)
{
    if (k->reads_visible && ck_instr_is_plain(i))
        return find_visible(k, t, location);
    if (!k->reads_older || i->op != CK_LOAD || walk_random(k, 4) != 0)
        return (uint32_t)k->last[location];
    for (unsigned tries = 0; tries < 4 && k->order_count; tries++) {
        uint32_t number = walk_random(k, k->order_count);
        uint64_t w = k->order[number];

        if (k->walkers[w >> 32].events[(uint32_t)w].location == location)
            return number + 1;
    }
    return (uint32_t)k->last[location];
}

/* *SOURCE: the write that the last piece is read from. */
static uint64_t read_pieces(struct walk *k, uint32_t t, const struct sx_access *a, uint32_t *source)
{
    struct sx_walker *w = &k->walkers[t];
    uint64_t value = 0;

    for (unsigned n = 0; n < a->count && !w->failed; n++) {
        uint32_t location = a->locations[n], number = choose_source(k, t, location, a->instr);
        uint64_t from = number ? k->order[number - 1] : SX_INITIAL;
        uint64_t piece = number ? walk_value_of(k, from) : k->initial[location];

        sx_push_piece(w, SX_READ, a, n, piece, 0);
        value |= piece << sx_piece_shift(k->sx, a, n);
        if (!w->failed)
            k->sources[(size_t)t * SX_TRACE_EVENTS + w->event_count - 1] = from;
        walk_acquire(k, t, location, a->instr, number);
        *source = number;
    }
    return value;
}

/* SOURCE: what a read-modify-write read, else 0. */
static void write_pieces(struct walk *k, uint32_t t, const struct sx_access *a, uint64_t value,
                         uint64_t depends, uint32_t source)
{
    struct sx_walker *w = &k->walkers[t];

    for (unsigned n = 0; n < a->count; n++) {
        uint32_t location = a->locations[n];
        uint64_t piece = sx_piece(k->sx, a, n, value);

        sx_push_piece(w, SX_WRITE, a, n, piece, depends);
        if (w->failed)
            return;
        k->changes += k->values[location] != piece;
        k->values[location] = piece;
        k->writes[k->order_count] =
            (struct walk_write){.tick = k->clocks.ticks[t], .before = (uint32_t)k->last[location]};
        k->order[k->order_count++] = sx_pack(t, w->event_count - 1);
        k->last[location] = k->order_count;
        walk_release(k, t, location, a->instr, source);
    }
}

static void read_or_modify(struct walk *k, uint32_t t, const struct sx_access *a)
{
    const struct ck_program *p = k->sx->program;
    struct sx_walker *w = &k->walkers[t];
    const struct ck_instr *i = a->instr;
    uint64_t operand = i->op == CK_LOAD ? 0 : ck_eval_expr(p, i->value, w->block);
    uint64_t expected = i->op == CK_CAS ? ck_eval_expr(p, i->expected, w->block) : 0;
    uint32_t source = 0;
    uint64_t old = read_pieces(k, t, a, &source), depends;
    bool writes =
        i->op == CK_RMW || (i->op == CK_CAS && old == expected && !(i->weak && walk_random(k, 8) == 0));

    if (w->failed)
        return;
    depends = sx_read_bits(w, a);
    if (writes)
        write_pieces(k, t, a, i->op == CK_RMW ? sx_rmw_value(p, i, old, operand) : operand,
                     sx_written_depends(w, a, depends), source);
    else if (i->op == CK_CAS)
        sx_fail_exchange(w, a);
    if (!w->failed)
        sx_walker_result(w, a, old, depends, writes);
}

static void walk_access(struct walk *k, uint32_t t)
{
    const struct ck_program *p = k->sx->program;
    struct sx_walker *w = &k->walkers[t];
    struct sx_access a = sx_begin_access(w, k->pcs[t]);

    k->failed = w->failed || !walk_init_locations(k);
    if (k->failed)
        return;
    k->clocks.ticks[t]++;
    if (a.count == 0)
        k->status[t] = ENDED;
    else if (a.instr->op == CK_STORE)
        write_pieces(k, t, &a, ck_eval_expr(p, a.instr->value, w->block),
                     sx_depends(p, a.instr->value, w->depends), 0);
    else
        read_or_modify(k, t, &a);
    k->pcs[t]++;
}

/* ---- scheduling --------------------------------------------------------------------------------- */

static const struct sx_event *last_event(const struct walk *k, uint32_t t)
{
    return &k->walkers[t].events[k->walkers[t].event_count - 1];
}

/* Releases the barrier of T if all participants have reached it. */
static void walk_release_barrier(struct walk *k, uint32_t t)
{
    const struct ck_program *p = k->sx->program;

    for (uint32_t u = 0; u < k->thread_count; u++)
        k->waiting[u] = k->status[u] == AT_BARRIER ? last_event(k, u) : NULL;
    if (!sx_all_wait(p, k->waiting, t))
        return;
    for (uint32_t u = 0; u < k->thread_count; u++) {
        if (u == t || sx_share_barriers(p, t, u, k->waiting[t]->instr->sub_group))
            k->status[u] = RUNS;
    }
    k->failed = k->failed || !sx_pass_barrier(&k->clocks, p, k->waiting, t);
}

/* Executes the next instruction of thread T; true if it is visible to other threads. */
static bool walk_step_thread(struct walk *k, uint32_t t)
{
    struct sx_walker *w = &k->walkers[t];
    const struct ck_instr *i;
    uint32_t before = w->event_count, pc = k->pcs[t];

    w->ended_redundant = false;
    if (pc >= w->thread->instr_count) {
        sx_walker_finish(w, SX_DONE);
        k->status[t] = ENDED;
        return true;
    }
    i = &w->thread->instrs[pc];
    sx_walker_enter(w, pc);
    if (ck_instr_is_access(i)) {
        walk_access(k, t);
        k->failed = k->failed || w->failed;
        return true;
    }
    if (!sx_walker_step(w, &k->pcs[t])) {
        k->failed = k->failed || w->failed || (w->out->trace_count == 0);
        k->status[t] = ENDED;
        return true;
    }
    if (i->op == CK_FENCE)
        walk_fence(k, t, i);
    if (i->op == CK_BARRIER) {
        k->status[t] = AT_BARRIER;
        walk_release_barrier(k, t);
    }
    if (w->ended_redundant)
        k->status[t] = SPINS;
    return w->ended_redundant || w->event_count != before;
}

/* A random runnable thread; CK_NO_THREAD: none. */
static uint32_t walk_pick_thread(struct walk *k)
{
    uint32_t count = 0, chosen;

    for (uint32_t t = 0; t < k->thread_count; t++)
        count += k->status[t] == RUNS;
    if (count == 0)
        return CK_NO_THREAD;
    chosen = walk_random(k, count);
    for (uint32_t t = 0;; t++) {
        if (k->status[t] == RUNS && chosen-- == 0)
            return t;
    }
}

/* Makes threads that spin runnable, as memory changed. */
static void walk_wake_spinning(struct walk *k)
{
    for (uint32_t t = 0; t < k->thread_count; t++) {
        if (k->status[t] == SPINS)
            k->status[t] = RUNS;
    }
}

static void walk_run(struct walk *k, uint32_t switching)
{
    uint32_t t = CK_NO_THREAD, turn;

    for (turn = 0; turn < MAX_TURNS && !k->failed && !k->sx->iteration.cuts_changed; turn++) {
        uint32_t changes = k->changes;

        if (t == CK_NO_THREAD || k->status[t] != RUNS || walk_random(k, switching) == 0)
            t = walk_pick_thread(k);
        if (t == CK_NO_THREAD)
            break;
        while (!k->failed && k->status[t] == RUNS && !walk_step_thread(k, t))
            turn++;
        if (k->changes != changes)
            walk_wake_spinning(k);
    }
    k->work += turn / 32;
}

/* ---- judging ------------------------------------------------------------------------------------ */

static bool walk_create_fences(struct walk *k)
{
    size_t words = SX_REGIONS * (size_t)k->thread_count;
    uint32_t *clocks = mm_arena_alloc(k->sx->trace_arena, 2 * k->thread_count * words * sizeof *clocks);

    k->fences = mm_arena_alloc(k->sx->trace_arena, k->thread_count * sizeof *k->fences);
    for (uint32_t t = 0; t < k->thread_count && k->fences && clocks; t++) {
        k->fences[t].released = clocks + 2 * t * words;
        k->fences[t].acquirable = k->fences[t].released + words;
    }
    return k->fences && clocks;
}

static bool walk_set_up(struct walk *k)
{
    struct sx *sx = k->sx;
    uint32_t n = k->thread_count;
    struct mm_arena *arena = sx->trace_arena;

    mm_arena_reset(arena);
    k->known = k->capacity = k->order_count = 0;
    k->failed = false;
    k->walkers = mm_arena_alloc(arena, n * sizeof *k->walkers);
    k->out = mm_arena_alloc(arena, n * sizeof *k->out);
    k->pcs = mm_arena_alloc(arena, n * sizeof *k->pcs);
    k->status = mm_arena_alloc(arena, n * sizeof *k->status);
    k->waiting = mm_arena_alloc(arena, n * sizeof *k->waiting);
    k->sources = mm_arena_alloc(arena, (size_t)n * SX_TRACE_EVENTS * sizeof *k->sources);
    k->order = mm_arena_alloc(arena, (size_t)n * SX_TRACE_EVENTS * sizeof *k->order);
    k->writes = mm_arena_alloc(arena, (size_t)n * SX_TRACE_EVENTS * sizeof *k->writes);
    if (!k->writes || !sx_clocks_create(&k->clocks, arena, n) || !walk_create_fences(k))
        return false;
    if (!k->walkers || !k->out || !k->pcs || !k->status || !k->waiting || !k->sources || !k->order)
        return false;
    if (!sx_add_observed(sx) || !walk_init_locations(k))
        return sx->iteration.cuts_changed; /* then the schedule ends at once */
    for (uint32_t t = 0; t < n; t++) {
        k->walkers[t] = (struct sx_walker){
            .sx = sx, .thread = &sx->program->threads[t], .out = &k->out[t], .follows_one = true};
        if (!sx_walker_begin(&k->walkers[t]))
            return false;
    }
    return true;
}

static void walk_judge(struct walk *k)
{
    struct sx *sx = k->sx;
    const struct sx_trace **chosen = mm_arena_alloc(sx->trace_arena, (k->thread_count + 1) * sizeof *chosen);
    struct sx_given given = {.sources = k->sources,
                             .stride = SX_TRACE_EVENTS,
                             .order = k->order,
                             .order_count = k->order_count,
                             .initial = k->initial};
    uint64_t executions = sx->verdict->execution_count, candidates = sx->verdict->candidate_count, events = 0;
    bool partial = false;

    for (uint32_t t = 0; t < k->thread_count && chosen; t++) {
        bool ended = k->status[t] == ENDED;

        if (!ended)
            sx_walker_finish(&k->walkers[t], SX_WAIT);
        if (k->out[t].trace_count == 0)
            return;
        k->out[t].traces[0].stopped = !ended;
        partial = partial || !ended || k->out[t].traces[0].end != SX_DONE;
        chosen[t] = &k->out[t].traces[0];
        events += chosen[t]->event_count;
    }
    if (!chosen)
        return;
    k->work += events * events / 8;
    sx_execute(sx, chosen, partial ? SX_PARTIAL : SX_COMPLETE, &given);
    sx->verdict->execution_count = executions;
    sx->verdict->candidate_count = candidates;
}

static bool has_quorum(const struct ck_program *p)
{
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++) {
            if (p->threads[t].instrs[i].op == CK_BARRIER && p->threads[t].instrs[i].quorum)
                return true;
        }
    }
    return false;
}

/* The number of findings so far. */
static size_t count_findings(const struct sx *sx)
{
    size_t count = sx->verdict->state_count;

    for (uint32_t i = 0; i < sx->model->check_count; i++)
        count += sx->seen.flags[i];
    for (enum sx_end end = SX_BOUND; end <= SX_ASSERT; end++)
        count += sx->seen.raised[end - 1];
    return count;
}

void sx_walk(struct sx *sx)
{
    static const uint32_t switching[] = {1, 3, 8, 20};
    struct walk k = {.sx = sx, .thread_count = sx->program->thread_count, .random = 0x9E3779B97F4A7C15U};
    uint32_t idle = 0;

    if (k.thread_count < 2 || has_quorum(sx->program))
        return;
    for (uint32_t i = 0; i < MAX_WALKS && idle < MAX_IDLE && !sx->stop; i++) {
        if (k.work > MAX_WORK && !sx->options.only_walk)
            break;
        size_t before = count_findings(sx);

        k.reads_older = i % 3 == 2;
        k.reads_visible = !sx->program->vulkan && i % 2 == 0;
        if (!walk_set_up(&k))
            break;
        walk_run(&k, switching[i % 4]);
        if (sx->iteration.cuts_changed) { /* locations were cut: restart */
            sx->iteration.cuts_changed = false;
            sx->values.location_count = 0;
        } else if (k.failed || sx->limited) {
            break;
        } else {
            walk_judge(&k);
        }
        idle = count_findings(sx) > before ? 0 : idle + 1;
    }
    sx->values.location_count = 0;
    mm_arena_reset(sx->trace_arena);
}
