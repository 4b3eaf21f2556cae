/* Inside jit: state of emitting LLVM IR for one kernel and everything it calls.
 *
 * Values: bool i1, integers iN, half i16 (its bits), float, double, vectors of these, pointers ptr, opaque
 * handles i64, structures and arrays LLVM's own.  Memory is addressed by bytes with the layouts of struct
 * in_ty.  Every function has the parameters of enum in_emit_param before its own. */
#ifndef INTERP_JIT_EMIT_EMIT_H
#define INTERP_JIT_EMIT_EMIT_H

#include "interp/exec/exec.h"
#include "interp/ext/convert.h"
#include "interp/jit/emit/callout_lower.h"
#include "interp/jit/jit.h"
#include <llvm-c/Core.h>

enum in_emit_param {
    IN_P_FRAME,                  /* struct in_jit_frame * */
    IN_P_LOCAL,                  /* the work-group's local memory */
    IN_P_GROUP,                  /* 3: work-group id */
    IN_P_SIZE = IN_P_GROUP + 3,  /* 3: work-items of this work-group */
    IN_P_ITEM = IN_P_SIZE + 3,   /* 3: local id */
    IN_P_GLOBAL = IN_P_ITEM + 3, /* 3: global id */
    IN_P_COUNT = IN_P_GLOBAL + 3
};

enum { IN_MOST_PARAMETERS = 1024, IN_MOST_MEMBERS = 4096 }; /* of a function; of a value */

/* How a kernel is compiled. */
enum {
    IN_JIT_COUNTS = 1,       /* instructions, against a budget */
    IN_JIT_INSTRUMENTED = 2, /* check accesses (instrument/shadow.h) */
    IN_JIT_CHECKS = 4,       /* with it: values too */
    IN_JIT_ONE_ROW = 8,      /* with it: ids differ in the first dimension alone */
    IN_JIT_EXACT = 16,       /* no function is less accurate than the interpreter's */
    IN_JIT_ANY_SIZE = 32,    /* for every local size of at most local_size[0] work-items */
    IN_JIT_ALIASED = 64,     /* several arguments lead to the same memory */
    IN_JIT_CLOCKS = 128,     /* with it: work-items leave loops in which they may wait (clocks.h) */
    IN_JIT_SVM = 256,        /* with IN_JIT_INSTRUMENTED: pointers may lead to SVM */
    IN_JIT_NO_GRIDS = 512, /* with IN_JIT_INSTRUMENTED: parts of matrices may overlap (instrument/grids.h) */
    IN_JIT_LOOKUPS = 1024, /* with IN_JIT_SVM: pointers lead to more SVM than the arguments' */
    IN_JIT_NO_RANGES = 2048, /* with IN_JIT_INSTRUMENTED: checks do not depend on ranges of the launch */
    IN_JIT_ID_BITS = 12      /* the bits from this one on: with IN_JIT_INSTRUMENTED, bits of a global id */
};
enum { IN_JIT_FORMATS = 16 };
#define IN_JIT_LITERAL_SAMPLER (UINT32_C(1) << 31)
struct in_jit_options {
    uint32_t local_size[3]; /* with IN_JIT_ANY_SIZE: the number of work-items, 1, 1 */
    uint32_t flat_size;     /* in the first dimension for kernels that do not see work-groups there */
    uint32_t flags;
    /* What arguments 0, 1, ... are known to be; 0: any, or another kind of argument.  An image: as
     * in_jit_image_format().  A sampler: 1 + its word as a literal one, less IN_JIT_LITERAL_SAMPLER. */
    uint16_t formats[IN_JIT_FORMATS];
};
/* The offsets of the kernel's arguments in in_jit_frame.arguments, and the size of its local variables. */
struct in_jit_layout {
    uint64_t *argument_offsets; /* per argument; 16-aligned */
    uint64_t argument_bytes;
    uint64_t local_bytes; /* of variables; local arguments follow */
};

struct in_emit {
    const struct in_module *m;
    const struct in_kernel *kernel;
    const struct in_jit_options *options;
    const struct in_jit_calls *calls;
    struct in_jit_layout *layout;

