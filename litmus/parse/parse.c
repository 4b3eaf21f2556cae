/* Recursive-descent parser of OPENCL litmus tests: initial state, threads, statements.  The syntax is that of
 * Dartagnan's OPENCL tests; herd's scope tree is accepted instead of placements in the thread headers.
 * C11 tests are parsed as OpenCL with pointers to global memory [CL 3.3.6 G8].
 *
 * The production that a function parses stands above it in EBNF: [ x ] optional, { x } repeated, "x" a token;
 * name and number are tokens of lex.c.  Productions of expressions are in expr.c, of API calls in host.c, of
 * the condition in cond.c. */
#include "litmus/parse/ast.h"

#include <stdlib.h>
#include <string.h>

/* constant = [ "-" ] number */
bool lt_parse_constant(struct lt_lexer *lexer, uint64_t *value)
{
    bool negative = lt_accept(lexer, "-");
    if (!lt_expect_number(lexer, "a number", UINT64_MAX, value))
        return false;
    if (negative)
        *value = 0 - *value;
    return true;
}

/* thread-number = number | "P" number | "H" number    (one token) */
bool lt_thread_number(const struct lt_token *token, uint32_t *number)
{
    const char *digits = token->text;
    bool host = token->kind == LT_T_NAME && *digits == 'H';
    if (host || (token->kind == LT_T_NAME && *digits == 'P'))
        digits++;
    else if (token->kind != LT_T_NUMBER)
        return false;
    size_t length = strlen(digits);
    if (!length || length > 6 || strspn(digits, "0123456789") != length)
        return false;
    *number = (uint32_t)strtoul(digits, NULL, 10) + (host ? LT_HOST_NUMBER : 0);
    return true;
}

/* ---- initial state ------------------------------------------------------------------------------ */

/* values = constant | "{" [ constant { "," constant } [ "," ] ] "}" */
static bool parse_values(struct lt_lexer *lexer, struct lt_init *init)
{
    init->values = lt_new(lexer, (init->count ? init->count : 1) * sizeof *init->values);
    if (!init->values)
        return false;
    if (!lt_accept(lexer, "{")) {
        init->value_count = 1;
        return lt_parse_constant(lexer, init->values);
    }
    while (!lt_is(lexer, "}")) {
        if (init->value_count == init->count) {
            lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "more initial values than '%s' has elements",
                       init->name);
            return false;
        }
        if (!lt_parse_constant(lexer, &init->values[init->value_count++]))
            return false;
        if (!lt_accept(lexer, ","))
            break;
    }
    return lt_expect(lexer, "}");
}

/* init-entry = [ type ] target [ "=" values | "aliases" name ]    (aliases: VULKAN)
 * target = "[" name "]" | name | name "[" number "]" | thread-number ":" name */
static void parse_init_entry(struct lt_lexer *lexer)
{
    struct lt_init *init = lt_new(lexer, sizeof *init);
    if (!init)
        return;
    init->pos = lt_peek(lexer, 0)->pos;
    init->thread = -1;
    init->count = 1;
    if (lt_starts_type(lt_peek(lexer, 0)) && !lt_parse_type(lexer, &init->type))
        return;
    if (init->type.is_pointer) {
        lt_fail_at(lexer, init->pos, "initial values that are addresses are not supported");
        return;
    }
    uint32_t thread;
    if (strcmp(lt_peek(lexer, 1)->text, ":") == 0 && lt_thread_number(lt_peek(lexer, 0), &thread)) {
        init->thread = (int32_t)thread;
        lt_take(lexer);
        lt_take(lexer);
    }
    init->bracket = lt_accept(lexer, "[");
    init->name = lt_expect_name(lexer, "a location");
    if (init->bracket)
        lt_expect(lexer, "]");
    if (!init->bracket && lt_accept(lexer, "[")) {
        uint64_t count = 0;
        init->array = true;
        if (!lt_expect_number(lexer, "array size", LT_MAX_ELEMENTS, &count) || !lt_expect(lexer, "]"))
            return;
        if (!count)
            lt_fail_at(lexer, init->pos, "array '%s' has no elements", init->name);
        init->count = (uint32_t)count;
    }
    if (lexer->failed)
        return;
    if (lexer->test->dialect == LT_VULKAN && lt_accept(lexer, "aliases"))
        init->alias = lt_expect_name(lexer, "a location");
    else if (lt_accept(lexer, "="))
        parse_values(lexer, init);
    *(lexer->last_init ? &lexer->last_init->next : &lexer->test->inits) = init;
    lexer->last_init = init;
}

