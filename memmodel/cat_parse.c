/* The cat language: expressions and statements to the tree of cat.h.
 *
 * Loosest to tightest: |  ;  \  &  *(product)  ~  and the postfix operators ^-1 + * ? ^2.
 *
 * Variants of a model live in its comments, so that other tools still read the file:
 *   @switch name value value ...   declares a switch; the first value is the default
 *   @if name=value                 in the comment directly before a statement: the statement counts only
 *                                  under that setting (several: all of them) */
#include "memmodel/cat_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
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

static void parse_statements(struct parser *p);

/* ---- errors and tokens ------------------------------------------------------------------------- */

static void fail_token(struct parser *p, const struct cat_token *t, const char *rule, const char *message)
{
    if (p->failed)
        return;
    p->failed = true;
    p->reader->status =
        mm_fail_at(p->reader->err, MM_INVALID, rule, p->file, t->line, t->column, "%s", message);
}

static void fail_named(struct parser *p, const struct cat_token *t, const char *rule, const char *format)
{
    char message[256];
    int length = t->length > 80 ? 80 : (int)t->length;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(message, sizeof message, format, length, t->start);
#pragma GCC diagnostic pop
    fail_token(p, t, rule, message);
}

static void fail_status(struct parser *p, enum mm_class status)
{
    if (status == MM_OK || p->failed)
        return;
    p->failed = true;
    p->reader->status = status;
}

static void fail_memory(struct parser *p)
{
    if (p->failed)
        return;
    p->failed = true;
    p->reader->status = mm_fail(p->reader->err, MM_LIMIT, "memory", "out of memory");
}

/* "@switch name value value ..." */
static void declare_switch(struct parser *p, char *text)
{
    struct cat_reader *r = p->reader;
    struct cat_switch s = {0};
    char *save = NULL;

    for (char *word = strtok_r(text, " \t\r\n", &save); word; word = strtok_r(NULL, " \t\r\n", &save)) {
        if (!s.name)
            s.name = word;
        else if (s.value_count < sizeof s.values / sizeof *s.values)
            s.values[s.value_count++] = word;
    }
    if (!s.name || s.value_count == 0 || r->switch_count == sizeof r->known / sizeof *r->known) {
        fail_token(p, &p->token, "cat.switch", "a switch needs a name and values");
        return;
    }
    for (unsigned i = 0; i < r->switch_count; i++) {
        if (strcmp(r->known[i].name, s.name) == 0)
            return;
    }
    for (const char *const *given = r->switches; given && *given; given++) {
        size_t n = strlen(s.name);

        if (strncmp(*given, s.name, n) != 0 || (*given)[n] != '=')
            continue;
        for (s.chosen = 0; s.chosen < s.value_count; s.chosen++) {
            if (strcmp(*given + n + 1, s.values[s.chosen]) == 0)
                break;
        }
        if (s.chosen == s.value_count)
            fail_status(p, mm_fail(r->err, MM_INVALID, "cat.switch", "switch %s has no value '%.80s'", s.name,
                                   *given + n + 1));
    }
    r->known[r->switch_count++] = s;
}

static char *copy_text(struct parser *p, const char *start, size_t length)
{
    char *copy = mm_arena_alloc(p->arena, length + 1);

    if (copy)
        memcpy(copy, start, length);
    else
        fail_memory(p);
    return copy;
}

static void scan_comment(struct parser *p, const char *start, size_t length)
{
    char *text = copy_text(p, start, length);
    char *at = text;

    while (at && (at = strstr(at, "@switch"))) {
        char *end = strchr(at, '\n');

        if (end)
            *end = '\0';
        declare_switch(p, at + strlen("@switch"));
        at = end ? end + 1 : NULL;
    }
}

static void next(struct parser *p)
{
    p->token = cat_lex(&p->lexer);
    if (p->token.kind == CAT_ERROR)
        fail_token(p, &p->token, "cat.lex", p->lexer.error);
    for (unsigned i = 0; i < p->lexer.directive_count && !p->failed; i++)
        scan_comment(p, p->lexer.directives[i].start, p->lexer.directives[i].length);
}

static bool at_symbol(const struct parser *p, int symbol)
{
    return p->token.kind == CAT_SYMBOL && p->token.symbol == symbol;
}

