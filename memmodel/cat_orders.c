/* The cat language: sets of orders.  Other readers make candidate executions in the model itself, by
 * functions over sets of sets of events and `with co from ...`.  Here every candidate has its co, a total
 * order of the writes of each location, initial writes first.  Definitions that compute with such sets are
 * passed over; `with` takes what says "the total orders of the writes of each location that contain r", which
 * becomes co and a check that it contains r. */
#include "memmodel/cat_parser.h"

#include <stdio.h>
#include <string.h>

static bool is_one_of(const struct cat_token *t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (cat_is_name(t, words[i]))
            return true;
    }
    return false;
}

bool cat_is_orders(const struct cat_parser *p, const struct cat_token *name)
{
    static const char *const known[] = {"linearisations", "linearizations",  "classes-loc", "cross",
                                        "co_locs",        "generate_orders", "generate_cos"};

    if (name->kind != CAT_NAME)
        return false;
    for (const struct cat_orders *o = p->reader->orders; o; o = o->next) {
        if (cat_is_name(name, o->name))
            return true;
    }
    return is_one_of(name, known, sizeof known / sizeof *known);
}

/* After what a 'let' begins a local definition. */
static bool before_local(const struct cat_token *t)
{
    static const char *const words[] = {"in", "then", "else", "with"};

    if (t->kind == CAT_SYMBOL)
        return t->symbol == CAT_ARROW || strchr("=(,|;&\\", t->symbol & 127);
    return is_one_of(t, words, sizeof words / sizeof *words);
}

bool cat_skip_orders(struct cat_parser *p, const char *name)
{
    static const char *const words[] = {"match", "fun"};
    struct cat_parser ahead = *p;
    struct cat_token before = {.kind = CAT_SYMBOL, .symbol = '='};
    unsigned level = 0, attempts = 0;
    bool found = false;

    while (!ahead.failed && ahead.token.kind != CAT_END) {
        bool local = cat_at_word(&ahead, "let") && before_local(&before);
        bool attempt = attempts && cat_at_word(&ahead, "with");

        bool negated = before.kind == CAT_SYMBOL && strchr("~!", before.symbol & 127);

        if (!level && !local && !attempt && !negated &&
            (cat_at_statement(&ahead) || cat_at_word(&ahead, "and")))
            break;
        found = found || is_one_of(&ahead.token, words, sizeof words / sizeof *words) ||
                (cat_find_let(p, &ahead.token) == UINT32_MAX && cat_is_orders(p, &ahead.token));
        attempts += cat_at_word(&ahead, "try");
        attempts -= attempt;
        level += cat_at_word(&ahead, "match") || cat_at_word(&ahead, "begin");
        level -= level && cat_at_word(&ahead, "end");
        before = ahead.token;
        ahead.token = cat_lex(&ahead.lexer);
        if (ahead.token.kind == CAT_ERROR)
            break;
    }
    if (found) {
        struct cat_orders *o = mm_arena_alloc(p->arena, sizeof *o);

        if (!o) {
            cat_fail_memory(p);
            return true;
        }
        o->name = name;
        o->next = p->reader->orders;
        p->reader->orders = o;
        p->lexer = ahead.lexer;
        p->token = ahead.token;
        if (p->token.kind == CAT_ERROR)
            cat_fail_token(p, &p->token, "cat.lex", p->lexer.error);
    }
    return found;
}

/* What orders are made of: SET of writes (NULL: all), and the relation that they contain (NULL: any). */
struct source {
    struct mm_cat_expr *set, *contained;
    bool by_location;
};

static void parse_source_arguments(struct cat_parser *p, struct source *s)
{
    cat_expect(p, '(');
    do {
        struct cat_token at = p->token;
        bool classes = cat_at_word(p, "classes-loc");
        struct mm_cat_expr *e;
        enum mm_cat_type type = MM_CAT_SET;

        if (classes)
            cat_next(p);
        e = p->failed ? NULL : cat_parse_union(p);
        if (!p->failed)
            cat_fail_status(p, cat_infer(p->reader, e, 0, true, &type));
        if (!p->failed && ((classes && type == MM_CAT_REL) || (type == MM_CAT_REL ? s->contained : s->set)))
            cat_fail_token(p, &at, "cat.orders", "orders are made of one set of writes and one relation");
        s->by_location |= classes;
        if (type == MM_CAT_REL)
            s->contained = e;
        else
            s->set = e;
    } while (cat_accept(p, ','));
    cat_expect(p, ')');
}

/* cross ( f ( r, classes-loc ( S ) ) )  |  generate_orders ( S, r )  |  generate_cos ( r ) */
static void parse_source(struct cat_parser *p, struct source *s)
{
    struct cat_token at = p->token;
    bool cross = cat_at_word(p, "cross");

    s->by_location = cat_at_word(p, "generate_orders") || cat_at_word(p, "generate_cos");
    if (cross) {
        cat_next(p);
        cat_expect(p, '(');
        if (!p->failed && !cat_is_orders(p, &p->token))
            cat_fail_named(p, &p->token, "cat.orders", "'%.*s' makes no orders");
    }
    if (cross || s->by_location) {
        cat_next(p);
        parse_source_arguments(p, s);
    }
    if (cross)
        cat_expect(p, ')');
    if (!s->by_location)
        cat_fail_token(p, &at, "cat.orders",
                       "only the orders of the writes of each location can be enumerated: expected "
                       "cross(f(r, classes-loc(S))), generate_orders(S, r) or generate_cos(r)");
}

/* with NAME from SOURCE */
void cat_parse_with(struct cat_parser *p)
{
    struct cat_token at = p->token;
    struct mm_cat_let let = {.line = at.line, .column = at.column};
    struct mm_cat_check check = {.kind = MM_CAT_CHECK_EMPTY, .line = at.line, .column = at.column};
    struct mm_cat_expr *pairs = NULL;
    struct source source = {0};
    enum mm_cat_type type;
    char name[32];

    cat_next(p);
    if (p->token.kind != CAT_NAME || cat_at_keyword(p)) {
        cat_fail_token(p, &p->token, "cat.syntax", "expected a name to define");
        return;
    }
    let.name = cat_copy_text(p, p->token.start, p->token.length);
    cat_next(p);
    if (!cat_at_word(p, "from"))
        cat_fail_token(p, &p->token, "cat.syntax", "expected 'from'");
    cat_next(p);
    if (!p->failed)
        parse_source(p, &source);
    if (p->failed)
        return;
    let.body = cat_base_expr(p, &at, "co");
    if (source.set) {
        pairs = cat_new_binary(p, &at, MM_CAT_PRODUCT, source.set, source.set);
        let.body = cat_new_binary(p, &at, MM_CAT_INTER, let.body, pairs);
    }
    cat_define(p, &let);
    if (!source.contained || p->failed)
        return;
    check.expr = pairs ? cat_new_binary(p, &at, MM_CAT_INTER, source.contained, pairs) : source.contained;
    check.expr = cat_new_binary(p, &at, MM_CAT_DIFF, check.expr, let.body);
    snprintf(name, sizeof name, "with@%u", at.line);
    check.name = cat_copy_text(p, name, strlen(name));
    if (!p->failed)
        cat_fail_status(p, cat_infer(p->reader, check.expr, 0, true, &type));
    if (!p->failed)
        cat_add_check(p, &check);
}
