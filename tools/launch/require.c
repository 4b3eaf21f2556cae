/* The parser of conditions on launches. */
#include "tools/launch/require.h"

#include "memmodel/base/arena.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };
struct reader {
    struct mm_arena *arena;
    const char *at;
    char *message;
    size_t size;
    unsigned depth;
};

static const struct require *reject_text(struct reader *r, const char *what)
{
    if (!*r->message)
        snprintf(r->message, r->size, "%s at '%.30s'", what, *r->at ? r->at : "the end");
    return NULL;
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool take_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_space(r);
    if (strncmp(r->at, word, n) != 0 || (is_name(*word) && is_name(r->at[n])))
        return false;
    r->at += n;
    return true;
}

static bool is_condition(const struct require *e)
{
    return e->op >= REQUIRE_EQUAL;
}

/* Makes a node; NULL if an operand is missing, or is not a condition (CONDITIONS) or not a number
 * (otherwise). */
static const struct require *make_node(struct reader *r, enum require_op op, bool conditions,
                                       const struct require *a, const struct require *b)
{
    bool binary = op != REQUIRE_NEGATIVE && op != REQUIRE_NOT;
    struct require *e = a && (b || !binary) ? mm_arena_alloc(r->arena, sizeof *e) : NULL;
    if (!e)
        return reject_text(r, "out of memory");
    if (is_condition(a) != conditions || (binary && is_condition(b) != conditions)) {
        r->at = is_condition(a) != conditions ? a->at : b->at;
        return reject_text(r, conditions ? "a comparison is expected" : "a number is expected");
    }
    *e = (struct require){.op = op, .a = a, .b = b, .at = a->at};
    return e;
}

static const struct require *parse_disjunction(struct reader *r);

static const char *read_name(struct reader *r)
{
    size_t n = 0;
    skip_space(r);
    while (is_name(r->at[n]))
        n++;
    char *name = n && !isdigit((unsigned char)*r->at) ? mm_arena_alloc(r->arena, n + 1) : NULL;
    if (!name)
        return NULL;
    memcpy(name, r->at, n);
    name[n] = 0;
    r->at += n;
    return name;
}

static bool parse_number(struct reader *r, int64_t *value)
{
    char *end;
    skip_space(r);
    if (!isdigit((unsigned char)*r->at))
        return false;
    errno = 0;
    *value = (int64_t)strtoull(r->at, &end, 0);
    if (errno || is_name(*end))
        return false;
    r->at = end;
    return true;
}

/* "(DIMENSION)" or "(NAME)" after the word for OP. */
static const struct require *parse_query(struct reader *r, struct require *e, enum require_op op)
{
    e->op = op;
    if (!take_word(r, "("))
        return reject_text(r, "'(' is expected");
    if (op == REQUIRE_SIZE) {
        e->name = read_name(r);
        if (!e->name)
            return reject_text(r, "the name of an argument is expected");
    } else if (!parse_number(r, &e->value) || e->value > 2) {
        return reject_text(r, "a dimension, 0 to 2, is expected");
    }
    return take_word(r, ")") ? e : reject_text(r, "')' is expected");
}

static const struct require *parse_primary(struct reader *r)
{
    static const struct {
        const char *word;
        enum require_op op;
    } queries[] = {{"global_size", REQUIRE_GLOBAL_SIZE},
                   {"local_size", REQUIRE_LOCAL_SIZE},
                   {"num_groups", REQUIRE_NUM_GROUPS},
                   {"offset", REQUIRE_OFFSET},
                   {"size", REQUIRE_SIZE}};
    skip_space(r);
    struct require *e = mm_arena_alloc(r->arena, sizeof *e);
    if (!e)
        return reject_text(r, "out of memory");
    *e = (struct require){.at = r->at};
    if (take_word(r, "(")) {
        const struct require *inner = parse_disjunction(r);
        return !inner || take_word(r, ")") ? inner : reject_text(r, "')' is expected");
    }
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (take_word(r, queries[i].word))
            return parse_query(r, e, queries[i].op);
    if (parse_number(r, &e->value))
        return e;
    e->name = read_name(r);
    if (!e->name)
        return reject_text(r, "a number or name is expected");
    e->op = take_word(r, "[") ? REQUIRE_ELEMENT : REQUIRE_NAME;
    if (e->op == REQUIRE_NAME)
        return e;
    e->a = parse_disjunction(r);
    if (e->a && is_condition(e->a)) {
        r->at = e->a->at;
        return reject_text(r, "an index is expected");
    }
    return !e->a || take_word(r, "]") ? (e->a ? e : NULL) : reject_text(r, "']' is expected");
}

