/* The flattened form of a model, inside the evaluator. */
#ifndef MEMMODEL_CAT_NODE_H
#define MEMMODEL_CAT_NODE_H

#include "memmodel/cat/eval.h"

#define CAT_NO_NODE UINT32_MAX
enum { CAT_RF = 1, CAT_CO = 2, CAT_ORDER = 4, CAT_DYNAMIC = 8 }; /* what a node depends on */
enum { CAT_MAYBE_VOID, CAT_NOT_VOID, CAT_VOID };

/* MM_CAT_NAME: base BASE.  MM_CAT_PARAMETER: a name being defined recursively, number BASE. */
struct cat_node {
    enum mm_cat_op op;
    enum mm_cat_type type;
    uint32_t a, b, base;
    uint8_t dynamic;  /* CAT_RF, CAT_CO, CAT_ORDER */
    bool identity;    /* relates events to themselves alone */
    bool grows;       /* further events may add pairs of the present ones */
    uint8_t is_void;  /* CAT_VOID: empty for these events, whatever the candidate */
    const char *name; /* of the first let that means this node, NULL if none */
    size_t offset;    /* of its lower bound in the values */
};
/* Recursive names FIRST .. FIRST + COUNT; all that depends on them ends before END. */
struct cat_group {
    uint32_t first, count, end;
    uint32_t *bodies;
};
/* The definitions and checks of a model as one graph of nodes; in the model's arena. */
struct cat_flat {
    struct cat_node *nodes; /* NULL: none */
    uint32_t node_count;
    uint32_t *checks;   /* by check: its node */
    uint32_t *let_node; /* by let without parameters: its node */
    struct cat_group *groups;
    uint32_t group_count;
};
struct mm_cat_eval {
    const struct mm_cat_model *model;
    const struct cat_flat *flat;
    struct mm_arena *arena;
    struct cat_node *nodes; /* copies of FLAT's, whose IS_VOID and OFFSET change */
    uint32_t *stamps;       /* by node: clock of the last update of its lower and of its upper bound */
    struct cat_bases {      /* numbers of the base names */
        uint32_t rf, co;
    } bases;

    const struct mm_cat_events *events;
    struct cat_kept { /* a copy of the last EVENTS, if VALID */
        struct mm_cat_event *events;
        uint32_t capacity;
        bool vulkan, valid;
    } kept;
    uint32_t n;
    bool exact, open;
    uint64_t *values, *scratch;
    size_t capacity, upper_offset;
    const uint64_t *rf_lower, *rf_upper, *co_lower, *co_upper;
    const uint64_t *order_lower, *order_upper; /* NULL: as in the candidate's bounds */
    uint32_t placed;
    bool limited;
    uint32_t clock;              /* incremented by every change of the candidate */
    uint32_t epoch[CAT_DYNAMIC]; /* clock of the last change, by what a node depends on */
};

/* Gives the model, whose definitions are read, its nodes; again after an expression of it has changed. */
enum mm_class cat_flatten(struct mm_cat_model *model, struct mm_error *err);
/* Invalidates the nodes that depend on WHICH (CAT_RF, CAT_CO, CAT_ORDER). */
void cat_touch(struct mm_cat_eval *eval, unsigned which);
/* Orders that the model enumerates (cat/linear.c): a bound of an order of SET that contains CONTAINED (for
 * the upper bound: the lower bound itself); for a complete candidate whether an order satisfies all
 * checks, and an explanation if none does. */
void cat_linear_bound(struct mm_cat_eval *eval, bool upper, uint64_t *out, const uint64_t *set,
                      const uint64_t *contained);
bool cat_has_order(struct mm_cat_eval *eval);
uint32_t cat_linear_explain(struct mm_cat_eval *eval, struct mm_cat_step *steps, uint32_t max);

/* The value of node I for a complete candidate. */
uint64_t *cat_value(struct mm_cat_eval *eval, uint32_t i);

#endif
