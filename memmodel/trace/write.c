/* The trace writer: a sink that codes records into a buffer and writes it out chunk by chunk.
 * Its memory is bounded by the largest chunk. */
#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/own_fd.h"
#include "memmodel/trace/host.h"
#include "memmodel/trace/mapped.h"
#include "memmodel/trace/ring.h"
#include "memmodel/trace/trace.h"
#include "memmodel/zstd/codec.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct writer {
    struct mm_own_fd file;
    struct mm_ring *ring;     /* NULL: records are written to FILE */
    struct mm_mapped *mapped; /* NULL: by system calls */
    unsigned flags;
    bool failed;
    struct mm_trace_failure report;
    struct mm_codec *codec;
    struct mm_trace_state state;
    mm_event_id chunk_first, next_event;
    unsigned char *raw, *out; /* OUT: chunk header and payload */
    size_t used, raw_capacity, out_capacity;
};

static enum mm_class writer_fail(struct writer *w, int error)
{
    bool first = !w->failed;
    w->failed = true;
    if (first && w->report.function)
        w->report.function(w->report.context, error);
    return MM_LIMIT;
}

/* Nothing is written once the application has closed the descriptor: its number may denote a file of the
 * application. */
static bool writer_send(const struct mm_own_fd *file, const unsigned char *p, size_t size)
{
    if (mm_own_fd_valid(file))
        return mm_write_all(file->fd, p, size);
    errno = EBADF;
    return false;
}

/* The descriptor is checked where the ring is full, and at the end: what is in the ring does no harm. */
static bool writer_send_ring(const struct writer *w, const unsigned char *p, size_t size)
{
    if (!mm_ring_has_room(w->ring, size) && !mm_own_fd_valid(&w->file)) {
        errno = EBADF;
        return false;
    }
    return mm_ring_write(w->ring, w->file.fd, p, size);
}

/* Writes and remembers the first failure, which is reported at once: nothing is written after it, so that the
 * trace has no end mark and is read as incomplete. */
static enum mm_class writer_put(struct writer *w, const unsigned char *p, size_t size)
{
    bool sent = !w->failed;
    if (sent && w->ring)
        sent = writer_send_ring(w, p, size);
    else if (sent)
        sent = w->mapped ? mm_mapped_append(w->mapped, &w->file, p, size) : writer_send(&w->file, p, size);
    return sent ? MM_OK : writer_fail(w, errno);
}

/* Compresses and writes what the buffer holds; stored uncompressed where that is smaller. */
static enum mm_class write_chunk(struct writer *w)
{
    if (!w->used || w->failed)
        return w->failed ? MM_LIMIT : MM_OK;
    size_t bound = MM_TRACE_CHUNK_HEADER + mm_codec_bound(w->used);
    if (!mm_reserve(&w->out, &w->out_capacity, bound))
        return writer_fail(w, ENOMEM);
    unsigned char *payload = w->out + MM_TRACE_CHUNK_HEADER;
    size_t stored = 0;
    if (!(w->flags & MM_TRACE_UNCOMPRESSED))
        stored = mm_codec_pack(w->codec, payload, w->out_capacity - MM_TRACE_CHUNK_HEADER, w->raw, w->used);
    struct mm_trace_chunk chunk = {.codec = MM_TRACE_ZSTD, .raw = (uint32_t)w->used};
    if (stored == 0 || stored >= w->used) {
        chunk.codec = MM_TRACE_RAW;
        stored = w->used;
        memcpy(payload, w->raw, stored);
    }
    chunk.stored = (uint32_t)stored;
    chunk.first_event = w->chunk_first;
    chunk.checksum = mm_checksum(payload, stored);
    mm_trace_chunk_put(w->out, &chunk);
    mm_trace_restart(&w->state);
    w->chunk_first = w->next_event;
    w->used = 0;
    return writer_put(w, w->out, MM_TRACE_CHUNK_HEADER + stored);
}

/* Whether the chunk is not full; the buffer is as large from the start. */
static inline bool has_room(const struct writer *w, size_t size)
{
    return w->used + size <= MM_TRACE_CHUNK_TARGET && w->next_event - w->chunk_first < MM_TRACE_CHUNK_EVENTS;
}

/* Makes room for SIZE more bytes: by writing the chunk when it is full, else by growing the buffer. */
static enum mm_class make_room(struct writer *w, size_t size)
{
    if (w->used && !has_room(w, size)) {
        enum mm_class cls = write_chunk(w);
        if (cls != MM_OK)
            return cls;
    }
    return !w->failed && mm_reserve(&w->raw, &w->raw_capacity, w->used + size) ? MM_OK
                                                                               : writer_fail(w, ENOMEM);
}

