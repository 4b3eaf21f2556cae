/* Lowering of SPIR-V kernels to the programs that search and Z3 decide about: what the parts share.
 *
 * A launch of the kernel becomes one thread per work-item.  Values in memory that work-items share become
 * objects, private variables become registers, calls are inlined, identifiers of work-items are constants.
 * [SPIRV 2.2, 2.3; SPIRV 3.42] */
#ifndef TOOLS_EXPLORE_EXPLORE_H
#define TOOLS_EXPLORE_EXPLORE_H

#include "checker/checker.h"
#include "interp/image/image.h"
#include "interp/interp.h"
#include "interp/spirv.h"

#include <setjmp.h>

/* ---- what is explored ---------------------------------------------------------------------------- */

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
    uint32_t global[3], local[3],
        sub_group; /* sub_group: work-items per sub-group; 0: open until ex_complete_launch */
};
struct ex_config { /* by the header lines or the command line */
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
    const struct in_inst *insts; /* and one past the end of the module */
    uint32_t inst_count, bound;
    const struct in_inst **definitions; /* by id */
    struct ex_shape *shapes;            /* by type id; behind those of the module EX_EXTRA_TYPES others */
    uint32_t extra_types;               /* of arguments, which the module does not have */
    const uint32_t *words;              /* for the interpreter: without names */
    size_t word_count;
};

/* ---- what is built ------------------------------------------------------------------------------- */

struct ex_value {
    const struct in_ty *type;
    const struct ex_scalar *scalars; /* of TYPE, COUNT of them */
    uint32_t count;
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
    uint32_t work_group; /* local memory: instance; unconstrained initial values (Function): which scalar */
    uint32_t object;
    const struct in_ty *pointee;
    uint32_t storage;
    bool is_array; /* kernel argument: an array of pointees */
    const uint8_t
        *known; /* which bytes of an uninitialized object are initialized all the same; NULL: none */
};
struct ex_frame {
    struct ex_value *values; /* by id */
    struct ex_frame *outer;
    const struct in_function *function;
    uint32_t return_label;
    struct ex_value *result;
    uint32_t depth;
};
struct ex_hidden { /* a hidden object: that of SITE for a work-group or sub-group */
    uint32_t site, work_group, sub_group, object;
    uint64_t size;
    uint8_t region;
};
struct ex_meeting { /* a barrier that comes with an instruction */
    uint32_t site;
    const struct in_inst *inst;
};
struct ex_image {                /* an argument: its texels are objects of channels */
    struct in_image description; /* without data */
    const struct in_ty *channel;
    unsigned channels; /* of a texel, one after the other */
    bool is_unsigned;
    uint32_t object;
};
struct ex_item { /* the work-item that is lowered */
    uint32_t thread;
    uint32_t work_group; /* dense */
    uint64_t global_id[3], local_id[3], group_id[3];
    uint32_t sub_group, sub_group_local_id;
    struct ex_frame *frame;
    struct ex_value *globals; /* values of module-scope ids */
    struct ex_variable *variables;
    uint32_t variable_count;
    uint32_t *labels; /* label number -> instruction */
    uint32_t label_count;
    uint32_t site;
    uint32_t *counters; /* registers that are 0 at the beginning */
    uint32_t counter_count;
};
struct ex_build {    /* of all work-items */
    uint32_t *table; /* expressions by content: index + 1 */
    uint32_t table_size;
    struct ex_place *places;
    uint32_t place_count;
    struct ex_hidden *hidden;
    uint32_t hidden_count;
    struct ex_meeting *meetings;
    uint32_t meeting_count;
    struct ex_meeting *copies; /* asynchronous ones, by the site of their call */
    uint32_t copy_count;
    struct ex_image *images;
    uint32_t image_count;
    struct ex_known *known; /* of each object, once all threads are lowered */
};
#define EX_PRIVATE_BASE (UINT64_C(0x80000000) << 32)
#define EX_NO_LABEL     UINT32_MAX

