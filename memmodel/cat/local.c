/* The cat language: definitions with a local scope: procedures, local definitions, try.  Notation:
 * statement.c. */
#include "memmodel/cat/parser.h"

#include <string.h>

/* Skips to the "end" of the procedure. */
static void skip_procedure(struct cat_parser *p)
{
    static const char *const openers[] = {"match", "do", "begin", "procedure"};
    struct cat_token before = p->token;
    unsigned level = 0;

    while (!p->failed && p->token.kind != CAT_END && (level || !cat_at_word(p, "end"))) {
        level += cat_at_word(p, "if") && !cat_is_inside(&before);
        for (size_t i = 0; i < sizeof openers / sizeof *openers; i++)
            level += cat_at_word(p, openers[i]);
        level -= cat_at_word(p, "end");
        before = p->token;
        cat_next(p);
    }
    if (!p->failed && p->token.kind == CAT_END)
        cat_fail_token(p, &p->token, "cat.syntax", "procedure without 'end'");
    cat_next(p);
}

/* procedure = "procedure" name "(" ( names | ")" ) "=" statements "end" */
void cat_parse_procedure(struct cat_parser *p)
{
    struct cat_procedure *procedure = mm_arena_alloc(p->arena, sizeof *procedure);

    cat_next(p);
    if (!procedure)
        cat_fail_memory(p);
    else if (p->token.kind != CAT_NAME || cat_at_keyword(p))
        cat_fail_token(p, &p->token, "cat.syntax", "expected the name of a procedure");
    if (p->failed)
        return;
    procedure->name = cat_copy_text(p, p->token.start, p->token.length);
    procedure->file = p->file;
    procedure->visible = p->reader->model->let_count;
    cat_next(p);
    cat_expect(p, '(');
    if (!cat_accept(p, ')'))
        procedure->parameter_count = cat_parse_names(p, procedure->parameters);
    procedure->body = p->lexer;
    cat_expect(p, '=');
    if (p->failed)
        return;
    skip_procedure(p);
    procedure->next = p->reader->procedures;
    p->reader->procedures = procedure;
}

/* arguments = "(" [ expr { "," expr } [ "," ] ]
 * Arguments become definitions with the names of the parameters; the first of them is returned. */
static uint32_t define_arguments(struct cat_parser *p, const struct cat_token *at,
                                 const struct cat_procedure *procedure)
{
    struct mm_cat_let lets[CAT_MAX_PARAMETERS] = {{0}};
    uint32_t count = 0, first;

    cat_expect(p, '(');
    while (!p->failed && !cat_at_symbol(p, ')')) {
        if (count == procedure->parameter_count)
            break;
        lets[count] = (struct mm_cat_let){
            .name = procedure->parameters[count], .line = p->token.line, .column = p->token.column};
        lets[count++].body = cat_parse_union(p);
        if (!cat_accept(p, ','))
            break;
    }
    if (!p->failed && (count != procedure->parameter_count || !cat_at_symbol(p, ')')))
        cat_fail_named(p, at, "cat.call", "wrong number of arguments for '%.*s'");
    first = p->reader->model->let_count;
    for (uint32_t i = 0; i < count && !p->failed; i++)
        cat_define(p, &lets[i]);
    return first;
}

/* Parses the body with only the arguments and the definitions before the procedure visible. */
static void run_procedure(struct cat_parser *p, const struct cat_procedure *procedure, uint32_t first)
{
    bool hidden[CAT_MAX_LETS] = {false};
    struct cat_parser body = *p;

    for (uint32_t i = procedure->visible; i < first; i++) {
        hidden[i] = p->reader->info[i].hidden;
        p->reader->info[i].hidden = true;
    }
    body.lexer = procedure->body;
    body.file = procedure->file;
    body.in_block = true;
    cat_next(&body);
    cat_parse_statements(&body);
    p->failed = body.failed;
    cat_hide(p, first);
    for (uint32_t i = procedure->visible; i < first; i++)
        p->reader->info[i].hidden = hidden[i];
}

