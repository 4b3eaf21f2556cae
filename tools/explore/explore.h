/* Lowering of a SPIR-V kernel launch to a struct ck_program: data and functions that the files share.
 *
 * Each work-item becomes a thread.  Shared memory becomes objects, private variables become registers, calls are inlined, and the
 * ids of work-items are constants.  Functions that return an expression return its index in the program.  All allocations live as
 * long as struct ex; errors leave the function by ex_fail().  [SPIRV 2.2, 2.3; SPIRV 3.42] */
#ifndef TOOLS_EXPLORE_EXPLORE_H
#define TOOLS_EXPLORE_EXPLORE_H

#include "checker/checker.h"
#include "interp/image/image.h"
#include "interp/interp.h"
#include "interp/spirv.h"
#include "memmodel/base/map.h"

#include <setjmp.h>

/* ---- the kernel and its launch ---------------------------------------------------------------------------- */

/* A constant given for an object or a specialization constant: a tree of numbers. */
enum { EX_EXTRA_TYPES = 128 };
enum ex_form { EX_DECIMAL, EX_HEXADECIMAL, EX_REAL, EX_LIST };
struct ex_init {
    enum ex_form form;
    uint64_t value; /* DECIMAL, HEXADECIMAL */
    double real;    /* REAL */
    uint32_t count; /* LIST */
    struct ex_init *items;
};
struct ex_input {
    const char *name;
    uint32_t id;    /* 0: not found in the module */
    bool given;     /* false: only named by a condition */
    uint64_t bytes; /* not 0: a size without values */
    bool any;       /* symbolic: INIT is not set */
    bool null;      /* a null pointer */
    bool svm;       /* fine-grained SVM with atomics, not a buffer */
    bool ranged;    /* the values are from LOW to HIGH */
    int64_t low, high;
    struct ex_init init;
    uint32_t image;   /* images: number of its description, from 1 */
    uint32_t sampler; /* samplers: as OpConstantSampler has it in interp/module, else 0 */
};
struct ex_launch {
    uint32_t global[3], local[3];
    uint32_t sub_group; /* work-items per sub-group; 0: not known before ex_complete_launch() */
};
struct ex_config { /* from header lines or the command line */
    struct ex_input *inputs;
    uint32_t input_count;
    const char **outputs;
    uint32_t output_count;
    const char **filters;
    uint32_t filter_count;
    struct ex_launch launch;
    const char *kernel;           /* entry point, NULL: the only one */
    const char *const *arguments; /* of the command line, in the order of the kernel's */
    uint32_t argument_count;
    const char *const *requirements; /* conditions on inputs */
    size_t requirement_count;
};

struct ex_scalar { /* inside a value */
    const struct in_ty *type;
    uint64_t offset;
    unsigned size;
};
struct ex_shape { /* the scalars of a type */
    uint32_t count;
    const struct ex_scalar *scalars;
};
struct ex_module {
    const char *file, *text; /* TEXT NULL: a binary */
    struct in_module *decoded;
    bool vulkan;                 /* another memory model than OpenCL's */
    const struct in_inst *insts; /* inst_count of them, and a sentinel at the end of the module */
    uint32_t inst_count, bound;
    const struct in_inst **definitions; /* by id */
    struct ex_shape *shapes;            /* by type id; after those of the module, EX_EXTRA_TYPES more */
    uint32_t extra_types;               /* types of arguments that the module does not declare */
    const uint32_t *words;              /* for the interpreter: without names */
    size_t word_count;
};

/* ---- the program under construction ------------------------------------------------------------------------------- */

