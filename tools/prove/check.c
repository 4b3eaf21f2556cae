/* The verification conditions: races of two work-items of one work-group and of two, barrier divergence,
 * bounds (docs/prove.md, "Verification conditions"). */
#include "tools/prove/internal.h"

#include <stdio.h>
#include <string.h>

/* ---- answers --------------------------------------------------------------------------------------- */

static void note_answer(struct pv *pv, enum prove_property property, Z3_lbool satisfiable, const char *reason)
{
    struct prove_verdict *v = pv->verdict;
    enum prove_answer now = satisfiable == Z3_L_FALSE  ? PROVE_PROVED
                            : satisfiable == Z3_L_TRUE ? PROVE_OPEN
                                                       : PROVE_UNKNOWN;
    static const int badness[] = {
        [PROVE_PROVED] = 0, [PROVE_NOT_ASKED] = 1, [PROVE_UNKNOWN] = 2, [PROVE_OPEN] = 3};
    if (badness[now] <= badness[v->answers[property]])
        return;
    v->answers[property] = now;
    snprintf(v->reasons[property], PROVE_TEXT, "%s%s", reason,
             now == PROVE_UNKNOWN ? " (Z3 has reached its limit)" : "");
}

static bool is_true(struct pv *pv, Z3_ast a)
{
    Z3_ast value;
    Z3_model model = Z3_solver_get_model(pv->c, pv->solver);
    return Z3_model_eval(pv->c, model, a, true, &value) && value == pv->yes;
}

/* ---- races ------------------------------------------------------------------------------------------ */

static Z3_ast access_length(struct pv *pv, const struct pv_access *a)
{
    return a->bytes ? a->bytes : pv_number(pv, a->size, 64);
}

/* Both accesses of images happen, and are of one texel. */
static Z3_ast images_conflict(struct pv *pv, const struct pv_access *a, const struct pv_access *b)
{
    Z3_ast both = pv_and(pv, pv_and(pv, a->condition, b->condition), pv_equal(pv, a->object, b->object));
    for (uint32_t i = 0; a->texel && b->texel && i < a->texel->count && i < b->texel->count; i++) {
        Z3_ast x = a->texel->leaves[i].bits, y = b->texel->leaves[i].bits;
        both = pv_width(pv, x) == pv_width(pv, y) ? pv_and(pv, both, pv_equal(pv, x, y)) : both;
    }
    return both;
}

/* Both accesses happen and share a byte, inside of objects of less than 2^40 bytes. */
static Z3_ast accesses_conflict(struct pv *pv, const struct pv_access *a, const struct pv_access *b,
                                bool one_group)
{
    Z3_context c = pv->c;
    uint64_t x, y;
    bool known = pv_is_number(pv, a->object, &x) && pv_is_number(pv, b->object, &y);
    bool atomic =
        a->kind == PV_ATOMIC && b->kind == PV_ATOMIC && (one_group || (a->wide_scope && b->wide_scope));
    if ((a->kind == PV_READ && b->kind == PV_READ) || !(a->regions & b->regions) ||
        (known && (x != y || x == 0)))
        return pv->no;
    if (a->regions & 1U << PV_IMAGE)
        return images_conflict(pv, a, b);
    Z3_ast limit = pv_number(pv, UINT64_C(1) << 40, 64);
    Z3_ast all[] = {a->condition,
                    b->condition,
                    pv_equal(pv, a->object, b->object),
                    Z3_mk_bvult(c, a->offset, limit),
                    Z3_mk_bvult(c, b->offset, limit),
                    Z3_mk_bvult(c, access_length(pv, a), limit),
                    Z3_mk_bvult(c, access_length(pv, b), limit),
                    Z3_mk_bvult(c, a->offset, pv_add(pv, b->offset, access_length(pv, b))),
                    Z3_mk_bvult(c, b->offset, pv_add(pv, a->offset, access_length(pv, a)))};
    Z3_ast both = pv->yes;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        both = pv_and(pv, both, all[i]);
    if (atomic)
        both =
            pv_and(pv, both, a->size != b->size ? pv->yes : pv_not(pv, pv_equal(pv, a->offset, b->offset)));
    return both;
}

struct pairs {
    struct pv *pv;
    const struct pv_access **a, **b;
    Z3_ast *conflicts;
    uint32_t count;
    bool one_group;
    struct pv_premises with;
};

