/* Accesses of different sizes that overlap in part: what tests/models/overlap says of itself, by both
 * engines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/verdicts.h"

static struct mm_cat_model *model;
static struct suite suite;

static void expected(const struct suite_test *t, char out[3])
{
    out[0] = strcmp(lt_test_property(t->test, "Expect"), "holds") == 0 ? 'h' : 'f';
    out[1] = strcmp(lt_test_property(t->test, "Race"), "found") == 0 ? 'r' : '-';
    out[2] = '\0';
}

static void decided_by(engine *decide)
{
    for (size_t i = 0; i < suite.count; i++) {
        char want[3], got[3];

        expected(&suite.tests[i], want);
        suite_decide(decide, &suite.tests[i], model, got);
        if (strcmp(want, got) != 0)
            fail_msg("%s: %s, expected %s", suite.tests[i].path, got, want);
    }
    assert_true(suite.count >= 5);
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

static int set_up(void **state)
{
    struct mm_error err = {0};

    (void)state;
    suite_walk(&suite, "tests/models/overlap");
    return mm_cat_load("memmodel/models/vulkan.cat", NULL, &model, &err) == MM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    suite_clear(&suite);
    mm_cat_destroy(model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_search), cmocka_unit_test(by_z3)};

    return cmocka_run_group_tests_name("partly overlapping accesses", tests, set_up, tear_down);
}
