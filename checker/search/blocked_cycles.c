/* Cycles of blocked threads.  A blocked read awaits one of the writes that another thread may still execute;
 * a barrier awaits the members of its group that have not arrived.  If an execution continues from here, some
 * threads form a cycle in which each awaits the next.  The model is evaluated on the events of each possible
 * cycle alone, and the answer is cached for the whole search: a cycle that it forbids is part of no
 * execution. docs/search.md#cycles-of-blocked-threads */
#include "checker/search/step.h"

enum { MAX_LINKS = 8 }; /* of a cycle that is evaluated; a longer one counts as possible */

/* A thread of a cycle, and what its predecessor awaits: instruction WRITE of this thread, or CK_NO_INSTR: its
 * arrival at a barrier. */
struct link {
    uint32_t thread, write;
    unsigned outcomes; /* possible outcomes of its current access */
};
struct cycle {
    struct link links[MAX_LINKS];
    uint32_t count;
};

/* ---- evaluation of a cycle ------------------------------------------------------------------------ */

static uint32_t awaited_location(const struct stepper *s, uint32_t t)
{
    return s->threads[t].access.locations[s->threads[t].piece];
}

static bool has_current_read(const struct stepper *s, uint32_t t)
{
    return s->threads[t].access.count != 0;
}

static void set_event_location(const struct stepper *s, struct sx_event *e, uint32_t l, uint32_t object)
{
    e->location = l;
    e->object = object;
    e->start = s->sx->values.locations[l].offset;
}

static uint32_t add_read(const struct stepper *s, uint32_t t, bool writes, struct sx_event *out)
{
    const struct sx_access *a = &s->threads[t].access;
    uint32_t l = awaited_location(s, t);

    out[0] =
        (struct sx_event){.kind = SX_READ,
                          .order = a->instr->op == CK_CAS && !writes ? a->instr->order_fail : a->instr->order,
                          .rmw_read = writes,
                          .instr = a->instr};
    set_event_location(s, &out[0], l, a->object);
    if (!writes)
        return 1;
    out[1] = out[0];
    out[1].kind = SX_WRITE;
    out[1].rmw_read = false;
    out[1].rmw_write = true;
    return 2;
}

/* The events of LINK in the cycle: its read or its barrier, then the awaited write, which becomes number
 * *WRITE.  UPDATES: its current access also writes. */
static uint32_t add_link(const struct stepper *s, const struct link *link, const struct sx_event *barrier,
                         bool updates, uint32_t location, struct sx_event *out, uint32_t *write)
{
    const struct ck_program *p = s->sx->program;
    const struct ck_instr *instr;
    uint32_t n = 0;

    if (has_current_read(s, link->thread))
        n = add_read(s, link->thread, updates, out);
    if (barrier)
        out[n++] = *barrier;
    if (link->write == CK_NO_INSTR)
        return n;
    instr = &p->threads[link->thread].instrs[link->write];
    *write = n - 1;
    if (n == 2 && updates && has_current_read(s, link->thread) &&
        s->threads[link->thread].access.instr == instr && out[1].location == location)
        return n; /* the write of the same access */
    *write = n;
    if (instr->op != CK_STORE) {
        out[n] = (struct sx_event){.kind = SX_READ, .order = instr->order, .rmw_read = true, .instr = instr};
        set_event_location(s, &out[n], location, s->sx->values.locations[location].object);
        *write = ++n;
    }
    out[n] = (struct sx_event){
        .kind = SX_WRITE, .order = instr->order, .rmw_write = instr->op != CK_STORE, .instr = instr};
    set_event_location(s, &out[n++], location, s->sx->values.locations[location].object);
    return n;
}

/* The barrier at which thread T waits, NULL: none. */
static const struct sx_event *barrier_of(const struct stepper *s, uint32_t t)
{
    const struct sx_walker *w = &s->walkers[t];

    return s->threads[t].status == STEP_AT_BARRIER ? &w->events[w->event_count - 1] : NULL;
}

static bool has_sub_group_barrier(const struct ck_thread *thread)
{
    for (uint32_t i = 0; i < thread->instr_count; i++) {
        if (thread->instrs[i].op == CK_BARRIER && thread->instrs[i].sub_group)
            return true;
    }
    return false;
}

/* A barrier at which others wait and that T has to reach next; NULL: unknown, as where T may first reach a
 * barrier of its sub-group. */
