/* Races between writes of the same value: detectors keep no values, so that the launch is repeated with values recorded, and its trace
 * read.  Two different values for one element at the racing places are enough for a race not to be marked, whatever orders them. */
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"
#include "tools/session/barrier.h"
#include "tools/session/launch.h"
#include "tools/session/process.h"

#include <string.h>
#include <unistd.h>

enum { SECONDS = 20 };

struct scan {
    uint32_t sources[2];
    struct mm_map values; /* of each element, as hashes */
    bool differs;
};

static bool is_write_race(const struct ck_finding *f)
{
    const struct mm_event *a = &f->accesses[0].event, *b = &f->accesses[1].event;
    return f->access_count == 2 && strcmp(f->kind, "data-race") == 0 && a->kind == MM_WRITE &&
           b->kind == MM_WRITE && !((a->attributes | b->attributes) & MM_ATOMIC) && !mm_is_copy(a) &&
           !mm_is_copy(b) && (f->pairs & (f->pairs - 1)) == 0 && f->accesses[0].command &&
           f->accesses[1].command && f->accesses[0].agent.index != MM_INDEX_RUNTIME &&
           f->accesses[1].agent.index != MM_INDEX_RUNTIME;
}

static void take_write(struct scan *s, const struct mm_event *e)
{
    const uint64_t place[2] = {e->allocation, e->offset}, value[2] = {e->value_written, e->size};
    uint64_t key = mm_fnv1a(MM_FNV1A, place, sizeof place),
             hash = mm_fnv1a(MM_FNV1A, value, sizeof value) | 1;
    uint64_t known = mm_map_get(&s->values, key);
    s->differs |= (e->attributes & MM_NO_VALUE) || (known && known != hash);
    if (!known && !mm_map_put(&s->values, key, hash))
        s->differs = true;
}

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct scan *s = context;
    for (size_t i = 0; i < count && !s->differs; i++)
        if (events[i].kind == MM_WRITE &&
            (events[i].source == s->sources[0] || events[i].source == s->sources[1]))
            take_write(s, &events[i]);
    return s->differs ? MM_LIMIT : MM_OK;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    return record->type == MM_RECORD_EVENT ? take_events(context, &record->event, 1) : MM_OK;
}

static bool is_uniform(int trace, const struct ck_finding *f)
{
    bool complete = false;
    struct scan s = {.sources = {f->accesses[0].event.source, f->accesses[1].event.source}};
    struct mm_sink sink = {.context = &s, .record = take_record, .events = take_events};
    bool good =
        lseek(trace, 0, SEEK_SET) == 0 && mm_trace_read(trace, "trace", &sink, &complete, NULL) == MM_OK;
    good = good && complete && !s.differs && s.values.count > 0;
    mm_map_clear(&s.values);
    return good;
}

static bool same_lines(const struct ck_finding *a, const struct ck_finding *b)
{
    const struct mm_source *x[2] = {&a->accesses[0].source, &a->accesses[1].source},
                           *y[2] = {&b->accesses[0].source, &b->accesses[1].source};
    bool straight = x[0]->line == y[0]->line && x[0]->column == y[0]->column && x[1]->line == y[1]->line &&
                    x[1]->column == y[1]->column;
    bool crossed = x[0]->line == y[1]->line && x[0]->column == y[1]->column && x[1]->line == y[0]->line &&
                   x[1]->column == y[0]->column;
    return x[0]->line && (straight || crossed);
}

/* The race of the first launch, in the second: all of those at its places are judged, on whatever memory. */
static void mark(struct ck_detector *detector, size_t i, const struct ck_detector *again, int trace)
{
    const struct ck_finding *f = ck_detector_finding(detector, i);
    bool uniform = false, differs = false;
    for (size_t k = 0; k < ck_detector_finding_count(again) && !differs; k++) {
        const struct ck_finding *g = ck_detector_finding(again, k);
        if (!same_lines(f, g))
            continue;
        uniform = is_write_race(g) && is_uniform(trace, g);
        differs = !uniform;
    }
    if (uniform && !differs)
        ck_detector_mark_uniform(detector, i);
}

void session_mark_uniform(const struct session *session, struct ck_detector *detector, char **argv)
{
    struct session_launch launch;
    struct session_processes processes;
    struct session_patience patience = {.seconds = SECONDS};
    struct session with_values = *session;
    bool any = false;
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++)
        any |= is_write_race(ck_detector_finding(detector, i));
    if (!any ||
        !(session->source ? session_launch_open(&launch, argv)
                          : session->capture && session_launch_open_captured(&launch, session->capture)))
        return;
    with_values.values = true;
    const struct ck_detector *again =
        session_launch_run(&launch, launch.text, &with_values, &patience, &processes);
    for (size_t i = 0; again && processes.first->input.copy >= 0 && i < ck_detector_finding_count(detector);
         i++)
        if (is_write_race(ck_detector_finding(detector, i)))
            mark(detector, i, again, processes.first->input.copy);
    session_processes_close(&processes);
    session_launch_close(&launch);
}