struct ex {
    struct mm_arena *arena;
    struct mm_error *err;
    jmp_buf failed;                 /* target of ex_fail, which every function calls that finds an error */
    uint32_t constant_depth;        /* constants that are being computed for one another */
    const struct in_inst *current;  /* for messages */
    struct ck_condition *condition; /* that is being read */

    struct ex_module module;
    struct ex_config config;
    const struct in_entry *entry; /* the kernel */
    struct ex_build build;
    struct ex_item item;
    struct ck_program *program; /* the result */
    bool uses_sub_groups;       /* it depends on the size of sub-groups: by scopes, functions or built-ins */
    const struct in_inst *printed; /* the first call of printf, NULL: none */
};

/* ---- functions ----------------------------------------------------------------------------------- */

/* Ends the work with an error of class CLS at the current instruction. */
_Noreturn void ex_fail(struct ex *ex, enum mm_class cls, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
/* Ends the work because INST is not supported: "NAME WHERE is not explored: INSTEAD"; INSTEAD NULL: the advice for its
 * opcode. */
_Noreturn void ex_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *rule,
                                   const char *where, const char *instead);
/* The function of OpenCL C and the instruction, such as "read_pipe (OpReadPipe, opcode 274)", in TEXT, which is
 * returned. */
const char *ex_instruction_name(const struct in_inst *inst, char *text, size_t size);
/* INST (NULL: none), or if its place in the source is unknown, an instruction that has one: the first that uses its
 * result, else the nearest of its function. */
const struct in_inst *ex_nearest_place(const struct ex *ex, const struct in_inst *inst);
/* OPTION is "--arg VALUE", and the error at COLUMN of it. */
_Noreturn void ex_fail_option(struct ex *ex, const char *option, unsigned column, const char *message);
void *ex_alloc(struct ex *ex, size_t size);
/* ARRAY, which has COUNT items, with room for one more: it grows when COUNT is a power of two. */
void *ex_grow(struct ex *ex, void *array, uint32_t count, size_t item);
_Noreturn void ex_no_memory(struct ex *ex);
/* INDEX, of what a builder of ck_program added; CK_NOT_ADDED: out of memory. */
uint32_t ex_added(struct ex *ex, uint32_t index);

/* Reads a module, text (.spvasm) or binary, with its header lines. */
enum mm_class ex_read(const void *data, size_t size, const char *file, struct ex **out, struct mm_error *err);
/* Lowers the launch; the program lives as long as EX. */
enum mm_class ex_lower(struct ex *ex, struct ck_program **program, struct mm_error *err);
void ex_destroy(struct ex *ex);

/* explore/initial.c: initial values. */
enum { EX_UNKNOWN_ELEMENTS = 4096 }; /* of an array of unknown length */
/* The type of member or element I of T. */
const struct in_ty *ex_part_type(struct ex *ex, const struct in_ty *t, uint32_t i);
/* Bytes of a value of type T, or for T NULL of an array of ELEMENT bytes each, that is given as INIT (NULL: unknown): arrays without
 * a length get theirs from it. */
uint64_t ex_init_size(const struct in_ty *t, uint64_t element, const struct ex_init *init);
/* Writes INIT, a value of type T, at OFFSET of BYTES, which are SIZE. */
void ex_init_fill(struct ex *ex, const struct in_ty *t, const struct ex_init *init, uint8_t *bytes,
                  uint64_t size, uint64_t offset);
/* Adds to BYTES, which hold INIT where that gives any, what launch and arguments give; PLACE->known: which
 * bytes are given, NULL if the launch gives none.  True: all are. */
bool ex_init_add_launch(struct ex *ex, struct ex_place *place, const struct ex_init *init, uint8_t *bytes,
                        uint64_t size);
/* Writes the initializer ID of a variable of type T; false: it is undefined. */
bool ex_init_from_constant(struct ex *ex, const struct in_ty *t, uint32_t id, uint8_t *bytes, uint64_t size);
/* The value that the kernel's parameter ID, which is no pointer to shared memory, has in EXECUTION; false: it
 * has another size. */
