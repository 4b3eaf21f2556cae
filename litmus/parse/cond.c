/* The final part of a test, which both dialects share: observed locations, filter, condition. */
#include "litmus/parse/ast.h"

#include <string.h>

static struct lt_prop *parse_prop(struct lt_lexer *lexer);

static struct lt_prop *new_prop(struct lt_lexer *lexer, enum lt_prop_kind kind, struct lt_prop *a,
                                struct lt_prop *b)
{
    struct lt_prop *p = lt_new(lexer, sizeof *p);
    if (!p)
        return NULL;
    p->kind = kind;
    p->pos = lt_peek(lexer, 0)->pos;
    p->a = a;
    p->b = b;
    p->depth = 1;
    if (a && a->depth >= p->depth)
        p->depth = a->depth + 1;
    if (b && b->depth >= p->depth)
        p->depth = b->depth + 1;
    if (p->depth > LT_MAX_DEPTH) {
        lt_fail_at(lexer, p->pos, "proposition nested more than %d deep", LT_MAX_DEPTH);
        return NULL;
    }
    return p;
}

/* term = thread-number ":" name | constant | [ "*" ] name [ "[" number "]" ]
 *      | "[" name [ "[" number "]" ] "]" */
static bool parse_term(struct lt_lexer *lexer, struct lt_term *term)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    *term = (struct lt_term){.pos = t->pos};
    if (strcmp(lt_peek(lexer, 1)->text, ":") == 0 && lt_thread_number(t, &term->thread)) {
        term->kind = LT_TERM_REG;
        term->thread_p = t->kind == LT_T_NAME;
        lt_take(lexer);
        lt_take(lexer);
        term->name = lt_expect_name(lexer, "a register name");
        return !lexer->failed;
    }
    if (t->kind == LT_T_NUMBER || lt_is(lexer, "-"))
        return lt_parse_constant(lexer, &term->value);
    term->kind = LT_TERM_LOCATION;
    if (lt_accept(lexer, "["))
        term->form = LT_BRACKET;
    else if (lt_accept(lexer, "*"))
        term->form = LT_STAR;
    term->name = lt_expect_name(lexer, "a register (0:r0), a location or a number");
    if (lexer->failed)
        return false;
    if (lt_accept(lexer, "[")) {
        uint64_t index = 0;
        if (!lt_expect_number(lexer, "an index", LT_MAX_ELEMENTS - 1, &index) || !lt_expect(lexer, "]"))
            return false;
        term->index = (uint32_t)index;
        term->form = term->form == LT_PLAIN ? LT_ELEMENT : term->form;
    }
    return term->form != LT_BRACKET || lt_expect(lexer, "]");
}

/* comparison = term ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) term */
static struct lt_prop *parse_comparison(struct lt_lexer *lexer)
{
    static const struct {
        const char *text;
        enum lt_operator op;
    } table[] = {{"=", LT_OP_EQ},  {"==", LT_OP_EQ}, {"!=", LT_OP_NE}, {"<", LT_OP_LT},
                 {"<=", LT_OP_LE}, {">", LT_OP_GT},  {">=", LT_OP_GE}};
    struct lt_prop *p = new_prop(lexer, LT_PROP_COMPARE, NULL, NULL);
    if (!p || !parse_term(lexer, &p->left))
        return NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (lt_accept(lexer, table[i].text)) {
            p->op = table[i].op;
            return parse_term(lexer, &p->right) ? p : NULL;
        }
    lt_unexpected(lexer, "a comparison (=, ==, !=, <, <=, >, >=)");
    return NULL;
}

/* leaf = "true" | "false" | comparison */
static struct lt_prop *parse_leaf(struct lt_lexer *lexer)
{
    if (lt_accept(lexer, "true"))
        return new_prop(lexer, LT_PROP_TRUE, NULL, NULL);
    if (lt_accept(lexer, "false"))
        return new_prop(lexer, LT_PROP_FALSE, NULL, NULL);
    return parse_comparison(lexer);
}

