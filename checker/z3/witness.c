/* From Z3's model to an execution: the events that happen, with values, reads-from and coherence order. */
#include "checker/z3/internal.h"

#include <string.h>

uint64_t zx_model_value(struct zx *z, Z3_model m, struct zx_val v)
{
    Z3_ast value;
    uint64_t k = 0;

    if (!v.t)
        return v.k;
    if (!Z3_model_eval(z->c, m, v.t, true, &value) || !Z3_get_numeral_uint64(z->c, value, &k))
        zx_stop(z, MM_BUG, "z3", "Z3's model has no value for a final state");
    return k;
}

bool zx_model_truth(struct zx *z, Z3_model m, Z3_ast a)
{
    Z3_ast value;

    if (a == z->yes || a == z->no)
        return a == z->yes;
    if (!Z3_model_eval(z->c, m, a, true, &value))
        zx_stop(z, MM_BUG, "z3", "Z3's model does not decide a formula");
    return Z3_get_bool_value(z->c, value) == Z3_L_TRUE;
}

/* ---- executions ---------------------------------------------------------------------------------- */

static uint32_t *number_events(struct zx *z, Z3_model m, uint32_t *count)
{
    uint32_t *number = zx_alloc(z, z->n + 1, sizeof *number);

    *count = 0;
    for (uint32_t i = 0; i < z->n; i++)
        number[i] = zx_model_truth(z, m, z->events[i].exec) ? (*count)++ : ZX_NONE;
    return number;
}

static void make_concrete(struct zx *z, Z3_model m, struct zx_val *v)
{
    if (v->size)
        *v = zx_number(zx_model_value(z, m, *v), v->size);
}

static void copy_events(struct zx *g, struct zx *z, Z3_model m, const uint32_t *number)
{
    for (uint32_t i = 0; i < z->n; i++) {
        struct zx_event *e;

        if (number[i] == ZX_NONE)
            continue;
        e = &g->events[number[i]];
        *e = z->events[i];
        e->exec = z->yes;
        e->failed = zx_model_truth(z, m, e->failed) ? z->yes : z->no;
        e->late = zx_model_truth(z, m, e->late) ? z->yes : z->no;
        e->partner = e->partner == ZX_NONE ? ZX_NONE : number[e->partner];
        make_concrete(z, m, &e->value);
        make_concrete(z, m, &e->start);
        make_concrete(z, m, &e->address);
        make_concrete(z, m, &e->data_deps);
        make_concrete(z, m, &e->addr_deps);
        make_concrete(z, m, &e->ctrl_deps);
    }
}

struct zx *zx_execution(struct zx *z, Z3_model m)
{
    struct zx *g = zx_alloc(z, 1, sizeof *g);
    uint32_t *number;

    *g = *z;
    number = number_events(z, m, &g->n);
    g->words = (g->n + 63) / 64;
    g->events = zx_alloc(z, g->n, sizeof *g->events);
    copy_events(g, z, m, number);
    g->rf = zx_alloc(z, (size_t)g->n * g->n, sizeof *g->rf);
    g->co = zx_alloc(z, (size_t)g->n * g->n, sizeof *g->co);
    g->cache.base = zx_alloc(z, mm_cat_base_count, sizeof *g->cache.base);
    g->cache.let = zx_alloc(z, z->model->let_count, sizeof *g->cache.let);
    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < z->n; j++) {
            uint32_t at = number[i] * g->n + number[j];

            if (number[i] == ZX_NONE || number[j] == ZX_NONE)
                continue;
            g->rf[at] = zx_model_truth(z, m, z->rf[i * z->n + j]) ? z->yes : z->no;
            g->co[at] = zx_model_truth(z, m, z->co[i * z->n + j]) ? z->yes : z->no;
        }
    }
    return g;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

