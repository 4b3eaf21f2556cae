/* What a model says of a folder of litmus tests: shared by the matrix and the mutation run. */
#ifndef TESTS_MODELS_VERDICTS_H
#define TESTS_MODELS_VERDICTS_H

#include "checker/checker.h"
#include "litmus/litmus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef enum mm_class engine(const struct ck_program *program, const struct mm_cat_model *model,
                             const struct ck_options *options, struct ck_verdict *verdict,
                             struct mm_error *err);

struct suite_test {
    char *path;
    const char *name; /* without folder and suffix */
    struct lt_test *test;
    struct ck_program *program;
};
struct suite {
    struct suite_test *tests;
    size_t count, capacity;
};

static void suite_add(struct suite *s, const char *path)
{
    struct suite_test t = {.path = strdup(path)};
    struct mm_error err = {0};
    char *dot;

    if (lt_parse_file(path, &t.test, &err) != MM_OK || lt_lower(t.test, &t.program, &err) != MM_OK)
        fail_msg("%s: %s", path, err.message);
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? s->capacity * 2 : 64;
        s->tests = realloc(s->tests, s->capacity * sizeof *s->tests);
        assert_non_null(s->tests);
    }
    t.name = strdup(strrchr(path, '/') + 1);
    dot = strstr(t.name, ".litmus");
    assert_non_null(dot);
    *dot = '\0';
    s->tests[s->count++] = t;
}

static int compare_tests(const void *a, const void *b)
{
    return strcmp(((const struct suite_test *)a)->path, ((const struct suite_test *)b)->path);
}

/* Every .litmus file below PATH, by name. */
static void suite_walk(struct suite *s, const char *path)
{
    struct stat st;
    DIR *dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    const char *dot = strrchr(path, '.');

    if (!dir && dot && strcmp(dot, ".litmus") == 0)
        suite_add(s, path);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        char inner[4096];

        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            suite_walk(s, inner);
    }
    closedir(dir);
    qsort(s->tests, s->count, sizeof *s->tests, compare_tests);
}

static void suite_clear(struct suite *s)
{
    for (size_t i = 0; i < s->count; i++) {
        ck_program_destroy(s->tests[i].program);
        lt_test_destroy(s->tests[i].test);
        free(s->tests[i].path);
        free((void *)s->tests[i].name);
    }
    free(s->tests);
}

/* What test T says under Expect, Race and Usage, in the letters of suite_decide. */
static inline void suite_expected(const struct suite_test *t, char out[3])
{
    const char *expect = lt_test_property(t->test, "Expect"), *race = lt_test_property(t->test, "Race");
    const char *usage = lt_test_property(t->test, "Usage");

    out[0] = *expect == 'h' ? 'h' : *expect == 'f' ? 'f' : 'u';
    out[1] = *race == 'f' || (usage && *usage == 'f') ? 'r' : *race == 'n' ? '-' : 'u';
    out[2] = '\0';
}

/* What test T states of SETTING: the letters before it in the line "Variants", else those of Expect and
 * Race. */
static inline void suite_stated(const struct suite_test *t, const char *setting, char out[3])
{
    const char *variants = lt_test_property(t->test, "Variants"), *at = variants ? variants : "";
    size_t length = strlen(setting);

    suite_expected(t, out);
    while ((at = strstr(at, setting))) {
        const char *group = at;

        if ((at[length] == ' ' || at[length] == ',' || at[length] == '\0') && at > variants &&
            at[-1] == ' ') {
            while (group > variants && group[-1] != ',')
                group--;
            memcpy(out, group + (*group == ' '), 2);
        }
        at += length;
    }
}

/* Two letters: the condition (h holds, f fails, u unknown) and races and illegal uses (r found, - none,
 * u unknown). */
static inline void suite_decide_within(unsigned ms, engine *decide, const struct suite_test *t,
                                       const struct mm_cat_model *model, char out[3])
{
    static const char conditions[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'h', [CK_NO] = 'f'};
    static const char races[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'r', [CK_NO] = '-'};
    struct ck_options options = {.timeout_ms = ms, .max_states = 64};
    struct ck_verdict verdict;
    struct mm_error err = {0};

    if (decide(t->program, model, &options, &verdict, &err) != MM_OK)
        fail_msg("%s: %s", t->path, err.message);
    out[0] = conditions[verdict.condition];
    out[1] = races[ck_verdict_undefined(&verdict)];
    out[2] = '\0';
    for (int p = 0; p < 2 && strcmp(verdict.limit.rule, "search.time") == 0; p++)
        out[p] = out[p] == 'u' ? 't' : out[p];
    ck_verdict_clear(&verdict);
}

static inline void suite_decide(engine *decide, const struct suite_test *t, const struct mm_cat_model *model,
                                char out[3])
{
    suite_decide_within(200000, decide, t, model, out);
}

#endif
