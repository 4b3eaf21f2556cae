/* The Z3 engine on tests with known outcomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "litmus/litmus.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define SC_MODEL "SC\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomic\n"
#define COHERENT "Coherence\nacyclic po-loc | rf | co | fr as coherence\nempty rmw & (fre; coe) as atomic\n"
#define NOTHING  "Nothing\nempty 0 as nothing\n"

#define HEAD         "OPENCL t\n{ [x] = 0; [y] = 0; }\n"
#define P(n)         "P" #n "@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) "
#define LD(r, l)     "int " #r " = atomic_load_explicit(" #l ", memory_order_relaxed);"
#define ST(l, v)     "atomic_store_explicit(" #l ", " #v ", memory_order_relaxed);"
#define ADD(r, l, v) "int " #r " = atomic_fetch_add_explicit(" #l ", " #v ", memory_order_relaxed);"

#define SB   HEAD P(0) "{" ST(x, 1) LD(r0, y) "}\n" P(1) "{" ST(y, 1) LD(r1, x) "}\n"
#define LB   HEAD P(0) "{" LD(r0, x) ST(y, 1) "}\n" P(1) "{" LD(r1, y) ST(x, 1) "}\n"
#define MP   HEAD P(0) "{" ST(x, 1) ST(y, 1) "}\n" P(1) "{" LD(r0, y) LD(r1, x) "}\n"
#define TTW  HEAD P(0) "{" ST(x, 1) ST(y, 2) "}\n" P(1) "{" ST(y, 1) ST(x, 2) "}\n"
#define CORR HEAD P(0) "{" ST(x, 1) "}\n" P(1) "{" LD(r0, x) LD(r1, x) "}\n"
#define IRIW                                                                                                 \
    HEAD P(0) "{" ST(x, 1) "}\n" P(1) "{" ST(y, 1) "}\n" P(2) "{" LD(r0, x)                                  \
        LD(r1, y) "}\n" P(3) "{" LD(r2, y) LD(r3, x) "}\n"
#define COUNT HEAD P(0) "{" ADD(r0, x, 1) "}\n" P(1) "{" ADD(r1, x, 1) "}\n"
#define COUNTS                                                                                               \
    HEAD P(0) "{" ADD(r0, x, 1) ADD(r1, x, 1) "}\n" P(1) "{" ADD(r0, x, 1)                                   \
        ADD(r1, x, 1) "}\n" P(2) "{" ADD(r0, x, 1) ADD(r1, x, 1) "}\n"
#define OOTA HEAD P(0) "{" LD(r0, x) ST(y, r0) "}\n" P(1) "{" LD(r1, y) ST(x, r1) "}\n"
#define CAS                                                                                                  \
    HEAD P(0) "{ int e = 0; int r0 = atomic_compare_exchange_strong_explicit(x, &e, 1, "                     \
              "memory_order_relaxed, memory_order_relaxed); }\n" P(                                          \
                  1) "{ int e = 0; int r1 = "                                                                \
                     "atomic_compare_exchange_strong_explicit(x, &e, 2, memory_order_relaxed, "              \
                     "memory_order_relaxed); }\n"
#define SPIN                                                                                                 \
    HEAD P(0) "{" ST(x, 1) ST(y, 1) "}\n" P(                                                                 \
        1) "{ while (atomic_load_explicit(y, memory_order_relaxed) == 0) {}" LD(r1, x) "}\n"
#define LOOP HEAD P(0) "{ int i = 0; while (i < 3) { " ST(x, i) " i = i + 1; } }\n" P(1) "{" LD(r1, x) "}\n"
#define BRANCH                                                                                               \
    HEAD P(0) "{" LD(r0, x) "if (r0 == 1) {" ST(y, 1) "} else {" ST(y, 2) "}" LD(r1, y) "}\n" P(1) "{" ST(   \
        x, 1) "}\n"

struct expectation {
    const char *name, *test, *condition, *model;
    enum ck_answer answer;
    long states; /* -1: not checked; the list must be complete otherwise */
};