static const struct require *parse_unary(struct reader *r)
{
    const struct require *e;
    if (++r->depth > MOST_DEPTH)
        return reject_text(r, "nested too deeply");
    skip_space(r);
    if (take_word(r, "-"))
        e = make_node(r, REQUIRE_NEGATIVE, false, parse_unary(r), NULL);
    else
        e = parse_primary(r);
    r->depth--;
    return e;
}

static const struct require *parse_product(struct reader *r)
{
    const struct require *e = parse_unary(r);
    while (e && take_word(r, "*"))
        e = make_node(r, REQUIRE_MULTIPLY, false, e, parse_unary(r));
    return e;
}

static const struct require *parse_sum(struct reader *r)
{
    const struct require *e = parse_product(r);
    while (e) {
        if (take_word(r, "+"))
            e = make_node(r, REQUIRE_ADD, false, e, parse_product(r));
        else if (take_word(r, "-"))
            e = make_node(r, REQUIRE_SUBTRACT, false, e, parse_product(r));
        else
            break;
    }
    return e;
}

static const struct require *parse_comparison(struct reader *r)
{
    static const struct {
        const char *word;
        enum require_op op;
        bool swap;
    } operators[] = {{"<=", REQUIRE_AT_MOST, false}, {">=", REQUIRE_AT_MOST, true},
                     {"==", REQUIRE_EQUAL, false},   {"!=", REQUIRE_NOT_EQUAL, false},
                     {"<", REQUIRE_LESS, false},     {">", REQUIRE_LESS, true}};
    const struct require *a = parse_sum(r);
    for (size_t i = 0; a && i < sizeof operators / sizeof *operators; i++)
        if (take_word(r, operators[i].word)) {
            const struct require *b = parse_sum(r);
            return operators[i].swap ? make_node(r, operators[i].op, false, b, a)
                                     : make_node(r, operators[i].op, false, a, b);
        }
    return a;
}

static const struct require *parse_negation(struct reader *r)
{
    const struct require *e;
    if (++r->depth > MOST_DEPTH)
        return reject_text(r, "nested too deeply");
    e = take_word(r, "not") || (take_word(r, "!") && *r->at != '=')
            ? make_node(r, REQUIRE_NOT, true, parse_negation(r), NULL)
            : parse_comparison(r);
    r->depth--;
    return e;
}

static const struct require *parse_conjunction(struct reader *r)
{
    const struct require *e = parse_negation(r);
    while (e && (take_word(r, "and") || take_word(r, "&&")))
        e = make_node(r, REQUIRE_AND, true, e, parse_negation(r));
    return e;
}

static const struct require *parse_disjunction(struct reader *r)
{
    const struct require *e = parse_conjunction(r);
    while (e && (take_word(r, "or") || take_word(r, "||")))
        e = make_node(r, REQUIRE_OR, true, e, parse_conjunction(r));
    return e;
}

const struct require *require_read(struct mm_arena *arena, const char *text, char *message, size_t size)
{
    struct reader r = {.arena = arena, .at = text, .message = message, .size = size};
    *message = 0;
    const struct require *e = parse_disjunction(&r);
    skip_space(&r);
    if (e && *r.at)
        return reject_text(&r, "the end of the condition is expected");
    if (e && !is_condition(e)) {
        r.at = text;
        return reject_text(&r, "a comparison is expected");
    }
    return e;
}