/* call = "call" name arguments ")" */
void cat_parse_procedure_call(struct cat_parser *p)
{
    const struct cat_procedure *procedure = p->reader->procedures;
    struct cat_token at;
    uint32_t first;

    cat_next(p);
    at = p->token;
    while (procedure && !cat_is_name(&at, procedure->name))
        procedure = procedure->next;
    if (!procedure) {
        cat_fail_named(p, &at, "cat.call", "'%.*s' is not a procedure");
        return;
    }
    if (p->reader->include_depth == CAT_MAX_INCLUDES || p->reader->calls++ == CAT_MAX_LETS) {
        cat_fail_token(p, &at, "cat.call", "too many calls of procedures, or nested too deeply");
        return;
    }
    cat_next(p);
    first = define_arguments(p, &at, procedure);
    if (p->failed)
        return;
    p->reader->include_depth++;
    run_procedure(p, procedure, first);
    p->reader->include_depth--;
    cat_expect(p, ')');
}

/* binding = head expr
 * Within a function the definition takes that function's parameters along. */
static void parse_binding(struct cat_parser *p)
{
    struct mm_cat_let let = {0};
    uint32_t outside = p->parameter_count, index;

    for (uint32_t i = 0; i < outside; i++)
        if (cat_is_name(&p->token, p->parameters[i]))
            cat_fail_named(p, &p->token, "cat.name", "'%.*s' is a parameter of the function around it");
    cat_parse_let_head(p, &let);
    if (p->failed)
        return;
    if (let.parameter_count && outside) {
        cat_fail_token(p, &p->token, "cat.syntax", "a function within a function");
        return;
    }
    if (let.parameter_count) {
        cat_parse_body(p, &let);
    } else {
        let.body = cat_parse_union(p);
        let.parameters = p->parameters;
        let.parameter_count = outside;
    }
    index = cat_define(p, &let);
    if (!p->failed)
        p->reader->info[index].outside = outside;
}

/* recursive-bindings = "rec" recursive
 * They cannot use the parameters of an enclosing function. */
static void parse_recursive_bindings(struct cat_parser *p)
{
    if (p->parameter_count)
        cat_fail_token(p, &p->token, "cat.rec", "a recursive definition within a function");
    cat_next(p);
    if (!p->failed)
        cat_parse_recursive(p, NULL);
}

/* local = "let" definition { "and" definition } "in" expr
 * definition = binding | recursive-bindings */
struct mm_cat_expr *cat_parse_local(struct cat_parser *p)
{
    uint32_t first = p->reader->model->let_count;
    struct mm_cat_expr *e;

    if (p->recursive)
        cat_fail_token(p, &p->token, "cat.rec", "a local definition within a recursive one");
    do {
        cat_next(p);
        if (cat_at_word(p, "rec"))
            parse_recursive_bindings(p);
        else if (!p->failed)
            parse_binding(p);
    } while (!p->failed && cat_at_word(p, "and"));
    if (!p->failed && !cat_at_word(p, "in"))
        cat_fail_token(p, &p->token, "cat.syntax", "expected 'in'");
    cat_next(p);
    e = p->failed ? NULL : cat_parse_union(p);
    cat_hide(p, first);
    return e;
}

/* Skips to the "with" of the try; each try and each match within has a "with", too. */
static void skip_attempt(struct cat_parser *p)
{
    for (unsigned level = 1; !p->failed && p->token.kind != CAT_END; cat_next(p)) {
        level += cat_at_word(p, "try") || cat_at_word(p, "match");
        if (cat_at_word(p, "with") && --level == 0)
            break;
    }
}

/* try = "try" expr "with" expr
 * The second expression is used if the first has a name that does not exist. */
struct mm_cat_expr *cat_parse_try(struct cat_parser *p)
{
    struct cat_parser start;
    uint32_t first = p->reader->model->let_count;
    struct mm_cat_expr *e, *other;

    cat_next(p);
    start = *p;
    e = p->failed ? NULL : cat_parse_union(p);
    if (p->failed && !start.failed && p->reader->status == MM_INVALID) {
        cat_hide(p, first);
        *p = start;
        p->reader->status = MM_OK;
        e = NULL;
        skip_attempt(p);
    }
    if (!p->failed && !cat_at_word(p, "with"))
        cat_fail_token(p, &p->token, "cat.syntax", "expected 'with'");
    cat_next(p);
    other = p->failed ? NULL : cat_parse_union(p);
    return p->failed ? NULL : e ? e : other;
}
