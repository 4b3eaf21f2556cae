/* Folders of tests that state what comes out, by both engines: accesses of different sizes that overlap in
 * part, the patterns of the literature in the forms that public suites use, and tests in which two rules or
 * two switches of a model meet: these state the verdicts under combinations of settings too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/verdicts.h"

static const struct {
    const char *folder, *model;
    size_t least; /* tests */
} folders[] = {{"tests/models/overlap/opencl", "memmodel/models/opencl.cat", 20},
               {"tests/models/overlap/vulkan", "memmodel/models/vulkan.cat", 10},
               {"tests/models/patterns/opencl", "memmodel/models/opencl.cat", 35},
               {"tests/models/patterns/vulkan", "memmodel/models/vulkan.cat", 10},
               {"tests/models/combined/opencl", "memmodel/models/opencl.cat", 80},
               {"tests/models/combined/vulkan", "memmodel/models/vulkan.cat", 45},
               {"tests/models/combined/vulkan-parts", "memmodel/models/vulkan.cat", 250}};

enum { SETTINGS = 128, SWITCHES = 8, TEXT = 512 };

/* A model under settings of its switches: "name=value+name=value", or "" as it is. */
struct setting_model {
    char text[128];
    struct mm_cat_model *model;
};
struct settings {
    const char *path;
    struct setting_model models[SETTINGS];
    size_t count;
};

static const struct mm_cat_model *under(struct settings *s, const char *text)
{
    struct setting_model *m = &s->models[s->count];
    const char *switches[SWITCHES + 1] = {NULL};
    char words[sizeof m->text], *save = NULL;
    struct mm_error err = {0};
    size_t n = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->models[i].text, text) == 0)
            return s->models[i].model;
    }
    assert_true(s->count < SETTINGS && strlen(text) < sizeof m->text);
    strcpy(m->text, text);
    strcpy(words, text);
    for (char *w = strtok_r(words, "+", &save); w && n < SWITCHES; w = strtok_r(NULL, "+", &save))
        switches[n++] = w;
    if (mm_cat_load(s->path, switches, &m->model, &err) != MM_OK)
        fail_msg("%s %s: %s", s->path, text, err.message);
    s->count++;
    return m->model;
}

static void check(engine *decide, const struct suite_test *t, struct settings *s, const char *setting,
                  const char *want)
{
    char got[3];

    suite_decide(decide, t, under(s, setting), got);
    if (strncmp(want, got, 2) != 0)
        fail_msg("%s under '%s': %s, expected %.2s", t->path, setting, got, want);
}

/* The line "Under": the letters of a verdict and the settings that have it, with commas between. */
static size_t check_under(engine *decide, const struct suite_test *t, struct settings *s)
{
    const char *property = lt_test_property(t->test, "Under");
    char line[TEXT], *save = NULL, *want = NULL;
    size_t count = 0;

    snprintf(line, sizeof line, "%s", property ? property : "");
    assert_true(strlen(line) < sizeof line - 1);
    for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *comma = strchr(w, ',');

        if (!want) {
            want = w;
            continue;
        }
        if (comma)
            *comma = '\0';
        check(decide, t, s, w, want);
        count++;
        want = comma ? NULL : want;
    }
    return count;
}

static void decided_by(engine *decide)
{
    size_t combined = 0;

    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        struct settings settings = {.path = folders[f].model};
        struct suite suite = {0};

        suite_walk(&suite, folders[f].folder);
        for (size_t i = 0; i < suite.count; i++) {
            char want[3];

            suite_expected(&suite.tests[i], want);
            check(decide, &suite.tests[i], &settings, "", want);
            combined += check_under(decide, &suite.tests[i], &settings);
        }
        assert_true(suite.count >= folders[f].least);
        suite_clear(&suite);
        for (size_t i = 0; i < settings.count; i++)
            mm_cat_destroy(settings.models[i].model);
    }
    assert_true(combined >= 250);
}

static void by_search(void **state)
{
    (void)state;
    decided_by(ck_search);
}

static void by_z3(void **state)
{
    (void)state;
    decided_by(ck_z3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_search), cmocka_unit_test(by_z3)};

    return cmocka_run_group_tests_name("what tests state", tests, NULL, NULL);
}
