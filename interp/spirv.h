/* SPIR-V modules as decoded: the read interface, for parts that analyze kernels themselves.
 *
 *     in_spirv_read       the instructions, names, decorations and entry points of a module;
 *     in_spirv_declare    types with their layout, constants, module-scope variables, functions.
 *
 * These functions check the grammar and what decoding needs, but do not validate: operands may be ids of any
 * kind (interp.h: in_module_create validates).  Everything returned belongs to the module, which
 * in_module_release frees.  [SPIRV 2.2, 2.3, 2.4] */
#ifndef INTERP_SPIRV_H
#define INTERP_SPIRV_H

#include "memmodel/memmodel.h"

#include <spirv/unified1/spirv.h>

struct in_module;

/* ---- instructions ------------------------------------------------------------------------------- */

struct in_inst {
    const uint32_t *w; /* w[0]: count and opcode */
    uint32_t opcode, count;
    uint32_t type, result;    /* ids, 0: none */
    const uint32_t *operands; /* after type and result */
    uint32_t operand_count;
    uint32_t word; /* where it begins in the module */
    /* of in_spirv_next alone: index in the module, and the place in the source, 0: unknown [SPIRV 3.49.2] */
    uint32_t number, line, column;
};
/* Whether DATA of SIZE bytes begins with SPIR-V's magic number, in either byte order. */
bool in_spirv_is(const void *data, size_t size);
/* Advances INST to the next instruction; from {0} to the first of the module, from {.word = W} to that at
 * word W.  False: the module has ended. */
bool in_spirv_next(const struct in_module *module, struct in_inst *inst);
void in_inst_at(const struct in_module *module, uint32_t word, struct in_inst *inst);
/* Whether OPCODE ends a block. */
static inline bool in_is_terminator(uint32_t opcode)
{
    return (opcode >= SpvOpBranch && opcode <= SpvOpUnreachable) || opcode == SpvOpTerminateInvocation;
}
/* Whether OPCODE is an atomic instruction [SPIRV 3.49.18]. */
static inline bool in_is_atomic(uint32_t opcode)
{
    return (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) || opcode == SpvOpAtomicFlagTestAndSet ||
           opcode == SpvOpAtomicFlagClear || opcode == SpvOpAtomicFAddEXT || opcode == SpvOpAtomicFMinEXT ||
           opcode == SpvOpAtomicFMaxEXT;
}
/* "OpLoad"; "unknown" for opcodes that the grammar does not have. */
const char *in_opcode_name(uint32_t opcode);

/* ---- types -------------------------------------------------------------------------------------- */

enum in_ty_kind {
    IN_TY_VOID,
    IN_TY_BOOL,
    IN_TY_INT,
    IN_TY_FLOAT,
    IN_TY_VECTOR,
    IN_TY_ARRAY, /* OPCODE: OpTypeArray or OpTypeRuntimeArray */
    IN_TY_STRUCT,
    IN_TY_POINTER,
    IN_TY_FUNCTION,
    IN_TY_OPAQUE /* 8-byte handles: events, images, samplers, queues, ... */
};
struct in_ty {
    enum in_ty_kind kind;
    uint32_t id, opcode;
    uint32_t width;   /* int, float: bits */
    uint32_t count;   /* vector, array: elements; struct: members; function: parameters */
    uint32_t storage; /* pointer: SpvStorageClass */
    bool packed;
    bool is_signed;         /* int: as its type says */
    struct in_ty *element;  /* vector, array; pointer: pointee, NULL if never declared; function: result */
    struct in_ty **members; /* struct; function: parameters */
    uint64_t *offsets;      /* struct */
    uint64_t size, align;   /* in memory; runtime arrays: size 0 */
    uint64_t access;        /* bytes that a load or store touches (vectors of 3: three elements) */
    uint64_t reg_size;      /* in a register (pointers: struct in_fat) */
    uint64_t stride;        /* vector, array: between elements; pointers: of OpPtrAccessChain, 0 = pointee */
};

/* The type of a vector's elements, and their number; a scalar is a vector of one. */
static inline const struct in_ty *in_scalar(const struct in_ty *ty)
{
    return ty->kind == IN_TY_VECTOR ? ty->element : ty;
}
static inline uint32_t in_count(const struct in_ty *ty)
{
    return ty->kind == IN_TY_VECTOR ? ty->count : 1;
}

/* ---- ids ---------------------------------------------------------------------------------------- */