static bool at_word(const struct parser *p, const char *word)
{
    return p->token.kind == CAT_NAME && p->token.length == strlen(word) &&
           memcmp(p->token.start, word, p->token.length) == 0;
}

static bool accept(struct parser *p, int symbol)
{
    if (p->failed || !at_symbol(p, symbol))
        return false;
    next(p);
    return true;
}

static void expect(struct parser *p, int symbol)
{
    char message[64];

    if (accept(p, symbol))
        return;
    snprintf(message, sizeof message, "expected '%c'", symbol);
    fail_token(p, &p->token, "cat.syntax", message);
}

static const char *const keywords[] = {"let",         "rec",
                                       "and",         "acyclic",
                                       "irreflexive", "empty",
                                       "flag",        "as",
                                       "include",     "show",
                                       "unshow",      "in",
                                       "with",        "from",
                                       "match",       "procedure",
                                       "call",        "fun",
                                       "enum",        "instructions",
                                       "forall",      "undefined_unless",
                                       "assert",      "begin",
                                       "end",         "if",
                                       "then",        "else",
                                       "do",          "debug"};

static bool at_keyword(const struct parser *p)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (at_word(p, keywords[i]))
            return true;
    }
    return false;
}

/* ---- expressions ------------------------------------------------------------------------------- */

static struct mm_cat_expr *parse_union(struct parser *p);

static struct mm_cat_expr *new_expr(struct parser *p, const struct cat_token *at, enum mm_cat_op op,
                                    uint32_t child_count)
{
    struct mm_cat_expr *e = mm_arena_alloc(p->arena, sizeof *e);

    if (e && child_count)
        e->child = mm_arena_alloc(p->arena, child_count * sizeof *e->child);
    if (!e || (child_count && !e->child)) {
        fail_memory(p);
        return NULL;
    }
    e->op = op;
    e->type = MM_CAT_REL;
    e->line = at->line;
    e->column = at->column;
    e->file = p->file;
    e->base = e->let = UINT32_MAX;
    e->child_count = child_count;
    return e;
}

static struct mm_cat_expr *unary(struct parser *p, const struct cat_token *at, enum mm_cat_op op,
                                 struct mm_cat_expr *a)
{
    struct mm_cat_expr *e = a ? new_expr(p, at, op, 1) : NULL;

    if (e)
        e->child[0] = a;
    return e;
}

static struct mm_cat_expr *binary(struct parser *p, const struct cat_token *at, enum mm_cat_op op,
                                  struct mm_cat_expr *a, struct mm_cat_expr *b)
{
    struct mm_cat_expr *e = a && b ? new_expr(p, at, op, 2) : NULL;

    if (e) {
        e->child[0] = a;
        e->child[1] = b;
    }
    return e;
}

static bool is_name(const struct cat_token *t, const char *name)
{
    return name && t->length == strlen(name) && memcmp(t->start, name, t->length) == 0;
}

static uint32_t find_let(const struct parser *p, const struct cat_token *t)
{
    const struct mm_cat_model *m = p->reader->model;

    for (uint32_t i = m->let_count; i-- > 0;) {
        if (is_name(t, m->lets[i].name))
            return i;
    }
    return UINT32_MAX;
}

static uint32_t find_base(const struct cat_token *t)
{
    for (uint32_t i = 0; i < mm_cat_base_count; i++) {
        if (is_name(t, mm_cat_bases[i].name))
            return i;
    }
    return UINT32_MAX;
}

static struct mm_cat_expr *base_expr(struct parser *p, const struct cat_token *at, const char *name)
{
    struct mm_cat_expr *e = new_expr(p, at, MM_CAT_NAME, 0);

    if (e) {
        e->base = find_base(&(struct cat_token){.start = name, .length = strlen(name)});
        e->type = mm_cat_bases[e->base].type;
    }
    return e;
}

/* After the opening parenthesis. */
static struct mm_cat_expr *parse_call(struct parser *p, const struct cat_token *name, uint32_t let)
{
    struct mm_cat_expr *arguments[CAT_MAX_PARAMETERS] = {NULL}, *e;
    uint32_t count = 0, wanted = p->reader->model->lets[let].parameter_count;

