/* Deferral: its conditions, and the measurement of the time of steps. */
#include "ref-runtime/sched/deferral.h"
#include "ref-runtime/device.h"

/* Steps up to this average are brief: of the order of a wake-up of a thread. */
enum { BRIEF_STEP_NS = 10 * 1000 };
/* A command that no host thread executes is delayed by this number of short waits at most: 8 milliseconds. */
enum { MOST_IN_A_ROW = 8 };

bool rt_deferral_applies(const struct rt_deferral *d)
{
    return d->steps_are_brief && d->hosts_active && d->hosts_wait && d->in_a_row < MOST_IN_A_ROW;
}

/* The steps of host threads are not timed one by one: they are brief if the wait is too short for as many
 * longer ones. */
bool rt_deferral_wait_ended(struct rt_deferral *d, uint64_t nanoseconds, bool is_pending)
{
    bool executed = d->host_steps > 0;
    if (executed) {
        d->steps_are_brief = (uint64_t)d->host_steps * BRIEF_STEP_NS >= nanoseconds;
        d->hosts_active = true;
        d->host_steps = 0;
        d->in_a_row = 0;
    }
    d->hosts_wait &= d->hosts_active || !is_pending;
    return executed;
}

void rt_deferral_begin_steps(struct rt_deferral *d)
{
    d->executor_began = rt_now();
    d->executor_steps = 0;
}

/* Reads the clock after 1, 2, 4, ... steps: each reading takes a part of the time of a brief step. */
void rt_deferral_count_step(struct rt_deferral *d)
{
    uint64_t steps = ++d->executor_steps;
    bool is_power_of_two = (steps & (steps - 1)) == 0;
    if (is_power_of_two)
        d->steps_are_brief = rt_now() - d->executor_began < steps * BRIEF_STEP_NS;
}
