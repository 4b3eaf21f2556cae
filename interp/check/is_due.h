/* Internal to interp: which instructions in_check() is called for where neither shadow memory nor symbolic
 * values are kept.  Inlined into the engine, where the operation is a constant: a call takes longer than most
 * instructions. */
#ifndef INTERP_CHECK_IS_DUE_H
#define INTERP_CHECK_IS_DUE_H

#include "interp/check/check.h"

#define IN_OPERANDS(w)                                                                                       \
    const uint##w##_t a = *(const uint##w##_t *)(const void *)(frame + pc->a),                               \
                      b = *(const uint##w##_t *)(const void *)(frame + pc->b);                               \
    uint##w##_t unsigned_result;                                                                             \
    int##w##_t signed_result;
/* Whether an operation marked NoSignedWrap (imm 1) or NoUnsignedWrap (imm 2) overflows. */
#define IN_WRAPS(name, builtin, w)                                                                           \
    case IN_##name##_##w: {                                                                                  \
        IN_OPERANDS(w)                                                                                       \
        return (pc->imm & 1 && builtin((int##w##_t)a, (int##w##_t)b, &signed_result)) ||                     \
               (pc->imm & 2 && builtin(a, b, &unsigned_result));                                             \
    }
#define IN_WRAPS_IN(w)                                                                                       \
    IN_WRAPS(ADD, __builtin_add_overflow, w)                                                                 \
    IN_WRAPS(SUB, __builtin_sub_overflow, w)                                                                 \
    IN_WRAPS(MUL, __builtin_mul_overflow, w)
#define IN_SHIFTS(w)                                                                                         \
    case IN_SHL_##w:                                                                                         \
    case IN_LSHR_##w:                                                                                        \
    case IN_ASHR_##w:                                                                                        \
        return *(const uint##w##_t *)(const void *)(frame + pc->b) >= w;
#define IN_OTHER_SIZES(X, n) X(n##_8) X(n##_16) X(n##_V8) X(n##_V16) X(n##_V32) X(n##_V64)
#define IN_CASE(n)           case IN_##n:

__attribute__((always_inline)) static inline bool
in_check_is_due(const struct in_run *run, const struct in_insn *pc, const uint8_t *frame, enum in_op op)
{
    switch (op) {
        IN_MEM_(IN_CASE, LOAD)
        IN_MEM_(IN_CASE, LOADX)
        IN_MEM_(IN_CASE, LOADXI)
        IN_MEM_(IN_CASE, STORE)
        IN_MEM_(IN_CASE, STOREX)
        IN_MEM_(IN_CASE, STOREXI)
    case IN_PTRX:
    case IN_PTRXI:
    case IN_PTRK:
        return pc->c & IN_HAS_SUBSCRIPTS && in_subscript_exceeds(run, pc, frame);
        IN_WRAPS_IN(32)
        IN_WRAPS_IN(64)
        IN_SHIFTS(32)
        IN_SHIFTS(64)
        IN_OTHER_SIZES(IN_CASE, NEG)
    case IN_NEG_32:
    case IN_NEG_64:
        IN_OTHER_SIZES(IN_CASE, ADD)
        IN_OTHER_SIZES(IN_CASE, SUB)
        IN_OTHER_SIZES(IN_CASE, MUL)
        return (pc->imm & 3) != 0;
        IN_OTHER_SIZES(IN_CASE, SHL)
        IN_OTHER_SIZES(IN_CASE, LSHR)
        IN_OTHER_SIZES(IN_CASE, ASHR)
    case IN_CVT:
        return (uint32_t)pc->b >> 16 != 0;
    case IN_ATOMIC:
    case IN_RET:
        return true;
    default:
        return false;
    }
}

#endif
