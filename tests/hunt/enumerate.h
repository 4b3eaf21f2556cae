/* A naive oracle for programs: enumerates every choice of values read, rf and co, and evaluates the model for
 * each.  Written for the hunt only. */
#ifndef TESTS_HUNT_ENUMERATE_H
#define TESTS_HUNT_ENUMERATE_H

#include "tests/hunt/judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- values and traces --------------------------------------------------------------------------- */

static uint32_t rmw_value(const struct hunt_op *op, uint32_t old)
{
    switch (op->rmw) {
    case CK_RMW_XCHG:
        return op->value;
    case CK_RMW_ADD:
        return old + op->value;
    case CK_RMW_AND:
        return old & op->value;
    default: /* CK_RMW_UMIN */
        return old < op->value ? old : op->value;
    }
}

/* The low byte holds the initial value. */
static uint32_t initial_of(const struct hunt_program *p, uint32_t cell)
{
    if (p->overlaps)
        return cell % 2 ? 0 : p->locations[cell / 2].initial;
    return p->locations[cell].initial;
}

/* Whether location L is accessed, and only as a whole: then it is one piece, not cells. */
static bool is_uncut(const struct hunt_program *p, uint32_t l)
{
    bool whole = false;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            const struct hunt_op *op = &p->threads[t].ops[i];

            if (op->kind < FENCE && op->location == l && op->part != WHOLE)
                return false;
            whole = whole || (op->kind < FENCE && op->location == l);
        }
    }
    return whole;
}

/* The cells that OP accesses at LOCATION: COUNT from FIRST on. */
static uint32_t cells_of(const struct enumeration *x, const struct hunt_op *op, uint32_t location,
                         uint32_t *first)
{
    *first = x->p->overlaps ? 2 * location + (op->part == HIGH) : location;
    return x->p->overlaps && op->part == WHOLE ? 2 : 1;
}

/* Every cell of VALUE is below VALUES. */
static bool is_bounded(uint32_t value)
{
    return (value & 0xff) < VALUES && value >> 8 < VALUES;
}

static void find_possible_at(struct enumeration *x, const struct hunt_op *op, uint32_t location)
{
    uint32_t first, count = cells_of(x, op, location, &first);

    for (uint32_t k = 0; k < count; k++) {
        uint8_t *here = &x->possible[first + k];
        uint32_t byte = op->value >> (8 * k) & 0xff;

        if (op->kind == STORE || op->kind == CAS || (op->kind == RMW && op->rmw == CK_RMW_XCHG))
            *here |= (uint8_t)(1 << byte);
        if (op->kind == STORE_REG || (op->kind == RMW && (op->rmw == CK_RMW_AND || op->rmw == CK_RMW_UMIN)))
            *here |= 0xf; /* any bounded value, including out-of-thin-air ones */
        if (op->kind == RMW && op->rmw == CK_RMW_ADD)
            *here |= (uint8_t)(*here << byte);
    }
}

static void find_possible_of(struct enumeration *x, const struct hunt_op *op)
{
    find_possible_at(x, op, op->index < 0 ? op->location : 0);
    if (op->index >= 0)
        find_possible_at(x, op, 1);
}

static void find_possible(struct enumeration *x)
{
    const struct hunt_program *p = x->p;

    x->cells = p->overlaps ? 2 * p->location_count : p->location_count;
    for (uint32_t c = 0; c < x->cells; c++)
        x->possible[c] = (uint8_t)(1 << initial_of(p, c));
    for (int round = 0; round < 2 * VALUES; round++) {
        for (uint32_t t = 0; t < p->thread_count; t++) {
            for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
                if (p->threads[t].ops[i].kind < FENCE)
                    find_possible_of(x, &p->threads[t].ops[i]);
            }
        }
    }
}

static bool is_possible(const struct enumeration *x, const struct hunt_op *op, uint32_t location,
                        uint32_t value)
{
    uint32_t first, count = cells_of(x, op, location, &first);

    if (!is_bounded(value) || (count == 1 && value >= VALUES))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        if (!(x->possible[first + k] >> (value >> (8 * k) & 0xff) & 1))
            return false;
    }
    return true;
}

