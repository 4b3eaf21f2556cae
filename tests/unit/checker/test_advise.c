/* Advice against races, and for or against final states: the smallest change, found by trying. */
#include "checker/checker.h"
#include "litmus/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "OPENCL t\n{ [x] = 0; [y] = 0; }\n"
#define STORE(order, scope)                                                                                  \
    "P0@wg 0, dev 0 (global int* x, global atomic_int* y) {\n *x = 1;\n"                                     \
    " atomic_store_explicit(y, 1, memory_order_" order ", memory_scope_" scope ");\n}\n"
#define LOAD(order, scope)                                                                                   \
    "P1@wg 1, dev 0 (global int* x, global atomic_int* y) {\n int r1 = -1;\n"                                \
    " int r0 = atomic_load_explicit(y, memory_order_" order ", memory_scope_" scope ");\n"                   \
    " if (r0 == 1) {\n r1 = *x;\n }\n}\nexists (1:r0 = 1 /\\ 1:r1 = 0)\n"

/* STATE NULL: against races. */
static struct ck_advice advise_for(const char *text, const uint64_t *state, bool allow)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_cat_model *model = NULL;
    struct ck_options options = {.timeout_ms = 900000}; /* of wall time: a machine may be busy */
    struct ck_advice advice = {0};
    struct mm_error err = {0};

    if (mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) ||
        lt_parse(text, strlen(text), "t.litmus", &test, &err) || lt_lower(test, &program, &err) ||
        (state ? ck_advise_state(program, model, &options, state, allow, &advice, &err)
               : ck_advise(program, model, &options, &advice, &err)))
        fail_msg("%s", err.message);
    ck_program_destroy(program);
    lt_test_destroy(test);
    mm_cat_destroy(model);
    return advice;
}

static struct ck_advice advise(const char *text)
{
    return advise_for(text, NULL, false);
}

static void one_order(void **state)
{
    struct ck_advice a = advise(HEAD STORE("release", "device") LOAD("relaxed", "device"));

    (void)state;
    assert_int_equal(a.count, 1);
    assert_int_equal(a.edits[0].thread, 1);
    assert_int_equal(a.edits[0].order, MM_ACQUIRE);
    assert_int_equal(a.edits[0].scope, MM_SCOPE_NONE);
    assert_false(a.edits[0].insert);
}

static void two_orders(void **state)
{
    struct ck_advice a = advise(HEAD STORE("relaxed", "device") LOAD("relaxed", "device"));

    (void)state;
    assert_int_equal(a.count, 2);
    assert_int_equal(a.edits[0].order, MM_RELEASE);
    assert_int_equal(a.edits[1].order, MM_ACQUIRE);
}

static void two_scopes(void **state)
{
    struct ck_advice a = advise(HEAD STORE("release", "work_group") LOAD("acquire", "work_group"));

    (void)state;
    assert_int_equal(a.count, 2);
    assert_int_equal(a.edits[0].scope, MM_SCOPE_DEVICE);
    assert_int_equal(a.edits[1].scope, MM_SCOPE_DEVICE);
}

static void barrier_flag(void **state)
{
    struct ck_advice a =
        advise("OPENCL t\n{ [x] = 0; }\n"
               "P0@wg 0, dev 0 (global int* x) {\n *x = 1;\n B1: barrier(CLK_LOCAL_MEM_FENCE);\n}\n"
               "P1@wg 0, dev 0 (global int* x) {\n B1: barrier(CLK_GLOBAL_MEM_FENCE);\n int r0 = *x;\n}\n"
               "exists (1:r0 = 0)\n");

    (void)state;
    assert_int_equal(a.count, 1);
    assert_int_equal(a.edits[0].thread, 0);
    assert_int_equal(a.edits[0].fence_flags, MM_FENCE_GLOBAL);
}

/* A loop contains the fence that is added; no advice if nothing synchronizes or can be atomic. */
static void added_fence(void **state)
{
    struct ck_advice a = advise("OPENCL t\n{ char [x] = 0; }\n"
                                "P0@wg 0, dev 0 (global char* x) {\n *x = 1;\n}\n"
                                "P1@wg 1, dev 0 (global char* x) {\n *x = 2;\n}\nexists (x = 1)\n");

    (void)state;
    assert_int_equal(a.count, 0);
    a = advise("OPENCL t\n{ [x] = 0; [y] = 0; }\n"
               "P0@wg 0, dev 0 (global int* x, global atomic_int* y) {\n *x = 1;\n"
               " atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);\n}\n"
               "P1@wg 1, dev 0 (global int* x, global atomic_int* y) {\n"
               " while (atomic_load_explicit(y, memory_order_relaxed, memory_scope_device) == 0) {\n }\n"
               " int r1 = *x;\n}\nexists (1:r1 = 0)\n");
    assert_int_equal(a.count, 1);
    assert_int_equal(a.edits[0].thread, 1);
}

