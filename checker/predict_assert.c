/* Assertions: conditions on what memory holds in the end, such as
 *
 *     out[0] == 2 and (done[1] != 0 or not count >= 3)
 *
 * A name is that of a kernel's argument, of the launch that bound it last, or in quotes that of a memory
 * object
 * ('svm 1'[3]), whose elements are 32-bit words. */
#include "checker/predict.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 256, DEPTH = 32 };

struct term {
    const char *name; /* NULL: a constant */
    uint64_t value;   /* of a constant, or the index */
};
struct node {
    enum ck_prop_op op;
    enum ck_expr_op compare;
    struct term left, right;
    uint32_t a, b;
};
struct ck_assertion {
    struct mm_arena *arena;
    char *text;
    struct node nodes[NODES];
    uint32_t count, root;
};

/* ---- reading ------------------------------------------------------------------------------------ */

struct reader {
    struct ck_assertion *assertion;
    const char *at;
    unsigned depth;
    bool failed;
    struct mm_error *err;
};

static uint32_t bad(struct reader *r, const char *what)
{
    if (!r->failed)
        mm_fail(r->err, MM_INVALID, "checker.assert", "in the assertion '%s': %s expected at '%.20s'",
                r->assertion->text, what, *r->at ? r->at : "the end");
    r->failed = true;
    return 0;
}

