/* The proof of one kernel, from the decoded module to the answers. */
#include "tools/prove/internal.h"

#include <stdio.h>
#include <string.h>

static void on_error(Z3_context c, Z3_error_code code)
{
    (void)c;
    (void)code; /* results are checked */
}

static void open_z3(struct pv *pv)
{
    Z3_config config = Z3_mk_config();
    pv->c = Z3_mk_context(config);
    Z3_del_config(config);
    if (!pv->c)
        ex_no_memory(pv->ex);
    Z3_set_error_handler(pv->c, on_error);
    pv->yes = Z3_mk_true(pv->c);
    pv->no = Z3_mk_false(pv->c);
    pv->synchronous = pv_fresh(pv, "synchronous", 0);
    pv->assumed.no_race = pv_fresh(pv, "no_race", 0);
    pv->assumed.exact_ids = pv_fresh(pv, "exact_ids", 0);
    pv->assumed.in_bounds = pv_fresh(pv, "in_bounds", 0);
}

static void open_solver(struct pv *pv)
{
    pv->solver = Z3_mk_solver_for_logic(pv->c, Z3_mk_string_symbol(pv->c, "QF_FD"));
    if (!pv->solver)
        pv_stop(pv, NULL, "Z3 has no solver for bit vectors");
    Z3_solver_inc_ref(pv->c, pv->solver);
    for (uint32_t i = 0; i < pv->assumed.fact_count; i++)
        Z3_solver_assert(pv->c, pv->solver, pv->assumed.facts[i]);
}

static const struct in_entry *find_entry(struct pv *pv)
{
    const struct in_entry *found = NULL;
    const char *wanted = pv->ex->config.kernel;
    for (size_t i = 0; in_spirv_entry(pv->ex->module.decoded, i); i++) {
        const struct in_entry *e = in_spirv_entry(pv->ex->module.decoded, i);
        if (wanted ? strcmp(e->name, wanted) == 0 : !found)
            found = e;
        else if (!wanted)
            ex_fail(pv->ex, MM_INVALID, "explore.kernel", "the module has several kernels: name one with -k");
    }
    if (!found)
        ex_fail(pv->ex, MM_INVALID, "explore.kernel",
                wanted ? "there is no kernel '%.100s'" : "the module has no kernel%s", wanted ? wanted : "");
    return found;
}

/* Context runs until modified variables and written objects are those that the run itself finds. */
static void run_contexts(struct pv *pv)
{
    enum { MOST_RUNS = 40 };
    uint32_t facts = pv->assumed.fact_count, products = pv->abstractions.product_count,
             quotients = pv->abstractions.quotient_count;
    for (int run = 0;; run++) {
        pv->candidates.changed = false;
        pv->assumed.fact_count = facts;
        pv->abstractions.product_count = products;
        pv->abstractions.quotient_count = quotients;
        pv->reads.count = pv->abstractions.pure_count = 0;
        pv->uses_local_linear = false;
        pv->context[0] = pv_run_context(pv, 0);
        if (!pv->candidates.changed)
            break;
        if (run == MOST_RUNS)
            pv_stop(pv, NULL, "limit reached: %d runs of the analysis of modified variables", MOST_RUNS);
    }
    pv->context[1] = pv_run_context(pv, 1);
}

static void run_segments(struct pv *pv)
{
    pv_find_sources(pv);
    pv->sources.has_cuts = pv->sources.count > 1;
    for (int t = 0; t < 2; t++) {
        pv->segments[t] = pv_alloc(pv, pv->sources.count, sizeof(struct pv_run *));
        for (uint32_t s = 0; s < pv->sources.count; s++)
            pv->segments[t][s] = pv_run_segment(pv, t, pv->sources.blocks[s]);
    }
    if (pv->candidates.changed)
        pv_stop(pv, NULL, "segments change variables that the analysis of loops did not find");
}

static void decide_kernel(struct pv *pv)
{
    ex_declare(pv->ex);
    pv->ex->entry = find_entry(pv);
    open_z3(pv);
    pv_build_graph(pv);
    pv_find_loops(pv);
    pv_find_dimensions(pv);
    pv_declare_launch(pv);
    run_contexts(pv);
    run_segments(pv);
    pv_propose_invariants(pv);
    pv_add_lemmas(pv);
    pv_state_assumptions(pv);
    open_solver(pv);
    pv_keep_invariants(pv);
    pv_check(pv);
}

/* An analysis that stopped: all answers are unknown, for the same reason, and so is which objects have a
 * size. */
static void give_up(struct prove_verdict *v, const struct mm_error *err)
{
    v->unsized = PROVE_UNSIZED_GLOBAL | PROVE_UNSIZED_LOCAL;
    for (int i = 0; i < PROVE_PROPERTIES; i++) {
        v->answers[i] = PROVE_UNKNOWN;
        if (err->line)
            snprintf(v->reasons[i], PROVE_TEXT, "line %u: %.480s", err->line, err->message);
        else
            snprintf(v->reasons[i], PROVE_TEXT, "%.500s", err->message);
    }
}

static void close_z3(struct pv *pv)
{
    if (pv->c && pv->solver)
        Z3_solver_dec_ref(pv->c, pv->solver);
    if (pv->c)
        Z3_del_context(pv->c);
}

enum mm_class prove_kernel(struct ex *ex, const struct prove_options *options, struct prove_verdict *verdict,
                           struct mm_error *err)
{
    *verdict = (struct prove_verdict){0};
    ex->err = err;
    *err = (struct mm_error){0};
    struct pv *volatile pv = mm_arena_alloc(ex->arena, sizeof *pv);
    if (!pv)
        return mm_out_of_memory(err);
    pv->ex = ex;
    pv->options = options;
    pv->verdict = verdict;
    if (setjmp(ex->failed) == 0)
        decide_kernel(pv);
    else if (err->cls == MM_LIMIT)
        give_up(verdict, err);
    close_z3(pv);
    return err->cls == MM_LIMIT ? MM_OK : err->cls;
}
