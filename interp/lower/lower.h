/* Internal to lower: state of lowering one kernel and all its callees to the engine's instructions. */
#ifndef INTERP_LOWER_LOWER_H
#define INTERP_LOWER_LOWER_H

/* clang-format off */

#include "interp/exec/exec.h"

#define IN_NO_SLOT INT32_MIN

/* How a function uses an id.  Positions count the function's instructions. */
struct in_use {
    uint32_t uses, position;
    uint32_t effective; /* where the result is needed, if the instruction is deferred to its user */
    uint32_t last;      /* last (effective) use in the block of the definition */
    uint32_t block;
    bool far;      /* used in another block, or by a phi */
    bool deferred; /* computed as part of its only user */
    bool variable; /* function variable */
    bool escapes;  /* ... whose address is more than an operand of loads and stores */
    bool aliased;  /* a load that reads the variable's slot in place */
    bool renamed;  /* a variable that shares the slot of the only value stored to it */
    bool stored_later, spread; /* a variable: stores after the first access; accesses in several blocks */
    uint32_t first, first_block; /* ... position (0: none) and block of the first access */
    uint32_t view_of; /* a bitcast of a function variable to a type of the same size: the variable */
};
struct in_frame { /* per function */
    int32_t base, end, return_slot, result_slot;
    uint8_t visiting;
};
struct in_fixup {
    uint32_t insn;
    uint32_t label;
    bool is_d; /* the target goes to d, else to c */
};
struct in_lower {
    /* the kernel */
    struct in_module *m;
    struct in_kernel *kernel;
    struct in_code *code; /* the result */
    uint32_t capacity, source_of_capacity; /* of its instructions, and of their sources */
    uint32_t return_slot_count, site; /* numbers of its return slots, and of its WAIT instructions */
    struct mm_error *err;
    enum mm_class result; /* not MM_OK: the first error, which ERR has */

    /* by id; slots are offsets in the block of a work-item */
    int32_t *slot; /* of the value, IN_NO_SLOT: none yet */
    uint32_t *label_at; /* of labels and functions: their first instruction in CODE */
    struct in_use *use;
    struct in_frame *frames; /* by function */

    /* the current function */
    struct in_function *fn;
    struct in_frame *frame;
    struct in_inst *insts; /* SPIR-V */
    uint32_t inst_count;
    uint32_t first_private; /* its first one in CODE */

    /* the current instruction */
    const struct in_inst *inst;
    uint32_t position, block; /* POSITION: in INSTS */
    int32_t top; /* of the frame: the next free slot */
    uint32_t weight; /* SPIR-V instructions since the last branch */
    struct in_source place;
    bool place_used; /* it is the last source of CODE */

    struct in_fixup *fixups; /* targets of branches that are not lowered yet */
    uint32_t fixup_count;
    struct in_insn scratch; /* receives what is emitted after memory ran out */
};

/* Lowers I; of class MM_OK also where the engine is to report it as unsupported. */
typedef enum mm_class (*in_lower_fn)(struct in_lower *l, const struct in_inst *i);
in_lower_fn in_lower_entry(uint32_t opcode); /* NULL: not an opcode */

static inline bool in_is_chain(uint32_t op)
{
    return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
           op == SpvOpInBoundsPtrAccessChain;
}

/* lower/base.c */
/* Sets the result of L to MM_LIMIT unless there was an error before. */
enum mm_class in_lower_no_memory(struct in_lower *l);
/* Appends an instruction, which the caller may complete. */
struct in_insn *in_emit(struct in_lower *l, enum in_op op, int32_t d, int32_t a, int32_t b, int32_t c);
/* New slots in the current frame, and among the constants: with SIZE bytes of BYTES, which may be NULL for
 * zeros. */
int32_t in_alloc(struct in_lower *l, uint64_t size, uint64_t align);
int32_t in_const_alloc(struct in_lower *l, const void *bytes, uint64_t size);
/* The slots of operand ID and of the result of I, made at the first use. */
int32_t in_slot(struct in_lower *l, uint32_t id);
int32_t in_dest(struct in_lower *l, const struct in_inst *i);
/* Makes SLOT the result of I; if a phi already assigned a slot to I, the value is copied. */
void in_alias(struct in_lower *l, const struct in_inst *i, int32_t slot);
void in_copy(struct in_lower *l, int32_t to, int32_t from, uint64_t size);
/* Instruction INSN jumps to LABEL, whose place is known at the end (struct in_fixup). */
void in_fixup(struct in_lower *l, uint32_t insn, bool is_d, uint32_t label);
/* The type of the value ID; void: it has none. */
const struct in_ty *in_ty_of(const struct in_lower *l, uint32_t id);
/* The engine reports WHAT as unsupported where control reaches it. */
enum mm_class in_unsupported(struct in_lower *l, const char *what);
/* A call into C for I, without function and operands; NULL: out of memory. */
struct in_call *in_make_call(struct in_lower *l, const struct in_inst *i);

