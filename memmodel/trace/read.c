/* The trace reader: checks chunk after chunk and feeds the records to a sink.
 *
 * What a killed writer leaves behind is a prefix of a good trace and is read to its last whole chunk;
 * anything else that does not match is an error with its position. */
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/input.h"
#include "memmodel/trace/trace.h"
#include "memmodel/zstd/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* A batch of events takes a sixth of a first-level cache. */
enum { BATCH = 128, LEAST_ROW = 4, READ_STEP = 1 << 20 };

struct reader {
    mm_trace_input *input;
    void *input_context;
    const char *name;
    const struct mm_sink *sink;
    struct mm_error *err;
    unsigned version;
    uint64_t position; /* bytes read so far */
    uint64_t unpacked; /* bytes of records in them */
    bool limited;      /* the size of unpacked records, in proportion to the bytes read */
    mm_event_id next_event;
    struct mm_codec *codec;
    unsigned char *stored, *raw;
    size_t stored_capacity, raw_capacity;
    struct mm_trace_state state;
    size_t pending_count;
    struct mm_event pending[BATCH];
};

static enum mm_class invalid_trace(struct reader *r, const char *what, uint64_t position)
{
    return mm_fail_at(r->err, MM_INVALID, "trace.format", r->name, 0, 0,
                      "not a valid trace: %s, in the chunk at byte %" PRIu64 " (event %" PRIu64 ")", what,
                      position, r->next_event);
}

/* Reads until SIZE bytes or the end; *GOT: the number of bytes read. */
static enum mm_class read_bytes(struct reader *r, unsigned char *out, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        long n = r->input(r->input_context, out + *got, size - *got);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mm_fail_at(r->err, MM_INVALID, "trace.read", r->name, 0, 0, "cannot read the trace: %s",
                              strerror(errno));
        *got += (size_t)n;
    }
    r->position += *got;
    return MM_OK;
}

static enum mm_class no_memory(struct reader *r)
{
    return mm_fail_at(r->err, MM_LIMIT, "trace.memory", r->name, 0, 0, "no memory for a chunk of the trace");
}

/* The buffer grows with the bytes that are read, not with the size that the header states. */
static enum mm_class read_payload(struct reader *r, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        size_t step = size - *got < READ_STEP ? size - *got : READ_STEP, n;
        if (!mm_reserve(&r->stored, &r->stored_capacity, *got + step))
            return no_memory(r);
        enum mm_class cls = read_bytes(r, r->stored + *got, step, &n);
        if (cls != MM_OK)
            return cls;
        *got += n;
        if (n < step)
            break;
    }
    return MM_OK;
}

static enum mm_class sink_stopped(struct reader *r, enum mm_class cls)
{
    return mm_fail_at(r->err, cls, "trace.sink", r->name, 0, 0,
                      "the consumer of the trace stopped before event %" PRIu64, r->next_event);
}

static enum mm_class push_events(struct reader *r)
{
    size_t count = r->pending_count;
    r->pending_count = 0;
    enum mm_class cls = count ? mm_sink_events(r->sink, r->pending, count) : MM_OK;
    return cls == MM_OK ? MM_OK : sink_stopped(r, cls);
}

static enum mm_class feed_record(struct reader *r, const struct mm_record *record)
{
    enum mm_class cls = push_events(r);
    if (cls != MM_OK)
        return cls;
    if (record->type == MM_RECORD_RETIRED) {
        if (r->sink->retire)
            r->sink->retire(r->sink->context, record->retired.event);
        return MM_OK;
    }
    cls = r->sink->record(r->sink->context, record);
    return cls == MM_OK ? MM_OK : sink_stopped(r, cls);
}

/* Gives the rest of the run, a row that continues the last event, to the sink. */
static enum mm_class feed_row(struct reader *r)
{
    struct mm_event event = r->pending[r->pending_count - 1];
    uint8_t count = r->state.run;
    enum mm_class cls = push_events(r);
    if (cls != MM_OK)
        return cls;
    event.agent.index++;
    r->state.agent.index += count;
    r->state.run = 0;
    r->next_event += count;
    cls = mm_sink_row(r->sink, &event, count);
    return cls == MM_OK ? MM_OK : sink_stopped(r, cls);
}

/* Decodes more events of the current run, as many as the batch has room for. */
static enum mm_class take_run(struct reader *r, struct mm_trace_cursor *cursor, uint64_t position)
{
    size_t n =
        mm_trace_decode_run(cursor, &r->state, &r->pending[r->pending_count], BATCH - r->pending_count);
    r->pending_count += n;
    r->next_event += n;
    if (cursor->problem)
        return invalid_trace(r, cursor->problem, position);
    return r->pending_count == BATCH ? push_events(r) : MM_OK;
}

static enum mm_class feed_records(struct reader *r, const unsigned char *payload, size_t size,
                                  uint64_t position)
{
    struct mm_trace_cursor cursor = {
        .at = payload, .end = payload + size, .version = r->version, .runs = !r->limited};
    mm_trace_restart(&r->state);
    while (cursor.at < cursor.end || r->state.run > 0) {
        struct mm_record record;
        bool is_event = r->state.run > 0 || *cursor.at & 0x80;
        if (is_event ? !mm_trace_decode_event(&cursor, &r->state, &r->pending[r->pending_count])
                     : !mm_trace_decode(&cursor, &r->state, r->next_event, &record))
            return invalid_trace(r, cursor.problem, position);
        r->pending_count += is_event;
        r->next_event += is_event;
        enum mm_class cls = MM_OK;
        if (!is_event)
            cls = feed_record(r, &record);
        else if (r->state.run >= LEAST_ROW && mm_trace_in_row(&r->state))
            cls = feed_row(r);
        else
            cls = take_run(r, &cursor, position);
        if (cls != MM_OK)
            return cls;
    }
    return push_events(r);
}