struct ex_value {
    const struct in_ty *type;
    const struct ex_scalar *scalars; /* of TYPE, COUNT of them */
    uint32_t count;
    uint32_t storage; /* a pointer: the storage class of its memory; Generic: not known */
    uint32_t *leaves; /* expressions */
};
struct ex_cell { /* a scalar of a private variable */
    uint64_t offset;
    uint8_t size;
    uint32_t reg;
};
struct ex_variable {
    uint64_t base, size;
    uint32_t cell_count;
    struct ex_cell *cells;
};
struct ex_place { /* where a module-scope variable or a kernel argument lives */
    uint32_t id;
    /* local memory: its instance; storage class Function, a symbolic argument: its scalar */
    uint32_t work_group;
    uint32_t object;
    const struct in_ty *pointee;
    uint32_t storage;
    bool is_array;        /* kernel argument: an array of pointees */
    const uint8_t *known; /* by byte of an uninitialized object: 1 if the launch initializes it; NULL: none */
};
struct ex_frame {
    struct ex_value *values; /* by id */
    struct ex_frame *outer;
    const struct in_function *function;
    uint32_t return_label;
    struct ex_value *result;
    uint32_t depth;
};
struct ex_hidden { /* a hidden object of the barrier SITE, for a work-group or sub-group */
    uint32_t site, work_group, sub_group, object;
    uint64_t size;
    uint8_t region;
};
struct ex_site { /* the number of a hidden barrier, and the instruction that it implements */
    uint32_t site;
    const struct in_inst *inst;
};
struct ex_image {                /* an image argument: one object, an element for each channel of a texel */
    struct in_image description; /* without data */
    const struct in_ty *channel;
    unsigned channels; /* of a texel, one after the other */
    bool is_unsigned;
    uint32_t object;
};
struct ex_item { /* the work-item being lowered */
    uint32_t thread;
    uint32_t work_group; /* dense */
    uint64_t global_id[3], local_id[3], group_id[3];
    uint32_t sub_group, sub_group_local_id;
    struct ex_frame *frame;
    struct ex_value *globals; /* values of module-scope ids, by id */
    struct ex_variable *variables;
    uint32_t variable_count;
    uint32_t *labels; /* label number -> instruction */
    uint32_t label_count;
    uint32_t site;
    uint32_t *counters; /* registers that are 0 at the beginning */
    uint32_t counter_count;
};
struct ex_build {        /* shared by all work-items */
    struct mm_map exprs; /* expressions of the program, by hash: index + 1 */
    struct ex_place *places;
    uint32_t place_count;
    struct ex_hidden *hidden;
    uint32_t hidden_count;
    struct ex_site *converged;
    uint32_t converged_count;
    struct ex_site *copies; /* asynchronous copies */
    uint32_t copy_count;
    struct ex_image *images;
    uint32_t image_count;
    struct ex_known *known; /* by object, after all threads are lowered */
};
#define EX_PRIVATE_BASE (UINT64_C(0x80000000) << 32)
#define EX_NO_LABEL     UINT32_MAX

struct ex {
    struct mm_arena *arena;
    struct mm_error *err;
    jmp_buf failed;                 /* target of ex_fail() */
    uint32_t constant_depth;        /* recursion depth of computed constants */
    const struct in_inst *current;  /* for messages */
    struct ck_condition *condition; /* the one being parsed; ex_destroy() frees it */

    struct ex_module module;
    struct ex_config config;
    const struct in_entry *entry; /* the kernel */
    struct ex_build build;
    struct ex_item item;
    struct ck_program *program;    /* the result */
    bool uses_sub_groups;          /* scopes, functions or built-ins depend on the size of sub-groups */
    const struct in_inst *printed; /* the first call of printf, NULL: none */
};

/* ---- functions ----------------------------------------------------------------------------------- */

/* Reports an error of class CLS at the current instruction, and returns it from ex_read(), ex_lower() or ex_add_line(). */
_Noreturn void ex_fail(struct ex *ex, enum mm_class cls, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
/* Reports that INST is not supported: "NAME WHERE is not explored: INSTEAD"; INSTEAD NULL: the advice for its opcode. */
_Noreturn void ex_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *rule,
                                   const char *where, const char *instead);
/* INST if it is NULL or has a source line; else the first instruction with a line that uses its result, else the nearest one of its
 * function. */
