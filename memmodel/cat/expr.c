/* The cat language: expressions.
 *
 * Loosest to tightest: |  ;  \  &  *(product)  ~  and the postfix operators ^-1 + * ? ^2.  Notation:
 * statement.c. */
#include "memmodel/cat/parser.h"

#include <string.h>

struct mm_cat_expr *cat_new_expr(struct cat_parser *p, const struct cat_token *at, enum mm_cat_op op,
                                 uint32_t child_count)
{
    struct mm_cat_expr *e = mm_arena_alloc(p->arena, sizeof *e);

    if (e && child_count)
        e->child = mm_arena_alloc(p->arena, child_count * sizeof *e->child);
    if (!e || (child_count && !e->child)) {
        cat_fail_memory(p);
        return NULL;
    }
    e->op = op;
    e->type = MM_CAT_REL;
    e->line = at->line;
    e->column = at->column;
    e->file = p->file;
    e->base = MM_CAT_NO_BASE;
    e->let = MM_CAT_NO_LET;
    e->child_count = child_count;
    return e;
}

static struct mm_cat_expr *unary_expr(struct cat_parser *p, const struct cat_token *at, enum mm_cat_op op,
                                      struct mm_cat_expr *a)
{
    struct mm_cat_expr *e = a ? cat_new_expr(p, at, op, 1) : NULL;

    if (e)
        e->child[0] = a;
    return e;
}

struct mm_cat_expr *cat_new_binary(struct cat_parser *p, const struct cat_token *at, enum mm_cat_op op,
                                   struct mm_cat_expr *a, struct mm_cat_expr *b)
{
    struct mm_cat_expr *e = a && b ? cat_new_expr(p, at, op, 2) : NULL;

    if (e) {
        e->child[0] = a;
        e->child[1] = b;
    }
    return e;
}

bool cat_is_name(const struct cat_token *t, const char *name)
{
    return name && t->length == strlen(name) && memcmp(t->start, name, t->length) == 0;
}

uint32_t cat_find_let(const struct cat_parser *p, const struct cat_token *t)
{
    const struct mm_cat_model *m = p->reader->model;

    for (uint32_t i = m->let_count; i-- > 0;)
        if (!p->reader->info[i].hidden && cat_is_name(t, m->lets[i].name))
            return i;
    return MM_CAT_NO_LET;
}

static uint32_t find_base(const struct cat_token *t)
{
    const char *alias = cat_library_alias(t);

    if (alias)
        return find_base(&(struct cat_token){.start = alias, .length = strlen(alias)});
    for (uint32_t i = 0; i < mm_cat_base_count; i++)
        if (cat_is_name(t, mm_cat_bases[i].name))
            return i;
    return MM_CAT_NO_BASE;
}

struct mm_cat_expr *cat_base_expr(struct cat_parser *p, const struct cat_token *at, const char *name)
{
    struct mm_cat_expr *e = cat_new_expr(p, at, MM_CAT_NAME, 0);

    if (e) {
        e->base = find_base(&(struct cat_token){.start = name, .length = strlen(name)});
        e->type = mm_cat_bases[e->base].type;
    }
    return e;
}

static struct mm_cat_expr *parse_primary(struct cat_parser *p);

/* operand = primary    (what a function is applied to, without parentheses) */
static struct mm_cat_expr *parse_operand(struct cat_parser *p)
{
    struct mm_cat_expr *e = NULL;

    if (++p->depth > CAT_MAX_DEPTH)
        cat_fail_token(p, &p->token, "cat.depth", "expression nested too deeply");
    else
        e = parse_primary(p);
    p->depth--;
    return e;
}

/* A definition within a function, which takes that one's parameters. */
static struct mm_cat_expr *call_inner(struct cat_parser *p, const struct cat_token *name, uint32_t let,
                                      uint32_t count)
{
    struct mm_cat_expr *e = cat_new_expr(p, name, MM_CAT_CALL, count);

    for (uint32_t i = 0; e && i < count; i++) {
        e->child[i] = cat_new_expr(p, name, MM_CAT_PARAMETER, 0);
        if (e->child[i])
            e->child[i]->parameter = i;
    }
    if (e)
        e->let = let;
    return p->failed ? NULL : e;
}

/* application = name operand */
static struct mm_cat_expr *parse_application(struct cat_parser *p, const struct cat_token *name, uint32_t let)
{
    struct mm_cat_expr *a, *e;

