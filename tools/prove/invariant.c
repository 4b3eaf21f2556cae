/* Loop invariants: candidates from templates, of which Houdini keeps those that are inductive together
 * (Flanagan and Leino; docs/prove.md, "Invariants"). */
#include "tools/prove/internal.h"

#include <stdio.h>
#include <string.h>

enum template {
    T_AT_LEAST_U,
    T_AT_LEAST_S,
    T_AT_MOST_U,
    T_AT_MOST_S,
    T_POWER,
    T_NOT_ZERO,
    T_MASK,          /* X - init is a multiple of a power of two */
    T_BELOW_BOUND_U, /* X, extended, is at most a comparison's bound; or X is its value at the entry */
    T_BELOW_BOUND_S,
    T_ABOVE_BOUND_S,
    T_STARTS_OR_BELOW_U,
    T_STARTS_OR_BELOW_S,
    T_STRIDE,     /* X - init is K * step */
    T_COUNT,      /* K <= X - init */
    T_DIFFERENCE, /* X - Y is what it was at the entry */
    T_EQUAL,      /* in both work-items */
    T_EQUAL_OBJECT,
    T_SAME_MOVE /* X has moved as far in both work-items */
};
static const char *const template_names[] = {"does not fall below its first value",
                                             "does not fall below its first value (signed)",
                                             "does not exceed its first value",
                                             "does not exceed its first value (signed)",
                                             "is a power of two or 0",
                                             "is not 0",
                                             "moves by multiples of a power of two",
                                             "is at most its bound",
                                             "is at most its bound (signed)",
                                             "is at least its bound (signed)",
                                             "is its first value or within its bound",
                                             "is its first value or within its bound (signed)",
                                             "moves by multiples of its step",
                                             "moves at least once per iteration",
                                             "moves together with another variable",
                                             "is equal in both work-items",
                                             "points into the same object in both work-items",
                                             "moves equally in both work-items"};

struct candidate { /* before its terms are made */
    enum template kind;
    uint32_t loop, x, y; /* cells */
    uint64_t constant;
    uint32_t block; /* of a comparison or addition */
    const struct in_inst *inst;
    bool second; /* the comparison's second operand is the bound */
};

/* ---- terms in a run -------------------------------------------------------------------------------- */

/* The operand of INST, executed in BLOCK of RUN, if it does not change in LOOP; NULL: it does, or was not
 * executed. */
static Z3_ast operand_in(struct pv_run *run, uint32_t loop, uint32_t block, const struct in_inst *inst,
                         bool second)
{
    for (uint32_t i = 0; i < run->compare_count; i++) {
        const struct pv_compare *c = &run->compares[i];
        if (c->block != block || c->inst != inst)
            continue;
        Z3_ast operand = second ? c->b : c->a;
        return pv_newest(run->pv, operand) < run->loops[loop].first_fresh ? operand : NULL;
    }
    return NULL;
}

static Z3_ast difference_of(struct pv *pv, Z3_ast a, Z3_ast b)
{
    return a == b ? pv_number(pv, 0, pv_width(pv, a)) : Z3_mk_bvsub(pv->c, a, b);
}

static Z3_ast bound_term(struct pv *pv, enum template kind, Z3_ast x, Z3_ast init, Z3_ast bound)
{
    unsigned width = pv_width(pv, bound);
    Z3_ast wide;
    Z3_context c = pv->c;
    switch (kind) {
    case T_BELOW_BOUND_U:
    case T_STARTS_OR_BELOW_U:
        wide = pv_resize(pv, x, width, false);
        wide = Z3_mk_bvule(c, wide, bound);
        break;
    case T_ABOVE_BOUND_S:
        wide = Z3_mk_bvsge(c, pv_resize(pv, x, width, true), bound);
        break;
    default:
        wide = Z3_mk_bvsle(c, pv_resize(pv, x, width, true), bound);
    }
    bool starts = kind == T_STARTS_OR_BELOW_U || kind == T_STARTS_OR_BELOW_S;
    return starts ? pv_or(pv, pv_equal(pv, x, init), wide) : wide;
}

