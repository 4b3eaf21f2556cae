/* Witness executions of the Z3 engine: one for each final state and one for each kind of finding. */
#include "checker/z3/solve.h"

#include <string.h>

static bool is_second_half(const struct zx_event *e)
{
    return e->kind == ZX_BARRIER && e->part == 2;
}

/* Whether event I is the last write of its location in co. */
static bool is_last_write(const struct zx *g, uint32_t i)
{
    bool last = g->events[i].kind == ZX_WRITE;

    for (uint32_t j = 0; last && j < g->n; j++)
        last = g->co[i * g->n + j] != g->yes;
    return last;
}

static struct ck_event to_witness_event(struct zx *g, uint32_t i)
{
    const struct zx_event *e = &g->events[i];
    struct ck_step step;
    struct ck_event h;

    zx_fill_step(g, i, &step);
    h = (struct ck_event){.thread = e->thread,
                          .kind = step.info.kind,
                          .order = step.info.order,
                          .scope = step.info.scope,
                          .object = step.object,
                          .source = CK_NO_EVENT,
                          .partner = CK_NO_EVENT,
                          .line = step.line,
                          .column = step.column,
                          .last = is_last_write(g, i)};
    if (zx_is_access(e)) {
        h.object = e->addressed == ZX_NONE ? step.object : e->addressed;
        h.offset = (uint32_t)step.info.offset;
        h.size = e->size;
        h.value = e->value.k;
        h.hidden = g->p->objects[h.object].hidden;
    }
    if (e->kind == ZX_BARRIER)
        h.hidden = e->in->hidden;
    return h;
}

/* Initial writes are the last events of the engine and the first of a witness. */
static uint32_t *number_events(struct zx *g)
{
    uint32_t *number = zx_alloc(g, g->n + 1, sizeof *number), count = 0;

    for (int init = 1; init >= 0; init--) {
        for (uint32_t i = 0; i < g->n; i++)
            if (zx_is_init(&g->events[i]) == init)
                number[i] = is_second_half(&g->events[i]) ? ZX_NONE : count++;
    }
    return number;
}

static void fill_events(struct zx *g, const uint32_t *number, const uint32_t *order, struct ck_execution *out)
{
    uint32_t step = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        if (number[i] == ZX_NONE)
            continue;
        out->events[number[i]] = to_witness_event(g, i);
        if (g->events[i].partner != ZX_NONE)
            out->events[number[i]].partner = number[g->events[i].partner];
        out->count++;
    }
    for (uint32_t i = 0; i < g->n * g->n; i++) {
        uint32_t from = number[i / g->n], to = number[i % g->n];

        if (g->rf[i] == g->yes)
            out->events[to].source = from;
        if (g->co[i] == g->yes)
            out->co.bits[from * out->co.words + to / 64] |= UINT64_C(1) << (to % 64);
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (number[order[i]] != ZX_NONE)
            out->events[number[order[i]]].step = step++;
}

/* The events that raise the flag. */
static void add_pair(struct zx *g, const uint32_t *number, struct ck_execution *out)
{
    struct ck_violation why = {0};

    for (uint32_t i = 0; out->flag && i < g->model->check_count; i++)
        if (strcmp(g->model->checks[i].name, out->flag) == 0)
            zx_explain(g, i, g->arena, &why);
    if (why.step_count) {
        out->between[0] = number[why.steps[0].event];
        out->between[1] = number[why.steps[why.step_count - 1].event];
    }
}

/* The number of events of THREAD before event FIRST that happen. */
static uint32_t count_before(struct zx *z, Z3_model m, uint32_t thread, uint32_t first)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < first; i++) {
        const struct zx_event *e = &z->events[i];

        if (e->thread == thread && !is_second_half(e) && zx_model_truth(z, m, e->exec))
            count++;
    }
    return count;
}

static void fill_ends(struct zx *z, Z3_model m, struct ck_execution *out)
{
    for (uint32_t t = 0; t < z->p->thread_count; t++) {
        const struct zx_thread *thread = &z->threads[t];

        out->ends[t] = zx_model_truth(z, m, thread->ends)     ? CK_ENDS
                       : zx_model_truth(z, m, thread->faults) ? CK_FAULTS
                       : zx_model_truth(z, m, thread->spins)  ? CK_WAITS
                                                              : CK_IS_LEFT;
    }
    for (uint32_t i = 0; i < z->iterations.count; i++) {
        const struct zx_iteration *iteration = &z->iterations.list[i];

        if (zx_model_truth(z, m, iteration->when))
            out->wait_from[iteration->thread] = count_before(z, m, iteration->thread, iteration->first);
    }
}

Z3_model zx_current_model(struct zx_solve *s)
{
    Z3_model m = Z3_solver_get_model(s->z->c, s->z->s);

    if (!m)
        zx_stop(s->z, MM_LIMIT, "z3", "Z3 has no model");
    Z3_model_inc_ref(s->z->c, m);
    return m;
}

struct zx *zx_current_execution(struct zx_solve *s)
{
    Z3_model m = zx_current_model(s);
    struct zx *g = zx_execution(s->z, m);

    Z3_model_dec_ref(s->z->c, m);
    return g;
}

void zx_keep_execution(struct zx_solve *s, enum ck_shows shows, const uint64_t *values, const char *flag)
{
    struct zx scratch = *s->z;
    struct ck_execution *out;
    uint32_t *number, *order;
    Z3_model m;
    struct zx *g;

    if (!s->z->scratch)
        return;
    m = zx_current_model(s);
    mm_arena_reset(scratch.scratch);
    scratch.arena = scratch.scratch;
    g = zx_execution(&scratch, m);
    number = number_events(g);
    order = zx_order_events(g);
    out = ck_verdict_show(s->v, g->n, g->p->thread_count);
    zx_require(s->z, out);
    out->shows = shows;
    out->values = values;
    out->flag = flag;
    fill_events(g, number, order, out);
    add_pair(g, number, out);
    fill_ends(&scratch, m, out);
    Z3_model_dec_ref(scratch.c, m);
}