/* built_in.c: slots of the value and of the address of built-in variable ID */
bool in_is_built_in(const struct in_lower *l, uint32_t id);
int32_t in_built_in_value(struct in_lower *l, uint32_t id);
int32_t in_built_in_pointer(struct in_lower *l, uint32_t id);
/* mem.c: a private variable of type TY that POINTER points to, named as ID, and its offset; its initial
 * value */
int32_t in_make_private(struct in_lower *l, int32_t pointer, const struct in_ty *ty, uint64_t align,
                        uint32_t id);
void in_put_initializer(struct in_lower *l, int32_t storage, const struct in_ty *ty, uint32_t value);

/* lower/misc.c: a call of FN with the operands that are ids in slots; others are left in LITERAL */
typedef bool (*in_call_fn)(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                           const struct in_call *call);
enum mm_class in_call_c(struct in_lower *l, const struct in_inst *i, in_call_fn fn);

bool in_is_pointer(const struct in_lower *l, const struct in_inst *i, uint32_t operand);
/* The error that an operand of I is no pointer. */
enum mm_class in_no_pointer(struct in_lower *l, const struct in_inst *i);

/* analyze.c */
enum mm_class in_analyze(struct in_lower *l);
struct in_chain {
    uint32_t base, index; /* ids; index 0: none */
    bool narrow;          /* 32-bit index */
    int64_t scale, offset;
    bool simple;
};
/* subscript.c: notes that the last instruction computes, from the pointer in slot BASE, a part of access
 * chain I: its constant subscripts (INDEX: IN_NO_SLOT), or that of OPERAND (0: any) from slot INDEX.  Called
 * last. */
void in_note_subscripts(struct in_lower *l, const struct in_inst *i, const struct in_chain *chain,
                        uint32_t operand, int32_t base, int32_t index, bool narrow);
enum mm_class in_index_subscripts(struct in_lower *l);
/* analyze.c */
bool in_chain_shape(const struct in_lower *l, const struct in_inst *i, struct in_chain *chain);
bool in_is_prefix(const struct in_lower *l, const struct in_inst *i);
void in_def(const struct in_lower *l, uint32_t id, struct in_inst *inst);
/* promote.c: the variable in a slot that POINTER points to; 0: none */
uint32_t in_register_variable(const struct in_lower *l, uint32_t pointer);
/* Sets the fields of struct in_use about variables, before in_rename_variables(). */
void in_find_variables(struct in_lower *l);
/* Variables that are only names of one value, as parameters of kernels are, share its slot. */
void in_rename_variables(struct in_lower *l);

/* Families. */
#define IN_LOWER_FAMILIES(X)                                                                                \
    X(none) X(foreign) X(quantize) X(read_clock) X(int_binary) X(int_compare) X(int_unary) X(shift)         \
    X(float_binary) X(float_compare) X(float_unary) X(float_test) X(bool_binary) X(bool_not)                \
    X(any_all) X(convert) X(alias) X(bitcast) X(ptr_to_int) X(int_to_ptr) X(cast_explicit) X(select)        \
    X(dot) X(scale) X(wide) X(bitfield) X(idot) X(extract) X(insert) X(construct) X(shuffle)                \
    X(extract_dynamic) X(insert_dynamic) X(undef) X(variable) X(load) X(store) X(copy_memory)               \
    X(chain) X(ptr_compare) X(ptr_diff) X(atomic) X(fence) X(barrier) X(named_barrier_init)                 \
    X(named_barrier) X(group) X(non_uniform) X(async_copy) X(wait_events) X(label) X(phi) X(branch)         \
    X(branch_conditional) X(switch) X(return) X(return_value) X(unreachable) X(call) X(ext_inst)            \
    X(line) X(no_line) X(mem_semantics) X(assume) X(size_of) X(sub_group_legacy) X(sampled_image)           \
    X(image_sample) X(image_read) X(image_write) X(image_query) X(pipe_packet) X(pipe_reserved)             \
    X(pipe_reserve) X(pipe_commit) X(pipe_query) X(pipe_from_storage) X(enqueue) X(enqueue_marker)          \
    X(kernel_query) X(device_event) X(default_queue) X(build_ndrange) X(array_length)
#define IN_X(n) enum mm_class in_lower_##n(struct in_lower *l, const struct in_inst *i);
IN_LOWER_FAMILIES(IN_X)
#undef IN_X

/* clang-format on */
#endif
