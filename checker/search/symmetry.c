/* Symmetry reduction: work-items with the same code and traces are interchangeable, and search explores one
 * of the combinations of traces that differ in an exchange alone.  Where the traces are not known the code
 * has to be equal with registers and constants.  Work-items of a sub-group are exchanged one by one,
 * sub-groups of a work-group and work-groups of a device as a whole.  Locations that one unit alone accesses
 * (an element of an array, local memory) are exchanged with it.  docs/search.md#reductions */
#include "checker/search/step.h"

#include <stddef.h>
#include <string.h>

enum { MOST_COMPARISONS = 65536 }; /* of expressions; beyond them two threads count as different */

/* An exchange of two units of work-items, each in program order, and the induced map of locations
 * (MM_CAT_NO_LOCATION: not determined yet, or itself). */
struct exchange {
    struct sx *sx;
    uint32_t *a, *b, count;
    uint32_t *location;
    bool has_traces; /* all traces of the threads are known */
};

/* ---- the same code ------------------------------------------------------------------------------- */

static bool same_instr(const struct ck_instr *x, const struct ck_instr *y)
{
    return x->op == y->op && x->size == y->size && x->order == y->order && x->order_fail == y->order_fail &&
           x->scope == y->scope && x->fence_flags == y->fence_flags && x->attributes == y->attributes &&
           x->rmw == y->rmw && x->function == y->function && x->weak == y->weak &&
           x->semantics == y->semantics && x->storage_class == y->storage_class &&
           x->reference == y->reference && x->sub_group == y->sub_group &&
           x->barrier_name == y->barrier_name && x->quorum == y->quorum && x->tags == y->tags &&
           x->point == 0 && y->point == 0;
}

static bool same_code(const struct ck_thread *x, const struct ck_thread *y)
{
    bool same = x->instr_count == y->instr_count && !x->host && !y->host && x->agent == y->agent &&
                x->queue_family == y->queue_family && x->kernel == y->kernel;

    for (uint32_t i = 0; same && i < x->instr_count; i++)
        same = same_instr(&x->instrs[i], &y->instrs[i]);
    return same;
}

/* Whether expressions X and Y are the same, with their registers and constants, after *LEFT comparisons at
 * most. */
static bool same_expr(const struct ck_program *p, uint32_t x, uint32_t y, uint32_t *left)
{
    const struct ck_expr *a, *b;
    unsigned operands;

    if (x == y)
        return true;
    if (x == CK_NO_EXPR || y == CK_NO_EXPR || *left == 0)
        return false;
    --*left;
    a = &p->exprs[x];
    b = &p->exprs[y];
    operands = ck_expr_operands(a->op);
    return a->op == b->op && a->size == b->size && a->imm == b->imm &&
           (operands < 1 || same_expr(p, a->a, b->a, left)) &&
           (operands < 2 || same_expr(p, a->b, b->b, left)) &&
           (operands < 3 || same_expr(p, a->c, b->c, left));
}

/* Whether threads T and U, of the same code, have the same registers, expressions and targets. */
static bool same_operands(const struct ck_program *p, uint32_t t, uint32_t u)
{
    const struct ck_thread *x = &p->threads[t], *y = &p->threads[u];
    uint32_t left = MOST_COMPARISONS;
    bool same = x->reg_count == y->reg_count;

    for (uint32_t r = 0; same && r < x->reg_count; r++)
        same = x->reg_sizes[r] == y->reg_sizes[r];
    for (uint32_t i = 0; same && i < x->instr_count; i++) {
        const struct ck_instr *a = &x->instrs[i], *b = &y->instrs[i];

        same = a->reg == b->reg && a->reg2 == b->reg2 && a->target == b->target && a->site == b->site &&
               a->trip_count == b->trip_count && same_expr(p, a->address, b->address, &left) &&
               same_expr(p, a->value, b->value, &left) && same_expr(p, a->expected, b->expected, &left);
    }
    return same;
}

/* ---- the same traces ----------------------------------------------------------------------------- */

