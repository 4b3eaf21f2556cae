/* Explains why an execution violates an axiom: the path of named edges that the axiom excludes.
 *
 * An edge of a composed relation is expanded into edges that the model names: a sequence or a closure event by
 * event, a union into the operand that holds, an intersection into the more informative operand. */
#include "checker/z3/internal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_DEPTH = 200 };

/* A call in progress: its arguments are expressions of the caller. */
struct frame {
    const struct mm_cat_expr *call;
    const struct frame *caller;
    struct zx_rel **values;
};

struct path {
    struct zx *g;
    struct mm_arena *arena;
    uint32_t count, from[MAX_STEPS];
    const char *edge[MAX_STEPS];
    bool is_base[MAX_STEPS]; /* the edge is a base relation */
    unsigned depth;
};

static bool edge_holds(struct zx *g, const struct zx_rel *r, uint32_t i, uint32_t j)
{
    return zx_rel_get(g, r, i, j) == g->yes;
}

static struct zx_rel *frame_eval(struct path *p, const struct mm_cat_expr *e, const struct frame *f)
{
    return zx_eval(p->g, e, f ? f->values : NULL);
}

/* Self-loops are omitted. */
static void push_edge(struct path *p, uint32_t from, uint32_t to, const char *edge, bool is_base)
{
    if (from == to || p->count == MAX_STEPS)
        return;
    p->from[p->count] = from;
    p->is_base[p->count] = is_base;
    p->edge[p->count++] = edge;
}

/* A shortest path of at least one edge; fills VIA with its events and returns the number of edges, 0: none.
 */
static uint32_t shortest_path(struct zx *g, const struct zx_rel *r, uint32_t from, uint32_t to, uint32_t *via)
{
    uint32_t *queue = zx_alloc(g, g->n + 1, sizeof *queue), head = 0, tail = 0, length = 0, at;
    uint32_t *before = zx_alloc(g, g->n, sizeof *before);

    memset(before, 0xff, g->n * sizeof *before);
    queue[tail++] = from;
    while (head < tail && before[to] == ZX_NONE) {
        at = queue[head++];
        for (uint32_t j = 0; j < g->n; j++) {
            if (before[j] != ZX_NONE || !edge_holds(g, r, at, j))
                continue;
            before[j] = at;
            if (j != from)
                queue[tail++] = j;
        }
    }
    if (before[to] == ZX_NONE)
        return 0;
    at = to;
    do {
        length++;
        at = before[at];
    } while (at != from);
    at = to;
    for (uint32_t i = length; i > 0; i--) {
        via[i] = at;
        at = before[at];
    }
    via[0] = from;
    return length;
}

/* How informative an operand of an intersection is: from 0, no order, to 3, a path. */
static int informativeness(const struct zx *g, const struct mm_cat_expr *e, const struct frame *f,
                           unsigned depth)
{
    int best = 0;

    if (depth > 20)
        return 0;
    switch (e->op) {
    case MM_CAT_SEQ:
    case MM_CAT_PLUS:
    case MM_CAT_STAR:
        return 3;
    case MM_CAT_NAME:
        if (e->base != UINT32_MAX)
            return mm_cat_bases[e->base].depends_on_rf || mm_cat_bases[e->base].depends_on_co ? 3 : 1;
        return informativeness(g, g->model->lets[e->let].body, NULL, depth + 1);
    case MM_CAT_CALL:
        return 2;
    case MM_CAT_PARAMETER:
        return f ? informativeness(g, f->call->child[e->parameter], f->caller, depth + 1) : 0;
    case MM_CAT_UNION:
    case MM_CAT_INTER:
    case MM_CAT_OPTIONAL:
    case MM_CAT_INVERSE:
        for (uint32_t i = 0; i < e->child_count; i++) {
            int w = informativeness(g, e->child[i], f, depth + 1);
            best = w > best ? w : best;
        }
        return best > 2 ? 2 : best;
    case MM_CAT_DIFF:
        return informativeness(g, e->child[0], f, depth + 1);
    default:
        return 0;
    }
}

