/* librefcl-host: interposers of locks, condition variables and once, of POSIX and C11: each acquires the
 * point that the previous holder released. */
#include "tools/hostlib/interpose.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* Defines the interposer NAME, which releases MUTEX and acquires it again, whatever it returns.  Recording
 * may begin in between. */
#define WAIT(name, version, arguments, mutex, ...)                                                           \
    EXPORT int name arguments                                                                                \
    {                                                                                                        \
        NEXT(name, version, arguments)                                                                       \
        if (host_is_recording(HERE))                                                                         \
            host_release(mutex);                                                                             \
        int code = next(__VA_ARGS__);                                                                        \
        if (host_is_recording(HERE))                                                                         \
            host_acquire(mutex);                                                                             \
        return code;                                                                                         \
    }

/* ---- mutexes (EOWNERDEAD: acquired, the previous owner died) ------------------------------------------ */

#define TAKE_MUTEX(name, arguments, ...)                                                                     \
    TAKE(name, arguments, code == 0 || code == EOWNERDEAD, host_acquire(mutex), __VA_ARGS__)
TAKE_MUTEX(pthread_mutex_lock, (pthread_mutex_t * mutex), mutex)
TAKE_MUTEX(pthread_mutex_trylock, (pthread_mutex_t * mutex), mutex)
TAKE_MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * mutex, moment until), mutex, until)
TAKE_MUTEX(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, moment until), mutex, clock,
           until)
GIVE(pthread_mutex_unlock, (pthread_mutex_t * mutex), host_release(mutex), mutex)

#define TAKE_MTX(name, arguments, ...)                                                                       \
    TAKE(name, arguments, code == thrd_success, host_acquire(mutex), __VA_ARGS__)
TAKE_MTX(mtx_lock, (mtx_t * mutex), mutex)
TAKE_MTX(mtx_trylock, (mtx_t * mutex), mutex)
TAKE_MTX(mtx_timedlock, (mtx_t * mutex, moment until), mutex, until)
GIVE(mtx_unlock, (mtx_t * mutex), host_release(mutex), mutex)

TAKE(pthread_spin_lock, (pthread_spinlock_t * lock), code == 0, host_acquire((void *)(uintptr_t)lock), lock)
TAKE(pthread_spin_trylock, (pthread_spinlock_t * lock), code == 0, host_acquire((void *)(uintptr_t)lock),
     lock)
GIVE(pthread_spin_unlock, (pthread_spinlock_t * lock), host_release((void *)(uintptr_t)lock), lock)

/* ---- conditions ----------------------------------------------------------------------------------- */

WAIT(pthread_cond_wait, HOST_CONDITIONS_VERSION, (pthread_cond_t * condition, pthread_mutex_t *mutex), mutex,
     condition, mutex)
WAIT(pthread_cond_timedwait, HOST_CONDITIONS_VERSION,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, moment until), mutex, condition, mutex, until)
WAIT(pthread_cond_clockwait, NULL,
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, moment until), mutex, condition,
     mutex, clock, until)
WAIT(cnd_wait, NULL, (cnd_t * condition, mtx_t *mutex), mutex, condition, mutex)
WAIT(cnd_timedwait, NULL, (cnd_t * condition, mtx_t *mutex, moment until), mutex, condition, mutex, until)

/* ---- read-write locks: writers are ordered after readers and writers, readers after writers ---------- */

static const void *readers_of(const pthread_rwlock_t *lock)
{
    return (const char *)lock + 1;
}

static void acquire_to_read(pthread_rwlock_t *lock)
{
    host_acquire(lock);
}

/* The locks that this thread holds for writing: pthread_rwlock_unlock() is the same for both modes.  NULL: a
 * free slot. */
enum { MOST_WRITTEN = 64 };
static __thread const pthread_rwlock_t *written[MOST_WRITTEN];
static __thread size_t too_many; /* locks that found no free slot */

/* Replaces the slot of LOCK; false: there is none. */
static bool replace_written(const pthread_rwlock_t *lock, const pthread_rwlock_t *instead)
{
    for (size_t i = 0; i < MOST_WRITTEN; i++) {
        if (written[i] != lock)
            continue;
        written[i] = instead;
        return true;
    }
    return false;
}

static void acquire_to_write(pthread_rwlock_t *lock)
{
    host_acquire(lock);
    host_acquire(readers_of(lock));
    too_many += !replace_written(NULL, lock);
}

static void release_lock(pthread_rwlock_t *lock)
{
    bool wrote = replace_written(lock, NULL);
    if (wrote || too_many)
        host_release(lock);
    if (!wrote)
        host_add(readers_of(lock));
}

#define TAKE_RW(name, how, arguments, ...) TAKE(name, arguments, code == 0, how(lock), __VA_ARGS__)
#define RW                                 pthread_rwlock_t *lock
TAKE_RW(pthread_rwlock_rdlock, acquire_to_read, (RW), lock)
TAKE_RW(pthread_rwlock_tryrdlock, acquire_to_read, (RW), lock)
TAKE_RW(pthread_rwlock_timedrdlock, acquire_to_read, (RW, moment until), lock, until)
TAKE_RW(pthread_rwlock_clockrdlock, acquire_to_read, (RW, clockid_t clock, moment until), lock, clock, until)
TAKE_RW(pthread_rwlock_wrlock, acquire_to_write, (RW), lock)
TAKE_RW(pthread_rwlock_trywrlock, acquire_to_write, (RW), lock)
TAKE_RW(pthread_rwlock_timedwrlock, acquire_to_write, (RW, moment until), lock, until)
TAKE_RW(pthread_rwlock_clockwrlock, acquire_to_write, (RW, clockid_t clock, moment until), lock, clock, until)
GIVE(pthread_rwlock_unlock, (RW), release_lock(lock), lock)
