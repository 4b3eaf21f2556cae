/* The hunt's independent semantics of the cat language and its base names, over one candidate execution. */
#ifndef TESTS_HUNT_JUDGE_H
#define TESTS_HUNT_JUDGE_H

#include "tests/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

/* MAX_FAILED: attempts to take a lock. */
enum { TOO_MANY = 4000, MAX_TRACES = 400, MAX_LETS = 160, MAX_FAILED = 2 };

struct event {
    char kind; /* R, W, F, B */
    bool init, failed, exit;
    int thread; /* initial write: -1 */
    uint32_t op_index, location, value, occurrence;
    uint32_t cell;   /* of the location: its bytes, where accesses overlap */
    uint32_t access; /* equal for the cells of one access of a thread */
    int partner;
    const struct hunt_op *op;
};

struct trace {
    uint32_t count;
    struct event events[(2 * MAX_FAILED + 2) * MAX_OPS];
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
    uint32_t cells;
    uint8_t possible[MAX_CELLS]; /* bit v: value v may be there */
    bool split, overflow;
    bool usage; /* an allowed candidate raises a flag that is no race */
    struct trace traces[MAX_THREADS][MAX_TRACES];
    uint32_t trace_count[MAX_THREADS];
    /* the candidate */
    struct event events[MAX_EVENTS];
    uint32_t n;
    const struct trace *chosen[MAX_THREADS];
    int source[MAX_EVENTS];     /* of reads */
    uint32_t place[MAX_EVENTS]; /* of writes, in the order of their location */
    struct matrix lets[MAX_LETS], bases[128];
    bool let_known[MAX_LETS], let_varies[MAX_LETS], base_known[128]; /* varies: with rf or co */
    struct matrix linear;                                            /* the order enumerated by the model */
    uint32_t candidates, orders;
};

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

/* Sets and relations that are empty for these programs: false. */
static bool is_absent(const char *name)
{
    static const char *const absent[] = {
        "QF",        "POINT",    "START",     "END",       "INORDER",  "MARKER",  "CQBARRIER",
        "NOLIST",    "FINISH",   "WAITK",     "WAITG",     "MAP",      "MAPW",    "UNMAP",
        "asw",       "enqueue",  "completes", "instance",  "waitlist", "apiwait", "qo",
        "signal",    "callback", "parent",    "child",     "unseq",    "mapping", "query",
        "semaphore", "batch",    "syncpoint", "recording", "rerun"};

    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (is(name, absent[i]))
            return false;
    }
    fail_msg("the hunt has no meaning for '%s'", name);
    return false;
}

static bool in_set(const struct enumeration *x, const struct event *e, const char *name)
{
    static const char *const scopes[MM_SCOPE_COUNT] = {"", "WI", "SG", "WG", "QF", "DV", "ALL"};
    bool access = e->kind == 'R' || e->kind == 'W',
         atomic = access && !e->init && e->op->order != MM_ORDER_NONE;
    enum mm_order o = effective_order(e);
    enum mm_region region = access ? x->p->locations[e->location].region : MM_REGION_NONE;
    enum mm_origin origin = access ? x->p->locations[e->location].origin : MM_ORIGIN_NONE;

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
        return access ? region == MM_GLOBAL || region == MM_IMAGE : e->op->flags & MM_FENCE_GLOBAL;
    if (is(name, "LOCAL"))
        return access ? region == MM_LOCAL : e->op->flags & MM_FENCE_LOCAL;
    if (is(name, "IMAGE"))
        return !access && e->op->flags & MM_FENCE_IMAGE;
    if (is(name, "IMG"))
        return access && region == MM_IMAGE;
    if (is(name, "FGA"))
        return access && origin == MM_ORIGIN_FINE_SVM_ATOMICS;
    if (is(name, "FINE"))
        return access && (origin == MM_ORIGIN_FINE_SVM_ATOMICS || origin == MM_ORIGIN_FINE_SVM);
    if (is(name, "COARSE"))
        return access && origin == MM_ORIGIN_COARSE_SVM;
    if (is(name, "HOSTMEM"))
        return access && origin == MM_ORIGIN_HOST;
    if (is(name, "HOST"))
        return !e->init && x->p->threads[e->thread].host;
    if (is(name, "CLMEM"))
        return access && (region == MM_GLOBAL || region == MM_REGION_NONE) && origin == MM_ORIGIN_BUFFER;
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
    return is_absent(name);
}

/* Whether two work-items meet at a barrier of their work-group, or of their sub-group. */
static bool meet(const struct hunt_thread *a, const struct hunt_thread *b, bool sub_group)
{
    return !a->host && !b->host && a->device == b->device && a->work_group == b->work_group &&
           (!sub_group || a->sub_group == b->sub_group);
}

/* Initial writes are of single cells. */
static enum hunt_part part_of(const struct enumeration *x, const struct event *e)
{
    if (!e->init)
        return e->op->part;
    return !x->p->overlaps ? WHOLE : e->cell % 2 ? HIGH : LOW;
}

/* Whether event I is the read whose value register R has at event J. */
static bool is_register(const struct enumeration *x, uint32_t i, uint32_t j, int r)
{
    const struct event *a = &x->events[i];

    if (a->kind != 'R' || (int)a->op_index != r || i >= j)
        return false;
    for (uint32_t k = i + 1; k < x->n; k++) {
        const struct event *e = &x->events[k];

        if (e->kind == 'R' && e->thread == a->thread && e->op_index == a->op_index && e->cell == a->cell)
            return false;
    }
    return true;
}

/* Whether a branch between events I and J of a thread depends on the value that I reads. */
static bool decides(const struct enumeration *x, uint32_t i, uint32_t j)
{
    const struct event *a = &x->events[i], *b = &x->events[j];
    const struct hunt_thread *t = a->thread < 0 ? NULL : &x->p->threads[a->thread];

    if (!t || a->kind != 'R')
        return false;
    if (a->op->kind == WAIT)
        return true;
    for (uint32_t k = a->op_index + 1; k <= b->op_index; k++) {
        if (t->ops[k].guard == (int)a->op_index)
            return true;
    }
    return false;
}

static bool is_related(const struct enumeration *x, uint32_t i, uint32_t j, const char *name)
{
    const struct event *a = &x->events[i], *b = &x->events[j];
    bool same_thread = i == j || (a->thread == b->thread && !a->init);
    bool accesses = strchr("RW", a->kind) && strchr("RW", b->kind);
    bool loc = accesses && a->cell == b->cell;
    bool devices = !a->init && !b->init && !x->p->threads[a->thread].host && !x->p->threads[b->thread].host;
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
    if (is(name, "extent"))
        return accesses && a->location == b->location && part_of(x, a) == part_of(x, b);
    if (is(name, "piece"))
        return accesses && a->thread == b->thread && a->kind == b->kind && a->access == b->access &&
               a->cell != b->cell && !a->init;
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
               a->occurrence == b->occurrence && meet(s, t, a->op->sub_group);
    if (is(name, "skernel"))
        return devices && s->kernel == t->kernel;
    if (is(name, "obj"))
        return accesses &&
               (a->location == b->location || (x->p->array && a->location < 2 && b->location < 2));
    if (is(name, "data"))
        return same_thread && b->kind == 'W' && !b->init && b->op->kind == STORE_REG &&
               is_register(x, i, j, b->op->source);
    if (is(name, "addr"))
        return same_thread && accesses && !b->init && is_register(x, i, j, b->op->index);
    if (is(name, "ctrl"))
        return same_thread && i < j && decides(x, i, j);
    return is_absent(name);
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
    case MM_CAT_LINEAR:
        *out = x->linear;
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

#endif