/* A named relation is printed by name unless it is composed of steps. */
static bool made_of_steps(const struct mm_cat_expr *body)
{
    while (body->op == MM_CAT_DIFF)
        body = body->child[0];
    return body->op == MM_CAT_SEQ || body->op == MM_CAT_PLUS || body->op == MM_CAT_STAR ||
           body->op == MM_CAT_OPTIONAL;
}

static void expand_edge(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                        uint32_t j);

static const char *inverse_name(struct path *p, const struct mm_cat_expr *e)
{
    char text[80];
    const char *copy;

    if (e->op != MM_CAT_NAME)
        return "inverse";
    snprintf(text, sizeof text, "%s^-1",
             e->base != UINT32_MAX ? mm_cat_bases[e->base].name : p->g->model->lets[e->let].name);
    copy = mm_arena_strdup(p->arena, text);
    return copy ? copy : "inverse";
}

/* Expands the body of a named relation; if that is a single base edge, prints the relation's name instead. */
static void expand_let(struct path *p, uint32_t let, const struct frame *f, uint32_t i, uint32_t j)
{
    const struct mm_cat_let *l = &p->g->model->lets[let];
    const char *name = mm_arena_strdup(p->arena, l->name);
    uint32_t before = p->count;

    if (!name)
        name = "";
    if (!made_of_steps(l->body)) {
        push_edge(p, i, j, name, false);
        return;
    }
    expand_edge(p, l->body, f, i, j);
    if (p->count == before + 1 && p->is_base[before]) {
        p->edge[before] = name;
        p->is_base[before] = false;
    }
}

static void expand_call(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                        uint32_t j)
{
    struct frame frame = {.call = e, .caller = f};

    frame.values = zx_alloc(p->g, e->child_count, sizeof(*frame.values));
    for (uint32_t k = 0; k < e->child_count; k++)
        frame.values[k] = frame_eval(p, e->child[k], f);
    expand_let(p, e->let, &frame, i, j);
}

static void expand_seq(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                       uint32_t j)
{
    const struct zx_rel *a = frame_eval(p, e->child[0], f), *b = frame_eval(p, e->child[1], f);

    for (uint32_t k = 0; k < p->g->n; k++) {
        if (!edge_holds(p->g, a, i, k) || !edge_holds(p->g, b, k, j))
            continue;
        expand_edge(p, e->child[0], f, i, k);
        expand_edge(p, e->child[1], f, k, j);
        return;
    }
}

static void expand_closure(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                           uint32_t j)
{
    uint32_t *via = zx_alloc(p->g, p->g->n + 1, sizeof *via);
    uint32_t length = shortest_path(p->g, frame_eval(p, e->child[0], f), i, j, via);

    for (uint32_t k = 0; k < length; k++)
        expand_edge(p, e->child[0], f, via[k], via[k + 1]);
}

static void expand_inter(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                         uint32_t j)
{
    int a = informativeness(p->g, e->child[0], f, 0), b = informativeness(p->g, e->child[1], f, 0);

    expand_edge(p, e->child[b > a ? 1 : 0], f, i, j);
}

static void expand_edge(struct path *p, const struct mm_cat_expr *e, const struct frame *f, uint32_t i,
                        uint32_t j)
{
    if (++p->depth > MAX_DEPTH) {
        push_edge(p, i, j, "...", false);
        p->depth--;
        return;
    }
    switch (e->op) {
    case MM_CAT_NAME:
        if (e->base != UINT32_MAX)
            push_edge(p, i, j, mm_cat_bases[e->base].name, true);
        else
            expand_let(p, e->let, NULL, i, j);
        break;
    case MM_CAT_PARAMETER:
        expand_edge(p, f->call->child[e->parameter], f->caller, i, j);
        break;
    case MM_CAT_CALL:
        expand_call(p, e, f, i, j);
        break;
    case MM_CAT_UNION:
        expand_edge(p, e->child[edge_holds(p->g, frame_eval(p, e->child[0], f), i, j) ? 0 : 1], f, i, j);
        break;
    case MM_CAT_INTER:
        expand_inter(p, e, f, i, j);
        break;
    case MM_CAT_DIFF:
        expand_edge(p, e->child[0], f, i, j);
        break;
    case MM_CAT_SEQ:
        expand_seq(p, e, f, i, j);
        break;
    case MM_CAT_STAR:
    case MM_CAT_OPTIONAL:
        if (i == j)
            break;
        if (e->op == MM_CAT_OPTIONAL)
            expand_edge(p, e->child[0], f, i, j);
        else
            expand_closure(p, e, f, i, j);
        break;
    case MM_CAT_PLUS:
        expand_closure(p, e, f, i, j);
        break;
    case MM_CAT_INVERSE:
        push_edge(p, i, j, inverse_name(p, e->child[0]), false);
        break;
    case MM_CAT_IDENTITY:
        break;
    default:
        push_edge(p, i, j, e->op == MM_CAT_PRODUCT ? "pair" : "not", false);
        break;
    }
    p->depth--;
}