/* Whether model and program cannot distinguish objects X and Y. */
static bool same_object(const struct ck_program *p, uint32_t x, uint32_t y)
{
    const struct ck_object *a = &p->objects[x], *b = &p->objects[y];

    return x == y || (a->region == b->region && a->origin == b->origin && a->non_atomic == b->non_atomic &&
                      a->uninitialized == b->uninitialized && a->alias_of == x && b->alias_of == y);
}

static bool exchange_locations(struct exchange *e, uint32_t x, uint32_t y)
{
    const struct sx_location *a = &e->sx->values.locations[x], *b = &e->sx->values.locations[y];

    if (e->location[x] == MM_CAT_NO_LOCATION && e->location[y] == MM_CAT_NO_LOCATION) {
        e->location[x] = y;
        e->location[y] = x;
    }
    return e->location[x] == y && e->location[y] == x && a->size == b->size && a->initial == b->initial &&
           a->unconstrained == b->unconstrained && same_object(e->sx->program, a->object, b->object);
}

static bool same_event(struct exchange *e, const struct sx_event *x, const struct ck_instr *x_code,
                       const struct sx_event *y, const struct ck_instr *y_code)
{
    if (x->instr - x_code != y->instr - y_code || x->kind != y->kind || x->order != y->order ||
        x->rmw_read != y->rmw_read || x->rmw_write != y->rmw_write || (x->access == 0) != (y->access == 0) ||
        x->value != y->value || x->barrier != y->barrier || x->occurrence != y->occurrence ||
        x->data_depends != y->data_depends || x->address_depends != y->address_depends ||
        x->control_depends != y->control_depends ||
        (x->location == MM_CAT_NO_LOCATION) != (y->location == MM_CAT_NO_LOCATION))
        return false;
    return x->location == MM_CAT_NO_LOCATION ||
           (exchange_locations(e, x->location, y->location) &&
            (x->object == y->object) == (e->sx->values.locations[x->location].object ==
                                         e->sx->values.locations[y->location].object) &&
            same_object(e->sx->program, x->object, y->object));
}

static bool same_traces(struct exchange *e, uint32_t t, uint32_t u)
{
    const struct sx_thread *x = &e->sx->threads[t], *y = &e->sx->threads[u];
    const struct ck_instr *x_code = e->sx->program->threads[t].instrs,
                          *y_code = e->sx->program->threads[u].instrs;
    bool same = x->trace_count == y->trace_count;

    for (uint32_t i = 0; same && i < x->trace_count; i++) {
        const struct sx_trace *a = &x->traces[i], *b = &y->traces[i];

        same = a->event_count == b->event_count && a->end == b->end && a->wait_from == b->wait_from &&
               a->stopped == b->stopped;
        for (uint32_t k = 0; same && k < a->event_count; k++)
            same = same_event(e, &a->events[k], x_code, &b->events[k], y_code);
    }
    return same;
}

/* ---- observers ----------------------------------------------------------------------------------- */

static bool takes_part(const struct exchange *e, uint32_t thread)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->a[i] == thread || e->b[i] == thread)
            return true;
    }
    return false;
}

static bool moves_location(const struct exchange *e, uint32_t location)
{
    return e->location[location] != MM_CAT_NO_LOCATION && e->location[location] != location;
}

/* Whether a work-item outside the exchange accesses an exchanged location. */
static bool others_notice(const struct exchange *e)
{
    for (uint32_t t = 0; t < e->sx->program->thread_count && e->has_traces; t++) {
        const struct sx_thread *thread = &e->sx->threads[t];

        for (uint32_t i = 0; i < thread->trace_count && !takes_part(e, t); i++) {
            for (uint32_t k = 0; k < thread->traces[i].event_count; k++) {
                uint32_t l = thread->traces[i].events[k].location;

                if (l != MM_CAT_NO_LOCATION && moves_location(e, l))
                    return true;
            }
        }
    }
    return false;
}

static bool term_notices(const struct exchange *e, const struct ck_term *t)
{
    if (t->kind == CK_TERM_REG)
        return takes_part(e, t->thread);
    for (uint32_t l = 0; t->kind == CK_TERM_MEMORY && l < e->sx->values.location_count; l++) {
        if (moves_location(e, l) &&
            e->sx->values.locations[l].object == e->sx->program->objects[t->object].alias_of)
            return true;
    }
    return false;
}