static const struct expectation expectations[] = {
    {"SB", SB, "exists (0:r0=0 /\\ 1:r1=0)", SC_MODEL, CK_NO, 3},
    {"SB", SB, "exists (0:r0=0 /\\ 1:r1=0)", COHERENT, CK_YES, 4},
    {"SB", SB, "~exists (0:r0=0 /\\ 1:r1=0)", SC_MODEL, CK_YES, 3},
    {"SB", SB, "forall (0:r0=1 \\/ 1:r1=1)", SC_MODEL, CK_YES, 3},
    {"SB", SB, "forall (0:r0=1 \\/ 1:r1=1)", COHERENT, CK_NO, 4},
    {"SB with filter", SB, "filter (0:r0=0)\nforall (1:r1=1)", SC_MODEL, CK_YES, 1},
    {"LB", LB, "exists (0:r0=1 /\\ 1:r1=1)", SC_MODEL, CK_NO, 3},
    {"LB", LB, "exists (0:r0=1 /\\ 1:r1=1)", COHERENT, CK_YES, 4},
    {"MP", MP, "exists (1:r0=1 /\\ 1:r1=0)", SC_MODEL, CK_NO, 3},
    {"MP", MP, "exists (1:r0=1 /\\ 1:r1=0)", COHERENT, CK_YES, 4},
    {"2+2W", TTW, "exists (x=1 /\\ y=1)", SC_MODEL, CK_NO, 3},
    {"2+2W", TTW, "exists (x=1 /\\ y=1)", COHERENT, CK_YES, 4},
    {"CoRR", CORR, "exists (1:r0=1 /\\ 1:r1=0)", SC_MODEL, CK_NO, 3},
    {"CoRR", CORR, "exists (1:r0=1 /\\ 1:r1=0)", COHERENT, CK_NO, 3},
    {"CoRR", CORR, "exists (1:r0=1 /\\ 1:r1=0)", NOTHING, CK_YES, 4},
    {"IRIW", IRIW, "exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r2=1 /\\ 3:r3=0)", SC_MODEL, CK_NO, 15},
    {"IRIW", IRIW, "exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r2=1 /\\ 3:r3=0)", COHERENT, CK_YES, 16},
    {"two increments", COUNT, "forall (x=2)", COHERENT, CK_YES, 1},
    {"two increments, not atomic", COUNT, "exists (x=1)", "M\nacyclic po-loc | rf | co | fr as c\n", CK_YES,
     2},
    {"two compare-exchanges", CAS, "exists (0:r0=1 /\\ 1:r1=1)", COHERENT, CK_NO, 2},
    {"two compare-exchanges", CAS, "exists (0:r0=0 /\\ 1:r1=0)", COHERENT, CK_NO, 2},
    {"out of thin air", OOTA, "exists (0:r0=42)", NOTHING, CK_YES, -1},
    {"out of thin air", OOTA, "exists (0:r0=42)", SC_MODEL, CK_NO, 1},
    {"waiting", SPIN, "forall (1:r1=1)", SC_MODEL, CK_YES, 1},
    {"waiting", SPIN, "exists (1:r1=0)", COHERENT, CK_YES, 2},
    {"loop beyond the bound", LOOP, "exists (1:r1=7)", SC_MODEL, CK_UNKNOWN, -1},
    {"branches", BRANCH, "exists (0:r0=0 /\\ 0:r1=1)", SC_MODEL, CK_NO, 2},
    {"let rec", SB, "exists (0:r0=0 /\\ 1:r1=0)",
     "Rec\nlet rec h = po | rf | co | fr | (h; h)\nirreflexive h as sc\n", CK_NO, 3},
    {"negated axiom", SB, "exists (0:r0=0 /\\ 1:r1=0)", "Neg\n~acyclic po | rf | co | fr as weak\n", CK_YES,
     1},
    {"complement", CORR, "exists (1:r0=1 /\\ 1:r1=0)",
     "C\nlet older = (W * W) & loc & ~co^-1 \\ id\nirreflexive rf; po-loc; rf^-1; older as corr\n", CK_NO, 3},
};