enum in_id_kind {
    IN_ID_NONE,
    IN_ID_TYPE,
    IN_ID_CONSTANT,
    IN_ID_GLOBAL, /* module-scope OpVariable */
    IN_ID_FUNCTION,
    IN_ID_VALUE, /* result of an instruction in a function */
    IN_ID_LABEL,
    IN_ID_STRING,
    IN_ID_SET /* OpExtInstImport */
};
enum { IN_NO_BUILTIN = -1 };
#define IN_UNDECORATED UINT32_MAX /* in place of the operand of a decoration */
struct in_reloc;
struct in_member_offset;
struct in_id {
    enum in_id_kind kind;
    struct in_ty *ty;     /* TYPE: itself; else of the value */
    uint32_t word;        /* where its instruction starts, 0: it has none */
    uint32_t index;       /* GLOBAL, FUNCTION: in the module's tables */
    const uint8_t *bytes; /* CONSTANT: ty->reg_size bytes */
    struct in_reloc *relocs;
    const char *name; /* OpName, "" if none */
    const char *string;
    const char *linkage;
    uint32_t linkage_type; /* 0 export, 1 import, 2 link-once; or IN_UNDECORATED */
    int32_t builtin;
    uint32_t spec_id; /* or IN_UNDECORATED */
    uint32_t alignment;
    uint32_t attributes; /* mask of 1 << SpvFunctionParameterAttribute */
    bool volatile_, restrict_, constant, packed, saturated;
    bool undefined;  /* CONSTANT: OpUndef, or a composite with such a part */
    int8_t rounding; /* SpvFPRoundingMode, -1: none */
    bool no_signed_wrap, no_unsigned_wrap;
    uint32_t array_stride; /* 0: none */
    uint32_t set, binding; /* or IN_UNDECORATED */
    struct in_member_offset *offsets;
};
struct in_function {
    uint32_t id, word, end; /* words of OpFunction .. past OpFunctionEnd */
    struct in_ty *ty;       /* function type */
    uint32_t param_count;
    uint32_t *params; /* ids */
    bool has_body;
};
struct in_entry {
    uint32_t function, model; /* id; SpvExecutionModel */
    const char *name;
};

/* Ids are below this number. */
uint32_t in_spirv_bound(const struct in_module *module);
/* NULL: ID is out of bounds. */
const struct in_id *in_spirv_id(const struct in_module *module, uint32_t id);
/* The function that ID names, NULL if none; entry point I in the order of the module, NULL past the last. */
const struct in_function *in_spirv_function(const struct in_module *module, uint32_t id);
const struct in_entry *in_spirv_entry(const struct in_module *module, size_t i);
/* The type of argument INDEX of KERNEL in its source, such as "uint4*", in TEXT.  False: the module does not
 * say. */
bool in_spirv_source_type(const struct in_module *module, const char *kernel, uint32_t index, char *text,
                          size_t size);
/* Whether TY is a union, which LLVM represents as a structure with one of its members. */
bool in_spirv_is_union(const struct in_module *module, const struct in_ty *ty);
/* The scalar type of the memory of NAME, a variable or "KERNEL.PARAMETER" of type TYPE; integers of
 * unknown signedness are unsigned. */
struct mm_scalar in_spirv_scalar(const struct in_module *module, const char *name, const struct in_ty *type);
/* The layout (memmodel/trace/docs/format.md#layouts) of the variable NAME, of program scope or
 * "KERNEL.VARIABLE", and of what argument NAME of KERNEL points to; "" for arrays of scalars, and where the
 * module does not say.  Owned by the module. */
const char *in_spirv_layout(const struct in_module *module, const char *name);
const char *in_spirv_argument_layout(const struct in_module *module, const char *kernel, const char *name);
/* The structure that TYPE, "struct S*" or "S*" in the source, points to; NULL: there is none.  Where LLVM's
 * pointers have no type, that of SPIR-V's pointers may be another one. */
const struct in_ty *in_spirv_named_structure(const struct in_module *module, const char *type);
/* SpvMemoryModel. */
uint32_t in_spirv_memory_model(const struct in_module *module);
/* The words in the host's byte order. */
const uint32_t *in_spirv_words(const struct in_module *module, size_t *count);

/* ---- reading ------------------------------------------------------------------------------------ */

struct in_spirv_options {
    const char *name;      /* for messages */
    uint32_t bound_limit;  /* more ids are an error of class MM_LIMIT; 0: SPIR-V's universal limit */
    const uint32_t *lines; /* of each instruction in the text that was assembled; they outlive the module */
    uint32_t line_count;   /* of LINES; 0: OpLine gives the places of instructions */
};
/* Reads a module of SIZE bytes.  MM_INVALID: not a module, with the rule; MM_LIMIT: too many ids, or out of
 * memory. */
enum mm_class in_spirv_read(const void *words, size_t size, const struct in_spirv_options *options,
                            struct in_module **module, struct mm_error *err);
/* Whether libSPIRV-Tools accepts the module, or rejects it for what all drivers tolerate; MM_INVALID or
 * MM_LIMIT: not. */
enum mm_class in_spirv_validate(const void *words, size_t size, const char *name, struct mm_error *err);
/* Values for specialization constants: true if there is one for ID, a scalar of type TY, in *VALUE. */
struct in_spirv_values {
    bool (*value)(void *context, uint32_t id, const struct in_ty *ty, uint64_t *value);
    void *context;
};
/* Declares types, constants, variables and functions, once for a module; VALUES may be NULL.
 * OpSpecConstantOp is not evaluated: its result is no constant. */
enum mm_class in_spirv_declare(struct in_module *module, const struct in_spirv_values *values,
                               struct mm_error *err);
/* Sets the default values of the specialization constants of the module of SIZE bytes at WORDS to those of
 * CONSTANTS with the same SpecId; the words are in the host's byte order then.  The errors of in_spirv_read,
 * which leave WORDS as they are. */
struct in_spec_constant;
enum mm_class in_spirv_specialize(void *words, size_t size, const struct in_spec_constant *constants,
                                  size_t count, struct mm_error *err);

#endif
