/* Operators of reductions and scans of work-groups and sub-groups. [SPIRV 3.49.21, 3.49.24] */
#ifndef INTERP_EXEC_REDUCTION_H
#define INTERP_EXEC_REDUCTION_H

#include "interp/spirv.h"

enum in_combine {
    IN_COMBINE_ADD,
    IN_COMBINE_MUL,
    IN_COMBINE_MIN,
    IN_COMBINE_MAX,
    IN_COMBINE_AND,
    IN_COMBINE_OR,
    IN_COMBINE_XOR
};
enum in_sort { IN_SORT_UNSIGNED, IN_SORT_SIGNED, IN_SORT_FLOATING };
struct in_reduction {
    uint16_t opcode;
    uint8_t combine, sort;
};

/* NULL: OPCODE is no reduction. */
const struct in_reduction *in_reduction_find(uint32_t opcode);
/* A combined with B, scalars of type S; the identity element. */
uint64_t in_reduction_combine(const struct in_reduction *r, uint64_t a, uint64_t b, const struct in_ty *s);
uint64_t in_reduction_identity(const struct in_reduction *r, const struct in_ty *s);

#endif
