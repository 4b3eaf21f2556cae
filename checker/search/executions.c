/* The final states found so far, and the executions kept as witnesses: one for each final state, and one for
 * each kind of finding. */
#include "checker/search/exec.h"

#include <string.h>

enum { MAX_PATH = 128 }; /* steps of the path that raises a flag */

/* ---- states ------------------------------------------------------------------------------------- */

static uint64_t hash_state(const struct sx *sx, const uint64_t *values)
{
    uint64_t h = 0;

    for (uint32_t i = 0; i < sx->program->observed_count; i++)
        h = (h ^ values[i]) * 0x9E3779B97F4A7C15U + (h >> 29);
    return h ^ h >> 32;
}

static bool index_states(struct sx *sx, size_t size)
{
    struct sx_exec *x = sx->exec;
    const struct ck_verdict *v = sx->verdict;
    uint32_t *table = mm_arena_alloc(sx->arena, size * sizeof *table);

    if (!table)
        return false;
    for (uint32_t i = 0; i < v->state_count; i++) {
        size_t at = hash_state(sx, v->states[i].values) & (size - 1);

        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    x->states.table = table;
    x->states.table_size = size;
    x->states.capacity = size / 2;
    return true;
}

static bool grow_states(struct sx *sx)
{
    struct ck_verdict *v = sx->verdict;
    size_t size = sx->exec->states.table_size ? sx->exec->states.table_size * 2 : 64;
    struct ck_state *states = mm_arena_alloc(v->arena, size / 2 * sizeof *states);

    if (!states)
        return false;
    if (v->state_count)
        memcpy(states, v->states, v->state_count * sizeof *states);
    v->states = states;
    return index_states(sx, size);
}

bool sx_cut_states(struct sx *sx, size_t count)
{
    sx->verdict->state_count = count;
    return sx->exec->states.table_size == 0 || index_states(sx, sx->exec->states.table_size);
}

struct ck_state *sx_find_state(struct sx *sx, const uint64_t *values)
{
    struct sx_exec *x = sx->exec;
    struct ck_verdict *v = sx->verdict;
    size_t bytes = sx->program->observed_count * sizeof(uint64_t), at;
    struct ck_state *s;

    if (v->state_count == x->states.capacity && !grow_states(sx))
        return NULL;
    at = hash_state(sx, values) & (x->states.table_size - 1);
    for (; x->states.table[at]; at = (at + 1) & (x->states.table_size - 1)) {
        s = &v->states[x->states.table[at] - 1];
        if (bytes == 0 || memcmp(s->values, values, bytes) == 0)
            return s;
    }
    s = &v->states[v->state_count];
    *s = (struct ck_state){.values = mm_arena_alloc(v->arena, bytes)};
    if (!s->values)
        return NULL;
    if (bytes)
        memcpy(s->values, values, bytes);
    x->states.table[at] = (uint32_t)++v->state_count;
    return s;
}

bool sx_add_state(struct sx *sx, const struct ck_state *state)
{
    struct ck_state *s = sx_find_state(sx, state->values);

    if (!s)
        return false;
    s->satisfies = state->satisfies;
    s->racy = s->racy || state->racy;
    return true;
}

bool sx_is_allowed(const struct sx *sx)
{
    return ck_verdict_find_state(sx->verdict, sx->program, sx->exec->memory) != NULL;
}

/* ---- executions --------------------------------------------------------------------------------- */

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
    return e->barrier != MM_CAT_NO_BARRIER && e->exit;
}

static struct ck_event to_witness_event(struct sx *sx, uint32_t i)
{
    const struct sx_exec *x = sx->exec;
    const struct mm_cat_event *e = &x->events[i];
    const struct sx_event *own = x->infos[i].event;
    struct ck_event h = {.thread = e->thread,
                         .kind = kind_of(own),
                         .order = e->order,
                         .scope = e->scope,
                         .object = CK_NO_OBJECT,
                         .value = x->infos[i].value,
                         .source = CK_NO_EVENT,
                         .partner = CK_NO_EVENT};

    if (e->location != MM_CAT_NO_LOCATION) {
        const struct sx_location *l = &sx->values.locations[e->location];

        h.object = own ? own->object : l->object;
        h.hidden = sx->program->objects[h.object].hidden;
        h.offset = l->offset;
        h.size = l->size;
        h.last = e->write && x->final_write[e->location] == i;
    }
    if (own) {
        h.hidden |= own->kind == SX_BARRIER && own->instr->hidden;
        h.line = own->instr->line;
        h.column = own->instr->column;
    }
    return h;
}

/* Sets the source of each read; NUMBER maps event numbers to indices of EVENTS. */
static void add_sources(const struct sx_exec *x, const uint32_t *number, struct ck_event *events)
{
    for (uint32_t r = 0; r < x->reads.count; r++)
        events[number[x->reads.event[r]]].source = number[x->reads.source[r]];
}

