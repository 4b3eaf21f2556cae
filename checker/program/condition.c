/* Recursive-descent parser of conditions. */
#include "checker/program/condition.h"
#include "memmodel/base/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a condition; indices of a variable; depth of nested operators and parentheses. */
enum { MOST_NODES = 8192, MOST_INDICES = 16, DEPTH = 256 };

struct reader {
    struct ck_condition *condition;
    const char *at;
    unsigned depth;
    bool failed;
    struct mm_error *err;
};

static uint32_t condition_error(struct reader *r, const char *what)
{
    if (!r->failed)
        mm_fail(r->err, MM_INVALID, "checker.condition", "in the condition '%.200s': %s expected at '%.20s'",
                r->condition->text, what, *r->at ? r->at : "the end");
    r->failed = true;
    return 0;
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool accept_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_space(r);
    if (r->failed || strncmp(r->at, word, n) != 0 || (isalpha((unsigned char)*word) && is_of_name(r->at[n])))
        return false;
    r->at += n;
    return true;
}

/* Operators have synonyms. */
static bool accept_not(struct reader *r)
{
    skip_space(r);
    return accept_word(r, "not") || accept_word(r, "~") ||
           (r->at[0] == '!' && r->at[1] != '=' && accept_word(r, "!"));
}

static bool accept_and(struct reader *r)
{
    return accept_word(r, "and") || accept_word(r, "&&") || accept_word(r, "/\\");
}

static bool accept_or(struct reader *r)
{
    return accept_word(r, "or") || accept_word(r, "||") || accept_word(r, "\\/");
}

/* ---- terms ---------------------------------------------------------------------------------------- */

static uint64_t parse_number(struct reader *r)
{
    bool negative = accept_word(r, "-");
    char *end;
    if (!negative)
        accept_word(r, "+");
    uint64_t value = strtoull(r->at, &end, 0);
    if (!isdigit((unsigned char)*r->at) || is_of_name(*end))
        return condition_error(r, "a whole number");
    r->at = end;
    return negative ? 0 - value : value;
}

static struct ck_condition_term constant_term(struct reader *r)
{
    char *whole, *end;
    double real = strtod(r->at, &end);
    strtoull(r->at, &whole, 0);
    if (end <= whole)
        return (struct ck_condition_term){.value = parse_number(r)};
    if (is_of_name(*end))
        condition_error(r, "a number");
    r->at = end;
    r->condition->has_real = true;
    return (struct ck_condition_term){.is_real = true, .real = real};
}

static const char *parse_name(struct reader *r)
{
    bool quoted = accept_word(r, "'");
    size_t n = 0;
    if (!quoted)
        accept_word(r, "%");
    while (r->at[n] && (quoted ? r->at[n] != '\'' : is_of_name(r->at[n])))
        n++;
    char *copy = n ? mm_arena_alloc(r->condition->arena, n + 1) : NULL;
    if (!copy || (quoted && !r->at[n])) {
        condition_error(r, "a name");
        return NULL;
    }
    memcpy(copy, r->at, n);
    r->at += n + quoted;
    return copy;
}

static void read_index(struct reader *r, struct ck_condition_term *term)
{
    if (!term->indices)
        term->indices = mm_arena_alloc(r->condition->arena, MOST_INDICES * sizeof *term->indices);
    if (!term->indices || term->index_count == MOST_INDICES) {
        condition_error(r, "fewer indices");
        return;
    }
    term->indices[term->index_count++] = parse_number(r);
    if (!accept_word(r, "]"))
        condition_error(r, "]");
}

static struct ck_condition_term parse_term(struct reader *r)
{
    skip_space(r);
    if (isdigit((unsigned char)*r->at) || *r->at == '-' || *r->at == '+')
        return constant_term(r);
    struct ck_condition_term t = {.name = parse_name(r)};
    while (accept_word(r, "["))
        read_index(r, &t);
    return t;
}

/* ---- propositions --------------------------------------------------------------------------------- */

