/* Stopping launches of compiled code. */
#ifndef INTERP_JIT_VECTORIZE_CANCELLATION_H
#define INTERP_JIT_VECTORIZE_CANCELLATION_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets in struct in_jit_frame. */
struct in_cancellation {
    uint64_t stop_offset;   /* 32 bits, not 0: stop */
    uint64_t budget_offset; /* 64 bits, signed: instructions left */
    bool counts;            /* the budget decides, else stop */
};
/* Makes the functions run.* return when they are to stop. */
void in_shim_add_cancellation(LLVMModuleRef module, const struct in_cancellation *options);

#ifdef __cplusplus
}
#endif

#endif