bool ex_argument_bytes(struct ex *ex, uint32_t id, const struct ck_execution *execution, uint8_t *bytes,
                       uint64_t size);

/* explore/header.c */
void ex_read_headers(struct ex *ex);
enum ex_line { EX_INPUT, EX_OUTPUT, EX_FILTER };
enum mm_class ex_add_line(struct ex *ex, enum ex_line line, const char *text, struct mm_error *err);
/* argument.c */
/* An argument of the command line for the kernel's parameter ID. */
void ex_argument(struct ex *ex, uint32_t id, const char *text);
/* The specification for the argument called NAME: the one with this name, else the *NEXT one without; NULL: there is none. */
const char *ex_argument_text(struct ex *ex, const char *name, uint32_t *next);
/* Names that no parameter of F has are an error. */
void ex_argument_names(struct ex *ex, const struct in_function *f);
/* header.c */
/* A number given for a scalar of type TYPE, as its bits: for floats the number's, unless it is hexadecimal. */
uint64_t ex_init_bits(struct ex *ex, const struct in_ty *type, const struct ex_init *init);
/* The number or list of numbers TEXT. */
struct ex_init ex_value_text(struct ex *ex, const char *text);
/* The input of ID, made if there is none. */
struct ex_input *ex_input_for(struct ex *ex, uint32_t id);
/* The condition and the filter, once the objects exist. */
void ex_conditions(struct ex *ex);

/* explore/inputs.c: the value that options give for ID, NULL if none; the inputs and requirements of the program, once
 * the objects exist. */
const struct ex_input *ex_input_of(const struct ex *ex, uint32_t id);
void ex_add_inputs(struct ex *ex);
/* Whether the argument ID has, or points to, numbers without a sign. */
bool ex_is_unsigned(const struct ex *ex, uint32_t id);
/* Whether arguments are symbolic, or point to memory that no option describes. */
bool ex_has_inputs(const struct ex *ex);
/* Calls TAKE for each symbolic input that EXECUTION reads: "n", "a[3]". */
void ex_each_input(struct ex *ex, const struct ck_execution *execution,
                   void (*take)(void *context, const char *name, int64_t value, bool is_unsigned),
                   void *context);

/* explore/launch.c: sizes that neither options nor the file give, and those that the kernel requires; fails if they do not fit. */
void ex_complete_launch(struct ex *ex);

/* explore/module.c, explore/type.c */
void ex_find_names(struct ex *ex);
/* The instruction that defines ID, NULL if there is none; the first of FUNCTION, whose last one ends at word
 * FUNCTION->end. */
const struct in_inst *ex_definition(const struct ex *ex, uint32_t id);
const struct in_inst *ex_first(const struct ex *ex, const struct in_function *function);
/* Declares types and constants, with the values that inputs give. */
void ex_declare(struct ex *ex);
const struct in_id *ex_id(struct ex *ex, uint32_t id);
const struct in_ty *ex_type(struct ex *ex, uint32_t id);
const struct in_ty *ex_type_of(struct ex *ex, uint32_t value);
const struct in_ty *ex_pointed(struct ex *ex, const struct in_ty *pointer);
/* The type of parameter ID of the kernel in its source; false: the module does not say. */
enum { EX_SOURCE_TYPE = 128 };
bool ex_source_type(const struct ex *ex, uint32_t id, char text[EX_SOURCE_TYPE]);
/* What the memory of ID, a parameter of the kernel or a variable, consists of where that is more than scalars, see
 * mm_layout_find(); NULL: the module does not say. */