static enum mm_kind kind_of(const struct zx_event *e)
{
    switch (e->kind) {
    case ZX_READ:
        return MM_READ;
    case ZX_WRITE:
        return e->thread == ZX_NONE ? MM_INIT : MM_WRITE;
    case ZX_BARRIER:
        return e->part == 2 ? MM_BARRIER_EXIT : MM_BARRIER_ENTRY;
    case ZX_AVAILABILITY:
        return MM_AVAILABILITY;
    case ZX_VISIBILITY:
        return MM_VISIBILITY;
    case ZX_POINT:
        return e->in->tags & MM_POINT_START      ? MM_COMMAND_START
               : e->in->tags & MM_POINT_END      ? MM_COMMAND_END
               : e->in->tags & MM_POINT_COMPLETE ? MM_EVENT_COMPLETE
               : e->in->tags & MM_POINT_FREE     ? MM_FREE
                                                 : MM_API_CALL;
    case ZX_FENCE:
        break;
    }
    return MM_FENCE;
}

void zx_fill_step(const struct zx *g, uint32_t event, struct ck_step *step)
{
    const struct zx_event *e = &g->events[event];

    *step = (struct ck_step){.event = event, .thread = e->thread, .object = CK_NO_OBJECT};
    step->info.kind = (uint8_t)kind_of(e);
    step->info.size = e->size;
    step->info.agent.index = e->thread;
    if (zx_is_access(e)) {
        step->object = (uint32_t)(e->address.k >> 32) - 1;
        step->info.allocation = step->object + 1;
        step->info.offset = e->address.k & UINT32_MAX;
    }
    if (e->kind == ZX_READ)
        step->info.value_read = e->value.k;
    if (e->kind == ZX_WRITE)
        step->info.value_written = e->value.k;
    if (!e->in)
        return;
    step->line = e->in->line;
    step->column = e->in->column;
    step->info.order = e->failed == g->yes ? e->in->order_fail : e->in->order;
    step->info.scope = step->info.effective_scope = e->in->scope;
    step->info.fence_flags = e->in->fence_flags;
    step->info.attributes = e->in->attributes;
    if (e->failed == g->yes)
        step->info.attributes |= MM_FAILED_CAS;
    step->info.semantics = e->in->semantics;
    if (e->kind == ZX_BARRIER) {
        step->info.site = e->in->site;
        step->info.instance = (uint32_t)e->address.k + 1;
    }
}

/* Linearisation: the number of predecessors of each event that are not placed yet, by the first STRICT + 1 of
 * the 4 relations. */
enum { STRICTNESS = 4 };

struct queue {
    uint8_t *before; /* [i * n + j]: a bit for each relation that orders I before J */
    uint32_t *held;  /* [strict * n + j] */
};

static void update_held(struct queue *q, uint32_t n, uint32_t i, bool taken)
{
    for (uint32_t j = 0; j < n; j++) {
        for (unsigned strict = 0; q->before[i * n + j] && strict < STRICTNESS; strict++)
            if (q->before[i * n + j] & ((2u << strict) - 1))
                q->held[strict * n + j] += taken ? UINT32_MAX : 1;
    }
}

/* Events after barrier B of a thread come after the arrivals of the rest of the group. */
static void add_barrier_order(struct zx *g, struct queue *q, uint32_t b)
{
    const struct zx_rel *same = zx_base(g, "syncbar");

    for (uint32_t i = 0; i < g->n; i++) {
        bool other = g->events[i].kind == ZX_BARRIER && g->events[i].part < 2 &&
                     g->events[i].thread != g->events[b].thread && zx_rel_get(g, same, i, b) == g->yes;

        for (uint32_t c = b; other && c < g->n && g->events[c].thread == g->events[b].thread; c++)
            q->before[i * g->n + c] |= c != b || g->events[b].part == 2;
    }
}

static struct queue open_queue(struct zx *g)
{
    static const char *const names[STRICTNESS] = {"po", "rf", "co", "fr"};
    struct queue q = {zx_alloc(g, (size_t)g->n * g->n + 1, 1),
                      zx_alloc(g, STRICTNESS * g->n + 1, sizeof *q.held)};