/* init = "{" { ( declaration | init-entry ) ";" | ";" } "}"    (the last ";" is optional) */
void lt_parse_init(struct lt_lexer *lexer)
{
    lt_expect(lexer, "{");
    while (!lexer->failed && !lt_accept(lexer, "}")) {
        if (lt_accept(lexer, ";"))
            continue;
        if (!lt_parse_declaration(lexer))
            parse_init_entry(lexer);
        if (!lt_is(lexer, "}"))
            lt_expect(lexer, ";");
    }
}

/* ---- statements ----------------------------------------------------------------------------------- */

static struct lt_stmt *parse_stmt(struct lt_lexer *lexer);

static struct lt_stmt *new_stmt(struct lt_lexer *lexer, enum lt_stmt_kind kind)
{
    struct lt_stmt *s = lt_new(lexer, sizeof *s);
    if (s) {
        s->kind = kind;
        s->pos = lt_peek(lexer, 0)->pos;
    }
    return s;
}

/* register-declaration = type name [ "=" expr ] { "," [ "*" ] name [ "=" expr ] }
 * One statement per declarator. */
static struct lt_stmt *parse_declaration(struct lt_lexer *lexer)
{
    struct lt_stmt *first = NULL, **tail = &first;
    struct lt_type type;
    struct lt_stmt *s = new_stmt(lexer, LT_DECLARE);
    if (!s || !lt_parse_type(lexer, &type))
        return NULL;
    for (;;) {
        s->type = type;
        s->pos = lt_peek(lexer, 0)->pos;
        s->name = lt_expect_name(lexer, "a register name");
        if (lt_accept(lexer, "="))
            s->value = lt_parse_expr(lexer);
        *tail = s;
        tail = &s->next;
        if (lexer->failed || !lt_accept(lexer, ","))
            break;
        s = new_stmt(lexer, LT_DECLARE);
        if (!s || !lt_parse_stars(lexer, &type))
            return NULL;
    }
    return first;
}

static bool is_assignable(const struct lt_expr *e)
{
    return e->kind == LT_NAME || e->kind == LT_DEREF || e->kind == LT_INDEX;
}

