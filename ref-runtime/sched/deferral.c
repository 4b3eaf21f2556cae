/* Whether the executor leaves brief commands to host threads. */
#include "ref-runtime/sched/deferral.h"
#include "ref-runtime/device.h"

enum { BRIEF_STEP_NS = 10 * 1000, MOST_DEFERRALS = 8 };

bool rt_deferral_applies(const struct rt_deferral *d)
{
    return d->brief && d->active && d->hosts_wait && d->count < MOST_DEFERRALS;
}

bool rt_deferral_waited(struct rt_deferral *d, uint64_t nanoseconds, bool is_pending)
{
    bool helped = d->helped > 0;
    if (helped) {
        d->active = true;
        d->brief = (uint64_t)d->helped * BRIEF_STEP_NS >= nanoseconds;
        d->count = 0;
        d->helped = 0;
    }
    d->hosts_wait &= d->active || !is_pending;
    return helped;
}

void rt_deferral_begin_steps(struct rt_deferral *d)
{
    d->began = rt_now();
    d->steps = 0;
}

/* After 1, 2, 4, ... steps: reading the clock takes a part of the time of a step. */
void rt_deferral_measure_step(struct rt_deferral *d)
{
    uint64_t steps = ++d->steps;
    if ((steps & (steps - 1)) == 0)
        d->brief = rt_now() - d->began < steps * BRIEF_STEP_NS;
}
