/* Expansion of traces: replaces launches recorded without events (replay.h) by the events of their
 * re-execution (docs/reexecution.md#expansion). */
#ifndef INTERP_REPLAY_EXPAND_H
#define INTERP_REPLAY_EXPAND_H

#include "memmodel/memmodel.h"

/* Like mm_trace_read, but in place of each unrecorded launch SINK gets the events of its re-execution by the
 * interpreter.  Invalid input, and a trace written by another version of refcl, is MM_INVALID.  If a
 * re-execution differs from the recorded launch, ERR has MM_LIMIT, and the rest of the trace is still
 * read. */
enum mm_class in_expand_trace(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                              struct mm_error *err);
/* The same for an untrusted file: within the limits of memmodel/base/input.h. */
enum mm_class in_expand_file(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                             struct mm_error *err);

#endif
