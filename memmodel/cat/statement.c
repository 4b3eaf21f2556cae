/* The cat language: definitions and checks.
 *
 * Variants of a model live in its comments, so that other tools still read the file:
 *   @switch name value value ...   declares a switch; the first value is the default
 *   @if name=value                 in the comment directly before a statement: the statement counts only
 *                                  under that setting (several: all of them; a list: name=value,value)
 *   @or name=value                 begins another set of conditions; one of the sets must hold
 *
 * The production that a function parses stands above it in EBNF, in all files of the parser: [ x ] optional,
 * { x } repeated, "x" a token; name, number and string are tokens of lex.c.  Expressions are in expr.c,
 * conditions in if.c, procedures and local definitions in local.c, enumerated orders in orders.c, whole texts
 * in parse.c. */
#include "memmodel/cat/parser.h"

#include "memmodel/base/array.h"

#include <stdio.h>
#include <string.h>

/* Whether VALUE is one of LIST, which commas separate. */
static bool in_list(const char *list, const char *value)
{
    size_t length = strlen(value);

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

/* AT: "name=value,value". */
static bool condition_holds(struct cat_parser *p, const struct cat_token *t, const char *at, bool *holds)
{
    char name[64], values[128];

    if (sscanf(at, "%63[^= \n]=%127s", name, values) != 2) {
        cat_fail_token(p, t, "cat.switch", "@if needs name=value");
        return false;
    }
    for (unsigned i = 0; i < p->reader->switch_count; i++) {
        const struct cat_switch *s = &p->reader->known[i];

        if (strcmp(s->name, name) != 0)
            continue;
        *holds = in_list(values, s->values[s->chosen]);
        return true;
    }
    cat_fail_token(p, t, "cat.switch", "@if names a switch that was not declared");
    return false;
}

static char *next_condition(char *at)
{
    for (; at && *at; at++)
        if (strncmp(at, "@if ", 4) == 0 || strncmp(at, "@or ", 4) == 0)
            return at;
    return NULL;
}

/* True if the conditions in the comment before T hold; *CLAUSE becomes the comment's text without them. */
static bool is_active(struct cat_parser *p, const struct cat_token *t, const char **clause)
{
    char *text = t->comment ? cat_copy_text(p, t->comment, t->comment_length) : NULL;
    bool active = true, some = false, holds = true;
    char *out = text, *at = text;

    *clause = NULL;
    while ((at = next_condition(at))) {
        if (at[1] == 'o') {
            some = some || active;
            active = true;
        }
        if (!condition_holds(p, t, at + 4, &holds))
            return false;
        active = active && holds;
        memset(at, ' ', 4 + strcspn(at + 4, " \t\r\n"));
    }
    active = active || some;
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

/* Adds LET and returns its index. */
static uint32_t add_let(struct cat_parser *p, const struct mm_cat_let *let)
{
    struct cat_reader *r = p->reader;
    struct cat_let_info *info;
    struct mm_cat_let *added;

    if (p->failed)
        return MM_CAT_NO_LET;
    if (r->model->let_count == CAT_MAX_LETS) {
        cat_fail_token(p, &p->token, "cat.limit", "too many definitions");
        return MM_CAT_NO_LET;
    }
    info = mm_arena_add(r->model->arena, &r->info, &r->info_count);
    added = info ? mm_arena_add(r->model->arena, &r->model->lets, &r->model->let_count) : NULL;
    if (!added || (let->parameter_count &&
                   !(info->result = mm_arena_alloc(p->arena, (size_t)1 << let->parameter_count)))) {
        cat_fail_memory(p);
        return MM_CAT_NO_LET;
    }
    *added = *let;
    return r->model->let_count - 1;
}

uint32_t cat_define(struct cat_parser *p, const struct mm_cat_let *let)
{
    uint32_t index = add_let(p, let);

    if (index != MM_CAT_NO_LET)
        cat_fail_status(p, cat_type_let(p->reader, index));
    if (!p->failed)
        p->reader->info[index].ordered = cat_is_ordered(p->reader, let->body);
    return p->failed ? MM_CAT_NO_LET : index;
}

void cat_hide(struct cat_parser *p, uint32_t first)
{
    for (uint32_t i = first; i < p->reader->model->let_count; i++)
        p->reader->info[i].hidden = true;
}

/* parameter = name */
static void parse_parameter(struct cat_parser *p, const char *names[CAT_MAX_PARAMETERS], uint32_t *count)
{
    if (p->token.kind != CAT_NAME || cat_at_keyword(p)) {
        cat_fail_token(p, &p->token, "cat.syntax", "expected a parameter name");
        return;
    }
    if (*count == CAT_MAX_PARAMETERS) {
        cat_fail_token(p, &p->token, "cat.limit", "too many parameters");
        return;
    }
    names[(*count)++] = cat_copy_text(p, p->token.start, p->token.length);
    cat_next(p);
}

/* names = parameter { "," parameter } ")"    (after the opening parenthesis) */
uint32_t cat_parse_names(struct cat_parser *p, const char *names[CAT_MAX_PARAMETERS])
{
    uint32_t count = 0;

    do
        parse_parameter(p, names, &count);
    while (cat_accept(p, ','));
    cat_expect(p, ')');
    return count;
}

/* parameters = "(" names | parameter */
static void parse_parameters(struct cat_parser *p, struct mm_cat_let *let)
{
    let->parameters = mm_arena_alloc(p->arena, CAT_MAX_PARAMETERS * sizeof *let->parameters);
    if (!let->parameters)
        cat_fail_memory(p);
    else if (cat_accept(p, '('))
        let->parameter_count = cat_parse_names(p, let->parameters);
    else
        parse_parameter(p, let->parameters, &let->parameter_count);
}

/* head = name [ parameters ] "=" */
void cat_parse_let_head(struct cat_parser *p, struct mm_cat_let *let)
{
    let->line = p->token.line;
    let->column = p->token.column;
    if (p->token.kind != CAT_NAME || cat_at_keyword(p) || cat_at_word(p, "_")) {
        cat_fail_token(p, &p->token, "cat.syntax", "expected a name to define");
        return;
    }
    let->name = cat_copy_text(p, p->token.start, p->token.length);
    cat_next(p);
    if (cat_at_symbol(p, '(') || p->token.kind == CAT_NAME)
        parse_parameters(p, let);
    cat_expect(p, '=');
}

/* body = expr */
void cat_parse_body(struct cat_parser *p, struct mm_cat_let *let)
{
    p->parameters = let->parameters;
    p->parameter_count = let->parameter_count;
    let->body = cat_parse_union(p);
    p->parameters = NULL;
    p->parameter_count = 0;
}

/* Defines the names of a group of recursive definitions, without bodies.  P, at the first head, moves behind
 * the last definition.  Returns their number; 0: a set of orders was skipped instead, or an error was
 * reported. */
static uint32_t define_heads(struct cat_parser *p, uint32_t group, const char *clause)
{
    uint32_t count = 0;

    for (;;) {
        struct mm_cat_let let = {.recursive_group = group, .clause = count ? NULL : clause};

        cat_parse_let_head(p, &let);
        if (!p->failed && cat_skip_orders(p, let.name)) {
            if (count || cat_at_word(p, "and"))
                cat_fail_token(p, &p->token, "cat.rec", "orders and relations in one 'let rec'");
            return 0;
        }
        if (!p->failed && let.parameter_count)
            cat_fail_token(p, &p->token, "cat.rec", "functions cannot be recursive");
        let.body = p->failed ? NULL : cat_new_expr(p, &p->token, MM_CAT_EMPTY, 0);
        add_let(p, &let);
        count++;
        if (!p->failed)
            cat_skip_definition(p);
        if (p->failed || !cat_at_word(p, "and"))
            return p->failed ? 0 : count;
        cat_next(p);
    }
}

/* recursive = head body { "and" head body }    (after "let" "rec"; heads without parameters)
 * Each body may use all names, which must be known before it is parsed: a first pass reads the heads only. */
void cat_parse_recursive(struct cat_parser *p, const char *clause)
{
    struct mm_cat_model *m = p->reader->model;
    struct cat_parser ahead = *p;
    uint32_t first = m->let_count, group = ++p->reader->next_group;
    uint32_t count = define_heads(&ahead, group, clause);
    bool ordered = false;

    if (count == 0) {
        *p = ahead;
        return;
    }
    p->recursive = true;
    for (uint32_t i = 0; i < count; i++) {
        struct mm_cat_let let = {0};

        if (i > 0 && !cat_at_word(p, "and"))
            cat_fail_token(p, &p->token, "cat.syntax", "expected 'and'");
        else if (i > 0)
            cat_next(p);
        if (!p->failed)
            cat_parse_let_head(p, &let);
        if (!p->failed)
            cat_parse_body(p, &let);
        if (p->failed)
            return;
        m->lets[first + i].body = let.body;
    }
    p->recursive = false;
    for (uint32_t i = 0; i < count; i++)
        m->lets[first + i].body->type = MM_CAT_REL;
    for (uint32_t i = 0; i < count && !p->failed; i++) {
        cat_fail_status(p, cat_type_let(p->reader, first + i));
        if (!p->failed)
            cat_fail_status(p, cat_check_monotone(p->reader, m->lets[first + i].body, group, NULL));
    }
    for (uint32_t i = 0; i < count && !p->failed; i++)
        ordered = ordered || cat_is_ordered(p->reader, m->lets[first + i].body);
    for (uint32_t i = 0; i < count && !p->failed; i++)
        p->reader->info[first + i].ordered = ordered;
}

static bool at_check(const struct cat_parser *p)
{
    return cat_at_word(p, "acyclic") || cat_at_word(p, "irreflexive") || cat_at_word(p, "empty");
}

/* Whether the token begins a statement. */
static bool at_statement(const struct cat_parser *p)
{
    static const char *const first[] = {
        "let",  "include", "show",   "unshow",       "flag",   "undefined_unless",
        "with", "call",    "enum",   "instructions", "end",    "procedure",
        "if",   "else",    "forall", "debug",        "assert", "default"};
    struct cat_parser ahead = *p;

    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (cat_at_word(p, first[i]))
            return true;
    if (at_check(p))
        return true;
    while (cat_at_symbol(&ahead, '~') || cat_at_symbol(&ahead, '!'))
        ahead.token = cat_lex(&ahead.lexer);
    return ahead.token.start != p->token.start && at_check(&ahead);
}

static bool is_negation(const struct cat_token *t)
{
    return t->kind == CAT_SYMBOL && (t->symbol == '~' || t->symbol == '!');
}

bool cat_ends_statement(const struct cat_parser *p, const struct cat_token *before, unsigned *ifs)
{
    bool inside = cat_is_inside(before);

    /* the whole run of negations was examined at its first one */
    if (is_negation(before) && is_negation(&p->token))
        return false;
    if (inside && cat_at_word(p, "if"))
        ++*ifs;
    else if (*ifs && cat_at_word(p, "else"))
        --*ifs;
    else
        return at_statement(p) && !(inside && cat_at_word(p, "let"));
    return false;
}

/* skipped = ( "show" | "unshow" | "debug" | "enum" | "instructions" | "default" ) { token }    (to the next
 * statement) Also any statement that a switch has turned off; its names need not exist. */
static void skip_statement(struct cat_parser *p)
{
    bool check = cat_at_word(p, "flag") || cat_at_word(p, "undefined_unless") || cat_at_word(p, "assert") ||
                 p->token.kind == CAT_SYMBOL;
    struct cat_token before;
    unsigned ifs = 0;

    while (check && !p->failed && p->token.kind != CAT_END && !at_check(p))
        cat_next(p);
    do {
        before = p->token;
        cat_next(p);
    } while (!p->failed && p->token.kind != CAT_END && !cat_ends_statement(p, &before, &ifs));
}

/* let = "let" ( "rec" recursive | head body { "and" head body } ) */
static void parse_let(struct cat_parser *p)
{
    const char *clause;

    if (!is_active(p, &p->token, &clause)) {
        skip_statement(p);
        return;
    }
    cat_next(p);
    if (cat_at_word(p, "rec")) {
        cat_next(p);
        cat_parse_recursive(p, clause);
        return;
    }
    for (;;) {
        struct mm_cat_let let = {.clause = clause};

        cat_parse_let_head(p, &let);
        if (p->failed)
            return;
        if (!cat_skip_orders(p, let.name)) {
            cat_parse_body(p, &let);
            cat_define(p, &let);
        }
        if (p->failed || !cat_at_word(p, "and"))
            return;
        cat_next(p);
    }
}

void cat_add_check(struct cat_parser *p, const struct mm_cat_check *check)
{
    struct mm_cat_model *m = p->reader->model;
    struct mm_cat_check *added = mm_arena_add(m->arena, &m->checks, &m->check_count);

    if (added)
        *added = *check;
    else
        cat_fail_memory(p);
}

/* check-name = [ "as" ( name | string ) ] */
static const char *parse_check_name(struct cat_parser *p, const char *kind, unsigned line)
{
    char name[64];

    if (cat_at_word(p, "as")) {
        cat_next(p);
        if (p->token.kind == CAT_NAME || p->token.kind == CAT_STRING) {
            const char *given = cat_copy_text(p, p->token.start, p->token.length);

            cat_next(p);
            return given;
        }
        cat_fail_token(p, &p->token, "cat.syntax", "expected the name of the check");
    }
    snprintf(name, sizeof name, "%s@%u", kind, line);
    return cat_copy_text(p, name, strlen(name));
}

/* check = [ "flag" | "undefined_unless" | "assert" ] { "~" | "!" } ( "acyclic" | "irreflexive" | "empty" )
 * expr check-name undefined_unless and assert are negated flags. */
static void parse_check(struct cat_parser *p)
{
    static const char *const kinds[] = {"acyclic", "irreflexive", "empty"};
    struct mm_cat_check check = {.line = p->token.line, .column = p->token.column};
    bool inverted = cat_at_word(p, "undefined_unless") || cat_at_word(p, "assert");
    unsigned kind = 0;
    enum mm_cat_type type;

    if (!is_active(p, &p->token, &check.clause)) {
        if (!p->failed)
            skip_statement(p);
        return;
    }
    if (cat_at_word(p, "flag") || inverted) {
        check.flag = true;
        check.negated = inverted;
        cat_next(p);
    }
    while (cat_at_symbol(p, '~') || cat_at_symbol(p, '!')) {
        check.negated = !check.negated;
        cat_next(p);
    }
    while (kind < 3 && !cat_at_word(p, kinds[kind]))
        kind++;
    if (kind == 3) {
        cat_fail_token(p, &p->token, "cat.syntax", "expected acyclic, irreflexive or empty");
        return;
    }
    cat_next(p);
    check.kind = (enum mm_cat_check_kind)kind;
    check.expr = cat_parse_union(p);
    if (!p->failed)
        check.name = parse_check_name(p, kinds[kind], check.line);
    if (p->failed)
        return;
    cat_fail_status(p, cat_infer(p->reader, check.expr, 0, true, &type));
    if (!p->failed && check.kind != MM_CAT_CHECK_EMPTY && type == MM_CAT_SET)
        cat_fail_status(p, mm_fail_at(p->reader->err, MM_INVALID, "cat.type", p->file, check.line,
                                      check.column, "%s takes a relation, not a set", kinds[kind]));
    if (!p->failed && check.flag && cat_is_ordered(p->reader, check.expr))
        cat_fail_token(p, &(struct cat_token){.line = check.line, .column = check.column}, "cat.orders",
                       "a flag cannot depend on an order that is enumerated");
    if (!p->failed)
        cat_add_check(p, &check);
}

/* Parsers by the first word of the statement.  Statements that only concern display or instruction sets
 * are skipped. */
static const struct {
    const char *word;
    void (*parse)(struct cat_parser *p);
} statements[] = {{"let", parse_let},
                  {"include", cat_parse_include},
                  {"acyclic", parse_check},
                  {"irreflexive", parse_check},
                  {"empty", parse_check},
                  {"flag", parse_check},
                  {"undefined_unless", parse_check},
                  {"assert", parse_check},
                  {"with", cat_parse_with},
                  {"procedure", cat_parse_procedure},
                  {"call", cat_parse_procedure_call},
                  {"if", cat_parse_if_statement},
                  {"show", skip_statement},
                  {"unshow", skip_statement},
                  {"debug", skip_statement},
                  {"enum", skip_statement},
                  {"instructions", skip_statement},
                  {"default", skip_statement}};

/* statements = { let | check | include | with | procedure | call | if-statement | skipped } */
void cat_parse_statements(struct cat_parser *p)
{
    while (!p->failed && p->token.kind != CAT_END &&
           !(p->in_block && (cat_at_word(p, "end") || cat_at_word(p, "else")))) {
        const char *reason = cat_library_reason(&p->token);
        size_t i = 0;

        while (i < sizeof statements / sizeof *statements && !cat_at_word(p, statements[i].word))
            i++;
        if (p->unread && !cat_at_word(p, "if") && !cat_at_word(p, "procedure"))
            skip_statement(p);
        else if (i < sizeof statements / sizeof *statements)
            statements[i].parse(p);
        else if (cat_at_symbol(p, '~') || cat_at_symbol(p, '!'))
            parse_check(p);
        else
            cat_fail_token(p, &p->token, "cat.syntax",
                           reason ? reason : "expected let, a check, include or show");
    }
}
