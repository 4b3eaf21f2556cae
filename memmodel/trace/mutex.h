/* Mutexes that are free in a child of fork() or clone(), whatever other threads of the parent did at that
 * time.
 *
 * fork() locks all of them, so that the child has consistent data.  It waits for their holders for at most a
 * second: critical sections take microseconds, but the holder may be stopped, or wait for a lock of the
 * application that the forking thread holds, and then waiting longer is a deadlock.  A mutex that is not free
 * then, or in the child of clone() or its system call, is initialized again in the child: its data may be
 * inconsistent, and for clone() the child reports that. */
#ifndef MEMMODEL_TRACE_MUTEX_H
#define MEMMODEL_TRACE_MUTEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct mm_mutex {
    pthread_mutex_t mutex; /* for condition variables */
    /* Whose mutex this is: 2 x mm_fork_count() + 2; 1 more while a thread prepares it; 0: unused. */
    atomic_uint process;
    bool has_conditions; /* fork() does not wait for its holders: a handler of the owner's does */
    bool is_held;        /* by the thread that forks, from before the fork until after it */
    struct mm_mutex *next, **before;
};
#define MM_MUTEX                                                                                             \
    {                                                                                                        \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                   \
    }
#define MM_MUTEX_WITH_CONDITIONS                                                                             \
    {                                                                                                        \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .has_conditions = true                                           \
    }

void mm_mutex_init(struct mm_mutex *mutex);
void mm_mutex_destroy(struct mm_mutex *mutex);
void mm_mutex_lock(struct mm_mutex *mutex);
void mm_mutex_unlock(struct mm_mutex *mutex);
/* For a handler of fork() in the child, whose thread locked MUTEX before the fork. */
void mm_mutex_inherit(struct mm_mutex *mutex);

#endif
