/* Traces, with re-execution records: whole files, or records that become one chunk of a trace with valid
 * checksums. */
#include "interp/replay/expand.h"
#include "tests/fuzz/reader.h"

static enum mm_class take(void *context, const struct mm_record *record)
{
    size_t *sum = context;
    *sum += record->type == MM_RECORD_EVENT ? record->event.size : (size_t)record->type;
    return MM_OK;
}

static bool read_trace(const uint8_t *data, size_t size)
{
    size_t sum = 0;
    bool complete;
    struct mm_error err = {0};
    struct mm_sink sink = {.context = &sum, .record = take};
    fuzz_as_trace(data, size);
    return in_expand_trace(fuzz_file_descriptor(), "fuzz", &sink, &complete, &err) == MM_OK;
}

const struct fuzz_reader fuzz_trace = {"trace", read_trace, NULL};