static struct ck_program *parse(const char *test, const char *condition)
{
    char text[4000];
    struct lt_test *t = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};

    snprintf(text, sizeof text, "%s%s\n", test, condition);
    if (lt_parse(text, strlen(text), "t.litmus", &t, &err) || lt_lower(t, &program, &err))
        fail_msg("%s:%u: %s", err.file, err.line, err.message);
    lt_test_destroy(t);
    return program;
}

static struct mm_cat_model *load(const char *text)
{
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};

    if (mm_cat_parse(text, "m.cat", NULL, &model, &err))
        fail_msg("%s:%u: %s", err.file, err.line, err.message);
    return model;
}

static void decide(const char *test, const char *condition, const char *model_text,
                   const struct ck_options *options, struct ck_verdict *v)
{
    struct ck_program *program = parse(test, condition);
    struct mm_cat_model *model = load(model_text);
    struct mm_error err = {0};

    if (ck_z3(program, model, options, v, &err))
        fail_msg("%s", err.message);
    mm_cat_destroy(model);
    ck_program_destroy(program);
}

static void known_outcomes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        struct ck_verdict v;

        decide(e->test, e->condition, e->model, &(struct ck_options){.bound = 2}, &v);
        if (v.condition != e->answer ||
            (e->states >= 0 && (!v.states_complete || v.state_count != (size_t)e->states)))
            fail_msg("%s, %s, %.9s: answer %d, %zu states%s, %s", e->name, e->condition, e->model,
                     v.condition, v.state_count, v.states_complete ? "" : " and more", v.limit.message);
        ck_verdict_clear(&v);
    }
}

static void bound_is_enough(void **state)
{
    struct ck_verdict v;

    (void)state;
    decide(LOOP, "exists (1:r1=7)", SC_MODEL, &(struct ck_options){.bound = 3}, &v);
    assert_int_equal(v.condition, CK_NO);
    assert_true(v.states_complete);
    assert_int_equal(v.state_count, 3);
    ck_verdict_clear(&v);
    decide(LOOP, "exists (1:r1=1)", SC_MODEL, &(struct ck_options){.bound = 3}, &v);
    assert_int_equal(v.condition, CK_YES);
    ck_verdict_clear(&v);
}

/* A wait with writes is idle only if they change nothing; otherwise the bound counts. */
static void writes_are_effects(void **state)
{
    static const char *const loops[] = {"atomic_exchange_explicit(x, 1, memory_order_relaxed)",
                                        "atomic_fetch_add_explicit(x, 0, memory_order_relaxed)",
                                        "atomic_fetch_add_explicit(x, 1, memory_order_relaxed)",
                                        "atomic_fetch_xor_explicit(x, 1, memory_order_relaxed)"};
    struct ck_verdict v;

    (void)state;
    for (int i = 0; i < 4; i++) {
        char test[600];

        snprintf(test, sizeof test, HEAD P(0) "{ while (%s != 7) {} }\n" P(1) "{" ST(x, 7) "}\n", loops[i]);
        decide(test, "forall (y=0)", COHERENT, NULL, &v);
        assert_int_equal(v.condition, i < 2 ? CK_YES : CK_UNKNOWN);
        assert_true(v.states_complete == (i < 2));
        ck_verdict_clear(&v);
    }
    decide(HEAD P(0) "{ while (atomic_load_explicit(x, memory_order_relaxed) != 7) {} }\n" P(1) "{" ST(
               x, 7) "}\n",
           "forall (y=0)", COHERENT, NULL, &v);
    assert_int_equal(v.condition, CK_YES);
    assert_true(v.states_complete);
    ck_verdict_clear(&v);
}

