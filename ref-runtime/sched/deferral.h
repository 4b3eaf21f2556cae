/* Deferral: the executor leaves ready commands to the host threads that enqueue them.
 *
 * A brief command is executed fastest by the thread that enqueues it, when that thread waits for its event:
 * if the executor takes it instead, two threads compete for rt_lock and its cache lines, and take longer than
 * one.  The executor defers as long as steps are brief and host threads alternate between enqueueing and
 * waiting.  A host that polls, or that enqueues and never waits, executes nothing itself: then the executor
 * stops deferring.  While it defers, clFlush wakes it no sooner than its short wait ends. */
#ifndef REF_RUNTIME_SCHED_DEFERRAL_H
#define REF_RUNTIME_SCHED_DEFERRAL_H

#include <stdbool.h>
#include <stdint.h>

/* Under rt_lock. */
struct rt_deferral {
    /* the conditions */
    bool steps_are_brief; /* in the latest measurement, of host threads or of the executor */
    /* host threads have enqueued or executed commands in the executor's latest short wait */
    bool hosts_active;
    /* a host thread has waited since a short wait last ended with pending work and no active hosts */
    bool hosts_wait;
    unsigned in_a_row; /* consecutive short waits in which the executor deferred */
    /* the measurement */
    unsigned host_steps;     /* executed by host threads since the executor's latest short wait began */
    unsigned executor_steps; /* executed by the executor since it last waited, */
    uint64_t executor_began; /* at this time */
};

/* Whether the executor leaves ready commands to host threads. */
bool rt_deferral_applies(const struct rt_deferral *d);
/* The executor's short wait of NANOSECONDS has ended.  IS_PENDING: there is work that no thread executes.
 * Returns whether host threads executed steps meanwhile. */
bool rt_deferral_wait_ended(struct rt_deferral *d, uint64_t nanoseconds, bool is_pending);
/* The executor has waited, and now executes steps; it has executed one more. */
void rt_deferral_begin_steps(struct rt_deferral *d);
void rt_deferral_count_step(struct rt_deferral *d);

#endif
