/* The heat of kernels in earlier processes, in the cache on disk. */
#ifndef INTERP_SCHED_PAST_HEAT_H
#define INTERP_SCHED_PAST_HEAT_H

#include "interp/exec/exec.h"

/* Instructions of RUN's kernel that the interpreter has executed in earlier processes, as far as they noted
 * them. */
uint64_t in_past_heat(const struct in_run *run);
/* Notes for later processes what the interpreter has executed so far, up to MOST, and in portions of at least
 * STEP instructions. */
void in_past_heat_note(const struct in_run *run, uint64_t most, uint64_t step);

#endif
