/* Errors, allocation with fault injection, arenas. */
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "memmodel/memmodel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void error_text(void **state)
{
    struct mm_error err;
    char buf[256], tiny[8];

    (void)state;
    assert_int_equal(mm_fail_at(&err, MM_INVALID, "cat.name", "a.cat", 3, 7, "unknown name '%s'", "foo"),
                     MM_INVALID);
    mm_error_format(&err, buf, sizeof buf);
    assert_string_equal(buf, "a.cat:3:7: unknown name 'foo' [cat.name]");
    mm_error_format(&err, tiny, sizeof tiny);
    assert_string_equal(tiny, "a.cat:3");
    assert_int_equal(mm_fail(&err, MM_LIMIT, NULL, "two\nlines"), MM_LIMIT);
    mm_error_format(&err, buf, sizeof buf);
    assert_string_equal(buf, "two lines");
    assert_int_equal(mm_fail(NULL, MM_BUG, "x", "without receiver"), MM_BUG);
}

static void error_cut(void **state)
{
    struct mm_error err;
    char longer[2000];

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    /* A two-byte character across the end of the message must not be split. */
    memcpy(longer + sizeof err.message - 2, "\xC3\xA9", 2);
    mm_fail(&err, MM_INVALID, "rule", "%s", longer);
    assert_int_equal(strlen(err.message), sizeof err.message - 2);
}

static void faults(void **state)
{
    void *p, *q;
    char *s;

    (void)state;
    mm_alloc_fail_after(2);
    p = mm_alloc(8);
    assert_non_null(p);
    assert_null(mm_realloc(p, 16));
    q = mm_realloc(p, 16);
    assert_non_null(q);
    mm_free(q);
    assert_null(mm_alloc_zero(SIZE_MAX / 2, 4));
    s = mm_strdup("text");
    assert_string_equal(s, "text");
    mm_free(s);
    mm_alloc_fail_after(1);
    assert_null(mm_strdup("text"));
}

static void arena_blocks(void **state)
{
    struct mm_arena *arena = mm_arena_create();
    unsigned char *last = NULL;

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 20000; size += 377) {
            unsigned char *p = mm_arena_alloc(arena, size);

            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 16, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xFF, size);
            if (last && size)
                assert_ptr_not_equal(p, last);
            last = p;
        }
        assert_string_equal(mm_arena_strdup(arena, "kept"), "kept");
        mm_arena_reset(arena);
        last = NULL;
    }
    assert_null(mm_arena_alloc(arena, SIZE_MAX - 3));
    mm_alloc_fail_after(1);
    assert_null(mm_arena_alloc(arena, (size_t)1 << 24));
    assert_non_null(mm_arena_alloc(arena, (size_t)1 << 24));
    mm_arena_destroy(arena);
    mm_arena_destroy(NULL);
}

/* Keys are compared like in cJSON_GetObjectItem; the position is that of the first repeated key. */
static void json_keys(void **state)
{
    static const struct {
        const char *text;
        unsigned line, column; /* 0: no key twice */
    } cases[] = {
        {"{}", 0, 0},
        {"{\"a\": 1, \"b\": {\"a\": [\"a\", \"a\"]}, \"c\": [{\"a\": 2}, {\"a\": 3}]}", 0, 0},
        {"{\"a\": 1, \"a\": 2}", 1, 10},
        {"{\"a\": 1,\n \"\\u0041\": 2}", 2, 2},
        {"{\"a/\\\"\": 1, \"a\\/\\u0022\": 2}", 1, 13},
        {"{\"a\\n\": \"}\", \"A\\u000A\": 2}", 1, 14},
        {"[{\"b\": {\"x\": 1, \"x\": 1}, \"b\": 1}]", 1, 17},
        {"{\"\": 1, \"ab\": 1, \"\": 2}", 1, 18},
        {"}]{\"a\" \"b\": [}, :", 0, 0},
        {"{\"a\": 1, \"a", 0, 0},
        {"{\"a\": 1, \"a\\", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm_error err = {0};
        enum mm_class cls = mm_input_check_json(cases[i].text, "f", &err);
        assert_int_equal(cls, cases[i].line ? MM_INVALID : MM_OK);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
    }
    struct mm_error err;
    mm_alloc_fail_after(1);
    assert_int_equal(mm_input_check_json("{\"a\": 1}", "f", &err), MM_LIMIT);
    mm_alloc_fail_after(2);
    assert_int_equal(mm_input_check_json("{\"a\": 1}", "f", &err), MM_LIMIT);
    mm_alloc_fail_after(0);
}

static void json_strings(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    mm_put_json_string("a\"\\/\t\x7f</\xc3\xa9\x80", false, out);
    mm_put_json_string("<!", true, out);
    fclose(out);
    assert_string_equal(text, "\"a\\\"\\\\/\\u0009\\u007f</\xc3\xa9\\ufffd\"\"\\u003c!\"");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_text),   cmocka_unit_test(error_cut),
                                       cmocka_unit_test(faults),       cmocka_unit_test(json_keys),
                                       cmocka_unit_test(json_strings), cmocka_unit_test(arena_blocks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
