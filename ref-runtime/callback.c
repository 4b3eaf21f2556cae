/* The callback thread: application code never runs on the executor thread, nor with a lock held, so that a
 * callback may call the API [CL 5.11 clSetEventCallback]. */
#include "ref-runtime/callback.h"
#include "memmodel/trace/process.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/sched/command.h"

#include <time.h>

enum { MOST_PENDING = 256, SHORT_WAIT_NS = 50 * 1000 };

struct job {
    struct job *next;
    void (*function)(void *data);
    void *data;
};

static struct mm_mutex lock = MM_MUTEX_WITH_CONDITIONS;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static atomic_bool running;
static bool in_short_wait;     /* the thread sees what is posted now soon, without a signal */
static atomic_bool unsignaled; /* something was posted in a short wait */
static atomic_size_t pending;
static atomic_uint forks;
static _Thread_local bool own_thread;

/* Under LOCK.  A short wait comes first: a wake-up takes longer than most commands, and several may complete
 * meanwhile. */
static struct job *take_jobs(void)
{
    if (!first) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SHORT_WAIT_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        in_short_wait = true;
        pthread_cond_timedwait(&posted, &lock.mutex, &until);
        in_short_wait = false;
        atomic_store_explicit(&unsignaled, false, memory_order_relaxed);
    }
    while (!first)
        pthread_cond_wait(&posted, &lock.mutex);
    struct job *jobs = first;
    first = NULL;
    last = &first;
    return jobs;
}

static void *callback_thread(void *unused)
{
    (void)unused;
    own_thread = true;
    mm_own_thread_begin();
    for (;;) {
        mm_mutex_lock(&lock);
        struct job *jobs = take_jobs();
        unsigned generation = atomic_load(&forks);
        mm_own_thread_end(); /* the thread counts as the application's until the callbacks return */
        mm_mutex_unlock(&lock);
        rt_guard_as_host();
        while (jobs && atomic_load(&forks) == generation) { /* in a child the jobs are the parent's */
            struct job *job = jobs;
            jobs = job->next;
            atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
            rt_record_new_thread();
            job->function(job->data);
            mm_free(job);
        }
        mm_own_thread_begin();
    }
    return NULL;
}

/* Under LOCK. */
static bool callback_thread_start(void)
{
    pthread_t thread;
    if (!running && pthread_create(&thread, NULL, callback_thread, NULL) == 0) {
        pthread_detach(thread);
        running = true;
    }
    return running;
}

bool rt_callback_start(void)
{
    if (atomic_load_explicit(&running, memory_order_relaxed))
        return true;
    mm_mutex_lock(&lock);
    bool ok = callback_thread_start();
    mm_mutex_unlock(&lock);
    return ok;
}

static bool post_job(void (*function)(void *data), void *data, bool may_wait)
{
    struct job *job = mm_alloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct job){.function = function, .data = data};
    mm_mutex_lock(&lock);
    bool ok = callback_thread_start();
    if (ok) {
        bool is_first = !first;
        *last = job;
        atomic_fetch_add_explicit(&pending, 1, memory_order_relaxed);
        last = &job->next;
        if (may_wait && in_short_wait)
            atomic_store_explicit(&unsignaled, true, memory_order_relaxed);
        else if (is_first || in_short_wait)
            pthread_cond_signal(&posted);
    }
    mm_mutex_unlock(&lock);
    if (!ok)
        mm_free(job);
    return ok;
}

bool rt_callback_post(void (*function)(void *data), void *data)
{
    return post_job(function, data, false);
}

bool rt_callback_post_in_step(void (*function)(void *data), void *data)
{
    return post_job(function, data, true);
}

void rt_callback_wake(void)
{
    if (!atomic_load_explicit(&unsignaled, memory_order_relaxed))
        return;
    mm_mutex_lock(&lock);
    if (atomic_exchange_explicit(&unsignaled, false, memory_order_relaxed))
        pthread_cond_signal(&posted);
    mm_mutex_unlock(&lock);
}

/* The thread and its pending callbacks exist only in the parent. */
void rt_callback_forked(void)
{
    pthread_cond_init(&posted, NULL);
    first = NULL;
    last = &first;
    running = in_short_wait = unsignaled = false;
    atomic_store(&pending, 0);
    atomic_fetch_add(&forks, 1);
}

bool rt_callback_pending(void)
{
    return atomic_load(&pending) > 0;
}

void rt_callback_throttle(void)
{
    const struct timespec pause = {0, 100 * 1000};
    if (!own_thread && atomic_load_explicit(&pending, memory_order_relaxed) > MOST_PENDING)
        nanosleep(&pause, NULL);
}

cl_int rt_callback_add(struct rt_callback **list, const struct rt_callback *callback)
{
    struct rt_callback *added = mm_alloc(sizeof *added);
    if (!added)
        return CL_OUT_OF_HOST_MEMORY;
    *added = *callback;
    mm_mutex_lock(&rt_lock);
    added->next = *list;
    *list = added;
    mm_mutex_unlock(&rt_lock);
    return CL_SUCCESS;
}
