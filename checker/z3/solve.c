/* ck_z3: decides a program by SMT solving (docs/encoding.md#queries).
 *
 * One context per call.  The constraints of every execution are asserted; the condition, the flags, the final
 * states and the unwinding assumption are queries under assumptions. */
#include "checker/z3/solve.h"
#include "memmodel/base/clock.h"

#include "memmodel/cat/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_STATE_SECONDS: spent on listing the states of a program whose condition is decided.  MOST_REFINEMENTS:
 * of uninterpreted functions by their values (CEGAR). */
enum { DEFAULT_BOUND = 2, MAX_STATES = 4096, MOST_STATE_SECONDS = 2, MOST_REFINEMENTS = 1000 };
#define DEFAULT_MEMORY (UINT64_C(4) << 30)
#define MAX_FORMULAS   (UINT64_C(30) * 1000 * 1000)

/* Ignores the error: the failed call returns NULL, which zx_keep reports. */
static void on_z3_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

/* ---- queries ----------------------------------------------------------------------------------------- */

void zx_note_beyond(struct zx_solve *s)
{
    const struct zx *z = s->z;
    char message[sizeof s->v->limit.message];

    ck_bound_message(z->p, &z->options, z->found.several ? 0 : z->found.beyond, message, sizeof message);
    zx_note_limit(s, "bound", message);
}

void zx_note_limit(struct zx_solve *s, const char *rule, const char *message)
{
    if (s->v->limit.cls == MM_OK)
        mm_fail(&s->v->limit, MM_LIMIT, rule, "%s", message);
}

static void note_time_limit(struct zx_solve *s)
{
    struct mm_error why = zx_time_limit(s->z);
    zx_note_limit(s, why.rule, why.message);
}

Z3_ast zx_literal(struct zx *z, Z3_ast a, const char *name)
{
    Z3_ast l;

    if (a == z->yes || a == z->no)
        return a;
    l = zx_fresh_bool(z, name);
    zx_assert(z, zx_implies(z, l, a));
    return l;
}

/* Stops if Z3 rejects the constraint: without it, answers would be wrong. */
static void assert_in_solver(struct zx *z, Z3_ast a)
{
    Z3_solver_assert(z->c, z->s, a);
    if (Z3_get_error_code(z->c) != Z3_OK)
        zx_stop(z, MM_LIMIT, "z3", "Z3 rejects a constraint: %s",
                Z3_get_error_msg(z->c, Z3_get_error_code(z->c)));
}

void zx_open_solver(struct zx_solve *s, bool track)
{
    struct zx *z = s->z;

    if (z->s)
        Z3_solver_dec_ref(z->c, z->s);
    z->s = Z3_mk_simple_solver(z->c);
    if (!z->s)
        zx_stop(z, MM_LIMIT, "z3", "Z3 cannot create a solver");
    Z3_solver_inc_ref(z->c, z->s);
    if (track)
        s->axioms = zx_alloc(z, z->model->check_count, sizeof *s->axioms);
    for (uint32_t i = 0; i < z->model->check_count; i++)
        if (track)
            s->axioms[i] = s->statements[i] ? zx_literal(z, s->statements[i], "axiom") : NULL;
        else if (s->statements[i])
            assert_in_solver(z, s->statements[i]);
    for (uint32_t i = 0; i < z->hard.count; i++)
        assert_in_solver(z, z->hard.list[i]);
}

/* Refinement: asserts the true values of applications that Z3's model gets wrong; false: all are right. */
static bool refine_functions(struct zx *z)
{
    Z3_ast *lemmas = zx_alloc(z, z->calls.count, sizeof *lemmas);
    Z3_model m = z->calls.count ? Z3_solver_get_model(z->c, z->s) : NULL;
    uint32_t wrong;

    if (!m)
        return false;
    Z3_model_inc_ref(z->c, m);
    wrong = zx_wrong_calls(z, m, lemmas);
    Z3_model_dec_ref(z->c, m);
    for (uint32_t i = 0; i < wrong; i++) {
        zx_assert(z, lemmas[i]);
        assert_in_solver(z, lemmas[i]);
    }
    return wrong > 0;
}

enum ck_answer zx_query(struct zx_solve *s, unsigned count, Z3_ast const *assumptions)
{
    struct zx *z = s->z;
    Z3_ast *literals = zx_alloc(z, count, sizeof *literals);
    unsigned kept = 0, refinements = 0;
    Z3_lbool r;

