/* Inside jit: instructions of a kernel that the interpreter's C functions execute for compiled code.  They
 * are lowered as for the interpreter, each with a separate frame: a header, operands, result. */
#ifndef INTERP_JIT_EMIT_CALLOUT_LOWER_H
#define INTERP_JIT_EMIT_CALLOUT_LOWER_H

#include "interp/exec/exec.h"

enum { IN_JIT_CALLOUT_BYTES = 128 }; /* of local memory, where there are any: the callout frame (callout.h) */

struct in_jit_slot {
    uint32_t id;
    int32_t slot;
};
struct in_jit_call {
    uint32_t word;         /* of the instruction in the module */
    uint32_t first, count; /* its operands and result: slots[FIRST ..] */
    uint32_t frame_bytes;
};
struct in_jit_calls {
    bool *reached;             /* per function of the module: the kernel calls it */
    uint64_t instructions;     /* once all that is called is inlined */
    struct in_code code;       /* instruction K is call K: CALLC, EXT, or WAIT */
    struct in_jit_call *calls; /* ascending by word */
    struct in_jit_slot *slots;
    uint32_t count, slot_count;
    uint32_t frame_bytes; /* the largest frame */
    bool any;             /* calls, or questions */
    bool quiet;           /* the calls change nothing but frames and images: work-groups in any order */
    bool gathers;         /* work-items of a group execute some of them together */
    bool fibers;          /* ... not all of the group */
};

/* What KERNEL needs; MM_OK, or what is wrong with it. */
enum mm_class in_jit_calls_create(struct in_jit_calls *calls, struct in_module *module,
                                  struct in_kernel *kernel, struct mm_error *err);
void in_jit_calls_destroy(struct in_jit_calls *calls);
/* The call at WORD; NULL: none. */
const struct in_jit_call *in_jit_call_at(const struct in_jit_calls *calls, uint32_t word);
/* Whether an instruction is a call, and of which sort; ASKS: it is compiled, but calls the runtime. */
enum in_jit_call_kind {
    IN_JIT_INLINE,
    IN_JIT_QUERY,
    IN_JIT_UNORDERED,
    IN_JIT_ORDERED,
    IN_JIT_COLLECTIVE,
    IN_JIT_FIBERS
};
enum in_jit_call_kind in_jit_call_kind(const struct in_module *module, const struct in_inst *inst);

#endif
