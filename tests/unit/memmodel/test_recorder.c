/* The recorder: numbers without gaps from many threads, order, flushing, forked children. */
#include "memmodel/memmodel.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 8, PER_THREAD = 20000 };

struct log {
    uint64_t events, edges, others;
    uint64_t last_of[THREADS];
    bool order_kept, edges_fit;
    int flushes, closes, retired;
    enum mm_class answer;
};

static enum mm_class log_events(void *context, const struct mm_event *events, size_t count)
{
    struct log *log = context;
    for (size_t i = 0; i < count; i++) {
        uint64_t *last = &log->last_of[events[i].agent.index % THREADS];
        if (events[i].offset != *last + 1)
            log->order_kept = false;
        *last = events[i].offset;
    }
    log->events += count;
    return log->answer;
}

static enum mm_class log_record(void *context, const struct mm_record *record)
{
    struct log *log = context;
    if (record->type == MM_RECORD_EDGE) {
        log->edges++;
        if (record->edge.to != log->events)
            log->edges_fit = false;
    } else {
        log->others++;
    }
    return log->answer;
}

static enum mm_class log_flush(void *context)
{
    __atomic_add_fetch(&((struct log *)context)->flushes, 1, __ATOMIC_SEQ_CST);
    return MM_OK;
}

static void log_close(void *context)
{
    ((struct log *)context)->closes++;
}

static struct mm_sink sink_of(struct log *log)
{
    *log = (struct log){.order_kept = true, .edges_fit = true};
    return (struct mm_sink){log, log_record, log_events, log_flush, log_close, NULL, NULL};
}

struct job {
    struct mm_recorder *recorder;
    uint32_t thread;
    bool numbers_grow;
};

static void *record_many(void *argument)
{
    struct job *job = argument;
    mm_event_id last = MM_NO_EVENT;
    job->numbers_grow = true;
    uint32_t me = mm_recorder_host_thread(job->recorder);
    for (uint64_t i = 1; i <= PER_THREAD; i++) {
        struct mm_event e = {.kind = MM_READ, .offset = i, .agent = {0, job->thread}};
        struct mm_edge edge = {.from = last, .kind = MM_EDGE_HOST};
        mm_event_id id = mm_recorder_event(job->recorder, &e, &edge, last != MM_NO_EVENT && i % 100 == 0);
        if (last != MM_NO_EVENT && id <= last)
            job->numbers_grow = false;
        last = id;
    }
    if (mm_recorder_host_thread(job->recorder) != me || me >= THREADS)
        job->numbers_grow = false;
    return NULL;
}

static void many_threads_one_order(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){recorder, i, false};
        pthread_create(&threads[i], NULL, record_many, &jobs[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(jobs[i].numbers_grow);
    }
    mm_recorder_destroy(recorder);
    assert_int_equal(log.events, THREADS * PER_THREAD);
    assert_int_equal(log.edges, THREADS * (PER_THREAD / 100));
    assert_true(log.order_kept);
    assert_true(log.edges_fit);
    assert_int_equal(log.closes, 1);
}

static void no_recorder_is_destroyed(void **state)
{
    (void)state;
    mm_recorder_destroy(NULL);
}

static void it_flushes_by_itself(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    struct mm_event e = {.offset = 1};
    mm_recorder_event(recorder, &e, NULL, 0);
    while (!__atomic_load_n(&log.flushes, __ATOMIC_SEQ_CST))
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    mm_recorder_destroy(recorder);
    assert_int_equal(log.events, 1);
}

static void records_keep_their_place(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    struct mm_event events[3] = {{.offset = 1}, {.offset = 2}, {.offset = 3}};
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {"a", "b"}};
    assert_int_equal(mm_recorder_events(recorder, events, 3), 0);
    mm_recorder_record(recorder, &text);
    assert_int_equal(log.events, 3);
    assert_int_equal(log.others, 1);
    struct mm_record event = {.type = MM_RECORD_EVENT, .event = {.offset = 4}};
    mm_recorder_record(recorder, &event);
    struct mm_event e = {.offset = 5};
    assert_int_equal(mm_recorder_event(recorder, &e, NULL, 0), 4);
    assert_int_equal(mm_recorder_new_source(recorder), 1);
    assert_int_equal(mm_recorder_new_source(recorder), 2);
    assert_int_equal(mm_recorder_new_allocation(recorder), 1);
    mm_recorder_flush(recorder);
    assert_int_equal(log.events, 5);
    mm_recorder_destroy(recorder);
}

static void log_retired(void *context, mm_event_id id)
{
    struct log *log = context;
    assert_true(id < log->events); /* the event itself is passed on before */
    log->retired++;
}

