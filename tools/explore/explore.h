/* Lowering of a SPIR-V kernel launch to a struct ck_program: its state, and what the callers of the lowering
 * use.
 *
 * Each work-item becomes a thread.  Shared memory becomes objects, private variables become registers, calls
 * are inlined, and the ids of work-items are constants.  Functions that return an expression return its index
 * in the program.  All allocations live as long as struct ex; errors leave the function by ex_fail().  [SPIRV
 * 2.2, 2.3; SPIRV 3.42] */
#ifndef TOOLS_EXPLORE_EXPLORE_H
#define TOOLS_EXPLORE_EXPLORE_H

#include "checker/checker.h"
#include "interp/interp.h"
#include "interp/spirv.h"
#include "memmodel/base/map.h"

#include <setjmp.h>

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
    uint32_t site;      /* the number of the last barrier, hidden ones included */
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

struct ex {
    /* configuration */
    struct ex_config config;

    /* inputs */
    struct ex_module module;
    const struct in_entry *entry; /* the kernel */

    /* resources */
    struct mm_arena *arena;
    struct mm_error *err;
    jmp_buf failed; /* target of ex_fail() */

    /* state */
    struct ex_build build;
    struct ex_item item;
    uint32_t constant_depth;        /* recursion depth of computed constants */
    const struct in_inst *current;  /* for messages */
    struct ck_condition *condition; /* the one being parsed; ex_destroy() frees it */

    /* results */
    struct ck_program *program;
    bool uses_sub_groups;          /* scopes, functions or built-ins depend on the size of sub-groups */
    const struct in_inst *printed; /* the first call of printf, NULL: none */
};

/* ---- callers ---- */

/* module/module.c: reads a module of SIZE bytes, text (.spvasm) with header lines or binary; DATA and FILE
 * must outlive *OUT, which ex_destroy() frees. */
enum mm_class ex_read(const void *data, size_t size, const char *file, struct ex **out, struct mm_error *err);
/* inputs/header.c: adds TEXT, as it is after "@Input:" and the like. */
enum ex_line { EX_INPUT, EX_OUTPUT, EX_FILTER };
enum mm_class ex_add_line(struct ex *ex, enum ex_line line, const char *text, struct mm_error *err);
/* lower.c: lowers the launch; EX owns the program. */
enum mm_class ex_lower(struct ex *ex, struct ck_program **program, struct mm_error *err);
void ex_destroy(struct ex *ex);

/* ---- errors (module/module.c, unsupported.c) ---- */

/* Reports an error of class CLS at the current instruction, and returns it from ex_read(), ex_lower() or
 * ex_add_line(). */
_Noreturn void ex_fail(struct ex *ex, enum mm_class cls, const char *rule, const char *format, ...)
    MM_PRINTF(4, 5);
/* Reports that INST is not supported: "NAME WHERE is not explored: INSTEAD"; INSTEAD NULL: the advice for its
 * opcode. */
_Noreturn void ex_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *rule,
                                   const char *where, const char *instead);
/* INST if it is NULL or has a source line; else the first instruction with a line that uses its result, else
 * the nearest one of its function. */
const struct in_inst *ex_nearest_place(const struct ex *ex, const struct in_inst *inst);
/* Reports MESSAGE at COLUMN of OPTION, which is "--arg VALUE". */
_Noreturn void ex_fail_option(struct ex *ex, const char *option, unsigned column, const char *message);
_Noreturn void ex_no_memory(struct ex *ex);
/* Returns INDEX, the result of a builder of ck_program; fails if that is CK_NOT_ADDED (out of memory). */
uint32_t ex_check_added(struct ex *ex, uint32_t index);

/* ---- memory (module/module.c) ---- */

/* SIZE bytes, zero. */
void *ex_alloc(struct ex *ex, size_t size);
/* Returns ARRAY of COUNT items of ITEM bytes each, or a copy, with room for one more: it grows when COUNT is
 * 0 or a power of two. */
void *ex_grow(struct ex *ex, void *array, uint32_t count, size_t item);

#endif