    /* the LLVM module */
    LLVMContextRef c;
    LLVMModuleRef module, builtins;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, nothing;
    LLVMValueRef *values;      /* by id */
    LLVMBasicBlockRef *blocks; /* by id of the label */
    LLVMValueRef *functions;   /* by index */
    LLVMValueRef shared;       /* metadata of accesses to memory that work-items share */
    uint64_t *local_offsets;   /* per global of the module */
    bool converts_halves;      /* the processor has instructions for it */

    /* the position: a function and an instruction of it */
    const struct in_function *fn;
    const struct in_inst *inst;
    LLVMValueRef function;
    uint32_t weight; /* with IN_JIT_INSTRUMENTED: instructions of the block so far */

    bool barriers; /* anything that work-items wait for */
    struct in_emit_failure {
        char *why;
        size_t size;
        bool failed;
    } failure;
};

/* emit.c */
/* Emits KERNEL's work-item function `item`; false: not covered, WHY says what. */
bool in_emit_kernel(struct in_emit *e);
/* Before: where arguments and local variables lie. */
void in_emit_lay_out(struct in_emit *e);
bool in_emit_fail(struct in_emit *e, const char *format, ...) MM_PRINTF(2, 3);
void in_function_attribute(struct in_emit *e, LLVMValueRef fn, const char *name);
/* Of parameter AT, from 1 on. */
void in_parameter_attribute(struct in_emit *e, LLVMValueRef fn, LLVMAttributeIndex at, const char *name);
LLVMValueRef in_param(const struct in_emit *e, uint32_t index);
LLVMValueRef in_helper_call(struct in_emit *e, const char *name, LLVMValueRef *arguments, unsigned count);
LLVMValueRef in_intrinsic(struct in_emit *e, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                          unsigned count);

/* emit/type.c */
const struct in_ty *in_emit_ty(const struct in_emit *e, uint32_t id);
const struct in_ty *in_element(const struct in_ty *ty);
uint32_t in_elements(const struct in_ty *ty);
LLVMTypeRef in_type(struct in_emit *e, const struct in_ty *ty);
LLVMTypeRef in_type_like(struct in_emit *e, LLVMTypeRef element, const struct in_ty *shape);
LLVMValueRef in_value(struct in_emit *e, uint32_t id);
void in_define(struct in_emit *e, const struct in_inst *i, LLVMValueRef value);
LLVMValueRef in_int(struct in_emit *e, LLVMTypeRef type, uint64_t value); /* scalar or splat */
LLVMValueRef in_splat(struct in_emit *e, LLVMValueRef value, uint32_t count);
LLVMValueRef in_half_out(struct in_emit *e, LLVMValueRef halves); /* i16 bits to float */
LLVMValueRef in_half_in(struct in_emit *e, LLVMValueRef floats);  /* and back, to nearest */
LLVMValueRef in_widen(struct in_emit *e, LLVMValueRef value, const struct in_ty *ty, bool sign); /* i64 */
/* Element K of a vector, or the scalar itself. */
LLVMValueRef in_get(struct in_emit *e, LLVMValueRef value, const struct in_ty *ty, uint32_t k);
LLVMValueRef in_put(struct in_emit *e, LLVMValueRef vector, const struct in_ty *ty, LLVMValueRef x,
                    uint32_t k);

/* emit/memory.c */
LLVMValueRef in_offset(struct in_emit *e, LLVMValueRef pointer, uint64_t offset);
LLVMValueRef in_constant_load(struct in_emit *e, LLVMTypeRef type, LLVMValueRef pointer, unsigned align);
LLVMValueRef in_frame_word(struct in_emit *e, uint64_t offset);
LLVMValueRef in_frame_pointer(struct in_emit *e, uint64_t offset, uint64_t size);
uint32_t in_storage(const struct in_emit *e, uint32_t id);
LLVMValueRef in_load(struct in_emit *e, const struct in_ty *ty, LLVMValueRef pointer, uint64_t align,
                     uint32_t storage, bool is_volatile);
