/* Replays a recorded trace; re-executing its launches takes as long as interpreting them. */
#include "tools/session/reexecute.h"
#include "interp/replay/expand.h"
#include "memmodel/base/clock.h"

#include <unistd.h>

enum { SECONDS = 60, OFTEN = 1024 };

struct watch {
    const struct mm_sink *to;
    double end;
    unsigned count;
};

static enum mm_class check_time(struct watch *w)
{
    return ++w->count % OFTEN == 0 && mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) >= w->end ? MM_LIMIT : MM_OK;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct watch *w = context;
    enum mm_class cls = check_time(w);
    return cls ? cls : w->to->record(w->to->context, record);
}

static enum mm_class again_take_events(void *context, const struct mm_event *events, size_t count)
{
    struct watch *w = context;
    enum mm_class cls = check_time(w);
    return cls ? cls : w->to->events(w->to->context, events, count);
}

enum mm_class session_reexecute(int fd, const struct mm_sink *sink)
{
    struct watch w = {.to = sink, .end = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + SECONDS};
    struct mm_sink in = {.context = &w, .record = take_record, .events = again_take_events};
    bool complete;
    return lseek(fd, 0, SEEK_SET) == 0 ? in_expand_trace(fd, "trace", &in, &complete, NULL) : MM_LIMIT;
}