    do {
        struct mm_cat_expr *a = parse_union(p);

        if (count < CAT_MAX_PARAMETERS)
            arguments[count] = a;
        count++;
    } while (accept(p, ','));
    expect(p, ')');
    if (!p->failed && count != wanted)
        fail_named(p, name, "cat.call", "wrong number of arguments for '%.*s'");
    e = p->failed ? NULL : new_expr(p, name, MM_CAT_CALL, count);
    if (e) {
        e->let = let;
        memcpy(e->child, arguments, count * sizeof *arguments);
    }
    return e;
}

/* Functions that every cat reader knows: domain, range, toid, and fencerel(S) = (po & (_ * S)); po. */
static struct mm_cat_expr *parse_built_in(struct parser *p, const struct cat_token *name)
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
        if (!is_name(name, known[i].name))
            continue;
        expect(p, '(');
        a = p->failed ? NULL : parse_union(p);
        expect(p, ')');
        if (p->failed)
            return NULL;
        if (known[i].op != MM_CAT_SEQ)
            return unary(p, name, known[i].op, a);
        a = binary(p, name, MM_CAT_PRODUCT, new_expr(p, name, MM_CAT_UNIVERSE, 0), a);
        if (a)
            a->child[0]->type = MM_CAT_SET;
        a = binary(p, name, MM_CAT_INTER, base_expr(p, name, "po"), a);
        return binary(p, name, MM_CAT_SEQ, a, base_expr(p, name, "po"));
    }
    return NULL;
}

static struct mm_cat_expr *parse_name(struct parser *p)
{
    struct cat_token name = p->token;
    struct mm_cat_expr *e;
    uint32_t let, base;

    next(p);
    for (uint32_t i = 0; i < p->parameter_count; i++) {
        if (is_name(&name, p->parameters[i]) && (e = new_expr(p, &name, MM_CAT_PARAMETER, 0))) {
            e->parameter = i;
            return e;
        }
    }
    let = find_let(p, &name);
    if (let != UINT32_MAX && p->reader->model->lets[let].parameter_count) {
        if (accept(p, '('))
            return parse_call(p, &name, let);
        fail_named(p, &name, "cat.call", "function '%.*s' without arguments");
        return NULL;
    }
    if (let == UINT32_MAX && (e = parse_built_in(p, &name)))
        return e;
    if (p->failed)
        return NULL;
    base = let == UINT32_MAX ? find_base(&name) : UINT32_MAX;
    if (is_name(&name, "emptyset") && let == UINT32_MAX) {
        e = new_expr(p, &name, MM_CAT_EMPTY, 0);
        if (e)
            e->type = MM_CAT_SET;
        return e;
    }
    if (let == UINT32_MAX && base == UINT32_MAX) {
        fail_named(p, &name, "cat.name", "unknown name '%.*s'");
        return NULL;
    }
    if (at_symbol(p, '(')) {
        fail_named(p, &name, "cat.call", "'%.*s' is not a function");
        return NULL;
    }
    e = new_expr(p, &name, MM_CAT_NAME, 0);
    if (e) {
        e->let = let;
        e->base = base;
    }
    return e;
}

static struct mm_cat_expr *parse_primary(struct parser *p)
{
    struct cat_token at = p->token;
    struct mm_cat_expr *e = NULL;

    if (accept(p, '(')) {
        e = parse_union(p);
        expect(p, ')');
    } else if (accept(p, '[')) {
        e = parse_union(p);
        expect(p, ']');
        e = unary(p, &at, MM_CAT_IDENTITY, e);
    } else if (accept(p, '{')) {
        expect(p, '}');
        e = new_expr(p, &at, MM_CAT_EMPTY, 0);
        if (e)
            e->type = MM_CAT_SET;
    } else if (p->token.kind == CAT_NUMBER && p->token.length == 1 && *p->token.start == '0') {
        next(p);
        e = new_expr(p, &at, MM_CAT_EMPTY, 0);
    } else if (at_word(p, "_")) {
        next(p);
        e = new_expr(p, &at, MM_CAT_UNIVERSE, 0);
        if (e)
            e->type = MM_CAT_SET;
    } else if (p->token.kind == CAT_NAME && !at_keyword(p)) {
        e = parse_name(p);
    } else {
        fail_token(p, &at, "cat.syntax",
                   at.kind == CAT_END ? "the model ends inside an expression"
                                      : "expected a set or a relation");
    }
    return e;
}

