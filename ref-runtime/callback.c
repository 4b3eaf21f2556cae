/* The callback thread: application code never runs on the executor thread, nor with a lock held, so that a
 * callback may call the API [CL 5.11 clSetEventCallback]. */
#include "ref-runtime/callback.h"
#include "memmodel/trace/process.h"
#include "ref-runtime/check/host_guard.h"
#include "ref-runtime/sched/command.h"

#include <time.h>

enum { MOST_PENDING = 256 };

struct job {
    struct job *next;
    void (*function)(void *data);
    void *data;
};

static struct mm_mutex lock = MM_MUTEX_WITH_CONDITIONS;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static bool running;
static atomic_size_t pending;
static _Thread_local bool own_thread;

static void *callback_thread(void *unused)
{
    (void)unused;
    own_thread = true;
    mm_own_thread_begin();
    mm_mutex_lock(&lock);
    for (;;) {
        while (!first)
            pthread_cond_wait(&posted, &lock.mutex);
        struct job *job = first;
        first = job->next;
        mm_own_thread_end(); /* the thread counts as the application's until the callback returns */
        atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
        if (!first)
            last = &first;
        mm_mutex_unlock(&lock);
        rt_guard_as_host();
        rt_record_new_thread();
        job->function(job->data);
        mm_free(job);
        mm_own_thread_begin();
        mm_mutex_lock(&lock);
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
    mm_mutex_lock(&lock);
    bool ok = callback_thread_start();
    mm_mutex_unlock(&lock);
    return ok;
}

bool rt_callback_post(void (*function)(void *data), void *data)
{
    struct job *job = mm_alloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct job){.function = function, .data = data};
    mm_mutex_lock(&lock);
    bool ok = callback_thread_start();
    if (ok) {
        *last = job;
        atomic_fetch_add_explicit(&pending, 1, memory_order_relaxed);
        last = &job->next;
        pthread_cond_signal(&posted);
    }
    mm_mutex_unlock(&lock);
    if (!ok)
        mm_free(job);
    return ok;
}

/* The thread and its pending callbacks exist only in the parent. */
void rt_callback_forked(void)
{
    pthread_cond_init(&posted, NULL);
    first = NULL;
    last = &first;
    running = false;
    atomic_store(&pending, 0);
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