static struct event *add_event(struct trace *t, char kind, int thread, uint32_t index,
                               const struct hunt_op *op)
{
    struct event *e = &t->events[t->count++];

    *e = (struct event){
        .kind = kind, .thread = thread, .op_index = index, .op = op, .location = op->location, .partner = -1};
    return e;
}

/* An event for each cell that OP accesses. */
static void add_access(const struct enumeration *x, struct trace *t, char kind, int thread, uint32_t index,
                       const struct hunt_op *op, uint32_t value)
{
    uint32_t location = hunt_place(op, t->registers);
    uint32_t first, count = cells_of(x, op, location, &first), access = t->count;

    for (uint32_t k = 0; k < count; k++) {
        struct event *e = add_event(t, kind, thread, index, op);

        e->location = location;
        e->cell = first + k;
        e->access = access;
        e->value = count == 1 ? value : value >> (8 * k) & 0xff;
    }
}

static void extend(struct enumeration *x, uint32_t thread, uint32_t index, struct trace t);

/* The events of operation INDEX, which reads VALUE, and writes if WRITES. */
static void add_read(const struct enumeration *x, uint32_t thread, uint32_t index, struct trace *t,
                     uint32_t value, bool writes)
{
    const struct hunt_op *op = &x->p->threads[thread].ops[index];
    uint32_t first, count = cells_of(x, op, hunt_place(op, t->registers), &first), read = t->count;

    add_access(x, t, 'R', (int)thread, index, op, value);
    if (writes)
        add_access(x, t, 'W', (int)thread, index, op, op->kind == CAS ? op->value : rmw_value(op, value));
    for (uint32_t k = 0; k < count; k++) {
        t->events[read + k].failed = op->kind == CAS && !writes;
        if (!writes)
            continue;
        t->events[read + k].partner = (int)(read + count + k);
        t->events[read + count + k].partner = (int)(read + k);
    }
}

static void extend_read(struct enumeration *x, uint32_t thread, uint32_t index, const struct trace *t,
                        uint32_t value, bool writes)
{
    struct trace next = *t;

    add_read(x, thread, index, &next, value, writes);
    next.registers[index] = value;
    extend(x, thread, index + 1, next);
}

/* Operation INDEX is an exchange that is repeated until it reads the expected value, with at most FAILED
 * attempts. */
static void extend_lock(struct enumeration *x, uint32_t thread, uint32_t index, const struct trace *t,
                        uint32_t failed)
{
    const struct hunt_op *op = &x->p->threads[thread].ops[index];

    extend_read(x, thread, index, t, op->expected, true);
    for (uint32_t v = 0; v < VALUES && failed < MAX_FAILED; v++) {
        struct trace again = *t;

        if (v == op->expected || !is_possible(x, op, op->location, v))
            continue;
        add_read(x, thread, index, &again, v, true);
        extend_lock(x, thread, index, &again, failed + 1);
    }
}

static void extend(struct enumeration *x, uint32_t thread, uint32_t index, struct trace t)
{
    const struct hunt_thread *program = &x->p->threads[thread];
    const struct hunt_op *op = &program->ops[index];

    if (index == program->op_count) {
        if (x->trace_count[thread] == MAX_TRACES)
            x->overflow = true;
        else
            x->traces[thread][x->trace_count[thread]++] = t;
        return;
    }
    if (op->guard >= 0 && t.registers[op->guard] != op->guard_value) {
        extend(x, thread, index + 1, t);
        return;
    }
    if (op->kind == STORE || op->kind == STORE_REG) {
        add_access(x, &t, 'W', (int)thread, index, op,
                   op->kind == STORE ? op->value : t.registers[op->source] & hunt_stored(x->p, op->part));
        extend(x, thread, index + 1, t);
        return;
    }
    if (op->kind == FENCE || op->kind == BARRIER) {
        uint32_t before = 0;

        for (uint32_t i = 0; i < t.count; i++)
            before += t.events[i].kind == 'B' && !t.events[i].exit && t.events[i].op->site == op->site;
        add_event(&t, op->kind == FENCE ? 'F' : 'B', (int)thread, index, op);
        t.events[t.count - 1].occurrence = before;
        if (op->kind == BARRIER && x->split) {
            add_event(&t, 'B', (int)thread, index, op);
            t.events[t.count - 1].occurrence = before;
            t.events[t.count - 1].exit = true;
        }
        extend(x, thread, index + 1, t);
        return;
    }
    if (op->repeats) {
        if (is_possible(x, op, op->location, op->expected))
            extend_lock(x, thread, index, &t, 0);
        return;
    }
    for (uint32_t v = 0; v < (x->p->overlaps ? VALUES << 8 : VALUES); v++) {
        if (!is_possible(x, op, hunt_place(op, t.registers), v))
            continue;
        if (op->kind == WAIT) {
            struct trace once_more = t;

            /* Waiting for more than one iteration adds nothing; waiting for one may race. */
            if (v != op->value) {
                add_access(x, &once_more, 'R', (int)thread, index, op, v);
                extend_read(x, thread, index, &once_more, op->value, false);
            } else {
                extend_read(x, thread, index, &t, v, false);
            }
        } else if (op->kind == LOAD) {
            extend_read(x, thread, index, &t, v, false);
        } else if (op->kind == RMW) {
            if (is_bounded(rmw_value(op, v)))
                extend_read(x, thread, index, &t, v, true);
        } else {
            if (v == op->expected)
                extend_read(x, thread, index, &t, v, true);
            if (v != op->expected || op->weak)
                extend_read(x, thread, index, &t, v, false);
        }
    }
}

