/* Replays a recorded trace and re-executes the launches of its re-execution records, to get their
 * accesses. */
#ifndef TOOLS_SESSION_REEXECUTE_H
#define TOOLS_SESSION_REEXECUTE_H

#include "memmodel/memmodel.h"

/* Reads the trace in FD into SINK.  MM_OK: these are the events of the execution; otherwise they may
 * differ. */
enum mm_class session_reexecute(int fd, const struct mm_sink *sink);

#endif
