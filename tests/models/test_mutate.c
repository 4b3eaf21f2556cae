/* Each definition and check of the models emptied: some test must fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/mutate_models.h"

static void of_opencl(void **state)
{
    (void)state;
    mutate_all(&mutated_models[0], false);
}

static void of_opencl_scoped_sc(void **state)
{
    (void)state;
    mutate_all(&mutated_models[1], false);
}

static void of_vulkan(void **state)
{
    (void)state;
    mutate_all(&mutated_models[2], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_opencl), cmocka_unit_test(of_opencl_scoped_sc),
                                       cmocka_unit_test(of_vulkan)};

    return cmocka_run_group_tests_name("mutants of models", tests, NULL, NULL);
}
