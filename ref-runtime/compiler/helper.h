/* Inside the compiler helper: one job, and the stages that carry it out. */
#ifndef REF_RUNTIME_COMPILER_HELPER_H
#define REF_RUNTIME_COMPILER_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "ref-runtime/compiler/compiler.h"

struct rt_job {
    uint32_t operation; /* enum rt_wire_operation */
    const char *source;
    size_t source_size;
    const char *file, *standard, *extensions, *features, *directory, *fault;
    const char **arguments;
    size_t argument_count;
    struct rt_compile_header *headers;
    size_t header_count;
    struct rt_binary *modules;
    size_t module_count;
    uint32_t timeout; /* seconds */
    bool library;
};

/* A growing text; data is NUL-terminated unless NULL. */
struct rt_text {
    char *data;
    size_t size, capacity;
};
bool rt_text_add(struct rt_text *text, const void *data, size_t size);
bool rt_text_add_string(struct rt_text *text, const char *string);

/* helper_extra.c: declarations that clang's own headers lack, for the extensions in use; "" if none. */
bool rt_helper_extra_header(const struct rt_job *job, struct rt_text *header);

/* Where headers given to clCompileProgram live for clang; taken off again from source lines. */
#define RT_HEADER_ROOT "/refcl-headers/"

/* clang_shim.cpp: source to SPIR-V words as the translator writes them.  LOG gets the diagnostics, NOTES what
 * the source says that SPIR-V does not keep: strings, each with its end.  DEPENDENCIES (wire.h) are the files
 * that the compiler read, looked for or consists of; empty where the result depends on the time. MM_OK, or
 * MM_INVALID with the reason in LOG. */
enum mm_class rt_clang_compile(const struct rt_job *job, const char *extra_header, struct rt_text *log,
                               struct rt_text *notes, struct rt_text *dependencies, struct rt_binary *binary);

/* helper_fixup.c: rewrites what the translator cannot take.  MODULE is an LLVMModuleRef. */
struct LLVMOpaqueModule;
struct LLVMOpaqueBuilder;
struct LLVMOpaqueValue;
struct LLVMOpaqueType;
/* The function NAME, declared where it is not yet, to be called as LIKE is. */
struct LLVMOpaqueValue *rt_helper_declare(struct LLVMOpaqueModule *module, const char *name,
                                          struct LLVMOpaqueType *type, struct LLVMOpaqueValue *like);
void rt_helper_fix_module(struct LLVMOpaqueModule *module);
/* helper_reach.c: takes the functions that no kernel reaches out of an LLVM module, and out of a SPIR-V
 * module of COUNT words, whose remaining words are returned, or 0 if memory is short.  Those that call
 * undefined functions stay. */
void rt_helper_drop_uncalled(struct LLVMOpaqueModule *module);
size_t rt_helper_drop_unreachable(uint32_t *words, size_t count);
/* helper_lanes.c: replaces a store that changes some components of a vector by stores of those.  False: STORE
 * is something else, and stays. */
bool rt_helper_split_store(struct LLVMOpaqueBuilder *builder, struct LLVMOpaqueValue *store);
/* helper_atomic.c: replaces a call of an atomic function of OpenCL C 1.x on global memory.  False: CALL is
 * something else, and stays. */
bool rt_helper_fix_atomic(struct LLVMOpaqueModule *module, struct LLVMOpaqueBuilder *builder,
                          struct LLVMOpaqueValue *call, struct LLVMOpaqueValue *callee);

/* helper_sandbox.c: from now on this process can read files and answer, and nothing else.  NULL, or why it is
 * not confined. */
const char *rt_helper_confine(void);

/* helper_spirv.c: takes the debug instruction set and bogus decorations out of a module, and turns file names
 * into those that the JOB gave, in place. */
enum mm_class rt_helper_clean_spirv(struct rt_binary *binary, const struct rt_job *job, struct rt_text *log);
/* Takes the instructions of debug sets and user semantics out of the module of COUNT words; how many remain,
 * 0 if it is malformed or memory is short. */
size_t rt_helper_drop_debug(uint32_t *words, size_t count);
/* helper_instruction.c: the prefix of functions whose calls become the SPIR-V instruction with the opcode
 * that follows, and the pass that replaces them. */
#define RT_INSTRUCTION "__refcl_spirv_"
enum mm_class rt_helper_instructions(struct rt_binary *binary, struct rt_text *log);
/* helper_order.c: types and constants are declared before their uses. */
enum mm_class rt_helper_order(struct rt_binary *binary);
/* helper_spirv.c */
/* Puts each string of NOTES into the module, as an OpString. */
enum mm_class rt_helper_add_strings(struct rt_binary *binary, const struct rt_text *notes);

/* link_shim.cpp */
/* Makes one type of types that are declared twice. */
enum mm_class rt_spirv_merge_types(struct rt_binary *binary);
enum mm_class rt_spirv_link(const struct rt_binary *modules, size_t count, bool library, struct rt_text *log,
                            struct rt_binary *binary);

#ifdef __cplusplus
}
#endif
#endif