const char *ex_layout(struct ex *ex, uint32_t id);
/* What the memory of parameter ID, a pointer, consists of: by the type in the source where that is known, else as its type says. */
const struct in_ty *ex_argument_element(struct ex *ex, uint32_t id);
/* The number of that KIND and size: a type of the module, or a new one. */
struct spec_scalar;
const struct in_ty *ex_number_type(struct ex *ex, const struct spec_scalar *scalar);
const struct ex_shape *ex_shape(const struct ex *ex, const struct in_ty *type);
static inline bool ex_is_runtime_array(const struct in_ty *t)
{
    return t->opcode == SpvOpTypeRuntimeArray;
}
/* Bytes of a scalar; 0: TYPE is none. */
unsigned ex_scalar_size(const struct in_ty *type);
/* Bytes between elements of an array of TYPE that gives no stride. */
uint64_t ex_element_size(const struct in_ty *type);
/* Position of member or element INDEX of a value in its leaves; its type in *MEMBER. */
uint32_t ex_leaf_index(struct ex *ex, const struct in_ty *type, uint32_t index, const struct in_ty **member);
/* Scalar I of the constant ID; false: it is none, or not fully known before the launch. */
bool ex_constant(const struct ex *ex, uint32_t id, uint32_t i, uint64_t *value);

/* explore/build.c */
uint32_t ex_const(struct ex *ex, uint64_t value, unsigned size);
uint32_t ex_reg_expr(struct ex *ex, uint32_t reg);
uint32_t ex_op(struct ex *ex, enum ck_expr_op op, unsigned size, uint32_t a, uint32_t b, uint32_t c);
/* The result of FUNCTION, identified by its name, for COUNT arguments, 1 to 3: SIZE bytes. */
uint32_t ex_apply(struct ex *ex, const struct ck_function *function, unsigned size, unsigned count,
                  const uint32_t *arguments);
/* Its number in the program. */
uint32_t ex_function(struct ex *ex, const struct ck_function *function);
/* E's operation on other operands. */
uint32_t ex_with_operands(struct ex *ex, const struct ck_expr *e, const uint32_t operands[3]);
bool ex_is_const(const struct ex *ex, uint32_t expr, uint64_t *value);
unsigned ex_size(const struct ex *ex, uint32_t expr);
uint32_t ex_resize(struct ex *ex, uint32_t expr, unsigned size, bool is_signed);
uint32_t ex_new_reg(struct ex *ex, unsigned size);
uint32_t ex_emit(struct ex *ex, struct ck_instr instr);
void ex_assign(struct ex *ex, uint32_t reg, uint32_t value);
/* EXPR, in a register if it is more than a constant or a register. */
uint32_t ex_hold(struct ex *ex, uint32_t expr);
uint32_t ex_new_label(struct ex *ex);
void ex_place_label(struct ex *ex, uint32_t label);
void ex_jump(struct ex *ex, uint32_t label);
void ex_branch_if_zero(struct ex *ex, uint32_t value, uint32_t label);
void ex_resolve_labels(struct ex *ex);
/* Register r of the present thread becomes NUMBER[r]. */
void ex_rename_registers(struct ex *ex, const uint32_t *number);
/* hidden.c */
/* A register that is 0 when the thread begins; ex_prepend_counters makes it so. */
uint32_t ex_new_counter(struct ex *ex);
void ex_prepend_counters(struct ex *ex);
/* The object that WANTED describes, made when first asked for. */
uint32_t ex_hidden_object(struct ex *ex, const struct ex_hidden *wanted);
/* The next barrier belongs to an operation of the work-items that reach it. */
void ex_all_must_come(struct ex *ex);
/* Notes which instruction asks for the copy at SITE; finds it. */
void ex_note_copy(struct ex *ex, uint32_t site, const struct in_inst *inst);
const struct in_inst *ex_copy_inst(struct ex *ex, uint32_t site);
/* SIZE bytes of what OBJECT holds in the beginning. */
uint64_t ex_initial_bytes(const struct ck_object *object, uint64_t offset, unsigned size);
/* An object with an arbitrary value of SIZE bytes, and that value's SIZE lowest bytes. */
uint32_t ex_arbitrary_object(struct ex *ex, const char *name, unsigned size);
uint32_t ex_read_arbitrary(struct ex *ex, uint32_t object, unsigned size);
/* build.c */
struct ex_value ex_new_value(struct ex *ex, const struct in_ty *type);
/* One of INST's result type. */
struct ex_value ex_result(struct ex *ex, const struct in_inst *inst);
/* The same, each scalar in a new register. */
struct ex_value ex_new_registers(struct ex *ex, const struct in_ty *type);