static enum mm_class write_events(void *context, const struct mm_event *events, size_t count)
{
    struct writer *w = context;
    for (size_t i = 0, coded; i < count; i += coded) {
        enum mm_class cls =
            has_room(w, MM_TRACE_EVENT_MAX) && !w->failed ? MM_OK : make_room(w, MM_TRACE_EVENT_MAX);
        if (cls != MM_OK)
            return cls;
        coded = mm_trace_extend_run(&w->state, &events[i], count - i, w->raw + w->used);
        if (coded == 0) {
            w->used += mm_trace_encode_event(&w->state, &events[i], w->raw + w->used);
            coded = 1;
        }
        w->next_event += coded;
    }
    return MM_OK;
}

static enum mm_class write_row(void *context, const struct mm_event *first, uint32_t count)
{
    struct writer *w = context;
    struct mm_event event = *first;
    for (uint32_t written = 0, added; written < count; written += added) {
        event.agent.index = first->agent.index + written;
        enum mm_class cls = write_events(w, &event, 1);
        if (cls != MM_OK)
            return cls;
        added = mm_trace_extend_row(&w->state, count - written - 1, w->raw + w->used);
        w->next_event += added++;
    }
    return MM_OK;
}

static enum mm_class write_record(void *context, const struct mm_record *record)
{
    struct writer *w = context;
    if (record->type == MM_RECORD_EVENT)
        return write_events(w, &record->event, 1);
    enum mm_class cls = make_room(w, mm_trace_record_bound(record));
    if (cls == MM_OK)
        w->used += mm_trace_encode_record(record, w->raw + w->used);
    w->state.run = 0;
    return cls;
}

static void write_retired(void *context, mm_event_id id)
{
    write_record(context, &(struct mm_record){.type = MM_RECORD_RETIRED, .retired = {id}});
}

static enum mm_class write_flush(void *context)
{
    return write_chunk(context);
}

static void free_writer(struct writer *w)
{
    mm_codec_destroy(w->codec);
    mm_ring_destroy(w->ring);
    mm_free(w->raw);
    mm_free(w->out);
    mm_free(w);
}

static void write_close(void *context)
{
    struct writer *w = context;
    if (w->ring && !mm_own_fd_valid(&w->file))
        writer_fail(w, EBADF);
    if (write_chunk(w) == MM_OK) {
        unsigned char end[MM_TRACE_CHUNK_HEADER];
        mm_trace_chunk_put(end,
                           &(struct mm_trace_chunk){.codec = MM_TRACE_END, .first_event = w->next_event});
        writer_put(w, end, sizeof end);
    }
    bool cut = mm_mapped_destroy(w->mapped, &w->file);
    if (!mm_own_fd_close(&w->file) || !cut)
        writer_fail(w, errno);
    free_writer(w);
}

static bool write_header(struct writer *w)
{
    unsigned char header[MM_TRACE_FILE_HEADER] = MM_TRACE_MAGIC;
    header[8] = MM_TRACE_VERSION;
    if (w->flags & MM_TRACE_RING)
        w->ring = mm_ring_send(w->file.fd, header, sizeof header);
    bool sent = w->ring || writer_send(&w->file, header, sizeof header);
    if (sent && w->flags & MM_TRACE_MAPPED)
        w->mapped = mm_mapped_create(&w->file);
    return sent;
}

enum mm_class mm_trace_writer(int fd, unsigned flags, const struct mm_trace_failure *failure,
                              struct mm_sink *sink, struct mm_error *err)
{
    struct writer *w = mm_alloc_zero(1, sizeof *w);
    if (!w) {
        close(fd);
        return mm_fail(err, MM_LIMIT, "trace.memory", "no memory for a trace writer");
    }
    bool opened = mm_own_fd_open(&w->file, fd);
    w->flags = flags;
    if (failure)
        w->report = *failure;
    w->state.without_values = flags & MM_TRACE_WITHOUT_VALUES;
    w->state.runs = flags & MM_TRACE_FOR_SESSION;
    w->codec = mm_codec_create();
    if (!w->codec || !mm_reserve(&w->raw, &w->raw_capacity, MM_TRACE_CHUNK_TARGET)) {
        mm_own_fd_close(&w->file);
        free_writer(w);
        return mm_fail(err, MM_LIMIT, "trace.memory", "no memory for a trace writer");
    }
    if (!opened || !write_header(w)) {
        int error = errno;
        mm_own_fd_close(&w->file);
        free_writer(w);
        errno = error;
        return mm_fail(err, MM_LIMIT, "trace.write", "cannot write a trace: %s", strerror(errno));
    }
    *sink = (struct mm_sink){.context = w,
                             .record = write_record,
                             .events = write_events,
                             .flush = write_flush,
                             .close = write_close,
                             .retire = flags & MM_TRACE_FOR_SESSION ? write_retired : NULL,
                             .row = flags & MM_TRACE_FOR_SESSION ? write_row : NULL};
    return MM_OK;
}
