/* Under which revisions of the specification a race is one: the trace is judged again by the rules of the
 * revisions that order more [CL 3.3.5 O101] [CL 3.3.6 H101].  A race that was not judged in time counts as
 * one under all of them. */
#include "tools/session/revisions.h"
#include "memmodel/base/array.h"
#include "memmodel/base/clock.h"
#include "tools/session/reexecute.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 5, TEXT = 600 };

static uint32_t command_ended_by(const struct session_survey *s, mm_event_id completion)
{
    for (size_t i = s->ended_count; i > 0 && s->ended_count - i < SESSION_ENDED; i--)
        if (s->ended[(i - 1) % SESSION_ENDED].completion == completion)
            return s->ended[(i - 1) % SESSION_ENDED].command;
    return 0;
}

/* Whether survey_event() examines the event, as it does few. */
static inline bool is_surveyed(const struct mm_event *event)
{
    const uint32_t kinds =
        1u << MM_FENCE | 1u << MM_API_CALL | 1u << MM_COMMAND_START | 1u << MM_EVENT_COMPLETE;
    return (kinds >> (event->kind & 31) & 1) | (event->attributes & MM_ATOMIC);
}

static void survey_event(struct session_survey *s, const struct mm_event *event, mm_event_id id)
{
    if ((event->attributes & MM_ATOMIC) || event->kind == MM_FENCE)
        s->scopes |= 1u << (event->scope & 31);
    s->has_host |= event->kind == MM_API_CALL && (event->semantics & MM_INSTRUMENTED);
    for (size_t i = s->count; event->kind == MM_API_CALL && i-- > 0 && s->queries[i].call >= id;)
        if (s->queries[i].call == id)
            s->queries[i].source = event->source;
    if (event->kind == MM_COMMAND_START && s->enqueue.to == id && s->enqueued.count < SESSION_QUERIES)
        mm_map_put(&s->enqueued, event->agent.command, s->enqueue.from + 1);
    if (event->kind == MM_EVENT_COMPLETE) {
        s->ended[s->ended_count % SESSION_ENDED].completion = id;
        s->ended[s->ended_count++ % SESSION_ENDED].command = event->agent.command;
    }
}

void session_survey_record(struct session_survey *s, const struct mm_record *record)
{
    if (record->type == MM_RECORD_EVENT)
        survey_event(s, &record->event, s->next++);
    s->ambiguous |= record->type == MM_RECORD_EDGE && record->edge.kind == MM_EDGE_AMBIGUOUS;
    if (record->type == MM_RECORD_EDGE && record->edge.kind == MM_EDGE_ENQUEUE && s->count)
        s->enqueue = record->edge;
    if (record->type == MM_RECORD_EDGE && record->edge.kind == MM_EDGE_QUERY && s->count < SESSION_QUERIES &&
        mm_reserve(&s->queries, &s->capacity, s->count + 1))
        s->queries[s->count++] = (struct session_query){.call = record->edge.to,
                                                        .command = command_ended_by(s, record->edge.from)};
}

void session_survey_events(struct session_survey *s, const struct mm_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_surveyed(&events[i]))
            survey_event(s, &events[i], s->next + i);
    s->next += count;
}

void session_survey_row(struct session_survey *s, const struct mm_event *first, uint32_t count)
{
    struct mm_event event = *first;
    for (uint32_t i = 0; i < count && is_surveyed(first); i++, event.agent.index++)
        survey_event(s, &event, s->next + i);
    s->next += count;
}

static enum mm_class survey_take_record(void *context, const struct mm_record *record)
{
    session_survey_record(context, record);
    return MM_OK;
}

static enum mm_class survey_take_events(void *context, const struct mm_event *events, size_t count)
{
    session_survey_events(context, events, count);
    return MM_OK;
}

void session_survey_trace(struct session_survey *s, const struct session_trace *trace)
{
    struct mm_sink sink = {.context = s, .record = survey_take_record, .events = survey_take_events};
    bool complete;
    session_survey_clear(s);
    session_trace_read(trace, &sink, &complete);
}

