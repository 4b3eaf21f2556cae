/* The decoded module: instructions, types and their scalars, constants. */
#ifndef TOOLS_EXPLORE_MODULE_MODULE_H
#define TOOLS_EXPLORE_MODULE_MODULE_H

#include "tools/explore/explore.h"

enum { EX_EXTRA_TYPES = 128 };
struct ex_scalar { /* inside a value */
    const struct in_ty *type;
    uint64_t offset;
    unsigned size;
};
struct ex_shape { /* the scalars of a type */
    uint32_t count;
    const struct ex_scalar *scalars;
};

/* ---- module.c ---- */

/* Sets the ids of inputs that have a name of the source. */
void ex_find_names(struct ex *ex);
/* The instruction that defines ID, NULL if there is none. */
const struct in_inst *ex_definition(const struct ex *ex, uint32_t id);
/* The first instruction of FUNCTION; its last one ends at word FUNCTION->end. */
const struct in_inst *ex_first(const struct ex *ex, const struct in_function *function);

/* ---- type.c ---- */

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
/* The layout of the memory of ID, a parameter of the kernel or a variable, for mm_layout_find(); NULL:
 * unknown, or plain scalars. */
const char *ex_layout(struct ex *ex, uint32_t id);
/* The element type of the memory that parameter ID points to: by the type in the source if known, else by the
 * pointer type. */
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

#endif
