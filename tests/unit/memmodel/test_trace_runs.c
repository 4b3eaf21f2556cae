/* Events that a trace codes together: runs of predicted events, and rows of the same event of many work-items. */
#include "memmodel/trace/host.h"
#include "random_trace.h"

/* ---- runs ----------------------------------------------------------------------------------- */

enum { LOOPED = 20000, ZEROS = 5000 };
static struct mm_event looped[LOOPED];
static size_t looped_back;

static enum mm_class compare_looped(void *context, const struct mm_record *record)
{
    (void)context;
    if (record->type == MM_RECORD_EVENT)
        assert_memory_equal(&record->event, &looped[looped_back++], sizeof record->event);
    return MM_OK;
}

/* Work-items that execute the same loops, up to 80 sources each; one event in UNLIKE is another one, and one
 * in 16 has VALUES.  The last ones are all zero, as a reader predicts at the beginning of a chunk. */
static void fill_looped(uint32_t unlike, bool values)
{
    uint32_t sources = 1 + (uint32_t)(rnd() % 80), stride = (uint32_t)(rnd() % 64), item = 0;
    for (size_t i = 0; i < LOOPED; i++) {
        if (rnd() % 1000 == 0)
            sources = 1 + (uint32_t)(rnd() % 80);
        item += i % sources == 0 && rnd() % 50 != 0;
        looped[i] = (struct mm_event){.agent = {1, item},
                                      .kind = (uint8_t)(i % sources % 2 ? MM_WRITE : MM_READ),
                                      .allocation = (uint32_t)(i % sources % 3),
                                      .size = 4,
                                      .source = (uint32_t)(i % sources),
                                      .offset = i * stride};
        if (rnd() % unlike == 0)
            looped[i] = random_event();
        looped[i].value_read = values && rnd() % 16 == 0 ? rnd() : 0;
        looped[i].value_written = values && rnd() % 16 == 0 ? rnd() : 0;
    }
    memset(&looped[LOOPED - ZEROS], 0, ZEROS * sizeof *looped);
}

/* Writes the events with FLAGS, and now and then a record between them; returns the size. */
static off_t write_looped(int fd, unsigned flags)
{
    struct mm_error err;
    struct mm_sink sink;
    assert_int_equal(mm_trace_writer(dup(fd), flags, NULL, &sink, &err), MM_OK);
    for (size_t i = 0; i < LOOPED;) {
        size_t count = 1 + rnd() % 1000, left = LOOPED - i;
        count = count < left ? count : left;
        assert_int_equal(sink.events(sink.context, &looped[i], count), MM_OK);
        i += count;
        struct mm_record text = {.type = MM_RECORD_TEXT, .text = {.file = "f", .text = "t"}};
        if (rnd() % 2)
            assert_int_equal(sink.record(sink.context, &text), MM_OK);
        else if (rnd() % 4 == 0)
            sink.flush(sink.context);
    }
    sink.close(sink.context);
    off_t size = lseek(fd, 0, SEEK_END);
    lseek(fd, 0, SEEK_SET);
    return size;
}

/* Predicted events are coded as runs for sessions, and for these only. */
static void runs_come_back(void **state)
{
    (void)state;
    struct mm_sink reader = {.record = compare_looped};
    struct mm_error err;
    bool complete;
    for (uint32_t unlike = 2; unlike <= 1 << 14; unlike *= 2) {
        bool values = unlike < 16;
        unsigned flags = MM_TRACE_UNCOMPRESSED | (values ? 0 : MM_TRACE_WITHOUT_VALUES);
        random_state = unlike;
        fill_looped(unlike, values);
        int fd = temporary();
        off_t size = write_looped(fd, flags | MM_TRACE_FOR_SESSION);
        looped_back = 0;
        assert_int_equal(mm_trace_read(fd, "t", &reader, &complete, &err), MM_OK);
        assert_true(complete);
        assert_int_equal(looped_back, LOOPED);
        if (unlike == 1 << 14) {
            int other = temporary();
            assert_true(4 * size < write_looped(other, flags));
            close(other);
            lseek(fd, 0, SEEK_SET);
            looped_back = 0;
            assert_int_equal(mm_trace_read_file(fd, "t", &reader, &complete, &err), MM_INVALID);
        }
        close(fd);
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static uint32_t longest_row;

static enum mm_class compare_row(void *context, const struct mm_event *first, uint32_t count)
{
    struct mm_record record = {.type = MM_RECORD_EVENT, .event = *first};
    longest_row = count > longest_row ? count : longest_row;
    for (uint32_t k = 0; k < count; k++, record.event.agent.index++)
        compare_looped(context, &record);
    return MM_OK;
}

/* Fills LOOPED with work-items that pass barriers in groups of 1 to 600; writes them in rows, or one by one. */
static void write_rows(const struct mm_sink *sink, bool in_rows)
{
    size_t i = 0;
    while (i < LOOPED) {
        uint32_t left = (uint32_t)(LOOPED - i), n = 1 + (uint32_t)(rnd() % 600),
                 first = (uint32_t)(rnd() % 3) * 1000;
        struct mm_event e = {.agent = {1, first}, .site = 1, .instance = (uint32_t)i, .fence_flags = 1};
        e.source = 1 + (uint32_t)(rnd() % 3) * 64; /* in one slot */
        e.kind = rnd() % 2 ? MM_BARRIER_ENTRY : MM_BARRIER_EXIT;
        n = n < left ? n : left;
        for (uint32_t k = 0; k < n; k++, i++) {
            looped[i] = e;
            looped[i].agent.index += k;
            if (!in_rows)
                sink->events(sink->context, &looped[i], 1);
        }
        if (in_rows)
            assert_int_equal(mm_sink_row(sink, &e, n), MM_OK);
        struct mm_record text = {.type = MM_RECORD_TEXT, .text = {.file = "f", .text = "t"}};
        if (rnd() % 8 == 0)
            sink->record(sink->context, &text);
    }
}

/* Rows come back as the same events, in rows where the reader takes these; a file does not have them. */
static void rows_come_back(void **state)
{
    (void)state;
    struct mm_error err;
    bool complete;
    off_t sizes[2][2];
    for (int session = 0; session < 2; session++)
        for (int in_rows = 0; in_rows < 2; in_rows++) {
            struct mm_sink sink;
            int fd = temporary();
            random_state = 7;
            assert_int_equal(mm_trace_writer(dup(fd),
                                             MM_TRACE_UNCOMPRESSED | (session ? MM_TRACE_FOR_SESSION : 0),
                                             NULL, &sink, &err),
                             MM_OK);
            assert_int_equal(sink.row != NULL, session);
            write_rows(&sink, in_rows);
            sink.close(sink.context);
            sizes[session][in_rows] = lseek(fd, 0, SEEK_END);
            for (int takes = 0; takes < 2; takes++) {
                struct mm_sink reader = {.record = compare_looped, .row = takes ? compare_row : NULL};
                looped_back = longest_row = 0;
                lseek(fd, 0, SEEK_SET);
                assert_int_equal(mm_trace_read(fd, "t", &reader, &complete, &err), MM_OK);
                assert_true(complete);
                assert_int_equal(looped_back, LOOPED);
                assert_int_equal(longest_row > 100, session && takes);
            }
            close(fd);
        }
    assert_int_equal(sizes[1][0], sizes[1][1]);
    assert_int_equal(sizes[0][0], sizes[0][1]);
    assert_true(4 * sizes[1][0] < sizes[0][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_come_back),
        cmocka_unit_test(rows_come_back),
    };
    return cmocka_run_group_tests_name("trace runs", tests, NULL, NULL);
}
