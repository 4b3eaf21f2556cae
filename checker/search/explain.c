/* Explanations: a witness execution, the axioms that forbid an outcome, the accesses that race. */
#include "checker/search/exec.h"

#include <string.h>

static uint8_t event_kind(const struct mm_cat_event *e)
{
    if (e->init)
        return MM_INIT;
    if (e->read || e->write)
        return e->read ? MM_READ : MM_WRITE;
    if (e->barrier != UINT32_MAX)
        return e->exit ? MM_BARRIER_EXIT : MM_BARRIER_ENTRY;
    if (e->fence)
        return MM_FENCE;
    if (e->point)
        return e->tags & MM_POINT_START      ? MM_COMMAND_START
               : e->tags & MM_POINT_END      ? MM_COMMAND_END
               : e->tags & MM_POINT_COMPLETE ? MM_EVENT_COMPLETE
               : e->tags & MM_POINT_FREE     ? MM_FREE
                                             : MM_API_CALL;
    return e->attributes & MM_MAKE_AVAILABLE ? MM_AVAILABILITY : MM_VISIBILITY;
}

static struct ck_step describe_step(const void *execution, uint32_t event)
{
    const struct sx *sx = execution;
    const struct sx_exec *x = sx->exec;
    const struct mm_cat_event *e = &x->events[event];
    const struct sx_info *info = &x->infos[event];
    struct ck_step s = {.event = event, .thread = e->thread, .object = UINT32_MAX};

    s.info.kind = event_kind(e);
    s.info.order = e->order;
    s.info.scope = s.info.effective_scope = e->scope;
    s.info.fence_flags = e->fence_flags;
    s.info.attributes = e->attributes;
    s.info.semantics = e->semantics;
    s.info.agent = (struct mm_agent){1, e->thread};
    if (e->location != UINT32_MAX) {
        const struct sx_location *l = &sx->locations[e->location];

        s.object = info->event ? info->event->object : l->object;
        s.info.allocation = l->object + 1;
        s.info.offset = l->offset;
        s.info.size = l->size;
        s.info.value_read = e->read ? info->value : 0;
        s.info.value_written = e->write ? info->value : 0;
    }
    if (info->event) {
        s.line = info->event->instr->line;
        s.column = info->event->instr->column;
        s.info.site = info->event->instr->site;
        s.info.instance = info->event->kind == SX_BARRIER ? info->event->occurrence + 1 : 0;
    }
    return s;
}

/* ---- witness ------------------------------------------------------------------------------------ */

/* How much speaks against E before F: program order and barriers forbid it, to read what is written later is
 * odder than to write below what is there, which is odder than to read what is no longer the newest. */
static uint64_t pair_penalty(const struct sx_exec *x, const uint32_t *source, uint32_t e, uint32_t f)
{
    const struct mm_cat_event *a = &x->events[e], *b = &x->events[f];
    const uint64_t odd = x->n + 1, odder = odd * odd, never = odder * odd;
    bool po = f < e && !b->init && b->thread == a->thread;
    bool barrier = a->exit && !b->exit && a->barrier != UINT32_MAX && b->barrier == a->barrier;

    if (po || barrier)
        return never;
    if (mm_rel_has(x->n, x->rf_lower, f, e))
        return odder;
    if (mm_rel_has(x->n, x->co_lower, f, e))
        return odd;
    return a->write && source[f] != UINT32_MAX && mm_rel_has(x->n, x->co_lower, source[f], e);
}

/* MOST: more is as good as that. */
static uint64_t order_penalty(const struct sx_exec *x, const uint32_t *source, const uint8_t *placed,
                              uint32_t e, uint64_t most)
{
    uint64_t sum = 0;

    for (uint32_t f = 0; f < x->n && sum < most; f++)
        sum += placed[f] || f == e ? 0 : pair_penalty(x, source, e, f);
    return sum;
}

