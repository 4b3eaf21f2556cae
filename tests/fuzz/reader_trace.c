/* Traces, with launches that are executed again: whole files, or records that become one chunk of a trace
 * whose checksums are right. */
#include "interp/replay/expand.h"
#include "memmodel/base/hash.h"
#include "memmodel/trace/trace.h"
#include "tests/fuzz/reader.h"

#include <string.h>

static enum mm_class take(void *context, const struct mm_record *record)
{
    size_t *sum = context;
    *sum += record->type == MM_RECORD_EVENT ? record->event.size : (size_t)record->type;
    return MM_OK;
}

/* Without the chunk at the end of a trace: that has the number of events. */
static void add_trace(const uint8_t *data, size_t size)
{
    static const unsigned char begin[MM_TRACE_FILE_HEADER] = {
        'r', 'e', 'f', 'c', 'l', 't', 'r', 'c', MM_TRACE_VERSION};
    unsigned char header[MM_TRACE_CHUNK_HEADER];
    struct mm_trace_chunk chunk = {.codec = MM_TRACE_RAW,
                                   .stored = (uint32_t)size,
                                   .raw = (uint32_t)size,
                                   .checksum = mm_checksum(data, size)};
    mm_trace_chunk_put(header, &chunk);
    fuzz_file_begin();
    fuzz_file_add(begin, sizeof begin);
    fuzz_file_add(header, sizeof header);
    fuzz_file_add(data, size);
}

static bool read_trace(const uint8_t *data, size_t size)
{
    size_t sum = 0;
    bool complete;
    struct mm_error err = {0};
    struct mm_sink sink = {.context = &sum, .record = take};
    if (size >= 8 && memcmp(data, MM_TRACE_MAGIC, 8) == 0)
        fuzz_file(data, size);
    else
        add_trace(data, size);
    return in_expand_trace(fuzz_file_descriptor(), "fuzz", &sink, &complete, &err) == MM_OK;
}

const struct fuzz_reader fuzz_trace = {"trace", read_trace, NULL};