/* Retired events are passed on after the events before them, at the latest when the batch is full. */
static void retired_events_are_passed_on(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    sink.retire = log_retired;
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    for (uint64_t i = 0; i < 1000; i++) {
        struct mm_event event = {.offset = i + 1};
        const mm_event_id ids[] = {mm_recorder_event(recorder, &event, NULL, 0), MM_NO_EVENT};
        mm_recorder_retire(recorder, ids, 2);
    }
    assert_true(log.retired >= 500 && log.retired <= 1000);
    mm_recorder_destroy(recorder);
    sink.retire = NULL;
    recorder = mm_recorder_create(&sink);
    mm_recorder_retire(recorder, &(mm_event_id){0}, 1);
    mm_recorder_destroy(recorder);
}

/* A waiting loop is recorded as one event between two events of others, or between two values that it
 * reads. */
static void repeated_reads_are_one(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    struct mm_event wait = {.kind = MM_READ, .attributes = MM_ATOMIC, .size = 4, .value_read = 1},
                    write = wait, seen = wait, elsewhere = wait, other = wait;
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {"a", "b"}};
    write.kind = MM_WRITE;
    seen.value_read = 2;
    elsewhere.source = 1;
    other.agent.index = 1;
    assert_int_equal(mm_recorder_read(recorder, &wait), 0);
    assert_int_equal(mm_recorder_read(recorder, &wait), 0);
    assert_int_equal(mm_recorder_event(recorder, &write, NULL, 0), 1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(mm_recorder_read(recorder, &wait), 2);
    assert_int_equal(mm_recorder_read(recorder, &seen), 3);
    assert_int_equal(mm_recorder_read(recorder, &elsewhere), 4);
    assert_int_equal(mm_recorder_read(recorder, &other), 5);
    assert_int_equal(mm_recorder_read(recorder, &wait), 6);
    mm_recorder_record(recorder, &text);
    assert_int_equal(mm_recorder_read(recorder, &wait), 7);
    assert_int_equal(mm_recorder_events(recorder, &write, 1), 8);
    assert_int_equal(mm_recorder_read(recorder, &wait), 9);
    mm_recorder_destroy(recorder);
    assert_int_equal(log.events, 10);
}

static void a_sink_that_refuses_is_left_alone(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    log.answer = MM_LIMIT;
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {"a", "b"}};
    mm_recorder_record(recorder, &text);
    mm_recorder_record(recorder, &text);
    assert_int_equal(log.others, 1);
    struct mm_event e = {0};
    assert_int_equal(mm_recorder_event(recorder, &e, NULL, 0), 0);
    assert_int_equal(mm_recorder_event(recorder, &e, NULL, 0), 1);
    mm_recorder_destroy(recorder);
    assert_int_equal(log.events, 0);
}

static void a_forked_child_does_not_write(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    struct mm_event e = {.offset = 1};
    mm_recorder_event(recorder, &e, NULL, 0);
    pid_t child = fork();
    if (child == 0) {
        mm_recorder_flush(recorder);
        mm_recorder_destroy(recorder);
        _exit(log.events == 0 && log.closes == 0 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    mm_recorder_destroy(recorder);
    assert_int_equal(log.events, 1);
}

static void what_comes_after_the_end_is_dropped(void **state)
{
    (void)state;
    struct log log;
    struct mm_sink sink = sink_of(&log);
    struct mm_recorder *recorder = mm_recorder_create(&sink);
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    struct mm_event e = {.offset = 1};
    mm_recorder_event(recorder, &e, NULL, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){recorder, i, false};
        pthread_create(&threads[i], NULL, record_many, &jobs[i]);
    }
    mm_recorder_close(recorder);
    unsigned long events = log.events, edges = log.edges;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct mm_record text = {.type = MM_RECORD_TEXT, .text = {"a", "b"}};
    mm_recorder_record(recorder, &text);
    mm_recorder_flush(recorder);
    mm_recorder_close(recorder);
    mm_recorder_destroy(recorder);
    assert_true(events >= 1);
    assert_int_equal(log.events, events);
    assert_int_equal(log.edges, edges);
    assert_int_equal(log.others, 0);
    assert_int_equal(log.closes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_one_order),
        cmocka_unit_test(no_recorder_is_destroyed),
        cmocka_unit_test(it_flushes_by_itself),
        cmocka_unit_test(records_keep_their_place),
        cmocka_unit_test(retired_events_are_passed_on),
        cmocka_unit_test(repeated_reads_are_one),
        cmocka_unit_test(a_sink_that_refuses_is_left_alone),
        cmocka_unit_test(a_forked_child_does_not_write),
        cmocka_unit_test(what_comes_after_the_end_is_dropped),
    };
    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
