/* The random program that a test makes, and its expressions. */
#ifndef TESTS_HUNT_MAKER_H
#define TESTS_HUNT_MAKER_H
#include "checker/checker.h"

struct maker {
    uint64_t random; /* the state of the generator, not 0 */
    struct ck_program *p;
    uint32_t thread, group;
    bool barriers;
};

static inline uint32_t below(struct maker *m, uint32_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 33) % n;
}

static inline uint32_t expr(struct maker *m, enum ck_expr_op op, uint8_t size, uint32_t a, uint32_t b,
                            uint64_t imm)
{
    return ck_program_add_expr(m->p, &(struct ck_expr){.op = op, .size = size, .a = a, .b = b, .imm = imm});
}

static inline uint32_t number(struct maker *m, uint64_t value, uint8_t size)
{
    return expr(m, CK_CONST, size, 0, 0, value);
}

static inline uint32_t reg(struct maker *m, uint32_t r)
{
    return expr(m, CK_REG, 4, 0, 0, r);
}

#endif
