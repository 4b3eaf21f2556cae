/* Seeded faults of atomic memory. */
#ifndef INTERP_CHECK_FAULT_MEMORY_H
#define INTERP_CHECK_FAULT_MEMORY_H

#include "interp/exec/exec.h"
#include "interp/fault.h"

/* Called after ITEM executed A at MEMORY, which held OLD and, if it WROTE, holds WRITTEN.  Applies the active
 * fault; returns the result of A. */
uint64_t in_fault_atomic_done(const struct in_item *item, const struct in_atomic *a, uint8_t *memory,
                              uint64_t old, uint64_t written, bool wrote, uint64_t comparator);
/* Before ITEM's next atomic operation; NULL: at the end of a launch. */
void in_fault_atomic_next(const struct in_item *item);

#endif