    for (unsigned r = 0; r < STRICTNESS; r++) {
        const struct zx_rel *rel = zx_base(g, names[r]);

        for (uint32_t i = 0; i < g->n * g->n; i++) {
            uint32_t a = i / g->n, b = i % g->n;
            bool first = zx_is_init(&g->events[a]) && !zx_is_init(&g->events[b]);

            if (first || (a != b && zx_rel_get(g, rel, a, b) == g->yes))
                q.before[i] |= (uint8_t)(1 << r);
        }
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (g->events[i].kind == ZX_BARRIER)
            add_barrier_order(g, &q, i);
    for (uint32_t i = 0; i < g->n; i++)
        update_held(&q, g->n, i, false);
    return q;
}

/* The write half of the read-modify-write that READ belongs to; ZX_NONE if none. */
static uint32_t write_of(const struct zx *g, uint32_t read)
{
    return g->events[read].kind == ZX_READ ? g->events[read].partner : ZX_NONE;
}

/* Whether WRITE can follow READ immediately: READ is its only predecessor left. */
static bool can_follow(const struct zx *g, const struct queue *q, uint32_t read, uint32_t write,
                       unsigned strict)
{
    uint32_t held = q->held[strict * g->n + write];

    return held == 0 || (held == 1 && (q->before[read * g->n + write] & ((2u << strict) - 1)));
}

/* An event without predecessors left, by the most relations that allow one; the halves of a read-modify-write
 * are kept together if possible. */
static uint32_t choose_event(const struct zx *g, const struct queue *q, const bool *taken)
{
    for (unsigned strict = STRICTNESS; strict-- > 0;) {
        uint32_t half = ZX_NONE;

        for (uint32_t j = 0; j < g->n; j++) {
            uint32_t write = write_of(g, j);

            if (taken[j] || q->held[strict * g->n + j])
                continue;
            if (write == ZX_NONE || can_follow(g, q, j, write, strict))
                return j;
            half = half == ZX_NONE ? j : half;
        }
        if (half != ZX_NONE)
            return half;
    }
    return ZX_NONE;
}

uint32_t *zx_order_events(struct zx *g)
{
    uint32_t *order = zx_alloc(g, g->n + 1, sizeof *order), n = g->n, write = ZX_NONE;
    bool *taken = zx_alloc(g, n + 1, sizeof *taken);
    struct queue q = open_queue(g);

    for (uint32_t count = 0; count < n; count++) {
        uint32_t chosen = write != ZX_NONE && !q.held[write] ? write : choose_event(g, &q, taken);

        write = write_of(g, chosen);
        taken[chosen] = true;
        order[count] = chosen;
        update_held(&q, n, chosen, true);
    }
    return order;
}

static bool fill_relation(struct zx *g, const char *name, const uint32_t *order, struct mm_arena *arena,
                          struct mm_rel *out)
{
    const struct zx_rel *r = zx_base(g, name);

    out->n = g->n;
    out->words = g->words;
    out->bits = mm_arena_alloc(arena, (size_t)g->n * g->words * sizeof *out->bits + 1);
    for (uint32_t i = 0; out->bits && i < g->n; i++) {
        for (uint32_t j = 0; j < g->n; j++)
            if (zx_rel_get(g, r, order[i], order[j]) == g->yes)
                out->bits[(size_t)i * out->words + j / 64] |= UINT64_C(1) << (j % 64);
    }
    return out->bits != NULL;
}

void zx_fill_witness(struct zx *g, struct ck_verdict *v)
{
    uint32_t *order = zx_order_events(g);
    struct ck_step *steps = mm_arena_alloc(v->arena, g->n * sizeof *steps + 1);

    if (!steps || !fill_relation(g, "rf", order, v->arena, &v->witness_rf) ||
        !fill_relation(g, "co", order, v->arena, &v->witness_co) ||
        !fill_relation(g, "po", order, v->arena, &v->witness_po))
        zx_stop(g, MM_LIMIT, "memory", "out of memory");
    for (uint32_t i = 0; i < g->n; i++) {
        zx_fill_step(g, order[i], &steps[i]);
        steps[i].event = i;
    }
    v->witness = steps;
    v->witness_count = g->n;
}
