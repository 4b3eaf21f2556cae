/* Folders of tests that state what comes out, by both engines: accesses of different sizes that overlap in
 * part, and the patterns of the literature in the forms that public suites use. */
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
               {"tests/models/patterns/vulkan", "memmodel/models/vulkan.cat", 10}};

static void decided_by(engine *decide)
{
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
        struct mm_cat_model *model = NULL;
        struct mm_error err = {0};
        struct suite suite = {0};

        suite_walk(&suite, folders[f].folder);
        assert_int_equal(mm_cat_load(folders[f].model, NULL, &model, &err), MM_OK);
        for (size_t i = 0; i < suite.count; i++) {
            char want[3], got[3];

            suite_expected(&suite.tests[i], want);
            suite_decide(decide, &suite.tests[i], model, got);
            if (strcmp(want, got) != 0)
                fail_msg("%s: %s, expected %s", suite.tests[i].path, got, want);
        }
        assert_true(suite.count >= folders[f].least);
        suite_clear(&suite);
        mm_cat_destroy(model);
    }
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