/* ORDER: of the events of the search. */
static void add_steps(const struct sx_exec *x, const uint32_t *number, const uint32_t *order,
                      struct ck_event *events)
{
    uint32_t step = 0;

    for (uint32_t i = 0; i < x->n; i++)
        if (!is_second_half(&x->events[order[i]]))
            events[number[order[i]]].step = step++;
}

static void add_coherence(const struct sx_exec *x, const uint32_t *number, struct mm_rel *co)
{
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t j = 0; x->events[i].write && j < x->n; j++) {
            if (mm_rel_has(x->n, x->bounds.co_lower, i, j))
                co->bits[number[i] * co->words + number[j] / 64] |= UINT64_C(1) << (number[j] % 64);
        }
    }
}

/* The events that raise the flag: a pair, an event, or the ends of a path. */
static void add_pair(struct sx *sx, const uint32_t *number, struct ck_execution *out)
{
    struct mm_cat_step steps[MAX_PATH];
    uint32_t check = 0, count;

    if (!out->flag)
        return;
    while (check < sx->model->check_count && strcmp(sx->model->checks[check].name, out->flag) != 0)
        check++;
    count = check < sx->model->check_count ? mm_cat_eval_explain(sx->eval, check, steps, MAX_PATH) : 0;
    if (count == 0 || count == MAX_PATH)
        return;
    out->between[0] = number[steps[0].event];
    out->between[1] = number[steps[count - 1].event];
}

uint32_t sx_witness_event(const struct sx *sx, uint32_t event)
{
    uint32_t number = event;

    for (uint32_t i = 0; i <= event; i++)
        number -= is_second_half(&sx->exec->events[i]);
    return number;
}

/* The pairs of definition NAME between different events. */
static void add_relation(struct sx *sx, const uint32_t *number, const char *name, struct mm_rel *out)
{
    const uint64_t *value = mm_cat_eval_named(sx->eval, name);
    uint32_t n = sx->exec->n;

    out->bits =
        value ? mm_arena_alloc(sx->verdict->arena, (out->n * out->words + 1) * sizeof *out->bits) : NULL;
    if (!out->bits)
        out->n = 0;
    for (uint32_t i = 0; i < n * n && out->bits; i++) {
        uint32_t a = number[i / n], b = number[i % n];

        if (a != b && mm_rel_has(n, value, i / n, i % n))
            out->bits[a * out->words + b / 64] |= UINT64_C(1) << (b % 64);
    }
}

static void add_relations(struct sx *sx, const uint32_t *number, struct ck_execution *out)
{
    const char *const *names = sx->options.relations;
    size_t count = 0;

    while (names && names[count])
        count++;
    out->relations = count ? mm_arena_alloc(sx->verdict->arena, count * sizeof *out->relations) : NULL;
    for (size_t i = 0; i < count && out->relations; i++) {
        out->relations[i] = (struct mm_rel){out->co.n, out->co.words, NULL};
        add_relation(sx, number, names[i], &out->relations[i]);
    }
}

static void fill_execution(struct sx *sx, uint32_t *number, const uint32_t *order, struct ck_execution *out)
{
    const struct sx_exec *x = sx->exec;

    for (uint32_t i = 0; i < x->n; i++) {
        number[i] = sx_witness_event(sx, i);
        if (!is_second_half(&x->events[i]))
            out->events[out->count++] = to_witness_event(sx, i);
    }
    for (uint32_t i = 0; i < x->n; i++)
        if (x->events[i].rmw_partner != MM_CAT_NO_EVENT)
            out->events[number[i]].partner = number[x->events[i].rmw_partner];
    add_sources(x, number, out->events);
    add_steps(x, number, order, out->events);
    add_coherence(x, number, &out->co);
    add_pair(sx, number, out);
    add_relations(sx, number, out);
    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        out->ends[t] = end_of(x->chosen[t]);
        out->wait_from[t] = x->chosen[t]->wait_from;
    }
}

void sx_keep_execution(struct sx *sx, enum ck_shows shows, const uint64_t *values, const char *flag)
{
    struct ck_verdict *v = sx->verdict;
    uint32_t n = sx->exec->n, *number = NULL;
    struct ck_execution *e = NULL;

    if (!sx->options.executions)
        return;
    if (flag && !(flag = mm_arena_strdup(v->arena, flag)))
        return;
    number = mm_alloc(2 * (n + 1) * sizeof *number);
    if (number && sx_order_events(sx, number + n))
        e = ck_verdict_show(v, n, sx->program->thread_count);
    if (e) {
        e->shows = shows;
        e->values = values;
        e->flag = flag;
        fill_execution(sx, number, number + n, e);
    }
    mm_free(number);
}
