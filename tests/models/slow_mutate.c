/* Each operand of the models left out, and each definition and check emptied, those that other settings of
 * their switches bring too: some test must fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/mutate_models.h"

static void of_opencl(void **state)
{
    (void)state;
    mutate_all(&mutated_models[0], true);
}

static void of_opencl_scoped_sc(void **state)
{
    (void)state;
    mutate_all(&mutated_models[1], true);
}

static void of_vulkan(void **state)
{
    (void)state;
    mutate_all(&mutated_models[2], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_opencl), cmocka_unit_test(of_opencl_scoped_sc),
                                       cmocka_unit_test(of_vulkan)};

    return cmocka_run_group_tests_name("mutants of models", tests, NULL, NULL);
}