/* Whether the token begins an operand: tells A * B from r*. */
static bool starts_operand(const struct parser *p)
{
    if (p->token.kind == CAT_NAME)
        return !at_keyword(p);
    if (p->token.kind == CAT_NUMBER)
        return true;
    return p->token.kind == CAT_SYMBOL && strchr("([{~!", p->token.symbol) && p->token.symbol < 128;
}

/* *PRODUCT: a '*' was taken that must be followed by another operand. */
static struct mm_cat_expr *parse_postfix(struct parser *p, bool *product)
{
    struct mm_cat_expr *e = parse_primary(p);

    *product = false;
    while (!p->failed && p->token.kind == CAT_SYMBOL) {
        struct cat_token at = p->token;

        if (accept(p, CAT_INVERSE)) {
            e = unary(p, &at, MM_CAT_INVERSE, e);
        } else if (accept(p, CAT_SQUARE)) {
            e = binary(p, &at, MM_CAT_PRODUCT, e, e);
        } else if (accept(p, '+')) {
            e = unary(p, &at, MM_CAT_PLUS, e);
        } else if (accept(p, '?')) {
            e = unary(p, &at, MM_CAT_OPTIONAL, e);
        } else if (accept(p, '*')) {
            if (starts_operand(p)) {
                *product = true;
                return e;
            }
            e = unary(p, &at, MM_CAT_STAR, e);
        } else {
            if (at_symbol(p, CAT_ADD_ELEMENT))
                fail_token(p, &at, "cat.syntax",
                           "'++' works on single events, which this reader does not have");
            break;
        }
    }
    return e;
}

static struct mm_cat_expr *parse_prefix(struct parser *p, bool *product)
{
    struct cat_token at = p->token;
    struct mm_cat_expr *e;

    if (++p->depth > CAT_MAX_DEPTH) {
        fail_token(p, &at, "cat.depth", "expression nested too deeply");
        return NULL;
    }
    if (accept(p, '~') || accept(p, '!'))
        e = unary(p, &at, MM_CAT_COMPLEMENT, parse_prefix(p, product));
    else
        e = parse_postfix(p, product);
    p->depth--;
    return e;
}

static struct mm_cat_expr *parse_product(struct parser *p)
{
    bool more = false;
    struct cat_token at = p->token;
    struct mm_cat_expr *e = parse_prefix(p, &more);

    while (more && !p->failed)
        e = binary(p, &at, MM_CAT_PRODUCT, e, parse_prefix(p, &more));
    return e;
}

/* The left-associative operators, loosest first. */
static struct mm_cat_expr *parse_level(struct parser *p, unsigned level)
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

        if (!accept(p, levels[level].symbol))
            return e;
        e = binary(p, &at, levels[level].op, e, parse_level(p, level + 1));
    }
}

static struct mm_cat_expr *parse_union(struct parser *p)
{
    struct mm_cat_expr *e;

    if (++p->depth > CAT_MAX_DEPTH) {
        fail_token(p, &p->token, "cat.depth", "expression nested too deeply");
        return NULL;
    }
    if (at_symbol(p, '|'))
        next(p);
    e = parse_level(p, 0);
    p->depth--;
    return p->failed ? NULL : e;
}

/* ---- statements -------------------------------------------------------------------------------- */

/* Whether the comment before T lets the statement count; *CLAUSE becomes its text, tidied. */
static bool is_active(struct parser *p, const struct cat_token *t, const char **clause)
{
    char *text = t->comment ? copy_text(p, t->comment, t->comment_length) : NULL;
    bool active = true;
    char *out = text;

    *clause = NULL;
    for (char *at = text; at && (at = strstr(at, "@if ")) != NULL;) {
        char name[64], value[64];
        bool known = false;

        if (sscanf(at, "@if %63[^= \n]=%63s", name, value) != 2) {
            fail_token(p, t, "cat.switch", "@if needs name=value");
            return false;
        }
        for (unsigned i = 0; i < p->reader->switch_count; i++) {
            const struct cat_switch *s = &p->reader->known[i];

            if (strcmp(s->name, name) != 0)
                continue;
            known = true;
            active = active && strcmp(s->values[s->chosen], value) == 0;
        }
        if (!known) {
            fail_token(p, t, "cat.switch", "@if names a switch that was not declared");
            return false;
        }
        memset(at, ' ', strlen("@if ") + strcspn(at + strlen("@if "), " \t\r\n"));
    }
    if (!text)
        return active;
    for (const char *in = text; *in; in++) {
        bool blank = *in == ' ' || *in == '\n' || *in == '\t' || *in == '\r';

        if (!blank)
            *out++ = *in;
        else if (out != text && out[-1] != ' ')
            *out++ = ' ';
    }
    while (out != text && out[-1] == ' ')
        out--;
    *out = '\0';
    if (*text)
        *clause = text;
    return active;
}

