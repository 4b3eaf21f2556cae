/* The third way to decide a program: list every choice of values read, sources and orders of writes, and ask
 * for each what the model says, as plainly as can be.  Written for the hunt alone. */
#include "tests/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

enum { TOO_MANY = 4000, MAX_TRACES = 400 };

struct event {
    char kind; /* R, W, F, B */
    bool init, failed, exit;
    int thread; /* initial write: -1 */
    uint32_t op_index, location, value, occurrence;
    int partner;
    const struct hunt_op *op;
};

struct trace {
    uint32_t count;
    struct event events[3 * MAX_OPS];
    uint32_t registers[MAX_OPS];
};

/* A relation; a set is its first row. */
struct matrix {
    uint64_t row[MAX_EVENTS];
};

struct enumeration {
    const struct hunt_program *p;
    const struct mm_cat_model *model;
    struct hunt_result *result;
    uint8_t possible[MAX_LOCATIONS]; /* bit v: value v may be there */
    bool split, overflow;
    struct trace traces[MAX_THREADS][MAX_TRACES];
    uint32_t trace_count[MAX_THREADS];
    /* the candidate */
    struct event events[MAX_EVENTS];
    uint32_t n;
    const struct trace *chosen[MAX_THREADS];
    int source[MAX_EVENTS];     /* of reads */
    uint32_t place[MAX_EVENTS]; /* of writes, in the order of their location */
    struct matrix lets[64], bases[128];
    bool let_known[64], let_varies[64], base_known[128]; /* varies: with rf or co */
    uint32_t candidates;
};

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

static void find_possible(struct enumeration *x)
{
    const struct hunt_program *p = x->p;

    for (uint32_t l = 0; l < p->location_count; l++)
        x->possible[l] = (uint8_t)(1 << p->locations[l].initial);
    for (int round = 0; round < 2 * VALUES; round++) {
        for (uint32_t t = 0; t < p->thread_count; t++) {
            for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
                const struct hunt_op *op = &p->threads[t].ops[i];
                uint8_t *here = &x->possible[op->location];

                if (op->kind == STORE || op->kind == CAS)
                    *here |= (uint8_t)(1 << op->value);
                if (op->kind == STORE_REG ||
                    (op->kind == RMW && (op->rmw == CK_RMW_AND || op->rmw == CK_RMW_UMIN)))
                    *here |= 0xf; /* whatever is read, bounded: out of thin air too */
                for (uint32_t v = 0; op->kind == RMW && v < VALUES; v++) {
                    if ((*here >> v & 1) && rmw_value(op, v) < VALUES)
                        *here |= (uint8_t)(1 << rmw_value(op, v));
                }
            }
        }
    }
}

static void add_event(struct trace *t, char kind, int thread, uint32_t index, const struct hunt_op *op,
                      uint32_t value)
{
    t->events[t->count++] = (struct event){.kind = kind,
                                           .thread = thread,
                                           .op_index = index,
                                           .op = op,
                                           .location = op->location,
                                           .value = value,
                                           .partner = -1};
}

static void extend(struct enumeration *x, uint32_t thread, uint32_t index, struct trace t);

