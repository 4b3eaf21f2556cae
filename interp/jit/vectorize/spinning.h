/* Loops in which work-items wait for one another.  docs/vectorizer.md#legality */
#ifndef INTERP_JIT_VECTORIZE_SPINNING_H
#define INTERP_JIT_VECTORIZE_SPINNING_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in_shim_may_spin(), without loops that only repeat a failed exchange: another thread has made progress. */
bool in_shim_may_wait(LLVMValueRef item, bool aliased);

#ifdef __cplusplus
}
#endif

#endif
