/* Inside jit: compilation and execution of instrumented launches (docs/instrumentation.md). */
#ifndef INTERP_JIT_INSTRUMENT_LAUNCH_H
#define INTERP_JIT_INSTRUMENT_LAUNCH_H

#include "interp/jit/instrument/shadow.h"
#include "interp/jit/run/run.h"

/* Lowers the checks of E's function item and stores the shadow plan in K; false: unsupported, for reason
 * K->why. */
bool in_instrument_lower(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef access_group);

/* Allocates tags, planes and snapshots for the launch; false: unsupported, for reason WHY. */
bool in_instrument_begin(struct in_jit_run *run, char *why, size_t why_size);
/* The number of work-groups, at most MOST, that may execute from LINEAR on without new tags of local
 * memory. */
uint64_t in_instrument_groups(struct in_jit_run *run, uint64_t linear, uint64_t most);
/* After the launch: true if it was deoptimized; memory is then rolled back to the state before it. */
bool in_instrument_end(struct in_jit_run *run);
void in_instrument_destroy(struct in_jit_run *run);

#endif
