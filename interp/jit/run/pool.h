/* A few threads that help the one that calls. */
#ifndef INTERP_JIT_POOL_H
#define INTERP_JIT_POOL_H

#include <stdbool.h>

/* Runs WORK(ARGUMENT) on this thread and at the same time on the pool's, one per further core; returns when
 * all have returned.  While the pool is busy for another caller, on this thread alone. */
void in_pool_run(void (*work)(void *), void *argument);
/* How many threads that may be, the caller's included: REFCL_THREADS, or the cores of this process. */
unsigned in_pool_cores(void);
/* A thread for the rest of the process that takes no signals and that is never joined; false: there is none. */
bool in_pool_start_thread(void *(*body)(void *));

#endif