static void extend_read(struct enumeration *x, uint32_t thread, uint32_t index, const struct trace *t,
                        uint32_t value, bool writes)
{
    const struct hunt_op *op = &x->p->threads[thread].ops[index];
    struct trace next = *t;

    next.registers[index] = value;
    add_event(&next, 'R', (int)thread, index, op, value);
    if (op->kind == CAS && !writes)
        next.events[next.count - 1].failed = true;
    if (writes) {
        next.events[next.count - 1].partner = (int)next.count;
        add_event(&next, 'W', (int)thread, index, op, op->kind == CAS ? op->value : rmw_value(op, value));
        next.events[next.count - 1].partner = (int)next.count - 2;
    }
    extend(x, thread, index + 1, next);
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
        add_event(&t, 'W', (int)thread, index, op,
                  op->kind == STORE ? op->value : t.registers[op->source] & 3);
        extend(x, thread, index + 1, t);
        return;
    }
    if (op->kind == FENCE || op->kind == BARRIER) {
        uint32_t before = 0;

        for (uint32_t i = 0; i < t.count; i++)
            before += t.events[i].kind == 'B' && !t.events[i].exit && t.events[i].op->site == op->site;
        add_event(&t, op->kind == FENCE ? 'F' : 'B', (int)thread, index, op, 0);
        t.events[t.count - 1].occurrence = before;
        if (op->kind == BARRIER && x->split) {
            add_event(&t, 'B', (int)thread, index, op, 0);
            t.events[t.count - 1].occurrence = before;
            t.events[t.count - 1].exit = true;
        }
        extend(x, thread, index + 1, t);
        return;
    }
    for (uint32_t v = 0; v < VALUES; v++) {
        if (!(x->possible[op->location] >> v & 1))
            continue;
        if (op->kind == WAIT) {
            struct trace once_more = t;

            /* Waiting longer than once adds nothing; waiting once may race. */
            if (v != op->value) {
                add_event(&once_more, 'R', (int)thread, index, op, v);
                extend_read(x, thread, index, &once_more, op->value, false);
            } else {
                extend_read(x, thread, index, &t, v, false);
            }
        } else if (op->kind == LOAD) {
            extend_read(x, thread, index, &t, v, false);
        } else if (op->kind == RMW) {
            if (rmw_value(op, v) < VALUES)
                extend_read(x, thread, index, &t, v, true);
        } else {
            if (v == op->expected)
                extend_read(x, thread, index, &t, v, true);
            if (v != op->expected || op->weak)
                extend_read(x, thread, index, &t, v, false);
        }
    }
}

/* ---- the model -------------------------------------------------------------------------------------- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static enum mm_order effective_order(const struct event *e)
{
    enum mm_order o;

    if (e->init)
        return MM_ORDER_NONE;
    o = e->failed ? e->op->order_fail : e->op->order;
    if (e->kind == 'R')
        return o == MM_ACQ_REL ? MM_ACQUIRE : o == MM_RELEASE ? MM_RELAXED : o;
    if (e->kind == 'W')
        return o == MM_ACQ_REL ? MM_RELEASE : o == MM_ACQUIRE ? MM_RELAXED : o;
    return o;
}

static bool in_set(const struct enumeration *x, const struct event *e, const char *name)
{
    static const char *const scopes[MM_SCOPE_COUNT] = {"", "WI", "SG", "WG", "QF", "DV", "ALL"};
    bool access = e->kind == 'R' || e->kind == 'W',
         atomic = access && !e->init && e->op->order != MM_ORDER_NONE;
    enum mm_order o = effective_order(e);

    if (e->kind == 'B' && x->split)
        o = e->exit ? MM_ACQUIRE : MM_RELEASE;
    if (is(name, "R") || is(name, "W"))
        return e->kind == name[0];
    if (is(name, "M"))
        return access;
    if (is(name, "F"))
        return !access;
    if (is(name, "IW"))
        return e->init;
    if (is(name, "RMW"))
        return e->partner >= 0;
    if (is(name, "A") || is(name, "ATOM"))
        return atomic;
    if (is(name, "NA"))
        return access && !e->init && !atomic;
    if (is(name, "NAL"))
        return access && x->p->locations[e->location].non_atomic;
    if (is(name, "GLOBAL"))
        return access ? x->p->locations[e->location].region == MM_GLOBAL : e->op->flags & MM_FENCE_GLOBAL;
    if (is(name, "LOCAL"))
        return access ? x->p->locations[e->location].region == MM_LOCAL : e->op->flags & MM_FENCE_LOCAL;
    if (is(name, "FGA"))
        return access && x->p->locations[e->location].origin == MM_ORIGIN_FINE_SVM_ATOMICS;
    if (is(name, "ACQ"))
        return o == MM_ACQUIRE || o == MM_ACQ_REL;
    if (is(name, "REL"))
        return o == MM_RELEASE || o == MM_ACQ_REL;
    if (is(name, "ACQ_REL"))
        return o == MM_ACQ_REL;
    if (is(name, "SC"))
        return o == MM_SEQ_CST;
    if (is(name, "RLX"))
        return o == MM_RELAXED;
    if (is(name, "CBAR"))
        return e->kind == 'B';
    if (is(name, "BEN") || is(name, "BEX"))
        return e->kind == 'B' && x->split && e->exit == is(name, "BEX");
    for (int s = 1; s < MM_SCOPE_COUNT; s++) {
        if (!is(name, scopes[s]))
            continue;
        if (e->kind == 'W' && !e->init && !atomic)
            return s == MM_SCOPE_WORK_ITEM;
        return !e->init && (int)e->op->scope == s;
    }
    return false; /* images, hosts, Vulkan's: none in these programs */
}