/* ---- candidates ---------------------------------------------------------------------------------------- */

static void record(struct enumeration *x, bool racy)
{
    const struct hunt_program *p = x->p;
    struct hunt_result *r = x->result;
    struct hunt_state s = {.racy = racy, .satisfies = true};
    uint32_t cells[MAX_CELLS] = {0}, last[MAX_CELLS] = {0}, memory[MAX_LOCATIONS], count = 0;

    for (uint32_t i = 0; i < x->n; i++) {
        const struct event *e = &x->events[i];

        if (e->kind == 'W' && x->place[i] >= last[e->cell]) {
            last[e->cell] = x->place[i];
            cells[e->cell] = e->value;
        }
    }
    for (uint32_t l = 0; l < p->location_count; l++)
        memory[l] = p->overlaps ? cells[2 * l] | cells[2 * l + 1] << 8 : cells[l];
    for (uint32_t i = 0; i < p->atom_count; i++) {
        const struct hunt_atom *a = &p->atoms[i];
        uint32_t v = a->is_register ? x->chosen[a->thread]->registers[a->index] : memory[a->index];

        s.satisfies = s.satisfies && v == a->value;
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            enum hunt_kind k = p->threads[t].ops[i].kind;

            if (k <= WAIT || k == RMW || k == CAS)
                s.values[count++] = x->chosen[t]->registers[i];
        }
    }
    for (uint32_t l = 0; l < p->location_count; l++)
        s.values[count++] = memory[l];
    r->executions++;
    for (uint32_t i = 0; i < r->state_count; i++) {
        if (memcmp(r->states[i].values, s.values, sizeof s.values) == 0) {
            r->states[i].racy = r->states[i].racy || racy;
            return;
        }
    }
    if (r->state_count == r->capacity) {
        r->capacity = r->capacity ? r->capacity * 2 : 16;
        r->states = realloc(r->states, r->capacity * sizeof *r->states);
    }
    r->states[r->state_count++] = s;
}

/* Whether the model allows the candidate; *RACY: it has a race. */
static bool is_allowed(struct enumeration *x, bool *racy)
{
    bool usage = false;

    for (uint32_t i = 0; i < x->model->check_count; i++) {
        const struct mm_cat_check *check = &x->model->checks[i];
        bool holds = statement(x, check);

        if (!check->flag && !holds)
            return false;
        if (check->flag && holds)
            *(ck_flag_is_race(check->name) ? racy : &usage) = true;
    }
    x->usage = x->usage || usage;
    return true;
}

static void forget(struct enumeration *x)
{
    for (uint32_t i = 0; i < x->model->let_count; i++)
        x->let_known[i] = x->let_known[i] && !x->let_varies[i];
}

/* Whether some order of the events of SET that are not yet in x->linear is allowed; tries all orders. */
static bool is_allowed_in_order(struct enumeration *x, uint64_t left, bool *racy)
{
    uint64_t last = left;

    if (++x->orders > TOO_MANY) {
        x->overflow = true;
        return false;
    }
    if (!left) {
        forget(x);
        *racy = false;
        return is_allowed(x, racy);
    }
    for (; last && !x->overflow; last &= last - 1) {
        uint32_t e = (uint32_t)__builtin_ctzll(last);

        x->linear.row[e] = left & ~(UINT64_C(1) << e);
        if (is_allowed_in_order(x, x->linear.row[e], racy))
            return true;
        x->linear.row[e] = 0;
    }
    return false;
}

