/* What the parts of the cat reader share. */
#ifndef MEMMODEL_CAT_INTERNAL_H
#define MEMMODEL_CAT_INTERNAL_H

#include "memmodel/base/sha256.h"
#include "memmodel/cat/cat.h"

enum cat_token_kind {
    CAT_END,
    CAT_NAME,
    CAT_STRING,
    CAT_NUMBER,
    CAT_SYMBOL, /* punctuation; see cat_token.symbol */
    CAT_TAG,    /* 'name */
    CAT_ERROR
};
/* Symbols of more than one character; the others are their character. */
enum { CAT_INVERSE = 256, CAT_SQUARE, CAT_ADD_ELEMENT, CAT_ARROW };

struct cat_token {
    enum cat_token_kind kind;
    int symbol;
    const char *start; /* in the text */
    size_t length;
    unsigned line, column;
    const char *comment; /* the comment directly before it, NULL if none */
    size_t comment_length;
};

struct cat_lexer {
    const char *at, *end, *line_start, *file;
    unsigned line, last_token_line;
    const char *error; /* set with CAT_ERROR */
    struct {
        const char *start;
        size_t length;
    } directives[8]; /* comments before the last token that hold an '@' */
    unsigned directive_count;
};
void cat_lexer_init(struct cat_lexer *lexer, const char *text, size_t size, const char *file);
struct cat_token cat_lex(struct cat_lexer *lexer);

/* State of the reader: limits, and the types of each let. */
enum { CAT_MAX_PARAMETERS = 8, CAT_MAX_LETS = 4096, CAT_MAX_DEPTH = 400, CAT_MAX_INCLUDES = 16 };
struct cat_let_info {
    uint8_t *result; /* by mask of parameter types: 0 unknown, else type + 1 */
    bool called;
    bool ordered;     /* depends on the order that is enumerated */
    bool hidden;      /* local to an expression or a procedure that has been read */
    uint32_t outside; /* parameters that it takes from the function around it */
};
/* A procedure: its text, read again at each call. */
struct cat_procedure {
    const char *name, *file;
    const char *parameters[CAT_MAX_PARAMETERS];
    uint32_t parameter_count, visible; /* VISIBLE: definitions before it */
    struct cat_lexer body;
    struct cat_procedure *next;
};
/* A name for a set of orders, which is never materialized: see cat/orders.c. */
struct cat_orders {
    const char *name, *file;
    struct cat_lexer body; /* after the token FIRST */
    struct cat_token first;
    struct cat_orders *next;
};
struct cat_switch {
    const char *name;
    const char *values[8];
    unsigned value_count, chosen;
};
struct cat_reader {
    struct mm_sha256 hash; /* of all text read so far */
    struct mm_cat_model *model;
    struct mm_error *err;
    const char *const *switches;
    struct cat_switch known[48];
    unsigned switch_count;
    struct cat_let_info *info; /* of the lets */
    uint32_t info_count;
    uint32_t next_group;
    uint64_t bytes; /* of text read so far */
    unsigned include_depth, depth;
    struct cat_procedure *procedures;
    uint32_t calls; /* of procedures, so far */
    struct cat_orders *orders;
    bool one_event; /* the model treats a read-modify-write as one event: it uses R & W */
    enum mm_class status;
};

/* Gives EXPR a type, PARAMETERS (one bit each: 1 = relation) being the types of the enclosing function's.
 * MM_OK, or MM_INVALID with the position in reader->err. */
enum mm_class cat_infer(struct cat_reader *reader, struct mm_cat_expr *expr, unsigned parameters, bool first,
                        enum mm_cat_type *type);
/* Types the body of LET once it is complete (a function: when it is called). */
enum mm_class cat_type_let(struct cat_reader *reader, uint32_t let);
/* Recursion must be monotone: no name of GROUP under a complement, right of a difference or in the argument
 * of a function. EXCLUDED: why such a name must not occur in EXPR, for the message; NULL: it may. */
enum mm_class cat_check_monotone(struct cat_reader *reader, const struct mm_cat_expr *expr, uint32_t group,
                                 const char *excluded);

#endif
