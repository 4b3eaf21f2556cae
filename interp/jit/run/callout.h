/* Inside jit: calls from compiled code to the interpreter's C functions. */
#ifndef INTERP_JIT_RUN_CALLOUT_H
#define INTERP_JIT_RUN_CALLOUT_H

#include "interp/jit/emit/callout_lower.h"

/* A work-item as compiled code identifies it: group id and local id. */
#define IN_JIT_WORK_ITEM uint32_t g0, uint32_t g1, uint32_t g2, uint32_t l0, uint32_t l1, uint32_t l2

/* Of the work-groups that one thread executes one after the other.  Compiled code finds its address at the
 * beginning of local memory, and knows the offsets. */
struct in_jit_callout {
    /* The instruction that call K implements, on FRAME. */
    void (*call)(struct in_jit_callout *o, uint32_t k, uint8_t *frame, IN_JIT_WORK_ITEM);
    /* All of the group have operands in their frames at FRAMES: the first has the results computed. */
    void (*gather)(struct in_jit_callout *o, uint32_t k, IN_JIT_WORK_ITEM);
    /* The work-item waits in call K until enough others do. */
    void (*wait)(struct in_jit_callout *o, uint32_t k, uint8_t *frame, IN_JIT_WORK_ITEM);
    void (*done)(struct in_jit_callout *o, IN_JIT_WORK_ITEM);
    /* enum mm_region of what ADDRESS points to: private, local or global. */
    uint32_t (*region)(struct in_jit_callout *o, uint64_t address);
    uint8_t *frames;
    const struct in_object *everything; /* any memory that the kernel may use */

    struct in_run run; /* a copy for this thread, with the calls as its code */
    struct in_group group;
    struct in_item item;
    struct in_object *objects;
    uint8_t *memory;
    const uint8_t *local, *local_end, *private_begin, *private_end, *stack_end;
    const struct in_jit_calls *calls;
    _Atomic uint32_t *stop; /* set when a function found something wrong: compiled code ends */
    void (*suspend)(void *context, const struct in_item *item); /* ITEM, which waits: other fibers run */
    void *context;
};

/* For work-groups of RUN whose kernel has CALLS; NULL: out of memory. */
struct in_jit_callout *in_callout_create(const struct in_run *run, const struct in_jit_calls *calls);
void in_callout_destroy(struct in_jit_callout *o);
/* Sets the local memory of the compiled code; its private memory, and the end of its stack. */
void in_callout_local(struct in_jit_callout *o, uint8_t *local, uint64_t size);
void in_callout_private(struct in_jit_callout *o, const uint8_t *begin, uint64_t size, const void *stack_end);
/* A new work-group begins, its id comes with the calls; and the one of that linear number is over. */
void in_callout_begin(struct in_jit_callout *o);
void in_callout_end(struct in_jit_callout *o, uint64_t group);

#endif
