/* The thread pool: started with the first launch that threads can make shorter; asleep between launches,
 * after a short time of spinning.  An offer never waits for threads that have not begun. */
#include "interp/jit/run/pool.h"
#include "memmodel/base/clock.h"
#include "memmodel/base/memory.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/process.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Of STATE: threads that have joined the offer, whether more may join, the number of the offer. */
enum { JOINED = 1, OPEN = 1 << 16, OFFER = 1 << 17 };
/* Longer than a host thread needs from one launch to the next, and shorter than two wake-ups take. */
enum { SPIN_NS = 30000 };

static struct {
    pthread_mutex_t lock, busy; /* BUSY is held from an offer until it is withdrawn */
    pthread_cond_t wake, idle;
    void (*work)(void *, unsigned);
    void *argument;
    atomic_uint_fast64_t state;
    atomic_uint asleep;  /* threads that wait for WAKE */
    atomic_bool waiting; /* for IDLE */
    unsigned threads;
    atomic_uint numbered; /* of them */
    bool started;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .busy = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER};

static void relax_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Whether an offer other than SEEN may be joined. */
static bool is_offered(uint64_t seen)
{
    uint64_t state = atomic_load(&pool.state);
    return (state & OPEN) && state / OFFER != seen;
}

static bool all_left(void)
{
    return atomic_load(&pool.state) % OPEN == 0;
}

static bool spin_until_offered(uint64_t seen)
{
    for (uint64_t end = mm_clock_ns(CLOCK_MONOTONIC) + SPIN_NS; mm_clock_ns(CLOCK_MONOTONIC) < end;)
        for (unsigned k = 0; k < 16; k++, relax_cpu())
            if (is_offered(seen))
                return true;
    return false;
}

/* The offerer reads ASLEEP after it has set STATE, this thread sets ASLEEP before it reads STATE: one sees
 * the other. */
static void sleep_until_offered(uint64_t seen)
{
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.asleep, 1);
    while (!is_offered(seen))
        pthread_cond_wait(&pool.wake, &pool.lock);
    atomic_fetch_sub(&pool.asleep, 1);
    pthread_mutex_unlock(&pool.lock);
}

/* Joins the offer, unless it is *SEEN or withdrawn. */
static bool join_offer(uint64_t *seen)
{
    uint64_t state = atomic_load(&pool.state);
    while ((state & OPEN) && state / OFFER != *seen)
        if (atomic_compare_exchange_weak(&pool.state, &state, state + JOINED)) {
            *seen = state / OFFER;
            return true;
        }
    return false;
}

static void leave_offer(void)
{
    uint64_t before = atomic_fetch_sub(&pool.state, JOINED);
    if (before % OPEN != JOINED || (before & OPEN) || !atomic_load(&pool.waiting))
        return;
    pthread_mutex_lock(&pool.lock);
    pthread_cond_signal(&pool.idle);
    pthread_mutex_unlock(&pool.lock);
}

/* BODY begins as an own thread of the library. */
struct thread_start {
    void *(*body)(void *);
};

static void *begin_thread(void *context)
{
    struct thread_start start = *(struct thread_start *)context;
    mm_free(context);
    mm_own_thread_begin();
    void *result = start.body(NULL);
    mm_own_thread_end();
    return result;
}

static void *run_helper(void *unused)
{
    uint64_t seen = 0;
    const unsigned number = atomic_fetch_add(&pool.numbered, 1) + 1;
    (void)unused;
    for (;;) {
        if (!join_offer(&seen)) {
            sleep_until_offered(seen);
            continue;
        }
        do {
            pool.work(pool.argument, number);
            leave_offer();
        } while (spin_until_offered(seen) && join_offer(&seen));
    }
    return NULL;
}

static unsigned count_cores(void)
{
    cpu_set_t set;
    const char *given = mm_getenv("REFCL_THREADS");
    unsigned cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    unsigned n = given ? (unsigned)strtoul(given, NULL, 10) : cores;
    return n < 1 ? 1 : n > 256 ? 256 : n;
}

unsigned in_pool_cores(void)
{
    static atomic_uint known;
    unsigned cores = atomic_load(&known);
    if (cores == 0)
        atomic_store(&known, cores = count_cores());
    return cores;
}

/* Signals of the application are not for these threads. */
bool in_pool_start_thread(void *(*body)(void *))
{
    sigset_t all, old;
    pthread_attr_t attributes;
    pthread_t thread;
    struct thread_start *start = mm_alloc(sizeof *start);
    if (!start)
        return false;
    start->body = body;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8u << 20);
    bool good = pthread_create(&thread, &attributes, begin_thread, start) == 0;
    if (!good)
        mm_free(start);
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
    pool.threads = 0;
    atomic_store(&pool.state, 0);
    atomic_store(&pool.asleep, 0);
    atomic_store(&pool.numbered, 0);
    atomic_store(&pool.waiting, false);
    pool.started = false;
}

static void pool_start(void)
{
    static bool registered;
    if (!registered)
        registered = pthread_atfork(NULL, NULL, forget_threads) == 0;
    pool.started = true;
    for (unsigned k = in_pool_cores(); k > 1; k--)
        pool.threads += in_pool_start_thread(run_helper);
}

bool in_pool_offer(void (*work)(void *, unsigned), void *argument, unsigned helpers)
{
    if (pthread_mutex_trylock(&pool.busy) != 0)
        return false;
    if (!pool.started)
        pool_start();
    pool.work = work;
    pool.argument = argument;
    uint64_t state = atomic_load(&pool.state);
    atomic_store(&pool.state, (state / OFFER + 1) * OFFER + OPEN);
    if (atomic_load(&pool.asleep) > 0) {
        pthread_mutex_lock(&pool.lock);
        if (helpers >= atomic_load(&pool.asleep))
            pthread_cond_broadcast(&pool.wake);
        else
            while (helpers-- > 0)
                pthread_cond_signal(&pool.wake);
        pthread_mutex_unlock(&pool.lock);
    }
    return true;
}

void in_pool_withdraw(void)
{
    atomic_fetch_and(&pool.state, ~(uint64_t)OPEN);
    for (uint64_t end = mm_clock_ns(CLOCK_MONOTONIC) + SPIN_NS;
         !all_left() && mm_clock_ns(CLOCK_MONOTONIC) < end;)
        relax_cpu();
    if (!all_left()) {
        pthread_mutex_lock(&pool.lock);
        atomic_store(&pool.waiting, true);
        while (!all_left())
            pthread_cond_wait(&pool.idle, &pool.lock);
        atomic_store(&pool.waiting, false);
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.busy);
}
