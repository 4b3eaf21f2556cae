/* Trace files: written records are read back, a truncated file has its prefix, damage is detected. */
#include "memmodel/trace/host.h"
#include "random_trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

static char words[7][64];
static const char *random_word(void)
{
    char *s = words[rnd() % 7];
    size_t n = rnd() % 63;
    for (size_t i = 0; i < n; i++)
        s[i] = (char)(rnd() % 255 + 1);
    s[n] = 0;
    return s;
}

static struct mm_record random_record(mm_event_id next)
{
    struct mm_record r;
    memset(&r, 0, sizeof r);
    r.type = (enum mm_record_type)(MM_RECORD_EVENT + rnd() % MM_RECORD_TERM);
    switch (r.type) {
    case MM_RECORD_EVENT:
        r.event = random_event();
        break;
    case MM_RECORD_EDGE:
        if (!next)
            next = 1;
        r.edge =
            (struct mm_edge){.from = rnd() % next, .to = next, .kind = (uint32_t)(rnd() % MM_EDGE_COUNT)};
        break;
    case MM_RECORD_ALLOCATION:
        r.allocation = (struct mm_allocation){.id = (uint32_t)(rnd() | 1),
                                              .object = (uint32_t)rnd(),
                                              .region = (uint8_t)(rnd() % MM_REGION_COUNT),
                                              .origin = (uint8_t)(rnd() % MM_ORIGIN_COUNT),
                                              .device = (int16_t)rnd(),
                                              .command = (uint32_t)rnd(),
                                              .address = rnd(),
                                              .size = rnd(),
                                              .flags = rnd(),
                                              .name = random_word(),
                                              .element = {(uint32_t)(rnd() % 9), (uint32_t)(rnd() % 4)}};
        break;
    case MM_RECORD_SOURCE:
        r.source.id = (uint32_t)(rnd() | 1);
        r.source.line = (uint32_t)rnd();
        r.source.column = (uint32_t)rnd();
        r.source.file = "kernel.cl";
        r.source.function = "f";
        r.source.opcode = random_word();
        r.source.caller = (uint32_t)rnd();
        break;
    case MM_RECORD_COMMAND:
        r.command.id = (uint32_t)(rnd() | 1);
        r.command.dimensions = (uint32_t)(rnd() % 4);
        for (int d = 0; d < 3; d++) {
            r.command.global_size[d] = rnd();
            r.command.global_offset[d] = rnd();
            r.command.local_size[d] = (uint32_t)rnd();
        }
        r.command.kind = "clEnqueueNDRangeKernel";
        r.command.kernel = random_word();
        break;
    case MM_RECORD_ARGUMENT:
        r.argument.command = (uint32_t)(rnd() | 1);
        r.argument.offset = rnd();
        r.argument.name = random_word();
        r.argument.type_name = "int*";
        break;
    case MM_RECORD_TEXT:
        r.text.file = "kernel.cl";
        r.text.text = random_word();
        break;
    case MM_RECORD_FINDING:
        r.finding.kind = "out-of-bounds";
        r.finding.clause = "CLC 6.3";
        r.finding.message = random_word();
        r.finding.offset = rnd();
        break;
    case MM_RECORD_CONTENT:
        r.content = (struct mm_content){.allocation = (uint32_t)(rnd() | 1),
                                        .offset = rnd() >> 1,
                                        .size = 1 + rnd() % sizeof words[0],
                                        .bytes = rnd() % 4 ? words[rnd() % 7] : NULL};
        break;
    case MM_RECORD_PROGRAM:
        r.program = (struct mm_program){(uint32_t)(rnd() | 1), (uint32_t)(rnd() % sizeof words), words};
        break;
    case MM_RECORD_REPLAY:
        r.replay = (struct mm_replay){(uint32_t)(rnd() | 1), (uint32_t)(rnd() | 1),
                                      (uint32_t)(rnd() % sizeof words), words};
        break;
    case MM_RECORD_TERM:
        r.term = (struct mm_term){.agent = {(uint32_t)(rnd() | 1), (uint32_t)rnd()},
                                  .id = 100 + (uint32_t)(rnd() % 100),
                                  .a = (uint32_t)(rnd() % 100),
                                  .b = (uint32_t)(rnd() % 100),
                                  .c = (uint32_t)(rnd() % 100),
                                  .op = (uint8_t)(rnd() % MM_TERM_COUNT),
                                  .size = (uint8_t)(1 << rnd() % 4)};
        r.term.value = r.term.op == MM_TERM_UPDATE ? rnd() % MM_UPDATE_COUNT : rnd();
        break;
    case MM_RECORD_RETIRED: /* not given to the sink's record() */
        break;
    }
    return r;
}

