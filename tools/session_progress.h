/* How far a session is: a line on standard error while it runs, if that is a terminal, and a summary. */
#ifndef TOOLS_SESSION_PROGRESS_H
#define TOOLS_SESSION_PROGRESS_H

#include "memmodel/memmodel.h"

struct session_progress;
/* NULL if there is nobody to look at it, or no memory.  FORCED: as if there were. */
struct session_progress *session_progress_create(bool forced);
void session_progress_sink(struct session_progress *progress, struct mm_sink *sink);
/* Nothing came for a while.  CONTEXT: a struct session_progress. */
void session_progress_idle(void *context);
/* Takes the line away; says what there was if it took long. */
void session_progress_end(struct session_progress *progress);

#endif
