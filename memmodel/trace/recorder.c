/* The recorder: gives events their numbers and serializes the threads that record.
 *
 * Events are handed to the sink in batches; everything else first pushes out the events before it, so that
 * the sink sees one total order.  Where the sink can be flushed, a background thread does so a few times a
 * second: a process that is killed loses little.  A forked child never writes: its events are dropped, and
 * it frees nothing. */
#include "memmodel/memmodel.h"
#include "memmodel/trace/host.h"
#include "memmodel/trace/process.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { BATCH = 512, RETIRED_BATCH = 128 };
#define FLUSH_NANOSECONDS 200000000L

struct mm_recorder {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t flusher;
    pthread_key_t thread_key;
    struct mm_sink sink;
    mm_event_id next_event;
    mm_event_id after_read; /* NEXT_EVENT while LAST_READ is the newest record */
    struct mm_event last_read;
    uint32_t next_source, next_allocation, next_thread;
    unsigned forks; /* of the process when the recorder was made */
    bool stopped;   /* the sink refused a record or is closed */
    bool unflushed; /* the sink was given something since its last flush */
    bool closing, has_flusher;
    size_t pending_count, retired_count;
    struct mm_event pending[BATCH];
    mm_event_id retired[RETIRED_BATCH];
};

/* In a forked child neither the lock nor the sink may be touched. */
static bool is_inherited(const struct mm_recorder *recorder)
{
    return recorder->forks != mm_fork_count();
}

static void note_result(struct mm_recorder *recorder, enum mm_class cls)
{
    recorder->unflushed = true;
    if (cls != MM_OK)
        recorder->stopped = true;
}

/* The caller holds the lock in every function from here to the public ones. */
static void push_batch(struct mm_recorder *recorder)
{
    size_t count = recorder->pending_count;
    recorder->pending_count = 0;
    if (count && !recorder->stopped)
        note_result(recorder, mm_sink_events(&recorder->sink, recorder->pending, count));
}

static void push_record(struct mm_recorder *recorder, const struct mm_record *record)
{
    recorder->after_read = MM_NO_EVENT;
    push_batch(recorder);
    if (!recorder->stopped)
        note_result(recorder, recorder->sink.record(recorder->sink.context, record));
}

static mm_event_id add_event(struct mm_recorder *recorder, const struct mm_event *event)
{
    recorder->pending[recorder->pending_count++] = *event;
    if (recorder->pending_count == BATCH)
        push_batch(recorder);
    return recorder->next_event++;
}

/* Passes on what retired, after the events that it precedes. */
static void push_retired(struct mm_recorder *recorder)
{
    push_batch(recorder);
    for (size_t i = 0; i < recorder->retired_count && !recorder->stopped; i++)
        recorder->sink.retire(recorder->sink.context, recorder->retired[i]);
    recorder->retired_count = 0;
}

static void flush_recorder(struct mm_recorder *recorder)
{
    push_batch(recorder);
    if (!recorder->unflushed || recorder->stopped)
        return;
    recorder->unflushed = false;
    if (recorder->sink.flush && recorder->sink.flush(recorder->sink.context) != MM_OK)
        recorder->stopped = true;
}

static void *flusher_main(void *argument)
{
    struct mm_recorder *recorder = argument;
    mm_own_thread_begin();
    pthread_mutex_lock(&recorder->lock);
    while (!recorder->closing) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += FLUSH_NANOSECONDS;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_nsec -= 1000000000L;
            until.tv_sec++;
        }
        if (pthread_cond_timedwait(&recorder->wake, &recorder->lock, &until) == ETIMEDOUT)
            flush_recorder(recorder);
    }
    pthread_mutex_unlock(&recorder->lock);
    mm_own_thread_end();
    return NULL;
}