static bool condition_notices(const struct exchange *e)
{
    const struct ck_program *p = e->sx->program;

    for (uint32_t i = 0; i < p->prop_count; i++) {
        if (p->props[i].op == CK_PROP_COMPARE &&
            (term_notices(e, &p->props[i].left) || term_notices(e, &p->props[i].right)))
            return true;
    }
    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (term_notices(e, &p->observed[i]))
            return true;
    }
    return false;
}

/* ---- units --------------------------------------------------------------------------------------- */

bool sx_same_unit(const struct ck_program *p, uint32_t a, uint32_t b, enum sx_level level)
{
    const struct ck_thread *x = &p->threads[a], *y = &p->threads[b];

    return (level > SX_WORK_ITEM || a == b) && (level > SX_SUB_GROUP || x->sub_group == y->sub_group) &&
           (level > SX_WORK_GROUP || x->work_group == y->work_group) && x->device == y->device;
}

static uint32_t collect_unit(const struct ck_program *p, uint32_t first, enum sx_level level,
                             uint32_t *members)
{
    uint32_t count = 0;

    for (uint32_t t = first; t < p->thread_count; t++) {
        if (sx_same_unit(p, first, t, level))
            members[count++] = t;
    }
    return count;
}

/* The work-item that T, the first of its unit, would change places with: the first of the unit before it in
 * the next larger one; CK_NO_THREAD: none, or T is not the first. */
static uint32_t partner_before(const struct ck_program *p, uint32_t t, enum sx_level level)
{
    uint32_t found = CK_NO_THREAD;

    for (uint32_t u = 0; u < t; u++) {
        if (sx_same_unit(p, u, t, level))
            return CK_NO_THREAD;
    }
    for (uint32_t u = t; u-- > 0 && found == CK_NO_THREAD;) {
        if (sx_same_unit(p, u, t, level + 1))
            found = u;
    }
    for (uint32_t u = 0; u < t && found != CK_NO_THREAD; u++) {
        if (sx_same_unit(p, u, found, level))
            return u;
    }
    return found;
}

static bool may_exchange(struct exchange *e, uint32_t t, uint32_t u, enum sx_level level)
{
    const struct ck_program *p = e->sx->program;

    memset(e->location, 0xFF, (e->sx->values.location_count + 1) * sizeof *e->location);
    e->count = collect_unit(p, t, level, e->a);
    if (collect_unit(p, u, level, e->b) != e->count)
        return false;
    for (uint32_t i = 0; i < e->count; i++) {
        if ((level > SX_SUB_GROUP && p->threads[e->a[i]].sub_group != p->threads[e->b[i]].sub_group) ||
            !same_code(&p->threads[e->a[i]], &p->threads[e->b[i]]))
            return false;
        if (e->has_traces ? !same_traces(e, e->a[i], e->b[i]) : !same_operands(p, e->a[i], e->b[i]))
            return false;
    }
    return !others_notice(e) && !condition_notices(e);
}

/* Enters the exchange of the units of T and U. */
static void note_exchange(struct exchange *e, uint32_t t, uint32_t u, enum sx_level level, uint8_t *exchanges)
{
    const struct ck_program *p = e->sx->program;
    uint32_t count = collect_unit(p, t, level, e->a), n = p->thread_count;

    collect_unit(p, u, level, e->b);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *one = &exchanges[(size_t)e->a[i] * n + e->b[i]],
                *other = &exchanges[(size_t)e->b[i] * n + e->a[i]];

        if (*one == 0)
            *one = *other = count == 1 ? 1 : (uint8_t)(level + 1);
    }
}

