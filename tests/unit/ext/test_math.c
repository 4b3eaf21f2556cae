/* Mathematical functions against MPFR, each within the error that the full profile allows [CLC 7.4]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/ulp/math_reference.h"

#ifndef RANDOM_INPUTS
#define RANDOM_INPUTS 400
#endif

static void test_function(void **state)
{
    const struct reference *ref = *state;
    const char *name = in_ext_find(ref->opcode)->name;
    for (int type = 0; type < 3; type++) {
        struct measured m = measure(ref, type, RANDOM_INPUTS);
        if (ref->bound[type] >= 0 && m.error > ref->bound[type])
            fail_msg("%s of %s: %g ulp for %a, %a (%lld), %a: got %a", name, formats[type].name, m.error,
                     to_double(type, m.x), to_double(type, m.y), (long long)m.y, to_double(type, m.z),
                     m.result);
    }
}

int main(void)
{
    static struct CMUnitTest tests[REFERENCE_COUNT];
    for (unsigned i = 0; i < REFERENCE_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = in_ext_find(references[i].opcode)->name,
                                       .test_func = test_function,
                                       .initial_state = (void *)&references[i]};
    return _cmocka_run_group_tests("math", tests, REFERENCE_COUNT, NULL, NULL);
}
