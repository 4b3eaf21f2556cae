/* Inside jit: compiling and executing watched launches (watch.h). */
#ifndef INTERP_JIT_WATCHING_H
#define INTERP_JIT_WATCHING_H

#include "interp/jit/instrument/watch.h"
#include "interp/jit/run/run.h"

/* Makes the checks of E's function item, and notes in K what it does with memory; false: K's why. */
bool in_watch_lower(struct in_emit *e, struct in_jit_kernel *k, LLVMValueRef access_group);

/* Whether the launch of RUN can be watched: then RUN's watching and its frame's watch are there; WHY else. */
bool in_watch_begin(struct in_jit_run *run, char *why, size_t why_size);
/* Before work-groups from LINEAR on: how many of MOST may be executed at once. */
uint64_t in_watch_groups(struct in_jit_run *run, uint64_t linear, uint64_t most);
/* After the launch: whether it was suspicious; then memory is as before it. */
bool in_watch_end(struct in_jit_run *run);
void in_watch_destroy(struct in_jit_run *run);

#endif
