/* Inside jit: compiled kernels on disk (interp/cache.h). */
#ifndef INTERP_JIT_RUN_OBJECT_CACHE_H
#define INTERP_JIT_RUN_OBJECT_CACHE_H

#include "interp/jit/run/compile.h"

/* The cached object file of KERNEL of MODULE for the processor and features of MACHINE; also restores the
 * shape in K.  NULL: there is none. */
LLVMMemoryBufferRef in_object_cache_get(struct in_jit_kernel *k, const struct in_module *module,
                                        const struct in_kernel *kernel, LLVMTargetMachineRef machine);
void in_object_cache_put(const struct in_jit_kernel *k, const struct in_module *module,
                         const struct in_kernel *kernel, LLVMTargetMachineRef machine,
                         LLVMMemoryBufferRef object);

#endif
