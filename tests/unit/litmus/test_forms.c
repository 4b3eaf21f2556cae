/* Tests in the form of other collections: C11 headers, comments of generators, threads without placement,
 * orders and separators of scope names, scope trees, the parts before the condition.  Verdicts are those of
 * the OpenCL model for the well-known shapes, by both engines, and again after printing. */
#include "checker/checker.h"
#include "litmus/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RLX "memory_order_relaxed"
#define REL "memory_order_release"
#define ACQ "memory_order_acquire"
#define SC  "memory_order_seq_cst"

static struct mm_cat_model *model;

static int load_model(void **state)
{
    struct mm_error err;
    (void)state;
    return mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) != MM_OK;
}

static int free_model(void **state)
{
    (void)state;
    mm_cat_destroy(model);
    return 0;
}

static struct lt_test *parse(const char *text)
{
    struct lt_test *test = NULL;
    struct mm_error err;
    char message[800];
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) != MM_OK) {
        mm_error_format(&err, message, sizeof message);
        fail_msg("%s in:\n%s", message, text);
    }
    return test;
}

static void decide(const struct lt_test *test, enum ck_answer condition, enum ck_answer race, size_t states)
{
    enum mm_class (*const engines[])(const struct ck_program *, const struct mm_cat_model *,
                                     const struct ck_options *, struct ck_verdict *,
                                     struct mm_error *) = {ck_search, ck_z3};
    struct ck_program *program = NULL;
    struct mm_error err;
    assert_int_equal(lt_lower(test, &program, &err), MM_OK);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct ck_verdict verdict;
        assert_int_equal(engines[i](program, model, &(struct ck_options){0}, &verdict, &err), MM_OK);
        if (verdict.condition != condition || verdict.race != race || verdict.state_count != states)
            fail_msg("%s, engine %zu: condition %d, race %d, %zu states", lt_test_name(test), i,
                     (int)verdict.condition, (int)verdict.race, verdict.state_count);
        ck_verdict_clear(&verdict);
    }
    ck_program_destroy(program);
}

static void expect(const char *text, enum ck_answer condition, enum ck_answer race, size_t states)
{
    struct lt_test *test = parse(text);
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    decide(test, condition, race, states);
    assert_non_null(out);
    lt_print(test, out);
    fclose(out);
    lt_test_destroy(test);
    test = parse(printed);
    decide(test, condition, race, states);
    lt_test_destroy(test);
    free(printed);
}

static void expect_error(const char *text, unsigned line, unsigned column, const char *part)
{
    struct lt_test *test = NULL;
    struct mm_error err = {0};
    assert_int_equal(lt_parse(text, strlen(text), "t.litmus", &test, &err), MM_INVALID);
    if (!strstr(err.message, part))
        fail_msg("'%s' is not in '%s'", part, err.message);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
}

#define SB(store, load, end)                                                                                 \
    "C SB\n{}\nP0 (atomic_int* x, atomic_int* y) { " store("x") " int r0 = " load(                           \
        "y") " }\n"                                                                                          \
             "P1 (atomic_int* x, atomic_int* y) { " store("y") " int r0 = " load("x") " }\n" end "\n"
#define STORE_REL(x) "atomic_store_explicit(" x ", 1, " REL ");"
#define STORE_RLX(x) "atomic_store_explicit(" x ", 1, " RLX ");"
#define STORE_SC(x)  "atomic_store(" x ", 1);"
#define LOAD_ACQ(x)  "atomic_load_explicit(" x ", " ACQ ");"
#define LOAD_RLX(x)  "atomic_load_explicit(" x ", " RLX ");"
#define LOAD_SC(x)   "atomic_load(" x ");"
#define READER(n, store, load, x, y)                                                                         \
    "P" n " (atomic_int* x, atomic_int* y) { int r0 = " load(x) " int r1 = " load(y) " }\n"
#define IRIW(store, load)                                                                                    \
    "C IRIW\n{ atomic_int x = 0; y = 0; }\n"                                                                 \
    "P0 (atomic_int* x) { " store("x") " }\nP1 (atomic_int* y) { " store("y") " }\n" READER("2", store,      \
                                                                                            load, "x", "y")  \
        READER("3", store, load, "y", "x") "exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)\n"

/* Shapes of C11: all threads are in one device, so scopes make no difference [CL 3.3.4]. */
static void c11(void **state)
{
    (void)state;
    expect(SB(STORE_SC, LOAD_SC, "~exists (0:r0=0 /\\ 1:r0=0)"), CK_YES, CK_NO, 3);
    expect(SB(STORE_REL, LOAD_ACQ, "~exists (0:r0=0 /\\ 1:r0=0)"), CK_NO, CK_NO, 4);
    expect(SB(STORE_RLX, LOAD_RLX, "exists (0:r0=0x0 /\\ 1:r0=0X0)"), CK_YES, CK_NO, 4);
    expect(IRIW(STORE_SC, LOAD_SC), CK_NO, CK_NO, 15);
    expect(IRIW(STORE_REL, LOAD_ACQ), CK_YES, CK_NO, 16);
    expect("C CoRR\n{}\nP0 (atomic_int* x) { " STORE_RLX(
               "x") " }\n"
                    "P1 (atomic_int* x) { int r0 = " LOAD_RLX("x") " int r1 = " LOAD_RLX(
                        "x") " }\n"
                             "forall (not (1:r0=1 /\\ 1:r1=0))\n",
           CK_YES, CK_NO, 3);
    expect("C LB\n{}\nP0 (atomic_int* x, atomic_int* y) { int r0 = " LOAD_RLX("x")
               STORE_RLX("y") " }\n"
                              "P1 (atomic_int* x, atomic_int* y) { int r0 = " LOAD_RLX("y")
                                  STORE_RLX("x") " }\n"
                                                 "exists (0:r0=1 /\\ 1:r0=1)\n",
           CK_YES, CK_NO, 4);
}

