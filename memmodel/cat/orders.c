/* The cat language: sets of orders.  Other readers make candidate executions in the model itself, by
 * functions over sets of sets of events and `with co from ...`.  Here every candidate has its co, a total
 * order of the writes of each location, initial writes first.  Definitions that compute with such sets are
 * skipped.  `with` accepts two forms: "the total orders of the writes of each location that contain r"
 * becomes co and a check that co contains r; "the total orders of a set that contain r", once in a model,
 * are enumerated (cat/linear.c). */
#include "memmodel/cat/parser.h"

#include <stdio.h>
#include <string.h>

static bool is_one_of(const struct cat_token *t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cat_is_name(t, words[i]))
            return true;
    return false;
}

bool cat_is_orders(const struct cat_parser *p, const struct cat_token *name)
{
    static const char *const known[] = {"linearisations", "linearizations",  "classes-loc", "cross",
                                        "co_locs",        "generate_orders", "generate_cos"};

    if (name->kind != CAT_NAME)
        return false;
    for (const struct cat_orders *o = p->reader->orders; o; o = o->next)
        if (cat_is_name(name, o->name))
            return true;
    return is_one_of(name, known, sizeof known / sizeof *known);
}

bool cat_is_inside(const struct cat_token *t)
{
    static const char *const words[] = {"in", "then", "else", "with", "begin", "try"};

    if (t->kind == CAT_SYMBOL)
        return t->symbol == CAT_ARROW || (t->symbol < 128 && strchr("=(,|;&\\", t->symbol));
    return is_one_of(t, words, sizeof words / sizeof *words);
}

/* The constructs around a token: those whose end, with or else is still to come. */
struct nesting {
    unsigned blocks; /* match, begin: up to end */
    unsigned withs;  /* match, try: up to with */
    unsigned ifs;    /* if: up to else */
};

static void count_token(const struct cat_parser *at, struct nesting *n)
{
    n->withs += cat_at_word(at, "match") || cat_at_word(at, "try");
    n->withs -= n->withs && cat_at_word(at, "with");
    n->blocks += cat_at_word(at, "match") || cat_at_word(at, "begin");
    n->blocks -= n->blocks && cat_at_word(at, "end");
}

/* Whether the token after BEFORE is the first one that is not of the definition; updates N's ifs. */
static bool ends_definition(const struct cat_parser *at, const struct cat_token *before, struct nesting *n)
{
    bool negated = before->kind == CAT_SYMBOL && (before->symbol == '~' || before->symbol == '!');

    if (n->blocks || negated || (n->withs && cat_at_word(at, "with")))
        return false;
    return cat_ends_statement(at, before, &n->ifs) || cat_at_word(at, "and");
}

/* Whether the token shows that the definition computes with sets of orders. */
static bool computes_orders(const struct cat_parser *p, const struct cat_token *t)
{
    return cat_is_name(t, "match") || cat_is_name(t, "fun") ||
           (cat_find_let(p, t) == MM_CAT_NO_LET && cat_is_orders(p, t));
}

/* The position after the definition whose body begins at P, in *END; whether the definition computes with
 * sets of orders.  Scans tokens: such definitions have expressions that the parser lacks. */
static bool find_definition_end(const struct cat_parser *p, struct cat_parser *end)
{
    struct cat_token before = {.kind = CAT_SYMBOL, .symbol = '='};
    struct nesting nesting = {0};
    bool found = false;

    *end = *p;
    while (!end->failed && end->token.kind != CAT_END && end->token.kind != CAT_ERROR &&
           !ends_definition(end, &before, &nesting)) {
        found = found || computes_orders(p, &end->token);
        count_token(end, &nesting);
        before = end->token;
        end->token = cat_lex(&end->lexer);
    }
    return found;
}

/* Moves P to END, where a definition ends. */
static void move_to_end(struct cat_parser *p, const struct cat_parser *end)
{
    p->lexer = end->lexer;
    p->token = end->token;
    if (p->token.kind == CAT_ERROR)
        cat_fail_token(p, &p->token, "cat.lex", p->lexer.error);
}

void cat_skip_definition(struct cat_parser *p)
{
    struct cat_parser end;

    find_definition_end(p, &end);
    move_to_end(p, &end);
}

bool cat_skip_orders(struct cat_parser *p, const char *name)
{
    struct cat_parser end;
    struct cat_orders *o;

    if (!find_definition_end(p, &end))
        return false;
    o = mm_arena_alloc(p->arena, sizeof *o);
    if (!o) {
        cat_fail_memory(p);
        return true;
    }
    *o = (struct cat_orders){
        .name = name, .file = p->file, .first = p->token, .body = p->lexer, .next = p->reader->orders};
    p->reader->orders = o;
    move_to_end(p, &end);
    return true;
}

/* A set of orders: of the writes SET (NULL: all), that contain the relation (NULL: any order). */
struct source {
    struct mm_cat_expr *set, *contained;
    bool by_location, linear; /* of each location; of the set as a whole */
};

/* source-arguments = "(" [ "classes-loc" ] expr { "," [ "classes-loc" ] expr } ")"    (a set, a relation) */
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