static const struct sx_event *next_barrier(const struct stepper *s, uint32_t t)
{
    if (has_sub_group_barrier(&s->sx->program->threads[t]))
        return NULL;
    for (uint32_t u = 0; u < s->thread_count; u++) {
        const struct sx_event *barrier = barrier_of(s, u);

        if (barrier && sx_share_barriers(s->sx->program, t, u, barrier->instr->sub_group))
            return barrier;
    }
    return NULL;
}

/* The events of a cycle, by link, for the evaluation of the model. */
struct cycle_events {
    struct sx_event events[MAX_LINKS][6];
    struct sx_trace traces[MAX_LINKS];
    uint32_t writes[MAX_LINKS];
};

/* The location that link K writes, MM_CAT_NO_LOCATION: none. */
static uint32_t written_location(const struct stepper *s, const struct cycle *c, uint32_t k)
{
    uint32_t before = c->links[(k + c->count - 1) % c->count].thread;

    return c->links[k].write == CK_NO_INSTR ? MM_CAT_NO_LOCATION : awaited_location(s, before);
}

static bool same_barrier(const struct ck_instr *a, const struct ck_instr *b)
{
    return a->sub_group == b->sub_group && a->fence_flags == b->fence_flags && a->scope == b->scope &&
           a->order == b->order && a->attributes == b->attributes && a->semantics == b->semantics &&
           a->storage_class == b->storage_class && a->tags == b->tags && a->point == b->point &&
           a->barrier_name == b->barrier_name;
}

/* Whether the barriers of THREAD differ from BARRIER, of another thread, in nothing that the model sees. */
static bool has_same_barriers(const struct ck_thread *thread, const struct sx_event *barrier)
{
    for (uint32_t i = 0; i < thread->instr_count; i++) {
        if (thread->instrs[i].op == CK_BARRIER && !same_barrier(&thread->instrs[i], barrier->instr))
            return false;
    }
    return true;
}

/* The barrier of link K before the awaited event, NULL: unknown. */
static const struct sx_event *cycle_barrier(const struct stepper *s, const struct cycle *c, uint32_t k)
{
    const struct link *link = &c->links[k];
    const struct sx_event *barrier = barrier_of(s, link->thread);

    if (barrier)
        return barrier;
    if (link->write == CK_NO_INSTR)
        barrier = barrier_of(s, c->links[(k + c->count - 1) % c->count].thread);
    else if (sx_writes_after_barrier(s, link->thread, link->write, written_location(s, c, k),
                                     c->links[(k + c->count - 1) % c->count].thread))
        barrier = next_barrier(s, link->thread);
    return barrier && has_same_barriers(&s->sx->program->threads[link->thread], barrier) ? barrier : NULL;
}

static void fill_cycle_events(const struct stepper *s, const struct cycle *c, uint32_t updates,
                              struct cycle_events *q)
{
    for (uint32_t k = 0; k < c->count; k++) {
        q->traces[k].events = q->events[k];
        q->traces[k].event_count = add_link(s, &c->links[k], cycle_barrier(s, c, k), updates >> k & 1,
                                            written_location(s, c, k), q->events[k], &q->writes[k]);
        s->chosen[c->links[k].thread] = &q->traces[k];
    }
}

/* Whether the model may allow the cycle; UPDATES: the set of links whose current access also writes. */
static bool model_allows_cycle(struct stepper *s, const struct cycle *c, uint32_t updates)
{
    struct sx *sx = s->sx;
    struct sx_exec *x = sx->exec;
    struct cycle_events q = {0};
    bool possible = true;

    for (uint32_t t = 0; t < s->thread_count; t++)
        s->chosen[t] = NULL;
    fill_cycle_events(s, c, updates, &q);
    if (sx_begin_events(sx, s->chosen)) {
        for (uint32_t k = 0; k < c->count; k++) {
            uint32_t before = (k + c->count - 1) % c->count, r, w;

            if (c->links[k].write == CK_NO_INSTR)
                continue;
            r = sx_graph_index(x, &q.events[before][0]);
            w = sx_graph_index(x, &q.events[k][q.writes[k]]);
            sx_fix_rf(x, w, r);
        }
        possible = sx_has_some_order(sx);
    }
    return possible;
}

/* The outcomes of a current access: it only reads, or also writes.  A value after which its thread only
 * repeats its loop continues no cycle. */
enum { READS = 1, WRITES = 2 };

static unsigned outcome_of(struct stepper *s, uint32_t t, uint64_t value)
{
    const struct ck_instr *i = s->threads[t].access.instr;
    bool writes = i->op == CK_RMW || (i->op == CK_CAS && value == ck_eval_expr(s->sx->program, i->expected,
                                                                               s->walkers[t].block));

    if (!sx_progresses_with(s, t, value))
        return 0;
    if (!writes)
        return READS;
    return i->op == CK_CAS && i->weak ? READS | WRITES : WRITES; /* a weak one may fail spuriously */
}