static void object_becomes_atomic(void **state)
{
    struct ck_advice a = advise("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (global int* x) {\n *x = 1;\n}\n"
                                "P1@wg 1, dev 0 (global int* x) {\n int r0 = *x;\n}\nexists (1:r0 = 1)\n");

    (void)state;
    assert_int_equal(a.count, 1);
    assert_true(a.edits[0].atomic);
    assert_int_equal(a.edits[0].order, MM_RELAXED);
    assert_int_equal(a.edits[0].scope, MM_SCOPE_DEVICE);
}

#define NARROW(r) " int r" #r " = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group);\n"

static void scope_everywhere(void **state)
{
    struct ck_advice a =
        advise("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n"
               " atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);\n}\n"
               "P1@wg 1, dev 0 (global atomic_int* x) {\n" NARROW(0) NARROW(1) "}\n"
                                                                               "exists (1:r0 = 1)\n");

    (void)state;
    assert_int_equal(a.count, 1);
    assert_true(a.edits[0].atomic);
    assert_int_equal(a.edits[0].order, MM_ORDER_NONE);
    assert_int_equal(a.edits[0].scope, MM_SCOPE_DEVICE);
}

/* An object smaller than any atomic type: the advice is a barrier. */
static void added_barrier(void **state)
{
    struct ck_advice a = advise("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (global char* x) {\n *x = 1;\n}\n"
                                "P1@wg 0, dev 0 (global char* x) {\n int r0 = *x;\n}\nexists (1:r0 = 1)\n");

    (void)state;
    assert_int_equal(a.count, 2);
    assert_true(a.edits[0].insert && a.edits[0].barrier);
    assert_true(a.edits[1].insert && a.edits[1].barrier);
    assert_int_not_equal(a.edits[0].thread, a.edits[1].thread);
}

#define BUFFERING(order)                                                                                     \
    HEAD "P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n"                                   \
         " atomic_store_explicit(x, 1, memory_order_" order ", memory_scope_device);\n"                      \
         " int r0 = atomic_load_explicit(y, memory_order_seq_cst, memory_scope_device);\n}\n"                \
         "P1@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n"                                   \
         " atomic_store_explicit(y, 1, memory_order_seq_cst, memory_scope_device);\n"                        \
         " int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_device);\n}\n"                \
         "exists (0:r0 = 0 /\\ 1:r0 = 0)\n"

static void state_becomes_allowed(void **state)
{
    const uint64_t zeros[2] = {0, 0}, message[2] = {1, 0};
    struct ck_advice a = advise_for(BUFFERING("seq_cst"), zeros, true);

    (void)state;
    assert_int_equal(a.count, 1);
    assert_int_equal(a.edits[0].order, MM_RELEASE);
    assert_false(a.racy);
    a = advise_for(HEAD STORE("release", "device") LOAD("acquire", "device"), message, true);
    assert_int_equal(a.count, 1);
    assert_true(a.racy);
}

static void state_becomes_forbidden(void **state)
{
    const uint64_t zeros[2] = {0, 0}, twos[2] = {2, 2};
    struct ck_advice a = advise_for(BUFFERING("release"), zeros, false);

    (void)state;
    assert_int_equal(a.count, 1);
    assert_int_equal(a.edits[0].thread, 0);
    assert_int_equal(a.edits[0].order, MM_SEQ_CST);
    assert_int_equal(advise_for(BUFFERING("seq_cst"), twos, true).count, 0);
}

#define DEKKER(before)                                                                                       \
    HEAD "P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n"                                   \
         " atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);\n" before                 \
         " int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);\n}\n"                \
         "P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n"                                   \
         " atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);\n"                        \
         " atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"       \
         " int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);\n}\n"                \
         "exists (0:r0 = 0 /\\ 1:r0 = 0)\n"

/* The fence that forbids the state is weakened; without a fence, one is added. */
static void fence_of_state(void **state)
{
    const uint64_t zeros[2] = {0, 0};
    struct ck_advice a = advise_for(
        DEKKER(" atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n"),
        zeros, true);

    (void)state;
    assert_int_equal(a.count, 1);
    assert_false(a.edits[0].insert);
    a = advise_for(DEKKER(""), zeros, false);
    assert_int_equal(a.count, 1);
    assert_true(a.edits[0].insert && !a.edits[0].barrier);
    assert_int_equal(a.edits[0].order, MM_SEQ_CST);
    assert_int_equal(a.edits[0].thread, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_order),
                                       cmocka_unit_test(two_orders),
                                       cmocka_unit_test(two_scopes),
                                       cmocka_unit_test(barrier_flag),
                                       cmocka_unit_test(added_fence),
                                       cmocka_unit_test(object_becomes_atomic),
                                       cmocka_unit_test(scope_everywhere),
                                       cmocka_unit_test(added_barrier),
                                       cmocka_unit_test(state_becomes_allowed),
                                       cmocka_unit_test(state_becomes_forbidden),
                                       cmocka_unit_test(fence_of_state)};

    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
