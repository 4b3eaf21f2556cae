/* Internal to interp: SPIR-V modules after decoding.  Types, constants and functions by id; instructions stay
 * words until a kernel is lowered (lower/lower.h). [SPIRV 2.2, 2.3, 2.4] */
#ifndef INTERP_MODULE_MODULE_H
#define INTERP_MODULE_MODULE_H

#include "interp/image/image.h"
#include "interp/interp.h"
#include "interp/spirv.h"
#include <stdatomic.h>

/* A pointer in a register: the address and the object it was derived from. */
struct in_fat {
    uint64_t address;
    const struct in_object *object;
};

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
struct in_pipe_storage { /* OpConstantPipeStorage */
    uint32_t packet_size, capacity;
};
struct in_code;
struct in_kernel {
    struct in_kernel_info info;
    uint32_t entry_id;
    uint32_t function; /* index */
    struct in_code *code;
};

enum { IN_ID_SCOPE = 2 }; /* an id of a scope or of memory semantics */
/* Ids that have texts, in the order of these, then of the ids. */
struct in_names {
    struct in_name {
        const char *text;
        uint32_t id;
    } * list;
    uint32_t count;
};

struct in_module {
    atomic_uint references;
    struct mm_arena *arena;
    const char *name;

    /* the words */
    uint32_t *words; /* host-endian copy, header included */
    uint8_t *is_id;  /* per word: 1 an operand that is an id (not type or result), IN_ID_SCOPE */
    uint32_t word_count, bound, version;

    /* how it is decoded */
    struct in_decoding {
        const struct in_module_options *options; /* while decoding */
        const struct in_spirv_values *values;    /* while it is declared */
        bool unvalidated;                        /* in_spirv_read made it */
    } decoding;

    /* contents */
    struct in_id *ids; /* bound entries */
    struct in_global *globals;
    uint32_t global_count;
    struct in_function *functions;
    uint32_t function_count;
    struct in_entry *entries;
    uint32_t entry_count;
    struct in_kernel *kernels;
    uint32_t kernel_count;
    struct in_spec_constant *spec;
    uint32_t spec_count;
    uint64_t program_bytes;
    struct in_object *objects; /* template per global: region, size, name */
    struct in_pipe_storage *storages;
    uint32_t storage_count;
    uint32_t descriptor_count;           /* arguments of compute shaders */
    struct in_names strings, structures; /* in the arena */

    /* what it is made for */
    struct in_target {
        uint32_t source_language;
        uint32_t memory_model, addressing_model;
        bool vulkan, logical; /* memory model Vulkan, addressing model Logical */
        bool literal_legacy;
        bool subscripts; /* as in in_module_options */
    } target;
    struct in_source_lines {
        const uint32_t *lines; /* as in struct in_spirv_options */
        uint32_t count;
    } source;
};

/* A module without words, NULL if out of memory; OPTIONS outlive the decoding. */
struct in_module *in_module_new(const struct in_module_options *options);
/* parse.c: grammar and endianness; DEBUG: with the instructions of debug information */
enum mm_class in_parse(struct in_module *module, const void *words, size_t size, bool debug,
                       uint32_t bound_limit, struct mm_error *err);
/* decode.c: the id table, names, decorations, entry points; then types, constants, variables, functions */
enum mm_class in_scan(struct in_module *module, struct mm_error *err);
enum mm_class in_declare_all(struct in_module *module, struct mm_error *err);
/* names.c: strings of a module that was scanned, structures of one that was declared */
enum mm_class in_index_strings(struct in_module *module, struct mm_error *err);
enum mm_class in_index_structures(struct in_module *module, struct mm_error *err);
/* Those of NAMES whose texts begin with PREFIX, the LENGTH bytes of NAME and the character END (0: and end
 * there). */
struct in_names in_names_with(const struct in_names *names, const char *prefix, const char *name,
                              size_t length, char end);
/* arrange.c: normalizes a module of another environment for validation */
enum mm_class in_arrange(struct in_module *module, struct mm_error *err);
/* environment.c: what the OpenCL environment requires beyond valid SPIR-V, unless modules of any environment
 * are accepted */
enum mm_class in_check_environment(struct in_module *module, struct mm_error *err);
/* order.c: sorts blocks so that each follows its dominators; when out of memory some functions are left as
 * they are */
void in_order_blocks(struct in_module *module);
/* byval.c: variables for by-value parameters, before the id table is made */
enum mm_class in_copy_byval(struct in_module *module, struct mm_error *err);
/* zero.c: private variables that begin as zeros, where the options ask for it */
enum mm_class in_zero_private(struct in_module *module, struct mm_error *err);
/* declare.c: a type, a module-scope variable */
enum mm_class in_declare_type(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
enum mm_class in_declare_variable(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* decorate.c: names and decorations */
enum mm_class in_decorate(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* constant.c */
enum mm_class in_constant(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* kernel.c: argument information */
enum mm_class in_kernels(struct in_module *module, struct mm_error *err);

/* parse.c */
enum mm_class in_bad(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                     const char *format, ...) MM_PRINTF(5, 6);
/* The same, of class MM_LIMIT. */
enum mm_class in_beyond(struct in_module *module, uint32_t word, struct mm_error *err, const char *rule,
                        const char *format, ...) MM_PRINTF(5, 6);
/* OpConstantTrue to OpSpecConstantOp. */
static inline bool in_is_constant(uint32_t opcode)
{
    return opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp;
}
/* decode.c */
struct in_ty *in_type_of(const struct in_module *module, uint32_t id); /* type of a value; NULL */
/* constant.c */
bool in_constant_u64(const struct in_module *module, uint32_t id, uint64_t *value);
/* lower/fold.c */
/* Evaluates OpSpecConstantOp's OPCODE over constants by executing it. */
enum mm_class in_fold(struct in_module *module, const struct in_inst *inst, struct mm_error *err);
/* lower/lower.c */
/* The function that implements the kernel with function INDEX, past a wrapper. */
uint32_t in_kernel_function(const struct in_module *m, uint32_t index);
/* kernel.c */
/* What an OpTypeImage describes; IN_IMAGE_KINDS: no image of OpenCL. */
enum in_image_kind in_image_type_kind(const struct in_inst *type);
/* The kernel that function INDEX implements; kernel_count if none. */
uint32_t in_kernel_of(const struct in_module *m, uint32_t index);
/* lower/lower.c */
/* Lowers every kernel. */
enum mm_class in_lower_kernels(struct in_module *module, struct mm_error *err);
void in_code_destroy(struct in_code *code);

#endif
