/* Variants of syntax in tests (written.txt): the meaning of each, by both engines and after printing, or the
 * position of the error. */
#include "checker/checker.h"
#include "litmus/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INPUTS "tests/unit/litmus/written.txt"

static struct mm_cat_model *models[2]; /* by dialect */
static char *frame;                    /* for statements: two % */
static unsigned frame_lines;           /* before the statements */
static unsigned failures, inputs;

static int load_models(void **state)
{
    struct mm_error err;
    (void)state;
    return mm_cat_load("memmodel/models/opencl.cat", NULL, &models[LT_OPENCL], &err) != MM_OK ||
           mm_cat_load("memmodel/models/vulkan.cat", NULL, &models[LT_VULKAN], &err) != MM_OK;
}

static int free_models(void **state)
{
    (void)state;
    mm_cat_destroy(models[LT_OPENCL]);
    mm_cat_destroy(models[LT_VULKAN]);
    free(frame);
    return 0;
}

static void complain(unsigned line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, INPUTS ":%u: ", line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    failures++;
}

/* The frame with STATEMENTS and VALUE inserted. */
static char *framed(const char *statements, const char *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *parts[] = {statements, value};
    const char *at = frame;
    assert_non_null(out);
    for (int i = 0; i < 2; i++) {
        const char *mark = strchr(at, '%');
        assert_non_null(mark);
        fprintf(out, "%.*s%s", (int)(mark - at), at, parts[i]);
        at = mark + 1;
    }
    fputs(at, out);
    fclose(out);
    return text;
}

/* The verdict in the words of the inputs: condition, race, number of states. */
static void decide(unsigned line, const struct lt_test *test, const char *expected)
{
    enum mm_class (*const engines[])(const struct ck_program *, const struct mm_cat_model *,
                                     const struct ck_options *, struct ck_verdict *,
                                     struct mm_error *) = {ck_search, ck_z3};
    static const char conditions[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'h', [CK_NO] = 'f'};
    static const char races[] = {[CK_UNKNOWN] = 'u', [CK_YES] = 'r', [CK_NO] = '-'};
    const struct ck_options options = {.bound = 5};
    struct ck_program *program = NULL;
    struct mm_error err;
    if (lt_lower(test, &program, &err) != MM_OK) {
        complain(line, "%u:%u: %s", err.line, err.column, err.message);
        return;
    }
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct ck_verdict verdict;
        char got[40];
        assert_int_equal(engines[i](program, models[lt_test_dialect(test)], &options, &verdict, &err), MM_OK);
        bool any = expected[strlen(expected) - 1] == '-' && strlen(expected) == 5;
        snprintf(got, sizeof got, any ? "%c %c -" : "%c %c %zu", conditions[verdict.condition],
                 races[verdict.race], verdict.state_count);
        if (strcmp(got, expected) != 0)
            complain(line, "%s says %s", i ? "Z3" : "search", got);
        ck_verdict_clear(&verdict);
    }
    ck_program_destroy(program);
}

static struct lt_test *parse(unsigned line, const char *text)
{
    struct lt_test *test = NULL;
    struct mm_error err;
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) != MM_OK)
        complain(line, "%u:%u: %s", err.line, err.column, err.message);
    return test;
}

static void accepted(unsigned line, const char *text, const char *expected)
{
    struct lt_test *test = parse(line, text);
    char *printed = NULL;
    size_t size = 0;
    if (!test)
        return;
    FILE *out = open_memstream(&printed, &size);
    assert_non_null(out);
    decide(line, test, expected);
    lt_print(test, out);
    fclose(out);
    lt_test_destroy(test);
    test = parse(line, printed);
    if (test)
        decide(line, test, expected);
    lt_test_destroy(test);
    free(printed);
}

/* WHERE: line:column part-of-the-message */
static void refused(unsigned line, const char *text, const char *where, unsigned before)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    unsigned at_line, at_column;
    int part = 0;
    enum mm_class class = lt_parse(text, strlen(text), "t.litmus", &test, &err);
    if (class == MM_OK)
        class = lt_lower(test, &program, &err);
    assert_int_equal(sscanf(where, "%u:%u %n", &at_line, &at_column, &part), 2);
    if (class != MM_INVALID)
        complain(line, "accepted");
    else if (err.line != at_line + before || err.column != at_column || !strstr(err.message, where + part))
        complain(line, "refused at %u:%u: %s", err.line - before, err.column, err.message);
    ck_program_destroy(program);
    lt_test_destroy(test);
}

static void judge(unsigned line, char *head, char *text)
{
    char *rest = strchr(head, ' ');
    if (rest)
        *rest++ = '\0';
    inputs++;
    if (strcmp(head, "frame") == 0) {
        free(frame);
        frame = strdup(text);
        for (const char *c = frame; *c != '%'; c++)
            frame_lines += *c == '\n';
    } else if (strcmp(head, "test") == 0) {
        accepted(line, text, rest);
    } else if (strcmp(head, "error") == 0) {
        refused(line, text, rest, 0);
    } else {
        bool value = strcmp(head, "value") == 0;
        char *whole = framed(text, value ? rest : "0");
        if (value)
            accepted(line, whole, "h - 1");
        else
            refused(line, whole, rest, frame_lines);
        free(whole);
    }
}

static void as_written(void **state)
{
    FILE *in = fopen(INPUTS, "r");
    char buffer[600], head[600] = "";
    char *text = NULL;
    size_t size = 0;
    unsigned line = 0, head_line = 0;
    FILE *out = NULL;
    (void)state;
    if (!in)
        fail_msg(INPUTS " is not there");
    for (bool more = true; more;) {
        more = fgets(buffer, sizeof buffer, in) != NULL;
        line++;
        if (more && strncmp(buffer, "= ", 2) != 0) {
            if (out && strncmp(buffer, "# ", 2) != 0)
                fputs(buffer, out);
            continue;
        }
        if (out) {
            fclose(out);
            judge(head_line, head, text);
            free(text);
        }
        if (!more)
            break;
        out = open_memstream(&text, &size);
        assert_non_null(out);
        buffer[strcspn(buffer, "\n")] = '\0';
        snprintf(head, sizeof head, "%s", buffer + 2);
        head_line = line;
    }
    fclose(in);
    assert_true(inputs > 150);
    if (failures)
        fail_msg("%u of %u inputs", failures, inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_written)};
    return cmocka_run_group_tests_name("ways to write a test", tests, load_models, free_models);
}
