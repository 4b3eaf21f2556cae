/* Programs that are decided before traces are combined: kernels one after the other in a queue, in which each
 * work-item increments its own element.  Both engines find the only outcome at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "litmus/litmus.h"

#include <string.h>

enum { KERNELS = 6, ITEMS = 6, SIZE = 1 << 14 };
typedef enum mm_class engine(const struct ck_program *, const struct mm_cat_model *,
                             const struct ck_options *, struct ck_verdict *, struct mm_error *);

static struct ck_program *program(bool wait)
{
    static char text[SIZE];
    size_t n = 0;
    struct lt_test *test = NULL;
    struct ck_program *p = NULL;
    struct mm_error err = {0};

    n += (size_t)snprintf(text + n, SIZE - n, "OPENCL steps\n{\n");
    for (int i = 0; i < ITEMS; i++)
        n += (size_t)snprintf(text + n, SIZE - n, "[x%d] = 0;\n", i);
    n += (size_t)snprintf(text + n, SIZE - n, "queue q;\n}\nH0 (svm_fine int* x0) {\n");
    for (int k = 0; k < KERNELS; k++)
        n += (size_t)snprintf(text + n, SIZE - n, "  clEnqueueNDRangeKernel(q, %d);\n", k);
    n += (size_t)snprintf(text + n, SIZE - n, "%s  int r0 = *x0;\n}\n", wait ? "  clFinish(q);\n" : "");
    for (int t = 0; t < KERNELS * ITEMS; t++)
        n += (size_t)snprintf(text + n, SIZE - n,
                              "P%d@wg %d, dev 0, kernel %d (svm_fine int* x%d) {\n  int r0 = *x%d;\n"
                              "  *x%d = r0 + 1;\n}\n",
                              t, t % ITEMS, t / ITEMS, t % ITEMS, t % ITEMS, t % ITEMS);
    n += (size_t)snprintf(text + n, SIZE - n, "exists (H0:r0 != %d)\n", KERNELS);
    if (lt_parse(text, n, "steps.litmus", &test, &err) || lt_lower(test, &p, &err))
        fail_msg("%u: %s", err.line, err.message);
    lt_test_destroy(test);
    return p;
}

static void decided_by(engine *decide, bool wait)
{
    struct ck_options options = {.timeout_ms = 10000};
    struct ck_program *p = program(wait);
    struct mm_cat_model *model = NULL;
    struct ck_verdict v;
    struct mm_error err = {0};

    assert_int_equal(mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err), MM_OK);
    assert_int_equal(decide(p, model, &options, &v, &err), MM_OK);
    assert_int_equal(v.condition, wait ? CK_NO : CK_YES);
    assert_int_equal(v.race, wait ? CK_NO : CK_YES);
    assert_true(v.states_complete);
    assert_int_equal(v.state_count, 1); /* without a wait there is a race, and the old value is read */
    ck_verdict_clear(&v);
    mm_cat_destroy(model);
    ck_program_destroy(p);
}

static void by_search(void **state)
{
    (void)state;
    decided_by(ck_search, true);
    decided_by(ck_search, false);
}

static void by_z3(void **state)
{
    (void)state;
    decided_by(ck_z3, true);
    decided_by(ck_z3, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_search), cmocka_unit_test(by_z3)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
