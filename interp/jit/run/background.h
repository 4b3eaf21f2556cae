/* Kernels compiled beside the program, before they are needed. */
#ifndef INTERP_JIT_RUN_BACKGROUND_H
#define INTERP_JIT_RUN_BACKGROUND_H

#include "interp/jit/run/compile.h"

/* Has a separate thread call in_jit_compile with the same; not where there is no memory for that, or the
 * process has but one processor, which would wait no less. */
void in_background_compile(struct in_module *module, struct in_kernel *kernel,
                           const struct in_jit_options *options, bool edge);

#endif
