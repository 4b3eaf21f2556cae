/* The thread pool: started with the first large launch, asleep between launches. */
#include "interp/jit/run/pool.h"
#include "memmodel/base/privilege.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock, busy;
    pthread_cond_t wake, idle;
    void (*work)(void *);
    void *argument;
    unsigned long round;
    unsigned threads, running;
    bool started;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .busy = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER};

static void *helper(void *unused)
{
    unsigned long seen = 0;
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == seen)
            pthread_cond_wait(&pool.wake, &pool.lock);
        seen = pool.round;
        pthread_mutex_unlock(&pool.lock);
        pool.work(pool.argument);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.idle);
    }
    return NULL;
}

unsigned in_pool_cores(void)
{
    cpu_set_t set;
    const char *given = mm_getenv("REFCL_THREADS");
    unsigned cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    unsigned n = given != NULL ? (unsigned)strtoul(given, NULL, 10) : cores;
    return n < 1 ? 1 : n > 256 ? 256 : n;
}

/* Signals of the application are not for these threads. */
bool in_pool_start_thread(void *(*body)(void *))
{
    sigset_t all, old;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8u << 20);
    bool good = pthread_create(&thread, &attributes, body, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return good;
}

/* A forked child has none of the threads; its own start with its first large launch. */
static void forget_threads(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&pool.busy, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.idle, NULL);
    pool.threads = pool.running = 0;
    pool.round = 0;
    pool.started = false;
}

static void pool_start(void)
{
    static bool watched;
    if (!watched)
        watched = pthread_atfork(NULL, NULL, forget_threads) == 0;
    pool.started = true;
    for (unsigned k = in_pool_cores(); k > 1; k--)
        pool.threads += in_pool_start_thread(helper);
}

void in_pool_run(void (*work)(void *), void *argument)
{
    if (pthread_mutex_trylock(&pool.busy) != 0) {
        work(argument);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    if (!pool.started)
        pool_start();
    pool.work = work;
    pool.argument = argument;
    pool.running = pool.threads;
    pool.round++;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    work(argument);
    pthread_mutex_lock(&pool.lock);
    while (pool.running > 0)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.busy);
}
