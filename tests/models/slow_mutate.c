/* Each operand of opencl.cat left out, and each definition and check emptied, those that other settings of
 * its switches bring too: some test must fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/models/mutate.h"

static const char *const folders[] = {"litmus/suite", "tests/models/opencl", "tests/models/overlap/opencl",
                                      NULL};
static const char *const settings[] = {"incl=wider",     "version=2.0", "atomic_sw_scope=literal",
                                       "rs=cpp20",       "init=none",   "oota=forbid",
                                       "oota=warn",      "sc=scoped",   "sc=rc11-psc",
                                       "sc_regions=both"};

static void operands_matter(void **state)
{
    static struct mutation_run run;

    (void)state;
    mutation_begin(&run, folders);
    run.thorough = true;
    mutate_setting(&run, NULL);
    run.thorough = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        mutate_setting(&run, settings[i]);
    for (unsigned i = 0; i < run.equivalents; i++) {
        if (!run.used[i])
            fprintf(stderr, "# not needed in equivalent.txt: %s", run.equivalent[i]);
        run.survivors += !run.used[i];
    }
    mutation_end(&run);
    assert_int_equal(run.survivors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_matter)};

    return cmocka_run_group_tests_name("mutants of opencl.cat", tests, NULL, NULL);
}
