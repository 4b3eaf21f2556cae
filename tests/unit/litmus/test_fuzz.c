/* Damaged tests: parser, lowering and printer return an error or a program, and never crash or hang. The
 * damage is seeded; REFCL_FUZZ_ROUNDS and REFCL_FUZZ_SEED change it. */
#include "litmus/litmus.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define MAX_FILES 1600
#define MAX_SIZE  16384

static char *texts[MAX_FILES];
static size_t sizes[MAX_FILES], text_count;
static uint64_t seed;

static uint64_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static size_t below(size_t n)
{
    return n ? (size_t)(random_number() % n) : 0;
}

static void add_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || text_count == MAX_FILES)
        return;
    char *text = malloc(MAX_SIZE / 2);
    assert_non_null(text);
    sizes[text_count] = fread(text, 1, MAX_SIZE / 2, in);
    texts[text_count++] = text;
    fclose(in);
}

static void walk(const char *path)
{
    struct stat st;
    DIR *dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    if (!dir) {
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, ".litmus") == 0)
            add_file(path);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            walk(inner);
    }
    closedir(dir);
}

static size_t replace(char *text, size_t size, size_t at, size_t length, const char *by, size_t by_length)
{
    if (at + length > size || size - length + by_length > MAX_SIZE)
        return size;
    memmove(text + at + by_length, text + at + length, size - at - length);
    memcpy(text + at, by, by_length);
    return size - length + by_length;
}

/* One change: a byte, a piece removed, doubled, or copied from another test, or a keyword. */
static size_t damage(char *text, size_t size)
{
    static const char *const words[] = {"(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ";",
                                        ",",
                                        "*",
                                        "&",
                                        "(*",
                                        "*)",
                                        "/*",
                                        "//",
                                        "|",
                                        "||",
                                        "==",
                                        "=",
                                        "/\\",
                                        "\\/",
                                        "~",
                                        "if",
                                        "while",
                                        "for",
                                        "do",
                                        "else",
                                        "break",
                                        "continue",
                                        "int",
                                        "atomic_long",
                                        "uchar*",
                                        "local",
                                        "global",
                                        "exists",
                                        "forall",
                                        "filter",
                                        "P0",
                                        "P1@wg 0",
                                        "0:r0",
                                        "-1",
                                        "99999999999999999999",
                                        "18446744073709551615",
                                        "0x",
                                        "1 ? 2 : 3",
                                        "atomic_load(x)",
                                        "x[4095]",
                                        "(*x = 1)",
                                        "(x[1] += *y)",
                                        "&r0",
                                        "barrier(0)",
                                        "goto LC00",
                                        "LC00:",
                                        "beq r0, r1, LC00",
                                        "aliases",
                                        "ssw 0 1;",
                                        ".sc9",
                                        ".semsc0",
                                        "H0",
                                        "H1 ()",
                                        "H0:r0",
                                        "queue q;",
                                        "queue d @ dev 0, on_device;",
                                        "user_event u;",
                                        "clEnqueueNDRangeKernel(q, 0, {e0}, &e1);",
                                        "clEnqueueMapBuffer(q, x[1], CL_TRUE, CL_MAP_WRITE);",
                                        "clEnqueueUnmapMemObject(q, x);",
                                        "clEnqueueCopyBuffer(q, x, y, {u});",
                                        "clSetUserEventStatus(u, CL_COMPLETE);",
                                        "clSetEventCallback(e0, CL_COMPLETE, H1);",
                                        "clEnqueueNativeKernel(q, H1);",
                                        "enqueue_kernel(d, CLK_ENQUEUE_FLAGS_NO_WAIT, 0);",
                                        "clWaitForEvents({e0, e1});",
                                        "clFinish(q);",
                                        "kernel 1",
                                        "@host",
                                        "\""};
    size_t at = below(size + 1), length = below(size - at < 40 ? size - at + 1 : 40);
    char piece[64];
    switch (below(6)) {
    case 0: {
        char byte = (char)random_number();
        return replace(text, size, at, at < size, &byte, 1);
    }
    case 1:
        return replace(text, size, at, length, "", 0);
    case 2:
        memcpy(piece, text + at, length);
        return replace(text, size, below(size + 1), 0, piece, length);
    case 3: {
        size_t other = below(text_count);
        size_t from = below(sizes[other]), n = below(sizes[other] - from < 60 ? sizes[other] - from : 60);
        return replace(text, size, at, length, texts[other] + from, n);
    }
    default: {
        const char *word = words[below(sizeof words / sizeof *words)];
        return replace(text, size, at, below(3) ? 0 : length, word, strlen(word));
    }
    }
}

