/* Giving events to a sink, whichever of its functions it has. */
#include "memmodel/memmodel.h"

enum mm_class mm_sink_events(const struct mm_sink *sink, const struct mm_event *events, size_t count)
{
    struct mm_record record = {.type = MM_RECORD_EVENT};
    enum mm_class cls = MM_OK;
    if (sink->events)
        return sink->events(sink->context, events, count);
    for (size_t i = 0; i < count && cls == MM_OK; i++) {
        record.event = events[i];
        cls = sink->record(sink->context, &record);
    }
    return cls;
}

enum mm_class mm_sink_row(const struct mm_sink *sink, const struct mm_event *first, uint32_t count)
{
    struct mm_event event = *first;
    enum mm_class cls = MM_OK;
    if (sink->row)
        return sink->row(sink->context, first, count);
    for (uint32_t i = 0; i < count && cls == MM_OK; i++, event.agent.index++)
        cls = mm_sink_events(sink, &event, 1);
    return cls;
}

enum mm_class mm_skip_events(void *context, const struct mm_event *events, size_t count)
{
    (void)context;
    (void)events;
    (void)count;
    return MM_OK;
}