static Z3_ast iteration_count(struct pv_run *run, uint32_t loop)
{
    struct pv_loop_entry *e = &run->loops[loop];
    if (!e->counter)
        e->counter = pv_fresh(run->pv, "iterations", 64);
    return e->counter;
}

/* The candidate in STATE of RUN; AFTER: at the end of an iteration, where the counter is one more.  NULL: it
 * has no term. */
static Z3_ast term_of(struct pv_run *run, const struct candidate *c, const struct pv_state *state, bool after,
                      bool at_entry)
{
    struct pv *pv = run->pv;
    const struct pv_loop_entry *e = &run->loops[c->loop];
    Z3_ast x = state->cells[c->x].bits, init = e->entry.cells[c->x].bits;
    unsigned width = pv_width(pv, x);
    Z3_ast zero = width ? pv_number(pv, 0, width) : NULL;
    switch (c->kind) {
    case T_AT_LEAST_U:
        return Z3_mk_bvuge(pv->c, x, init);
    case T_AT_LEAST_S:
        return Z3_mk_bvsge(pv->c, x, init);
    case T_AT_MOST_U:
        return Z3_mk_bvule(pv->c, x, init);
    case T_AT_MOST_S:
        return Z3_mk_bvsle(pv->c, x, init);
    case T_POWER:
        return pv_equal(pv, Z3_mk_bvand(pv->c, x, pv_add(pv, x, pv_number(pv, UINT64_MAX, width))), zero);
    case T_NOT_ZERO:
        return pv_not(pv, pv_equal(pv, x, zero));
    case T_MASK:
        return pv_equal(
            pv, Z3_mk_bvand(pv->c, difference_of(pv, x, init), pv_number(pv, c->constant - 1, width)), zero);
    case T_DIFFERENCE:
        return pv_equal(pv, difference_of(pv, x, init),
                        difference_of(pv, state->cells[c->y].bits, e->entry.cells[c->y].bits));
    case T_STRIDE:
    case T_COUNT: {
        Z3_ast step = operand_in(run, c->loop, c->block, c->inst, c->second);
        if (!step)
            return NULL;
        Z3_ast moved = difference_of(pv, pv_resize(pv, x, 64, true), pv_resize(pv, init, 64, true));
        Z3_ast wide = pv_resize(pv, step, 64, true), k = iteration_count(run, c->loop);
        if (at_entry)
            return pv->yes;
        if (c->kind == T_COUNT)
            return Z3_mk_bvule(pv->c, after ? pv_add(pv, k, pv_number(pv, 1, 64)) : k, moved);
        Z3_ast product = pv_multiply(pv, k, wide, false, pv->no, (uintptr_t)c->inst);
        return pv_equal(pv, moved, after ? pv_add(pv, product, wide) : product);
    }
    default: {
        Z3_ast bound = operand_in(run, c->loop, c->block, c->inst, c->second);
        return bound ? bound_term(pv, c->kind, x, init, bound) : NULL;
    }
    }
}

static Z3_ast relation_of(struct pv *pv, const struct candidate *c, const struct pv_state *a,
                          const struct pv_state *b)
{
    const struct pv_leaf *x = &a->cells[c->x], *y = &b->cells[c->x];
    if (c->kind == T_EQUAL_OBJECT)
        return pv_equal(pv, x->object, y->object);
    if (c->kind == T_EQUAL)
        return pv_equal(pv, x->bits, y->bits);
    const struct pv_leaf *from_x = &pv->context[0]->loops[c->loop].entry.cells[c->x],
                         *from_y = &pv->context[1]->loops[c->loop].entry.cells[c->x];
    return pv_equal(pv, difference_of(pv, x->bits, from_x->bits), difference_of(pv, y->bits, from_y->bits));
}

