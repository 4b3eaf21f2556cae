/* Shared objects, private variables, and accesses to both. */
#ifndef TOOLS_EXPLORE_MEMORY_MEMORY_H
#define TOOLS_EXPLORE_MEMORY_MEMORY_H

#include "tools/explore/explore.h"

#define EX_PRIVATE_BASE (UINT64_C(0x80000000) << 32)

struct ex_place { /* where a module-scope variable or a kernel argument lives */
    uint32_t id;
    union {
        uint32_t work_group; /* of local memory */
        uint32_t scalar;     /* its number in a symbolic argument, of storage class Function */
    };
    uint32_t object;
    const struct in_ty *pointee;
    uint32_t storage;
    bool is_array;        /* kernel argument: an array of pointees */
    const uint8_t *known; /* by byte of an uninitialized object: 1 if the launch initializes it; NULL: none */
};
struct ex_cell { /* a scalar of a private variable */
    uint64_t offset;
    uint8_t size;
    uint32_t reg;
};
struct ex_variable { /* a private variable */
    uint64_t base, size;
    uint32_t cell_count;
    struct ex_cell *cells;
};

/* ---- memory.c ---- */

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
/* Emits ACCESS, through a pointer into the storage class STORAGE: to shared memory, to private variables, or
 * a branch on its address between the two. */
void ex_emit_access(struct ex *ex, uint32_t storage, struct ck_instr access);

/* ---- private.c ---- */

/* The address of a new private variable with the value INITIAL (NULL: unconstrained). */
uint64_t ex_new_variable(struct ex *ex, const struct in_ty *pointee, const struct ex_value *initial);
/* The private variable that ADDRESS points into; NULL: none. */
struct ex_variable *ex_variable_at(struct ex *ex, uint64_t address);
uint32_t ex_read_private(struct ex *ex, uint32_t address, unsigned size);
void ex_write_private(struct ex *ex, uint32_t address, uint32_t value);
/* The beginning of the object or variable that ADDRESS is computed from a constant address of; 0: unknown. */
uint64_t ex_root(const struct ex *ex, uint32_t address);

/* ---- atomic.c ---- */

bool ex_atomic(struct ex *ex, const struct in_inst *inst);
uint8_t ex_storage_class_mask(uint32_t storage);
void ex_memory_operands(struct ex *ex, const struct in_inst *inst, uint32_t at, struct ck_instr *instr);
uint8_t ex_scope(struct ex *ex, uint32_t id);
/* The access I to private memory, which one work-item alone accesses: an ordinary computation. */
void ex_private_access(struct ex *ex, const struct ck_instr *i);

#endif
