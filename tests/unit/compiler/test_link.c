/* Linking SPIR-V modules [CL 5.8.5]. */
#include "compiler_test.h"

static struct rt_binary object_of(const char *file, const char *text)
{
    struct rt_compile_request request = {.source = text,
                                         .source_size = strlen(text),
                                         .file = file,
                                         .options = "-cl-std=CL3.0",
                                         .extensions = TEST_EXTENSIONS,
                                         .features = TEST_FEATURES,
                                         .library = true};
    struct outcome o = compile_request(&request);
    if (o.cls != MM_OK)
        fail_msg("%s", o.log);
    mm_free(o.log);
    return o.binary;
}

static struct rt_binary object(const char *text)
{
    return object_of(strstr(text, "kernel") ? "main.cl" : "part.cl", text);
}

static struct outcome link_modules(const struct rt_binary *modules, size_t count, bool library)
{
    struct outcome o = {0};
    o.cls = rt_link(modules, count, library, &o.binary, &o.log, &o.err);
    return o;
}

/* The file that an OpLine with number LINE_NUMBER names. */
static const char *file_of_line(const struct rt_binary *binary, uint32_t line_number)
{
    const uint32_t *words = binary->data, *line = NULL;
    for (size_t at = 5; at < binary->size / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpLine && words[at + 2] == line_number)
            line = words + at;
    for (size_t at = 5; line && at < binary->size / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpString && words[at + 1] == line[1])
            return (const char *)(words + at + 2);
    return "";
}

static void test_executable(void **state)
{
    (void)state;
    struct rt_binary modules[] = {object("int f(int); kernel void k(global int *a) { a[0] = f(a[0]); }"),
                                  object("\n\n\n\nint f(int x) { return x + 1; }")};
    char message[512];
    struct outcome o = link_modules(modules, 2, false);
    if (o.cls != MM_OK)
        fail_msg("%s", o.log);
    validate(&o.binary, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(count_opcode(&o.binary, SpvOpEntryPoint, NULL), 1);
    assert_string_equal(file_of_line(&o.binary, 1), "main.cl");
    assert_string_equal(file_of_line(&o.binary, 5), "part.cl");
    const uint32_t *words = o.binary.data;
    for (size_t at = 5; at < o.binary.size / 4; at += words[at] >> 16)
        if ((words[at] & 0xffff) == SpvOpDecorate && words[at + 2] == SpvDecorationLinkageAttributes &&
            !strcmp((const char *)(words + at + 3), "f"))
            fail_msg("f is still to be linked");
    outcome_free(&o);
    mm_free(modules[0].data);
    mm_free(modules[1].data);
}

/* Each module defines what the one before imports, the last one what the first imports: in no order do
 * definitions come first.  Line numbers refer to their own files in all modules. */
static void test_ring(void **state)
{
    enum { MODULES = 24 };
    struct rt_binary modules[MODULES];
    char file[16], text[256], message[512];
    (void)state;
    for (int k = 0; k < MODULES; k++) {
        snprintf(file, sizeof file, "m%d.cl", k);
        snprintf(text, sizeof text,
                 "#line %d\nint f%d(int x); int f%d(int x) { return x + %d; } "
                 "kernel void k%d(global int *a) { a[0] = f%d(a[0]); }",
                 100 + k, (k + 1) % MODULES, k, k, k, (k + 1) % MODULES);
        modules[k] = object_of(file, text);
    }
    struct outcome o = link_modules(modules, MODULES, false);
    if (o.cls != MM_OK)
        fail_msg("%s", o.log);
    validate(&o.binary, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(count_opcode(&o.binary, SpvOpEntryPoint, NULL), MODULES);
    for (int k = 0; k < MODULES; k++) {
        snprintf(file, sizeof file, "m%d.cl", k);
        assert_string_equal(file_of_line(&o.binary, (uint32_t)(100 + k)), file);
        mm_free(modules[k].data);
    }
    outcome_free(&o);
}

static void test_unresolved(void **state)
{
    (void)state;
    struct rt_binary module = object("int f(int); kernel void k(global int *a) { a[0] = f(a[0]); }");
    struct outcome o = link_modules(&module, 1, false);
    assert_int_equal(o.cls, MM_INVALID);
    assert_non_null(strstr(o.log, "f"));
    outcome_free(&o);
    o = link_modules(&module, 1, true);
    assert_int_equal(o.cls, MM_OK);
    outcome_free(&o);
    mm_free(module.data);
}

static void test_library(void **state)
{
    (void)state;
    struct rt_binary parts[] = {object("int f(int x) { return x + 1; }"),
                                object("int g(int x) { return x * 2; }")};
    struct outcome library = link_modules(parts, 2, true);
    if (library.cls != MM_OK)
        fail_msg("%s", library.log);
    struct rt_binary modules[] = {
        object("int f(int); int g(int); kernel void k(global int *a) { a[0] = f(g(a[0])); }"),
        library.binary};
    struct outcome o = link_modules(modules, 2, false);
    if (o.cls != MM_OK)
        fail_msg("%s", o.log);
    outcome_free(&o);
    outcome_free(&library);
    mm_free(modules[0].data);
    mm_free(parts[0].data);
    mm_free(parts[1].data);
}

static void test_conflicts(void **state)
{
    (void)state;
    struct rt_binary modules[] = {object("int f(int x) { return x + 1; }"),
                                  object("int f(int x) { return x; }")};
    struct outcome o = link_modules(modules, 2, false);
    assert_int_equal(o.cls, MM_INVALID);
    assert_true(*o.log);
    outcome_free(&o);
    mm_free(modules[1].data);
    modules[1] =
        object("int f(int); kernel void k(global int *a) { a[0] = f(a[0]); } int f(int x) { return x; }");
    o = link_modules(modules, 2, false);
    assert_int_equal(o.cls, MM_INVALID);
    assert_non_null(strstr(o.log, "'f'"));
    outcome_free(&o);
    o = link_modules(modules, 2, true);
    assert_int_equal(o.cls, MM_INVALID);
    outcome_free(&o);
    struct rt_binary junk = {"not SPIR-V, but long enough to be", 32};
    o = link_modules(&junk, 1, false);
    assert_int_equal(o.cls, MM_INVALID);
    outcome_free(&o);
    mm_free(modules[0].data);
    mm_free(modules[1].data);
}

/* Unreachable functions are left out of executables, but not of libraries; their imports are still
 * required. */
static void test_unreachable_functions(void **state)
{
    (void)state;
    struct rt_binary module = object(unreachable_text);
    for (int library = 0; library < 2; library++) {
        struct outcome o = link_modules(&module, 1, library);
        expect_functions(&o, library);
        outcome_free(&o);
    }
    mm_free(module.data);
    module = object("int f(int); int g(int x) { return f(x); } kernel void k(global int *a) { a[0] = 1; }");
    struct outcome o = link_modules(&module, 1, false);
    assert_int_equal(o.cls, MM_INVALID);
    assert_non_null(strstr(o.log, "f"));
    outcome_free(&o);
    mm_free(module.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executable), cmocka_unit_test(test_ring),
        cmocka_unit_test(test_unresolved), cmocka_unit_test(test_library),
        cmocka_unit_test(test_conflicts),  cmocka_unit_test(test_unreachable_functions),
    };
    return cmocka_run_group_tests(tests, find_helper, NULL);
}
