/* Kernels that do not come to an end: work-items that wait at different barriers, and loops that wait for
 * what no work-item with a claim to go on will write.
 *
 * A loop waits for ever if the work-item is scheduled again and again and every read of its iteration returns
 * the value that stays in memory.  The other work-items have ended, wait too, or are no longer scheduled; the
 * progress model says who may be left so. */
#include "checker/search/internal.h"

#include <string.h>

enum { MAX_STOPPED = 4096 };

/* ---- barriers ----------------------------------------------------------------------------------- */

static bool reaches(const struct sx_trace *t, const struct sx_event *barrier)
{
    for (uint32_t i = 0; i < t->event_count; i++) {
        if (t->events[i].kind == SX_BARRIER && t->events[i].barrier == barrier->barrier &&
            t->events[i].occurrence == barrier->occurrence)
            return true;
    }
    return false;
}

/* Whether every work-item that BARRIER of thread T is for comes to it. */
static bool all_come(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t,
                     const struct sx_event *barrier)
{
    for (uint32_t u = 0; u < sx->program->thread_count; u++) {
        if (sx_share_barriers(sx->program, t, u, barrier->instr->sub_group) && !reaches(chosen[u], barrier))
            return false;
    }
    return true;
}

/* The traces up to the barriers where they wait in vain [CL 3.3.6 W10]. */
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
                if (cut[t].events[i].kind != SX_BARRIER || all_come(sx, list, t, &cut[t].events[i]))
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
    return last->kind == SX_BARRIER && !all_come(sx, chosen, t, last) ? BLOCKED : STOPPED;
}

/* The members of a scope, told apart by what KEY says of a thread; LEVEL 0: work-groups of the device, 1:
 * sub-groups of the work-group, 2: work-items of the sub-group. */
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

static struct member describe(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t,
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

static bool has_claim(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t, int level)
{
    const struct ck_progress *progress = &sx->options.progress;
    const enum ck_progress_kind kinds[3] = {progress->work_groups, progress->sub_groups,
                                            progress->work_items};
    struct member m = describe(sx, chosen, t, level);

    /* even the least fair scheduler runs some work-item that can go on */
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

static bool is_owed(const struct sx *sx, const struct sx_trace *const *chosen, uint32_t t)
{
    return has_claim(sx, chosen, t, 0) && has_claim(sx, chosen, t, 1) && has_claim(sx, chosen, t, 2);
}

/* Some loop waits, and nobody is left out who has a claim to go on. */
bool sx_may_hang(struct sx *sx, const struct sx_trace *const *chosen)
{
    bool waits = false;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        enum state state = state_of(sx, chosen, t);

        waits = waits || state == WAITS;
        if ((state == STOPPED || state == NOT_BEGUN) && is_owed(sx, chosen, t))
            return false;
    }
    return waits;
}

/* ---- traces that stop --------------------------------------------------------------------------- */

static bool same_event(const struct sx_event *a, const struct sx_event *b)
{
    return a->instr == b->instr && a->kind == b->kind && a->location == b->location && a->value == b->value &&
           a->occurrence == b->occurrence && a->order == b->order;
}

static bool same_beginning(const struct sx_trace *a, const struct sx_trace *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_event(&a->events[i], &b->events[i]))
            return false;
    }
    return true;
}

static bool is_known(const struct sx_trace *traces, uint32_t count, const struct sx_trace *t, uint32_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        if (traces[i].event_count == length && same_beginning(&traces[i], t, length))
            return true;
    }
    return false;
}

bool sx_is_fair(const struct sx *sx)
{
    const struct ck_progress *p = &sx->options.progress;

    return p->work_groups == CK_FAIR && p->sub_groups == CK_FAIR && p->work_items == CK_FAIR;
}

/* All beginnings of the thread's traces; where everybody progresses fairly, those that end at a barrier. */
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
                is_known(stopped, count, t, length))
                continue;
            if (!sx_in_bounds(sx))
                return true;
            if (count == MAX_STOPPED) {
                sx_limit(sx, "search.progress", "too many ways for a work-item to stop");
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