/* An instruction without registers and operands; a plain load of SIZE bytes into a new register. */
static inline struct ck_instr ex_instr(enum ck_op op)
{
    return (struct ck_instr){
        .op = op, .reg = CK_NO_REG, .reg2 = CK_NO_REG, .value = CK_NO_EXPR, .expected = CK_NO_EXPR};
}
struct ck_instr ex_load(struct ex *ex, uint32_t address, unsigned size);
/* An access outside of all objects. */
void ex_emit_fault(struct ex *ex);

/* explore/value.c: instructions without side effects; false: not one of them */
bool ex_compute(struct ex *ex, const struct in_inst *inst);
/* Lowers INST by the handler for its opcode; false: there is none. */
struct ex_handler {
    uint32_t opcode;
    void (*lower)(struct ex *ex, const struct in_inst *inst);
};
bool ex_handle(struct ex *ex, const struct in_inst *inst, const struct ex_handler *handlers, size_t count);
struct ex_value *ex_get(struct ex *ex, uint32_t id);
uint32_t ex_scalar(struct ex *ex, uint32_t id);
void ex_set(struct ex *ex, uint32_t id, struct ex_value value);
void ex_set_scalar(struct ex *ex, const struct in_inst *inst, uint32_t expr);

/* explore/integer.c: false: not one of its instructions; the value of an OpSpecConstantOp */
bool ex_integer(struct ex *ex, const struct in_inst *inst);
struct ex_value *ex_computed_constant(struct ex *ex, const struct in_inst *inst);
/* explore/float.c */
bool ex_float(struct ex *ex, const struct in_inst *inst);
/* Whether A and B are equal numbers. */
uint32_t ex_float_equal(struct ex *ex, uint32_t a, uint32_t b);
/* The float A as one of SIZE bytes; ROUNDING as SPIR-V numbers it. */
uint32_t ex_float_resize(struct ex *ex, uint32_t a, unsigned size, unsigned rounding);
/* explore/function.c: a call of a function of OpenCL.std; false: there is no such function */
bool ex_function_call(struct ex *ex, const struct in_inst *inst);

/* explore/memory.c */
bool ex_memory(struct ex *ex, const struct in_inst *inst);
struct in_ext_fn;
void ex_vector_load(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn);
void ex_vector_store(struct ex *ex, const struct in_inst *inst, const struct in_ext_fn *fn);
/* The type that POINTER points to; a plain store through it. */
const struct in_ty *ex_pointee(struct ex *ex, uint32_t pointer);
/* A plain load of element I, of SIZE bytes, that POINTER points to. */
uint32_t ex_load_element(struct ex *ex, uint32_t pointer, uint64_t i, unsigned size);
void ex_store_value(struct ex *ex, uint32_t pointer, const struct ex_value *value);
/* explore/private.c */
uint64_t ex_new_variable(struct ex *ex, const struct in_ty *pointee, const struct ex_value *initial);
/* The variable that ADDRESS points into; NULL: none. */
struct ex_variable *ex_variable_at(struct ex *ex, uint64_t address);
uint32_t ex_read_private(struct ex *ex, uint32_t address, unsigned size);
void ex_write_private(struct ex *ex, uint32_t address, uint32_t value);
/* The object's base that an address is computed from; 0: not known. */
uint64_t ex_root(const struct ex *ex, uint32_t address);
/* explore/atomic.c */
bool ex_atomic(struct ex *ex, const struct in_inst *inst);
uint8_t ex_storage_class_mask(uint32_t storage);
void ex_memory_operands(struct ex *ex, const struct in_inst *inst, uint32_t at, struct ck_instr *instr);
uint8_t ex_scope(struct ex *ex, uint32_t id);
/* memory.c */
uint8_t ex_class_of(struct ex *ex, uint32_t address, const struct in_ty *pointer);
bool ex_is_private(struct ex *ex, uint32_t address, const struct in_ty *pointer);
/* explore/flow.c: the body of FUNCTION with ARGUMENTS, inlined */
void ex_inline(struct ex *ex, const struct in_function *function, const struct ex_value *arguments,
               uint32_t count, struct ex_value *result);