enum lt_operator lt_assignment_operator(const struct lt_lexer *lexer)
{
    static const struct {
        const char *text;
        enum lt_operator op;
    } table[] = {{"+=", LT_OP_ADD},  {"-=", LT_OP_SUB},  {"*=", LT_OP_MUL}, {"/=", LT_OP_DIV},
                 {"%=", LT_OP_REM},  {"&=", LT_OP_AND},  {"|=", LT_OP_OR},  {"^=", LT_OP_XOR},
                 {"<<=", LT_OP_SHL}, {">>=", LT_OP_SHR}, {"++", LT_OP_ADD}, {"--", LT_OP_SUB}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (lt_is(lexer, table[i].text))
            return table[i].op;
    return LT_OP_NONE;
}

/* simple = register-declaration | expr | lvalue ( "=" | op "=" ) expr | lvalue ( "++" | "--" )
 *        | ( "++" | "--" ) lvalue
 * lvalue = name | "*" unary | postfix "[" expr "]" */
static struct lt_stmt *parse_simple(struct lt_lexer *lexer)
{
    if (lt_starts_type(lt_peek(lexer, 0)))
        return parse_declaration(lexer);
    struct lt_stmt *s = new_stmt(lexer, LT_EVAL);
    if (!s)
        return NULL;
    enum lt_operator step =
        lt_is(lexer, "++") || lt_is(lexer, "--") ? lt_assignment_operator(lexer) : LT_OP_NONE;
    if (step)
        lt_take(lexer);
    /* Whether this is an assignment follows from the token after the first expression. */
    bool star = lt_is(lexer, "*");
    struct lt_expr *e = lt_parse_expr(lexer);
    if (!e)
        return NULL;
    enum lt_operator op = step ? step : lt_assignment_operator(lexer);
    bool equals = !op && lt_is(lexer, "=");
    if (!op && !equals) {
        s->value = e;
        return s;
    }
    s->kind = LT_ASSIGN;
    s->op = op;
    s->target = e;
    if (!is_assignable(e)) {
        lt_fail_at(lexer, e->pos, "expected a register or *pointer on the left of the assignment");
        return NULL;
    }
    bool by_one = step || lt_is(lexer, "++") || lt_is(lexer, "--");
    if (by_one && !step && star) {
        lt_fail_at(lexer, lt_peek(lexer, 0)->pos,
                   "a side effect on the pointer within an expression: (*p)%s?", lt_peek(lexer, 0)->text);
        return NULL;
    }
    if (!step)
        lt_take(lexer);
    s->value = by_one ? lt_one(lexer, e->pos) : lt_parse_expr(lexer);
    return s;
}

/* condition = "(" expr ")"    (of if, while, do) */
static struct lt_expr *parse_condition(struct lt_lexer *lexer)
{
    lt_expect(lexer, "(");
    struct lt_expr *e = lexer->failed ? NULL : lt_parse_expr(lexer);
    lt_expect(lexer, ")");
    return e;
}

/* for = "for" "(" [ simple ] ";" [ expr ] ";" [ simple ] ")" stmt */
static struct lt_stmt *parse_for(struct lt_lexer *lexer, struct lt_stmt *s)
{
    s->kind = LT_FOR;
    lt_expect(lexer, "(");
    if (!lt_is(lexer, ";"))
        s->init = parse_simple(lexer);
    lt_expect(lexer, ";");
    if (!lt_is(lexer, ";"))
        s->value = lt_parse_expr(lexer);
    lt_expect(lexer, ";");
    if (!lt_is(lexer, ")"))
        s->step = parse_simple(lexer);
    lt_expect(lexer, ")");
    s->body = lexer->failed ? NULL : parse_stmt(lexer);
    return s;
}

/* control = "if" condition stmt [ "else" stmt ] | "while" condition stmt | for
 *         | "do" stmt "while" condition ";" */
static struct lt_stmt *parse_control(struct lt_lexer *lexer, struct lt_stmt *s)
{
    if (lt_accept(lexer, "if")) {
        s->kind = LT_IF;
        s->value = parse_condition(lexer);
        s->body = lexer->failed ? NULL : parse_stmt(lexer);
        if (lt_accept(lexer, "else"))
            s->other = parse_stmt(lexer);
        return s;
    }
    if (lt_accept(lexer, "while")) {
        s->kind = LT_WHILE;
        s->value = parse_condition(lexer);
        s->body = lexer->failed ? NULL : parse_stmt(lexer);
        return s;
    }
    if (lt_accept(lexer, "for"))
        return parse_for(lexer, s);
    if (lt_accept(lexer, "do")) {
        s->kind = LT_DO;
        s->body = parse_stmt(lexer);
        lt_expect(lexer, "while");
        s->value = parse_condition(lexer);
        lt_expect(lexer, ";");
        return s;
    }
    return NULL;
}

/* jump = ( "break" | "continue" | "return" ) ";" */
static struct lt_stmt *parse_jump(struct lt_lexer *lexer, struct lt_stmt *s)
{
    if (lt_accept(lexer, "break"))
        s->kind = LT_BREAK;
    else if (lt_accept(lexer, "continue"))
        s->kind = LT_CONTINUE;
    else if (lt_accept(lexer, "return"))
        s->kind = LT_RETURN;
    else
        return NULL;
    lt_expect(lexer, ";");
    return s;
}

static struct lt_stmt *parse_block(struct lt_lexer *lexer);

/* stmt = ";" | block | control | jump | api-call ";" | name ":" stmt | simple ";" */
static struct lt_stmt *parse_stmt_inner(struct lt_lexer *lexer)
{
    struct lt_stmt *s = new_stmt(lexer, LT_EMPTY), *found;
    if (!s || lt_accept(lexer, ";"))
        return s;
    if (lt_is(lexer, "{")) {
        s->kind = LT_BLOCK;
        s->body = parse_block(lexer);
        return s;
    }
    if ((found = parse_control(lexer, s)) || lexer->failed)
        return found;
    if ((found = parse_jump(lexer, s)) || lexer->failed)
        return found;
    if (lt_starts_api(lexer)) {
        s->kind = LT_API;
        s->api = lt_parse_api(lexer);
        lt_expect(lexer, ";");
        return s;
    }
    if (lt_peek(lexer, 0)->kind == LT_T_NAME && strcmp(lt_peek(lexer, 1)->text, ":") == 0) {
        const char *label = lt_take(lexer)->text;
        lt_take(lexer);
        if ((found = parse_stmt(lexer)))
            found->label = label;
        return found;
    }
    found = parse_simple(lexer);
    lt_expect(lexer, ";");
    return found;
}

static struct lt_stmt *parse_stmt(struct lt_lexer *lexer)
{
    struct lt_stmt *s = lt_enter(lexer) ? parse_stmt_inner(lexer) : NULL;
    lt_leave(lexer);
    return lexer->failed ? NULL : s;
}

/* block = "{" { stmt } "}" */
static struct lt_stmt *parse_block(struct lt_lexer *lexer)
{
    struct lt_stmt *first = NULL, **tail = &first;
    lt_expect(lexer, "{");
    while (!lexer->failed && !lt_accept(lexer, "}")) {
        if (lt_peek(lexer, 0)->kind == LT_T_END) {
            lt_unexpected(lexer, "'}'");
            break;
        }
        struct lt_stmt *s = parse_stmt(lexer);
        if (!s)
            break;
        *tail = s;
        while (*tail)
            tail = &(*tail)->next;
    }
    return first;
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* params = "(" [ type name { "," type name } [ "," ] ] ")" */
static bool parse_params(struct lt_lexer *lexer, struct lt_thread *thread)
{
    struct lt_param **tail = &thread->params;
    lt_expect(lexer, "(");
    while (!lexer->failed && !lt_accept(lexer, ")")) {
        struct lt_param *p = lt_new(lexer, sizeof *p);
        if (!p)
            return false;
        p->pos = lt_peek(lexer, 0)->pos;
        if (!lt_parse_type(lexer, &p->type))
            return false;
        if (lexer->test->c11 && p->type.region == MM_REGION_NONE)
            p->type.region = MM_GLOBAL;
        const struct lt_pos name_pos = lt_peek(lexer, 0)->pos;
        p->name = lt_expect_name(lexer, "a parameter name");
        if (p->name && lt_find_any_param(thread, p->name))
            lt_fail_at(lexer, name_pos, "parameter '%s' is declared twice", p->name);
        else if (p->name && !lt_add_param(thread, p))
            lexer->failed = true;
        *tail = p;
        tail = &p->next;
        if (!lt_is(lexer, ")"))
            lt_expect(lexer, ",");
    }
    return !lexer->failed;
}

/* placement = "host" | group { ( "," | "@" ) group }    ("@": OPENCL)
 * group = ( "sg" | "wg" | "dev" | "kernel" | "qf" ) number    (kernel: OPENCL, qf: VULKAN) */
void lt_parse_placement(struct lt_lexer *lexer, struct lt_thread *thread)
{
    static const char *const names[] = {"sg", "wg", "dev", "kernel", "qf"};
    uint32_t *const groups[] = {&thread->sub_group, &thread->work_group, &thread->device, &thread->kernel,
                                &thread->queue_family};
    bool vulkan = lexer->test->dialect == LT_VULKAN;
    const size_t count = sizeof names / sizeof *names,
                 other = vulkan ? 3 : 4; /* OTHER: of the other dialect */
    if (lt_accept(lexer, "host")) {
        thread->host = true;
        return;
    }
    do {
        uint64_t n = 0;
        size_t i = 0;
        while (i < count && (i == other || !lt_accept(lexer, names[i])))
            i++;
        if (i == count) {
            lt_unexpected(lexer, vulkan ? "'sg', 'wg', 'qf' or 'dev'" : "'sg', 'wg', 'dev' or 'kernel'");
            return;
        }
        if (!lt_expect_number(lexer, "a group number", 65535, &n))
            return;
        *groups[i] = (uint32_t)n;
        thread->has_sub_group |= i == 0;
    } while (lt_accept(lexer, ",") || (!vulkan && lt_accept(lexer, "@")));
    thread->has_sub_group |= vulkan;
}

/* thread-name = thread-number    (of no earlier thread) */
struct lt_thread *lt_parse_thread_name(struct lt_lexer *lexer, const char *what)
{
    struct lt_thread *thread = lt_new(lexer, sizeof *thread);
    const struct lt_token *t = lt_peek(lexer, 0);
    if (!thread)
        return NULL;
    thread->pos = t->pos;
    if (t->kind != LT_T_NAME || !lt_thread_number(t, &thread->number) ||
        (lexer->test->dialect == LT_VULKAN && thread->number >= LT_HOST_NUMBER))
        lt_unexpected(lexer, what);
    else if (lt_find_thread(lexer->test, thread->number, NULL))
        lt_fail_at(lexer, t->pos, "thread %s is declared twice", t->text);
    else if (lexer->test->thread_count == LT_MAX_THREADS)
        lt_fail_at(lexer, t->pos, "more than %d threads", LT_MAX_THREADS);
    lt_take(lexer);
    return lexer->failed ? NULL : thread;
}

/* thread = thread-number [ "@" placement ] params block */
static struct lt_thread *parse_thread(struct lt_lexer *lexer, bool *placed)
{
    struct lt_thread *thread = lt_parse_thread_name(lexer, "a thread (P0@wg 0, dev 0 (...) {...})");
    if (!thread)
        return NULL;
    thread->host = thread->number >= LT_HOST_NUMBER;
    *placed = lt_accept(lexer, "@");
    if (*placed && thread->host)
        lt_expect(lexer, "host");
    else if (*placed)
        lt_parse_placement(lexer, thread);
    *placed |= thread->host;
    if (!lexer->failed && parse_params(lexer, thread)) {
        lexer->thread = thread;
        thread->body = parse_block(lexer);
    }
    if (!lexer->failed)
        return thread;
    mm_map_clear(&thread->params_by_name);
    return NULL;
}

/* scope-tree = "(" scope { ( thread-number | scope-tree ) [ "," ] } ")"
 * scope = "device" | "dev" | "work_group" | "wg" | "sub_group" | "sg"
 * A tree of herd inside LEVEL outer ones; groups are numbered in order of appearance. */
static void parse_scope_tree(struct lt_lexer *lexer, uint32_t counts[3], unsigned level, bool *seen)
{
    static const char *const names[] = {"device", "work_group", "sub_group"};
    static const char *const short_names[] = {"dev", "wg", "sg"};
    unsigned kind = 0;
    if (!lt_enter(lexer) || !lt_expect(lexer, "("))
        return;
    while (kind < 3 && !lt_accept(lexer, names[kind]) && !lt_accept(lexer, short_names[kind]))
        kind++;
    if (kind == 3 || kind < level)
        lt_unexpected(lexer, "'device', 'work_group' or 'sub_group'");
    while (!lexer->failed && !lt_accept(lexer, ")")) {
        uint32_t number, thread_index = 0;
        struct lt_thread *thread = NULL;
        if (lt_thread_number(lt_peek(lexer, 0), &number))
            thread = lt_find_thread(lexer->test, number, &thread_index);
        if (lt_is(lexer, "(")) {
            parse_scope_tree(lexer, counts, kind + 1, seen);
        } else if (thread) {
            if (seen[thread_index])
                lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "thread %s is placed twice",
                           lt_peek(lexer, 0)->text);
            seen[thread_index] = true;
            lt_take(lexer);
            thread->device = counts[0];
            thread->work_group = counts[1];
            thread->sub_group = counts[2];
            thread->has_sub_group = kind == 2;
        } else {
            lt_unexpected(lexer, "a thread or a scope");
        }
        lt_accept(lexer, ",");
    }
    if (kind < 3)
        counts[kind]++;
    lt_leave(lexer);
}

static bool starts_thread(const struct lt_lexer *lexer)
{
    uint32_t number;
    const struct lt_token *t = lt_peek(lexer, 0);
    const char *after = lt_peek(lexer, 1)->text;
    return t->kind == LT_T_NAME && lt_thread_number(t, &number) && (*after == '@' || *after == '(');
}

/* scopes = ( "scopeTree" | "scopes" ) [ ":" ] ( { scope-tree } | "(" { scope-tree } ")" ) */
static void parse_scopes(struct lt_lexer *lexer)
{
    uint32_t counts[3] = {0, 0, 0}, i = 0;
    bool seen[LT_MAX_THREADS] = {false};
    const struct lt_pos pos = lt_take(lexer)->pos;
    lt_accept(lexer, ":");
    bool outer = lt_is(lexer, "(") && strcmp(lt_peek(lexer, 1)->text, "(") == 0;
    if (outer)
        lt_take(lexer);
    while (!lexer->failed && lt_is(lexer, "("))
        parse_scope_tree(lexer, counts, 0, seen);
    if (outer)
        lt_expect(lexer, ")");
    for (const struct lt_thread *t = lexer->test->threads; t; t = t->next, i++)
        if (!seen[i] && !t->host)
            lt_fail_at(lexer, pos, "thread P%u is not in the scope tree", t->number);
}

/* Without any placement each thread is in a separate work-group. */
static void place_apart(struct lt_test *test)
{
    uint32_t group = 0;
    for (struct lt_thread *t = test->threads; t; t = t->next)
        if (!t->host)
            t->work_group = group++;
}

/* opencl-test = init thread { thread } [ scopes ] final    (final: cond.c) */
void lt_parse_opencl(struct lt_lexer *lexer)
{
    bool all_placed = true, any_placed = false;
    struct lt_thread **tail = &lexer->test->threads;
    lt_parse_init(lexer);
    do {
        bool placed = false;
        if (lexer->failed)
            return;
        struct lt_thread *thread = parse_thread(lexer, &placed);
        if (!thread)
            return;
        all_placed &= placed;
        any_placed |= placed && !thread->host;
        *tail = thread;
        tail = &thread->next;
        lexer->test->thread_count++;
    } while (starts_thread(lexer));
    if (lt_is(lexer, "scopeTree") || lt_is(lexer, "scopes"))
        parse_scopes(lexer);
    else if (!any_placed)
        place_apart(lexer->test);
    else if (!all_placed)
        lt_unexpected(lexer, "a scope tree, as not every thread is placed (@wg n, dev n)");
    if (!lexer->failed)
        lt_resolve_host(lexer);
}