/* ---- adding ---------------------------------------------------------------------------------------- */

static struct pv_candidate *new_candidate(struct pv *pv, const struct candidate *c)
{
    enum { MOST = 1500 };
    if (pv->candidates.count == MOST)
        return NULL;
    pv->candidates.list =
        ex_grow(pv->ex, pv->candidates.list, pv->candidates.count, sizeof *pv->candidates.list);
    struct pv_candidate *made = &pv->candidates.list[pv->candidates.count++];
    const struct pv_cell *cell = &pv->cells.list[c->x];
    const char *name = cell->object ? pv->objects.list[cell->object].name : "a value";
    *made = (struct pv_candidate){.loop = c->loop, .selector = pv_fresh(pv, "keep", 0)};
    snprintf(made->text, sizeof made->text, "%.40s %s", name, template_names[c->kind]);
    return made;
}

/* Assumes in RUN that the candidate, unless it was dropped, holds at the head of its loop. */
static void assume_in(struct pv_run *run, const struct candidate *c, Z3_ast selector)
{
    struct pv *pv = run ? run->pv : NULL;
    if (!run || !run->loops[c->loop].reached)
        return;
    const struct pv_loop_entry *e = &run->loops[c->loop];
    Z3_ast term = term_of(run, c, &e->head, false, false);
    if (term)
        pv_fact(pv, pv_implies(pv, pv_and(pv, selector, e->condition), term));
}

static void add_unary(struct pv *pv, const struct candidate *c)
{
    struct pv_run *run = pv->context[0];
    const struct pv_loop_entry *e = &run->loops[c->loop];
    Z3_ast base = term_of(run, c, &e->entry, false, true);
    Z3_ast step = base && e->back != pv->no ? term_of(run, c, &e->end, true, false) : pv->yes;
    if (!base)
        return;
    struct pv_candidate *made = new_candidate(pv, c);
    if (!made)
        return;
    Z3_ast selector = made->selector;
    made->base = pv_and(pv, e->condition, pv_not(pv, base));
    made->step = pv_and(pv, e->back, pv_not(pv, step));
    for (int t = 0; t < 2; t++) {
        assume_in(pv->context[t], c, selector);
        for (uint32_t s = 0; s < pv->sources.count; s++)
            assume_in(pv->segments[t][s], c, selector);
    }
}

static void add_relational(struct pv *pv, const struct candidate *c)
{
    const struct pv_loop_entry *a = &pv->context[0]->loops[c->loop], *b = &pv->context[1]->loops[c->loop];
    Z3_ast reached = pv_and(pv, pv->synchronous, pv_and(pv, a->condition, b->condition));
    Z3_ast back = pv_and(pv, pv->synchronous, pv_and(pv, a->back, b->back));
    struct pv_candidate *made = new_candidate(pv, c);
    if (!made)
        return;
    made->relational = true;
    made->base = pv_and(pv, reached, pv_not(pv, relation_of(pv, c, &a->entry, &b->entry)));
    made->step = back == pv->no ? pv->no : pv_and(pv, back, pv_not(pv, relation_of(pv, c, &a->end, &b->end)));
    pv_fact(pv, pv_implies(pv, pv_and(pv, made->selector, reached), relation_of(pv, c, &a->head, &b->head)));
}

/* ---- templates ------------------------------------------------------------------------------------- */

static bool extends_value(struct pv *pv, Z3_ast a, Z3_ast x)
{
    if (a == x)
        return true;
    if (Z3_get_ast_kind(pv->c, a) != Z3_APP_AST)
        return false;
    Z3_app app = Z3_to_app(pv->c, a);
    Z3_decl_kind kind = Z3_get_decl_kind(pv->c, Z3_get_app_decl(pv->c, app));
    return (kind == Z3_OP_SIGN_EXT || kind == Z3_OP_ZERO_EXT) && Z3_get_app_arg(pv->c, app, 0) == x;
}