static bool is_allowed_in_some_order(struct enumeration *x, bool *racy)
{
    const struct mm_cat_expr *order = x->model->lets[x->model->order_let].body;
    struct matrix set;

    memset(&x->linear, 0, sizeof x->linear);
    evaluate(x, order->child[0], NULL, &set);
    return is_allowed_in_order(x, set.row[0], racy);
}

static void judge(struct enumeration *x)
{
    bool racy = false, allowed;

    if (++x->candidates > TOO_MANY) {
        x->overflow = true;
        return;
    }
    forget(x);
    for (uint32_t i = 0; i < mm_cat_base_count; i++)
        x->base_known[i] =
            x->base_known[i] && !mm_cat_bases[i].depends_on_rf && !mm_cat_bases[i].depends_on_co;
    x->orders = 0;
    allowed = x->model->order_let == UINT32_MAX ? is_allowed(x, &racy) : is_allowed_in_some_order(x, &racy);
    if (allowed)
        record(x, racy);
}

/* Orders the writes of one cell; PLACED of them are in order already. */
static void order_writes(struct enumeration *x, uint32_t cell, uint32_t placed)
{
    bool left = false;

    if (cell == x->cells) {
        judge(x);
        return;
    }
    for (uint32_t i = 0; i < x->n && !x->overflow; i++) {
        const struct event *e = &x->events[i];

        if (e->kind != 'W' || e->cell != cell || x->place[i] != UINT32_MAX)
            continue;
        left = true;
        x->place[i] = placed;
        order_writes(x, cell, placed + 1);
        x->place[i] = UINT32_MAX;
    }
    if (!left)
        order_writes(x, cell + 1, 1);
}

static void choose_sources(struct enumeration *x, uint32_t from)
{
    while (from < x->n && x->events[from].kind != 'R')
        from++;
    if (from == x->n) {
        order_writes(x, 0, 1);
        return;
    }
    for (uint32_t w = 0; w < x->n && !x->overflow; w++) {
        const struct event *e = &x->events[w];

        if (e->kind == 'W' && e->cell == x->events[from].cell && e->value == x->events[from].value) {
            x->source[from] = (int)w;
            choose_sources(x, from + 1);
        }
    }
}

static void candidate(struct enumeration *x)
{
    memset(x->let_known, 0, sizeof x->let_known);
    memset(x->base_known, 0, sizeof x->base_known);
    x->n = 0;
    for (uint32_t c = 0; c < x->cells; c++) {
        x->place[x->n] = 0;
        x->events[x->n++] = (struct event){.kind = 'W',
                                           .init = true,
                                           .thread = -1,
                                           .location = x->p->overlaps ? c / 2 : c,
                                           .cell = c,
                                           .value = initial_of(x->p, c),
                                           .partner = -1};
    }
    for (uint32_t t = 0; t < x->p->thread_count; t++) {
        uint32_t first = x->n;

        if (x->n + x->chosen[t]->count > MAX_EVENTS) {
            x->overflow = true;
            return;
        }
        for (uint32_t i = 0; i < x->chosen[t]->count; i++) {
            struct event *e = &x->events[x->n];

            *e = x->chosen[t]->events[i];
            if (e->partner >= 0)
                e->partner += (int)first;
            x->place[x->n++] = UINT32_MAX;
        }
    }
    choose_sources(x, 0);
}

/* Adds STEP for each barrier that T reaches and U has to reach, too. */
static void count_visits(const struct enumeration *x, uint32_t t, uint32_t u, int step, int *visits)
{
    for (uint32_t i = 0; i < x->chosen[t]->count; i++) {
        const struct event *e = &x->chosen[t]->events[i];

        if (e->kind == 'B' && meet(&x->p->threads[t], &x->p->threads[u], e->op->sub_group))
            visits[e->op->site] += step;
    }
}

