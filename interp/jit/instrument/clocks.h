/* Happens-before by atomics in instrumented launches.  Work-items execute one after the other.  The execution
 * of each is divided into segments, which end at releases and have increasing tags; a clock is a set of
 * segments.  docs/instrumentation.md#synchronization-by-atomics */
#ifndef INTERP_JIT_INSTRUMENT_CLOCKS_H
#define INTERP_JIT_INSTRUMENT_CLOCKS_H

#include "interp/jit/instrument/shadow.h"

/* Tags of segments are in (BASE, BASE + COUNT); BASE is that of several readers.  NULL: out of memory. */
struct in_clocks *in_clocks_create(uint32_t base, uint32_t count);
void in_clocks_destroy(struct in_clocks *clocks);
/* The greatest tag in use. */
uint32_t in_clocks_last(const struct in_clocks *clocks);

/* The rest is called by compiled code.  A work-item begins, of which the interpreter executes LENGTH
 * instructions if no loop repeats; returns the tag of its first segment. */
uint32_t in_clock_begin(struct in_shadow *shadow, uint32_t length);
/* After an atomic access at ADDRESS in segment CURRENT of the work-item whose first segment is FIRST; HOW:
 * IN_SYNC_ACQUIRES and so on. Returns the segment that follows. */
uint32_t in_clock_synchronize(struct in_shadow *shadow, uint64_t address, uint32_t first, uint32_t current,
                              uint32_t how);
/* The same at a fence. */
uint32_t in_clock_fence(struct in_shadow *shadow, uint32_t first, uint32_t current, uint32_t how);
/* Whether the segment with tag TAG, of another work-item, happens before the next access of this one. */
uint32_t in_clock_covers(const struct in_shadow *shadow, uint32_t tag);

#endif
