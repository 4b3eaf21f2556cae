/* Analysis plugins: shared objects with the interface of memmodel/refcl_recorder.h, as a sink of the
 * trace. */
#ifndef TOOLS_SESSION_RECORDER_H
#define TOOLS_SESSION_RECORDER_H

#include "memmodel/memmodel.h"

/* Loads SPEC, "FILE.so" or "FILE.so:TEXT".  Returns an exit code, 0 if SINK is good. */
int session_recorder_open(const char *spec, struct mm_sink *sink);
/* Notifies the plugin of the end of the execution, and destroys the sink. */
void session_recorder_end(struct mm_sink *sink, bool complete);

#endif
