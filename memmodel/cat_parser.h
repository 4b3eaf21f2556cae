/* The parser of the cat language, shared by its parts. */
#ifndef MEMMODEL_CAT_PARSER_H
#define MEMMODEL_CAT_PARSER_H

#include "memmodel/cat_internal.h"

struct cat_parser {
    struct cat_reader *reader;
    struct mm_arena *arena;
    struct cat_lexer lexer;
    struct cat_token token;
    const char *file; /* lives in the arena */
    const char **parameters;
    uint32_t parameter_count;
    unsigned depth;
    bool failed;
};

/* The first failure counts; afterwards nothing is read any more. */
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

#endif
