/* The cat language: memory models as text, and the relation algebra below them.
 *
 * A model is parsed once into a tree that every engine shares; what the tree *means* is written down
 * separately by each engine (the evaluator here, the Z3 encoder in checker/), so that they can be
 * compared. */
#ifndef MEMMODEL_CAT_CAT_H
#define MEMMODEL_CAT_CAT_H

#include "memmodel/memmodel.h"

/* ---- relations: bit matrices over N events ------------------------------------------------ */

/* Row-major; each row has WORDS = (n + 63) / 64 words; bit j of row i: (i, j) is in the relation.
 * Bits beyond n are zero.  A set is a single row. */
struct mm_rel {
    uint32_t n, words;
    uint64_t *bits;
};

/* ---- the syntax tree ----------------------------------------------------------------------- */

enum mm_cat_op {
    MM_CAT_NAME,       /* reference: to a base name (BASE) or to an earlier let (LET) */
    MM_CAT_PARAMETER,  /* reference to parameter PARAMETER of the enclosing function */
    MM_CAT_CALL,       /* LET applied to CHILD[0..CHILD_COUNT) */
    MM_CAT_UNION,      /* | on sets or relations */
    MM_CAT_INTER,      /* & */
    MM_CAT_DIFF,       /* \ */
    MM_CAT_COMPLEMENT, /* ~ */
    MM_CAT_SEQ,        /* ; */
    MM_CAT_PRODUCT,    /* set * set */
    MM_CAT_INVERSE,    /* ^-1 */
    MM_CAT_PLUS,       /* + */
    MM_CAT_STAR,       /* * */
    MM_CAT_OPTIONAL,   /* ? */
    MM_CAT_IDENTITY,   /* [S] */
    MM_CAT_DOMAIN,
    MM_CAT_RANGE,
    MM_CAT_EMPTY,    /* 0 or {} */
    MM_CAT_UNIVERSE, /* _ : the set of all events */
    MM_CAT_LINEAR    /* some strict total order of the set that contains what the relation relates there */
};
enum mm_cat_type { MM_CAT_SET, MM_CAT_REL };

/* In place of an index: no base name, no definition, no check. */
#define MM_CAT_NO_BASE  UINT32_MAX
#define MM_CAT_NO_LET   UINT32_MAX
#define MM_CAT_NO_CHECK UINT32_MAX

struct mm_cat_expr {
    enum mm_cat_op op;
    enum mm_cat_type type; /* within a function whose parameters are used at both types: of the first call */
    unsigned line, column;
    const char *file;
    uint32_t base;      /* NAME: index in the base name table, or MM_CAT_NO_BASE */
    uint32_t let;       /* NAME, CALL: index in model->lets, or MM_CAT_NO_LET */
    uint32_t parameter; /* PARAMETER */
    uint32_t child_count;
    struct mm_cat_expr **child;
};
struct mm_cat_let {
    const char *name;
    unsigned line, column;
    uint32_t parameter_count;
    const char **parameters;
    struct mm_cat_expr *body;
    uint32_t recursive_group; /* 0: not recursive; lets of one `let rec ... and ...` share a number */
    const char *clause;       /* text of the comment that directly precedes it, or NULL */
};
enum mm_cat_check_kind { MM_CAT_ACYCLIC, MM_CAT_IRREFLEXIVE, MM_CAT_CHECK_EMPTY };
struct mm_cat_check {
    enum mm_cat_check_kind kind;
    bool negated; /* ~empty and so on */
    bool flag;    /* reports, does not forbid */
    const char *name;
    unsigned line, column;
    struct mm_cat_expr *expr;
    const char *clause; /* text of the comment that directly precedes it, or NULL */
};
struct mm_cat_model {
    const char *name; /* file name */
    const char *title;
    /* SHA-256 of the file followed by its included files, without the built-in libraries. */
    char sha256[65];
    uint32_t let_count, check_count;
    struct mm_cat_let *lets;
    struct mm_cat_check *checks; /* in file order */
    struct mm_arena *arena;
    /* If the model enumerates an order: its definition, and the check that fails if no order satisfies the
     * checks; else MM_CAT_NO_LET, MM_CAT_NO_CHECK.  No flag depends on it. */
    uint32_t order_let, order_check;
    struct cat_flat *flat; /* the definitions and checks as the evaluator reads them (cat/node.h) */
};

/* Reads a model file, with the files it includes (looked up beside it, then in the models folder).
 * SWITCHES ("name=value", NULL-terminated, may be NULL) select variants of our own models. */
enum mm_class mm_cat_load(const char *path, const char *const *switches, struct mm_cat_model **model,
                          struct mm_error *err);
enum mm_class mm_cat_parse(const char *text, const char *name, const char *const *switches,
                           struct mm_cat_model **model, struct mm_error *err);
/* Sets FIND, which returns the text of an included file NAME; NULL: the file system is searched.  Not for
 * processes in which several threads read models. */
void mm_cat_set_files(const char *(*find)(const char *name));
void mm_cat_destroy(struct mm_cat_model *model);

/* ---- base names --------------------------------------------------------------------------- */

/* Every name a model may use without defining it: event sets (R, W, ACQ, WG, ...) and relations
 * (po, rf, co, loc, swg, ...).  Only rf and co (and what depends on them: fr, fre, coe, ...) differ
 * between the candidate executions of one set of thread traces. */
struct mm_cat_base {
    const char *name;
    enum mm_cat_type type;
    bool depends_on_rf, depends_on_co;
    const char *meaning;
};
extern const struct mm_cat_base mm_cat_bases[];
extern const uint32_t mm_cat_base_count;

#endif
