/* The cat language: parts of a model that an option turns on or off.
 *
 * An option is a switch with the values off, the default, and on.  The part that is not evaluated is parsed
 * to find its end: its names need not exist.  Notation of the productions: statement.c. */
#include "memmodel/cat/parser.h"

static bool parse_condition(struct cat_parser *p);

/* option = { "not" | "~" | "!" } ( "(" condition ")" | string ) */
static bool parse_option(struct cat_parser *p)
{
    struct cat_token at;
    bool holds = true;

    while (cat_at_word(p, "not") || cat_at_symbol(p, '~') || cat_at_symbol(p, '!')) {
        cat_next(p);
        holds = !holds;
    }
    at = p->token;
    if (cat_accept(p, '(')) {
        holds = parse_condition(p) == holds;
        cat_expect(p, ')');
        return holds;
    }
    if (at.kind != CAT_STRING) {
        cat_fail_token(p, &at, "cat.option", "only options, names in quotes, can be asked for");
        return false;
    }
    holds = cat_option(p, &at) == holds;
    cat_next(p);
    return holds;
}

/* && or ||: two of SYMBOL. */
static bool accept_twice(struct cat_parser *p, int symbol)
{
    if (!cat_accept(p, symbol))
        return false;
    cat_expect(p, symbol);
    return !p->failed;
}

/* all = option { "&" "&" option } */
static bool parse_all(struct cat_parser *p)
{
    bool holds = parse_option(p);

    while (!p->failed && accept_twice(p, '&')) {
        bool more = parse_option(p);

        holds = holds && more;
    }
    return holds;
}

/* condition = all { "|" "|" all } */
static bool parse_condition(struct cat_parser *p)
{
    bool holds = false;

    if (++p->depth > CAT_MAX_DEPTH) {
        cat_fail_token(p, &p->token, "cat.depth", "condition nested too deeply");
        return false;
    }
    holds = parse_all(p);
    while (!p->failed && accept_twice(p, '|')) {
        bool more = parse_all(p);

        holds = holds || more;
    }
    p->depth--;
    return holds;
}

static void expect_word(struct cat_parser *p, const char *word, const char *message)
{
    if (!p->failed && !cat_at_word(p, word))
        cat_fail_token(p, &p->token, "cat.syntax", message);
    cat_next(p);
}

/* if-head = "if" condition "then" */
static bool parse_head(struct cat_parser *p)
{
    bool holds;

    cat_next(p);
    holds = parse_condition(p);
    expect_word(p, "then", "expected 'then'");
    return holds;
}

/* if = if-head expr "else" expr */
struct mm_cat_expr *cat_parse_if(struct cat_parser *p)
{
    bool unread = p->unread, holds = parse_head(p);
    struct mm_cat_expr *e, *other;

    p->unread = unread || !holds;
    e = p->failed ? NULL : cat_parse_union(p);
    expect_word(p, "else", "expected 'else'");
    p->unread = unread || holds;
    other = p->failed ? NULL : cat_parse_union(p);
    p->unread = unread;
    return holds ? e : other;
}

/* if-statement = if-head statements [ "else" statements ] "end" */
void cat_parse_if_statement(struct cat_parser *p)
{
    bool unread = p->unread, in_block = p->in_block, holds = parse_head(p);

    p->depth++; /* conditions within check it */
    p->in_block = true;
    p->unread = unread || !holds;
    cat_parse_statements(p);
    if (cat_at_word(p, "else")) {
        cat_next(p);
        p->unread = unread || holds;
        cat_parse_statements(p);
    }
    p->depth--;
    p->unread = unread;
    p->in_block = in_block;
    expect_word(p, "end", "expected 'end'");
}
