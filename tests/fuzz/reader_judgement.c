/* Judgements, as a baseline and beside one. */
#include "litmus/litmus.h"
#include "tests/fuzz/reader.h"

static bool read_judgement(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct mm_error err = {0};
    size_t findings = 0;
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    const char *path = fuzz_file(data, size);
    bool good = nowhere != NULL && lt_gate(path, path, nowhere, &findings, &err) == MM_OK;
    lt_gate("tests/fuzz/corpus/judgement/clean.json", path, nowhere, &findings, &err);
    lt_gate(path, "tests/fuzz/corpus/judgement/clean.json", nowhere, &findings, &err);
    return good;
}

const struct fuzz_reader fuzz_judgement = {"judgement", read_judgement, fuzz_mutate_json};
