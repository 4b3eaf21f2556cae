/* A call of Z3 with a deadline in processor time and, unless the options say otherwise, wall-clock time: a
 * second thread interrupts the solver. */
#include "memmodel/base/clock.h"
#include "checker/z3/solve.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#define RETRY_SECONDS   0.05 /* until the next interrupt: the first may come before the call has started */
#define LONGEST_SECONDS 1e6
#define LOOK_SECONDS    0.1 /* between two looks whether the engine is interrupted */

struct watch {
    struct zx *z;
    clockid_t clock; /* processor time of the calling thread */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
};

static double time_left(const struct zx *z, clockid_t cpu)
{
    return fmin(z->limits.deadline - mm_clock_seconds(cpu),
                z->limits.wall_deadline - mm_clock_seconds(CLOCK_MONOTONIC));
}

void zx_set_deadline(struct zx *z, double seconds)
{
    z->limits.deadline = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + seconds;
    z->limits.wall_deadline = z->options.cpu_time ? HUGE_VAL : mm_clock_seconds(CLOCK_MONOTONIC) + seconds;
}

static bool is_interrupted(const struct zx *z)
{
    return z->options.interrupted && *z->options.interrupted;
}

bool zx_in_time(const struct zx *z)
{
    return !is_interrupted(z) && (z->limits.deadline <= 0 || time_left(z, CLOCK_THREAD_CPUTIME_ID) > 0);
}

struct mm_error zx_time_limit(const struct zx *z)
{
    struct mm_error err = {0};
    if (is_interrupted(z))
        mm_fail(&err, MM_LIMIT, CK_INTERRUPTED, "interrupted");
    else
        mm_fail(&err, MM_LIMIT, "time", "limit reached: time (raise with --timeout)");
    return err;
}

static void *interrupt_at_deadline(void *data)
{
    struct watch *w = data;

    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        double left = w->z->limits.deadline > 0 ? time_left(w->z, w->clock) : LONGEST_SECONDS, until;
        struct timespec t;

        left = fmin(left, w->z->options.interrupted ? LOOK_SECONDS : LONGEST_SECONDS);
        if (left <= 0 || is_interrupted(w->z)) {
            Z3_solver_interrupt(w->z->c, w->z->s);
            left = RETRY_SECONDS;
        }
        until = mm_clock_seconds(CLOCK_MONOTONIC) + left;
        t = (struct timespec){(time_t)until, (long)((until - floor(until)) * 1e9)};
        pthread_cond_timedwait(&w->ended, &w->lock, &t);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void open_watch(struct watch *w)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&w->lock, NULL);
}

Z3_lbool zx_solver_check(struct zx *z, unsigned count, Z3_ast const *assumptions)
{
    struct watch w = {.z = z};
    pthread_t thread;
    Z3_lbool answer;

    if (z->limits.deadline <= 0 && !z->options.interrupted)
        return Z3_solver_check_assumptions(z->c, z->s, count, assumptions);
    open_watch(&w);
    if (pthread_getcpuclockid(pthread_self(), &w.clock) != 0 ||
        pthread_create(&thread, NULL, interrupt_at_deadline, &w) != 0)
        zx_stop(z, MM_LIMIT, "time", "no thread can be created to interrupt Z3 at the deadline");
    answer = Z3_solver_check_assumptions(z->c, z->s, count, assumptions);
    pthread_mutex_lock(&w.lock);
    w.over = true;
    pthread_cond_signal(&w.ended);
    pthread_mutex_unlock(&w.lock);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&w.ended);
    pthread_mutex_destroy(&w.lock);
    return answer;
}
