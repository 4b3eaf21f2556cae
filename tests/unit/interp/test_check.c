/* Undefined behavior other than bounds: each kind is found where it occurs, and nothing is found in correct
 * programs that look similar. */
#include "clrun.h"

static struct spv_run out;
static int32_t data[64];

static enum mm_class go(const char *source, uint32_t items, uint32_t findings, bool shadowed)
{
    struct in_object o = spv_buffer(data, sizeof data, 1);
    struct clr_launch l = {.kernel = "k",
                           .args = {clr_buffer(&o), {.local_size = 64}},
                           .global = {items},
                           .local = {items},
                           .max_findings = findings,
                           .unshadowed = !shadowed};
    memset(data, 0, sizeof data);
    return clr_once(source, &l, &out);
}

/* With and without shadow memory, whose checks the engine calls at other instructions. */
static void expect(const char *source, const char *kind, uint32_t line)
{
    for (int shadowed = strcmp(kind, "uninitialized") == 0; shadowed < 2; shadowed++) {
        enum mm_class result = go(source, 1, 1, shadowed);
        if (result != MM_UNDEFINED || strcmp(out.kind, kind) != 0 || out.line != line)
            fail_msg("expected %s at line %u, got %s at line %u (%s), shadow memory %d: %s", kind, line,
                     out.kind, out.line, out.message, shadowed, source);
    }
}

static void clean(const char *source)
{
    for (int shadowed = 0; shadowed < 2; shadowed++)
        if (go(source, 4, 1, shadowed) != MM_OK)
            fail_msg("%s: %s: %s", out.kind, out.message, source);
}

#define K "kernel void k(global int *a, local int *l) {\n"

static void test_uninitialized(void **state)
{
    (void)state;
    expect(K "int x;\nif (x > 3) a[0] = 1; }", "uninitialized", 3);
    expect(K "int x;\na[0] = x + 1; }", "uninitialized", 3);
    expect(K "int t[4]; t[0] = 1;\na[0] = 5; a[1] = t[2]; }", "uninitialized", 3);
    expect(K "int i;\na[i & 3] = 5; }", "uninitialized", 3);
    expect(K "a[1] = 2;\na[0] = l[2]; }", "uninitialized", 3);
    expect(K "struct { int x, y; } s, t; s.x = 1; t = s; a[0] = t.x;\na[1] = t.y; }", "uninitialized", 3);
    expect(K "float2 v; v.x = 1;\na[0] = as_int(v.y * 2); }", "uninitialized", 3);
    expect(K "int x; int y = x * 2;\nswitch (y) { case 1: a[0] = 1; } }", "uninitialized", 3);
    expect(K "float x;\nprintf(\"%f\\n\", x); }", "uninitialized", 3);
    expect(K "int x; int *p = &x; for (int i = 0; i < 2; i++) {\nif (*p) a[0] = 1; *p = 0; } }",
           "uninitialized", 3);
    expect("int f(int x) { return x + 1; }\n" K "int x; int y = f(x);\nif (y) a[0] = 1; }", "uninitialized",
           4);
}

static void test_initialized(void **state)
{
    (void)state;
    clean(K "int x; x = a[1]; if (x == 0) a[0] = 1; }");
    clean(K "float3 v = (float3)(1, 2, 3); float3 w; w.xy = v.yz; w.z = 1; a[0] = w.x + w.y + w.z;\n"
            "global float3 *p = (global float3 *)(a + 16); if (a[60] == 0) *p = v; }");
    clean(
        K
        "int t[8]; for (int i = 0; i < 8; i++) t[i] = i; int s = 0; for (int i = 0; i < 8; i++) s += t[i];\n"
        "if (s == 28) a[0] = s; }");
    clean(K "struct { char c; int i; } s = {1, 2}, t = s; a[get_local_id(0)] = t.c + t.i; }");
    clean(
        K
        "l[get_local_id(0)] = 3; barrier(CLK_LOCAL_MEM_FENCE); if (l[3 - get_local_id(0)] == 3) a[0] = 1; }");
    clean(
        K
        "int x; int *p = &x; *p = 4; int y; vstore2((int2)(1, 2), 0, (private int *)&y - 0 == &y ? l : l);\n"
        "if (x == 4 && l[1] == 2) a[0] = 1; }");
    clean(K "float whole; float part = fract(2.5f, &whole); if (part == 0.5f && whole == 2) a[0] = 1; }");
    clean(K "event_t e = async_work_group_copy(l, a, 4, 0); wait_group_events(1, &e); if (l[2] == 0) a[9] = "
            "1; }");
    clean(K "int c; if (get_local_id(0) == 0) c = 1; else c = 2; if (c == 1) a[0] = c; }");
    clean(K "uint x; x &= 0; if (x == 0) a[0] = 1; }"); /* the mask decides */
    clean(K "local int n; if (get_local_id(0) == 0) atomic_xchg(&n, 0); barrier(CLK_LOCAL_MEM_FENCE);\n"
            "atomic_inc(&n); barrier(CLK_LOCAL_MEM_FENCE); if (n == 4) a[0] = n; }");
    clean(K "int v = work_group_reduce_add((int)get_local_id(0)); if (v == 6) a[0] = v; }");
}

