/* Results of campaigns: judged, and added up by the runner. */
#include "litmus/litmus.h"
#include "litmus/run/run.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>
#include <unistd.h>

static bool read_results(const uint8_t *data, size_t size)
{
    static struct mm_cat_model *model;
    static FILE *nowhere;
    static char sum[] = "/tmp/refcl-fuzz-results.XXXXXX";
    struct mm_error err = {0};
    size_t findings = 0, unknown = 0;
    if (nowhere == NULL) {
        int made = mkstemp(sum);
        nowhere = fopen("/dev/null", "w");
        if (nowhere == NULL || made < 0 ||
            mm_cat_load("memmodel/models/opencl.cat", NULL, &model, &err) != MM_OK)
            abort();
        close(made);
        unlink(sum);
    }
    const char *inputs[2] = {fuzz_file(data, size), fuzz_file_path()};
    struct lt_judge_options options = {.model = model,
                                       .check = {.timeout_ms = 100, .memory_limit = 1 << 28},
                                       .html = "/dev/null",
                                       .junit = "/dev/null",
                                       .sarif = "/dev/null"};
    struct lt_options merge = {.files = {.inputs = inputs, .input_count = 2, .results = sum}, .quiet = true};
    bool good = lt_judge(inputs[0], &options, nowhere, nowhere, &findings, &unknown, &err) == MM_OK;
    lt_merge(&merge);
    unlink(sum);
    return good;
}

const struct fuzz_reader fuzz_results = {"results", read_results, fuzz_mutate_json};
