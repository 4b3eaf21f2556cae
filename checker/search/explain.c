/* Explanations: a witness execution, the axioms that forbid an outcome or a final state, the accesses that
 * race. */
#include "checker/search/exec.h"

#include "memmodel/base/array.h"

#include <string.h>

enum { MAX_FORBIDDEN = 1024 }; /* final states listed as forbidden */

static uint8_t event_kind(const struct mm_cat_event *e)
{
    if (e->init)
        return MM_INIT;
    if (e->read || e->write)
        return e->read ? MM_READ : MM_WRITE;
    if (e->barrier != MM_CAT_NO_BARRIER)
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
    struct ck_step s = {.event = event, .thread = e->thread, .object = CK_NO_OBJECT};

    s.info.kind = event_kind(e);
    s.info.order = e->order;
    s.info.scope = s.info.effective_scope = e->scope;
    s.info.fence_flags = e->fence_flags;
    s.info.attributes = e->attributes;
    s.info.semantics = e->semantics;
    s.info.agent = (struct mm_agent){1, e->thread};
    if (e->location != MM_CAT_NO_LOCATION) {
        const struct sx_location *l = &sx->values.locations[e->location];

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

/* The penalty of E before F in a linearization: infinite against program order and barriers; then, in
 * decreasing order, for a read before its source, for writes against coherence, and for a read from a write
 * that is not the latest. */
static uint64_t pair_penalty(const struct sx_exec *x, const uint32_t *source, uint32_t e, uint32_t f)
{
    const struct mm_cat_event *a = &x->events[e], *b = &x->events[f];
    const uint64_t against_co = x->n + 1, against_rf = against_co * against_co,
                   never = against_rf * against_co;
    bool po = f < e && !b->init && b->thread == a->thread;
    bool barrier = a->exit && !b->exit && a->barrier != MM_CAT_NO_BARRIER && b->barrier == a->barrier;

    if (po || barrier)
        return never;
    if (mm_rel_has(x->n, x->bounds.rf_lower, f, e))
        return against_rf;
    if (mm_rel_has(x->n, x->bounds.co_lower, f, e))
        return against_co;
    return a->write && source[f] != MM_CAT_NO_EVENT && mm_rel_has(x->n, x->bounds.co_lower, source[f], e);
}

/* The sum for all F not yet placed; it may stop at MOST. */
static uint64_t order_penalty(const struct sx_exec *x, const uint32_t *source, const uint8_t *placed,
                              uint32_t e, uint64_t most)
{
    uint64_t sum = 0;

    for (uint32_t f = 0; f < x->n && sum < most; f++)
        sum += placed[f] || f == e ? 0 : pair_penalty(x, source, e, f);
    return sum;
}

/* Greedy: the event with the least penalty comes next. */
bool sx_order_events(const struct sx *sx, uint32_t *order)
{
    const struct sx_exec *x = sx->exec;
    uint32_t n = x->n, *source = mm_alloc((n + 1) * (sizeof *source + 1));
    uint8_t *placed = (uint8_t *)(source + n);

    if (!source)
        return false;
    memset(placed, 0, n);
    memset(source, 0xFF, n * sizeof *source);
    for (uint32_t r = 0; r < x->reads.count; r++)
        source[x->reads.event[r]] = x->reads.source[r];
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
        if (copy_relation(sx, order, sx->exec->bounds.rf_lower, &v->witness_rf) &&
            copy_relation(sx, order, sx->exec->bounds.co_lower, &v->witness_co) &&
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

static uint32_t count_broken(struct sx *sx)
{
    uint32_t broken = 0;

    for (uint32_t i = 0; i < sx->model->check_count; i++)
        broken += !sx->model->checks[i].flag && mm_cat_eval_fails(sx->eval, i);
    return broken;
}

/* The BROKEN axioms that the candidate violates; *COUNT is less where memory runs out. */
static struct ck_violation *keep_violations(struct sx *sx, uint32_t broken, size_t *count)
{
    struct ck_violation *kept = mm_arena_alloc(sx->verdict->arena, broken * sizeof *kept);

    *count = 0;
    for (uint32_t i = 0; kept && i < sx->model->check_count && *count < broken; i++) {
        if (!sx->model->checks[i].flag && mm_cat_eval_fails(sx->eval, i) &&
            fill_violation(sx, i, &kept[*count]))
            ++*count;
    }
    return kept;
}

/* Whether the candidate counts: it satisfies the filter. */
static bool passes_filter(struct sx *sx)
{
    return sx->program->filter == CK_NO_EXPR ||
           sx_holds(sx->program, sx->program->filter, sx->exec->regs, sx->exec->memory);
}

void sx_compare_candidate(struct sx *sx)
{
    struct sx_exec *x = sx->exec;
    struct ck_verdict *v = sx->verdict;
    uint32_t broken;

    sx_final_state(sx);
    if (!sx_holds(sx->program, sx->program->condition, x->regs, x->memory) || !passes_filter(sx))
        return;
    broken = count_broken(sx);
    if (broken == 0 || broken >= x->fewest)
        return;
    x->fewest = broken;
    v->violations = keep_violations(sx, broken, &v->violation_count);
    if (broken == 1)
        sx->stop = true;
}

/* ---- forbidden states --------------------------------------------------------------------------- */

/* The entry of the state x->memory, in order of values; a new one has no violations.  NULL: there are too
 * many, or no memory. */
static struct ck_forbidden *find_forbidden(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;
    size_t bytes = sx->program->observed_count * sizeof(uint64_t);
    struct ck_forbidden new = {.values = NULL};

    for (size_t i = 0; i < v->forbidden_count; i++)
        if (memcmp(v->forbidden[i].values, sx->exec->memory, bytes) == 0)
            return &v->forbidden[i];
    if (v->forbidden_count == MAX_FORBIDDEN || !(new.values = mm_arena_alloc(v->arena, bytes + 1)))
        return NULL;
    memcpy(new.values, sx->exec->memory, bytes);
    new.satisfies = sx_holds(sx->program, sx->program->condition, sx->exec->regs, sx->exec->memory);
    return mm_arena_append(v->arena, &v->forbidden, &v->forbidden_count, &new)
               ? &v->forbidden[v->forbidden_count - 1]
               : NULL;
}

static void number_steps(struct sx *sx, struct ck_forbidden *f)
{
    for (size_t i = 0; i < f->violation_count; i++)
        for (size_t k = 0; k < f->violations[i].step_count; k++)
            f->violations[i].steps[k].event = sx_witness_event(sx, f->violations[i].steps[k].event);
}

void sx_note_forbidden(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;
    size_t shown = v->shown_count;
    struct ck_forbidden *f;
    uint32_t broken;

    sx_final_state(sx);
    if (sx->program->observed_count == 0 || sx_is_allowed(sx) || !passes_filter(sx))
        return;
    broken = count_broken(sx);
    f = broken ? find_forbidden(sx) : NULL;
    if (!f) {
        sx->stop = true; /* the list is not complete */
        return;
    }
    if (f->violation_count && broken >= f->violation_count)
        return;
    f->violations = keep_violations(sx, broken, &f->violation_count);
    number_steps(sx, f);
    sx_keep_execution(sx, CK_SHOWS_STATE, f->values, NULL);
    if (v->shown_count > shown)
        f->candidate = v->shown[--v->shown_count];
}