/* Local memory does not keep values of an earlier work-group. */
static void test_local_between_groups(void **state)
{
    static const char source[] = K "if (get_group_id(0) == 0) l[get_local_id(0)] = 1;\n"
                                   "a[get_global_id(0)] = l[get_local_id(0)]; }";
    struct in_object o = spv_buffer(data, sizeof data, 1);
    struct clr_launch l = {.kernel = "k",
                           .args = {clr_buffer(&o), {.local_size = 64}},
                           .global = {4},
                           .local = {2},
                           .max_findings = 1};
    (void)state;
    assert_int_equal(clr_once(source, &l, &out), MM_UNDEFINED);
    assert_string_equal(out.kind, "uninitialized");
    assert_int_equal(out.work_item, 2);
}

static void test_lifetime(void **state)
{
    (void)state;
    expect("int *f(int v) { int x = v; int *p = &x; return p; }\n" K "int *p = f(3);\na[0] = *p; }",
           "use-after-lifetime", 4);
    clean("int f(int v) { int x[2] = {v, 1}; int *p = x + (v & 1); return *p; }\n" K "a[0] = f(2) + f(3); }");
}

/* The operations that overflow, of each width that is checked inline. */
static void test_overflow(void **state)
{
    static const char *const types[][2] = {{"int", "0x7fffffff"}, {"long", "0x7fffffffffffffffL"}};
    static const char *const operations[] = {"x + y", "-x - 1 - y", "x * (y + 1)"};
    char source[256];
    (void)state;
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < 3; k++)
            for (int y = 0; y < 2; y++) {
                snprintf(source, sizeof source, K "%s x = %s - a[0], y = a[0] + %d;\na[1] = (int)(%s); }",
                         types[t][0], types[t][1], y, operations[k]);
                if (y)
                    expect(source, "signed-overflow", 3);
                else
                    clean(source);
            }
}

static void test_arithmetic(void **state)
{
    (void)state;
    expect(K "int x = 2147483647 - a[0];\nint y = x + 1; a[0] = y; }", "signed-overflow", 3);
    expect(K "int x = -2147483647 - 1 + a[0];\nint y = -x; a[0] = y; }", "signed-overflow", 3);
    expect(K "long x = 0x7fffffffffffffff - a[0];\nlong y = x * 2; a[0] = (int)y; }", "signed-overflow", 3);
    clean(K "uint x = 0xffffffffu - a[0]; uint y = x + 1; a[0] = y; short s = 32767; s = (short)(s + 1); }");
    expect(K "float x = 3e9f + a[0];\na[0] = (int)x; }", "float-to-integer", 3);
    expect(K "float x = NAN;\na[0] = (int)x; }", "float-to-integer", 3);
    expect(K "double x = -1.0 + a[0];\na[0] = (int)(uint)x; }", "float-to-integer", 3);
    clean(K "float x = 3e9f; a[0] = convert_int_sat(x); a[1] = (int)-0.5f; a[2] = (int)(uint)4e9f; "
            "a[3] = (int)-2147483648.0f; }");
    clean(K "int n = 35; a[0] = 1 << n; }"); /* OpenCL C reduces shift amounts modulo the width */
}

/* [CLC 6.15.11] */
static void test_events(void **state)
{
    (void)state;
    expect(K "event_t e = 0;\nwait_group_events(1, &e); }", "invalid-event", 3);
    expect(K "event_t e;\nwait_group_events(1, &e); }", "uninitialized", 3);
    expect(K "event_t n = 0, e[2]; e[0] = async_work_group_copy(l, a, 4, 0); e[1] = n;\nwait_group_events(2, "
             "e); }",
           "invalid-event", 3);
    expect(K "event_t e = async_work_group_copy(l, a, 4, 0);\nwait_group_events(2, &e); }", "out-of-bounds",
           3);
    clean(K "event_t e = async_work_group_copy(l, a, 4, 0); e = async_work_group_copy(l + 4, a, 4, e);\n"
            "wait_group_events(1, &e); wait_group_events(0, &e); if (l[2] == 0) a[9] = 1; }");
    clean(
        K
        "event_t e[2]; for (int k = 0; k < 2; k++) e[k] = async_work_group_strided_copy(l + k, a, 2, 2, 0);\n"
        "wait_group_events(2, e); }");
}

