/* The suite's expectations against the model, by both engines.  Those of tests with a line "Verdicts:
 * generated" were written by the generator, from what these engines decided: for them this is a test of
 * regression, and tests/models/slow_plain.c the independent judgement.  All others were derived from the
 * specification by hand (the "Why" line of each test): a difference means that one of the two is wrong. */
#include "litmus/litmus.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

typedef enum mm_class engine(const struct ck_program *program, const struct mm_cat_model *model,
                             const struct ck_options *options, struct ck_verdict *verdict,
                             struct mm_error *err);

struct run {
    engine *decide;
    const char *name;
    struct mm_cat_model *model;
    unsigned tests, by_hand, differences;
};

static const char *answer(enum ck_answer a, const char *yes, const char *no)
{
    return a == CK_YES ? yes : a == CK_NO ? no : "unknown";
}

static void compare(struct run *run, const char *path, const char *what, const char *expected,
                    const char *got)
{
    if (!expected || strcmp(expected, got) == 0)
        return;
    print_error("%s: %s: %s expected, %s by %s\n", path, what, expected, got, run->name);
    run->differences++;
}

static void check_file(struct run *run, const char *path)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct ck_verdict verdict = {0};
    struct ck_options options = {.timeout_ms = 60000};
    struct mm_error err = {0};
    char states[24];
    const char *usage;
    if (lt_parse_file(path, &test, &err) != MM_OK || lt_lower(test, &program, &err) != MM_OK)
        fail_msg("%s: %s", path, err.message);
    /* Every test says what is expected, why, and by which clauses. */
    assert_non_null(lt_test_property(test, "Expect"));
    assert_non_null(lt_test_property(test, "Race"));
    assert_non_null(lt_test_property(test, "Clauses"));
    assert_non_null(lt_test_property(test, "Why"));
    const char *verdicts = lt_test_property(test, "Verdicts");
    bool generated = strncmp(path, "litmus/suite/generated-", strlen("litmus/suite/generated-")) == 0;
    if (generated != (verdicts && strncmp(verdicts, "generated", strlen("generated")) == 0))
        fail_msg("%s: Verdicts says %s", path, verdicts ? verdicts : "nothing");
    run->by_hand += !generated;
    if (run->decide(program, run->model, &options, &verdict, &err) != MM_OK)
        fail_msg("%s: %s", path, err.message);
    usage = lt_test_property(test, "Usage");
    snprintf(states, sizeof states, "%zu", verdict.state_count);
    compare(run, path, "condition", lt_test_property(test, "Expect"),
            answer(verdict.condition, "holds", "fails"));
    compare(run, path, "race", lt_test_property(test, "Race"), answer(verdict.race, "found", "none"));
    compare(run, path, "usage", usage ? usage : "none", answer(verdict.usage, "found", "none"));
    compare(run, path, "states", lt_test_property(test, "States"), states);
    run->tests++;
    ck_verdict_clear(&verdict);
    ck_program_destroy(program);
    lt_test_destroy(test);
}

static void walk(struct run *run, const char *path)
{
    struct stat st;
    DIR *dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    if (!dir) {
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, ".litmus") == 0)
            check_file(run, path);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            walk(run, inner);
    }
    closedir(dir);
}

static void run_suite(engine *decide, const char *name)
{
    struct run run = {.decide = decide, .name = name};
    struct mm_error err = {0};
    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &run.model, &err) != MM_OK)
        fail_msg("%s", err.message);
    walk(&run, "litmus/suite");
    mm_cat_destroy(run.model);
    assert_true(run.tests >= 1200 && run.by_hand >= 349);
    assert_int_equal(run.differences, 0);
}

static void by_search(void **state)
{
    (void)state;
    run_suite(ck_search, "search");
}

static void by_z3(void **state)
{
    (void)state;
    run_suite(ck_z3, "Z3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_search), cmocka_unit_test(by_z3)};
    return cmocka_run_group_tests_name("litmus suite", tests, NULL, NULL);
}
