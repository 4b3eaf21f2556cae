/* Internal: one work-item's evaluation. */
#ifndef TOOLS_FOOTPRINT_RUN_H
#define TOOLS_FOOTPRINT_RUN_H

#include "tools/footprint/evaluate.h"

enum { FP_POOL = 1 << 14, FP_OBJECTS = 512, FP_CELLS = 4096 };
enum fp_object_kind { FP_OTHER, FP_ARGUMENT, FP_GLOBAL, FP_IMAGE, FP_PRIVATE };
struct fp_object {
    uint8_t kind;
    uint32_t base;              /* fp_access.base of accesses to it */
    uint64_t offset, size;      /* ARGUMENT: of the pointer in it, unused; bytes */
    const unsigned char *bytes; /* PRIVATE: of an argument by value, NULL: none */
};
struct fp_cell { /* a known value in private memory */
    uint32_t object;
    uint64_t offset, size;
    struct fp_value value;
};
struct fp_run {
    const struct fp_module *m;
    const struct in_module *module;
    struct ly_launch_head head;
    const struct ly_argument *arguments;
    struct fp_value *values; /* by id */
    struct fp_value pool[FP_POOL];
    size_t pool_used;
    struct fp_object objects[FP_OBJECTS];
    uint32_t object_count;
    struct fp_cell cells[FP_CELLS];
    size_t cell_count;
    uint64_t id[3];  /* of the work-item, from 0 */
    size_t steps;    /* remaining steps */
    bool after_sync; /* the work-item may have synchronized with another agent */
    struct fp_access *accesses;
    size_t access_count;
    uint32_t depth;
    struct fp_value returned;
    struct fp_uses uses;
    uint64_t unknown; /* arguments with accesses that the evaluation may have omitted */
};

/* NULL: it has none, or is a literal. */
static inline const struct in_ty *fp_type_of(const struct fp_run *run, uint32_t id)
{
    return id < in_spirv_bound(run->module) ? run->m->types[id] : NULL;
}
/* Whether one of the operands of INST from FIRST on is a pointer. */
bool fp_takes_pointer(const struct fp_run *run, const struct in_inst *inst, uint32_t first);
/* Adds the access of INST through POINTER, if that is known and the memory is an argument's or a variable's.
 * ACCESS has the size, the kind and, of an atomic, attributes, order and scope. */
void fp_access_add(struct fp_run *run, const struct in_inst *inst, const struct fp_value *pointer,
                   struct fp_access access);
struct fp_value *fp_parts(struct fp_run *run, size_t count); /* NULL: no room */
/* A pointer to a new object; unknown if there is no room. */
struct fp_value fp_pointer_to(struct fp_run *run, struct fp_object object);
void fp_forget(struct fp_run *run); /* all private memory */
/* The value of type TY with the memory representation BYTES: integers and vectors of them; other types are
 * unknown. */
struct fp_value fp_from_bytes(struct fp_run *run, const unsigned char *bytes, const struct in_ty *ty);
void fp_store(struct fp_run *run, const struct in_inst *inst, const struct fp_value *pointer,
              const struct fp_value *value, const struct in_ty *ty);
/* Evaluates FUNCTION, whose parameters have values; false: it has no body, or calls nest too deep. */
bool fp_run_function(struct fp_run *run, const struct in_function *function);
/* Evaluates an instruction of memory, images or atomics; false: INST is none. */
bool fp_memory(struct fp_run *run, const struct in_inst *inst);
/* Instructions of extended sets. */
void fp_extended(struct fp_run *run, const struct in_inst *inst);
struct fp_value fp_builtin(struct fp_run *run, int32_t builtin, const struct in_ty *ty);

#endif
