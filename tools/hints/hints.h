/* Hints about needless synchronization: waits that order no conflicting accesses, so that the program has no
 * race without them on any driver (README.md). */
#ifndef TOOLS_HINTS_HINTS_H
#define TOOLS_HINTS_HINTS_H

#include "checker/checker.h"

/* Adds findings of kind CK_NEEDLESS_WAIT to DETECTOR, which has read the trace of tools/layer in FD: without
 * all of these waits together the trace has no race either.  Returns NULL, or why there are no hints. */
const char *hints_add(struct ck_detector *detector, int fd);

#endif