    for (unsigned i = 0; i < count; i++) {
        if (assumptions[i] == z->no)
            return CK_NO;
        if (assumptions[i] != z->yes)
            literals[kept++] = assumptions[i];
    }
    if (s->interrupted)
        return CK_UNKNOWN;
    do {
        if (!zx_in_time(z)) {
            note_time_limit(s);
            return CK_UNKNOWN;
        }
        if (refinements++ == MOST_REFINEMENTS) {
            zx_note_limit(s, "z3.functions",
                          "the answer depends on values of floating-point functions of too many arguments");
            return CK_UNKNOWN;
        }
        r = zx_solver_check(z, kept, literals);
    } while (r == Z3_L_TRUE && refine_functions(z));
    if (r != Z3_L_UNDEF)
        return r == Z3_L_TRUE ? CK_YES : CK_NO;
    s->interrupted = true;
    if (!zx_in_time(z))
        note_time_limit(s);
    else
        zx_note_limit(s, "z3", Z3_solver_get_reason_unknown(z->c, z->s));
    return CK_UNKNOWN;
}

/* ---- encoding ---------------------------------------------------------------------------------------- */

static void encode_completeness(struct zx_solve *s)
{
    struct zx *z = s->z;
    Z3_ast all = s->meet = zx_barriers_meet(z);

    s->begun = zx_literal(z, all, "begun");
    for (uint32_t i = 0; i < z->p->thread_count; i++)
        all = zx_and(z, all, z->threads[i].ends);
    if (z->p->filter != CK_NO_EXPR)
        all = zx_and(z, all, zx_prop(z, z->p->filter));
    s->complete = zx_literal(z, all, "complete");
    if (!z->p->kernel)
        s->begun = s->complete;
}

void zx_encode_axioms(struct zx_solve *s)
{
    struct zx *z = s->z;

    s->statements = zx_alloc(z, z->model->check_count, sizeof *s->statements);
    for (uint32_t i = 0; i < z->model->check_count; i++)
        if (!z->model->checks[i].flag)
            s->statements[i] = zx_check(z, &z->model->checks[i], true);
}

void zx_encode_executions(struct zx *z)
{
    z->cache.base = zx_alloc(z, mm_cat_base_count, sizeof *z->cache.base);
    z->cache.let = zx_alloc(z, z->model->let_count, sizeof *z->cache.let);
    z->places.grains = zx_alloc(z, z->p->object_count + 1, sizeof *z->places.grains);
    z->features.models_overlap = mm_cat_eval_uses(z->eval, "extent") || mm_cat_eval_uses(z->eval, "piece");
    z->features.tracks_dependencies = mm_cat_eval_uses(z->eval, "addr") ||
                                      mm_cat_eval_uses(z->eval, "data") || mm_cat_eval_uses(z->eval, "ctrl");
    z->features.split_barriers = mm_cat_eval_uses(z->eval, "BEN") || mm_cat_eval_uses(z->eval, "BEX");
    do
        zx_run_threads(z);
    while (!zx_find_cells(z));
    zx_require_inputs(z);
    zx_build_memory(z);
    zx_require_quorums(z);
}

static void encode_program(struct zx_solve *s)
{
    struct zx *z = s->z;

    zx_encode_executions(z);
    s->observed = zx_alloc(z, z->p->observed_count, sizeof *s->observed);
    for (uint32_t i = 0; i < z->p->observed_count; i++)
        s->observed[i] = zx_final(z, &z->p->observed[i]);
    encode_completeness(s);
    s->prop = zx_prop(z, z->p->condition);
    s->goal = zx_literal(z, z->p->quantifier == CK_FORALL ? zx_not(z, s->prop) : s->prop, "goal");
    s->assertion = zx_literal(z, z->found.assertion, "assertion");
    s->out_of_bounds = zx_literal(z, z->found.out_of_bounds, "out_of_bounds");
    s->exceeded = zx_literal(z, zx_or(z, z->found.exceeded, z->found.unaligned), "exceeded");
}

/* ---- final states ------------------------------------------------------------------------------------- */

static struct ck_state *add_state(struct zx_solve *s)
{
    struct ck_state *added = mm_arena_add(s->v->arena, &s->v->states, &s->v->state_count);

    zx_require(s->z, added);
    return added;
}

/* Adds the state of the solver's model to the verdict and excludes it from further models. */
static void add_current_state(struct zx_solve *s, bool racy)
{
    struct zx *z = s->z;
    uint32_t count = z->p->observed_count;
    Z3_model m = zx_current_model(s);
    Z3_ast *differs = zx_alloc(z, count, sizeof *differs);
    uint64_t *values = mm_arena_alloc(s->v->arena, count * sizeof *values + 1);
    struct ck_state *state;

    zx_require(z, values);
    state = add_state(s);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = zx_model_value(z, m, s->observed[i]);
        differs[i] = zx_not(z, zx_equal(z, s->observed[i], zx_number(values[i], s->observed[i].size)));
    }
    *state = (struct ck_state){.values = values, .racy = racy, .satisfies = zx_model_truth(z, m, s->prop)};
    Z3_model_dec_ref(z->c, m);
    zx_keep_execution(s, CK_SHOWS_STATE, values, NULL);
    assert_in_solver(z, zx_or_n(z, count, differs));
}

