/* Brief commands are executed fastest by the thread that enqueues them, when it waits: two threads compete for rt_lock and
 * cache lines, and take longer than one.  The executor therefore leaves them to host threads that alternate between enqueueing and waiting.
 * Deferrals end for a host that polls, or that enqueues without end. */
#ifndef REF_RUNTIME_SCHED_DEFERRAL_H
#define REF_RUNTIME_SCHED_DEFERRAL_H

#include <stdbool.h>
#include <stdint.h>

/* All under rt_lock. */
struct rt_deferral {
    bool brief;      /* the latest steps, of the executor or of hosts */
    bool active;     /* hosts have enqueued or executed commands during the executor's latest short wait */
    bool hosts_wait; /* hosts have waited since work was last left to them without effect */
    unsigned helped; /* steps of hosts during that wait */
    unsigned count;  /* consecutive deferrals */
    unsigned steps;  /* of the executor since it last waited, */
    uint64_t began;  /* until then */
};

/* Whether work is left to host threads. */
bool rt_deferral_applies(const struct rt_deferral *d);
/* The executor has waited for NANOSECONDS; IS_PENDING: there is work that no thread executes.  True if hosts have executed
 * steps. */
bool rt_deferral_waited(struct rt_deferral *d, uint64_t nanoseconds, bool is_pending);
/* The executor has waited; has executed a step. */
void rt_deferral_begin_steps(struct rt_deferral *d);
void rt_deferral_measure_step(struct rt_deferral *d);

#endif