static unsigned find_outcomes(struct stepper *s, const struct cycle *c, uint32_t k)
{
    const struct ck_program *p = s->sx->program;
    const struct link *next = &c->links[(k + 1) % c->count];
    uint32_t t = c->links[k].thread;
    const struct ck_instr *read = s->threads[t].access.instr, *write;
    const struct sx_location *l;
    unsigned all = read->op == CK_LOAD ? READS : read->op == CK_RMW ? WRITES : READS | WRITES, found = 0;

    if (next->write == CK_NO_INSTR || s->threads[t].access.count > 1)
        return all;
    write = &p->threads[next->thread].instrs[next->write];
    l = &s->sx->values.locations[awaited_location(s, t)];
    if ((write->op != CK_RMW || write->rmw == CK_RMW_XCHG) && !sx_has_register(p, write->value) &&
        write->size == read->size)
        return outcome_of(s, t, ck_eval_expr(p, write->value, NULL));
    for (uint32_t v = 0; s->facts.values_known && v < l->value_count && found != all; v++)
        found |= outcome_of(s, t, l->values[v]);
    return s->facts.values_known ? found : all;
}

/* Whether the model may allow the cycle for some choice of outcomes. */
static bool is_cycle_possible(struct stepper *s, const struct cycle *c)
{
    uint32_t both = 0, writes = 0;

    for (uint32_t k = 0; k < c->count; k++) {
        if (!has_current_read(s, c->links[k].thread))
            continue;
        if (s->threads[c->links[k].thread].access.count > 1)
            return true;
        writes |= (uint32_t)(c->links[k].outcomes == WRITES) << k;
        both |= (uint32_t)(c->links[k].outcomes == (READS | WRITES)) << k;
    }
    for (uint32_t some = both;; some = (some - 1) & both) {
        if (model_allows_cycle(s, c, writes | some))
            return true;
        if (some == 0)
            return false;
    }
}

/* Identifies the barrier that link K reaches in the cycle. */
static uint64_t barrier_key(const struct stepper *s, const struct cycle *c, uint32_t k)
{
    const struct sx_event *barrier = cycle_barrier(s, c, k % c->count);

    return barrier ? (barrier->barrier << 16 | barrier->occurrence) + 1 : 0;
}

/* Fills KEY with what the answer for C depends on. */
static void cycle_key(const struct stepper *s, const struct cycle *c, struct sx_key *key)
{
    uint32_t first = 0;

    key->count = 0;
    for (uint32_t k = 1; k < c->count; k++)
        first = c->links[k].thread < c->links[first].thread ? k : first;
    for (uint32_t k = 0; k < c->count; k++) {
        const struct link *link = &c->links[(first + k) % c->count];
        const struct step_thread *t = &s->threads[link->thread];

        key->parts[key->count++] = link->thread;
        key->parts[key->count++] = link->write;
        key->parts[key->count++] = t->pc;
        key->parts[key->count++] = t->status;
        key->parts[key->count++] =
            has_current_read(s, link->thread) ? awaited_location(s, link->thread) + 1 : 0;
        key->parts[key->count++] = link->outcomes;
        key->parts[key->count++] = barrier_key(s, c, first + k);
    }
}

/* Whether the model may allow the cycle; the answer is cached. */
static bool is_cycle_allowed(struct stepper *s, struct cycle *c)
{
    struct sx_key key;
    bool known, *answer;

    if (s->sx->features.tracks_dependencies || s->sx->explains)
        return true; /* the events of a cycle alone lack dependencies */
    for (uint32_t k = 0; k < c->count; k++) {
        c->links[k].outcomes = has_current_read(s, c->links[k].thread) ? find_outcomes(s, c, k) : READS;
        if (c->links[k].outcomes == 0)
            return false;
    }
    cycle_key(s, c, &key);
    answer = sx_cache_find(s->sx, &s->caches.cycles, &key, &known);
    if (!answer)
        return is_cycle_possible(s, c);
    if (!known)
        *answer = is_cycle_possible(s, c);
    return *answer;
}

bool sx_others_may_write(const struct stepper *s, uint32_t thread, uint32_t location)
{
    for (uint32_t u = 0; u < s->thread_count; u++) {
        if (u != thread && sx_next_write(s, u, location, 0, thread) != CK_NO_INSTR)
            return true;
    }
    return false;
}