static void states_are_listed(void **state)
{
    struct ck_verdict v;

    (void)state;
    decide(SB, "exists (0:r0=0 /\\ 1:r1=1)", SC_MODEL, NULL, &v);
    assert_int_equal(v.state_count, 3);
    for (unsigned i = 0; i < 3; i++) { /* 01, 10, 11 */
        assert_int_equal(v.states[i].values[0], (i + 1) >> 1);
        assert_int_equal(v.states[i].values[1], (i + 1) & 1);
        assert_int_equal(v.states[i].satisfies, i == 0);
        assert_false(v.states[i].racy);
    }
    ck_verdict_clear(&v);
}

static bool has(const struct mm_rel *r, size_t i, size_t j)
{
    return r->bits[i * r->words + j / 64] >> (j % 64) & 1;
}

/* Every read reads from an earlier-named write of its location and value, and coherence agrees with the final
 * value. */
static void witness_is_an_execution(void **state)
{
    struct ck_verdict v;

    (void)state;
    decide(MP, "exists (1:r0=1 /\\ 1:r1=0)", COHERENT, &(struct ck_options){.explain = true}, &v);
    assert_int_equal(v.condition, CK_YES);
    assert_int_equal(v.witness_count, 6);
    for (size_t j = 0; j < v.witness_count; j++) {
        size_t sources = 0;

        for (size_t i = 0; i < v.witness_count; i++) {
            if (!has(&v.witness_rf, i, j))
                continue;
            sources++;
            assert_int_equal(v.witness[i].object, v.witness[j].object);
            assert_int_equal(v.witness[i].info.value_written, v.witness[j].info.value_read);
        }
        assert_int_equal(sources, v.witness[j].info.kind == MM_READ);
        for (size_t i = 0; i < v.witness_count; i++) {
            bool writes = v.witness[i].info.kind != MM_READ && v.witness[j].info.kind != MM_READ;
            bool related = has(&v.witness_co, i, j) || has(&v.witness_co, j, i);

            assert_int_equal(related, i != j && writes && v.witness[i].object == v.witness[j].object);
        }
    }
    ck_verdict_clear(&v);
}

static void contradiction_is_a_cycle(void **state)
{
    static const char *const edges[] = {"po", "rf", "po", "fr"};
    struct ck_verdict v;
    unsigned found = 0;

    (void)state;
    decide(MP, "exists (1:r0=1 /\\ 1:r1=0)", SC_MODEL, &(struct ck_options){.explain = true}, &v);
    assert_int_equal(v.condition, CK_NO);
    assert_int_equal(v.violation_count, 1);
    assert_string_equal(v.violations[0].axiom, "sc");
    assert_int_equal(v.violations[0].step_count, 4);
    for (unsigned e = 0; e < 4; e++) {
        for (unsigned i = 0; i < 4; i++) {
            if (strcmp(v.violations[0].steps[i].edge, edges[e]) == 0) {
                found++;
                break;
            }
        }
    }
    assert_int_equal(found, 4);
    ck_verdict_clear(&v);
}

