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

/* Doubles next to multiples of pi/2, from its continued fraction. */
static void test_near_zeros(void **state)
{
    static const double near[] = {0x1.64ac3e719da9ap+47,  0x1.504cac51f1eafp+131,  0x1.b5a5ea40fa00cp+506,
                                  0x1.4c96c11134d36p+577, 0x1.6ac5b262ca1ffp+849,  0x1.6ac5b262ca1ffp+850,
                                  0x1.6ac5b262ca1ffp+851, 0x1.36bf9a50c0440p+1013, 1.5986289000543612e+74};
    (void)state;
    mpfr_t r[4];
    for (int i = 0; i < 4; i++)
        mpfr_init2(r[i], REFERENCE_BITS);
    for (unsigned i = 0; i < REFERENCE_COUNT; i++) {
        const char *name = in_ext_find(references[i].opcode)->name;
        if (strcmp(name, "sin") != 0 && strcmp(name, "cos") != 0 && strcmp(name, "tan") != 0)
            continue;
        struct measured worst = {.error = 0};
        for (unsigned k = 0; k < sizeof near / sizeof *near; k++)
            measure_one(&references[i], 2, (uint64_t[3]){from_double(2, near[k])}, r, &worst);
        if (worst.error > references[i].bound[2])
            fail_msg("%s of %a: %g ulp", name, to_double(2, worst.x), worst.error);
    }
    for (int i = 0; i < 4; i++)
        mpfr_clear(r[i]);
}

int main(void)
{
    static struct CMUnitTest tests[REFERENCE_COUNT + 1];
    for (unsigned i = 0; i < REFERENCE_COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = in_ext_find(references[i].opcode)->name,
                                       .test_func = test_function,
                                       .initial_state = (void *)&references[i]};
    tests[REFERENCE_COUNT] = (struct CMUnitTest)cmocka_unit_test(test_near_zeros);
    return _cmocka_run_group_tests("math", tests, REFERENCE_COUNT + 1, NULL, NULL);
}
