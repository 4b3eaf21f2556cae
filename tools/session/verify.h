/* Reads the recorded trace of a process again, and verifies suggested fixes: replays the trace with the
 * change applied to its events. */
#ifndef TOOLS_SESSION_VERIFY_H
#define TOOLS_SESSION_VERIFY_H

#include "checker/checker.h"
#include "tools/session/places.h"

/* Limits of the trace; longer ones are not kept. */
#define SESSION_VERIFY_BYTES  ((uint64_t)96 << 20)
#define SESSION_VERIFY_EVENTS ((mm_event_id)20 << 20)

/* mm_trace_read(), or in_expand_trace() if launches had to be re-executed. */
typedef enum mm_class session_reader(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                                     struct mm_error *err);
/* The recorded trace of a process.  READ yields the events that the detector of the process has seen, with
 * their numbers. */
struct session_trace {
    int fd; /* -1: the trace was not kept */
    session_reader *read;
    struct session_places *places;
};
/* Opens an unnamed temporary file for the trace; -1 on failure. */
int session_verify_file(void);
/* Reads the trace from its start; *COMPLETE: whether it has an end.  MM_LIMIT: it was not kept. */
enum mm_class session_trace_read(const struct session_trace *trace, const struct mm_sink *sink,
                                 bool *complete);
/* A detector that judges the races of the trace again, by REVISION; NULL: out of memory. */
struct ck_detector *session_trace_judge(const struct session_trace *trace, const struct ck_detector *detector,
                                        enum mm_revision revision);
/* Tries the changes that DETECTOR proposes on the trace, if it was kept. */
void session_verify(struct ck_detector *detector, const struct session_trace *trace);

#endif