const struct in_inst *ex_nearest_place(const struct ex *ex, const struct in_inst *inst);
/* Reports MESSAGE at COLUMN of OPTION, which is "--arg VALUE". */
_Noreturn void ex_fail_option(struct ex *ex, const char *option, unsigned column, const char *message);
/* SIZE bytes, zero. */
void *ex_alloc(struct ex *ex, size_t size);
/* Returns ARRAY of COUNT items of ITEM bytes each, or a copy, with room for one more: it grows when COUNT is 0 or a power of two. */
void *ex_grow(struct ex *ex, void *array, uint32_t count, size_t item);
_Noreturn void ex_no_memory(struct ex *ex);
/* Returns INDEX, the result of a builder of ck_program; fails if that is CK_NOT_ADDED (out of memory). */
uint32_t ex_check_added(struct ex *ex, uint32_t index);

/* Reads a module of SIZE bytes, text (.spvasm) with header lines or binary; DATA and FILE must outlive *OUT, which ex_destroy() frees. */
enum mm_class ex_read(const void *data, size_t size, const char *file, struct ex **out, struct mm_error *err);
/* Lowers the launch; EX owns the program. */
enum mm_class ex_lower(struct ex *ex, struct ck_program **program, struct mm_error *err);
void ex_destroy(struct ex *ex);

/* explore/initial.c: initial values. */
enum { EX_UNKNOWN_ELEMENTS = 4096 }; /* length of an array of unknown length */
/* The type of member or element I of T. */
const struct in_ty *ex_part_type(struct ex *ex, const struct in_ty *t, uint32_t i);
/* Bytes of a value of type T; T NULL: of an array with elements of ELEMENT bytes.  INIT (NULL: unknown) determines the length of
 * arrays without one. */
uint64_t ex_init_size(const struct in_ty *t, uint64_t element, const struct ex_init *init);
/* Writes INIT, a value of type T, at OFFSET of BYTES, an array of SIZE bytes. */
void ex_init_fill(struct ex *ex, const struct in_ty *t, const struct ex_init *init, uint8_t *bytes,
                  uint64_t size, uint64_t offset);
/* Adds the values that launch and arguments give to BYTES (SIZE bytes), which hold INIT; values of INIT take precedence.  Sets
 * PLACE->known.  True: all scalars are given. */
bool ex_init_add_launch(struct ex *ex, struct ex_place *place, const struct ex_init *init, uint8_t *bytes,
                        uint64_t size);
/* Writes the initializer ID of a variable of type T to BYTES (SIZE bytes); false: it is undefined. */
bool ex_init_from_constant(struct ex *ex, const struct in_ty *t, uint32_t id, uint8_t *bytes, uint64_t size);
/* Writes the value of the kernel's parameter ID, passed by value, in EXECUTION to BYTES; false: it is larger than SIZE. */
bool ex_argument_bytes(struct ex *ex, uint32_t id, const struct ck_execution *execution, uint8_t *bytes,
                       uint64_t size);

/* explore/header.c */
void ex_read_headers(struct ex *ex);
enum ex_line { EX_INPUT, EX_OUTPUT, EX_FILTER };
enum mm_class ex_add_line(struct ex *ex, enum ex_line line, const char *text, struct mm_error *err);
/* argument.c */
/* Sets the kernel's parameter ID from the argument TEXT of the command line. */
void ex_argument(struct ex *ex, uint32_t id, const char *text);
/* The command-line argument with NAME, else the next one without a name from index *NEXT on, which is advanced; NULL: none. */
const char *ex_argument_text(struct ex *ex, const char *name, uint32_t *next);
/* Fails if an argument has a name that no parameter of F has. */
void ex_argument_names(struct ex *ex, const struct in_function *f);
/* header.c */
/* The bits of a scalar of type TYPE with the value INIT.  Hexadecimal numbers are the bits, of floats too. */
uint64_t ex_init_bits(struct ex *ex, const struct in_ty *type, const struct ex_init *init);
/* The number or list of numbers TEXT. */
struct ex_init ex_value_text(struct ex *ex, const char *text);
/* The input for ID, created if it does not exist. */
struct ex_input *ex_input_for(struct ex *ex, uint32_t id);
/* Reads the condition and the filter into the program, whose objects exist. */
void ex_conditions(struct ex *ex);