static void add_pair(struct pairs *p, const struct pv_access *a, const struct pv_access *b)
{
    struct pv *pv = p->pv;
    Z3_ast both = accesses_conflict(pv, a, b, p->one_group);
    if (both == pv->no)
        return;
    p->a = ex_grow(pv->ex, p->a, p->count, sizeof *p->a);
    p->b = ex_grow(pv->ex, p->b, p->count, sizeof *p->b);
    p->conflicts = ex_grow(pv->ex, p->conflicts, p->count, sizeof *p->conflicts);
    p->a[p->count] = a;
    p->b[p->count] = b;
    p->conflicts[p->count++] = both;
}

static void add_pairs(struct pairs *p, const struct pv_run *x, const struct pv_run *y, unsigned regions,
                      bool symmetric)
{
    for (uint32_t i = 0; x && y && i < x->access_count; i++)
        for (uint32_t k = symmetric ? i : 0; k < y->access_count; k++)
            if (x->accesses[i].regions & y->accesses[k].regions & regions)
                add_pair(p, &x->accesses[i], &y->accesses[k]);
}

static const char *object_name(struct pv *pv, const struct pv_access *a)
{
    uint64_t n;
    return pv_is_number(pv, a->object, &n) && n < pv->objects.count ? pv->objects.list[n].name : "memory";
}

static void report_pair(const struct pairs *p, uint32_t i, Z3_lbool r)
{
    char text[PROVE_TEXT];
    static const char *const kinds[] = {"read", "write", "atomic access"};
    snprintf(text, sizeof text, "%.60s: the %s at line %u and the %s at line %u may race (%s)",
             object_name(p->pv, p->a[i]), kinds[p->a[i]->kind], p->a[i]->inst->line, kinds[p->b[i]->kind],
             p->b[i]->inst->line,
             p->one_group ? "work-items of one work-group" : "work-items of different work-groups");
    note_answer(p->pv, PROVE_RACE, r, text);
}

/* Asks about all pairs at once; where Z3 gives up, one by one. */
static void decide_pairs(struct pairs *p)
{
    struct pv *pv = p->pv;
    Z3_ast ids = p->one_group ? pv_same_group(pv) : pv_other_group(pv), any = pv->no;
    for (uint32_t i = 0; i < p->count; i++)
        any = pv_or(pv, any, p->conflicts[i]);
    Z3_lbool r = pv_ask(pv, pv_and(pv, ids, any), &p->with);
    if (r == Z3_L_TRUE) {
        uint32_t i = 0;
        while (i + 1 < p->count && !is_true(pv, p->conflicts[i]))
            i++;
        report_pair(p, i, r);
        pv_propose_launches(pv, pv_and(pv, ids, any), &p->with);
        return;
    }
    for (uint32_t i = 0; i < p->count && r == Z3_L_UNDEF; i++) {
        Z3_lbool one = pv_ask(pv, pv_and(pv, ids, p->conflicts[i]), &p->with);
        if (one != Z3_L_FALSE)
            report_pair(p, i, one);
        if (one == Z3_L_TRUE)
            pv_propose_launches(pv, pv_and(pv, ids, p->conflicts[i]), &p->with);
    }
}

/* Whether the interval of memory REGION continues behind the cut. */
static bool is_soft(const struct pv *pv, uint32_t block, enum pv_region region)
{
    const struct pv_block *b = &pv->graph.blocks[block];
    bool orders = region == PV_LOCAL   ? b->orders_local
                  : region == PV_IMAGE ? b->orders_image
                                       : b->orders_global;
    return b->cut != PV_BARRIER || !orders;
}

static uint32_t source_number(const struct pv *pv, uint32_t block)
{
    uint32_t s = 0;
    while (pv->sources.blocks[s] != block)
        s++;
    return s;
}

/* Sources that follow S in the same interval of REGION. */
static void mark_followers(const struct pv *pv, uint32_t s, enum pv_region region, bool *reached)
{
    const struct pv_run *run = pv->segments[0][s];
    for (uint32_t b = 0; run && b < pv->graph.block_count; b++) {
        if (!run->sinks[b] || run->sinks[b] == pv->no || !is_soft(pv, b, region))
            continue;
        uint32_t next = source_number(pv, b);
        if (reached[next])
            continue;
        reached[next] = true;
        mark_followers(pv, next, region, reached);
    }
}

/* Both work-items are behind the same cut, number S: relations of loops that come later are not known yet. */
static struct pv_premises in_step(const struct pv *pv, uint32_t s)
{
    uint32_t block = pv->sources.blocks[s];
    uint32_t before = block == PV_NONE ? 0 : pv->graph.blocks[block].position + 1;
    return (struct pv_premises){
        .synchronous = true, .in_bounds = true, .invariants_before = PV_NONE, .relations_before = before};
}

/* The work-items are anywhere. */
static const struct pv_premises apart = {.in_bounds = true, .invariants_before = PV_NONE};

