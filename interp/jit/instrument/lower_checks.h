/* Instrumented launches: lowering of check markers to code. */
#ifndef INTERP_JIT_INSTRUMENT_LOWER_CHECKS_H
#define INTERP_JIT_INSTRUMENT_LOWER_CHECKS_H

#include "interp/jit/instrument/shadow.h"

#include <llvm-c/Core.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct in_shadow_object { /* a variable: bytes from OFFSET on of local memory or of the module's */
    uint64_t offset, size;
};
struct in_check_lowering {
    const uint64_t *argument_offsets; /* in the memory of arguments */
    uint32_t argument_count;
    const struct in_shadow_object *locals, *constants;
    size_t local_count, constant_count;
    uint64_t arguments_at, shadow_at, program_at, sizes_at, offsets_at, groups_at; /* in the frame */
    uint32_t local_size[3], id_bits; /* global ids are below 1 << id_bits */
    LLVMValueRef access_group;
    bool edge;                  /* work-groups may be smaller */
    bool one_row;               /* ids differ in the first dimension alone */
    bool no_grids;              /* parts of matrices may overlap */
    bool no_ranges;             /* ranges that depend on launches decide no checks */
    bool svm;                   /* pointers may lead to SVM */
    bool lookups;               /* and to more of it than the arguments' */
    bool clocks;                /* the plan must have them, because work-items may wait */
    struct in_shadow_plan plan; /* out */
};
/* Lowers the markers in MODULE's function item, in which all calls are inlined.  False: unsupported, for
 * reason WHY. */
bool in_shim_lower_checks(LLVMModuleRef module, struct in_check_lowering *options, char *why,
                          size_t why_size);
/* After the checks are simplified: removes the range annotations of local ids. */
void in_shim_finish_checks(LLVMValueRef item);
/* Once the loops over work-items are made; OFFSET: of the flag in the frame. */
void in_shim_collect_flags(LLVMModuleRef module, uint64_t offset);

#ifdef __cplusplus
}
#endif

#endif