/* explore/inputs.c: the value that options give for ID, NULL if none. */
const struct ex_input *ex_input_of(const struct ex *ex, uint32_t id);
/* Adds inputs and requirements to the program, whose objects exist. */
void ex_add_inputs(struct ex *ex);
/* Whether the argument ID is, or points to, an unsigned integer. */
bool ex_is_unsigned(const struct ex *ex, uint32_t id);
/* Whether an argument is symbolic, or points to memory without initial values. */
bool ex_has_inputs(const struct ex *ex);
/* Calls TAKE for each symbolic input that EXECUTION reads, with its name, such as "n" or "a[3]". */
void ex_each_input(struct ex *ex, const struct ck_execution *execution,
                   void (*take)(void *context, const char *name, int64_t value, bool is_unsigned),
                   void *context);

/* explore/launch.c: chooses the sizes that neither options nor the file give; fails if the kernel requires others. */
void ex_complete_launch(struct ex *ex);

/* explore/module.c, explore/type.c */
/* Sets the ids of inputs that have a name of the source. */
void ex_find_names(struct ex *ex);
/* The instruction that defines ID, NULL if there is none. */
const struct in_inst *ex_definition(const struct ex *ex, uint32_t id);
/* The first instruction of FUNCTION; its last one ends at word FUNCTION->end. */
const struct in_inst *ex_first(const struct ex *ex, const struct in_function *function);
/* Declares types and constants; inputs give values of specialization constants. */
void ex_declare(struct ex *ex);
/* The id, the type, the type of a value, the type that a pointer points to; fails if there is none. */
const struct in_id *ex_id(struct ex *ex, uint32_t id);
const struct in_ty *ex_type(struct ex *ex, uint32_t id);
const struct in_ty *ex_type_of(struct ex *ex, uint32_t value);
const struct in_ty *ex_pointed(struct ex *ex, const struct in_ty *pointer);
/* The type of the kernel's parameter ID in the source; false: the module does not contain it. */
enum { EX_SOURCE_TYPE = 128 };
bool ex_source_type(const struct ex *ex, uint32_t id, char text[EX_SOURCE_TYPE]);
/* The layout of the memory of ID, a parameter of the kernel or a variable, for mm_layout_find(); NULL: unknown, or plain scalars. */
const char *ex_layout(struct ex *ex, uint32_t id);
/* The element type of the memory that parameter ID points to: by the type in the source if known, else by the pointer type. */
const struct in_ty *ex_argument_element(struct ex *ex, uint32_t id);
/* The scalar type with the kind and size of SCALAR: a type of the module, or a new one. */
struct spec_scalar;
const struct in_ty *ex_number_type(struct ex *ex, const struct spec_scalar *scalar);
const struct ex_shape *ex_shape(const struct ex *ex, const struct in_ty *type);
static inline bool ex_is_runtime_array(const struct in_ty *t)
{
    return t->opcode == SpvOpTypeRuntimeArray;
}
/* Bytes of a scalar type; 0: TYPE is not scalar. */
unsigned ex_scalar_size(const struct in_ty *type);
/* Bytes between elements of an array of TYPE without a declared stride. */
uint64_t ex_element_size(const struct in_ty *type);
/* The first leaf of member or element INDEX of a value of TYPE; its type in *MEMBER. */
uint32_t ex_leaf_index(struct ex *ex, const struct in_ty *type, uint32_t index, const struct in_ty **member);
/* Scalar I of the constant ID; false: ID is not a constant, or its value is not known before the launch. */
bool ex_constant(const struct ex *ex, uint32_t id, uint32_t i, uint64_t *value);