    if (p->reader->model->lets[let].parameter_count != 1) {
        cat_fail_named(p, name, "cat.call", "wrong number of arguments for '%.*s'");
        return NULL;
    }
    a = parse_operand(p);
    e = a ? unary_expr(p, name, MM_CAT_CALL, a) : NULL;
    if (e)
        e->let = let;
    return e;
}

/* call = name "(" expr { "," expr } ")"    (after the opening parenthesis) */
static struct mm_cat_expr *parse_call(struct cat_parser *p, const struct cat_token *name, uint32_t let)
{
    struct mm_cat_expr *arguments[CAT_MAX_PARAMETERS] = {NULL}, *e;
    uint32_t count = 0, wanted = p->reader->model->lets[let].parameter_count;

    do {
        struct mm_cat_expr *a = cat_parse_union(p);

        if (count < CAT_MAX_PARAMETERS)
            arguments[count] = a;
        count++;
    } while (cat_accept(p, ','));
    cat_expect(p, ')');
    if (!p->failed && count != wanted)
        cat_fail_named(p, name, "cat.call", "wrong number of arguments for '%.*s'");
    e = p->failed ? NULL : cat_new_expr(p, name, MM_CAT_CALL, count);
    if (e) {
        e->let = let;
        memcpy(e->child, arguments, count * sizeof *arguments);
    }
    return e;
}

/* built-in = ( "domain" | "range" | "toid" | "fencerel" ) operand
 * fencerel(S) is (po & (_ * S)); po. */
static struct mm_cat_expr *parse_built_in(struct cat_parser *p, const struct cat_token *name)
{
    static const struct {
        const char *name;
        enum mm_cat_op op;
    } known[] = {{"domain", MM_CAT_DOMAIN},
                 {"range", MM_CAT_RANGE},
                 {"toid", MM_CAT_IDENTITY},
                 {"fencerel", MM_CAT_SEQ}};
    struct mm_cat_expr *a;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!cat_is_name(name, known[i].name))
            continue;
        a = parse_operand(p);
        if (p->failed)
            return NULL;
        if (known[i].op != MM_CAT_SEQ)
            return unary_expr(p, name, known[i].op, a);
        a = cat_new_binary(p, name, MM_CAT_PRODUCT, cat_new_expr(p, name, MM_CAT_UNIVERSE, 0), a);
        if (a)
            a->child[0]->type = MM_CAT_SET;
        a = cat_new_binary(p, name, MM_CAT_INTER, cat_base_expr(p, name, "po"), a);
        return cat_new_binary(p, name, MM_CAT_SEQ, a, cat_base_expr(p, name, "po"));
    }
    return NULL;
}

/* unread = name [ "(" expr { "," expr } ")" | operand ]    (a name that may not exist, not evaluated) */
static struct mm_cat_expr *parse_unread(struct cat_parser *p, const struct cat_token *name)
{
    if (cat_accept(p, '(')) {
        do
            cat_parse_union(p);
        while (cat_accept(p, ','));
        cat_expect(p, ')');
    } else if (p->token.kind == CAT_NAME && !cat_at_keyword(p)) {
        parse_operand(p);
    }
    return p->failed ? NULL : cat_new_expr(p, name, MM_CAT_EMPTY, 0);
}

/* named = call | application | built-in | unread | name    (by the definition of the name) */
static struct mm_cat_expr *parse_name(struct cat_parser *p)
{
    struct cat_token name = p->token;
    struct mm_cat_expr *e;
    uint32_t let, base;

