/* One-time initialization: pthread_once() without its call once that is done. */
#ifndef MEMMODEL_TRACE_ONCE_H
#define MEMMODEL_TRACE_ONCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct mm_once {
    pthread_once_t once;
    atomic_bool done;
};
#define MM_ONCE                                                                                              \
    {                                                                                                        \
        .once = PTHREAD_ONCE_INIT                                                                            \
    }

static inline void mm_once(struct mm_once *once, void (*function)(void))
{
    if (!atomic_load_explicit(&once->done, memory_order_acquire)) {
        pthread_once(&once->once, function);
        atomic_store_explicit(&once->done, true, memory_order_release);
    }
}

#endif
