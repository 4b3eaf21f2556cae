/* The generator: reading and printing cycles, canonical form, weakening, minimal tests. */
#include "litmus/generate/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct lt_cycle parse(const char *text)
{
    struct lt_cycle c;
    struct mm_error err = {0};
    if (lt_cycle_parse(text, &c, &err) != MM_OK)
        fail_msg("%s: %s", text, err.message);
    return c;
}

static void canonical(const char *text, char *buf)
{
    struct lt_cycle c = parse(text);
    lt_cycle_print(&c, buf, LT_CYCLE_TEXT);
}

/* Cycles that print the same are equal, from whichever edge they are read. */
static void symmetry(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"Rlx PodWW Rel Rfe Acq PodRR Rlx Fre", "Acq PodRR Rlx Fre Rlx PodWW Rel Rfe"},
        {"PodWW Rfe PodRR Fre", "Rfe PodRR Fre PodWW"},
        {"SC PodWR SC Fre Rlx PodWR Rlx Fre", "Rlx PodWR Rlx Fre SC PodWR SC Fre"},
        {"PodWR Fre PodWR Fre @0.0/1.0 :gl", "PodWR Fre PodWR Fre @1.0/0.0 :lg"},
        {"Rfe PodRW Rfe PodRR Fre @0.0/0.1/1.0", "Rfe PodRR Fre Rfe PodRW @3.7/2.4/2.5"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char a[LT_CYCLE_TEXT], b[LT_CYCLE_TEXT], again[LT_CYCLE_TEXT];
        canonical(pairs[i][0], a);
        canonical(pairs[i][1], b);
        if (i < 4)
            assert_string_equal(a, b);
        canonical(a, again);
        assert_string_equal(a, again);
    }
    char a[LT_CYCLE_TEXT], b[LT_CYCLE_TEXT];
    canonical("Rel PodWW Rlx Rfe PodRR Fre", a);
    canonical("Rlx PodWW Rel Rfe PodRR Fre", b);
    assert_string_not_equal(a, b);
}

static void bad_cycles(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "Rfe",
                                      "PodWW",
                                      "PodWW Rfe PodWR Fre",
                                      "PodWW Rfe PosRR Fre",
                                      "Acq PodWW Rfe PodRR Fre",
                                      "Rel PodRR Fre PodWW Rfe",
                                      "Rlx Rlx PodWW Rfe PodRR Fre",
                                      "PodWW Rfe PodRR Fre Rlx",
                                      "PodXW Rfe PodRR Fre",
                                      "Na.rmw PodWW Rfe PodRR Fre",
                                      "PodWW Rfe PodRR Fre @x",
                                      "PodWW Rfe PodRR Fre :xy",
                                      "PodWW Rfe PodRW Rfe PodRW Rfe PodRW Rfe PodRR Fre",
                                      "FedWW.what Rfe PodRR Fre"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lt_cycle c;
        struct mm_error err = {0};
        if (lt_cycle_parse(bad[i], &c, &err) != MM_INVALID)
            fail_msg("'%s' was accepted", bad[i]);
        assert_true(*err.message);
    }
    char *long_text = calloc(1, 5000);
    memset(long_text, 'R', 4999);
    struct lt_cycle c;
    assert_int_equal(lt_cycle_parse(long_text, &c, NULL), MM_INVALID);
    free(long_text);
}

/* Each weakening changes one attribute, and weakening terminates. */
static void weakenings(void **state)
{
    (void)state;
    struct lt_cycle c = parse("Rlx PodWW Rel Rfe Acq PodRR Rlx Fre"), weaker;
    char what[160];
    unsigned n = 0;
    while (lt_cycle_weaken(&c, n, &weaker, what, sizeof what))
        n++;
    assert_int_equal(n, 6); /* two orders, four scopes */
    c = parse("Rlx.sg FedWW.SC.sg.gl Rlx.sg Rfe Rlx.sg PodRR Rlx.sg Fre @0.0/0.0");
    n = 0;
    while (lt_cycle_weaken(&c, n, &weaker, what, sizeof what))
        n++;
    assert_int_equal(n, 3); /* SC to AR, two flags */
}

struct seen {
    size_t count;
    char names[64][160];
    char titles[64][80];
};