/* atom = "(" prop ")" | ( "~" | "!" | "not" ) atom | leaf */
static struct lt_prop *parse_atom(struct lt_lexer *lexer)
{
    struct lt_prop *p = NULL;
    if (!lt_enter(lexer)) {
        lt_leave(lexer);
        return NULL;
    }
    if (lt_accept(lexer, "(")) {
        p = parse_prop(lexer);
        lt_expect(lexer, ")");
    } else if (lt_is(lexer, "~") || lt_is(lexer, "!") || lt_is(lexer, "not")) {
        lt_take(lexer);
        struct lt_prop *a = parse_atom(lexer);
        p = a ? new_prop(lexer, LT_PROP_NOT, a, NULL) : NULL;
    } else {
        p = parse_leaf(lexer);
    }
    lt_leave(lexer);
    return lexer->failed ? NULL : p;
}

/* and = atom { ( "/\" | "&&" ) atom } */
static struct lt_prop *parse_and(struct lt_lexer *lexer)
{
    struct lt_prop *p = parse_atom(lexer);
    while (p && (lt_accept(lexer, "/\\") || lt_accept(lexer, "&&"))) {
        struct lt_prop *b = parse_atom(lexer);
        p = b ? new_prop(lexer, LT_PROP_AND, p, b) : NULL;
    }
    return p;
}

/* or = and { ( "\/" | "||" ) and } */
static struct lt_prop *parse_or(struct lt_lexer *lexer)
{
    struct lt_prop *p = parse_and(lexer);
    while (p && (lt_accept(lexer, "\\/") || lt_accept(lexer, "||"))) {
        struct lt_prop *b = parse_and(lexer);
        p = b ? new_prop(lexer, LT_PROP_OR, p, b) : NULL;
    }
    return p;
}

/* prop = or [ "=>" prop ]    (P => Q is ~P \/ Q) */
static struct lt_prop *parse_prop(struct lt_lexer *lexer)
{
    struct lt_prop *p = lt_enter(lexer) ? parse_or(lexer) : NULL;
    if (p && lt_accept(lexer, "=>")) {
        struct lt_prop *q = parse_prop(lexer);
        struct lt_prop *negated = q ? new_prop(lexer, LT_PROP_NOT, p, NULL) : NULL;
        p = negated ? new_prop(lexer, LT_PROP_OR, negated, q) : NULL;
    }
    lt_leave(lexer);
    return lexer->failed ? NULL : p;
}

/* locations = "locations" "[" [ term { ";" term } [ ";" ] ] "]" */
static void parse_locations(struct lt_lexer *lexer)
{
    struct lt_observed **tail = &lexer->test->observed;
    lt_expect(lexer, "[");
    while (!lexer->failed && !lt_accept(lexer, "]")) {
        struct lt_observed *o = lt_new(lexer, sizeof *o);
        if (!o || !parse_term(lexer, &o->term))
            return;
        if (o->term.kind == LT_TERM_CONST)
            lt_fail_at(lexer, o->term.pos, "expected a register or a location");
        *tail = o;
        tail = &o->next;
        if (!lt_is(lexer, "]"))
            lt_expect(lexer, ";");
    }
}

/* final = [ locations ] [ filter ] quantified | [ locations ] filter    (locations, filter: in either order)
 * filter = "filter" prop
 * quantified = ( "exists" | ( "~" | "not" ) "exists" | "forall" ) prop */
void lt_parse_final(struct lt_lexer *lexer)
{
    struct lt_test *test = lexer->test;
    for (bool more = true; more && !lexer->failed;) {
        more = false;
        if (!test->observed && (more = lt_accept(lexer, "locations")))
            parse_locations(lexer);
        else if (!test->filter && (more = lt_accept(lexer, "filter")))
            test->filter = parse_prop(lexer);
    }
    if (lexer->failed)
        return;
    bool negated = lt_accept(lexer, "~") || lt_accept(lexer, "not");
    if (lt_accept(lexer, "exists"))
        test->quantifier = negated ? CK_NOT_EXISTS : CK_EXISTS;
    else if (!negated && lt_accept(lexer, "forall"))
        test->quantifier = CK_FORALL;
    else if (test->filter && !negated && lt_peek(lexer, 0)->kind == LT_T_END)
        return;
    else
        lt_unexpected(lexer, "exists, ~exists, forall or filter");
    if (!lexer->failed)
        test->condition = parse_prop(lexer);
    if (!lexer->failed && lt_peek(lexer, 0)->kind != LT_T_END)
        lt_unexpected(lexer, "the end of the test");
}