static bool is_related(const struct enumeration *x, uint32_t i, uint32_t j, const char *name)
{
    const struct event *a = &x->events[i], *b = &x->events[j];
    bool same_thread = i == j || (a->thread == b->thread && !a->init);
    bool accesses = strchr("RW", a->kind) && strchr("RW", b->kind);
    bool loc = accesses && a->location == b->location, devices = !a->init && !b->init;
    const struct hunt_thread *s = devices ? &x->p->threads[a->thread] : NULL;
    const struct hunt_thread *t = devices ? &x->p->threads[b->thread] : NULL;
    bool rf = a->kind == 'W' && b->kind == 'R' && x->source[j] == (int)i;
    bool co = loc && a->kind == 'W' && b->kind == 'W' && x->place[i] < x->place[j];
    bool fr = loc && a->kind == 'R' && b->kind == 'W' && x->place[x->source[i]] < x->place[j];

    if (is(name, "po"))
        return same_thread && i < j;
    if (is(name, "po-loc"))
        return same_thread && i < j && loc;
    if (is(name, "rf") || is(name, "rfe") || is(name, "rfi"))
        return rf && (!name[2] || same_thread == (name[2] == 'i'));
    if (is(name, "co") || is(name, "coe") || is(name, "coi"))
        return co && (!name[2] || same_thread == (name[2] == 'i'));
    if (is(name, "fr") || is(name, "fre") || is(name, "fri"))
        return fr && (!name[2] || same_thread == (name[2] == 'i'));
    if (is(name, "loc") || is(name, "vloc"))
        return loc;
    if (is(name, "int"))
        return same_thread;
    if (is(name, "ext"))
        return !same_thread;
    if (is(name, "id"))
        return i == j;
    if (is(name, "rmw"))
        return a->kind == 'R' && a->partner == (int)j;
    if (is(name, "sdv") || is(name, "sqf"))
        return devices && s->device == t->device;
    if (is(name, "swg"))
        return devices && s->device == t->device && s->work_group == t->work_group;
    if (is(name, "ssg"))
        return devices && s->device == t->device && s->work_group == t->work_group &&
               s->sub_group == t->sub_group;
    if (is(name, "syncbar"))
        return a->kind == 'B' && b->kind == 'B' && a->op->site == b->op->site &&
               a->occurrence == b->occurrence && s->device == t->device && s->work_group == t->work_group;
    return false;
}

static void base(struct enumeration *x, uint32_t index, struct matrix *out)
{
    const struct mm_cat_base *b = &mm_cat_bases[index];

    if (x->base_known[index]) {
        *out = x->bases[index];
        return;
    }

    for (uint32_t i = 0; i < x->n; i++) {
        if (b->type == MM_CAT_SET) {
            if (in_set(x, &x->events[i], b->name))
                out->row[0] |= UINT64_C(1) << i;
            continue;
        }
        for (uint32_t j = 0; j < x->n; j++) {
            if (is_related(x, i, j, b->name))
                out->row[i] |= UINT64_C(1) << j;
        }
    }
    x->bases[index] = *out;
    x->base_known[index] = true;
}

static void evaluate(struct enumeration *x, const struct mm_cat_expr *e, const struct matrix *arguments,
                     struct matrix *out);

static void transitive(const struct enumeration *x, struct matrix *m)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < x->n; i++) {
            uint64_t more = m->row[i];

            for (uint32_t j = 0; j < x->n; j++) {
                if (m->row[i] >> j & 1)
                    more |= m->row[j];
            }
            changed = changed || more != m->row[i];
            m->row[i] = more;
        }
    }
}

static void let_value(struct enumeration *x, uint32_t let, struct matrix *out)
{
    const struct mm_cat_model *m = x->model;
    uint32_t group = m->lets[let].recursive_group;

    if (!x->let_known[let] && !group) {
        evaluate(x, m->lets[let].body, NULL, &x->lets[let]);
        x->let_known[let] = true;
    }
    if (!x->let_known[let]) {
        for (uint32_t i = 0; i < m->let_count; i++) {
            if (m->lets[i].recursive_group == group) {
                memset(&x->lets[i], 0, sizeof x->lets[i]);
                x->let_known[i] = true;
            }
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = 0; i < m->let_count; i++) {
                struct matrix now;

                if (m->lets[i].recursive_group != group)
                    continue;
                evaluate(x, m->lets[i].body, NULL, &now);
                changed = changed || memcmp(&now, &x->lets[i], sizeof now) != 0;
                x->lets[i] = now;
            }
        }
    }
    *out = x->lets[let];
}