/* Accesses of a Vulkan module that no barrier orders. */
static void check_unordered(struct pv *pv)
{
    const struct pv_run *x = pv->context[0], *y = pv->context[1];
    struct pairs p = {.pv = pv, .one_group = true, .with = apart};
    for (uint32_t i = 0; i < x->access_count; i++)
        for (uint32_t k = i; k < y->access_count; k++)
            if (x->accesses[i].regions & y->accesses[k].regions & (1U << PV_LOCAL | 1U << PV_GLOBAL) &&
                !pv_vulkan_orders(pv, &x->accesses[i], &y->accesses[k]))
                add_pair(&p, &x->accesses[i], &y->accesses[k]);
    decide_pairs(&p);
}

static void check_one_group(struct pv *pv)
{
    static const enum pv_region regions[] = {PV_LOCAL, PV_GLOBAL, PV_IMAGE};
    for (uint32_t s = 0; s < pv->sources.count; s++) {
        struct pairs p = {.pv = pv, .one_group = true, .with = in_step(pv, s)};
        add_pairs(&p, pv->segments[0][s], pv->segments[1][s],
                  1U << PV_LOCAL | 1U << PV_GLOBAL | 1U << PV_IMAGE, true);
        decide_pairs(&p);
        struct pairs later = {.pv = pv, .one_group = true, .with = apart};
        for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
            bool *reached = pv_alloc(pv, pv->sources.count, sizeof *reached);
            mark_followers(pv, s, regions[i], reached);
            for (uint32_t next = 0; next < pv->sources.count; next++)
                if (reached[next])
                    add_pairs(&later, pv->segments[0][s], pv->segments[1][next], 1U << regions[i], false);
        }
        decide_pairs(&later);
    }
}

static void check_other_groups(struct pv *pv)
{
    struct pairs p = {.pv = pv, .with = apart};
    add_pairs(&p, pv->context[0], pv->context[1], 1U << PV_GLOBAL | 1U << PV_IMAGE, true);
    decide_pairs(&p);
}

/* ---- divergence ------------------------------------------------------------------------------------- */

static Z3_ast or_no(const struct pv *pv, Z3_ast a)
{
    return a ? a : pv->no;
}

static unsigned line_of(const struct pv *pv, uint32_t block)
{
    return pv->graph.blocks[block].cut_inst ? pv->graph.blocks[block].cut_inst->line
                                            : pv->graph.blocks[block].last->line;
}

/* Barrier divergence: one work-item reaches the cut BLOCK next, the other one another cut or the end of
 * the kernel. */
static void check_sinks(struct pv *pv, const struct pv_run *a, const struct pv_run *b,
                        const struct pv_premises *with)
{
    for (uint32_t block = 0; block < pv->graph.block_count; block++) {
        Z3_ast here = or_no(pv, a->sinks[block]), other = pv->no;
        for (uint32_t to = 0; to <= pv->graph.exit; to++)
            if (to != block)
                other = pv_or(pv, other, or_no(pv, b->sinks[to]));
        Z3_ast differ = pv_and(pv, pv_same_group(pv), pv_and(pv, here, other));
        Z3_lbool r = pv_ask(pv, differ, with);
        if (r == Z3_L_TRUE)
            pv_propose_launches(pv, differ, with);
        char text[PROVE_TEXT];
        bool soft = pv->graph.blocks[block].cut == PV_SOFT_HEAD;
        snprintf(text, sizeof text,
                 soft ? "the trip counts of the loop at line %u are not shown to agree in the work-group"
                      : "the barrier at line %u may be reached by some work-items of a group alone",
                 line_of(pv, block));
        note_answer(pv, PROVE_DIVERGENCE, r, text);
    }
}

/* Both work-items enter and repeat loops with barriers together. */
static void check_edges(struct pv *pv, const struct pv_run *a, const struct pv_run *b,
                        const struct pv_premises *with)
{
    for (uint32_t i = 0; i < a->edge_count; i++) {
        Z3_ast mine = a->edges[i].condition, others = pv->no;
        for (uint32_t k = 0; k < b->edge_count; k++)
            if (b->edges[k].from == a->edges[i].from && b->edges[k].to == a->edges[i].to)
                others = pv_or(pv, others, b->edges[k].condition);
        Z3_ast ends = pv->no; /* an execution of B that does not reach a cut does not count */
        for (uint32_t to = 0; to <= pv->graph.exit; to++)
            ends = pv_or(pv, ends, or_no(pv, b->sinks[to]));
        Z3_ast differ = pv_and(pv, pv_and(pv, mine, ends), pv_not(pv, others));
        Z3_lbool r = pv_ask(pv, pv_and(pv, pv_same_group(pv), differ), with);
        char text[PROVE_TEXT];
        snprintf(text, sizeof text,
                 "the trip counts of the loop at line %u are not shown to agree in the work-group",
                 line_of(pv, a->edges[i].to));
        note_answer(pv, PROVE_DIVERGENCE, r, text);
    }
}

