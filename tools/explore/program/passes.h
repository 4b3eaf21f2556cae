/* Passes over complete threads. */
#ifndef TOOLS_EXPLORE_PROGRAM_PASSES_H
#define TOOLS_EXPLORE_PROGRAM_PASSES_H

#include "tools/explore/explore.h"

/* fold.c: propagates constants in the current thread, and removes dead code. */
void ex_fold(struct ex *ex);
/* unroll.c: unrolls loops around copies. */
void ex_unroll(struct ex *ex, uint32_t thread);
/* trips.c: computes the trip counts of the current thread's loops. */
void ex_count_trips(struct ex *ex);
/* propagate.c: propagates constants across threads, unrolls loops around copies, and adds agents. */
void ex_propagate(struct ex *ex);
/* Whether a load of SIZE bytes at address AT can only return VALUE. */
bool ex_known_memory(struct ex *ex, uint64_t at, unsigned size, uint64_t *value);
bool ex_is_hidden(const struct ex *ex, uint32_t address);
/* Whether the hidden memory at ADDRESS is never read. */
bool ex_is_unread(const struct ex *ex, uint32_t address);

#endif