static bool enumerate_states(struct zx_solve *s, bool racy, double until)
{
    for (;;) {
        enum ck_answer r = zx_query(s, 2, (Z3_ast[]){s->complete, racy ? s->any_race : s->z->yes});
        double asked = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID);

        if (r != CK_YES)
            return r == CK_NO;
        if (s->v->state_count >= s->max_states || asked > until) {
            zx_note_limit(s, "states", "limit reached: final states (not all are listed)");
            return false;
        }
        add_current_state(s, racy);
        until += mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) -
                 asked; /* the time that keeping the state takes does not count */
    }
}

static void find_states(struct zx_solve *s)
{
    struct zx *z = s->z;
    double now = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID), until = now + MOST_STATE_SECONDS;
    bool all = true;

    /* Leaves time for the explanation. */
    if (z->limits.deadline > 0 && until > (now + z->limits.deadline) / 2)
        until = (now + z->limits.deadline) / 2;
    Z3_solver_push(z->c, z->s);
    if (s->v->race == CK_YES)
        all = enumerate_states(s, true, until);
    all = all && enumerate_states(s, false, until);
    Z3_solver_pop(z->c, z->s, 1);
    /* Without an answer about races it is unknown which states are racy. */
    s->v->states_complete = all && !s->beyond_bound && s->v->race != CK_UNKNOWN;
    ck_verdict_sort_states(s->v, z->p);
}

/* ---- the verdict --------------------------------------------------------------------------------- */

/* Whether a consistent execution satisfies the proposition (forall: violates it). */
static enum ck_answer find_condition(struct zx_solve *s)
{
    enum ck_answer r = zx_query(s, 2, (Z3_ast[]){s->complete, s->goal});

    s->v->condition = r;
    if (r != CK_UNKNOWN && s->z->p->quantifier != CK_EXISTS)
        s->v->condition = r == CK_YES ? CK_NO : CK_YES;
    if (r == CK_YES && s->z->options.explain)
        zx_fill_witness(zx_current_execution(s), s->v);
    if (r == CK_NO && !s->z->options.accept_vacuous) {
        enum ck_answer some = zx_query(s, 1, &s->complete);

        s->vacuous = some == CK_NO;
        if (some != CK_YES)
            s->v->condition = CK_UNKNOWN;
    }
    return r;
}

/* Whether the goal is reachable with the axioms in KEEP alone. */
static bool is_reachable(struct zx_solve *s, const bool *keep)
{
    struct zx *z = s->z;
    Z3_ast *literals = zx_alloc(z, z->model->check_count + 2, sizeof *literals);
    unsigned count = 0;

    literals[count++] = s->complete;
    literals[count++] = s->goal;
    for (uint32_t i = 0; i < z->model->check_count; i++)
        if (s->axioms[i] && keep[i])
            literals[count++] = s->axioms[i];
    return zx_query(s, count, literals) == CK_YES;
}

/* Relaxes axioms until the goal is reachable: a single one if that suffices, else a minimal set. */
static bool relax_axioms(struct zx_solve *s, bool *keep)
{
    uint32_t n = s->z->model->check_count;

    for (uint32_t i = 0; i < n; i++)
        keep[i] = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!s->axioms[i])
            continue;
        keep[i] = false;
        if (is_reachable(s, keep))
            return true;
        keep[i] = true;
    }
    memset(keep, 0, n * sizeof *keep);
    if (!is_reachable(s, keep))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        keep[i] = true;
        keep[i] = is_reachable(s, keep);
    }
    return is_reachable(s, keep);
}

/* No consistent execution reaches the goal: explains a candidate execution that violates few axioms. */
static void explain_forbidden(struct zx_solve *s)
{
    struct zx *z = s->z, *g;
    struct ck_verdict *v = s->v;
    uint32_t n = z->model->check_count;
    bool *keep = zx_alloc(z, n, sizeof *keep);

    zx_open_solver(s, true);
    if (!relax_axioms(s, keep))
        return;
    g = zx_current_execution(s);
    v->violations = mm_arena_alloc(v->arena, n * sizeof *v->violations);
    for (uint32_t i = 0; v->violations && i < n; i++)
        if (s->axioms[i] && !keep[i] && zx_explain(g, i, v->arena, &v->violations[v->violation_count]))
            v->violation_count++;
}

