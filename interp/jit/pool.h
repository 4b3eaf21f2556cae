/* A few threads that help the one that calls. */
#ifndef INTERP_JIT_POOL_H
#define INTERP_JIT_POOL_H

/* Runs WORK(ARGUMENT) on this thread and at the same time on the pool's, one per further core; returns when
 * all have returned.  While the pool is busy for another caller, on this thread alone. */
void in_pool_run(void (*work)(void *), void *argument);

#endif
