/* Files that are added to a store of results: results, judgements, reports, benchmarks and JUnit; then a
 * baseline from it. */
#include "tests/fuzz/reader.h"
#include "tools/store/store.h"

#include <stdlib.h>

static bool read_store(const uint8_t *data, size_t size)
{
    static const struct store_add_options options = {"2026-01-01", "device", "driver", "litmus/suite"};
    static FILE *nowhere;
    struct store store;
    struct mm_error err = {0};
    enum store_added added;
    int64_t run;
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    if (nowhere == NULL || store_open(":memory:", true, &store, &err) != MM_OK)
        abort();
    const char *path = fuzz_file(data, size);
    bool good = store_add(&store, path, &options, &added, &run, &err) == MM_OK;
    if (good && (store_add(&store, path, &options, &added, &run, &err) != MM_OK || added != STORE_KNOWN))
        abort(); /* a file is added once */
    store_baseline(&store, path, nowhere, &err);
    store_close(&store);
    return good;
}

const struct fuzz_reader fuzz_store = {"store", read_store, fuzz_mutate_json};
