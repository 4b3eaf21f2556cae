/* The parser of the cat language, shared by its parts. */
#ifndef MEMMODEL_CAT_PARSER_H
#define MEMMODEL_CAT_PARSER_H

#include "memmodel/cat/internal.h"

struct cat_parser {
    struct cat_reader *reader;
    struct mm_arena *arena;
    struct cat_lexer lexer;
    struct cat_token token;
    const char *file; /* lives in the arena */
    const char **parameters;
    uint32_t parameter_count;
    unsigned depth;
    bool recursive; /* within let rec */
    bool in_block;  /* up to the words end and else */
    bool unread;    /* in a part that an option leaves out */
    bool library;   /* the text is refcl's own, FILE its name */
    bool failed;
};

/* The first failure is reported; parsing stops there. */
void cat_fail_token(struct cat_parser *p, const struct cat_token *t, const char *rule, const char *message);
/* FORMAT has one %.*s: the token's text. */
void cat_fail_named(struct cat_parser *p, const struct cat_token *t, const char *rule, const char *format);
void cat_fail_status(struct cat_parser *p, enum mm_class status);
void cat_fail_memory(struct cat_parser *p);

void cat_next(struct cat_parser *p);
bool cat_at_symbol(const struct cat_parser *p, int symbol);
bool cat_at_word(const struct cat_parser *p, const char *word);
bool cat_at_keyword(const struct cat_parser *p);
bool cat_accept(struct cat_parser *p, int symbol);
void cat_expect(struct cat_parser *p, int symbol);
bool cat_is_name(const struct cat_token *t, const char *name);
char *cat_copy_text(struct cat_parser *p, const char *start, size_t length);

struct mm_cat_expr *cat_new_expr(struct cat_parser *p, const struct cat_token *at, enum mm_cat_op op,
                                 uint32_t child_count);
struct mm_cat_expr *cat_parse_union(struct cat_parser *p); /* a whole expression; NULL after a failure */
void cat_parse_statements(struct cat_parser *p);
void cat_parse_include(struct cat_parser *p);
/* name [ parameters ] = ; then the body. */
void cat_parse_let_head(struct cat_parser *p, struct mm_cat_let *let);
void cat_parse_body(struct cat_parser *p, struct mm_cat_let *let);
/* After let rec: a = ... and b = ... */
void cat_parse_recursive(struct cat_parser *p, const char *clause);
/* MM_CAT_NO_LET: no definition of that name is seen here. */
uint32_t cat_find_let(const struct cat_parser *p, const struct cat_token *t);
/* One or more names, separated by commas, up to the closing parenthesis, which is taken. */
uint32_t cat_parse_names(struct cat_parser *p, const char *names[CAT_MAX_PARAMETERS]);
/* Adds LET, typed; returns its index, MM_CAT_NO_LET after a failure. */
uint32_t cat_define(struct cat_parser *p, const struct mm_cat_let *let);
/* From let number FIRST on, names are no longer visible. */
void cat_hide(struct cat_parser *p, uint32_t first);
void cat_add_check(struct cat_parser *p, const struct mm_cat_check *check);
/* Parts that an option turns on or off (cat/if.c). */
struct mm_cat_expr *cat_parse_if(struct cat_parser *p);
void cat_parse_if_statement(struct cat_parser *p);
/* True if the option NAME is on; declares it as a switch. */
bool cat_option(struct cat_parser *p, const struct cat_token *name);

/* Whether the token begins a statement, while an expression is skipped.  BEFORE: the previous token; IFS: the
 * number of ifs in the expression whose else is still to come. */
bool cat_ends_statement(const struct cat_parser *p, const struct cat_token *before, unsigned *ifs);
/* Whether a let or if after T is within an expression. */
bool cat_is_inside(const struct cat_token *t);
struct mm_cat_expr *cat_new_binary(struct cat_parser *p, const struct cat_token *at, enum mm_cat_op op,
                                   struct mm_cat_expr *a, struct mm_cat_expr *b);
struct mm_cat_expr *cat_base_expr(struct cat_parser *p, const struct cat_token *at, const char *name);

/* Statements and expressions over sets of orders (cat/orders.c). */
bool cat_is_orders(const struct cat_parser *p, const struct cat_token *name);
/* At the body of a definition: skips it. */
void cat_skip_definition(struct cat_parser *p);
/* At the body of a definition of NAME: skips it if it defines sets of orders. */
bool cat_skip_orders(struct cat_parser *p, const char *name);
void cat_parse_with(struct cat_parser *p);
/* Whether E depends on the order that the model enumerates. */
bool cat_is_ordered(const struct cat_reader *reader, const struct mm_cat_expr *e);

/* Procedures and local definitions (cat/local.c). */
void cat_parse_procedure(struct cat_parser *p);
void cat_parse_procedure_call(struct cat_parser *p);
struct mm_cat_expr *cat_parse_local(struct cat_parser *p);
struct mm_cat_expr *cat_parse_try(struct cat_parser *p);

/* Libraries of other tools (cat/library.c): the text of the included file NAME, and the base name that
 * NAME is a synonym of; NULL: there is none. */
#define CAT_ONE_EVENT "read-modify-writes as one event"
const char *cat_library_text(const char *file);
const char *cat_library_alias(const struct cat_token *name);
/* The reason why a word of the language is not supported; NULL if it is supported. */
const char *cat_library_reason(const struct cat_token *name);

#endif
