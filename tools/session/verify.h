/* Verifies suggested fixes: replays the trace with the change applied to its events. */
#ifndef TOOLS_SESSION_VERIFY_H
#define TOOLS_SESSION_VERIFY_H

#include "checker/checker.h"
#include "tools/session/places.h"

#define SESSION_VERIFY_BYTES ((uint64_t)96 << 20) /* limit of the encoded trace; longer ones are not kept */

/* mm_trace_read(), or in_expand_trace() if launches had to be re-executed. */
typedef enum mm_class session_reader(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                                     struct mm_error *err);
/* Opens an unnamed temporary file for the trace; -1 on failure. */
int session_verify_file(void);
/* Tries the changes that DETECTOR proposes on the trace in FD (-1: nothing is tried). */
void session_verify(struct ck_detector *detector, struct session_places *places, int fd,
                    session_reader *reader);

#endif