/* explore/builtin.c */
void ex_extended(struct ex *ex, const struct in_inst *inst);
struct ex_value ex_builtin_value(struct ex *ex, uint32_t builtin, const struct in_ty *type);
/* Component I of a built-in; of those that all work-items share also before there are work-items. */
uint64_t ex_launch_value(struct ex *ex, uint32_t builtin, unsigned i);
/* explore/reflection.c: before constants are declared, those that the launch gives; once types are, arguments */
void ex_reflect_constants(struct ex *ex);
void ex_reflect_arguments(struct ex *ex);
/* Writes the value that launch and arguments give to variable ID, of SIZE bytes and TYPE, into BYTES; KNOWN[i] becomes 1
 * where byte i is given. */
void ex_reflected_bytes(struct ex *ex, uint32_t id, const struct in_ty *type, uint8_t *bytes, uint8_t *known,
                        uint64_t size);
/* explore/image.c: instructions on images and samplers; false: not one of them */
bool ex_image(struct ex *ex, const struct in_inst *inst);
bool ex_is_image(const struct in_ty *type);
/* Takes SPEC, of an image or sampler, for the parameter INPUT->id and makes it one of the image's channels, whose type *CHANNEL
 * becomes; NULL, or what is wrong. */
struct spec;
const char *ex_image_argument(struct ex *ex, struct ex_input *input, struct spec *spec,
                              const struct in_ty **channel);
/* The argument ID, an image or a sampler, as a value of type T. */
struct ex_value ex_image_value(struct ex *ex, uint32_t id, const struct in_ty *t);
/* What the memory of the image ID consists of; its texels are those of OBJECT. */
const struct in_ty *ex_image_channel(struct ex *ex, uint32_t id);
void ex_image_object(struct ex *ex, uint32_t id, uint32_t object);
/* explore/fold.c */
void ex_fold(struct ex *ex);
/* explore/group.c: functions of work-groups and sub-groups; false: not one of them */
bool ex_group(struct ex *ex, const struct in_inst *inst);
/* The number of the function that reductions by OPCODE combine floats of type T with. */
uint32_t ex_combination(struct ex *ex, uint32_t opcode, const struct in_ty *t);
/* All work-items of the group, or sub-group, wait for each other; nothing is ordered by it. */
void ex_meet(struct ex *ex, bool sub_group);
/* explore/copy.c: asynchronous copies and waits for them; false: neither */
bool ex_copy(struct ex *ex, const struct in_inst *inst);
/* Once all threads are settled: a thread for each copy. */
void ex_add_agents(struct ex *ex);
/* explore/unroll.c: writes out loops around copies */
void ex_unroll(struct ex *ex, uint32_t thread);
/* explore/trips.c: trip counts of the present thread's loops */
void ex_count_trips(struct ex *ex);
/* explore/propagate.c: folds constants across threads */
void ex_settle(struct ex *ex);
/* Whether a load of SIZE bytes at address AT can only return VALUE. */
bool ex_known_memory(struct ex *ex, uint64_t at, unsigned size, uint64_t *value);
bool ex_is_hidden(const struct ex *ex, uint32_t address);
/* Whether the hidden memory at ADDRESS is never read. */
bool ex_is_unread(const struct ex *ex, uint32_t address);

#endif
