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

static const struct require *reject(struct reader *r, const char *what)
{
    if (!*r->message)
        snprintf(r->message, r->size, "%s at '%.30s'", what, *r->at ? r->at : "the end");
    return NULL;
}

static void skip(struct reader *r)
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
    skip(r);
    if (strncmp(r->at, word, n) != 0 || (is_name(*word) && is_name(r->at[n])))
        return false;
    r->at += n;
    return true;
}

static bool is_condition(const struct require *e)
{
    return e->op >= REQUIRE_EQUAL;
}

/* NULL if A or B is, or is not what CONDITIONS says. */
static const struct require *node(struct reader *r, enum require_op op, bool conditions,
                                  const struct require *a, const struct require *b)
{
    bool binary = op != REQUIRE_NEGATIVE && op != REQUIRE_NOT;
    struct require *e = a && (b || !binary) ? mm_arena_alloc(r->arena, sizeof *e) : NULL;
    if (!e)
        return reject(r, "out of memory");
    if (is_condition(a) != conditions || (binary && is_condition(b) != conditions)) {
        r->at = is_condition(a) != conditions ? a->at : b->at;
        return reject(r, conditions ? "a comparison is expected" : "a number is expected");
    }
    *e = (struct require){.op = op, .a = a, .b = b, .at = a->at};
    return e;
}

static const struct require *disjunction(struct reader *r);

static const char *read_name(struct reader *r)
{
    size_t n = 0;
    skip(r);
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
    skip(r);
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
static const struct require *query(struct reader *r, struct require *e, enum require_op op)
{
    e->op = op;
    if (!take_word(r, "("))
        return reject(r, "'(' is expected");
    if (op == REQUIRE_SIZE) {
        e->name = read_name(r);
        if (!e->name)
            return reject(r, "the name of an argument is expected");
    } else if (!parse_number(r, &e->value) || e->value > 2) {
        return reject(r, "a dimension, 0 to 2, is expected");
    }
    return take_word(r, ")") ? e : reject(r, "')' is expected");
}

static const struct require *primary(struct reader *r)
{
    static const struct {
        const char *word;
        enum require_op op;
    } queries[] = {{"global_size", REQUIRE_GLOBAL_SIZE},
                   {"local_size", REQUIRE_LOCAL_SIZE},
                   {"num_groups", REQUIRE_NUM_GROUPS},
                   {"offset", REQUIRE_OFFSET},
                   {"size", REQUIRE_SIZE}};
    skip(r);
    struct require *e = mm_arena_alloc(r->arena, sizeof *e);
    if (!e)
        return reject(r, "out of memory");
    *e = (struct require){.at = r->at};
    if (take_word(r, "(")) {
        const struct require *inner = disjunction(r);
        return !inner || take_word(r, ")") ? inner : reject(r, "')' is expected");
    }
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (take_word(r, queries[i].word))
            return query(r, e, queries[i].op);
    if (parse_number(r, &e->value))
        return e;
    e->name = read_name(r);
    if (!e->name)
        return reject(r, "a number or name is expected");
    e->op = take_word(r, "[") ? REQUIRE_ELEMENT : REQUIRE_NAME;
    if (e->op == REQUIRE_NAME)
        return e;
    e->a = disjunction(r);
    if (e->a && is_condition(e->a)) {
        r->at = e->a->at;
        return reject(r, "an index is expected");
    }
    return !e->a || take_word(r, "]") ? (e->a ? e : NULL) : reject(r, "']' is expected");
}

static const struct require *unary(struct reader *r)
{
    const struct require *e;
    if (++r->depth > MOST_DEPTH)
        return reject(r, "nested too deeply");
    skip(r);
    if (take_word(r, "-"))
        e = node(r, REQUIRE_NEGATIVE, false, unary(r), NULL);
    else
        e = primary(r);
    r->depth--;
    return e;
}

static const struct require *product(struct reader *r)
{
    const struct require *e = unary(r);
    while (e && take_word(r, "*"))
        e = node(r, REQUIRE_MULTIPLY, false, e, unary(r));
    return e;
}

static const struct require *sum(struct reader *r)
{
    const struct require *e = product(r);
    while (e) {
        if (take_word(r, "+"))
            e = node(r, REQUIRE_ADD, false, e, product(r));
        else if (take_word(r, "-"))
            e = node(r, REQUIRE_SUBTRACT, false, e, product(r));
        else
            break;
    }
    return e;
}

static const struct require *comparison(struct reader *r)
{
    static const struct {
        const char *word;
        enum require_op op;
        bool swap;
    } operators[] = {{"<=", REQUIRE_AT_MOST, false}, {">=", REQUIRE_AT_MOST, true},
                     {"==", REQUIRE_EQUAL, false},   {"!=", REQUIRE_NOT_EQUAL, false},
                     {"<", REQUIRE_LESS, false},     {">", REQUIRE_LESS, true}};
    const struct require *a = sum(r);
    for (size_t i = 0; a && i < sizeof operators / sizeof *operators; i++)
        if (take_word(r, operators[i].word)) {
            const struct require *b = sum(r);
            return operators[i].swap ? node(r, operators[i].op, false, b, a)
                                     : node(r, operators[i].op, false, a, b);
        }
    return a;
}

static const struct require *negation(struct reader *r)
{
    const struct require *e;
    if (++r->depth > MOST_DEPTH)
        return reject(r, "nested too deeply");
    e = take_word(r, "not") || (take_word(r, "!") && *r->at != '=')
            ? node(r, REQUIRE_NOT, true, negation(r), NULL)
            : comparison(r);
    r->depth--;
    return e;
}

static const struct require *conjunction(struct reader *r)
{
    const struct require *e = negation(r);
    while (e && (take_word(r, "and") || take_word(r, "&&")))
        e = node(r, REQUIRE_AND, true, e, negation(r));
    return e;
}

static const struct require *disjunction(struct reader *r)
{
    const struct require *e = conjunction(r);
    while (e && (take_word(r, "or") || take_word(r, "||")))
        e = node(r, REQUIRE_OR, true, e, conjunction(r));
    return e;
}

const struct require *require_read(struct mm_arena *arena, const char *text, char *message, size_t size)
{
    struct reader r = {.arena = arena, .at = text, .message = message, .size = size};
    *message = 0;
    const struct require *e = disjunction(&r);
    skip(&r);
    if (e && *r.at)
        return reject(&r, "the end of the condition is expected");
    if (e && !is_condition(e)) {
        r.at = text;
        return reject(&r, "a comparison is expected");
    }
    return e;
}