/* A sink that hashes everything it receives into one number, including strings. */
struct digest {
    uint64_t sum;
    uint64_t events, records;
};
static void fold(struct digest *d, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        d->sum = (d->sum ^ b[i]) * 0x100000001b3u;
}
static void fold_string(struct digest *d, const char *s)
{
    fold(d, s, strlen(s) + 1);
}
static enum mm_class digest_record(void *context, const struct mm_record *r)
{
    struct digest *d = context;
    d->records++;
    fold(d, &r->type, sizeof r->type);
    switch (r->type) {
    case MM_RECORD_EVENT:
        d->events++;
        fold(d, &r->event, sizeof r->event);
        break;
    case MM_RECORD_EDGE:
        fold(d, &r->edge.from, 8);
        fold(d, &r->edge.to, 8);
        fold(d, &r->edge.kind, 4);
        break;
    case MM_RECORD_ALLOCATION:
        fold(d, &r->allocation, offsetof(struct mm_allocation, device) + 2);
        fold(d, &r->allocation.address, 24);
        fold_string(d, r->allocation.name);
        fold(d, &r->allocation.element, sizeof r->allocation.element);
        break;
    case MM_RECORD_SOURCE:
        fold(d, &r->source.id, 12);
        fold_string(d, r->source.file);
        fold_string(d, r->source.function);
        fold_string(d, r->source.opcode);
        fold(d, &r->source.caller, 4);
        break;
    case MM_RECORD_COMMAND:
        fold(d, &r->command.id, 24);
        fold(d, r->command.global_size, 48);
        fold(d, r->command.local_size, 16);
        fold_string(d, r->command.kind);
        fold_string(d, r->command.kernel);
        break;
    case MM_RECORD_ARGUMENT:
        fold(d, &r->argument.command, 12);
        fold(d, &r->argument.offset, 12);
        fold_string(d, r->argument.name);
        fold_string(d, r->argument.type_name);
        break;
    case MM_RECORD_TEXT:
        fold_string(d, r->text.file);
        fold_string(d, r->text.text);
        break;
    case MM_RECORD_FINDING:
        fold(d, &r->finding.agent, 16);
        fold(d, &r->finding.offset, 12);
        fold_string(d, r->finding.kind);
        fold_string(d, r->finding.clause);
        fold_string(d, r->finding.message);
        break;
    case MM_RECORD_CONTENT:
        fold(d, &r->content.allocation, 4);
        fold(d, &r->content.offset, 16);
        fold(d, r->content.bytes, r->content.bytes ? (size_t)r->content.size : 0);
        break;
    case MM_RECORD_PROGRAM:
        fold(d, &r->program.id, 8);
        fold(d, r->program.bytes, r->program.size);
        break;
    case MM_RECORD_REPLAY:
        fold(d, &r->replay.command, 12);
        fold(d, r->replay.bytes, r->replay.size);
        break;
    case MM_RECORD_TERM:
        fold(d, &r->term, offsetof(struct mm_term, size) + 1);
        break;
    case MM_RECORD_RETIRED:
        fail();
    }
    return MM_OK;
}

/* Writes N random records to FD (kept open) and returns the digest of them. */
static unsigned writer_flags;

static struct digest write_random(int fd, size_t n)
{
    struct digest d = {0};
    struct mm_sink sink;
    struct mm_error err;
    assert_int_equal(mm_trace_writer(dup(fd), writer_flags, NULL, &sink, &err), MM_OK);
    for (size_t i = 0; i < n; i++) {
        struct mm_record r = random_record(d.events);
        if (r.type == MM_RECORD_EDGE && !d.events)
            continue;
        if (r.type == MM_RECORD_EVENT && writer_flags & MM_TRACE_WITHOUT_VALUES) {
            assert_int_equal(sink.record(sink.context, &r), MM_OK);
            r.event.value_read = r.event.value_written = 0;
            digest_record(&d, &r);
            continue;
        }
        digest_record(&d, &r);
        assert_int_equal(sink.record(sink.context, &r), MM_OK);
        if (rnd() % 500 == 0)
            assert_int_equal(sink.flush(sink.context), MM_OK);
    }
    sink.close(sink.context);
    return d;
}

