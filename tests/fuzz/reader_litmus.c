/* Litmus tests: parsed, lowered, printed and planned. */
#include "litmus/litmus.h"
#include "tests/fuzz/reader.h"

static bool read_litmus(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    if (nowhere == NULL || lt_parse((const char *)data, size, "fuzz.litmus", &test, &err) != MM_OK)
        return false;
    bool lowered = lt_lower(test, &program, &err) == MM_OK;
    lt_print(test, nowhere);
    if (lowered) {
        lt_plan(&test, 1, &(struct lt_plan_options){0}, nowhere, &err);
        ck_program_destroy(program);
    }
    lt_test_destroy(test);
    return lowered;
}

const struct fuzz_reader fuzz_litmus = {"litmus", read_litmus, NULL};
