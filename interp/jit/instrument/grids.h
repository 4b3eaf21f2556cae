/* Inside jit: arguments of which work-items access disjoint parts, as matrices whose row length is known at
 * launch. docs/instrumentation.md#matrices */
#ifndef INTERP_JIT_INSTRUMENT_GRIDS_H
#define INTERP_JIT_INSTRUMENT_GRIDS_H

#include "interp/jit/instrument/shadow.h"

struct in_jit_run;
/* Whether no byte of a matrix in PLAN that a work-item of RUN writes is accessed by another one.  Arguments
 * need not be placed. */
bool in_grids_hold(const struct in_shadow_plan *plan, const struct in_jit_run *run);
bool in_has_grid(const struct in_shadow_plan *plan, uint32_t argument);
/* The bytes [*FROM, *TO) that the launch may write of ARGUMENT, which has disjoint parts; on entry, all
 * bytes of the argument. */
void in_parts_range(const struct in_jit_run *run, uint32_t argument, uint64_t *from, uint64_t *to);
/* The bytes of memory that the arguments of RUN lead to, in its frame. */
void in_set_argument_sizes(struct in_jit_run *run);

#endif