/* Past the end of an array that is a part of its object; memory beyond belongs to the object. [CLC 6.7] */
static void test_subscripts(void **state)
{
    (void)state;
    const char *found = "out-of-bounds";
    expect("struct s { int t[4]; int z; };\n" K "int i = a[0] + 4; struct s s = {{1}, 2};\na[1] = s.t[i]; }",
           found, 4);
    expect(K "int i = a[0] + 5; local int t[4][4];\nt[1][i] = 2; }", found, 3);
    expect(K "int i = a[0] - 1; int t[2][3] = {{1}, {2}};\na[1] = t[1][i]; }", found, 3);
    expect(K "int t[2][3] = {{1}, {2}};\na[1] = t[0][3]; }", found, 3);
    expect(K "uchar i = a[0] + 3; global int (*t)[3] = (global int (*)[3])a;\na[1] = t[2][i]; }", found, 3);
    expect(K "uint i = a[0] + 2, j = a[0]; int t[2][2][2] = {{{1}}};\na[1] = t[j][i][j]; }", found, 3);
    expect("struct s { int n, t[2], z; };\nconstant struct s c[2] = {{1}, {2}};\n" K
           "int i = a[0] + 3;\na[1] = c[0].t[i]; }",
           found, 5);
    assert_non_null(strstr(out.message, "subscript 3 of an array of 2 elements"));
    clean("struct s { int n; int t[1]; };\n" K
          "int i = a[0] + 3; global struct s *s = (global struct s *)a; a[1] = s->t[i]; }");
    clean(K "int t[2][3] = {{1}, {2}}; int i = a[0] + 5; int *p = &t[0][0]; a[1] = p[i]; a[2] = *(p + i); }");
    clean(K "int t[2][3] = {{1}, {2}}, s = 0; for (int *p = t[0]; p != &t[0][3]; p++) s += *p; a[1] = s; }");
    clean(K "int t[3][2] = {{1}}; int i = a[0] + 3, j = a[0] + 2; a[1] = &t[0][j] - &t[0][0];\n"
            "for (int (*p)[2] = t; p < &t[i]; p++) a[2] += p[0][1]; }");
    clean("union u { int i[2]; char c[16]; };\n" K
          "union u u = {{1}}; int i = a[0] + 12; u.c[i] = 1; a[1] = u.c[i]; }");
}

static void test_shift(void **state)
{
    static const char text[] = SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%c32 = OpConstant %u32 32\n%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n"
        "%e = OpLabel\n%s = OpShiftLeftLogical %u32 %c1 %c32\nOpStore %out %s Aligned 4\nOpReturn\n"
        "OpFunctionEnd\n";
    struct in_object buffer = spv_buffer(data, 4, 1);
    struct in_launch launch = {.global_size = {1}, .local_size = {1}};
    (void)state;
    for (int shadowed = 0; shadowed < 2; shadowed++) {
        spv_unshadowed = !shadowed;
        assert_int_equal(spv_execute(text, &launch, &buffer, 1, &out), MM_UNDEFINED);
        assert_string_equal(out.kind, "bad-shift");
    }
}

static void test_orders(void **state)
{
    (void)state;
    static const char *const bodies[] = {"%s = OpAtomicLoad %u32 %out %c1 %rel\n",
                                         "OpAtomicStore %out %c1 %acq %c1\n",
                                         "%s = OpAtomicCompareExchange %u32 %out %c1 %rel %rel %c1 %c0\n",
                                         "%s = OpAtomicLoad %u32 %out %c9 %c0\n"};
    /* [CLC 6.15.12.7.4 R1] */
    static const char *const kinds[] = {"invalid-order", "invalid-order", "invalid-order", "invalid-scope"};
    for (int k = 0; k < 4; k++) {
        char text[8192];
        /* Orders and scopes that are no constants, so that the validator does not check them. */
        snprintf(
            text, sizeof text,
            "%s%%pf = OpTypePointer Function %%u32\n%%c4 = OpConstant %%u32 4\n%%c77 = OpConstant %%u32 77\n"
            "%%k = OpFunction %%void None %%kfn\n%%out = OpFunctionParameter %%pu32\n%%e = OpLabel\n"
            "%%v = OpVariable %%pf Function\nOpStore %%v %%c0 Aligned 4\n%%z = OpLoad %%u32 %%v Aligned 4\n"
            "%%rel = OpIAdd %%u32 %%z %%c4\n%%acq = OpIAdd %%u32 %%z %%c2\n%%c9 = OpIAdd %%u32 %%z %%c77\n%s"
            "OpReturn\nOpFunctionEnd\n",
            SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES, bodies[k]);
        struct in_object buffer = spv_buffer(data, 4, 1);
        struct in_launch launch = {.global_size = {1}, .local_size = {1}};
        assert_int_equal(spv_execute(text, &launch, &buffer, 1, &out), MM_UNDEFINED);
        assert_string_equal(out.kind, kinds[k]);
    }
}