static enum mm_class note(void *context, const struct lt_cycle *cycle, const char *name, const char *title,
                          const char *properties, struct mm_error *err)
{
    struct seen *s = context;
    (void)cycle;
    (void)err;
    assert_non_null(strstr(properties, "\n   Verdicts: generated, by search and Z3\n"));
    assert_true(s->count < 64);
    snprintf(s->names[s->count], 160, "%s", name);
    snprintf(s->titles[s->count++], 80, "%s", title);
    return MM_OK;
}

static void generate(const char *text, struct seen *s, unsigned weaker)
{
    struct mm_error err = {0};
    struct lt_generate_options options = {.weaker = weaker, .allowed = true, .limit = 64};
    struct mm_cat_model *model = NULL;
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) != MM_OK)
        fail_msg("%s", err.message);
    options.model = model;
    struct lt_generator *g = lt_generator_create(&options, note, s, &err);
    struct lt_cycle c = parse(text);
    if (lt_generate(g, &c) != MM_OK)
        fail_msg("%s", err.message);
    assert_int_equal(lt_generator_counts(g)->disagreements, 0);
    assert_int_equal(lt_generator_counts(g)->files, s->count);
    lt_generator_destroy(g);
    mm_cat_destroy(model);
}

/* C11: message passing needs one release and one acquire, store buffering four seq_cst accesses, and two
 * reads of one location nothing at all. */
static void minimal(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"SC PodWW SC Rfe SC PodRR SC Fre", "MP+rlx.dev-rel.dev+acq.dev-rlx.dev@0a1a.gg"},
        {"SC PodWR SC Fre SC PodWR SC Fre", "SB+sc.dev-sc.dev+sc.dev-sc.dev@0a1a.gg"},
        {"SC PodRW SC Rfe SC PodRW SC Rfe", "LB+rlx.dev-rel.dev+acq.dev-rlx.dev@0a1a.gg"},
        {"SC Rfe SC PosRR SC Fre", "CoRR+rlx.dev+rlx.dev-rlx.dev@0a1a.g"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen s = {0};
        generate(cases[i][0], &s, 0);
        assert_true(s.count >= 1);
        bool found = false;
        for (size_t k = 0; k < s.count; k++) {
            found |= strcmp(s.names[k], cases[i][1]) == 0;
            assert_non_null(strstr(s.titles[k], "every part of it is needed"));
        }
        if (!found)
            fail_msg("%s is missing; there is %s", cases[i][1], s.names[0]);
    }
}

static void weaker_and_allowed(void **state)
{
    (void)state;
    struct seen s = {0}, allowed = {0};
    generate("Rlx PodWW Rel Rfe Acq PodRR Rlx Fre", &s, 100);
    assert_int_equal(s.count, 7); /* itself and six that are weaker */
    for (size_t i = 1; i < s.count; i++)
        assert_non_null(strstr(s.titles[i], "Not enough"));
    generate("Rlx PodWW Rlx Rfe Rlx PodRR Rlx Fre", &allowed, 1);
    assert_int_equal(allowed.count, 1);
    assert_non_null(strstr(allowed.titles[0], "allowed"));
}

/* The test states where each location is, and whether threads access it through generic pointers. */
static void regions(void **state)
{
    (void)state;
    struct lt_cycle c = parse("Rlx PodWW Rel Rfe Acq PodRR Rlx Fre @0.0/0.1 :sL");
    char printed[LT_CYCLE_TEXT], *text = NULL;
    size_t size = 0;
    lt_cycle_print(&c, printed, sizeof printed);
    assert_non_null(strstr(printed, " :sL"));
    FILE *out = open_memstream(&text, &size);
    lt_cycle_emit(&c, "t", "", "", out);
    fclose(out);
    assert_non_null(strstr(text, "{\n[x] = 0;\nlocal int y = 0;\n}"));
    assert_non_null(strstr(text, "(svm_atomics atomic_int* x, generic atomic_int* y)"));
    free(text);
    assert_int_equal(lt_cycle_parse("PodWW Rfe PodRR Fre :GX", &c, NULL), MM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetry),           cmocka_unit_test(bad_cycles),
                                       cmocka_unit_test(weakenings),         cmocka_unit_test(minimal),
                                       cmocka_unit_test(weaker_and_allowed), cmocka_unit_test(regions)};
    return cmocka_run_group_tests_name("litmus generator", tests, NULL, NULL);
}
