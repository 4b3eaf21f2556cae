/* Conditions on what memory holds in the end, as --assert and the lines of a module's text write them:
 *
 *     [forall|exists|~exists] out[0] == 2 and (done[1][2] != 0 or not 'buffer 3'[0] >= 3)
 *
 * not, ~ and ! are one word, as are and, && and /\, or, || and \/. */
#ifndef CHECKER_CONDITION_H
#define CHECKER_CONDITION_H

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
    bool quantified, has_real;     /* HAS_REAL: some constant is one */
    enum ck_quantifier quantifier; /* CK_FORALL unless it says otherwise */
    struct ck_condition_node *nodes;
    uint32_t count, capacity, root;
};

/* NULL with the place in ERR where TEXT is no condition. */
struct ck_condition *ck_condition_parse(const char *text, struct mm_error *err);
void ck_condition_destroy(struct ck_condition *condition);

#endif
