/* Seeded faults: REFCL_FAULT=NAME injects one defect, so that a test suite can prove that it detects the
 * defect. The names are in fault.def.  When unset, each injection point costs one load of a static
 * variable. */
#ifndef INTERP_FAULT_H
#define INTERP_FAULT_H

#include "memmodel/memmodel.h"

enum in_fault {
    IN_NO_FAULT,
#define IN_FAULT(id, name, what) IN_FAULT_##id,
#include "interp/fault.def"
#undef IN_FAULT
    IN_FAULT_COUNT
};

extern enum in_fault in_fault_now; /* does not change after loading */
#define IN_FAULTY(id) (__builtin_expect(in_fault_now == IN_FAULT_##id, 0))

/* Apply the active fault to the order and scope of an atomic operation, and to a fence; FLAGS:
 * MM_FENCE_GLOBAL and so on. */
void in_fault_atomic(bool rmw, enum mm_order *order, enum mm_scope *scope);
void in_fault_fence(enum mm_order *order, enum mm_scope *scope, uint32_t *flags);
void in_fault_barrier(uint32_t *flags);

#endif
