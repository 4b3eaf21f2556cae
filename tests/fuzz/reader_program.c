/* Programs of kernels (refcl explore --export): accepted input is written again, and searched within small
 * bounds. */
#include "checker/checker.h"
#include "checker/program/file.h"
#include "memmodel/base/memory.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>
#include <string.h>

static bool same_again(const struct ck_program *program)
{
    char *text = NULL;
    size_t size = 0;
    struct ck_program *again = NULL;
    struct mm_error err = {0};
    FILE *out = open_memstream(&text, &size);
    bool same = out != NULL && ck_program_write(program, out, &err) == MM_OK && fclose(out) == 0 &&
                ck_program_read(text, size, "again", &again, &err) == MM_OK;
    ck_program_destroy(again);
    free(text);
    return same;
}

static bool read_program(const uint8_t *data, size_t size)
{
    static struct mm_cat_model *model;
    struct ck_program *program = NULL;
    struct ck_verdict verdict;
    struct mm_error err = {0};
    char *text = fuzz_text(data, size);
    bool good = text != NULL && ck_program_read(text, size, "fuzz", &program, &err) == MM_OK;
    if (good && !same_again(program))
        abort();
    if (model == NULL && mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) != MM_OK)
        abort();
    if (good && ck_search(program, model, &(struct ck_options){.timeout_ms = 200, .unroll = 2}, &verdict,
                          &err) == MM_OK)
        ck_verdict_clear(&verdict);
    ck_program_destroy(program);
    mm_free(text);
    return good;
}

const struct fuzz_reader fuzz_program = {"program", read_program, NULL};
