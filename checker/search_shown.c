/* Executions that are kept as evidence: one for each final state, and one for each kind of finding. */
#include "checker/search_exec.h"

#include <string.h>

static uint8_t kind_of(const struct sx_event *e)
{
    static const uint8_t kinds[] = {[SX_READ] = MM_READ,
                                    [SX_WRITE] = MM_WRITE,
                                    [SX_FENCE] = MM_FENCE,
                                    [SX_BARRIER] = MM_BARRIER_ENTRY,
                                    [SX_AVAILABILITY] = MM_AVAILABILITY,
                                    [SX_VISIBILITY] = MM_VISIBILITY,
                                    [SX_POINT] = MM_API_CALL};

    return e ? kinds[e->kind] : MM_INIT;
}

static enum ck_end end_of(const struct sx_trace *t)
{
    if (t->stopped || t->end == SX_BOUND || t->end == SX_ASSERT)
        return CK_IS_LEFT;
    return t->end == SX_FAULT ? CK_FAULTS : t->end == SX_WAIT ? CK_WAITS : CK_ENDS;
}

/* Barriers that are two events for the model are one here. */
static bool is_second_half(const struct mm_cat_event *e)
{
    return e->barrier != UINT32_MAX && e->exit;
}

static struct ck_happening happening(struct sx *sx, uint32_t i)
{
    const struct sx_exec *x = sx->exec;
    const struct mm_cat_event *e = &x->events[i];
    const struct sx_event *own = x->infos[i].event;
    struct ck_happening h = {.thread = e->thread,
                             .kind = kind_of(own),
                             .order = e->order,
                             .object = UINT32_MAX,
                             .value = x->infos[i].value,
                             .source = UINT32_MAX};

    if (e->location != UINT32_MAX) {
        const struct sx_location *l = &sx->locations[e->location];

        h.object = own ? own->object : l->object;
        h.hidden = sx->program->objects[h.object].hidden;
        h.offset = l->offset;
        h.size = l->size;
        h.last = e->write && x->final_write[e->location] == i;
    }
    if (own) {
        h.hidden |=
            own->kind == SX_BARRIER && own->instr->fence_flags == 0 && own->instr->order == MM_RELAXED;
        h.line = own->instr->line;
        h.column = own->instr->column;
    }
    return h;
}

/* Reads know their writes by the numbers of events; NUMBER: what became of them. */
static void add_sources(const struct sx_exec *x, const uint32_t *number, struct ck_happening *happenings)
{
    for (uint32_t r = 0; r < x->read_count; r++)
        happenings[number[x->reads[r]]].source = number[x->source[r]];
}

/* ORDER: of the events of the search. */
static void add_steps(const struct sx_exec *x, const uint32_t *number, const uint32_t *order,
                      struct ck_happening *happenings)
{
    uint32_t step = 0;

    for (uint32_t i = 0; i < x->n; i++)
        if (!is_second_half(&x->events[order[i]]))
            happenings[number[order[i]]].step = step++;
}

static bool fill(struct sx *sx, struct ck_execution *out)
{
    const struct sx_exec *x = sx->exec;
    struct mm_arena *arena = sx->verdict->arena;
    uint32_t threads = sx->program->thread_count, *number = mm_alloc(2 * (x->n + 1) * sizeof *number);
    uint32_t *order = number + x->n;

    out->happenings = mm_arena_alloc(arena, (x->n + 1) * sizeof *out->happenings);
    out->ends = mm_arena_alloc(arena, (threads + 1) * sizeof *out->ends);
    out->wait_from = mm_arena_alloc(arena, (threads + 1) * sizeof *out->wait_from);
    if (!number || !out->happenings || !out->ends || !out->wait_from || !sx_order_events(sx, order)) {
        mm_free(number);
        return false;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        number[i] = (uint32_t)out->count;
        if (!is_second_half(&x->events[i]))
            out->happenings[out->count++] = happening(sx, i);
    }
    add_sources(x, number, out->happenings);
    add_steps(x, number, order, out->happenings);
    for (uint32_t t = 0; t < threads; t++) {
        out->ends[t] = end_of(x->chosen[t]);
        out->wait_from[t] = x->chosen[t]->wait_from;
    }
    mm_free(number);
    return true;
}

void sx_keep_execution(struct sx *sx, enum ck_shows shows, const uint64_t *values, const char *flag)
{
    struct ck_verdict *v = sx->verdict;
    struct ck_execution e = {.shows = shows, .values = values};

    if (!sx->options.executions)
        return;
    if (v->shown_count == sx->shown_capacity) {
        size_t capacity = sx->shown_capacity ? sx->shown_capacity * 2 : 16;
        struct ck_execution *bigger = mm_arena_alloc(v->arena, capacity * sizeof *bigger);

        if (!bigger)
            return;
        if (v->shown_count)
            memcpy(bigger, v->shown, v->shown_count * sizeof *bigger);
        v->shown = bigger;
        sx->shown_capacity = capacity;
    }
    if (flag)
        e.flag = mm_arena_strdup(v->arena, flag);
    if ((e.flag || !flag) && fill(sx, &e))
        v->shown[v->shown_count++] = e;
}