static void bounds_of(struct pv *pv, uint32_t loop, uint32_t x, const struct pv_compare *c, bool second)
{
    static const enum template kinds[] = {T_BELOW_BOUND_U, T_BELOW_BOUND_S, T_ABOVE_BOUND_S,
                                          T_STARTS_OR_BELOW_U, T_STARTS_OR_BELOW_S};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_unary(pv, &(struct candidate){kinds[i], loop, x, 0, 0, c->block, c->inst, second});
}

static void steps_of(struct pv *pv, uint32_t loop, uint32_t x, const struct pv_compare *c, bool second)
{
    uint64_t n;
    Z3_ast step = second ? c->b : c->a;
    bool known = pv_is_number(pv, step, &n);
    unsigned width = pv_width(pv, step);
    if (known && (n < 2 || n >> (width - 1)))
        return;
    if (known && (n & (n - 1)) == 0) {
        add_unary(pv, &(struct candidate){T_MASK, loop, x, 0, n, 0, NULL, false});
        return;
    }
    add_unary(pv, &(struct candidate){T_COUNT, loop, x, 0, 0, c->block, c->inst, second});
    add_unary(pv, &(struct candidate){T_STRIDE, loop, x, 0, 0, c->block, c->inst, second});
}

/* Adds the candidates about cell X that the instructions of the loop suggest. */
static void from_instructions(struct pv *pv, uint32_t loop, uint32_t x)
{
    struct pv_run *run = pv->context[0];
    Z3_ast head = run->loops[loop].head.cells[x].bits;
    for (uint32_t i = 0; i < run->compare_count; i++) {
        const struct pv_compare c = run->compares[i];
        if (!pv->graph.loops[loop].blocks[c.block] || !pv_width(pv, c.a))
            continue;
        for (int second = 0; second < 2; second++) {
            Z3_ast side = second ? c.a : c.b;
            if (!extends_value(pv, side, head) || !operand_in(run, loop, c.block, c.inst, second))
                continue;
            if (c.inst->opcode == SpvOpIAdd)
                steps_of(pv, loop, x, &c, second);
            else
                bounds_of(pv, loop, x, &c, second);
        }
    }
}

static void of_cell(struct pv *pv, uint32_t loop, uint32_t x)
{
    const struct pv_loop_entry *e = &pv->context[0]->loops[loop];
    unsigned width = pv_width(pv, e->head.cells[x].bits);
    bool relational = pv->graph.loops[loop].has_barrier && pv->context[1]->loops[loop].reached;
    if (relational)
        add_relational(pv, &(struct candidate){.kind = T_EQUAL, .loop = loop, .x = x});
    if (relational && e->head.cells[x].object)
        add_relational(pv, &(struct candidate){.kind = T_EQUAL_OBJECT, .loop = loop, .x = x});
    if (relational && width)
        add_relational(pv, &(struct candidate){.kind = T_SAME_MOVE, .loop = loop, .x = x});
    if (width < 8 || pv->cells.list[x].type->kind == IN_TY_FLOAT)
        return;
    for (enum template t = T_AT_LEAST_U; t <= T_NOT_ZERO; t++)
        add_unary(pv, &(struct candidate){.kind = t, .loop = loop, .x = x});
    from_instructions(pv, loop, x);
}

static void find_candidates(struct pv *pv)
{
    enum { MOST_PAIRS = 6 };
    for (uint32_t l = 0; l < pv->graph.loop_count; l++) {
        uint32_t integers[MOST_PAIRS], count = 0;
        if (!pv->context[0]->loops[l].reached || pv->context[0]->loops[l].back == pv->no)
            continue;
        for (uint32_t c = 0; c < pv->cells.count; c++) {
            if (!pv->graph.loops[l].modified[c])
                continue;
            of_cell(pv, l, c);
            bool counts = pv->cells.list[c].object && pv->cells.list[c].type->kind == IN_TY_INT;
            for (uint32_t k = 0; k < count && counts; k++)
                if (pv->cells.list[integers[k]].size == pv->cells.list[c].size)
                    add_unary(pv,
                              &(struct candidate){.kind = T_DIFFERENCE, .loop = l, .x = integers[k], .y = c});
            if (counts && count < MOST_PAIRS)
                integers[count++] = c;
        }
    }
}