/* The event that waits for the least comes next. */
bool sx_order_events(const struct sx *sx, uint32_t *order)
{
    const struct sx_exec *x = sx->exec;
    uint32_t n = x->n, *source = mm_alloc((n + 1) * (sizeof *source + 1));
    uint8_t *placed = (uint8_t *)(source + n);

    if (!source)
        return false;
    memset(placed, 0, n);
    memset(source, 0xFF, n * sizeof *source);
    for (uint32_t r = 0; r < x->read_count; r++)
        source[x->reads[r]] = x->source[r];
    for (uint32_t at = 0; at < n; at++) {
        uint32_t best = 0;
        uint64_t best_waits = UINT64_MAX;

        for (uint32_t e = 0; e < n && best_waits > 0; e++) {
            uint64_t w = placed[e] ? UINT64_MAX : order_penalty(x, source, placed, e, best_waits);

            if (w < best_waits) {
                best_waits = w;
                best = e;
            }
        }
        placed[best] = 1;
        order[at] = best;
    }
    mm_free(source);
    return true;
}

static bool copy_relation(struct sx *sx, const uint32_t *order, const uint64_t *from, struct mm_rel *to)
{
    uint32_t n = sx->exec->n;

    to->n = n;
    to->words = mm_rel_words(n);
    to->bits = mm_arena_alloc(sx->verdict->arena, (mm_rel_size(n, MM_CAT_REL) + 1) * sizeof *to->bits);
    if (!to->bits)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const struct mm_cat_event *a = &sx->exec->events[order[i]], *b = &sx->exec->events[order[j]];
            bool po = !a->init && !b->init && a->thread == b->thread && order[i] < order[j];

            if (from ? mm_rel_has(n, from, order[i], order[j]) : po)
                mm_rel_add(n, to->bits, i, j);
        }
    }
    return true;
}

void sx_keep_witness(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;
    uint32_t n = sx->exec->n;
    uint32_t *order = mm_alloc((n + 1) * sizeof *order);

    v->witness = mm_arena_alloc(v->arena, (n + 1) * sizeof *v->witness);
    if (order && v->witness && sx_order_events(sx, order)) {
        for (uint32_t i = 0; i < n; i++) {
            v->witness[i] = describe_step(sx, order[i]);
            v->witness[i].event = i;
        }
        if (copy_relation(sx, order, sx->exec->rf_lower, &v->witness_rf) &&
            copy_relation(sx, order, sx->exec->co_lower, &v->witness_co) &&
            copy_relation(sx, order, NULL, &v->witness_po))
            v->witness_count = n;
    }
    mm_free(order);
}

/* ---- violations ------------------------------------------------------------------------------ */

static bool fill_violation(struct sx *sx, uint32_t check, struct ck_violation *out)
{
    return ck_explain(sx->verdict->arena, sx->eval, sx->model, check, describe_step, sx, out);
}

void sx_keep_race(struct sx *sx, uint32_t check)
{
    struct ck_violation v = {0};

    if (fill_violation(sx, check, &v))
        sx->verdict->race_witness = v;
}

void sx_compare_candidate(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    struct ck_verdict *v = sx->verdict;
    uint32_t broken = 0;

    sx_final_state(sx);
    if (!sx_holds(sx->program, sx->program->condition, x->regs, x->memory))
        return;
    if (sx->program->filter != CK_NO_EXPR && !sx_holds(sx->program, sx->program->filter, x->regs, x->memory))
        return;
    for (uint32_t i = 0; i < sx->model->check_count; i++)
        broken += !sx->model->checks[i].flag && mm_cat_eval_fails(sx->eval, i);
    if (broken == 0 || broken >= x->fewest)
        return;
    x->fewest = broken;
    v->violation_count = 0;
    v->violations = mm_arena_alloc(v->arena, broken * sizeof *v->violations);
    if (!v->violations)
        return;
    for (uint32_t i = 0; i < sx->model->check_count && v->violation_count < broken; i++) {
        if (!sx->model->checks[i].flag && mm_cat_eval_fails(sx->eval, i) &&
            fill_violation(sx, i, &v->violations[v->violation_count]))
            v->violation_count++;
    }
    if (broken == 1)
        sx->stop = true;
}