static bool grow_lets(struct cat_reader *r)
{
    uint32_t capacity = r->let_capacity ? r->let_capacity * 2 : 32;
    struct mm_cat_let *lets = mm_arena_alloc(r->model->arena, capacity * sizeof *lets);
    struct cat_let_info *info = mm_arena_alloc(r->model->arena, capacity * sizeof *info);

    if (!lets || !info)
        return false;
    if (r->model->let_count) {
        memcpy(lets, r->model->lets, r->model->let_count * sizeof *lets);
        memcpy(info, r->info, r->model->let_count * sizeof *info);
    }
    r->model->lets = lets;
    r->info = info;
    r->let_capacity = capacity;
    return true;
}

/* Adds LET and returns its index. */
static uint32_t add_let(struct parser *p, const struct mm_cat_let *let)
{
    struct cat_reader *r = p->reader;
    struct cat_let_info info = {0};

    if (p->failed)
        return UINT32_MAX;
    if (r->model->let_count == CAT_MAX_LETS) {
        fail_token(p, &p->token, "cat.limit", "too many definitions");
        return UINT32_MAX;
    }
    if (let->parameter_count &&
        !(info.result = mm_arena_alloc(p->arena, (size_t)1 << let->parameter_count))) {
        fail_memory(p);
        return UINT32_MAX;
    }
    if (r->model->let_count == r->let_capacity && !grow_lets(r)) {
        fail_memory(p);
        return UINT32_MAX;
    }
    r->model->lets[r->model->let_count] = *let;
    r->info[r->model->let_count] = info;
    return r->model->let_count++;
}

static void parse_parameters(struct parser *p, struct mm_cat_let *let)
{
    const char **names = mm_arena_alloc(p->arena, CAT_MAX_PARAMETERS * sizeof *names);

    if (!names) {
        fail_memory(p);
        return;
    }
    do {
        if (p->token.kind != CAT_NAME || at_keyword(p)) {
            fail_token(p, &p->token, "cat.syntax", "expected a parameter name");
            return;
        }
        if (let->parameter_count == CAT_MAX_PARAMETERS) {
            fail_token(p, &p->token, "cat.limit", "too many parameters");
            return;
        }
        names[let->parameter_count++] = copy_text(p, p->token.start, p->token.length);
        next(p);
    } while (accept(p, ','));
    expect(p, ')');
    let->parameters = names;
}

/* name [ ( parameters ) ] = ; the body follows. */
static void parse_let_head(struct parser *p, struct mm_cat_let *let)
{
    let->line = p->token.line;
    let->column = p->token.column;
    if (p->token.kind != CAT_NAME || at_keyword(p) || at_word(p, "_")) {
        fail_token(p, &p->token, "cat.syntax", "expected a name to define");
        return;
    }
    let->name = copy_text(p, p->token.start, p->token.length);
    next(p);
    if (accept(p, '('))
        parse_parameters(p, let);
    expect(p, '=');
}

static void parse_body(struct parser *p, struct mm_cat_let *let)
{
    p->parameters = let->parameters;
    p->parameter_count = let->parameter_count;
    let->body = parse_union(p);
    p->parameters = NULL;
    p->parameter_count = 0;
}

/* let rec a = ... and b = ...: each may use all.  The names must be known before the bodies are read, so
 * the text is passed over twice. */