uint8_t *sx_find_symmetry(struct sx *sx, bool has_traces)
{
    const struct ck_program *p = sx->program;
    uint32_t n = p->thread_count, *room = mm_arena_alloc(sx->arena, 3 * (n + 1) * sizeof *room);
    struct exchange e = {.sx = sx, .a = room, .b = room + n + 1, .has_traces = has_traces};
    uint32_t *class =
        room + 2 * (n + 1); /* by first work-item of a unit: the first one that it may be exchanged with */
    uint8_t *exchanges = mm_arena_alloc(sx->arena, (size_t)n * n + 1);

    e.location = mm_arena_alloc(sx->trace_arena, (sx->values.location_count + 1) * sizeof *e.location);
    if (!room || !e.location || !exchanges || p->edge_count)
        return exchanges;
    for (enum sx_level level = SX_WORK_ITEM; level < SX_DEVICE; level++) {
        for (uint32_t t = 0; t < n; t++) {
            uint32_t u = partner_before(p, t, level);

            class[t] = u != CK_NO_THREAD && may_exchange(&e, t, u, level) ? class[u] : t;
            for (uint32_t k = 0; k < t && class[t] != t; k++) {
                if (class[k] == class[t])
                    note_exchange(&e, t, k, level, exchanges);
            }
        }
    }
    return exchanges;
}

/* ---- the least of the executions that differ in an exchange ---------------------------------------- */

static uint8_t exchange_level(const struct stepper *s, uint32_t a, uint32_t b)
{
    return s->facts.exchanges[(size_t)a * s->thread_count + b];
}

/* Whether event E of A and B, which are exchanged, is the same.  A write to a shared location is not:
 * coherence orders the two, and other threads read from one of them. */
static bool is_same_event(const struct stepper *s, uint32_t a, uint32_t b, uint32_t e)
{
    const struct sx_event *x = &s->walkers[a].events[e], *y = &s->walkers[b].events[e];
    bool private = x->location != MM_CAT_NO_LOCATION && !s->sx->values.locations[x->location].shared;
    uint64_t source;

    if (x->instr - s->walkers[a].thread->instrs != y->instr - s->walkers[b].thread->instrs ||
        x->kind != y->kind || x->order != y->order || x->rmw_read != y->rmw_read || x->late != y->late ||
        x->value != y->value || x->barrier != y->barrier || x->occurrence != y->occurrence)
        return false;
    if (x->location == MM_CAT_NO_LOCATION || y->location == MM_CAT_NO_LOCATION)
        return x->location == y->location;
    if (private)
        return !s->sx->values.locations[y->location].shared;
    source = *sx_source(s, a, e);
    return x->kind == SX_READ && x->location == y->location && source == *sx_source(s, b, e) &&
           source != SX_OPEN && source != STEP_GUESSED;
}

static struct step_choice *choice_of(const struct stepper *s, uint32_t t, uint32_t event)
{
    return &s->choices[(size_t)t * s->stride + event];
}

/* Whether thread T has chosen the source of its read EVENT, or to block there. */
static bool has_chosen(const struct stepper *s, uint32_t t, uint32_t event)
{
    return s->walkers[t].event_count > event ||
           (s->walkers[t].event_count == event && s->threads[t].status == STEP_BLOCKED);
}

/* Whether the read EVENT of A, which was or is to be executed, is that at which T is, of location L. */
static bool is_same_read(const struct stepper *s, uint32_t a, uint32_t t, uint32_t event, uint32_t l)
{
    const struct step_thread *x = &s->threads[a], *y = &s->threads[t];
    uint32_t pc = y->access.pc;

    if (event == s->walkers[a].event_count)
        return x->access.pc == pc && x->piece == y->piece && x->access.locations[x->piece] == l;
    return s->walkers[a].events[event].kind == SX_READ && s->walkers[a].events[event].location == l &&
           s->walkers[a].events[event].instr - s->walkers[a].thread->instrs == (ptrdiff_t)pc;
}

/* Whether the first COUNT events of A and B are the same. */
static bool has_same_prefix(const struct stepper *s, uint32_t a, uint32_t b, uint32_t count)
{
    bool same = s->walkers[a].event_count >= count && s->walkers[b].event_count >= count;

    for (uint32_t e = 0; same && e < count; e++)
        same = is_same_event(s, a, b, e);
    return same;
}