/* If some execution exceeds the bound, negative answers become unknown. */
static void weaken_beyond_bound(struct zx_solve *s)
{
    struct zx *z = s->z;
    struct ck_verdict *v = s->v;
    enum ck_answer beyond;

    if (s->exceeded == z->no)
        return;
    beyond = zx_query(s, 1, &s->exceeded);
    if (beyond == CK_NO)
        return;
    if (v->condition == (z->p->quantifier == CK_EXISTS ? CK_NO : CK_YES))
        v->condition = CK_UNKNOWN;
    if (v->race == CK_NO)
        v->race = CK_UNKNOWN;
    if (v->usage == CK_NO)
        v->usage = CK_UNKNOWN;
    s->beyond_bound = true;
    if (z->found.exceeded != z->no)
        zx_note_beyond(s);
    else
        zx_note_limit(s, "z3.address", "a computed address may be misaligned");
}

static void find_flags(struct zx_solve *s)
{
    enum ck_answer race = CK_NO, usage = CK_NO;

    zx_find_flags(s, &race, &usage);
    s->v->race = race;
    s->v->usage = usage;
}

static void decide_questions(struct zx_solve *s)
{
    enum ck_answer goal;

    encode_program(s);
    zx_encode_axioms(s);
    zx_encode_flags(s);
    zx_open_solver(s, false);
    goal = find_condition(s);
    find_flags(s);
    weaken_beyond_bound(s);
    find_states(s);
    if (goal == CK_NO && s->z->options.explain)
        explain_forbidden(s);
    if (s->z->p->kernel)
        zx_find_progress(s);
    if (s->vacuous)
        ck_verdict_vacuous(s->z->p, s->v);
}

static Z3_context new_context(const struct ck_options *options)
{
    uint64_t limit = options->memory_limit ? options->memory_limit : DEFAULT_MEMORY;
    Z3_config config = Z3_mk_config();
    Z3_context c;
    char megabytes[32];

    snprintf(megabytes, sizeof megabytes, "%llu", (unsigned long long)(limit >> 20) + 1);
    Z3_global_param_set("memory_max_size", megabytes);
    c = Z3_mk_context(config);
    Z3_del_config(config);
    if (c)
        Z3_set_error_handler(c, on_z3_error);
    return c;
}

static enum mm_class run_engine(struct zx_solve *s)
{
    struct zx *z = s->z;

    if (setjmp(z->failure.stop))
        return z->failure.err->cls;
    z->bool_sort = Z3_mk_bool_sort(z->c);
    z->yes = zx_keep(z, Z3_mk_true(z->c));
    z->no = zx_keep(z, Z3_mk_false(z->c));
    for (unsigned i = 1; i <= 8; i++)
        z->sorts[i] = Z3_mk_bv_sort(z->c, 8 * i);
    decide_questions(s);
    return MM_OK;
}

/* A limit keeps the findings so far; everything else is unknown. */
static enum mm_class keep_findings(struct zx_solve *s, enum mm_class r, const struct mm_error *why,
                                   struct mm_error *err)
{
    if (r == MM_OK)
        return r;
    if (r != MM_LIMIT)
        return mm_fail(err, r, why->rule, "%s", why->message);
    s->v->limit = *why;
    s->v->states_complete = false;
    return MM_OK;
}

enum mm_class ck_z3(const struct ck_program *program, const struct mm_cat_model *model,
                    const struct ck_options *options, struct ck_verdict *verdict, struct mm_error *err)
{
    double start = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    struct mm_error why = {.cls = MM_OK};
    struct zx z = {.p = program, .model = model, .failure.err = &why, .limits.budget = MAX_FORMULAS};
    struct zx_solve s = {.z = &z, .v = verdict};
    enum mm_class r;

    memset(verdict, 0, sizeof *verdict);
    r = ck_program_validate(program, err);
    if (r)
        return r;
    if (options)
        z.options = *options;
    if (z.options.bound == 0)
        z.options.bound = DEFAULT_BOUND;
    if (z.options.unroll)
        z.options.bound = z.options.unroll - 1;
    if (z.options.bound > 200)
        z.options.bound = 200;
    if (z.options.timeout_ms)
        zx_set_deadline(&z, z.options.timeout_ms * 1e-3);
    s.max_states = z.options.max_states ? z.options.max_states : MAX_STATES;
    verdict->arena = mm_arena_create();
    z.arena = mm_arena_create();
    z.scratch = z.options.executions ? mm_arena_create() : NULL;
    z.eval = mm_cat_eval_create(model, &why);
    z.c = verdict->arena && z.arena && z.eval ? new_context(&z.options) : NULL;
    if (z.c) {
        r = keep_findings(&s, run_engine(&s), &why, err);
        if (z.s)
            Z3_solver_dec_ref(z.c, z.s);
        Z3_del_context(z.c);
    } else {
        if (z.eval)
            mm_out_of_memory(&why);
        verdict->limit = why;
    }
    mm_cat_eval_destroy(z.eval);
    mm_arena_destroy(z.arena);
    mm_arena_destroy(z.scratch);
    verdict->time_ms = (mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start) * 1e3;
    return r;
}
