/* Hints about needless synchronization: waits that order nothing that conflicts, so that a program on any driver has no race
 * without them (README.md). */
#ifndef TOOLS_HINTS_HINTS_H
#define TOOLS_HINTS_HINTS_H

#include "checker/checker.h"

/* Judges the trace of tools/layer in FD again without waits that may be needless, and adds those without which it has
 * no race either to DETECTOR, which has read the same trace, as findings of kind CK_NEEDLESS_WAIT: all of them can be
 * removed together.  Returns NULL, or why nothing is known. */
const char *hints_add(struct ck_detector *detector, int fd);

#endif