void session_survey_clear(struct session_survey *survey)
{
    mm_free(survey->queries);
    mm_map_clear(&survey->enqueued);
    *survey = (struct session_survey){0};
}

/* Judges the trace by REVISION and marks in NONE, which has an element for each, the findings that are no
 * races under it. */
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
static const struct session_query *ordering_query(const struct session_survey *s, const struct ck_finding *f)
{
    const struct session_query *last = NULL;
    uint32_t command = f->accesses[1].event.agent.command;
    for (size_t i = 0; i < s->count; i++)
        if (!last || s->queries[i].command == command || last->command != command)
            last = &s->queries[i];
    return last;
}

/* True if the host saw the end of the command of the earlier access before it enqueued the command of the
 * later one, or made that. */
static bool is_observed_between(const struct session_survey *s, const struct session_query *query,
                                const struct ck_finding *f)
{
    uint32_t later = f->accesses[0].event.agent.command, earlier = f->accesses[1].event.agent.command;
    mm_event_id end = later ? mm_map_get(&s->enqueued, later) : f->accesses[0].id;
    return f->access_count == 2 && earlier && query->command == earlier && query->call < end;
}

static void note_query(struct ck_detector *detector, size_t i, const struct session_query *query,
                       const char *judgement)
{
    struct mm_source source;
    char text[TEXT], place[TEXT / 2] = "";
    ck_detector_source(detector, query->source, &source);
    if (source.file && source.line)
        snprintf(place, sizeof place, " at %s:%u", source.file, source.line);
    snprintf(text, sizeof text,
             "the host saw CL_COMPLETE%s, which is no synchronization point [CL 5.11]: call clWaitForEvents "
             "(%s)",
             place, judgement);
    ck_detector_revisions(detector, i, text);
}

/* What the trace says of queries without being judged again. */
static void note_queries(struct ck_detector *detector, const struct session_survey *s)
{
    for (size_t i = 0; i < ck_detector_finding_count(detector); i++) {
        size_t k = s->count;
        while (k > 0 && !is_observed_between(s, &s->queries[k - 1], ck_detector_finding(detector, i)))
            k--;
        if (k > 0)
            note_query(
                detector, i, &s->queries[k - 1],
                "not judged, as the trace was not kept: revision 3.1.0 lets such a query order accesses "
                "[CL 3.3.6 H101]");
    }
}

void session_revisions(struct ck_detector *detector, const struct session_trace *trace,
                       const struct session_survey *s)
{
    size_t count = ck_detector_finding_count(detector);
    bool *wider = mm_alloc_zero(count + 1, sizeof *wider),
         *queries = mm_alloc_zero(count + 1, sizeof *queries);
    double end = mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) + SECONDS;
    bool differ = (s->scopes & (s->scopes - 1)) != 0;
    if (wider && queries && differ && trace->fd >= 0)
        judge_under_revision(detector, trace, MM_REVISION_3_1_1, wider);
    if (wider && queries && s->count && trace->fd >= 0 && mm_clock_seconds(CLOCK_THREAD_CPUTIME_ID) < end)
        judge_under_revision(detector, trace, MM_REVISION_3_1_0, queries);
    if (trace->fd < 0)
        note_queries(detector, s);
    for (size_t i = 0; wider && queries && i < count; i++) {
        if (wider[i])
            ck_detector_revisions(detector, i,
                                  "a race up to revision 3.0 alone: from 3.1 on the scopes of the operations "
                                  "need not be equal to include each other [CL 3.3.5 O101]");
        else if (queries[i])
            note_query(detector, i, ordering_query(s, ck_detector_finding(detector, i)),
                       "revision 3.1.0 alone lets such a query order the accesses [CL 3.3.6 H101]");
    }
    mm_free(wider);
    mm_free(queries);
}
