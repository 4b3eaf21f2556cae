/* Arithmetic with undefined results: shifts by at least the width, overflow of no-wrap operations, floats out
 * of an integer's range; and propagation of uninitialized operands to results.
 * [SPIRV 3.49.11, 3.49.13, 3.49.14] [CLC 6.3, 6.4] */
#include "interp/check/check_internal.h"
#include <math.h>

/* A byte of a and, or is defined where the other operand decides it. */
void in_check_bits(const struct at *x, uint32_t size, int32_t count, uint8_t decides)
{
    const uint8_t *a = x->s + x->pc->a, *b = x->s + x->pc->b;
    const uint8_t *va = x->item->frame + x->pc->a, *vb = x->item->frame + x->pc->b;
    for (int32_t k = 0; k < count * (int32_t)size; k++) {
        bool decided = (a[k] == 0 && va[k] == decides) || (b[k] == 0 && vb[k] == decides);
        x->s[x->pc->d + k] = (a[k] || b[k]) && !decided;
    }
}

void in_check_shift(const struct at *x, uint32_t size, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        uint64_t by =
            (uint64_t)operand_number(x, x->pc->b, (uint32_t)k, size) & (UINT64_MAX >> (64 - 8 * size));
        if (by < 8 * size || is_unknown_operand(x, x->pc->b + k * (int32_t)size, size))
            continue;
        in_raise(x->run, x->item, x->pc, "bad-shift", "CLC 6.3.9", "shift of a number of %u bits by %llu",
                 8 * size, (unsigned long long)by);
        return;
    }
}

__extension__ typedef __int128 wide;
/* Instructions marked NoSignedWrap (imm 1) or NoUnsignedWrap (imm 2) [SPV_KHR_no_integer_wrap_decoration]. */
void in_check_wrap(const struct at *x, uint32_t size, int32_t count, enum arithmetic how)
{
    for (int32_t k = 0; k < count && (x->pc->imm & 3) != 0; k++) {
        bool sign = x->pc->imm & 1;
        uint64_t mask = UINT64_MAX >> (64 - 8 * size);
        int64_t sa = operand_number(x, x->pc->a, (uint32_t)k, size);
        int64_t sb = how == NEGATION ? 0 : operand_number(x, x->pc->b, (uint32_t)k, size);
        wide a = sign ? (wide)sa : (wide)((uint64_t)sa & mask),
             b = sign ? (wide)sb : (wide)((uint64_t)sb & mask);
        wide r = how == ADDITION ? a + b : how == SUBTRACTION ? a - b : how == NEGATION ? -a : a * b;
        wide most = sign ? ((wide)1 << (8 * size - 1)) - 1 : (wide)mask, least = sign ? -most - 1 : 0;
        if ((r <= most && r >= least) || is_unknown_operand(x, x->pc->a + k * (int32_t)size, size))
            continue;
        in_raise(x->run, x->item, x->pc, sign ? "signed-overflow" : "unsigned-overflow", "CLC 6.3.3",
                 "the result of an operation on numbers of %u bits, %lld and %lld, does not fit", 8 * size,
                 (long long)sa, (long long)sb);
        return;
    }
}

/* CVT: flag 1 << 16 of b: floats become signed integers, 2 << 16: unsigned integers, without saturation. */
void in_check_convert(const struct at *x)
{
    uint32_t from = (uint32_t)x->pc->b & 0xff, to = (uint32_t)x->pc->b >> 8 & 0xff,
             flag = (uint32_t)x->pc->b >> 16;
    if (x->s)
        in_check_elements(x, from, to, x->pc->c, false);
    for (int32_t k = 0; k < x->pc->c && flag != 0; k++) {
        const uint8_t *p = x->item->frame + x->pc->a + k * (int32_t)from;
        double v = 0, most = ldexp(1, (int)(8 * to) - (flag == 1)), least = flag == 1 ? -most : 0;
        float f;
        if (from == 4) {
            memcpy(&f, p, sizeof f);
            v = (double)f;
        } else if (from == 8) {
            memcpy(&v, p, sizeof v);
        } else {
            continue; /* half-precision values are not checked */
        }
        if ((v < most && v > least - 1) || is_unknown_operand(x, x->pc->a + k * (int32_t)from, from))
            continue;
        in_raise(x->run, x->item, x->pc, "float-to-integer", "CLC 6.3.3",
                 "%g converted to %s integer of %u bits", v, flag == 1 ? "a signed" : "an unsigned", 8 * to);
        return;
    }
}