/* The thread takes no signals: they belong to the application. */
static void start_flusher(struct mm_recorder *recorder)
{
    sigset_t all, old;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
        return;
    recorder->has_flusher = pthread_create(&recorder->flusher, NULL, flusher_main, recorder) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static bool init_locks(struct mm_recorder *recorder)
{
    pthread_condattr_t attributes;
    pthread_mutexattr_t recursive;
    if (pthread_key_create(&recorder->thread_key, NULL) != 0)
        return false;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recorder->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&recorder->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return true;
}

struct mm_recorder *mm_recorder_create(const struct mm_sink *sink)
{
    struct mm_recorder *recorder = mm_alloc_zero(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    if (!init_locks(recorder)) {
        mm_free(recorder);
        return NULL;
    }
    recorder->sink = *sink;
    recorder->after_read = MM_NO_EVENT;
    recorder->forks = mm_fork_count();
    if (sink->flush)
        start_flusher(recorder);
    return recorder;
}

void mm_recorder_close(struct mm_recorder *recorder)
{
    if (is_inherited(recorder))
        return;
    pthread_mutex_lock(&recorder->lock);
    bool first = !recorder->closing;
    flush_recorder(recorder);
    recorder->closing = recorder->stopped = true;
    pthread_cond_signal(&recorder->wake);
    pthread_mutex_unlock(&recorder->lock);
    if (!first)
        return;
    if (recorder->has_flusher)
        pthread_join(recorder->flusher, NULL);
    if (recorder->sink.close)
        recorder->sink.close(recorder->sink.context);
}

void mm_recorder_destroy(struct mm_recorder *recorder)
{
    if (!recorder || is_inherited(recorder))
        return;
    mm_recorder_close(recorder);
    pthread_key_delete(recorder->thread_key);
    pthread_cond_destroy(&recorder->wake);
    pthread_mutex_destroy(&recorder->lock);
    mm_free(recorder);
}

void mm_recorder_hold(struct mm_recorder *recorder)
{
    if (!is_inherited(recorder))
        pthread_mutex_lock(&recorder->lock);
}

void mm_recorder_let_go(struct mm_recorder *recorder)
{
    if (!is_inherited(recorder))
        pthread_mutex_unlock(&recorder->lock);
}

mm_event_id mm_recorder_event(struct mm_recorder *recorder, const struct mm_event *event,
                              struct mm_edge *edges, size_t edge_count)
{
    if (is_inherited(recorder))
        return MM_NO_EVENT;
    pthread_mutex_lock(&recorder->lock);
    struct mm_record record;
    record.type = MM_RECORD_EDGE;
    for (size_t i = 0; i < edge_count; i++) {
        edges[i].to = recorder->next_event;
        record.edge = edges[i];
        push_record(recorder, &record);
    }
    mm_event_id id = add_event(recorder, event);
    pthread_mutex_unlock(&recorder->lock);
    return id;
}

mm_event_id mm_recorder_read(struct mm_recorder *recorder, const struct mm_event *event)
{
    if (is_inherited(recorder))
        return MM_NO_EVENT;
    pthread_mutex_lock(&recorder->lock);
    if (recorder->after_read != recorder->next_event ||
        memcmp(&recorder->last_read, event, sizeof *event) != 0) {
        add_event(recorder, event);
        recorder->last_read = *event;
        recorder->after_read = recorder->next_event;
    }
    mm_event_id id = recorder->next_event - 1;
    pthread_mutex_unlock(&recorder->lock);
    return id;
}

mm_event_id mm_recorder_events(struct mm_recorder *recorder, const struct mm_event *events, size_t count)
{
    if (is_inherited(recorder))
        return MM_NO_EVENT;
    pthread_mutex_lock(&recorder->lock);
    mm_event_id first = recorder->next_event;
    bool direct = count >= BATCH / 4 && recorder->sink.events;
    if (direct) {
        push_batch(recorder);
        if (!recorder->stopped)
            note_result(recorder, recorder->sink.events(recorder->sink.context, events, count));
        recorder->next_event += count;
    }
    for (size_t i = 0; i < count && !direct; i++)
        add_event(recorder, &events[i]);
    pthread_mutex_unlock(&recorder->lock);
    return first;
}

void mm_recorder_row(struct mm_recorder *recorder, const struct mm_event *first, uint32_t count)
{
    if (is_inherited(recorder))
        return;
    pthread_mutex_lock(&recorder->lock);
    push_batch(recorder);
    if (!recorder->stopped)
        note_result(recorder, mm_sink_row(&recorder->sink, first, count));
    recorder->next_event += count;
    pthread_mutex_unlock(&recorder->lock);
}

/* A record of type EVENT is numbered like any other event. */
void mm_recorder_record(struct mm_recorder *recorder, const struct mm_record *record)
{
    if (is_inherited(recorder))
        return;
    pthread_mutex_lock(&recorder->lock);
    if (record->type == MM_RECORD_EVENT)
        add_event(recorder, &record->event);
    else
        push_record(recorder, record);
    pthread_mutex_unlock(&recorder->lock);
}

void mm_recorder_retire(struct mm_recorder *recorder, const mm_event_id *ids, size_t count)
{
    if (!recorder->sink.retire || is_inherited(recorder))
        return;
    pthread_mutex_lock(&recorder->lock);
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == MM_NO_EVENT)
            continue;
        recorder->retired[recorder->retired_count++] = ids[i];
        if (recorder->retired_count == RETIRED_BATCH)
            push_retired(recorder);
    }
    pthread_mutex_unlock(&recorder->lock);
}

void mm_recorder_flush(struct mm_recorder *recorder)
{
    if (is_inherited(recorder))
        return;
    pthread_mutex_lock(&recorder->lock);
    flush_recorder(recorder);
    pthread_mutex_unlock(&recorder->lock);
}

uint32_t mm_recorder_new_source(struct mm_recorder *recorder)
{
    return __atomic_add_fetch(&recorder->next_source, 1, __ATOMIC_RELAXED);
}

uint32_t mm_recorder_new_allocation(struct mm_recorder *recorder)
{
    return __atomic_add_fetch(&recorder->next_allocation, 1, __ATOMIC_RELAXED);
}

static void skip_numbers(uint32_t *next, uint32_t to)
{
    uint32_t now = __atomic_load_n(next, __ATOMIC_RELAXED);
    while (now < to &&
           !__atomic_compare_exchange_n(next, &now, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void mm_recorder_skip_ids(struct mm_recorder *recorder, uint32_t sources, uint32_t allocations)
{
    skip_numbers(&recorder->next_source, sources);
    skip_numbers(&recorder->next_allocation, allocations);
}

/* The number plus one is kept under the thread's key: NULL means that the thread has none yet. */
void mm_recorder_new_host_thread(struct mm_recorder *recorder)
{
    uintptr_t number = __atomic_add_fetch(&recorder->next_thread, 1, __ATOMIC_RELAXED);
    pthread_setspecific(recorder->thread_key, (void *)number);
}

uint32_t mm_recorder_host_thread(struct mm_recorder *recorder)
{
    if (!pthread_getspecific(recorder->thread_key))
        mm_recorder_new_host_thread(recorder);
    return (uint32_t)((uintptr_t)pthread_getspecific(recorder->thread_key) - 1);
}

uint32_t mm_recorder_host_threads(struct mm_recorder *recorder)
{
    return __atomic_load_n(&recorder->next_thread, __ATOMIC_RELAXED);
}
