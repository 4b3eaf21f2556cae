/* Inside jit: compiled kernels on disk (interp/cache.h). */
#ifndef INTERP_JIT_KEEP_H
#define INTERP_JIT_KEEP_H

#include "interp/jit/run/compile.h"

/* The object file that compiling K of MODULE for the processor and FEATURES gave before, with what goes with
 * it in K; NULL: there is none. */
LLVMMemoryBufferRef in_object_cache_get(struct in_jit_kernel *k, const struct in_module *module,
                                        const struct in_kernel *kernel, LLVMTargetMachineRef machine);
void in_object_cache_put(const struct in_jit_kernel *k, const struct in_module *module,
                         const struct in_kernel *kernel, LLVMTargetMachineRef machine,
                         LLVMMemoryBufferRef object);

#endif
