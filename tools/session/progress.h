/* Progress of a session: a status line on standard error if that is a terminal, and a summary at the end. */
#ifndef TOOLS_SESSION_PROGRESS_H
#define TOOLS_SESSION_PROGRESS_H

#include "memmodel/memmodel.h"

struct session_progress;
/* Sets up the file in which the program publishes the progress of unrecorded launches, and returns its name;
 * NULL without a display.  To be called before the program starts, and in the child before exec. */
const char *session_progress_page(void);
/* NULL without a display, or without memory. */
struct session_progress *session_progress_create(void);
void session_progress_sink(struct session_progress *progress, struct mm_sink *sink);
/* Updates the display while there is no input.  CONTEXT: a struct session_progress. */
void session_progress_idle(void *context);
/* Erases the line; prints a summary if the session took long. */
void session_progress_end(struct session_progress *progress);

#endif