static enum mm_class read_digest(int fd, struct digest *d, bool *complete, struct mm_error *err)
{
    *d = (struct digest){0};
    struct mm_sink sink = {.context = d, .record = digest_record};
    return mm_trace_read(fd, "t", &sink, complete, err);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        int fd = temporary();
        struct digest written = write_random(fd, 5000), got;
        struct mm_error err;
        bool complete;
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(read_digest(fd, &got, &complete, &err), MM_OK);
        assert_true(complete);
        assert_int_equal(got.records, written.records);
        assert_int_equal(got.sum, written.sum);
        close(fd);
    }
}

static void what_a_reader_does_not_want_is_left_out(void **state)
{
    const unsigned all[] = {MM_TRACE_UNCOMPRESSED, MM_TRACE_WITHOUT_VALUES,
                            MM_TRACE_UNCOMPRESSED | MM_TRACE_WITHOUT_VALUES};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        writer_flags = all[i];
        what_is_written_comes_back(state);
    }
    writer_flags = 0;
}

static mm_event_id retired_sum;

static void sum_retired(void *context, mm_event_id id)
{
    (void)context;
    retired_sum += id;
}

/* Retirements go to the sink's own function, if there is one, and only for writers that request them. */
static void retired_events_come_back(void **state)
{
    (void)state;
    struct mm_error err;
    struct mm_sink sink;
    struct digest d = {0};
    bool complete;
    int fd = temporary();
    assert_int_equal(mm_trace_writer(dup(fd), 0, NULL, &sink, &err), MM_OK);
    assert_null(sink.retire);
    sink.close(sink.context);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(mm_trace_writer(dup(fd), MM_TRACE_FOR_SESSION, NULL, &sink, &err), MM_OK);
    struct mm_record event = {.type = MM_RECORD_EVENT, .event = {.kind = MM_API_CALL}};
    for (mm_event_id id = 0; id < 1000; id++) {
        sink.record(sink.context, &event);
        sink.retire(sink.context, id);
    }
    sink.close(sink.context);
    for (int wanted = 0; wanted < 2; wanted++) {
        struct mm_sink reader = {
            .context = &d, .record = digest_record, .retire = wanted ? sum_retired : NULL};
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(mm_trace_read(fd, "t", &reader, &complete, &err), MM_OK);
        assert_int_equal(retired_sum, wanted ? 1000 * 999 / 2 : 0);
    }
    assert_int_equal(d.events, 2000);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(mm_trace_writer(dup(fd), MM_TRACE_FOR_SESSION, NULL, &sink, &err), MM_OK);
    sink.retire(sink.context, 0); /* no event is recorded yet */
    sink.close(sink.context);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(read_digest(fd, &d, &complete, &err), MM_INVALID);
    close(fd);
}

/* Bytes of a trace of 5,000 records. */
static off_t size_with(unsigned flags)
{
    int fd = temporary();
    random_state = 1;
    writer_flags = flags;
    write_random(fd, 5000);
    writer_flags = 0;
    off_t size = lseek(fd, 0, SEEK_END);
    close(fd);
    return size;
}

static void flags_change_the_size(void **state)
{
    (void)state;
    assert_true(size_with(0) < size_with(MM_TRACE_UNCOMPRESSED));
    assert_true(size_with(MM_TRACE_WITHOUT_VALUES) < size_with(0));
    assert_true(size_with(MM_TRACE_UNCOMPRESSED | MM_TRACE_WITHOUT_VALUES) <
                size_with(MM_TRACE_UNCOMPRESSED));
}

static void *pipe_writer(void *argument)
{
    int *fd = argument;
    struct digest *d = malloc(sizeof *d);
    *d = write_random(*fd, 20000);
    close(*fd);
    return d;
}

static void a_pipe_is_as_good_as_a_file(void **state)
{
    (void)state;
    int ends[2];
    pthread_t thread;
    void *result;
    assert_int_equal(pipe(ends), 0);
    pthread_create(&thread, NULL, pipe_writer, &ends[1]);
    struct digest got;
    struct mm_error err;
    bool complete;
    assert_int_equal(read_digest(ends[0], &got, &complete, &err), MM_OK);
    pthread_join(thread, &result);
    assert_true(complete);
    assert_int_equal(got.sum, ((struct digest *)result)->sum);
    free(result);
    close(ends[0]);
}