static void evaluate_call(struct enumeration *x, const struct mm_cat_expr *e, const struct matrix *arguments,
                          struct matrix *out)
{
    struct matrix *actual = calloc(e->child_count + 1, sizeof *actual);

    for (uint32_t i = 0; i < e->child_count; i++)
        evaluate(x, e->child[i], arguments, &actual[i]);
    evaluate(x, x->model->lets[e->let].body, actual, out);
    free(actual);
}

static void combine(const struct enumeration *x, const struct mm_cat_expr *e, const struct matrix *a,
                    const struct matrix *b, struct matrix *out)
{
    bool set = e->child_count && e->child[0]->type == MM_CAT_SET;
    uint32_t rows = set ? 1 : x->n;
    uint64_t all = x->n == 64 ? UINT64_MAX : (UINT64_C(1) << x->n) - 1;

    for (uint32_t i = 0; i < x->n; i++) {
        uint64_t bit = UINT64_C(1) << i, r = 0;

        switch (e->op) {
        case MM_CAT_UNION:
            r = a->row[i] | b->row[i];
            break;
        case MM_CAT_INTER:
            r = a->row[i] & b->row[i];
            break;
        case MM_CAT_DIFF:
            r = a->row[i] & ~b->row[i];
            break;
        case MM_CAT_COMPLEMENT:
            /* Rows beyond the first mean nothing in a set; a parameter's type may vary by call. */
            r = i < rows || e->type == MM_CAT_REL ? ~a->row[i] & all : 0;
            break;
        case MM_CAT_PRODUCT:
            r = a->row[0] & bit ? b->row[0] : 0;
            break;
        case MM_CAT_IDENTITY:
            r = a->row[0] & bit;
            break;
        case MM_CAT_SEQ:
            for (uint32_t j = 0; j < x->n; j++)
                r |= a->row[i] >> j & 1 ? b->row[j] : 0;
            break;
        case MM_CAT_INVERSE:
            for (uint32_t j = 0; j < x->n; j++)
                r |= (a->row[j] >> i & 1) << j;
            break;
        case MM_CAT_OPTIONAL:
        case MM_CAT_STAR:
            r = a->row[i] | bit;
            break;
        case MM_CAT_PLUS:
            r = a->row[i];
            break;
        case MM_CAT_DOMAIN:
            out->row[0] |= a->row[i] ? bit : 0;
            continue;
        case MM_CAT_RANGE:
            out->row[0] |= a->row[i];
            continue;
        default:
            break;
        }
        out->row[i] = r;
    }
    if (e->op == MM_CAT_PLUS || e->op == MM_CAT_STAR)
        transitive(x, out);
}

static void evaluate(struct enumeration *x, const struct mm_cat_expr *e, const struct matrix *arguments,
                     struct matrix *out)
{
    struct matrix a, b;

    memset(out, 0, sizeof *out);
    switch (e->op) {
    case MM_CAT_NAME:
        if (e->base != UINT32_MAX)
            base(x, e->base, out);
        else
            let_value(x, e->let, out);
        return;
    case MM_CAT_PARAMETER:
        *out = arguments[e->parameter];
        return;
    case MM_CAT_CALL:
        evaluate_call(x, e, arguments, out);
        return;
    case MM_CAT_UNIVERSE:
        out->row[0] = (UINT64_C(1) << x->n) - 1;
        return;
    case MM_CAT_EMPTY:
        return;
    default:
        break;
    }
    evaluate(x, e->child[0], arguments, &a);
    if (e->child_count > 1)
        evaluate(x, e->child[1], arguments, &b);
    else
        memset(&b, 0, sizeof b);
    combine(x, e, &a, &b, out);
}

static bool statement(struct enumeration *x, const struct mm_cat_check *check)
{
    struct matrix m;
    bool holds = true;

    evaluate(x, check->expr, NULL, &m);
    if (check->kind == MM_CAT_ACYCLIC)
        transitive(x, &m);
    for (uint32_t i = 0; i < x->n; i++)
        holds = holds && !(check->kind == MM_CAT_CHECK_EMPTY ? m.row[i] : m.row[i] >> i & 1);
    return holds != check->negated;
}