/* With a larger limit of findings, execution continues after each, and no finding makes the launch fail. */
static void test_continuation(void **state)
{
    (void)state;
    assert_int_equal(
        go(K "int x;\na[0] = x; a[100 + get_global_id(0)] = 1; a[1] = 7 / a[2]; a[3] = 9; }", 2, 100, true),
        MM_OK);
    assert_int_equal(out.findings, 6);
    assert_int_equal(data[3], 9);
    assert_int_equal(go(K "int x;\na[0] = x; a[100] = 1; a[3] = 9; }", 1, 2, true), MM_UNDEFINED);
    assert_int_equal(out.findings, 2);
    assert_int_equal(data[3], 0);
}

static uint8_t unwritten[sizeof data];

static enum mm_class go_global(const char *source)
{
    struct in_object o = spv_buffer(data, sizeof data, 1);
    o.unwritten = unwritten;
    struct clr_launch l = {.kernel = "k",
                           .args = {clr_buffer(&o), {.local_size = 64}},
                           .global = {1},
                           .local = {1},
                           .max_findings = 1};
    memset(unwritten, 1, sizeof unwritten);
    memset(unwritten, 0, 32); /* the host wrote eight words */
    return clr_once(source, &l, &out);
}

/* Uninitialized global memory. */
static void test_global(void **state)
{
    static const char *const bad[] = {
        "int x = a[7]; a[20] = x;\nif (a[8]) a[0] = 1; }",
        "a[8] = 1;\nif (a[9]) a[0] = 1; }",
        "int4 v = vload4(1, a); a[0] = v.x; v = vload4(2, a);\na[0] = v.x; }",
        ("wait_group_events(1, (event_t[]){async_work_group_copy(l, a + 4, 8, 0)}); a[0] = l[3];\na[0] = "
         "l[4]; }"),
        "float3 v = vload_half3(5, (global half *)a); a[0] = v.x;\na[0] = v.z; }",
        "if (atomic_add(a, 1)) a[1] = 2;\nif (atomic_add(a + 30, 1)) a[1] = 2; }"};
    static const char *const good[] = {
        "for (int i = 0; i < 60; i++) a[i] = i; if (a[50]) a[0] = 1; }",
        "vstore4((int4)(1), 5, a); if (a[23] + vload3(7, a).y) a[0] = 1; }",
        "vstore_half(1.0f, 40, (global half *)a); if (vload_half(40, (global half *)a) > 0) a[0] = 1; }",
        ("l[0] = l[1] = 3; wait_group_events(1, (event_t[]){async_work_group_copy(a + 20, l, 2, 0)}); a[0] = "
         "a[21]; }"),
        "wait_group_events(1, (event_t[]){async_work_group_strided_copy(l, a, 4, 2, 0)}); a[0] = l[3]; }",
        "*(global int8 *)(a + 32) = *(global int8 *)a; a[0] = a[39]; }"};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", K, bad[k]);
        if (go_global(text) != MM_UNDEFINED || strcmp(out.kind, "uninitialized") != 0 || out.line != 3)
            fail_msg("%s at line %u: %s", out.kind, out.line, bad[k]);
    }
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", K, good[k]);
        if (go_global(text) != MM_OK)
            fail_msg("%s at line %u: %s: %s", out.kind, out.line, out.message, good[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_uninitialized),
                                       cmocka_unit_test(test_initialized),
                                       cmocka_unit_test(test_local_between_groups),
                                       cmocka_unit_test(test_lifetime),
                                       cmocka_unit_test(test_arithmetic),
                                       cmocka_unit_test(test_shift),
                                       cmocka_unit_test(test_overflow),
                                       cmocka_unit_test(test_events),
                                       cmocka_unit_test(test_subscripts),
                                       cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_continuation),
                                       cmocka_unit_test(test_global)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
