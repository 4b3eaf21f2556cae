/* Under which revisions of the specification a race is one: the trace is judged again by the rules of the revisions
 * that order more [CL 3.3.5 O101] [CL 3.3.6 H101].  A race that was not judged in time counts as one under all of
 * them. */
#include "tools/session/revisions.h"
#include "memmodel/base/array.h"
#include "memmodel/base/clock.h"
#include "tools/session/reexecute.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 5, TEXT = 400 };

/* A query that observed the end of a command. */
struct query {
    mm_event_id completion, call;
    uint32_t command, source;
};
/* The events of a trace that revisions may judge differently. */
struct survey {
    struct mm_sink sink;
    struct query *queries;
    size_t count, capacity;
    mm_event_id next;
    unsigned scopes; /* the scopes of atomic operations and fences, a bit for each */
};

static void survey_event(struct survey *s, const struct mm_event *event)
{
    mm_event_id id = s->next++;
    if ((event->attributes & MM_ATOMIC) || event->kind == MM_FENCE)
        s->scopes |= 1u << (event->scope & 31);
    for (size_t i = s->count; event->kind == MM_API_CALL && i-- > 0 && s->queries[i].call >= id;)
        if (s->queries[i].call == id)
            s->queries[i].source = event->source;
    for (size_t i = 0; event->kind == MM_EVENT_COMPLETE && i < s->count; i++)
        if (s->queries[i].completion == id)
            s->queries[i].command = event->agent.command;
}

static enum mm_class survey_record(void *context, const struct mm_record *record)
{
    struct survey *s = context;
    if (record->type == MM_RECORD_EVENT)
        survey_event(s, &record->event);
    if (record->type == MM_RECORD_EDGE && record->edge.kind == MM_EDGE_QUERY &&
        mm_reserve(&s->queries, &s->capacity, s->count + 1))
        s->queries[s->count++] = (struct query){.completion = record->edge.from, .call = record->edge.to};
    return MM_OK;
}

static enum mm_class survey_events(void *context, const struct mm_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        survey_event(context, &events[i]);
    return MM_OK;
}

/* Judges the trace by REVISION and marks in NONE, which has an element for each, the findings that are no races under it. */
static void judge_under_revision(const struct ck_detector *detector, const struct session_trace *trace,
                                 enum mm_revision revision, bool *none)
{
    struct ck_detector *again = session_trace_judge(trace, detector, revision);
    struct mm_sink sink;
    bool complete;
    if (!again)
        return;
    ck_detector_sink(again, &sink);
    bool read =
        session_trace_read(trace, &sink, &complete) == MM_OK && ck_detector_status(again, NULL) == MM_OK;
    for (size_t i = 0; read && i < ck_detector_finding_count(detector); i++)
        none[i] = ck_detector_finding(detector, i)->access_count == 2 &&
                  !ck_detector_race(again, ck_detector_finding(detector, i));
    ck_detector_destroy(again);
}

/* The last query about the command of the earlier access, or without one the last of all. */
static const struct query *ordering_query(const struct survey *s, const struct ck_finding *f)
{
    const struct query *last = NULL;
    for (size_t i = 0; i < s->count; i++)
        if (!last || s->queries[i].command == f->accesses[1].event.agent.command ||
            last->command != f->accesses[1].event.agent.command)
            last = &s->queries[i];
    return last;
}

static void note_query(struct ck_detector *detector, size_t i, const struct query *query)
{
    struct mm_source source;
    char text[TEXT];
    ck_detector_source(detector, query->source, &source);
    if (source.file && source.line)
        snprintf(
            text, sizeof text,
            "the host saw CL_COMPLETE at %s:%u, which is no synchronization point [CL 5.11]: call clWaitForEvents "
            "(revision 3.1.0 alone lets such a query order the accesses [CL 3.3.6 H101])",
            source.file, source.line);
    else
        snprintf(
            text, sizeof text,
            "the host saw CL_COMPLETE, which is no synchronization point [CL 5.11]: call clWaitForEvents "
            "(revision 3.1.0 alone lets such a query order the accesses [CL 3.3.6 H101])");
    ck_detector_revisions(detector, i, text);
}

void session_revisions(struct ck_detector *detector, const struct session_trace *trace)
{
    bool complete;
    size_t count = ck_detector_finding_count(detector);
    struct survey s = {.count = 0};
    struct mm_sink sink = {.context = &s, .record = survey_record, .events = survey_events};
    bool *wider = mm_alloc_zero(count + 1, sizeof *wider),
         *queries = mm_alloc_zero(count + 1, sizeof *queries);
    double end = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + SECONDS;
    if (wider && queries && session_trace_read(trace, &sink, &complete) == MM_OK) {
        bool differ = (s.scopes & (s.scopes - 1)) != 0;
        if (differ && mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) < end)
            judge_under_revision(detector, trace, MM_REVISION_3_1_1, wider);
        if (s.count && mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) < end)
            judge_under_revision(detector, trace, MM_REVISION_3_1_0, queries);
    }
    for (size_t i = 0; wider && queries && i < count; i++) {
        if (wider[i])
            ck_detector_revisions(detector, i,
                                  "a race up to revision 3.0 alone: from 3.1 on the scopes of the operations "
                                  "need not be equal to include each other [CL 3.3.5 O101]");
        else if (queries[i])
            note_query(detector, i, ordering_query(&s, ck_detector_finding(detector, i)));
    }
    mm_free(wider);
    mm_free(queries);
    mm_free(s.queries);
}