/* ---- candidates ---------------------------------------------------------------------------------------- */

static void record(struct enumeration *x, bool racy)
{
    const struct hunt_program *p = x->p;
    struct hunt_result *r = x->result;
    struct hunt_state s = {.racy = racy, .satisfies = true};
    uint32_t memory[MAX_LOCATIONS] = {0}, last[MAX_LOCATIONS] = {0}, count = 0;

    for (uint32_t i = 0; i < x->n; i++) {
        const struct event *e = &x->events[i];

        if (e->kind == 'W' && x->place[i] >= last[e->location]) {
            last[e->location] = x->place[i];
            memory[e->location] = e->value;
        }
    }
    for (uint32_t i = 0; i < p->atom_count; i++) {
        const struct hunt_atom *a = &p->atoms[i];
        uint32_t v = a->is_register ? x->chosen[a->thread]->registers[a->index] : memory[a->index];

        s.satisfies = s.satisfies && v == a->value;
    }
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; i < p->threads[t].op_count; i++) {
            enum hunt_kind k = p->threads[t].ops[i].kind;

            if (k <= WAIT || k == RMW || k == CAS)
                s.values[count++] = (uint8_t)x->chosen[t]->registers[i];
        }
    }
    for (uint32_t l = 0; l < p->location_count; l++)
        s.values[count++] = (uint8_t)memory[l];
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

static void judge(struct enumeration *x)
{
    bool racy = false;

    if (++x->candidates > TOO_MANY) {
        x->overflow = true;
        return;
    }
    for (uint32_t i = 0; i < x->model->let_count; i++)
        x->let_known[i] = x->let_known[i] && !x->let_varies[i];
    for (uint32_t i = 0; i < mm_cat_base_count; i++)
        x->base_known[i] =
            x->base_known[i] && !mm_cat_bases[i].depends_on_rf && !mm_cat_bases[i].depends_on_co;
    for (uint32_t i = 0; i < x->model->check_count; i++) {
        const struct mm_cat_check *check = &x->model->checks[i];
        bool holds = statement(x, check);

        if (!check->flag && !holds)
            return;
        racy = racy || (check->flag && holds);
    }
    record(x, racy);
}

/* Places the writes of one location after the other; PLACED of them are in order already. */
static void order_writes(struct enumeration *x, uint32_t location, uint32_t placed)
{
    bool left = false;

    if (location == x->p->location_count) {
        judge(x);
        return;
    }
    for (uint32_t i = 0; i < x->n && !x->overflow; i++) {
        const struct event *e = &x->events[i];

        if (e->kind != 'W' || e->location != location || x->place[i] != UINT32_MAX)
            continue;
        left = true;
        x->place[i] = placed;
        order_writes(x, location, placed + 1);
        x->place[i] = UINT32_MAX;
    }
    if (!left)
        order_writes(x, location + 1, 1);
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

        if (e->kind == 'W' && e->location == x->events[from].location && e->value == x->events[from].value) {
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
    for (uint32_t l = 0; l < x->p->location_count; l++) {
        x->place[x->n] = 0;
        x->events[x->n++] = (struct event){.kind = 'W',
                                           .init = true,
                                           .thread = -1,
                                           .location = l,
                                           .value = x->p->locations[l].initial,
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

/* Work-items of one group wait for each other at barriers: they all come to the same ones, equally often. */
static bool barriers_let_through(const struct enumeration *x)
{
    for (uint32_t t = 0; t < x->p->thread_count; t++) {
        for (uint32_t u = 0; u < x->p->thread_count; u++) {
            int visits[3] = {0};

            if (x->p->threads[t].device != x->p->threads[u].device ||
                x->p->threads[t].work_group != x->p->threads[u].work_group)
                continue;
            for (uint32_t i = 0; i < x->chosen[t]->count; i++)
                visits[x->chosen[t]->events[i].op->site] += x->chosen[t]->events[i].kind == 'B';
            for (uint32_t i = 0; i < x->chosen[u]->count; i++)
                visits[x->chosen[u]->events[i].op->site] -= x->chosen[u]->events[i].kind == 'B';
            if (visits[1] || visits[2])
                return false;
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
    return memcmp(a, b, sizeof((const struct hunt_state *)a)->values);
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
    x->overflow = model->let_count > 64;
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
    return complete;
}