bool sx_is_interchangeable(const struct stepper *s, uint32_t a, uint32_t b)
{
    const struct step_thread *x = &s->threads[a], *y = &s->threads[b];

    return s->facts.exchanges && a != b && exchange_level(s, a, b) == 1 && x->status == y->status &&
           x->pc == y->pc && x->access.count == y->access.count && x->piece == y->piece &&
           (x->access.count == 0 || x->access.locations[x->piece] == y->access.locations[y->piece]) &&
           s->walkers[a].event_count == s->walkers[b].event_count &&
           has_same_prefix(s, a, b, s->walkers[a].event_count);
}

/* Whether T, with COUNT events at time AT, had already chosen to block at the read that follows them. */
static bool was_blocked(const struct stepper *s, uint32_t t, uint32_t count, uint64_t at)
{
    const struct sx_walker *w = &s->walkers[t];
    bool reads = count == w->event_count || (w->events[count].kind == SX_READ &&
                                             s->sx->values.locations[w->events[count].location].shared);

    return reads && has_chosen(s, t, count) && choice_of(s, t, count)->at <= at;
}

/* How many events of T follow from the choices made until time AT: those that existed, and the read at which
 * it was blocked. */
static uint32_t count_chosen(const struct stepper *s, uint32_t t, uint64_t at)
{
    uint32_t count = 0;

    while (count < s->walkers[t].event_count && s->walkers[t].events[count].stamp <= at)
        count++;
    return count + was_blocked(s, t, count, at);
}

/* Whether all choices before A made the one of its read EVENT are the same after the exchange of the units of
 * A and T. T is at its read of that number. */
static bool are_choices_exchanged(const struct stepper *s, uint32_t a, uint32_t t, uint32_t event)
{
    const struct ck_program *p = s->sx->program;
    int level = exchange_level(s, a, t) - 1;
    uint64_t at = choice_of(s, a, event)->at;
    uint32_t y = 0;

    if (!has_same_prefix(s, a, t, event))
        return false;
    for (uint32_t x = 0; x < s->thread_count && level > 0; x++) {
        uint32_t counts[2];

        if (!sx_same_unit(p, x, a, (enum sx_level)level))
            continue;
        while (!sx_same_unit(p, y, t, (enum sx_level)level))
            y++;
        counts[0] = count_chosen(s, x, at);
        counts[1] = count_chosen(s, y, at);
        if (x != a && !has_same_prefix(s, x, y, counts[0] > counts[1] ? counts[0] : counts[1]))
            return false;
        y++;
    }
    return true;
}

void sx_note_choice(struct stepper *s, uint32_t t, bool blocks)
{
    *choice_of(s, t, s->walkers[t].event_count) =
        (struct step_choice){.at = s->sx->events_created, .until = s->sx->events_created, .blocked = blocks};
}

uint64_t sx_note_refusal(struct stepper *s, uint32_t t, uint64_t until)
{
    struct step_choice *c = choice_of(s, t, s->walkers[t].event_count);
    uint64_t before = c->until;

    c->until = until;
    return before;
}

/* Whether A, at its read EVENT, declined SOURCE, of VALUE. */
static bool has_declined(const struct stepper *s, uint32_t a, uint32_t event, uint64_t source, uint64_t value,
                         bool by_value)
{
    const struct step_choice *c = choice_of(s, a, event);

    if (source != SX_INITIAL && sx_packed(s, source)->stamp > c->until)
        return false;
    return c->blocked ||
           (by_value ? value < s->walkers[a].events[event].value : source < *sx_source(s, a, event));
}

bool sx_is_exchanged(const struct stepper *s, uint32_t t, uint64_t source, uint64_t value, bool by_value)
{
    uint32_t event = s->walkers[t].event_count, l = s->threads[t].access.locations[s->threads[t].piece];

    if (!s->facts.exchanges)
        return false;
    for (uint32_t a = 0; a < s->thread_count; a++) {
        if (a != t && exchange_level(s, a, t) && has_chosen(s, a, event) && is_same_read(s, a, t, event, l) &&
            has_declined(s, a, event, source, value, by_value) && are_choices_exchanged(s, a, t, event))
            return true;
    }
    return false;
}