static uint32_t add_node(struct reader *r, struct ck_condition_node node)
{
    struct ck_condition *c = r->condition;
    if (c->count == MOST_NODES)
        return condition_error(r, "a shorter condition");
    struct ck_condition_node *added = mm_add(&c->nodes, &c->count);
    if (!added)
        return condition_error(r, "more memory");
    *added = node;
    return c->count - 1;
}

static uint32_t parse_comparison(struct reader *r)
{
    struct ck_condition_node n = {.op = CK_PROP_COMPARE, .left = parse_term(r)};
    for (size_t i = 0; i < CK_COMPARISONS; i++) {
        if (!accept_word(r, ck_comparisons[i].text))
            continue;
        struct ck_condition_term right = parse_term(r);
        n.compare = ck_comparisons[i].op;
        n.right = ck_comparisons[i].swap ? n.left : right;
        n.left = ck_comparisons[i].swap ? right : n.left;
        return add_node(r, n);
    }
    return condition_error(r, "a comparison (==, !=, <, <=, >, >=)");
}

static uint32_t parse_disjunction(struct reader *r);

static uint32_t parse_primary(struct reader *r)
{
    uint32_t result;
    if (++r->depth > DEPTH)
        return condition_error(r, "less nesting");
    if (accept_not(r)) {
        uint32_t a = parse_primary(r);
        result = add_node(r, (struct ck_condition_node){.op = CK_PROP_NOT, .a = a});
    } else if (accept_word(r, "(")) {
        result = parse_disjunction(r);
        if (!accept_word(r, ")"))
            condition_error(r, ")");
    } else if (accept_word(r, "true")) {
        result = add_node(r, (struct ck_condition_node){.op = CK_PROP_TRUE});
    } else {
        result = parse_comparison(r);
    }
    r->depth--;
    return result;
}

static uint32_t parse_conjunction(struct reader *r)
{
    uint32_t left = parse_primary(r);
    while (accept_and(r)) {
        uint32_t right = parse_primary(r);
        left = add_node(r, (struct ck_condition_node){.op = CK_PROP_AND, .a = left, .b = right});
    }
    return left;
}

static uint32_t parse_disjunction(struct reader *r)
{
    uint32_t left = parse_conjunction(r);
    while (accept_or(r)) {
        uint32_t right = parse_conjunction(r);
        left = add_node(r, (struct ck_condition_node){.op = CK_PROP_OR, .a = left, .b = right});
    }
    return left;
}

static void read_quantifier(struct reader *r)
{
    struct ck_condition *c = r->condition;
    const char *start = r->at;
    bool negated = accept_not(r);
    c->quantified = true;
    c->quantifier = negated ? CK_NOT_EXISTS : CK_EXISTS;
    if (accept_word(r, "exists"))
        return;
    c->quantifier = CK_FORALL;
    if (!negated && accept_word(r, "forall"))
        return;
    c->quantified = false;
    r->at = start;
}

/* ---- life ----------------------------------------------------------------------------------------- */

struct ck_condition *ck_condition_parse(const char *text, struct mm_error *err)
{
    struct ck_condition *c = mm_alloc_zero(1, sizeof *c);
    if (c && (c->arena = mm_arena_create()))
        c->text = mm_arena_strdup(c->arena, text);
    if (!c || !c->text) {
        ck_condition_destroy(c);
        mm_out_of_memory(err);
        return NULL;
    }
    struct reader r = {.condition = c, .at = c->text, .err = err};
    read_quantifier(&r);
    c->root = parse_disjunction(&r);
    skip_space(&r);
    if (*r.at)
        condition_error(&r, "the end of the condition");
    if (!r.failed)
        return c;
    ck_condition_destroy(c);
    return NULL;
}

void ck_condition_destroy(struct ck_condition *c)
{
    if (!c)
        return;
    mm_arena_destroy(c->arena);
    mm_free(c->nodes);
    mm_free(c);
}