/* The dependencies of a written value are part of an execution, not of the encoding. */
static void contradiction_names_dependencies(void **state)
{
    static const char test[] =
        HEAD P(0) "{" LD(r0, x) "int t = 0; if (r0 == 1) { t = r0; }" ST(y, t) "}\n" P(1) "{" LD(r1, y)
            ST(x, r1) "}\n";
    static const char model[] = "Dependencies\nacyclic data | rf as thin_air\n";
    struct ck_verdict v;

    (void)state;
    decide(test, "exists (0:r0=1 /\\ 1:r1=1)", model, &(struct ck_options){.explain = true}, &v);
    assert_int_equal(v.condition, CK_NO);
    assert_int_equal(v.violation_count, 1);
    assert_string_equal(v.violations[0].axiom, "thin_air");
    assert_int_equal(v.violations[0].step_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(v.violations[0].steps[i].edge,
                            v.violations[0].steps[i].info.kind == MM_READ ? "data" : "rf");
    ck_verdict_clear(&v);
}

static void races_are_flagged(void **state)
{
    static const char model[] = "Race\nacyclic po | rf | co | fr as sc\n"
                                "let conflict = ((W * M) | (M * W)) & loc & ext \\ ((IW * _) | (_ * IW))\n"
                                "flag ~empty conflict \\ (A * A) as data_race\n";
    static const char plain[] = "OPENCL t\n{}\nP0@wg 0, dev 0 (global int* x) { *x = 1; }\n"
                                "P1@wg 0, dev 0 (global int* x) { int r0 = *x; }\n";
    struct ck_verdict v;

    (void)state;
    decide(plain, "exists (1:r0=1)", model, &(struct ck_options){.explain = true}, &v);
    assert_int_equal(v.race, CK_YES);
    assert_int_equal(v.flag_count, 1);
    assert_string_equal(v.flags[0], "data_race");
    assert_int_equal(v.race_witness.step_count, 2);
    assert_true(v.states[0].racy && v.states[1].racy);
    ck_verdict_clear(&v);
    decide(SB, "exists (0:r0=1)", model, NULL, &v);
    assert_int_equal(v.race, CK_NO);
    assert_int_equal(v.flag_count, 0);
    ck_verdict_clear(&v);
}

static void time_runs_out(void **state)
{
    struct ck_verdict v;

    (void)state;
    decide(OOTA, "exists (0:r0=42 /\\ 1:r1=43)", NOTHING, &(struct ck_options){.timeout_ms = 20}, &v);
    assert_false(v.states_complete);
    assert_int_equal(v.limit.cls, MM_LIMIT);
    ck_verdict_clear(&v);
}

/* Keeps the thread off the processor for longer than the limit. */
static void wait_past_the_limit(int number_)
{
    struct timespec left = {2, 100000000};

    (void)number_;
    while (nanosleep(&left, &left) != 0)
        ;
}

static void wall_time_counts(void **state)
{
    const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    struct ck_verdict v;

    (void)state;
    signal(SIGVTALRM, wait_past_the_limit);
    assert_int_equal(setitimer(ITIMER_VIRTUAL, &often, NULL), 0);
    decide(COUNTS, "exists (0:r0=5 /\\ 1:r0=5)", SC_MODEL, &(struct ck_options){.timeout_ms = 2000}, &v);
    assert_int_equal(setitimer(ITIMER_VIRTUAL, &never, NULL), 0);
    assert_int_equal(v.limit.cls, MM_LIMIT);
    assert_false(v.states_complete);
    ck_verdict_clear(&v);
}

static void allocation_failure_is_unknown(void **state)
{
    struct ck_program *program = parse(MP, "exists (1:r0=1 /\\ 1:r1=0)");
    struct mm_cat_model *model = load(SC_MODEL);
    bool failed = true;

    (void)state;
    for (size_t n = 1; failed && n < 10000; n++) {
        struct ck_verdict v;
        struct mm_error err = {0};
        enum mm_class r;

        mm_alloc_fail_after(n);
        r = ck_z3(program, model, &(struct ck_options){.explain = true}, &v, &err);
        mm_alloc_fail_after(0);
        failed = r == MM_LIMIT || v.limit.cls == MM_LIMIT;
        assert_true(r == MM_OK || r == MM_LIMIT);
        if (failed && r == MM_OK)
            assert_false(v.states_complete && v.condition == CK_YES);
        ck_verdict_clear(&v);
    }
    assert_false(failed);
    mm_cat_destroy(model);
    ck_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_outcomes),
        cmocka_unit_test(bound_is_enough),
        cmocka_unit_test(states_are_listed),
        cmocka_unit_test(writes_are_effects),
        cmocka_unit_test(witness_is_an_execution),
        cmocka_unit_test(contradiction_is_a_cycle),
        cmocka_unit_test(contradiction_names_dependencies),
        cmocka_unit_test(races_are_flagged),
        cmocka_unit_test(time_runs_out),
        cmocka_unit_test(wall_time_counts),
        cmocka_unit_test(allocation_failure_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