void in_store(struct in_emit *e, const struct in_ty *ty, LLVMValueRef value, LLVMValueRef pointer,
              uint64_t align, uint32_t storage, bool is_volatile);
LLVMValueRef in_alloca(struct in_emit *e, uint64_t size, uint64_t align);
LLVMValueRef in_temporary(struct in_emit *e, const struct in_ty *ty);
/* emit/convert.c */
LLVMValueRef in_convert_half(struct in_emit *e, LLVMValueRef x, const struct in_ty *from,
                             const struct in_ty *to, enum in_rounding rounding);
/* emit/callout.c */
bool in_emit_callout(struct in_emit *e, const struct in_inst *i); /* false: it is no call */
void in_emit_end(struct in_emit *e);
/* emit/image.c */
/* The format and kind of IMAGE in 16 bits, not 0. */
uint16_t in_jit_image_format(const struct in_image *image);
/* In an instrumented launch; false: it is none, or there is no short path for it. */
bool in_checked_image_access(struct in_emit *e, const struct in_inst *i);
/* An access to an image by a short path, where there is one: the COUNT values at CALLOUT, outside, number and
 * frame the first of them, are what the interpreter's function is called with otherwise.  False: there is
 * none. */
bool in_inline_image_access(struct in_emit *e, const struct in_inst *i, const struct in_jit_call *call,
                            LLVMValueRef *callout, uint32_t count);
/* The format of the image that the handle at WORD, a load of an argument, describes: in_fix_image_formats()
 * will make it constant. */
void in_mark_image_format(struct in_emit *e, LLVMValueRef word, uint16_t format);
/* Once calls are inlined: loads of marked formats become constants. */
void in_fix_image_formats(struct in_emit *e, LLVMValueRef item);
bool in_inline_image_query(struct in_emit *e, const struct in_inst *i); /* false: it is no query of sizes */
/* emit/flow.c */
void in_group_barrier(struct in_emit *e);
/* Calls the marker NAME, at which other work-items execute: by its arguments LLVM knows that local memory and
 * the frame may change there, which no other function can reach. */
void in_emit_exchange(struct in_emit *e, const char *name);
/* emit/builtin.c */
LLVMValueRef in_local_index(struct in_emit *e);
LLVMValueRef in_builtin(struct in_emit *e, const struct in_ty *ty, int32_t builtin);

typedef void (*in_emit_fn)(struct in_emit *e, const struct in_inst *i);
/* clang-format off */
#define IN_EMIT_FAMILIES(X)                                                                                  \
    X(none)                                                                                                  \
    X(int_binary)                                                                                            \
    X(int_compare)                                                                                           \
    X(int_unary)                                                                                             \
    X(shift)                                                                                                 \
    X(float_binary)                                                                                          \
    X(float_compare)                                                                                         \
    X(float_unary)                                                                                           \
    X(float_test) X(bool_binary) X(bool_not) X(any_all) X(convert) X(alias) X(bitcast) X(ptr_to_int)         \
        X(int_to_ptr) X(select) X(dot) X(scale) X(wide) X(bitfield) X(extract) X(insert) X(construct)        \
            X(shuffle) X(extract_dynamic) X(insert_dynamic) X(undef) X(variable) X(load) X(store)            \
                X(copy_memory) X(chain) X(ptr_compare) X(ptr_diff) X(atomic) X(fence) X(barrier) X(async_copy) X(wait_events) X(label)    \
                    X(phi) X(branch) X(branch_conditional) X(switch) X(return ) X(return_value)              \
                        X(unreachable) X(call) X(ext_inst) X(cast_explicit) X(mem_semantics) X(sampled_image) X(size_of) X(line) X(no_line) X(assume)           \
                            X(unsupported)
/* clang-format on */
#define IN_X(n) void in_emit_##n(struct in_emit *e, const struct in_inst *i);
IN_EMIT_FAMILIES(IN_X)
#undef IN_X
/* emit/table.c */
in_emit_fn in_emit_entry(uint32_t opcode);

#endif