/* explore/build.c */
uint32_t ex_const(struct ex *ex, uint64_t value, unsigned size);
/* VALUE with as many bytes as LIKE. */
uint32_t ex_const_like(struct ex *ex, uint64_t value, uint32_t like);
uint32_t ex_reg_expr(struct ex *ex, uint32_t reg);
/* The expression OP with a result of SIZE bytes, folded; operands that OP does not have are ignored. */
uint32_t ex_op(struct ex *ex, enum ck_expr_op op, unsigned size, uint32_t a, uint32_t b, uint32_t c);
/* Operations whose size follows from their operands: comparisons and CK_LNOT have 1 byte, all others as many as A or YES. */
uint32_t ex_binary(struct ex *ex, enum ck_expr_op op, uint32_t a, uint32_t b);
uint32_t ex_unary(struct ex *ex, enum ck_expr_op op, uint32_t a);
uint32_t ex_select(struct ex *ex, uint32_t condition, uint32_t yes, uint32_t no);
/* The result of FUNCTION, identified by its name, for COUNT arguments, 1 to 3: SIZE bytes. */
uint32_t ex_apply(struct ex *ex, const struct ck_function *function, unsigned size, unsigned count,
                  const uint32_t *arguments);
/* The index of FUNCTION, identified by its name, in the program. */
uint32_t ex_function(struct ex *ex, const struct ck_function *function);
/* The operation of E on OPERANDS. */
uint32_t ex_with_operands(struct ex *ex, const struct ck_expr *e, const uint32_t operands[3]);
bool ex_is_const(const struct ex *ex, uint32_t expr, uint64_t *value);
unsigned ex_size(const struct ex *ex, uint32_t expr);
uint32_t ex_resize(struct ex *ex, uint32_t expr, unsigned size, bool is_signed);
uint32_t ex_new_reg(struct ex *ex, unsigned size);
uint32_t ex_emit(struct ex *ex, struct ck_instr instr);
void ex_assign(struct ex *ex, uint32_t reg, uint32_t value);
/* Assigns EXPR to the register that is scalar I of V, of ex_new_registers(). */
void ex_assign_leaf(struct ex *ex, const struct ex_value *v, uint32_t i, uint32_t expr);
/* EXPR if it is constant; else a new register that is assigned EXPR. */
uint32_t ex_hold(struct ex *ex, uint32_t expr);
uint32_t ex_new_label(struct ex *ex);
void ex_place_label(struct ex *ex, uint32_t label);
void ex_jump(struct ex *ex, uint32_t label);
void ex_branch_if_zero(struct ex *ex, uint32_t value, uint32_t label);
void ex_resolve_labels(struct ex *ex);
/* Renames each register r of the current thread to NUMBER[r]. */
void ex_rename_registers(struct ex *ex, const uint32_t *number);
/* hidden.c */
/* A register that is 0 when the thread begins; ex_prepend_counters() adds the assignments. */
uint32_t ex_new_counter(struct ex *ex);
void ex_prepend_counters(struct ex *ex);
/* The object that WANTED describes, created on first use. */
uint32_t ex_hidden_object(struct ex *ex, const struct ex_hidden *wanted);
/* The next hidden barrier must be reached by all work-items of the launch, or by none; ex_propagate() checks it. */
void ex_require_convergence(struct ex *ex);
/* Records INST as the instruction of the copy at SITE. */
void ex_note_copy(struct ex *ex, uint32_t site, const struct in_inst *inst);
const struct in_inst *ex_copy_inst(struct ex *ex, uint32_t site);
/* The initial value of the SIZE bytes at OFFSET of OBJECT. */
uint64_t ex_initial_bytes(const struct ck_object *object, uint64_t offset, unsigned size);
/* A new object with an unconstrained value of SIZE bytes; a read of its SIZE lowest bytes. */
uint32_t ex_arbitrary_object(struct ex *ex, const char *name, unsigned size);
uint32_t ex_read_arbitrary(struct ex *ex, uint32_t object, unsigned size);
/* build.c */
struct ex_value ex_new_value(struct ex *ex, const struct in_ty *type);
/* A value of the result type of INST. */
struct ex_value ex_result(struct ex *ex, const struct in_inst *inst);
/* A value of TYPE with each scalar in a new register. */
struct ex_value ex_new_registers(struct ex *ex, const struct in_ty *type);

/* An instruction without registers and operands. */
static inline struct ck_instr ex_instr(enum ck_op op)
{
    return (struct ck_instr){
        .op = op, .reg = CK_NO_REG, .reg2 = CK_NO_REG, .value = CK_NO_EXPR, .expected = CK_NO_EXPR};
}
/* A plain load of SIZE bytes into a new register; it is not emitted. */
struct ck_instr ex_load(struct ex *ex, uint32_t address, unsigned size);
/* Emits an access outside of all objects; the second function only if CONDITION is 0. */
void ex_emit_fault(struct ex *ex);
void ex_fault_unless(struct ex *ex, uint32_t condition);