bool sx_may_be_written_later(struct stepper *s, uint32_t thread, uint32_t location)
{
    struct cycle own = {.links = {{.thread = thread}}, .count = 1};

    if (sx_others_may_write(s, thread, location))
        return true;
    for (uint32_t i = sx_next_write(s, thread, location, 0, thread); i != CK_NO_INSTR;
         i = sx_next_write(s, thread, location, i + 1, thread)) {
        own.links[0].write = i;
        if (is_cycle_allowed(s, &own))
            return true;
    }
    return false;
}

/* ---- cycles -------------------------------------------------------------------------------------- */

static bool find_cycle(struct stepper *s, struct cycle *c);

static bool is_in_cycle(const struct cycle *c, uint32_t t)
{
    for (uint32_t k = 0; k < c->count; k++) {
        if (c->links[k].thread == t)
            return true;
    }
    return false;
}

/* Whether a thread before NEXT can take its place in each cycle that begins like C. */
static bool is_cycle_exchanged(const struct stepper *s, const struct cycle *c, uint32_t next)
{
    for (uint32_t u = 0; u < next; u++) {
        if (!is_in_cycle(c, u) && sx_is_interchangeable(s, u, next))
            return true;
    }
    return false;
}

/* Extends the cycle by thread NEXT, which the last one awaits; closes it where NEXT is the first.  True: C is
 * a cycle that is possible, or the start of one that is too long to be evaluated. */
static bool extend_cycle(struct stepper *s, struct cycle *c, uint32_t next, uint32_t write)
{
    bool found;

    if (next == c->links[0].thread) {
        c->links[0].write = write;
        return is_cycle_allowed(s, c);
    }
    if (next < c->links[0].thread) /* begins with its least thread */
        return false;
    if (is_in_cycle(c, next) || is_cycle_exchanged(s, c, next))
        return false;
    if (c->count == MAX_LINKS)
        return true;
    c->links[c->count++] = (struct link){.thread = next, .write = write};
    found = find_cycle(s, c);
    c->count -= !found;
    return found;
}

static bool is_at(const struct stepper *s, uint32_t t, const struct sx_event *barrier)
{
    const struct sx_event *own = barrier_of(s, t);

    return own && own->barrier == barrier->barrier && own->occurrence == barrier->occurrence;
}

static bool find_cycle(struct stepper *s, struct cycle *c)
{
    uint32_t t = c->links[c->count - 1].thread;
    const struct sx_event *barrier = barrier_of(s, t);

    for (uint32_t u = 0; u < s->thread_count; u++) {
        if (s->threads[u].status >= STEP_STOPPED)
            continue;
        if (barrier) {
            if (sx_share_barriers(s->sx->program, t, u, barrier->instr->sub_group) && !is_at(s, u, barrier) &&
                extend_cycle(s, c, u, CK_NO_INSTR))
                return true;
            continue;
        }
        for (uint32_t i = sx_next_write(s, u, awaited_location(s, t), 0, t); i != CK_NO_INSTR;
             i = sx_next_write(s, u, awaited_location(s, t), i + 1, t)) {
            if (extend_cycle(s, c, u, i))
                return true;
        }
    }
    return false;
}

/* The blocked thread to branch on: that of cycle C whose read has the fewest possible values, loads before
 * read-modify-writes, which also write; in a cycle of barriers alone any blocked thread. */
static uint32_t choose_blocked_thread(const struct stepper *s, const struct cycle *c)
{
    uint32_t best = CK_NO_THREAD, fewest = UINT32_MAX;

    for (uint32_t t = 0; t < s->thread_count && best == CK_NO_THREAD; t++)
        best = s->threads[t].status == STEP_BLOCKED ? t : best;

    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t t = c->links[k].thread, count;

        if (s->threads[t].status != STEP_BLOCKED)
            continue;
        count = s->sx->values.locations[awaited_location(s, t)].value_count;
        if (s->threads[t].access.instr->op != CK_LOAD)
            count += SX_MAX_VALUES;
        if (count < fewest) {
            best = t;
            fewest = count;
        }
    }
    return best;
}

uint32_t sx_may_unblock(struct stepper *s)
{
    for (uint32_t t = 0; t < s->thread_count; t++) {
        struct cycle none = {0}, c = {.links = {{.thread = t, .write = CK_NO_INSTR}}, .count = 1};

        if (s->threads[t].status < STEP_STOPPED && !is_cycle_exchanged(s, &none, t) && find_cycle(s, &c))
            return choose_blocked_thread(s, &c);
    }
    return CK_NO_THREAD;
}
