/* A few threads that help the one that calls. */
#ifndef INTERP_JIT_RUN_POOL_H
#define INTERP_JIT_RUN_POOL_H

#include <stdbool.h>

/* Lets up to HELPERS sleeping threads of the pool, and those that are awake, call WORK(ARGUMENT, number of
 * the thread from
 * 1) once until the offer is withdrawn; false: the pool serves another caller, and there is nothing to
 *    withdraw. */
bool in_pool_offer(void (*work)(void *, unsigned), void *argument, unsigned helpers);
/* Ends the offer and returns when all calls of WORK have returned. */
void in_pool_withdraw(void);
/* How many threads that may be, the caller's included: REFCL_THREADS, or the cores of this process when it is
 * first asked. */
unsigned in_pool_cores(void);
/* A thread for the rest of the process that takes no signals and that is never joined; false: there is
 * none. */
bool in_pool_start_thread(void *(*body)(void *));

#endif
