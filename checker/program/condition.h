/* Conditions on the final state of memory, as written with --assert and in comments of a module:
 *
 *     [forall|exists|~exists] out[0] == 2 and (done[1][2] != 0 or not 'buffer 3'[0] >= 3)
 *
 * not, ~ and ! are synonyms, as are and, && and /\, or, || and \/. */
#ifndef CHECKER_PROGRAM_CONDITION_H
#define CHECKER_PROGRAM_CONDITION_H

#include "checker/program/program.h"

struct ck_condition_term {
    const char *name; /* NULL: a constant */
    uint64_t value;   /* of a constant */
    bool is_real;     /* a constant with a fraction or an exponent: REAL */
    double real;
    uint32_t index_count;
    uint64_t *indices; /* NAME[..][..] */
};
struct ck_condition_node {
    enum ck_prop_op op;
    enum ck_expr_op compare;
    struct ck_condition_term left, right;
    uint32_t a, b; /* nodes */
};
struct ck_condition {
    struct mm_arena *arena;
    char *text;
    bool quantified, has_real;     /* HAS_REAL: some constant is REAL */
    enum ck_quantifier quantifier; /* CK_FORALL if not written */
    struct ck_condition_node *nodes;
    uint32_t count, root;
};

/* NULL, with the position in ERR, if TEXT is not a condition. */
struct ck_condition *ck_condition_parse(const char *text, struct mm_error *err);
void ck_condition_destroy(struct ck_condition *condition);

#endif