static bool accept(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    while (isspace((unsigned char)*r->at))
        r->at++;
    if (r->failed || strncmp(r->at, word, n) != 0 ||
        (isalpha((unsigned char)*word) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')))
        return false;
    r->at += n;
    return true;
}

static uint64_t number(struct reader *r)
{
    bool negative = accept(r, "-");
    char *end;
    uint64_t value = strtoull(r->at, &end, 0);
    if (!isdigit((unsigned char)*r->at) || isalnum((unsigned char)*end))
        return bad(r, "a whole number");
    r->at = end;
    return negative ? 0 - value : value;
}

static const char *name(struct reader *r)
{
    bool quoted = accept(r, "'");
    size_t n = 0;
    while (r->at[n] && (quoted ? r->at[n] != '\'' : isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        n++;
    char *copy = n ? mm_arena_alloc(r->assertion->arena, n + 1) : NULL;
    if (!copy || (quoted && !r->at[n])) {
        bad(r, "a name");
        return NULL;
    }
    memcpy(copy, r->at, n);
    r->at += n + quoted;
    return copy;
}

static struct term term(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
    if (isdigit((unsigned char)*r->at) || *r->at == '-')
        return (struct term){NULL, number(r)};
    struct term t = {.name = name(r)};
    if (accept(r, "[")) {
        t.value = number(r);
        if (!accept(r, "]"))
            bad(r, "]");
    }
    return t;
}

static uint32_t add(struct reader *r, struct node node)
{
    if (r->assertion->count == NODES)
        return bad(r, "a shorter condition");
    r->assertion->nodes[r->assertion->count] = node;
    return r->assertion->count++;
}

static uint32_t comparison(struct reader *r)
{
    struct node n = {.op = CK_PROP_COMPARE, .left = term(r)};
    for (size_t i = 0; i < CK_COMPARISONS; i++) {
        if (!accept(r, ck_comparisons[i].text))
            continue;
        struct term right = term(r);
        n.compare = ck_comparisons[i].op;
        n.right = ck_comparisons[i].swap ? n.left : right;
        n.left = ck_comparisons[i].swap ? right : n.left;
        return add(r, n);
    }
    return bad(r, "a comparison");
}

static uint32_t alternatives(struct reader *r);

static uint32_t primary(struct reader *r)
{
    if (accept(r, "not") || (r->at[0] == '!' && r->at[1] != '=' && accept(r, "!"))) {
        uint32_t a = r->depth++ < DEPTH ? primary(r) : bad(r, "less nesting");
        return add(r, (struct node){.op = CK_PROP_NOT, .a = a});
    }
    if (!accept(r, "("))
        return comparison(r);
    uint32_t inner = r->depth++ < DEPTH ? alternatives(r) : bad(r, "less nesting");
    return accept(r, ")") ? inner : bad(r, ")");
}

static uint32_t conjunction(struct reader *r)
{
    uint32_t left = primary(r);
    while (accept(r, "and") || accept(r, "&&")) {
        uint32_t right = primary(r);
        left = add(r, (struct node){.op = CK_PROP_AND, .a = left, .b = right});
    }
    return left;
}

static uint32_t alternatives(struct reader *r)
{
    uint32_t left = conjunction(r);
    while (accept(r, "or") || accept(r, "||")) {
        uint32_t right = conjunction(r);
        left = add(r, (struct node){.op = CK_PROP_OR, .a = left, .b = right});
    }
    return left;
}

struct ck_assertion *ck_assertion_parse(const char *text, struct mm_error *err)
{
    struct ck_assertion *a = mm_alloc_zero(1, sizeof *a);
    if (a && (a->arena = mm_arena_create()))
        a->text = mm_arena_strdup(a->arena, text);
    if (!a || !a->text) {
        ck_assertion_destroy(a);
        mm_fail(err, MM_LIMIT, "memory", "out of memory");
        return NULL;
    }
    struct reader r = {.assertion = a, .at = a->text, .err = err};
    a->root = alternatives(&r);
    while (isspace((unsigned char)*r.at))
        r.at++;
    if (*r.at)
        bad(&r, "the end of the condition");
    if (!r.failed)
        return a;
    ck_assertion_destroy(a);
    return NULL;
}

void ck_assertion_destroy(struct ck_assertion *a)
{
    if (a)
        mm_arena_destroy(a->arena);
    mm_free(a);
}

const char *ck_assertion_text(const struct ck_assertion *a)
{
    return a->text;
}

/* ---- memory ------------------------------------------------------------------------------------- */

struct where {
    uint32_t root, size;
    uint64_t offset;
    bool is_signed;
};

/* The last allocation of that name, unless an argument has it. */
static bool find(const struct ck_predictor *p, const struct term *t, struct where *to)
{
    for (const struct ck_predict_argument *a = p->arguments; a; a = a->next) {
        uint32_t size = a->info.element_size;
        if (!a->info.allocation || a->info.allocation >= p->allocation_count ||
            strcmp(a->info.name, t->name) != 0)
            continue;
        const struct ck_predict_allocation *in = &p->allocations[a->info.allocation];
        *to = (struct where){in->root, size, in->offset + a->info.offset + t->value * size,
                             a->info.type_name[0] != 'u'};
        return true;
    }
    for (uint32_t i = p->allocation_count; i-- > 1;) {
        const struct ck_predict_allocation *in = &p->allocations[i];
        if (!in->info.id || !in->info.name || strcmp(in->info.name, t->name) != 0)
            continue;
        *to = (struct where){in->root, 4, in->offset + t->value * 4, true};
        return true;
    }
    return false;
}

static bool fits(const struct where *at)
{
    return at->size == 1 || at->size == 2 || at->size == 4 || at->size == 8;
}

/* ---- the recorded execution --------------------------------------------------------------------- */

static bool value_of(const struct ck_predictor *p, const struct term *t, int64_t *value,
                     struct mm_error *limit)
{
    struct where at;
    uint64_t bits = t->value;
    *value = (int64_t)bits;
    if (!t->name)
        return true;
    if (!find(p, t, &at)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "no kernel had an argument '%s'", t->name);
        return false;
    }
    if (!fits(&at)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "the elements of '%s' are no numbers", t->name);
        return false;
    }
    if (!ck_predict_value_now(p, at.root, at.offset, at.size, &bits)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "nobody has written or read %s[%llu]", t->name,
                (unsigned long long)t->value);
        return false;
    }
    *value = at.is_signed ? ck_sign_extend(bits, at.size) : (int64_t)bits;
    return true;
}

static enum ck_answer holds(const struct ck_assertion *a, uint32_t index, const struct ck_predictor *p,
                            struct mm_error *limit)
{
    const struct node *n = &a->nodes[index];
    int64_t x, y;
    if (n->op == CK_PROP_COMPARE) {
        if (!value_of(p, &n->left, &x, limit) || !value_of(p, &n->right, &y, limit))
            return CK_UNKNOWN;
        bool is = n->compare == CK_EQ    ? x == y
                  : n->compare == CK_NE  ? x != y
                  : n->compare == CK_SLE ? x <= y
                                         : x < y;
        return is ? CK_YES : CK_NO;
    }
    enum ck_answer left = holds(a, n->a, p, limit);
    if (n->op == CK_PROP_NOT)
        return left == CK_UNKNOWN ? left : left == CK_YES ? CK_NO : CK_YES;
    enum ck_answer right = holds(a, n->b, p, limit), decides = n->op == CK_PROP_AND ? CK_NO : CK_YES;
    if (left == decides || right == decides)
        return decides;
    return left == CK_UNKNOWN ? left : right;
}

enum ck_answer ck_assertion_holds(const struct ck_assertion *a, const struct ck_predictor *p,
                                  struct mm_error *limit)
{
    return holds(a, a->root, p, limit);
}

/* ---- other executions --------------------------------------------------------------------------- */

struct lowering {
    const struct ck_assertion *assertion;
    const struct ck_predictor *p;
    const struct ck_predict_window *w;
    const uint32_t *objects;
    struct ck_program *program;
    bool failed;
};

/* Memory that only one agent writes holds in the end what it holds now. */
static struct ck_term lower_term(struct lowering *l, const struct term *t)
{
    struct ck_term out = {.kind = CK_TERM_CONST, .value = t->value};
    struct where at;
    if (!t->name)
        return out;
    if (!find(l->p, t, &at) || !fits(&at)) {
        l->failed = true;
        return out;
    }
    for (uint32_t i = 0; i < l->w->place_count; i++) {
        const struct ck_predict_place *place = &l->w->places[i];
        if (place->allocation != at.root || at.offset >= place->to || place->from >= at.offset + at.size ||
            l->objects[i] == UINT32_MAX)
            continue;
        if (at.offset < place->from || at.offset + at.size > place->to)
            l->failed = true;
        l->program->objects[l->objects[i]].is_signed = at.is_signed;
        out = (struct ck_term){.kind = CK_TERM_MEMORY,
                               .object = l->objects[i],
                               .offset = (uint32_t)(at.offset - place->from),
                               .size = (uint8_t)at.size};
        l->failed |= ck_program_add_observed(l->program, &out) == UINT32_MAX;
        return out;
    }
    l->failed |= !ck_predict_value_now(l->p, at.root, at.offset, at.size, &out.value);
    if (at.is_signed)
        out.value = (uint64_t)ck_sign_extend(out.value, at.size);
    return out;
}

static uint32_t lower(struct lowering *l, uint32_t index)
{
    const struct node *n = &l->assertion->nodes[index];
    struct ck_prop prop = {.op = n->op, .compare = n->compare};
    if (n->op == CK_PROP_COMPARE) {
        prop.left = lower_term(l, &n->left);
        prop.right = lower_term(l, &n->right);
    } else {
        prop.a = lower(l, n->a);
        prop.b = n->op == CK_PROP_NOT ? 0 : lower(l, n->b);
    }
    uint32_t added = ck_program_add_prop(l->program, &prop);
    l->failed |= added == UINT32_MAX;
    return added;
}

uint32_t ck_assertion_lower(const struct ck_assertion *a, const struct ck_predictor *p,
                            const struct ck_predict_window *w, const uint32_t *objects,
                            struct ck_program *program)
{
    struct lowering l = {a, p, w, objects, program, false};
    uint32_t root = lower(&l, a->root);
    uint32_t fails = ck_program_add_prop(program, &(struct ck_prop){.op = CK_PROP_NOT, .a = root});
    program->quantifier = CK_EXISTS;
    return l.failed ? UINT32_MAX : fails;
}