/* ---- findings -------------------------------------------------------------------------------------- */

/* The shortest cycle of R: its events in VIA, as in shortest_path(). */
static uint32_t shortest_cycle(struct zx *g, const struct zx_rel *r, uint32_t *via)
{
    uint32_t *now = zx_alloc(g, g->n + 1, sizeof *now), best = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t length = shortest_path(g, r, i, i, now);

        if (length == 0 || (best && length >= best))
            continue;
        best = length;
        memcpy(via, now, (length + 1) * sizeof *now);
    }
    return best;
}

/* An entry of R (on the diagonal only, if so asked); false if there is none. */
static bool find_entry(struct zx *g, const struct zx_rel *r, bool diagonal, uint32_t *from, uint32_t *to)
{
    for (*from = 0; *from < g->n; (*from)++) {
        uint32_t first = diagonal || r->is_set ? *from : 0, last = diagonal || r->is_set ? *from + 1 : g->n;

        for (*to = first; *to < last; (*to)++) {
            if (edge_holds(g, r, *from, *to))
                return true;
        }
    }
    return false;
}

static bool finish_steps(struct path *p, uint32_t end, bool cycle, struct ck_violation *out)
{
    uint32_t count;

    if (p->count == 0)
        cycle = false;
    count = p->count + (cycle ? 0 : 1);

    out->steps = mm_arena_alloc(p->arena, count * sizeof *out->steps + 1);
    if (!out->steps)
        zx_stop(p->g, MM_LIMIT, "memory", "out of memory");
    for (uint32_t i = 0; i < p->count; i++) {
        zx_fill_step(p->g, p->from[i], &out->steps[i]);
        out->steps[i].edge = p->edge[i];
    }
    if (!cycle)
        zx_fill_step(p->g, end, &out->steps[p->count]);
    out->step_count = count;
    return true;
}

bool zx_explain(struct zx *g, const struct mm_cat_check *check, struct mm_arena *arena,
                struct ck_violation *out)
{
    struct path *p = zx_alloc(g, 1, sizeof *p);
    const struct zx_rel *r = zx_eval(g, check->expr, NULL);
    uint32_t from = 0, to = 0, *via = zx_alloc(g, g->n + 1, sizeof *via), length;

    p->g = g;
    p->arena = arena;
    *out = (struct ck_violation){.axiom = mm_arena_strdup(arena, check->name),
                                 .clause = mm_arena_strdup(arena, check->clause ? check->clause : "")};
    if (!out->axiom || !out->clause)
        zx_stop(g, MM_LIMIT, "memory", "out of memory");
    /* Axioms are violated, and negated flags raised, by an entry of the relation. */
    if (check->negated != check->flag)
        return true;
    switch (check->kind) {
    case MM_CAT_ACYCLIC:
        length = shortest_cycle(g, r, via);
        for (uint32_t i = 0; i < length; i++)
            expand_edge(p, check->expr, NULL, via[i], via[i + 1]);
        return length && finish_steps(p, 0, true, out);
    case MM_CAT_IRREFLEXIVE:
        if (!find_entry(g, r, true, &from, &to))
            return false;
        expand_edge(p, check->expr, NULL, from, from);
        return finish_steps(p, from, true, out);
    case MM_CAT_CHECK_EMPTY:
        break;
    }
    if (!find_entry(g, r, false, &from, &to))
        return false;
    if (check->flag)
        push_edge(p, from, to, out->axiom, false);
    else if (!r->is_set)
        expand_edge(p, check->expr, NULL, from, to);
    return finish_steps(p, to, false, out);
}