/* explore/value.c: lowers an instruction without side effects; false: it is not one. */
bool ex_compute(struct ex *ex, const struct in_inst *inst);
/* Lowers INST by the handler for its opcode; false: there is none. */
struct ex_handler {
    uint32_t opcode;
    void (*lower)(struct ex *ex, const struct in_inst *inst);
};
bool ex_handle(struct ex *ex, const struct in_inst *inst, const struct ex_handler *handlers, size_t count);
/* The value of ID; the scalar that it is.  Fails if it has none. */
struct ex_value *ex_get(struct ex *ex, uint32_t id);
uint32_t ex_scalar(struct ex *ex, uint32_t id);
void ex_set(struct ex *ex, uint32_t id, struct ex_value value);
void ex_set_scalar(struct ex *ex, const struct in_inst *inst, uint32_t expr);
/* POINTER is computed from FROM, and points into the same object. */
static inline void ex_keep_storage(struct ex_value *pointer, const struct ex_value *from)
{
    if (pointer->storage == SpvStorageClassGeneric && from->type->kind == IN_TY_POINTER)
        pointer->storage = from->storage;
}

/* explore/integer.c: lowers an integer instruction (false: it is not one); the value of an OpSpecConstantOp. */
bool ex_integer(struct ex *ex, const struct in_inst *inst);
struct ex_value *ex_computed_constant(struct ex *ex, const struct in_inst *inst);
/* explore/float.c */
bool ex_float(struct ex *ex, const struct in_inst *inst);
/* Whether A and B are equal numbers. */
uint32_t ex_float_equal(struct ex *ex, uint32_t a, uint32_t b);
/* The float A converted to SIZE bytes; ROUNDING: a number of SPIR-V. */
uint32_t ex_float_resize(struct ex *ex, uint32_t a, unsigned size, unsigned rounding);
/* explore/function.c: lowers a call of a function of OpenCL.std; false: there is no such function. */
bool ex_function_call(struct ex *ex, const struct in_inst *inst);

/* explore/memory.c */
bool ex_memory(struct ex *ex, const struct in_inst *inst);
struct in_ext_fn;
void ex_vector_load(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn);
void ex_vector_store(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn);
/* The type that POINTER points to. */
const struct in_ty *ex_pointee(struct ex *ex, uint32_t pointer);
/* A plain load of element I, of SIZE bytes, of the array that POINTER points to. */
uint32_t ex_load_element(struct ex *ex, uint32_t pointer, uint64_t i, unsigned size);
/* A plain store through POINTER. */
void ex_store_value(struct ex *ex, uint32_t pointer, const struct ex_value *value);
/* explore/private.c */
/* The address of a new private variable with the value INITIAL (NULL: unconstrained). */
uint64_t ex_new_variable(struct ex *ex, const struct in_ty *pointee, const struct ex_value *initial);
/* The private variable that ADDRESS points into; NULL: none. */
struct ex_variable *ex_variable_at(struct ex *ex, uint64_t address);
uint32_t ex_read_private(struct ex *ex, uint32_t address, unsigned size);
void ex_write_private(struct ex *ex, uint32_t address, uint32_t value);
/* The beginning of the object or variable that ADDRESS is computed from a constant address of; 0: unknown. */
uint64_t ex_root(const struct ex *ex, uint32_t address);
/* explore/atomic.c */
bool ex_atomic(struct ex *ex, const struct in_inst *inst);
uint8_t ex_storage_class_mask(uint32_t storage);
void ex_memory_operands(struct ex *ex, const struct in_inst *inst, uint32_t at, struct ck_instr *instr);
uint8_t ex_scope(struct ex *ex, uint32_t id);
/* The access I to private memory, which one work-item alone accesses: an ordinary computation. */
void ex_private_access(struct ex *ex, const struct ck_instr *i);
/* memory.c: emits ACCESS, through a pointer into the storage class STORAGE: to shared memory, to private variables, or a branch on
 * its address between the two. */
