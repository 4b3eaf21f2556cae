/* Judgements: as a baseline and beside one, and as a driver's column of the matrix of clauses. */
#include "litmus/litmus.h"
#include "spec-xref/xref.h"
#include "tests/fuzz/reader.h"

#include <stdlib.h>

static void read_driver(const char *path)
{
    struct mm_arena *arena = mm_arena_create();
    struct xr_driver driver;
    struct mm_error err = {0};
    if (arena == NULL)
        abort();
    if (xr_driver_load(path, arena, &driver, &err) == MM_OK) {
        xr_driver_verdict(&driver, "litmus/suite/message-passing/MP+rel+acq.litmus");
        xr_driver_verdict(&driver, "");
    }
    mm_arena_destroy(arena);
}

static bool read_judgement(const uint8_t *data, size_t size)
{
    static const char *const others[] = {"tests/fuzz/corpus/judgement/clean.json",
                                         "tests/fuzz/corpus/judgement/forbidden.json"};
    static FILE *nowhere;
    struct mm_error err = {0};
    size_t findings = 0;
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    const char *path = fuzz_file(data, size);
    bool good = nowhere != NULL && lt_gate(path, path, nowhere, &findings, &err) == MM_OK;
    for (size_t i = 0; i < 2 && good; i++) {
        lt_gate(others[i], path, nowhere, &findings, &err);
        lt_gate(path, others[i], nowhere, &findings, &err);
    }
    read_driver(path);
    return good;
}

const struct fuzz_reader fuzz_judgement = {"judgement", read_judgement, fuzz_mutate_json};
