/* Watched launches: from calls that stand for checks to the checks. */
#ifndef INTERP_JIT_WATCH_SHIM_H
#define INTERP_JIT_WATCH_SHIM_H

#include "interp/jit/instrument/watch.h"

#include <llvm-c/Core.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct in_watch_object { /* a variable: bytes from OFFSET on of local memory or of the module's */
    uint64_t offset, size;
};
struct in_watching {
    const uint64_t *argument_offsets; /* in the memory of arguments */
    uint32_t argument_count;
    const struct in_watch_object *locals, *constants;
    size_t local_count, constant_count;
    uint64_t arguments_at, watch_at, program_at, sizes_at, offsets_at, groups_at; /* in the frame */
    uint32_t local_size[3];
    LLVMValueRef access_group;
    bool one_row;              /* ids differ in the first dimension alone */
    struct in_watched watched; /* out */
};
/* In MODULE's function item, with all calls inlined.  False: not covered, WHY says what. */
bool in_shim_watch(LLVMModuleRef module, struct in_watching *watching, char *why, size_t why_size);
/* Once checks were simplified: what that was told of ids goes. */
void in_shim_watched(LLVMValueRef item);

#ifdef __cplusplus
}
#endif

#endif