static void parse_recursive(struct parser *p, const char *clause)
{
    struct mm_cat_model *m = p->reader->model;
    struct parser ahead = *p;
    uint32_t first = m->let_count, count = 0, group = ++p->reader->next_group;
    unsigned level = 0;

    for (bool head = true; ahead.token.kind != CAT_END && !ahead.failed;) {
        if (head) {
            struct mm_cat_let let = {.recursive_group = group, .clause = count ? NULL : clause};

            parse_let_head(&ahead, &let);
            if (!ahead.failed && let.parameter_count)
                fail_token(&ahead, &ahead.token, "cat.rec", "functions cannot be recursive");
            let.body = ahead.failed ? NULL : new_expr(&ahead, &ahead.token, MM_CAT_EMPTY, 0);
            add_let(&ahead, &let);
            count++;
            head = false;
            continue;
        }
        if (level == 0 && at_keyword(&ahead) && !at_word(&ahead, "and"))
            break;
        head = level == 0 && at_word(&ahead, "and");
        next(&ahead);
    }
    p->failed = ahead.failed;
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        struct mm_cat_let let = {0};

        parse_let_head(p, &let);
        parse_body(p, &let);
        if (p->failed)
            return;
        if (i + 1 < count) {
            if (!at_word(p, "and")) {
                fail_token(p, &p->token, "cat.syntax", "expected 'and'");
                return;
            }
            next(p);
        }
        m->lets[first + i].body = let.body;
    }
    for (uint32_t i = 0; i < count && !p->failed; i++)
        m->lets[first + i].body->type = MM_CAT_REL;
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        fail_status(p, cat_type_let(p->reader, first + i));
        if (!p->failed)
            fail_status(p, cat_check_monotone(p->reader, m->lets[first + i].body, group, true));
    }
}

static bool at_check(const struct parser *p)
{
    return at_word(p, "acyclic") || at_word(p, "irreflexive") || at_word(p, "empty");
}

/* At the first token of a statement. */
static bool at_statement(const struct parser *p)
{
    struct parser ahead = *p;

    if (at_word(p, "let") || at_word(p, "include") || at_word(p, "show") || at_word(p, "unshow") ||
        at_word(p, "flag") || at_word(p, "undefined_unless") || at_check(p))
        return true;
    while (at_symbol(&ahead, '~') || at_symbol(&ahead, '!'))
        ahead.token = cat_lex(&ahead.lexer);
    return ahead.token.start != p->token.start && at_check(&ahead);
}

/* Passes over a statement that a switch has turned off; its names need not exist. */
static void skip_statement(struct parser *p)
{
    while (!p->failed && !at_check(p) && !at_word(p, "let"))
        next(p);
    do
        next(p);
    while (!p->failed && p->token.kind != CAT_END && !at_statement(p));
}

static void parse_let(struct parser *p)
{
    const char *clause;

    if (!is_active(p, &p->token, &clause)) {
        skip_statement(p);
        return;
    }
    next(p);
    if (at_word(p, "rec")) {
        next(p);
        parse_recursive(p, clause);
        return;
    }
    for (;;) {
        struct mm_cat_let let = {.clause = clause};
        uint32_t index;

        parse_let_head(p, &let);
        if (p->failed)
            return;
        parse_body(p, &let);
        index = add_let(p, &let);
        if (index != UINT32_MAX)
            fail_status(p, cat_type_let(p->reader, index));
        if (p->failed || !at_word(p, "and"))
            return;
        next(p);
    }
}

static void add_check(struct parser *p, const struct mm_cat_check *check)
{
    struct cat_reader *r = p->reader;
    struct mm_cat_model *m = r->model;

    if (m->check_count == r->check_capacity) {
        uint32_t capacity = r->check_capacity ? r->check_capacity * 2 : 16;
        struct mm_cat_check *checks = mm_arena_alloc(m->arena, capacity * sizeof *checks);

        if (!checks) {
            fail_memory(p);
            return;
        }
        if (m->check_count)
            memcpy(checks, m->checks, m->check_count * sizeof *checks);
        m->checks = checks;
        r->check_capacity = capacity;
    }
    m->checks[m->check_count++] = *check;
}

static const char *parse_check_name(struct parser *p, const char *kind, unsigned line)
{
    char name[64];

    if (at_word(p, "as")) {
        next(p);
        if (p->token.kind == CAT_NAME || p->token.kind == CAT_STRING) {
            const char *given = copy_text(p, p->token.start, p->token.length);

            next(p);
            return given;
        }
        fail_token(p, &p->token, "cat.syntax", "expected the name of the check");
    }
    snprintf(name, sizeof name, "%s@%u", kind, line);
    return copy_text(p, name, strlen(name));
}

