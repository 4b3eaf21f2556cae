/* Internal to check: the instruction being checked, and access to the shadow of its operands. */
#ifndef INTERP_CHECK_CHECK_INTERNAL_H
#define INTERP_CHECK_CHECK_INTERNAL_H

#include "interp/check/check.h"
#include <string.h>

struct at {
    struct in_run *run;
    struct in_item *item;
    const struct in_insn *pc;
    uint8_t *s; /* shadow of the frame */
};

static inline bool any_byte(const uint8_t *s, uint64_t n)
{
    uint64_t eight;
    uint32_t four;
    for (; n >= 8; n -= 8, s += 8) {
        memcpy(&eight, s, 8);
        if (eight != 0)
            return true;
    }
    if (n >= 4) {
        memcpy(&four, s, 4);
        if (four != 0)
            return true;
        n -= 4;
        s += 4;
    }
    for (uint64_t k = 0; k < n; k++)
        if (s[k] != 0)
            return true;
    return false;
}

static inline bool all_bytes(const uint8_t *s, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        if (s[k] == 0)
            return false;
    return n > 0;
}

/* Whether an operand is known to be uninitialized. */
static inline bool is_unknown_operand(const struct at *x, int32_t slot, uint64_t n)
{
    return x->s && any_byte(x->s + slot, n);
}

/* Loads of constant size: a copy of SIZE bytes takes a call, and a load of the copy waits for its stores. */
static inline int64_t in_operand_number(const uint8_t *frame, int32_t slot, uint32_t index, uint32_t size)
{
    const uint8_t *from = frame + slot + index * size;
    int64_t v8;
    int32_t v4;
    int16_t v2;
    switch (size) {
    case 1:
        return (int8_t)*from;
    case 2:
        return memcpy(&v2, from, sizeof v2), v2;
    case 4:
        return memcpy(&v4, from, sizeof v4), v4;
    default:
        return memcpy(&v8, from, sizeof v8), v8;
    }
}

static inline int64_t operand_number(const struct at *x, int32_t slot, uint32_t index, uint32_t size)
{
    return in_operand_number(x->item->frame, slot, index, size);
}

enum arithmetic { ADDITION, SUBTRACTION, MULTIPLICATION, NEGATION };

/* Elements of a and b make elements of d. */
static inline void in_check_elements(const struct at *x, uint32_t from, uint32_t to, int32_t count, bool two)
{
    for (int32_t k = 0; k < count; k++) {
        bool undefined = any_byte(x->s + x->pc->a + k * (int32_t)from, from) ||
                         (two && any_byte(x->s + x->pc->b + k * (int32_t)from, from));
        memset(x->s + x->pc->d + k * (int32_t)to, undefined, to);
    }
}

/* check_value.c: undefined behavior of arithmetic, and the shadow of its results */
void in_check_bits(const struct at *x, uint32_t size, int32_t count, uint8_t decides);
void in_check_shift(const struct at *x, uint32_t size, int32_t count);
void in_check_wrap(const struct at *x, uint32_t size, int32_t count, enum arithmetic how);
void in_check_convert(const struct at *x);

/* subscript.c: indices of arrays, where the code has any */
void in_check_subscripts(const struct at *x);

/* check_memory.c: reports the use of an uninitialized operand once (it counts as initialized afterwards);
 * orders and scopes; loads, stores, atomic operations and calls: false if OP is none of them */
void in_check_defined(const struct at *x, int32_t slot, uint64_t size, const char *what);
void in_check_order(const struct at *x, const struct in_atomic *a);
bool in_check_memory(const struct at *x, enum in_op op);

#endif
