/* Values of ids, and instructions that compute them. */
#ifndef TOOLS_EXPLORE_VALUE_VALUE_H
#define TOOLS_EXPLORE_VALUE_VALUE_H

#include "tools/explore/explore.h"

struct ex_value {
    const struct in_ty *type;
    const struct ex_scalar *scalars; /* of TYPE, COUNT of them */
    uint32_t count;
    uint32_t storage; /* a pointer: the storage class of its memory; Generic: not known */
    uint32_t *leaves; /* expressions */
};

/* ---- value.c ---- */

struct ex_value ex_new_value(struct ex *ex, const struct in_ty *type);
/* A value of the result type of INST. */
struct ex_value ex_result(struct ex *ex, const struct in_inst *inst);
/* A value of TYPE with each scalar in a new register. */
struct ex_value ex_new_registers(struct ex *ex, const struct in_ty *type);
/* Assigns EXPR to the register that is scalar I of V, of ex_new_registers(). */
void ex_assign_leaf(struct ex *ex, const struct ex_value *v, uint32_t i, uint32_t expr);
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
/* Lowers an instruction without side effects; false: it is not one. */
bool ex_compute(struct ex *ex, const struct in_inst *inst);
/* Lowers INST by the handler for its opcode; false: there is none. */
struct ex_handler {
    uint32_t opcode;
    void (*lower)(struct ex *ex, const struct in_inst *inst);
};
bool ex_handle(struct ex *ex, const struct in_inst *inst, const struct ex_handler *handlers, size_t count);

/* integer.c: lowers an integer instruction (false: it is not one); the value of an OpSpecConstantOp. */
bool ex_integer(struct ex *ex, const struct in_inst *inst);
struct ex_value *ex_computed_constant(struct ex *ex, const struct in_inst *inst);

/* ---- float.c ---- */

bool ex_float(struct ex *ex, const struct in_inst *inst);
/* Whether A and B are equal numbers. */
uint32_t ex_float_equal(struct ex *ex, uint32_t a, uint32_t b);
/* The float A converted to SIZE bytes; ROUNDING: a number of SPIR-V. */
uint32_t ex_float_resize(struct ex *ex, uint32_t a, unsigned size, unsigned rounding);

/* function.c: lowers a call of a function of OpenCL.std; false: there is no such function. */
bool ex_function_call(struct ex *ex, const struct in_inst *inst);

/* ---- builtin.c ---- */

/* Lowers OpExtInst. */
void ex_extended(struct ex *ex, const struct in_inst *inst);
struct ex_value ex_builtin_value(struct ex *ex, uint32_t builtin, const struct in_ty *type);
/* Component I of a built-in of the current work-item; uniform ones are also known before there is a
 * work-item. */
uint64_t ex_launch_value(struct ex *ex, uint32_t builtin, unsigned i);

#endif