/* [flag] [~] acyclic|irreflexive|empty e [as name]; undefined_unless is a negated flag. */
static void parse_check(struct parser *p)
{
    static const char *const kinds[] = {"acyclic", "irreflexive", "empty"};
    struct mm_cat_check check = {.line = p->token.line, .column = p->token.column};
    bool inverted = at_word(p, "undefined_unless");
    unsigned kind = 0;
    enum mm_cat_type type;

    if (!is_active(p, &p->token, &check.clause)) {
        if (!p->failed)
            skip_statement(p);
        return;
    }
    if (at_word(p, "flag") || inverted) {
        check.flag = true;
        check.negated = inverted;
        next(p);
    }
    while (at_symbol(p, '~') || at_symbol(p, '!')) {
        check.negated = !check.negated;
        next(p);
    }
    while (kind < 3 && !at_word(p, kinds[kind]))
        kind++;
    if (kind == 3) {
        fail_token(p, &p->token, "cat.syntax", "expected acyclic, irreflexive or empty");
        return;
    }
    next(p);
    check.kind = (enum mm_cat_check_kind)kind;
    check.expr = parse_union(p);
    if (!p->failed)
        check.name = parse_check_name(p, kinds[kind], check.line);
    if (p->failed)
        return;
    fail_status(p, cat_infer(p->reader, check.expr, 0, true, &type));
    if (!p->failed && check.kind != MM_CAT_CHECK_EMPTY && type == MM_CAT_SET)
        fail_status(p, mm_fail_at(p->reader->err, MM_INVALID, "cat.type", p->file, check.line, check.column,
                                  "%s takes a relation, not a set", kinds[kind]));
    if (!p->failed)
        add_check(p, &check);
}

/* show e [as name], ... and unshow: display hints, no meaning. */
static void skip_show(struct parser *p)
{
    next(p);
    do {
        parse_union(p);
        if (!p->failed && at_word(p, "as")) {
            next(p);
            if (p->token.kind != CAT_NAME && p->token.kind != CAT_STRING)
                fail_token(p, &p->token, "cat.syntax", "expected a name");
            else
                next(p);
        }
    } while (accept(p, ','));
}

/* ---- files -------------------------------------------------------------------------------------- */

static char *read_file(const char *path, struct mm_arena *arena, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long length;

    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0 && length < 1 << 24) {
        rewind(f);
        text = mm_arena_alloc(arena, (size_t)length + 1);
        if (text)
            *size = fread(text, 1, (size_t)length, f);
    }
    fclose(f);
    return text;
}

static void parse_text(struct cat_reader *reader, const char *text, size_t size, const char *file, bool top)
{
    struct parser p = {.reader = reader, .arena = reader->model->arena, .file = file};

    cat_lexer_init(&p.lexer, text, size, file);
    next(&p);
    /* A title: a string, or bare words. */
    if (!p.failed && p.token.kind == CAT_STRING) {
        if (top)
            reader->model->title = copy_text(&p, p.token.start, p.token.length);
        next(&p);
    }
    while (!p.failed && p.token.kind == CAT_NAME && !at_keyword(&p)) {
        if (top && !reader->model->title)
            reader->model->title = copy_text(&p, p.token.start, p.token.length);
        next(&p);
    }
    if (!p.failed && p.token.kind == CAT_STRING) {
        if (top)
            reader->model->title = copy_text(&p, p.token.start, p.token.length);
        next(&p);
    }
    parse_statements(&p);
}

