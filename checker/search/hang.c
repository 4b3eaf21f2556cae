/* Kernels that do not terminate: work-items that wait at different barriers (divergence,
 * [CL 3.3.6 W10, B10]), and loops whose awaited write comes from no work-item that the progress model obliges
 * to be scheduled.
 *
 * A loop never terminates if its work-item is scheduled infinitely often and every read of its iteration
 * returns the final value of its location.  Each other work-item has ended, is in such a loop too, or is no
 * longer scheduled where the progress model permits that.  docs/search.md#progress */
#include "checker/search/internal.h"

/* ---- barriers ----------------------------------------------------------------------------------- */

bool sx_share_barriers(const struct ck_program *p, uint32_t a, uint32_t b, bool sub_group)
{
    const struct ck_thread *x = &p->threads[a], *y = &p->threads[b];

    return a != b && ck_meets_others(x) && ck_meets_others(y) && x->device == y->device &&
           x->work_group == y->work_group && (!sub_group || x->sub_group == y->sub_group);
}

bool sx_all_wait(const struct ck_program *p, const struct sx_event *const *waiting, uint32_t t)
{
    const struct sx_event *at = waiting[t];

    for (uint32_t u = 0; u < p->thread_count; u++) {
        const struct sx_event *other = waiting[u];

        if (sx_share_barriers(p, t, u, at->instr->sub_group) &&
            (!other || other->barrier != at->barrier || other->occurrence != at->occurrence ||
             other->instr->sub_group != at->instr->sub_group))
            return false;
    }
    return true;
}

static bool reaches_barrier(const struct sx_trace *t, const struct sx_event *barrier)
{
    for (uint32_t i = 0; i < t->event_count; i++) {
        if (t->events[i].kind == SX_BARRIER && t->events[i].barrier == barrier->barrier &&
            t->events[i].occurrence == barrier->occurrence)
            return true;
    }
    return false;
}

/* Whether every work-item that takes part in BARRIER of thread T reaches it. */
static bool all_reach_barrier(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t,
                              const struct sx_event *barrier)
{
    for (uint32_t u = 0; u < sx->program->thread_count; u++) {
        if (sx_share_barriers(sx->program, t, u, barrier->instr->sub_group) &&
            !reaches_barrier(chosen[u], barrier))
            return false;
    }
    return true;
}

/* ---- progress ----------------------------------------------------------------------------------- */

enum state { ENDED, WAITS, BLOCKED, STOPPED, NOT_BEGUN };

static enum state state_of(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t)
{
    const struct sx_trace *trace = chosen[t];
    const struct sx_event *last = trace->event_count ? &trace->events[trace->event_count - 1] : NULL;

    if (!trace->stopped)
        return trace->end == SX_DONE ? ENDED : WAITS;
    if (!last)
        return NOT_BEGUN;
    return last->kind == SX_BARRIER && !all_reach_barrier(sx, chosen, t, last) ? BLOCKED : STOPPED;
}

/* Whether A and B belong to the same member of a scope; LEVEL 0: work-groups of the device, 1: sub-groups of
 * the work-group, 2: work-items of the sub-group. */
static bool same_member(const struct ck_program *p, uint32_t a, uint32_t b, int level)
{
    const struct ck_thread *x = &p->threads[a], *y = &p->threads[b];

    if (x->device != y->device || x->work_group != y->work_group)
        return false;
    return level == 0 || (x->sub_group == y->sub_group && (level == 1 || a == b));
}

static bool same_scope(const struct ck_program *p, uint32_t a, uint32_t b, int level)
{
    return level == 0 ? p->threads[a].device == p->threads[b].device : same_member(p, a, b, level - 1);
}

struct member {
    bool begun, first, any_later_begun, someone_runs;
};

static struct member describe_member(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t,
                                     int level)
{
    const struct ck_program *p = sx->program;
    struct member m = {.first = true};

    for (uint32_t u = 0; u < p->thread_count; u++) {
        enum state state = state_of(sx, chosen, u);

        if (!same_scope(p, t, u, level))
            continue;
        m.someone_runs = m.someone_runs || state == WAITS;
        if (same_member(p, t, u, level)) {
            m.begun = m.begun || state != NOT_BEGUN;
        } else if (u < t) {
            m.first = m.first && (state == ENDED || state == BLOCKED);
        } else {
            m.any_later_begun = m.any_later_begun || state != NOT_BEGUN;
        }
    }
    return m;
}

static bool must_schedule_member(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t,
                                 int level)
{
    const struct ck_progress *progress = &sx->options.progress;
    const enum ck_progress_kind kinds[3] = {progress->work_groups, progress->sub_groups,
                                            progress->work_items};
    struct member m = describe_member(sx, chosen, t, level);

    /* even the least fair scheduler runs some runnable work-item */
    if (!m.someone_runs)
        return true;
    switch (kinds[level]) {
    case CK_FAIR:
        return true;
    case CK_HSA:
        return m.first;
    case CK_OBE:
        return m.begun;
    case CK_LOBE:
        return m.begun || m.any_later_begun || m.first;
    case CK_UNFAIR:
        return false;
    }
    return true;
}

static bool must_be_scheduled(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t)
{
    return must_schedule_member(sx, chosen, t, 0) && must_schedule_member(sx, chosen, t, 1) &&
           must_schedule_member(sx, chosen, t, 2);
}

bool sx_may_hang(struct sx *sx, const struct sx_trace *const *chosen)
{
    bool waits = false;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        enum state state = state_of(sx, chosen, t);

        waits = waits || state == WAITS;
        if ((state == STOPPED || state == NOT_BEGUN) && must_be_scheduled(sx, chosen, t))
            return false;
    }
    return waits;
}

bool sx_is_fair(const struct sx *sx)
{
    const struct ck_progress *p = &sx->options.progress;

    return p->work_groups == CK_FAIR && p->sub_groups == CK_FAIR && p->work_items == CK_FAIR;
}