static void digest(const char *text, size_t size, FILE *sink, size_t counts[2])
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    enum mm_class cls = lt_parse(text, size, "fuzz", &test, &err);
    counts[cls == MM_OK]++;
    if (cls != MM_OK) {
        assert_null(test);
        assert_int_not_equal(cls, MM_BUG);
        assert_int_equal(err.cls, cls);
        assert_true(err.message[0] != '\0');
        return;
    }
    lt_print(test, sink);
    cls = lt_lower(test, &program, &err);
    if (cls == MM_OK)
        assert_non_null(program);
    else
        assert_int_not_equal(cls, MM_BUG);
    ck_program_destroy(program);
    lt_test_destroy(test);
}

static void damaged_tests(void **state)
{
    (void)state;
    const char *corpus = getenv("REFCL_CORPUS"), *rounds = getenv("REFCL_FUZZ_ROUNDS"),
               *start = getenv("REFCL_FUZZ_SEED");
    char path[4096];
    snprintf(path, sizeof path, "%s/litmus", corpus ? corpus : "../shared/corpus");
    walk("litmus/suite");
    walk(path);
    assert_true(text_count > 0);
    seed = start ? strtoull(start, NULL, 10) | 1 : 88172645463325252u;
    FILE *sink = fopen("/dev/null", "w");
    assert_non_null(sink);
    size_t counts[2] = {0, 0};
    for (size_t round = rounds ? strtoul(rounds, NULL, 10) : 20000; round; round--) {
        char text[MAX_SIZE];
        size_t which = below(text_count), size = sizes[which];
        memcpy(text, texts[which], size);
        for (size_t n = 1 + below(4); n; n--)
            size = damage(text, size);
        digest(text, size, sink, counts);
    }
    fclose(sink);
    /* Both outcomes must occur, or the damage is too weak or too strong. */
    assert_true(counts[0] > 100);
    assert_true(counts[1] > 100);
    for (size_t i = 0; i < text_count; i++)
        free(texts[i]);
}

/* Every allocation fails once: an error, no leak, no crash. */
static void fail_each(const char *text)
{
    for (size_t n = 1; n < 400; n++) {
        struct lt_test *test = NULL;
        struct ck_program *program = NULL;
        struct mm_error err = {0};
        mm_alloc_fail_after(n);
        enum mm_class cls = lt_parse(text, strlen(text), "t", &test, &err);
        if (cls == MM_OK)
            cls = lt_lower(test, &program, &err);
        mm_alloc_fail_after(0);
        if (cls != MM_OK && cls != MM_LIMIT)
            fail_msg("allocation %zu: class %d: %s", n, cls, err.message);
        ck_program_destroy(program);
        lt_test_destroy(test);
    }
}

static void out_of_memory(void **state)
{
    (void)state;
    fail_each("OPENCL t\n(* Expect: fails *)\n{ [x] = 0; int y[2] = {1, 2}; 0:r9 = 1; }\n"
              "P0@wg 0, dev 0 (global atomic_int* x, local int* z) { int r0 = atomic_load(x); "
              "if (r0 == 1 && *z) { *z = r0 + 1; } B1: barrier(CLK_LOCAL_MEM_FENCE); }\n"
              "exists (0:r0 = 1 /\\ x = 1)");
    fail_each("OPENCL t\n{ [x] = 0; queue q; queue d @ dev 0, on_device; user_event u; }\n"
              "H0 (global int* x, host int* h) { clEnqueueNDRangeKernel(q, 0, {u}, &e0); "
              "clSetEventCallback(e0, CL_COMPLETE, H1); clSetUserEventStatus(u, CL_COMPLETE); "
              "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_WRITE); *x = 2; clEnqueueUnmapMemObject(q, x); "
              "clEnqueueReadBuffer(q, x, CL_FALSE, h, {e0}, &e1); clWaitForEvents({e0, e1}); clFinish(q); }\n"
              "H1 () { }\nP0@wg 0, dev 0 () { enqueue_kernel(d, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, 1); }\n"
              "P1@wg 0, dev 0, kernel 1 (global int* x) { *x = 1; }\nexists (x = 1)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_tests), cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests_name("litmus fuzz", tests, NULL, NULL);
}