static enum mm_class use_chunk(struct reader *r, const struct mm_trace_chunk *chunk, uint64_t position)
{
    if (mm_checksum(r->stored, chunk->stored) != chunk->checksum)
        return invalid_trace(r, "the checksum does not match", position);
    if (chunk->first_event != r->next_event)
        return invalid_trace(r, "events are missing", position);
    if (chunk->codec == MM_TRACE_RAW)
        return feed_records(r, r->stored, chunk->raw, position);
    if (!mm_reserve(&r->raw, &r->raw_capacity, chunk->raw))
        return no_memory(r);
    if (mm_codec_unpack(r->codec, r->raw, chunk->raw, r->stored, chunk->stored) != chunk->raw)
        return invalid_trace(r, "the payload cannot be decompressed", position);
    return feed_records(r, r->raw, chunk->raw, position);
}

static enum mm_class read_chunk(struct reader *r, bool *more, bool *complete)
{
    unsigned char header[MM_TRACE_CHUNK_HEADER];
    struct mm_trace_chunk chunk;
    uint64_t position = r->position;
    size_t got;
    *more = false;
    enum mm_class cls = read_bytes(r, header, sizeof header, &got);
    if (cls != MM_OK || got < sizeof header)
        return cls;
    if (memcmp(header, "\0\0\0", 4) == 0) /* reserved by a writer that was killed */
        return MM_OK;
    if (!mm_trace_chunk_get(header, &chunk))
        return invalid_trace(r, "the header of a chunk is damaged", position);
    if (chunk.codec == MM_TRACE_END) {
        *complete = true;
        return chunk.first_event == r->next_event ? MM_OK : invalid_trace(r, "events are missing", position);
    }
    cls = read_payload(r, chunk.stored, &got);
    if (cls != MM_OK || got < chunk.stored)
        return cls;
    *more = true;
    r->unpacked += chunk.raw;
    cls = r->limited ? mm_input_check(MM_INPUT_TRACE_RECORDS, r->position, r->unpacked, r->name, r->err)
                     : MM_OK;
    return cls == MM_OK ? use_chunk(r, &chunk, position) : cls;
}

static enum mm_class read_header(struct reader *r, bool *more)
{
    unsigned char header[MM_TRACE_FILE_HEADER];
    size_t got;
    *more = false;
    enum mm_class cls = read_bytes(r, header, sizeof header, &got);
    if (cls != MM_OK)
        return cls;
    if (memcmp(header, MM_TRACE_MAGIC, got < 8 ? got : 8) != 0)
        return mm_fail_at(r->err, MM_INVALID, "trace.magic", r->name, 0, 0, "this is not a trace file");
    if (got < sizeof header)
        return MM_OK;
    unsigned version = (unsigned)header[8] | (unsigned)header[9] << 8 | (unsigned)header[10] << 16 |
                       (unsigned)header[11] << 24;
    if (version < 1 || version > MM_TRACE_VERSION)
        return mm_fail_at(r->err, MM_INVALID, "trace.version", r->name, 0, 0,
                          "trace version %u is not supported, only 1 to %d", version, MM_TRACE_VERSION);
    r->version = version;
    *more = true;
    return MM_OK;
}

static enum mm_class read_trace(mm_trace_input *input, void *context, bool limited, const char *name,
                                const struct mm_sink *sink, bool *complete, struct mm_error *err)
{
    bool more = false;
    *complete = false;
    struct reader *r = mm_alloc_zero(1, sizeof *r);
    if (!r || !(r->codec = mm_codec_create())) {
        mm_free(r);
        return mm_fail(err, MM_LIMIT, "trace.memory", "no memory for a trace reader");
    }
    r->input = input;
    r->input_context = context;
    r->limited = limited;
    r->name = name ? name : "";
    r->sink = sink;
    r->err = err;
    enum mm_class cls = read_header(r, &more);
    while (cls == MM_OK && more)
        cls = read_chunk(r, &more, complete);
    if (cls != MM_OK)
        *complete = false;
    mm_codec_destroy(r->codec);
    mm_free(r->stored);
    mm_free(r->raw);
    mm_free(r);
    return cls;
}

enum mm_class mm_trace_read_from(mm_trace_input *input, void *context, const char *name,
                                 const struct mm_sink *sink, bool *complete, struct mm_error *err)
{
    return read_trace(input, context, false, name, sink, complete, err);
}

static long read_descriptor(void *context, void *out, size_t size)
{
    return read(*(const int *)context, out, size);
}

enum mm_class mm_trace_read(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                            struct mm_error *err)
{
    return read_trace(read_descriptor, &fd, false, name, sink, complete, err);
}

enum mm_class mm_trace_read_file(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                                 struct mm_error *err)
{
    return read_trace(read_descriptor, &fd, true, name, sink, complete, err);
}
