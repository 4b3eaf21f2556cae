/* Models in the styles of others, over the classic tests: sequential consistency, total store order, a
 * machine with dependencies, RC11, a model between languages and machines, C11 with its order enumerated. The
 * verdicts in verdicts.txt are those of the literature; search and Z3 both find them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/verdicts.h"

#define FOLDER "tests/models/styles/"

enum { MODELS = 6, LINE = 256 };

struct table {
    char names[MODELS][32];
    struct mm_cat_model *models[MODELS];
    unsigned rows;
};

static void load_models(struct table *t, char *line)
{
    char *save = NULL;

    for (int i = 0; i < MODELS; i++) {
        const char *name = strtok_r(i ? NULL : line, " \n", &save);
        struct mm_error err = {0};
        char path[LINE];

        assert_non_null(name);
        snprintf(t->names[i], sizeof t->names[i], "%s", name);
        snprintf(path, sizeof path, FOLDER "%s.cat", name);
        if (mm_cat_load(path, NULL, &t->models[i], &err) != MM_OK)
            fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.message);
    }
}

static void check_row(struct table *t, engine *decide, char *line)
{
    char *save = NULL, *name = strtok_r(line, " \n", &save), path[LINE];
    struct suite suite = {0};

    snprintf(path, sizeof path, FOLDER "%s.litmus", name);
    suite_walk(&suite, path);
    assert_int_equal(suite.count, 1);
    for (int i = 0; i < MODELS; i++) {
        const char *want = strtok_r(NULL, " \n", &save);
        char got[3];

        assert_non_null(want);
        suite_decide(decide, &suite.tests[0], t->models[i], got);
        if (got[0] != want[0])
            fail_msg("%s under %s.cat: %c, expected %c", name, t->names[i], got[0], want[0]);
    }
    suite_clear(&suite);
    t->rows++;
}

static void decided_by(engine *decide)
{
    FILE *f = fopen(FOLDER "verdicts.txt", "r");
    struct table t = {.rows = 0};
    char line[LINE];

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (*line == '#')
            continue;
        if (t.models[0])
            check_row(&t, decide, line);
        else
            load_models(&t, line);
    }
    fclose(f);
    assert_true(t.rows >= 45);
    for (int i = 0; i < MODELS; i++)
        mm_cat_destroy(t.models[i]);
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

    return cmocka_run_group_tests_name("models in the styles of others", tests, NULL, NULL);
}
