/* Each definition and check of opencl.cat emptied: some test of the suite must fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/mutate.h"

static const char *const folders[] = {"litmus/suite", "tests/models/opencl", "tests/models/overlap/opencl",
                                      NULL};

static void definitions_matter(void **state)
{
    static struct mutation_run run;

    (void)state;
    mutation_begin(&run, folders);
    mutate_setting(&run, NULL);
    mutation_end(&run);
    assert_true(run.mutants >= 30);
    assert_int_equal(run.survivors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definitions_matter)};

    return cmocka_run_group_tests_name("mutants of opencl.cat", tests, NULL, NULL);
}
