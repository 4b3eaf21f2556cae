/* Structures by value: a function that is not inlined changes its own copy, never the caller's object.
 * [CLC 6.11, SPIRV 3.18 ByVal] */
#include "clrun.h"

static const char source[] = "#define APART __attribute__((noinline))\n"
                             "typedef struct { char c; int a[4]; } S;\n"
                             "typedef struct { S s[2]; long tail; } T;\n"
                             "APART int reads(S s) { return s.a[1] + s.c; }\n"
                             "APART int writes(S s) { s.a[1] += 100; s.c = 1; return s.a[1] + s.c; }\n"
                             "APART int hands_on(S s) { int r = writes(s); return r + s.a[1]; }\n"
                             "APART S returns(S s) { s.a[1] *= 2; return s; }\n"
                             "void set(S *s) { s->a[1] = 50; }\n"
                             "APART int through(S s) { set(&s); return s.a[1]; }\n"
                             "APART int nested(T t, S s) { t.s[1].a[3] = 9; t.tail = 4; s.c = 3; return "
                             "t.s[1].a[3] + (int)t.tail + s.c; }\n"
                             "kernel void k(global int *out) {\n"
                             "    S s; s.c = 7; for (int i = 0; i < 4; i++) s.a[i] = 10 + i;\n"
                             "    T t; t.s[0] = s; t.s[1] = s; t.tail = 1;\n"
                             "    out[0] = reads(s);      out[1] = s.a[1];\n"
                             "    out[2] = writes(s);     out[3] = s.a[1] + s.c;\n"
                             "    out[4] = hands_on(s);   out[5] = s.a[1];\n"
                             "    S r = returns(s);       out[6] = r.a[1]; out[7] = s.a[1];\n"
                             "    out[8] = through(s);    out[9] = s.a[1];\n"
                             "    out[10] = nested(t, s); out[11] = t.s[1].a[3] + (int)t.tail + s.c;\n"
                             "}\n"
                             "kernel void by_value(S s, global int *out) { s.a[1] += get_global_id(0); "
                             "out[get_global_id(0)] = writes(s) + s.a[1]; }\n";

static void callers_keep_theirs(void **state)
{
    (void)state;
    int32_t out[12] = {0};
    struct in_object o = {.address = (uintptr_t)out, .size = sizeof out, .name = "out"};
    struct clr_launch launch = {.kernel = "k", .args = {clr_buffer(&o)}};
    struct spv_run run;
    assert_int_equal(clr_once(source, &launch, &run), MM_OK);
    const int32_t expected[12] = {18, 11, 112, 18, 112 + 11, 11, 22, 11, 50, 11, 9 + 4 + 3, 13 + 1 + 7};
    for (int k = 0; k < 12; k++)
        assert_int_equal(out[k], expected[k]);
}

static void kernels_have_theirs(void **state)
{
    (void)state;
    struct {
        int8_t c;
        int32_t a[4];
    } s = {7, {10, 11, 12, 13}};
    int32_t out[8] = {0};
    struct in_object o = {.address = (uintptr_t)out, .size = sizeof out, .name = "out"};
    struct clr_launch launch = {.kernel = "by_value",
                                .args = {{
                                             .value = &s,
                                         },
                                         clr_buffer(&o)},
                                .global = {8},
                                .local = {4}};
    struct spv_run run;
    assert_int_equal(clr_once(source, &launch, &run), MM_OK);
    for (int k = 0; k < 8; k++)
        assert_int_equal(out[k], (11 + k + 100 + 1) + (11 + k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(callers_keep_theirs),
                                       cmocka_unit_test(kernels_have_theirs)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