static void check_divergence(struct pv *pv)
{
    for (uint32_t s = 0; s < pv->sources.count && pv->sources.has_cuts; s++) {
        const struct pv_run *a = pv->segments[0][s], *b = pv->segments[1][s];
        if (!a || !b)
            continue;
        const struct pv_premises with = in_step(pv, s);
        check_sinks(pv, a, b, &with);
        check_edges(pv, a, b, &with);
    }
}

/* ---- bounds ----------------------------------------------------------------------------------------- */

static void check_bounds(struct pv *pv)
{
    static const struct pv_premises anywhere = {.invariants_before = PV_NONE};
    const struct pv_run *run = pv->context[0];
    char text[PROVE_TEXT];
    for (uint32_t i = 0; i < run->access_count; i++) {
        const struct pv_access *a = &run->accesses[i];
        uint64_t n;
        bool known = pv_is_number(pv, a->object, &n) && n < pv->objects.count;
        const struct pv_object *o = &pv->objects.list[known ? n : 0];
        if (known && !n) {
            snprintf(text, sizeof text, "the access at line %u may be through a null pointer", a->inst->line);
            note_answer(pv, PROVE_BOUNDS, pv_ask(pv, a->condition, &anywhere), text);
            continue;
        }
        if (!known || !o->size) {
            pv->verdict->unsized |=
                !(a->regions & 1U << PV_LOCAL) ? PROVE_UNSIZED_GLOBAL : PROVE_UNSIZED_LOCAL;
            if (a->regions & 1U << PV_IMAGE)
                snprintf(text, sizeof text, "%.60s: bounds of images are not decided", object_name(pv, a));
            else
                snprintf(text, sizeof text,
                         "%.60s: its size is not stated (--requires 'size(%.60s) >= ...', or --arg)",
                         object_name(pv, a), object_name(pv, a));
            if (pv->verdict->answers[PROVE_BOUNDS] == PROVE_PROVED) {
                pv->verdict->answers[PROVE_BOUNDS] = PROVE_NOT_ASKED;
                snprintf(pv->verdict->reasons[PROVE_BOUNDS], PROVE_TEXT, "%s", text);
            }
            continue;
        }
        Z3_ast bytes = access_length(pv, a);
        Z3_ast inside = pv_and(pv, Z3_mk_bvule(pv->c, bytes, o->size),
                               Z3_mk_bvule(pv->c, a->offset, Z3_mk_bvsub(pv->c, o->size, bytes)));
        Z3_ast outside = pv_and(pv, a->condition, pv_not(pv, inside));
        Z3_lbool r = pv_ask(pv, outside, &anywhere);
        if (r == Z3_L_TRUE)
            pv_propose_launches(pv, outside, &anywhere);
        snprintf(text, sizeof text, "%.60s: the access at line %u may be out of bounds", o->name,
                 a->inst->line);
        note_answer(pv, PROVE_BOUNDS, r, text);
    }
}

/* A proof of PROPERTY relies on one of OTHER. */
static void depend_on(struct prove_verdict *v, enum prove_property property, enum prove_property other,
                      const char *reason)
{
    if (v->answers[property] != PROVE_PROVED || v->answers[other] == PROVE_PROVED)
        return;
    v->answers[property] = PROVE_UNKNOWN;
    snprintf(v->reasons[property], PROVE_TEXT, "%s: %.400s", reason, v->reasons[other]);
}

void pv_check(struct pv *pv)
{
    struct prove_verdict *v = pv->verdict;
    for (int i = 0; i < PROVE_PROPERTIES; i++)
        v->answers[i] = PROVE_PROVED;
    if (pv_ask(pv, pv->yes, &apart) == Z3_L_FALSE)
        pv_stop(pv, NULL, "no launch satisfies the requirements");
    check_divergence(pv);
    check_bounds(pv);
    check_one_group(pv);
    if (pv->ex->module.vulkan)
        check_unordered(pv);
    check_other_groups(pv);
    depend_on(v, PROVE_RACE, PROVE_DIVERGENCE, "barrier intervals are not known");
    if (pv->assumed.relies_on_no_race)
        depend_on(v, PROVE_DIVERGENCE, PROVE_RACE, "values that are read are not known");
}
