/* Fibers: what compiled code and the scheduler share. */
#ifndef INTERP_JIT_RUN_FIBERS_H
#define INTERP_JIT_RUN_FIBERS_H

#include "interp/jit/vectorize/work_item_loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A work-group.  Compiled code knows the offsets. */
struct in_jit_fiber_group {
    uint32_t begun;    /* work-items */
    uint32_t next[3];  /* local id of the one that has not */
    uint32_t patience; /* loop iterations until the fiber yields */
    uint8_t *local;
    void (*yield)(struct in_jit_fiber_group *turns);
    void (*barrier)(struct in_jit_fiber_group *turns);
};
/* Adds run.fiber(frame, turns, context, group0, group1, group2, size0, size1, size2), which executes
 * work-items that have not begun until there is none. */
void in_shim_make_fiber_entry(LLVMModuleRef module, struct in_loops *loops);

#ifdef __cplusplus
}

#else
struct in_jit_run;
/* Executes RUN until it is *OVER, or nothing moves: then others may have to do something first.  False: out
 * of memory. */
bool in_fibers_step(struct in_jit_run *run, bool *over);
void in_fibers_destroy(struct in_jit_run *run);
#endif

#endif