    cat_next(p);
    for (uint32_t i = 0; i < p->parameter_count; i++) {
        if (cat_is_name(&name, p->parameters[i]) && (e = cat_new_expr(p, &name, MM_CAT_PARAMETER, 0))) {
            e->parameter = i;
            return e;
        }
    }
    let = cat_find_let(p, &name);
    if (let == MM_CAT_NO_LET && cat_is_orders(p, &name)) {
        cat_fail_named(p, &name, "cat.orders", "'%.*s' is about sets of orders, which only 'with' takes");
        return NULL;
    }
    if (let != MM_CAT_NO_LET && p->reader->info[let].outside)
        return call_inner(p, &name, let, p->reader->info[let].outside);
    if (let != MM_CAT_NO_LET && p->reader->model->lets[let].parameter_count) {
        if (cat_accept(p, '('))
            return parse_call(p, &name, let);
        if (p->token.kind == CAT_NAME && !cat_at_keyword(p))
            return parse_application(p, &name, let);
        cat_fail_named(p, &name, "cat.call", "function '%.*s' without arguments");
        return NULL;
    }
    if (let == MM_CAT_NO_LET && (e = parse_built_in(p, &name)))
        return e;
    if (p->failed)
        return NULL;
    base = let == MM_CAT_NO_LET ? find_base(&name) : MM_CAT_NO_BASE;
    if ((cat_is_name(&name, "emptyset") || cat_is_name(&name, "CON")) && let == MM_CAT_NO_LET) {
        e = cat_new_expr(p, &name, MM_CAT_EMPTY, 0);
        if (e)
            e->type = MM_CAT_SET;
        return e;
    }
    if (let == MM_CAT_NO_LET && base == MM_CAT_NO_BASE && p->unread)
        return parse_unread(p, &name);
    if (let == MM_CAT_NO_LET && base == MM_CAT_NO_BASE) {
        if (cat_library_reason(&name))
            cat_fail_token(p, &name, "cat.syntax", cat_library_reason(&name));
        cat_fail_named(p, &name, "cat.name", "unknown name '%.*s'");
        return NULL;
    }
    if (cat_at_symbol(p, '(')) {
        cat_fail_named(p, &name, "cat.call", "'%.*s' is not a function");
        return NULL;
    }
    e = cat_new_expr(p, &name, MM_CAT_NAME, 0);
    if (e) {
        e->let = let;
        e->base = base;
    }
    return e;
}

/* primary = "(" expr ")" | "[" expr "]" | "{" "}" | "0" | "_" | named | if | try | "begin" expr "end" */
static struct mm_cat_expr *parse_primary(struct cat_parser *p)
{
    struct cat_token at = p->token;
    struct mm_cat_expr *e = NULL;

    if (cat_accept(p, '(')) {
        e = cat_parse_union(p);
        if (cat_at_symbol(p, ','))
            cat_fail_token(p, &p->token, "cat.syntax",
                           "values of several parts are not known here: pass them one by one");
        cat_expect(p, ')');
    } else if (cat_accept(p, '[')) {
        e = cat_parse_union(p);
        cat_expect(p, ']');
        e = unary_expr(p, &at, MM_CAT_IDENTITY, e);
    } else if (cat_accept(p, '{')) {
        if (!p->failed && !cat_at_symbol(p, '}'))
            cat_fail_token(p, &p->token, "cat.syntax",
                           "sets of single events or of sets are not known here, only {}");
        cat_expect(p, '}');
        e = cat_new_expr(p, &at, MM_CAT_EMPTY, 0);
        if (e)
            e->type = MM_CAT_SET;
    } else if (p->token.kind == CAT_NUMBER && p->token.length == 1 && *p->token.start == '0') {
        cat_next(p);
        e = cat_new_expr(p, &at, MM_CAT_EMPTY, 0);
    } else if (cat_at_word(p, "_")) {
        cat_next(p);
        e = cat_new_expr(p, &at, MM_CAT_UNIVERSE, 0);
        if (e)
            e->type = MM_CAT_SET;
    } else if (p->token.kind == CAT_NAME && !cat_at_keyword(p)) {
        e = parse_name(p);
    } else if (cat_at_word(p, "if")) {
        e = cat_parse_if(p);
    } else if (cat_at_word(p, "try")) {
        e = cat_parse_try(p);
    } else if (cat_at_word(p, "begin")) {
        cat_next(p);
        e = cat_parse_union(p);
        if (!p->failed && !cat_at_word(p, "end"))
            cat_fail_token(p, &p->token, "cat.syntax", "expected 'end'");
        cat_next(p);
    } else {
        const char *reason = cat_library_reason(&at);

        cat_fail_token(p, &at, "cat.syntax",
                       reason               ? reason
                       : at.kind == CAT_END ? "the model ends inside an expression"
                                            : "expected a set or a relation");
    }
    return e;
}

/* Whether the token begins an operand: distinguishes A * B from r*. */
static bool starts_operand(const struct cat_parser *p)
{
    if (p->token.kind == CAT_NAME)
        return !cat_at_keyword(p);
    if (p->token.kind == CAT_NUMBER)
        return true;
    return p->token.kind == CAT_SYMBOL && strchr("([{~!", p->token.symbol) && p->token.symbol < 128;
}

/* postfix = primary { "^-1" | "^2" | "+" | "?" | "*" }    ("*" where no operand follows)
 * *PRODUCT: a '*' was taken that must be followed by another operand. */
static struct mm_cat_expr *parse_postfix(struct cat_parser *p, bool *product)
{
    struct mm_cat_expr *e = parse_primary(p);