static const struct cat_orders *find_orders(const struct cat_parser *p, const struct cat_token *name)
{
    const struct cat_orders *o = name->kind == CAT_NAME ? p->reader->orders : NULL;

    while (o && !cat_is_name(name, o->name))
        o = o->next;
    return o;
}

static void parse_source(struct cat_parser *p, struct source *s);

/* A name defined as a set of orders: parses its definition now. */
static void parse_named_source(struct cat_parser *p, const struct cat_orders *o, struct source *s)
{
    struct cat_parser body = *p;

    if (++body.depth > CAT_MAX_DEPTH) {
        cat_fail_token(p, &p->token, "cat.depth", "definitions nested too deeply");
        return;
    }
    body.lexer = o->body;
    body.token = o->first;
    body.file = o->file;
    parse_source(&body, s);
    p->failed = body.failed;
    if (!p->failed)
        cat_next(p);
}

/* source = "cross" "(" name source-arguments ")"    (name: a function that makes orders)
 *        | ( "generate_orders" | "generate_cos" | "linearisations" | "linearizations" ) source-arguments
 *        | name    (of a definition by one of these) */
static void parse_source(struct cat_parser *p, struct source *s)
{
    const struct cat_orders *named = find_orders(p, &p->token);
    struct cat_token at = p->token;
    bool cross = cat_at_word(p, "cross");

    if (named) {
        parse_named_source(p, named, s);
        return;
    }
    s->linear = cat_at_word(p, "linearisations") || cat_at_word(p, "linearizations");
    s->by_location = cat_at_word(p, "generate_orders") || cat_at_word(p, "generate_cos");
    if (cross) {
        cat_next(p);
        cat_expect(p, '(');
        if (!p->failed && !cat_is_orders(p, &p->token))
            cat_fail_named(p, &p->token, "cat.orders", "'%.*s' makes no orders");
    }
    if (cross || s->by_location || s->linear) {
        cat_next(p);
        parse_source_arguments(p, s);
    }
    if (cross)
        cat_expect(p, ')');
    if (s->linear && !(s->set && s->contained))
        cat_fail_token(p, &at, "cat.orders", "linearisations takes a set and a relation");
    if (!s->by_location && !s->linear)
        cat_fail_token(
            p, &at, "cat.orders",
            "orders can be enumerated of the writes of each location, by cross(f(r, classes-loc(S))), "
            "generate_orders(S, r) or generate_cos(r), or of one set, by linearisations(S, r)");
}

bool cat_is_ordered(const struct cat_reader *reader, const struct mm_cat_expr *e)
{
    bool ordered = e->op == MM_CAT_LINEAR || (e->let != MM_CAT_NO_LET && reader->info[e->let].ordered);

    for (uint32_t i = 0; i < e->child_count && !ordered; i++)
        ordered = cat_is_ordered(reader, e->child[i]);
    return ordered;
}

/* Adds checks that the relation that S must contain is acyclic and that S contains it. */
static void check_order(struct cat_parser *p, const struct cat_token *at, struct mm_cat_expr *within,
                        uint32_t order)
{
    struct mm_cat_expr *name_of_order = cat_new_expr(p, at, MM_CAT_NAME, 0);
    struct mm_cat_check check = {
        .kind = MM_CAT_ACYCLIC, .line = at->line, .column = at->column, .expr = within};
    enum mm_cat_type type;
    char name[32];

    snprintf(name, sizeof name, "with@%u", at->line);
    check.name = cat_copy_text(p, name, strlen(name));
    if (name_of_order)
        name_of_order->let = order;
    if (order == p->reader->model->order_let) {
        cat_add_check(p, &check);
        p->reader->model->order_check = p->reader->model->check_count - 1;
    }
    check.kind = MM_CAT_CHECK_EMPTY;
    check.expr = cat_new_binary(p, at, MM_CAT_DIFF, within, name_of_order);
    if (!p->failed)
        cat_fail_status(p, cat_infer(p->reader, check.expr, 0, true, &type));
    if (!p->failed)
        cat_add_check(p, &check);
}

/* with = "with" name "from" source */
void cat_parse_with(struct cat_parser *p)
{
    struct cat_token at = p->token;
    struct mm_cat_let let = {.line = at.line, .column = at.column};
    struct mm_cat_expr *pairs = NULL, *within;
    struct source source = {0};
    uint32_t index;

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
    if (!p->failed && source.linear && p->reader->model->order_let != MM_CAT_NO_LET)
        cat_fail_token(p, &at, "cat.orders", "a model enumerates one order of a set, not two");
    if (p->failed)
        return;
    if (source.set)
        pairs = cat_new_binary(p, &at, MM_CAT_PRODUCT, source.set, source.set);
    let.body = source.linear ? cat_new_binary(p, &at, MM_CAT_LINEAR, source.set, source.contained)
                             : cat_base_expr(p, &at, "co");
    if (pairs && !source.linear)
        let.body = cat_new_binary(p, &at, MM_CAT_INTER, let.body, pairs);
    index = cat_define(p, &let);
    if (source.linear && !p->failed)
        p->reader->model->order_let = index;
    if (!source.contained || p->failed)
        return;
    within = pairs ? cat_new_binary(p, &at, MM_CAT_INTER, source.contained, pairs) : source.contained;
    if (within)
        check_order(p, &at, within, index);
}