/* Work-items of one group wait for each other at barriers: all reach the same ones, equally often. */
static bool barriers_let_through(const struct enumeration *x)
{
    for (uint32_t t = 0; t < x->p->thread_count; t++) {
        for (uint32_t u = 0; u < x->p->thread_count; u++) {
            int visits[SITES + 1] = {0};

            count_visits(x, t, u, 1, visits);
            count_visits(x, u, t, -1, visits);
            for (int site = 1; site <= SITES; site++) {
                if (visits[site])
                    return false;
            }
        }
    }
    return true;
}

static void choose_traces(struct enumeration *x, uint32_t thread)
{
    if (thread == x->p->thread_count) {
        if (barriers_let_through(x))
            candidate(x);
        return;
    }
    for (uint32_t i = 0; i < x->trace_count[thread] && !x->overflow; i++) {
        x->chosen[thread] = &x->traces[thread][i];
        choose_traces(x, thread + 1);
    }
}

static int compare_states(const void *a, const void *b)
{
    const struct hunt_state *x = a, *y = b;
    uint32_t i = 0, last = sizeof x->values / sizeof *x->values - 1;

    while (i < last && x->values[i] == y->values[i])
        i++;
    return (x->values[i] > y->values[i]) - (x->values[i] < y->values[i]);
}

static bool mentions(const struct mm_cat_expr *e, const char *name)
{
    if (e->op == MM_CAT_NAME && e->base != UINT32_MAX && is(mm_cat_bases[e->base].name, name))
        return true;
    for (uint32_t i = 0; i < e->child_count; i++) {
        if (mentions(e->child[i], name))
            return true;
    }
    return false;
}

static bool varies(const struct enumeration *x, const struct mm_cat_expr *e)
{
    if (e->op == MM_CAT_NAME && e->base != UINT32_MAX)
        return mm_cat_bases[e->base].depends_on_rf || mm_cat_bases[e->base].depends_on_co;
    if (e->op == MM_CAT_LINEAR)
        return true;
    if ((e->op == MM_CAT_NAME || e->op == MM_CAT_CALL) && x->let_varies[e->let])
        return true;
    for (uint32_t i = 0; i < e->child_count; i++) {
        if (varies(x, e->child[i]))
            return true;
    }
    return false;
}

bool hunt_enumerate(const struct hunt_program *p, const struct mm_cat_model *model,
                    struct hunt_result *result)
{
    struct enumeration *x = calloc(1, sizeof *x);
    bool complete, any = false, all = true, racy = false;

    memset(result, 0, sizeof *result);
    x->p = p;
    x->model = model;
    x->result = result;
    x->overflow = model->let_count > MAX_LETS;
    for (uint32_t l = 0; l < p->location_count; l++)
        x->overflow = x->overflow || (p->overlaps && is_uncut(p, l));
    for (uint32_t i = 0; i < model->let_count; i++)
        x->split = x->split || mentions(model->lets[i].body, "BEN") || mentions(model->lets[i].body, "BEX");
    for (uint32_t i = 0; i < model->check_count; i++)
        x->split =
            x->split || mentions(model->checks[i].expr, "BEN") || mentions(model->checks[i].expr, "BEX");
    for (uint32_t i = 0; i < model->let_count && !x->overflow; i++)
        x->let_varies[i] = model->lets[i].recursive_group || varies(x, model->lets[i].body);
    find_possible(x);
    for (uint32_t t = 0; t < p->thread_count; t++)
        extend(x, t, 0, (struct trace){0});
    choose_traces(x, 0);
    complete = !x->overflow;
    result->usage = x->usage ? CK_YES : CK_NO;
    free(x);
    if (result->state_count)
        qsort(result->states, result->state_count, sizeof *result->states, compare_states);
    for (uint32_t i = 0; i < result->state_count; i++) {
        any = any || result->states[i].satisfies;
        all = all && result->states[i].satisfies;
        racy = racy || result->states[i].racy;
    }
    result->condition = p->quantifier == CK_EXISTS   ? (any ? CK_YES : CK_NO)
                        : p->quantifier == CK_FORALL ? (all ? CK_YES : CK_NO)
                                                     : (any ? CK_NO : CK_YES);
    result->race = racy ? CK_YES : CK_NO;
    if (result->state_count == 0)
        result->condition = result->race = result->usage = CK_UNKNOWN;
    return complete;
}

#endif
