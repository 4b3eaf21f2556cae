/* Kernels that do not terminate: work-items that wait at different barriers (divergence), and loops whose
 * awaited write comes from no work-item that the progress model obliges to be scheduled.
 *
 * A loop never terminates if its work-item is scheduled infinitely often and every read of its iteration
 * returns the final value of its location.  Each other work-item has ended, is in such a loop too, or is no
 * longer scheduled where the progress model permits that.  docs/search.md#progress */
#include "checker/search/internal.h"

#include <string.h>

enum { MAX_STOPPED = 4096 };

/* ---- barriers ----------------------------------------------------------------------------------- */

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

/* Cuts the traces at the barriers that not all work-items reach [CL 3.3.6 W10] and examines the result. */
void sx_find_divergence(struct sx *sx, const struct sx_trace *const *chosen)
{
    uint32_t n = sx->program->thread_count;
    struct sx_trace *cut = mm_alloc_zero(n + 1, sizeof *cut);
    const struct sx_trace **list = mm_alloc_zero(n + 1, sizeof *list);
    bool changed = cut && list, left = false;

    for (uint32_t t = 0; t < n && changed; t++) {
        cut[t] = *chosen[t];
        list[t] = &cut[t];
    }
    if (!changed)
        sx_limit(sx, "memory", "out of memory");
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < n; t++) {
            for (uint32_t i = 0; i + 1 < cut[t].event_count; i++) {
                if (cut[t].events[i].kind != SX_BARRIER || all_reach_barrier(sx, list, t, &cut[t].events[i]))
                    continue;
                cut[t].event_count = i + 1;
                cut[t].stopped = changed = true;
            }
        }
    }
    for (uint32_t t = 0; t < n && cut && list; t++)
        left = left || (cut[t].end == SX_LEFT && !cut[t].stopped);
    if (cut && list && !left) {
        sx->mode = SX_DIVERGE;
        sx_execute(sx, list, true);
        sx->mode = SX_COMPLETE;
    }
    mm_free(cut);
    mm_free(list);
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

/* Whether some loop waits, and every work-item that the progress model obliges to run has ended or waits. */
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

/* ---- prefixes of traces ------------------------------------------------------------------------- */

static bool same_event(const struct sx_event *a, const struct sx_event *b)
{
    return a->instr == b->instr && a->kind == b->kind && a->location == b->location && a->value == b->value &&
           a->occurrence == b->occurrence && a->order == b->order;
}

static bool same_prefix(const struct sx_trace *a, const struct sx_trace *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_event(&a->events[i], &b->events[i]))
            return false;
    }
    return true;
}

static bool is_known_prefix(const struct sx_trace *traces, uint32_t count, const struct sx_trace *t,
                            uint32_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        if (traces[i].event_count == length && same_prefix(&traces[i], t, length))
            return true;
    }
    return false;
}

bool sx_is_fair(const struct sx *sx)
{
    const struct ck_progress *p = &sx->options.progress;

    return p->work_groups == CK_FAIR && p->sub_groups == CK_FAIR && p->work_items == CK_FAIR;
}

/* Adds all prefixes of the thread's traces; under fair progress, those that end at a barrier. */
static bool add_stopped(struct sx *sx, struct sx_thread *thread)
{
    bool fair = sx_is_fair(sx);
    struct sx_trace *stopped = mm_arena_alloc(sx->traces, MAX_STOPPED * sizeof *stopped);
    uint32_t count = 0, kept = 0;
    struct sx_trace *all;

    if (!stopped)
        return false;
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        const struct sx_trace *t = &thread->traces[i];

        if (!sx_in_bounds(sx))
            return true;
        for (uint32_t length = 0; length < t->event_count; length++) {
            const struct sx_event *last = length ? &t->events[length - 1] : NULL;

            if ((fair && !(last && last->kind == SX_BARRIER)) || sx_continues(t->events, length) ||
                is_known_prefix(stopped, count, t, length))
                continue;
            if (!sx_in_bounds(sx))
                return true;
            if (count == MAX_STOPPED) {
                sx_limit(sx, "search.progress", "limit reached: 4096 prefixes at which a work-item may stop");
                return true;
            }
            stopped[count] = *t;
            stopped[count].event_count = length;
            stopped[count].stopped = true;
            count++;
        }
    }
    all = mm_arena_alloc(sx->traces, (thread->trace_count + count + 1) * sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < thread->trace_count; i++) {
        if (thread->traces[i].end == SX_DONE || thread->traces[i].end == SX_WAIT)
            all[kept++] = thread->traces[i];
    }
    memcpy(all + kept, stopped, count * sizeof *all);
    thread->traces = all;
    thread->trace_count = thread->trace_capacity = kept + count;
    thread->readers = thread->writers = NULL;
    return true;
}

void sx_find_hangs(struct sx *sx)
{
    bool waits = false;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        for (uint32_t i = 0; i < sx->threads[t].trace_count; i++)
            waits = waits || sx->threads[t].traces[i].end == SX_WAIT;
    }
    if (!waits)
        return;
    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        if (!add_stopped(sx, &sx->threads[t])) {
            sx_limit(sx, "memory", "out of memory");
            return;
        }
    }
    if (sx_in_bounds(sx))
        sx_visit(sx, SX_HANG);
}
