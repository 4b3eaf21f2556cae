/* Recorded events at which edges to later events may start, with their holders: events, queues, and commands
 * that depend on them.  Without a holder nothing can name the event again, which the record then says
 * (checker/race/docs/detector.md). */
#include "ref-runtime/sched/command.h"

struct rt_point {
    mm_event_id event;
    atomic_uint holders;
    bool borrowed; /* something else states when the event retires */
};

static struct rt_point *create_point(mm_event_id event, bool borrowed)
{
    struct rt_point *point = event == MM_NO_EVENT ? NULL : mm_alloc_zero(1, sizeof *point);
    if (!point)
        return NULL;
    point->event = event;
    point->borrowed = borrowed;
    atomic_init(&point->holders, 1);
    return point;
}

struct rt_point *rt_point_create(mm_event_id event)
{
    return create_point(event, false);
}

struct rt_point *rt_point_borrow(mm_event_id event)
{
    return create_point(event, true);
}

struct rt_point *rt_point_hold(struct rt_point *point)
{
    if (point)
        atomic_fetch_add_explicit(&point->holders, 1, memory_order_relaxed);
    return point;
}

mm_event_id rt_point_event(const struct rt_point *point)
{
    return point ? point->event : MM_NO_EVENT;
}

void rt_point_drop(struct rt_point *point)
{
    if (!point || atomic_fetch_sub_explicit(&point->holders, 1, memory_order_acq_rel) > 1)
        return;
    if (!point->borrowed)
        mm_recorder_retire(rt_recorder(), &point->event, 1);
    mm_free(point);
}

void rt_record_command_over(const struct rt_command *command)
{
    const struct rt_command_events *e = &command->events;
    if (!rt_recorder())
        return;
    const mm_event_id over[] = {command->family.parent ? MM_NO_EVENT : e->call,
                                e->start_is_named ? MM_NO_EVENT : e->began, e->returned, e->end};
    mm_recorder_retire(rt_recorder(), over, sizeof over / sizeof *over);
}
