/* Weak executions: reads may read from older writes than the last recorded one, and writes may precede
 * earlier recorded ones in modification order.  The synchronization state after each recent atomic write is
 * kept for later reads [CL 3.3.6 G5, G7, A4].  See docs/detector.md#weak-executions. */
#include "checker/race/race.h"

enum { PAST = 1 << 15 }; /* number of events for which writes are kept */

void ck_weak_edge(struct ck_detector *d, const struct mm_edge *edge)
{
    if (edge->kind == MM_EDGE_RF) {
        d->weak.flowed = true;
        d->weak.from = edge->from;
    } else {
        d->weak.placed = true;
    }
}

static struct ck_sync *past_of_event(const struct ck_detector *d, mm_event_id id)
{
    const struct ck_past_sync *p = d->weak.past ? &d->weak.past[id % PAST] : NULL;
    return p && p->sync && p->id == id ? p->sync : NULL;
}

const struct ck_sync *ck_weak_read(const struct ck_detector *d, const struct ck_sync *current)
{
    bool too_old = d->next_event - d->weak.from >= PAST;
    if (!d->weak.flowed ||
        too_old) /* use CURRENT, which over-approximates order: a race may be missed, but no race is false */
        return current;
    return past_of_event(d, d->weak.from);
}

struct ck_sync *ck_weak_begin(struct ck_detector *d, const struct mm_event *event, struct ck_sync **state)
{
    const struct ck_sync *from = event->kind == MM_RMW ? ck_weak_read(d, *state) : *state;
    if (!d->weak.placed && (from == *state || !from))
        return *state;
    return ck_sync_copy(d, from ? (struct ck_sync *)(uintptr_t)from : *state);
}

void ck_weak_end(struct ck_detector *d, struct ck_sync **state, struct ck_sync *made)
{
    if (!d->weak.past)
        d->weak.past = ck_budget_alloc(&d->budget, PAST * sizeof *d->weak.past);
    if (!d->weak.past)
        return;
    struct ck_past_sync *p = &d->weak.past[d->next_event % PAST];
    if (p->id != d->next_event || !p->sync) {
        ck_sync_free(d, p->sync);
        p->id = d->next_event;
        p->sync = ck_sync_copy(d, made);
    }
    if (made == *state)
        return;
    if (d->weak.placed) {
        ck_sync_free(d, made);
        return;
    }
    ck_sync_free(d, *state);
    *state = made;
}

void ck_weak_next(struct ck_detector *d)
{
    d->weak.flowed = d->weak.placed = false;
}

void ck_weak_clear(struct ck_detector *d)
{
    for (size_t i = 0; d->weak.past && i < PAST; i++)
        ck_sync_free(d, d->weak.past[i].sync);
    ck_budget_free(&d->budget, d->weak.past, PAST * sizeof *d->weak.past);
    d->weak.past = NULL;
}

void ck_weak_each(struct ck_detector *d, void (*visit)(struct ck_detector *d, const struct ck_sync *sync))
{
    for (size_t i = 0; d->weak.past && i < PAST; i++)
        visit(d, d->weak.past[i].sync);
}

bool ck_detector_is_weak(const struct ck_detector *detector)
{
    return detector->options.weak;
}