    *product = false;
    while (!p->failed && p->token.kind == CAT_SYMBOL) {
        struct cat_token at = p->token;

        if (cat_accept(p, CAT_INVERSE)) {
            e = unary_expr(p, &at, MM_CAT_INVERSE, e);
        } else if (cat_accept(p, CAT_SQUARE)) {
            e = cat_new_binary(p, &at, MM_CAT_PRODUCT, e, e);
        } else if (cat_accept(p, '+')) {
            e = unary_expr(p, &at, MM_CAT_PLUS, e);
        } else if (cat_accept(p, '?')) {
            e = unary_expr(p, &at, MM_CAT_OPTIONAL, e);
        } else if (cat_accept(p, '*')) {
            if (starts_operand(p)) {
                *product = true;
                return e;
            }
            e = unary_expr(p, &at, MM_CAT_STAR, e);
        } else {
            if (cat_at_symbol(p, CAT_ADD_ELEMENT))
                cat_fail_token(p, &at, "cat.syntax",
                               "'++' works on single events, which this reader does not have");
            break;
        }
    }
    return e;
}

/* prefix = ( "~" | "!" ) prefix | postfix */
static struct mm_cat_expr *parse_prefix(struct cat_parser *p, bool *product)
{
    struct cat_token at = p->token;
    struct mm_cat_expr *e;

    if (++p->depth > CAT_MAX_DEPTH) {
        cat_fail_token(p, &at, "cat.depth", "expression nested too deeply");
        return NULL;
    }
    if (cat_accept(p, '~') || cat_accept(p, '!'))
        e = unary_expr(p, &at, MM_CAT_COMPLEMENT, parse_prefix(p, product));
    else
        e = parse_postfix(p, product);
    p->depth--;
    return e;
}

/* product = prefix { "*" prefix } */
static struct mm_cat_expr *parse_product(struct cat_parser *p)
{
    bool more = false;
    struct cat_token at = p->token;
    struct mm_cat_expr *e = parse_prefix(p, &more);

    while (more && !p->failed)
        e = cat_new_binary(p, &at, MM_CAT_PRODUCT, e, parse_prefix(p, &more));
    return e;
}

static bool is_base(const struct mm_cat_expr *e, const char *name)
{
    return e->op == MM_CAT_NAME && e->base != MM_CAT_NO_BASE && strcmp(mm_cat_bases[e->base].name, name) == 0;
}

/* R & W are the read-modify-writes of models in which these are one event.  Here they are two, and the
 * expression becomes both halves. */
static struct mm_cat_expr *both_halves(struct cat_parser *p, struct mm_cat_expr *e)
{
    const struct mm_cat_expr *a = e->child[0], *b = e->child[1];
    struct cat_token at = {.line = e->line, .column = e->column};

    if (!(is_base(a, "R") && is_base(b, "W")) && !(is_base(a, "W") && is_base(b, "R")))
        return e;
    p->reader->one_event = true;
    return cat_base_expr(p, &at, "RMW");
}

/* union        = sequence { "|" sequence }
 * sequence     = difference { ";" difference }
 * difference   = intersection { "\" intersection }
 * intersection = product { "&" product }    (all left-associative; LEVEL 0 is union) */
static struct mm_cat_expr *parse_level(struct cat_parser *p, unsigned level)
{
    static const struct {
        int symbol;
        enum mm_cat_op op;
    } levels[] = {{'|', MM_CAT_UNION}, {';', MM_CAT_SEQ}, {'\\', MM_CAT_DIFF}, {'&', MM_CAT_INTER}};
    struct mm_cat_expr *e;

    if (level == sizeof levels / sizeof *levels)
        return parse_product(p);
    e = parse_level(p, level + 1);
    for (;;) {
        struct cat_token at = p->token;

        if (!cat_accept(p, levels[level].symbol))
            return e;
        e = cat_new_binary(p, &at, levels[level].op, e, parse_level(p, level + 1));
        if (e && e->op == MM_CAT_INTER)
            e = both_halves(p, e);
    }
}

/* expr = local | [ "|" ] union */
struct mm_cat_expr *cat_parse_union(struct cat_parser *p)
{
    struct mm_cat_expr *e;

    if (++p->depth > CAT_MAX_DEPTH) {
        cat_fail_token(p, &p->token, "cat.depth", "expression nested too deeply");
        return NULL;
    }
    if (cat_at_word(p, "let")) {
        e = cat_parse_local(p);
    } else {
        if (cat_at_symbol(p, '|'))
            cat_next(p);
        e = parse_level(p, 0);
    }
    p->depth--;
    return p->failed ? NULL : e;
}