/* ---- Houdini ---------------------------------------------------------------------------------------- */

static uint32_t head_position(const struct pv *pv, uint32_t loop)
{
    return pv->graph.blocks[pv->graph.loops[loop].head].position;
}

/* Whether the refutation of the last query relies on race freedom. */
static void note_core(struct pv *pv)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(pv->c, pv->solver);
    Z3_ast_vector_inc_ref(pv->c, core);
    for (unsigned i = 0; i < Z3_ast_vector_size(pv->c, core); i++)
        pv->assumed.relies_on_no_race |= Z3_ast_vector_get(pv->c, core, i) == pv->assumed.no_race;
    Z3_ast_vector_dec_ref(pv->c, core);
}

static void limit_effort(struct pv *pv, unsigned effort)
{
    Z3_params params = Z3_mk_params(pv->c);
    Z3_params_inc_ref(pv->c, params);
    Z3_params_set_uint(pv->c, params, Z3_mk_string_symbol(pv->c, "rlimit"), effort);
    Z3_solver_set_params(pv->c, pv->solver, params);
    Z3_params_dec_ref(pv->c, params);
}

/* The resource units that Z3 has used in this context. */
static unsigned used_resources(struct pv *pv)
{
    unsigned n = 0;
    Z3_stats stats = Z3_solver_get_statistics(pv->c, pv->solver);
    Z3_stats_inc_ref(pv->c, stats);
    for (unsigned i = 0; i < Z3_stats_size(pv->c, stats); i++)
        if (strcmp(Z3_stats_get_key(pv->c, stats, i), "rlimit count") == 0)
            n = Z3_stats_get_uint_value(pv->c, stats, i);
    Z3_stats_dec_ref(pv->c, stats);
    return n;
}

/* Limits are Z3's resources, not time: so answers do not depend on the machine. */
static Z3_lbool solve_bounded(struct pv *pv, unsigned count, Z3_ast const *assumptions)
{
    const struct prove_options *o = pv->options;
    if (pv->spent >= o->budget)
        return Z3_L_UNDEF;
    unsigned left = o->budget - pv->spent;
    limit_effort(pv, left < o->effort ? left : o->effort);
    Z3_lbool r = Z3_solver_check_assumptions(pv->c, pv->solver, count, assumptions);
    pv->spent = used_resources(pv);
    return r;
}

Z3_lbool pv_ask(struct pv *pv, Z3_ast query, const struct pv_premises *with)
{
    Z3_ast *assumptions = pv_alloc(pv, pv->candidates.count + 5, sizeof *assumptions);
    unsigned count = 0;
    if (query == pv->no)
        return Z3_L_FALSE;
    Z3_ast asked = pv_fresh(pv, "query", 0);
    Z3_solver_assert(pv->c, pv->solver, pv_implies(pv, asked, query));
    assumptions[count++] = asked;
    if (with->synchronous) {
        assumptions[count++] = pv->synchronous;
        assumptions[count++] = pv->assumed.no_race;
    }
    if (with->in_bounds)
        assumptions[count++] = pv->assumed.in_bounds;
    for (uint32_t i = 0; i < pv->candidates.count; i++) {
        const struct pv_candidate *c = &pv->candidates.list[i];
        if (!c->dropped &&
            head_position(pv, c->loop) < (c->relational ? with->relations_before : with->invariants_before))
            assumptions[count++] = c->selector;
    }
    Z3_lbool r = solve_bounded(pv, count, assumptions);
    assumptions[count++] = pv->assumed.exact_ids;
    if (r != Z3_L_FALSE)
        r = solve_bounded(pv, count, assumptions);
    if (r == Z3_L_FALSE)
        note_core(pv);
    return r;
}

