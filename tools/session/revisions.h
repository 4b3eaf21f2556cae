/* Under which revisions of the specification a race is one. */
#ifndef TOOLS_SESSION_REVISIONS_H
#define TOOLS_SESSION_REVISIONS_H

#include "memmodel/base/map.h"
#include "tools/session/verify.h"

/* A query that observed the end of a command. */
struct session_query {
    mm_event_id call;
    uint32_t command, source; /* the command, 0: ended long ago; the place of the call */
};
enum { SESSION_ENDED = 256, SESSION_QUERIES = 1 << 16 };
/* Events of a process that revisions may judge differently, collected while its trace is read. */
struct session_survey {
    struct session_query *queries; /* the first SESSION_QUERIES */
    size_t count, capacity;
    mm_event_id next;
    unsigned scopes; /* the scopes of atomic operations and fences, a bit for each */
    bool has_host;   /* accesses of the host's code are recorded */
    bool ambiguous;  /* there are edges of the kind MM_EDGE_AMBIGUOUS */
    struct {
        mm_event_id completion;
        uint32_t command;
    } ended[SESSION_ENDED]; /* commands that ended last, a ring */
    size_t ended_count;
    /* 1 + the call that enqueued a command, by command, of the first SESSION_QUERIES after a query */
    struct mm_map enqueued;
    struct mm_edge enqueue; /* the last edge from such a call */
};
void session_survey_record(struct session_survey *survey, const struct mm_record *record);
void session_survey_events(struct session_survey *survey, const struct mm_event *events, size_t count);
/* The events of a row (mm_sink.row). */
void session_survey_row(struct session_survey *survey, const struct mm_event *first, uint32_t count);
/* Collects those of a trace instead. */
void session_survey_trace(struct session_survey *survey, const struct session_trace *trace);
void session_survey_clear(struct session_survey *survey);

/* Sets ck_finding.revisions of the races of DETECTOR, by judging its trace again, if it was kept. */
void session_revisions(struct ck_detector *detector, const struct session_trace *trace,
                       const struct session_survey *survey);

#endif