#define MP(order)                                                                                            \
    "C MP\n\"PodWW Rfe PodRR Fre\"\nGenerator=diyone7 (version 7.56)\nCom=Rf Fr\nOrig=PodWW Rfe { PodRR\n\n" \
    "{}\n\nP0 (volatile int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, " REL ");\n}\n\n" \
    "P1 (volatile int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, " order ");\n"                \
    "  int r1 = 0;\n  if (r0 == 1) r1 = *x;\n}\n\nexists (1:r0=1 /\\ 1:r1=0)\n"

/* consume is acquire; a fence of C11 has no flags and no scope. */
static void c11_synchronizes(void **state)
{
    (void)state;
    expect(MP("memory_order_consume"), CK_NO, CK_NO, 2);
    expect(MP(RLX), CK_YES, CK_YES, 2);
    expect("C MP+fences\n{}\nP0 (atomic_int* x, atomic_int* y) {\n" STORE_RLX(
               "x") " atomic_thread_fence(" REL
                    "); " STORE_RLX(
                        "y") "}\n"
                             "P1 (atomic_int* x, atomic_int* y) { int r0 = " LOAD_RLX(
                                 "y") " atomic_thread_fence(" ACQ
                                      "); int r1 = " LOAD_RLX(
                                          "x") "}\n"
                                               "filter (1:r0=1)\nlocations [x; 1:r1;]\nexists (1:r1=0)\n",
           CK_NO, CK_NO, 1);
}

#define TWO(p0, p1, rest)                                                                                    \
    "OPENCL t\n{ [x] = 0; }\nP0" p0 " (global atomic_int* x) { atomic_store_explicit(x, 1, " RLX             \
    ", memory_scope_work_group); }\nP1" p1 " (global atomic_int* x) { int r0 = atomic_load_explicit(x, " RLX \
    ", memory_scope_work_group); }\n" rest

/* Whether two threads share a work-group shows as a race of operations with its scope [CL 3.3.6 G17]. */
static void places(void **state)
{
    (void)state;
    expect(TWO("@dev 0@wg 0", "@wg 0@dev 0, sg 3", "exists (1:r0=1)"), CK_YES, CK_NO, 2);
    expect(TWO("@dev 0,wg 0", "@dev 0@wg 1", "exists (1:r0=1)"), CK_YES, CK_YES, 2);
    expect(TWO("", "", "exists (1:r0=1)"), CK_YES, CK_YES, 2);
    expect(TWO("", "", "scopeTree (device (work_group P0 P1)) exists (1:r0=1)"), CK_YES, CK_NO, 2);
    expect(TWO("", "", "scopes: (dev (wg P0) (wg P1)) exists (1:r0=1)"), CK_YES, CK_YES, 2);
    expect_error(TWO("", "@wg 0", "exists (1:r0=1)"), 5, 1, "not every thread is placed");
    expect_error(TWO("", "", "scopeTree (dev (wg P0)) exists (1:r0=1)"), 5, 1, "P1 is not in the scope tree");
    expect_error(TWO("", "", "scopeTree (dev (wg P0 P1 P0)) exists (1:r0=1)"), 5, 26, "P0 is placed twice");
}

static void ends(void **state)
{
    (void)state;
    expect("\xef\xbb\xbfOPENCL t \r\n(* c *)\r\n{ x = 0x0; }  \r\nP0@wg 0, dev 0 (global atomic_int* x) {\r\n"
           "  atomic_store(x, 0x1F); // hexadecimal \r\n}\r\nlocations [x;]\r\nfilter x = 31\r\n"
           "exists (x = 0x1f \\/ x = 3) /\\ not (x = 0) \r\n",
           CK_YES, CK_NO, 1);
    /* Descriptions: braces, quotes and several lines up to the line of the opening brace. */
    static const char *const descriptions[] = {"{a} \"brace\" at the start", "Rfe PodRR Fre", "two\nlines {",
                                               "", "\n{"};
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "OPENCL t\n\"%s\"\n  { x = 0; }\nP0@wg 0, dev 0 (global atomic_int* x) {\n atomic_store(x, 1); "
            "}\nexists (x = 1)",
            descriptions[i]);
        if (descriptions[i][0] == '\n')
            expect_error(text, 2, 1, "description without a closing quote");
        else
            expect(text, CK_YES, CK_NO, 1);
    }
    expect_error("C t\n{}\nP0 (int* x) {\n  WRITE_ONCE(*x, 1);\n}\nexists (x=1)", 4, 3,
                 "unknown function 'WRITE_ONCE'");
    expect_error("OPENCL t\n{}\nP0 (atomic_int* x) {\n  atomic_thread_fence(" SC ");\n}\nexists (x=1)", 4, 3,
                 "unknown function 'atomic_thread_fence'");
    expect_error("PTX t\n{}\n", 1, 1, "expected OPENCL, VULKAN or C");
    expect_error("OPENCL t\n{}\nP0 () {}\nfilter (0=0) filter (0=0) exists (0=0)", 4, 14, "exists, ~exists");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(c11), cmocka_unit_test(c11_synchronizes),
                                       cmocka_unit_test(places), cmocka_unit_test(ends)};
    return cmocka_run_group_tests_name("litmus forms", tests, load_model, free_model);
}