static bool is_true_in(struct pv *pv, Z3_model model, Z3_ast a)
{
    Z3_ast value;
    return Z3_model_eval(pv->c, model, a, true, &value) && value == pv->yes;
}

/* Conditions of the candidates of LOOP that are decided now: at the entry, or after an iteration. */
struct question {
    uint32_t loop;
    bool relational, step;
};

static bool candidate_concerns(const struct question *q, const struct pv_candidate *c)
{
    return !c->dropped && c->relational == q->relational && c->loop == q->loop;
}

/* At the entry of a loop only invariants of loops whose heads come before may be assumed: else candidates
 * that contradict each other would prove themselves. */
static Z3_lbool ask_question(struct pv *pv, const struct question *q, Z3_ast bad)
{
    uint32_t before = q->step ? PV_NONE : head_position(pv, q->loop);
    const struct pv_premises with = {.synchronous = q->relational,
                                     .in_bounds = true,
                                     .invariants_before = before,
                                     .relations_before = q->relational ? before : 0};
    return pv_ask(pv, bad, &with);
}

/* Drops the candidates that the model violates. */
static bool drop_violated(struct pv *pv, const struct question *q)
{
    bool any = false;
    Z3_model model = Z3_solver_get_model(pv->c, pv->solver);
    Z3_model_inc_ref(pv->c, model);
    for (uint32_t i = 0; i < pv->candidates.count; i++) {
        struct pv_candidate *c = &pv->candidates.list[i];
        if (candidate_concerns(q, c))
            any |= c->dropped = is_true_in(pv, model, q->step ? c->step : c->base);
    }
    Z3_model_dec_ref(pv->c, model);
    return any;
}

/* Used if Z3 gives up on all candidates together: checks each alone, and drops it unless it is proved. */
static bool drop_unproved(struct pv *pv, const struct question *q)
{
    bool any = false;
    for (uint32_t i = 0; i < pv->candidates.count; i++) {
        struct pv_candidate *c = &pv->candidates.list[i];
        if (candidate_concerns(q, c))
            any |= c->dropped = ask_question(pv, q, q->step ? c->step : c->base) != Z3_L_FALSE;
    }
    return any;
}

/* Whether candidates were dropped. */
static bool filter_candidates(struct pv *pv, const struct question *q)
{
    for (bool any = false;; any = true) {
        Z3_ast bad = pv->no;
        for (uint32_t i = 0; i < pv->candidates.count; i++)
            if (candidate_concerns(q, &pv->candidates.list[i]))
                bad = pv_or(pv, bad, q->step ? pv->candidates.list[i].step : pv->candidates.list[i].base);
        Z3_lbool r = ask_question(pv, q, bad);
        if (r == Z3_L_FALSE)
            return any;
        if (r == Z3_L_UNDEF)
            return drop_unproved(pv, q) || any;
        if (!drop_violated(pv, q))
            pv_stop(pv, NULL, "Z3's model violates no candidate invariant");
    }
}

static void run_houdini(struct pv *pv, bool relational)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t l = 0; l < pv->graph.loop_count; l++) {
            changed |= filter_candidates(pv, &(struct question){l, relational, false});
            changed |= filter_candidates(pv, &(struct question){l, relational, true});
        }
    }
}

void pv_propose_invariants(struct pv *pv)
{
    find_candidates(pv);
}

void pv_keep_invariants(struct pv *pv)
{
    run_houdini(pv, false);
    if (pv->sources.has_cuts) {
        Z3_solver_assert(pv->c, pv->solver, pv_implies(pv, pv->synchronous, pv_same_group(pv)));
        run_houdini(pv, true);
    }
    pv->verdict->tried = pv->candidates.count;
    for (uint32_t i = 0; i < pv->candidates.count; i++)
        pv->verdict->kept += !pv->candidates.list[i].dropped;
}