void ex_emit_access(struct ex *ex, uint32_t storage, struct ck_instr access);
/* explore/flow.c: inlines FUNCTION with COUNT ARGUMENTS; RESULT (NULL: unused) has registers, which are assigned. */
void ex_inline(struct ex *ex, const struct in_function *function, const struct ex_value *arguments,
               uint32_t count, struct ex_value *result);
/* explore/builtin.c */
void ex_extended(struct ex *ex, const struct in_inst *inst);
struct ex_value ex_builtin_value(struct ex *ex, uint32_t builtin, const struct in_ty *type);
/* Component I of a built-in of the current work-item; uniform ones are also known before there is a work-item. */
uint64_t ex_launch_value(struct ex *ex, uint32_t builtin, unsigned i);
/* explore/reflection.c: sets the specialization constants that the launch gives, before ex_declare(); the arguments, after it. */
void ex_reflect_constants(struct ex *ex);
void ex_reflect_arguments(struct ex *ex);
/* Writes the value that launch and arguments give to variable ID, of SIZE bytes and TYPE, into BYTES; KNOWN[i] becomes 1
 * where byte i is given. */
void ex_reflected_bytes(struct ex *ex, uint32_t id, const struct in_ty *type, uint8_t *bytes, uint8_t *known,
                        uint64_t size);
/* explore/image.c: lowers an instruction on images or samplers; false: it is not one. */
bool ex_image(struct ex *ex, const struct in_inst *inst);
bool ex_is_image(const struct in_ty *type);
/* Sets INPUT from SPEC, an image or sampler; turns SPEC of an image into a buffer of its channels, of type *CHANNEL.  Returns NULL, or
 * the error. */
struct spec;
const char *ex_image_argument(struct ex *ex, struct ex_input *input, struct spec *spec,
                              const struct in_ty **channel);
/* The argument ID, an image or a sampler, as a value of type T. */
struct ex_value ex_image_value(struct ex *ex, uint32_t id, const struct in_ty *t);
/* The type of the channels of image ID. */
const struct in_ty *ex_image_channel(struct ex *ex, uint32_t id);
/* Sets the object that holds the texels of image ID. */
void ex_image_object(struct ex *ex, uint32_t id, uint32_t object);
/* explore/fold.c: propagates constants in the current thread, and removes dead code. */
void ex_fold(struct ex *ex);
/* explore/group.c: lowers a function of work-groups or sub-groups; false: it is not one. */
bool ex_group(struct ex *ex, const struct in_inst *inst);
/* The index of the function by which reductions with OPCODE combine floats of type T. */
uint32_t ex_combination(struct ex *ex, uint32_t opcode, const struct in_ty *t);
/* A barrier of the work-group or sub-group that orders no memory accesses. */
void ex_emit_hidden_barrier(struct ex *ex, bool sub_group);
/* explore/copy.c: lowers an asynchronous copy, or a wait; false: it is neither. */
bool ex_copy(struct ex *ex, const struct in_inst *inst);
/* Whether INSTR notes the address that a copy writes to. */
bool ex_is_copy_target(const struct ck_instr *instr);
/* Adds a thread for each copy, after constants are propagated. */
void ex_add_agents(struct ex *ex);
/* explore/unroll.c: unrolls loops around copies. */
void ex_unroll(struct ex *ex, uint32_t thread);
/* explore/trips.c: computes the trip counts of the current thread's loops. */
void ex_count_trips(struct ex *ex);
/* explore/propagate.c: propagates constants across threads, unrolls loops around copies, and adds agents. */
void ex_propagate(struct ex *ex);
/* Whether a load of SIZE bytes at address AT can only return VALUE. */
bool ex_known_memory(struct ex *ex, uint64_t at, unsigned size, uint64_t *value);
bool ex_is_hidden(const struct ex *ex, uint32_t address);
/* Whether the hidden memory at ADDRESS is never read. */
bool ex_is_unread(const struct ex *ex, uint32_t address);

#endif
