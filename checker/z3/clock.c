/* One question to Z3, which is given up when the processor time is used up, or when as much wall-clock time
 * has passed. */
#include "checker/z3/solve.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#define AGAIN   0.05 /* seconds until a question is interrupted once more: it may not have begun yet */
#define LONGEST 1e6

struct watch {
    struct zx *z;
    clockid_t clock; /* of the thread that asks */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over;
};

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

static double time_left(const struct zx *z, clockid_t cpu)
{
    return fmin(z->deadline - seconds_of(cpu), z->wall_deadline - seconds_of(CLOCK_MONOTONIC));
}

void zx_set_deadline(struct zx *z, double seconds)
{
    z->deadline = zx_cpu_seconds() + seconds;
    z->wall_deadline = seconds_of(CLOCK_MONOTONIC) + seconds;
}

bool zx_in_time(const struct zx *z)
{
    return z->deadline <= 0 || time_left(z, CLOCK_THREAD_CPUTIME_ID) > 0;
}

static void *watch(void *data)
{
    struct watch *w = data;

    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        double left = fmin(time_left(w->z, w->clock), LONGEST), until;
        struct timespec t;

        if (left <= 0) {
            Z3_solver_interrupt(w->z->c, w->z->s);
            left = AGAIN;
        }
        until = seconds_of(CLOCK_MONOTONIC) + left;
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

    if (z->deadline <= 0)
        return Z3_solver_check_assumptions(z->c, z->s, count, assumptions);
    open_watch(&w);
    if (pthread_getcpuclockid(pthread_self(), &w.clock) != 0 || pthread_create(&thread, NULL, watch, &w) != 0)
        zx_stop(z, MM_LIMIT, "time", "nothing can watch the time that Z3 takes");
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
