/* SPIR-V as `refcl explore` reads it, binary, or text, which is not validated: a kernel that is lowered is
 * searched, within small bounds. */
#include "tests/fuzz/reader.h"
#include "tools/explore/explore.h"

#include <stdlib.h>

/* Small enough that an input takes a part of a second. */
enum { TIMEOUT_MS = 200, ARGUMENTS = 6 };

static bool read_explore(const uint8_t *data, size_t size)
{
    static const char *const arguments[ARGUMENTS] = {"buf:8", "buf:8", "buf:8", "1", "2", "3"};
    const struct ck_options options = {.bound = 1, .timeout_ms = TIMEOUT_MS, .memory_limit = (size_t)1 << 30};
    static struct mm_cat_model *model;
    struct ck_program *program = NULL;
    struct ck_verdict verdict = {0};
    struct ex *ex = NULL;
    struct mm_error err;
    bool lowered = ex_read(data, size, "fuzz", &ex, &err) == MM_OK;
    if (lowered && ex->config.argument_count == 0 && data[size / 2] % 2 == 0) {
        ex->config.arguments = arguments;
        ex->config.argument_count = ARGUMENTS;
    }
    if (lowered) {
        ex->config.launch = (struct ex_launch){{2, 1, 1}, {2, 1, 1}, 2};
        lowered = ex_lower(ex, &program, &err) == MM_OK;
    }
    if (!model && mm_cat_load("memmodel/models/opencl.cat", NULL, &model, NULL) != MM_OK)
        abort();
    if (lowered && ck_search(program, model, &options, &verdict, &err) == MM_OK)
        ck_verdict_clear(&verdict);
    ex_destroy(ex);
    return lowered;
}

static size_t mutate(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    bool binary = size > 4 && data[0] == 0x03 && data[1] == 0x02;
    return binary ? fuzz_spirv.mutate(data, size, max, seed) : 0;
}

const struct fuzz_reader fuzz_explore = {"explore", read_explore, mutate};