static void a_closed_pipe_is_an_error_and_no_signal(void **state)
{
    (void)state;
    int ends[2];
    struct mm_sink sink;
    struct mm_error err;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(mm_trace_writer(ends[1], 0, NULL, &sink, &err), MM_OK);
    close(ends[0]);
    struct mm_record r = {.type = MM_RECORD_EVENT};
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
    assert_int_equal(sink.flush(sink.context), MM_LIMIT);
    sink.close(sink.context);
}

static void every_cut_leaves_a_readable_prefix(void **state)
{
    (void)state;
    int fd = temporary();
    struct digest whole = write_random(fd, 1500), got;
    struct mm_error err;
    bool complete;
    off_t size = lseek(fd, 0, SEEK_END);
    uint64_t last = whole.records;
    for (off_t cut = size - 1; cut >= 0; cut--) {
        if (cut > 100 && cut < size - 100 && rnd() % 64)
            continue;
        assert_int_equal(ftruncate(fd, cut), 0);
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(read_digest(fd, &got, &complete, &err), MM_OK);
        assert_false(complete);
        assert_true(got.records <= last);
        last = got.records;
    }
    assert_int_equal(last, 0);
    close(fd);
}

/* Every single flipped bit is detected: as damage, or (in the last chunk's length) never as a valid trace. */
static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    int fd = temporary();
    write_random(fd, 300);
    off_t size = lseek(fd, 0, SEEK_END);
    for (int i = 0; i < 4000; i++) {
        unsigned char byte;
        off_t at = (off_t)(rnd() % (uint64_t)size);
        if (at >= 12 && at < 16)
            continue; /* reserved bytes of the file header */
        struct digest got;
        struct mm_error err = {0};
        bool complete;
        assert_int_equal(pread(fd, &byte, 1, at), 1);
        unsigned char flipped = byte ^ (unsigned char)(1u << rnd() % 8);
        assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(read_digest(fd, &got, &complete, &err), MM_INVALID);
        assert_true(err.message[0] != 0);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const char texts[3][64] = {"refcltrX", "hello, world: this is no trace at all, just text",
                                      "refcltrc\177\0\0\0\0\0\0\0"};
    for (size_t i = 0; i < 3; i++) {
        int fd = temporary();
        struct digest got;
        struct mm_error err = {0};
        bool complete;
        assert_int_equal(write(fd, texts[i], 16), 16);
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(read_digest(fd, &got, &complete, &err), MM_INVALID);
        close(fd);
    }
}

static enum mm_class refuse(void *context, const struct mm_record *record)
{
    (void)context, (void)record;
    return MM_LIMIT;
}

static void a_consumer_can_stop(void **state)
{
    (void)state;
    int fd = temporary();
    struct mm_sink sink = {.record = refuse};
    struct mm_error err;
    bool complete;
    write_random(fd, 10);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(mm_trace_read(fd, "t", &sink, &complete, &err), MM_LIMIT);
    assert_false(complete);
    close(fd);
}

static void a_long_text_is_kept(void **state)
{
    (void)state;
    size_t n = 3 << 20;
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    text[n] = 0;
    int fd = temporary();
    struct mm_sink sink;
    struct mm_error err;
    bool complete;
    struct digest want = {0}, got;
    struct mm_record r = {.type = MM_RECORD_TEXT, .text = {"a.cl", text}};
    assert_int_equal(mm_trace_writer(dup(fd), 0, NULL, &sink, &err), MM_OK);
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
    sink.close(sink.context);
    digest_record(&want, &r);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(read_digest(fd, &got, &complete, &err), MM_OK);
    assert_int_equal(got.sum, want.sum);
    free(text);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(what_a_reader_does_not_want_is_left_out),
        cmocka_unit_test(retired_events_come_back),
        cmocka_unit_test(flags_change_the_size),
        cmocka_unit_test(a_pipe_is_as_good_as_a_file),
        cmocka_unit_test(a_closed_pipe_is_an_error_and_no_signal),
        cmocka_unit_test(every_cut_leaves_a_readable_prefix),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_consumer_can_stop),
        cmocka_unit_test(a_long_text_is_kept),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
