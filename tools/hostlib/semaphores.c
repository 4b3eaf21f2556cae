/* librefcl-host: interposers of semaphores, barriers and once. */
#include "tools/hostlib/interpose.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>

/* ---- semaphores: a wait is ordered after all earlier posts ----------------------------------------- */

GIVE(sem_post, (sem_t * semaphore), host_add(semaphore), semaphore)
#define WAIT_SEM(name, arguments, ...) TAKE(name, arguments, code == 0, host_acquire(semaphore), __VA_ARGS__)
WAIT_SEM(sem_wait, (sem_t * semaphore), semaphore)
WAIT_SEM(sem_trywait, (sem_t * semaphore), semaphore)
WAIT_SEM(sem_timedwait, (sem_t * semaphore, moment until), semaphore, until)
WAIT_SEM(sem_clockwait, (sem_t * semaphore, clockid_t clock, moment until), semaphore, clock, until)

/* ---- barriers: each generation has separate points -------------------------------------------------- */

struct barrier {
    const pthread_barrier_t *address;
    struct barrier *next;
    uint64_t all, arrived;
};

static bool locked;
static struct barrier *barriers; /* under LOCKED */

static struct barrier **find_barrier(const pthread_barrier_t *address)
{
    struct barrier **link = &barriers;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    return link;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned all)
{
    NEXT(pthread_barrier_init, NULL, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))
    int code = next(barrier, attributes, all);
    struct barrier *new = code || host_is_runtime(HERE) ? NULL : calloc(1, sizeof *new);
    if (!new)
        return code;
    *new = (struct barrier){.address = barrier, .all = all};
    host_lock(&locked);
    new->next = barriers;
    barriers = new;
    host_unlock(&locked);
    return code;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    NEXT(pthread_barrier_destroy, NULL, (pthread_barrier_t *))
    host_lock(&locked);
    struct barrier **link = find_barrier(barrier), *found = *link;
    if (found)
        *link = found->next;
    host_unlock(&locked);
    free(found);
    return next(barrier);
}

/* Adds a point to the barrier's current generation and returns its object; NULL: an unknown barrier.  Two
 * objects suffice: no thread is still in the generation before the previous one. */
static const void *arrive_at_barrier(const pthread_barrier_t *barrier)
{
    host_lock(&locked);
    struct barrier *found = *find_barrier(barrier);
    uint64_t number = found ? found->arrived++ : 0;
    const char *generation = found ? (const char *)barrier + (number / found->all & 1) : NULL;
    if (found && host_recording() && number % found->all == 0)
        host_release(generation);
    else if (found && host_recording())
        host_add(generation);
    host_unlock(&locked);
    return generation;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    NEXT(pthread_barrier_wait, NULL, (pthread_barrier_t *))
    const void *generation = host_is_runtime(HERE) ? NULL : arrive_at_barrier(barrier);
    int code = next(barrier);
    if (generation && host_recording())
        host_acquire(generation);
    return code;
}

/* ---- once ------------------------------------------------------------------------------------------ */

/* The function and the object of the pthread_once() or call_once() in progress on this thread; calls may be
 * nested. */
struct once {
    void (*what)(void);
    const void *object;
};
static __thread struct once now;

static void do_once(void)
{
    struct once mine = now;
    mine.what();
    if (host_recording())
        host_release(mine.object);
}

EXPORT int pthread_once(pthread_once_t *once, void (*what)(void))
{
    NEXT(pthread_once, NULL, (pthread_once_t *, void (*)(void)))
    if (host_is_runtime(HERE))
        return next(once, what);
    struct once outer = now;
    now = (struct once){what, once};
    int code = next(once, do_once);
    now = outer;
    if (host_recording())
        host_acquire(once);
    return code;
}

EXPORT void call_once(once_flag *once, void (*what)(void))
{
    void (*next)(once_flag *, void (*)(void));
    host_find_next("call_once", NULL, &next);
    struct once outer = now;
    now = (struct once){what, once};
    next(once, do_once);
    now = outer;
    if (host_recording())
        host_acquire(once);
}
