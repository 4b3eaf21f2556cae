/* Internal to interp: SPIR-V modules after decoding.  Types, constants and functions by id; instructions stay
 * words until a kernel is lowered (lower/lower.h). [SPIRV 2.2, 2.3, 2.4] */
#ifndef INTERP_MODULE_MODULE_H
#define INTERP_MODULE_MODULE_H

#include "interp/interp.h"
#include <spirv/unified1/spirv.h>
#include <stdatomic.h>

/* A pointer in a register: the address and the object it was derived from. */
struct in_fat {
    uint64_t address;
    const struct in_object *object;
};

enum in_ty_kind {
    IN_TY_VOID,
    IN_TY_BOOL,
    IN_TY_INT,
    IN_TY_FLOAT,
    IN_TY_VECTOR,
    IN_TY_ARRAY,
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
    struct in_ty *element;  /* vector, array; pointer: pointee; function: result */
    struct in_ty **members; /* struct; function: parameters */
    uint64_t *offsets;      /* struct */
    uint64_t size, align;   /* in memory */
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
/* A relocation: the bytes of a constant contain the address of a module-scope variable. */
struct in_reloc {
    struct in_reloc *next;
    uint64_t offset;   /* in the constant */
    uint32_t variable; /* index in in_module.globals */
    int64_t addend;
    bool fat;
};
struct in_member_offset {
    struct in_member_offset *next;
    uint32_t member, offset;
};
struct in_id {
    enum in_id_kind kind;
    struct in_ty *ty;     /* TYPE: itself; else of the value */
    uint32_t word;        /* where its instruction starts */
    uint32_t index;       /* GLOBAL, FUNCTION: in the module's tables */
    const uint8_t *bytes; /* CONSTANT: ty->reg_size bytes */
    struct in_reloc *relocs;
    const char *name; /* OpName, "" if none */
    const char *string;
    const char *linkage;
    uint32_t linkage_type; /* 0 export, 1 import, 2 link-once, UINT32_MAX none */
    int32_t builtin;
    uint32_t spec_id; /* UINT32_MAX: none */
    uint32_t alignment;
    uint32_t attributes; /* mask of 1 << SpvFunctionParameterAttribute */
    bool volatile_, restrict_, constant, packed, saturated;
    int8_t rounding; /* SpvFPRoundingMode, -1: none */
    bool no_signed_wrap, no_unsigned_wrap;
    uint32_t array_stride; /* 0: none */
    uint32_t set, binding; /* UINT32_MAX: none */
    struct in_member_offset *offsets;
};

struct in_global {
    uint32_t id;
    struct in_ty *ty; /* pointee */
    uint32_t storage;
    uint32_t initializer; /* constant's id, 0: none */
    uint64_t offset;      /* program scope: in the instance's memory */
    uint32_t local_index; /* Workgroup storage: among the module's local variables */
    uint32_t align;
    uint32_t argument; /* descriptor: number among the kernel's arguments, UINT32_MAX: no descriptor */
};
struct in_function {
    uint32_t id, word, end; /* words of OpFunction .. past OpFunctionEnd */
    struct in_ty *ty;       /* function type */
    uint32_t param_count;
    uint32_t *params; /* ids */
    bool has_body;
};
struct in_pipe_storage { /* OpConstantPipeStorage */
    uint32_t packet_size, packet_align, capacity;
};
struct in_code;
struct in_kernel {
    struct in_kernel_info info;
    uint32_t entry_id;
    uint32_t function; /* index */
    struct in_code *code;
};

enum { IN_ID_SCOPE = 2 }; /* an id of a scope or of memory semantics */
struct in_module {
    atomic_uint references;
    struct mm_arena *arena;
    const char *name;
    uint32_t *words; /* host-endian copy, header included */
    uint8_t *is_id;  /* per word: 1 an operand that is an id (not type or result), IN_ID_SCOPE */
    uint32_t word_count, bound, version;
    struct in_id *ids; /* bound entries */
    struct in_global *globals;
    uint32_t global_count;
    struct in_function *functions;
    uint32_t function_count;
    struct in_kernel *kernels;
    uint32_t kernel_count;
    struct in_spec_constant *spec;
    uint32_t spec_count;
    uint64_t program_bytes;
    uint32_t source_language, source_version;
    bool literal_legacy;
    bool subscripts;                         /* as in in_module_options */
    bool vulkan;                             /* memory model Vulkan */
    bool logical;                            /* addressing model Logical */
    uint32_t descriptor_count;               /* arguments of compute shaders */
    const struct in_module_options *options; /* while decoding */
    struct in_object *objects;               /* template per global: region, size, name */
    struct in_pipe_storage *storages;
    uint32_t storage_count;
};

/* A decoded view of an instruction in in_module.words. */
struct in_inst {
    const uint32_t *w; /* w[0]: count and opcode */
    uint32_t opcode, count;
    uint32_t type, result;    /* ids, 0: none */
    const uint32_t *operands; /* after type and result */
    uint32_t operand_count;
    uint32_t word;
};
void in_inst_at(const struct in_module *module, uint32_t word, struct in_inst *inst);
const char *in_opcode_name(uint32_t opcode);

/* parse.c: validation, endianness, id table; WARNINGS may be NULL */
enum mm_class in_parse(struct in_module *module, const void *words, size_t size, char **warnings,
                       struct mm_error *err);
/* arrange.c: normalizes a module of another environment for validation */
enum mm_class in_arrange(struct in_module *module, struct mm_error *err);
/* order.c: sorts blocks so that each follows its dominators; when out of memory some functions are left as
 * they are */
void in_order_blocks(struct in_module *module);
/* byval.c: variables for by-value parameters, before the id table is made */
enum mm_class in_copy_byval(struct in_module *module, struct mm_error *err);
/* declare.c: everything before the first function */
enum mm_class in_declare(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* decorate.c */
enum mm_class in_decorate(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* constant.c */
enum mm_class in_constant(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* kernel.c: argument information */
enum mm_class in_kernels(struct in_module *module, struct mm_error *err);

enum mm_class in_bad(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                     const char *format, ...) MM_PRINTF(5, 6);
struct in_ty *in_type_of(const struct in_module *module, uint32_t id); /* type of a value; NULL */
bool in_constant_u64(const struct in_module *module, uint32_t id, uint64_t *value);
/* Evaluates OpSpecConstantOp's OPCODE over constants by executing it (lower/fold.c). */
enum mm_class in_fold(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* The function that implements the kernel with function INDEX, past a wrapper (lower/lower.c). */
uint32_t in_kernel_function(const struct in_module *m, uint32_t index);
/* The kernel that function INDEX implements; kernel_count if none. */
uint32_t in_kernel_of(const struct in_module *m, uint32_t index);
/* Lowers every kernel (lower/lower.c). */
enum mm_class in_lower_kernels(struct in_module *module, struct mm_error *err);
void in_code_destroy(struct in_code *code);

#endif
