/* Guided execution: an oracle determines the value of each read and is notified of writes, fences and the end
 * of work-items (docs/weak-memory.md#oracle). Memory holds the last write, and no read uses it. */
#include "history.h"
#include <string.h>

/* Whether callbacks are still due: the oracle has not ended the launch. */
static bool asks_oracle(const struct in_run *run)
{
    return !run->outcome.stopped;
}

static void note_answer(struct in_run *run, bool go_on)
{
    if (go_on)
        return;
    run->outcome.stopped = true;
    run->switch_budget = 0;
}

const uint8_t *in_oracle_read(struct in_run *run, struct in_item *item, const struct in_object *object,
                              uint64_t address, uint64_t size)
{
    const struct in_oracle *o = run->launch.oracle;
    if (!in_weak_scratch(run->weak, size)) {
        run->outcome.limit = true;
        return (const uint8_t *)(uintptr_t)address;
    }
    memcpy(run->weak->scratch, (const void *)(uintptr_t)address, size);
    if (asks_oracle(run))
        note_answer(run,
                    o->read(o->context, item->agent, object, address, (uint32_t)size, run->weak->scratch));
    return run->weak->scratch;
}

void in_oracle_wrote(struct in_run *run, struct in_item *item, const struct in_object *object,
                     uint64_t address, uint64_t size, const void *bytes)
{
    const struct in_oracle *o = run->launch.oracle;
    if (asks_oracle(run))
        note_answer(run, o->write(o->context, item->agent, object, address, (uint32_t)size, bytes));
}

void in_oracle_atomic(struct in_run *run, struct in_item *item, struct in_weak_atomic *a)
{
    a->wrote = a->result != NULL;
    if (!a->store)
        memcpy(&a->old, in_oracle_read(run, item, a->object, a->address, a->size), a->size);
    a->written = a->old;
    if (a->result)
        a->written = a->result(a->context, a->old, &a->wrote);
    if (!a->wrote)
        return;
    memcpy((void *)(uintptr_t)a->address, &a->written, a->size);
    in_oracle_wrote(run, item, a->object, a->address, a->size, &a->written);
}

void in_oracle_fence(struct in_run *run, struct in_item *item, bool barrier, uint32_t semantics,
                     enum mm_scope scope)
{
    const struct in_oracle *o = run->launch.oracle;
    run->switch_budget -= !barrier;
    if (asks_oracle(run))
        note_answer(run, o->fence(o->context, item->agent, barrier, in_order_of(semantics), scope));
}

void in_oracle_ended(struct in_run *run, struct in_item *item)
{
    const struct in_oracle *o = run->launch.oracle;
    if (asks_oracle(run))
        note_answer(run, o->ended(o->context, item->agent));
}

void in_oracle_recorded(struct in_run *run)
{
    enum { MOST = 64 };
    const struct in_oracle *o = run->launch.oracle;
    struct mm_edge edges[MOST];
    size_t count = o->sources ? o->sources(o->context, edges, MOST) : 0;
    for (size_t k = 0; k < count; k++)
        edges[k].kind = MM_EDGE_RF;
    mm_event_id id = in_weak_record(run, edges, count);
    if (o->recorded)
        o->recorded(o->context, id);
}