/* Looked up beside the including file, then in the folder $REFCL_MODELS. */
static void parse_include(struct parser *p)
{
    const char *folders[2] = {NULL, getenv("REFCL_MODELS")};
    const char *slash = strrchr(p->file, '/');
    char beside[512];
    char *name, *text = NULL;
    struct cat_token at;
    size_t size = 0;

    next(p);
    at = p->token;
    if (at.kind != CAT_STRING) {
        fail_token(p, &at, "cat.syntax", "include needs a file name in quotes");
        return;
    }
    name = copy_text(p, at.start, at.length);
    snprintf(beside, sizeof beside, "%.*s", slash ? (int)(slash - p->file) : 1, slash ? p->file : ".");
    folders[0] = beside;
    next(p);
    if (p->failed)
        return;
    if (p->reader->include_depth == CAT_MAX_INCLUDES) {
        fail_token(p, &at, "cat.include", "includes nested too deeply");
        return;
    }
    for (unsigned i = 0; i < 2 && !text; i++) {
        char path[1024];

        if (!folders[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        text = read_file(path, p->arena, &size);
    }
    if (!text) {
        fail_named(p, &at, "cat.include", "cannot read included file '%.*s'");
        return;
    }
    p->reader->include_depth++;
    parse_text(p->reader, text, size, name, false);
    p->reader->include_depth--;
    p->failed = p->reader->status != MM_OK;
}

static void parse_statements(struct parser *p)
{
    while (!p->failed && p->token.kind != CAT_END) {
        if (at_word(p, "let"))
            parse_let(p);
        else if (at_word(p, "include"))
            parse_include(p);
        else if (at_word(p, "show") || at_word(p, "unshow"))
            skip_show(p);
        else if (at_word(p, "acyclic") || at_word(p, "irreflexive") || at_word(p, "empty") ||
                 at_word(p, "flag") || at_word(p, "undefined_unless") || at_symbol(p, '~'))
            parse_check(p);
        else
            fail_token(p, &p->token, "cat.syntax", "expected let, a check, include or show");
    }
}

static enum mm_class check_switches(struct cat_reader *r)
{
    for (const char *const *given = r->switches; given && *given; given++) {
        const char *equals = strchr(*given, '=');
        bool known = false;

        for (unsigned i = 0; i < r->switch_count && equals; i++)
            known = known || (strncmp(*given, r->known[i].name, (size_t)(equals - *given)) == 0 &&
                              r->known[i].name[equals - *given] == '\0');
        if (!known)
            return mm_fail(r->err, MM_INVALID, "cat.switch", "the model %s has no switch '%.80s'",
                           r->model->name, *given);
    }
    return MM_OK;
}

static enum mm_class read_model(const char *text, size_t size, const char *name, const char *const *switches,
                                struct mm_cat_model *m, struct mm_error *err)
{
    struct cat_reader reader = {.model = m, .err = err, .switches = switches};

    m->name = mm_arena_strdup(m->arena, name);
    if (!m->name)
        return mm_fail(err, MM_LIMIT, "memory", "out of memory");
    parse_text(&reader, text, size, m->name, true);
    return reader.status ? reader.status : check_switches(&reader);
}

static struct mm_cat_model *new_model(struct mm_error *err)
{
    struct mm_arena *arena = mm_arena_create();
    struct mm_cat_model *m = arena ? mm_arena_alloc(arena, sizeof *m) : NULL;

    if (!m) {
        mm_arena_destroy(arena);
        mm_fail(err, MM_LIMIT, "memory", "out of memory");
        return NULL;
    }
    m->arena = arena;
    return m;
}

enum mm_class mm_cat_parse(const char *text, const char *name, const char *const *switches,
                           struct mm_cat_model **model, struct mm_error *err)
{
    struct mm_cat_model *m = new_model(err);
    enum mm_class r = m ? read_model(text, strlen(text), name, switches, m, err) : MM_LIMIT;

    *model = r ? NULL : m;
    if (r)
        mm_cat_destroy(m);
    return r;
}

enum mm_class mm_cat_load(const char *path, const char *const *switches, struct mm_cat_model **model,
                          struct mm_error *err)
{
    struct mm_cat_model *m = new_model(err);
    size_t size = 0;
    char *text = m ? read_file(path, m->arena, &size) : NULL;
    enum mm_class r = MM_LIMIT;

    if (text)
        r = read_model(text, size, path, switches, m, err);
    else if (m)
        r = mm_fail_at(err, MM_INVALID, "cat.file", path, 0, 0, "cannot read the model file");
    *model = r ? NULL : m;
    if (r)
        mm_cat_destroy(m);
    return r;
}

void mm_cat_destroy(struct mm_cat_model *model)
{
    if (model)
        mm_arena_destroy(model->arena);
}
