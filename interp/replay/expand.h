/* Traces with launches that are to be executed again (replay.h), for readers who want their events. */
#ifndef INTERP_EXPAND_H
#define INTERP_EXPAND_H

#include "memmodel/memmodel.h"

/* mm_trace_read, but that SINK gets, in place of each launch that was not recorded, what the interpreter
 * records when it executes the launch once more: the trace that it would have written itself.  What is not
 * valid, or was written by another version of refcl, is MM_INVALID.  A launch that ends otherwise than it did
 * when it was written is told in ERR with MM_LIMIT, and the rest is read nevertheless. */
enum mm_class in_expand_trace(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                              struct mm_error *err);
/* The same of a file that anyone may have made: within the limits of memmodel/base/input.h. */
enum mm_class in_expand_file(int fd, const char *name, const struct mm_sink *sink, bool *complete,
                             struct mm_error *err);

#endif
