/* Operators and checks of the cat language as formulas over pairs of events (docs/encoding.md#relations).
 *
 * Relations are sparse: an entry that is the constant false costs nothing, and most are, because base
 * relations exclude impossible pairs early.  Closures are exact, so they may occur under negation. */
#include "checker/z3/internal.h"

#include <string.h>

/* Z3 traverses deeply shared formulas slowly and cannot be interrupted meanwhile. */
enum { MAX_RECURSIVE_FORMULAS = 20000 };

/* ---- relations as matrices of formulas ------------------------------------------------------------ */

static size_t count_entries(const struct zx *z, bool is_set)
{
    return is_set ? z->n : (size_t)z->n * z->n;
}

static uint32_t row_words(const struct zx *z, bool is_set)
{
    return is_set ? 1 : z->words;
}

struct zx_rel *zx_rel_new(struct zx *z, bool is_set)
{
    struct zx_rel *r = zx_alloc(z, 1, sizeof *r);

    r->is_set = is_set;
    r->e = zx_alloc(z, count_entries(z, is_set), sizeof *r->e);
    r->may = zx_alloc(z, (size_t)z->n * row_words(z, is_set), sizeof *r->may);
    for (size_t i = 0; i < count_entries(z, is_set); i++)
        r->e[i] = z->no;
    return r;
}

/* Sets use I alone. */
void zx_rel_set(struct zx *z, struct zx_rel *r, uint32_t i, uint32_t j, Z3_ast a)
{
    uint64_t *word = r->is_set ? &r->may[i] : &r->may[(size_t)i * z->words + j / 64];
    uint64_t bit = r->is_set ? 1 : UINT64_C(1) << (j % 64);

    r->e[r->is_set ? i : (size_t)i * z->n + j] = a;
    *word = a == z->no ? *word & ~bit : *word | bit;
}

Z3_ast zx_rel_get(const struct zx *z, const struct zx_rel *r, uint32_t i, uint32_t j)
{
    return r->e[r->is_set ? i : (size_t)i * z->n + j];
}

/* The next column of row I, from J on, that may be related; N if none. */
static uint32_t next_in_row(const struct zx *z, const struct zx_rel *r, uint32_t i, uint32_t j)
{
    const uint64_t *row = &r->may[(size_t)i * z->words];
    uint32_t w = j / 64;
    uint64_t bits;

    if (j >= z->n)
        return z->n;
    bits = row[w] & (UINT64_MAX << (j % 64));
    while (!bits) {
        if (++w == z->words)
            return z->n;
        bits = row[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

#define FOR_EACH_IN_ROW(z, r, i, j)                                                                          \
    for (uint32_t j = next_in_row(z, r, i, 0); j < (z)->n; j = next_in_row(z, r, i, j + 1))

/* ---- operators --------------------------------------------------------------------------------------- */

static struct zx_rel *pointwise_relation(struct zx *z, enum mm_cat_op op, const struct zx_rel *a,
                                         const struct zx_rel *b)
{
    struct zx_rel *r = zx_rel_new(z, a->is_set);
    uint32_t columns = a->is_set ? 1 : z->n;

    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            Z3_ast x = zx_rel_get(z, a, i, j), y = zx_rel_get(z, b, i, j);

            if (op == MM_CAT_UNION)
                x = zx_or(z, x, y);
            else if (x != z->no)
                x = zx_and(z, x, op == MM_CAT_DIFF ? zx_not(z, y) : y);
            if (x != z->no)
                zx_rel_set(z, r, i, j, x);
        }
    }
    return r;
}

static struct zx_rel *complement_of(struct zx *z, const struct zx_rel *a)
{
    struct zx_rel *r = zx_rel_new(z, a->is_set);
    uint32_t columns = a->is_set ? 1 : z->n;

    for (uint32_t i = 0; i < z->n; i++)
        for (uint32_t j = 0; j < columns; j++)
            zx_rel_set(z, r, i, j, zx_not(z, zx_rel_get(z, a, i, j)));
    return r;
}

/* Row I of A;B, a disjunction per column over the events in the middle, which must happen. */
static void sequence_row(struct zx *z, struct zx_rel *r, const struct zx_rel *a, const struct zx_rel *b,
                         uint32_t i, Z3_ast *terms, uint32_t *count)
{
    uint32_t n = z->n;

    memset(count, 0, n * sizeof *count);
    FOR_EACH_IN_ROW(z, a, i, j) {
        Z3_ast first = zx_and(z, zx_rel_get(z, a, i, j), z->events[j].exec);

        FOR_EACH_IN_ROW(z, b, j, k)
            terms[(size_t)k * n + count[k]++] = zx_and(z, first, zx_rel_get(z, b, j, k));
    }
    for (uint32_t k = 0; k < n; k++)
        if (count[k])
            zx_rel_set(z, r, i, k, zx_or_n(z, count[k], &terms[(size_t)k * n]));
}

static struct zx_rel *sequence_of(struct zx *z, const struct zx_rel *a, const struct zx_rel *b)
{
    struct zx_rel *r = zx_rel_new(z, false);
    Z3_ast *terms = zx_alloc(z, (size_t)z->n * z->n, sizeof *terms);
    uint32_t *count = zx_alloc(z, z->n, sizeof *count);

    for (uint32_t i = 0; i < z->n; i++)
        sequence_row(z, r, a, b, i, terms, count);
    return r;
}

static struct zx_rel *inverse_of(struct zx *z, const struct zx_rel *a)
{
    struct zx_rel *r = zx_rel_new(z, false);

    for (uint32_t i = 0; i < z->n; i++)
        FOR_EACH_IN_ROW(z, a, i, j)
            zx_rel_set(z, r, j, i, zx_rel_get(z, a, i, j));
    return r;
}

static struct zx_rel *product_of(struct zx *z, const struct zx_rel *a, const struct zx_rel *b)
{
    struct zx_rel *r = zx_rel_new(z, false);

    for (uint32_t i = 0; i < z->n; i++)
        for (uint32_t j = 0; a->e[i] != z->no && j < z->n; j++)
            zx_rel_set(z, r, i, j, zx_and(z, a->e[i], b->e[j]));
    return r;
}

static struct zx_rel *identity_on(struct zx *z, const struct zx_rel *a)
{
    struct zx_rel *r = zx_rel_new(z, false);

    for (uint32_t i = 0; i < z->n; i++)
        zx_rel_set(z, r, i, i, a ? a->e[i] : z->yes);
    return r;
}

static struct zx_rel *reflexive_closure(struct zx *z, const struct zx_rel *a)
{
    return pointwise_relation(z, MM_CAT_UNION, a, identity_on(z, NULL));
}

static struct zx_rel *domain_of(struct zx *z, const struct zx_rel *a)
{
    struct zx_rel *r = zx_rel_new(z, true);
    Z3_ast *terms = zx_alloc(z, z->n, sizeof *terms);

    for (uint32_t i = 0; i < z->n; i++) {
        uint32_t count = 0;

        FOR_EACH_IN_ROW(z, a, i, j)
            terms[count++] = zx_and(z, zx_rel_get(z, a, i, j), z->events[j].exec);
        zx_rel_set(z, r, i, 0, zx_or_n(z, count, terms));
    }
    return r;
}

static struct zx_rel *universal_relation(struct zx *z)
{
    struct zx_rel *r = zx_rel_new(z, true);

    for (uint32_t i = 0; i < z->n; i++)
        zx_rel_set(z, r, i, 0, z->yes);
    return r;
}

/* One step of the Floyd-Warshall closure: adds the paths through K, which must happen.  The closure is exact
 * after a step for every event. */
static void close_through(struct zx *z, struct zx_rel *r, uint32_t k)
{
    for (uint32_t i = 0; i < z->n; i++) {
        Z3_ast first = zx_rel_get(z, r, i, k);

        if (first == z->no || i == k)
            continue;
        first = zx_and(z, first, z->events[k].exec);
        FOR_EACH_IN_ROW(z, r, k, j) {
            Z3_ast direct = zx_rel_get(z, r, i, j);

            if (direct != z->yes && j != k)
                zx_rel_set(z, r, i, j, zx_or(z, direct, zx_and(z, first, zx_rel_get(z, r, k, j))));
        }
    }
}

/* Paths through K: events with few are eliminated first, so that formulas stay small. */
static uint32_t path_count(const struct zx *z, const struct zx_rel *r, uint32_t k)
{
    uint32_t out = 0, in = 0;

    for (uint32_t i = 0; i < z->n; i++) {
        in += zx_rel_get(z, r, i, k) != z->no;
        out += zx_rel_get(z, r, k, i) != z->no;
    }
    return in * out;
}

static struct zx_rel *transitive_closure(struct zx *z, const struct zx_rel *a)
{
    struct zx_rel *r = zx_rel_new(z, false);
    bool *done = zx_alloc(z, z->n, sizeof *done);

    for (uint32_t i = 0; i < z->n; i++)
        FOR_EACH_IN_ROW(z, a, i, j)
            zx_rel_set(z, r, i, j, zx_rel_get(z, a, i, j));
    for (uint32_t done_count = 0; done_count < z->n; done_count++) {
        uint32_t best = ZX_NONE, least = 0;

        for (uint32_t k = 0; k < z->n; k++) {
            uint32_t d = done[k] ? 0 : path_count(z, r, k);

            if (!done[k] && (best == ZX_NONE || d < least)) {
                best = k;
                least = d;
            }
        }
        done[best] = true;
        if (least)
            close_through(z, r, best);
    }
    return r;
}

/* A strict total order of SET: each event has a number; ties are broken by the index. */
static struct zx_rel *linear_order(struct zx *z, const struct zx_rel *set)
{
    struct zx_rel *r = zx_rel_new(z, false);
    Z3_ast *rank = zx_alloc(z, z->n, sizeof *rank);
    uint32_t members = 0;
    unsigned bits = 1;

    for (uint32_t i = 0; i < z->n; i++)
        members += set->e[i] != z->no;
    while (1U << bits < members)
        bits++;
    for (uint32_t i = 0; i < z->n; i++)
        if (set->e[i] != z->no)
            rank[i] = zx_keep(z, Z3_mk_fresh_const(z->c, "s", Z3_mk_bv_sort(z->c, bits)));
    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            Z3_ast both = zx_and(z, set->e[i], set->e[j]), first;

            if (both == z->no)
                continue;
            first = zx_keep(z, Z3_mk_bvult(z->c, rank[i], rank[j]));
            zx_rel_set(z, r, i, j, zx_and(z, both, first));
            zx_rel_set(z, r, j, i, zx_and(z, both, zx_not(z, first)));
        }
    }
    return r;
}

/* ---- expressions --------------------------------------------------------------------------------------- */

static bool same_relation(const struct zx *z, const struct zx_rel *a, const struct zx_rel *b)
{
    return memcmp(a->e, b->e, count_entries(z, a->is_set) * sizeof *a->e) == 0;
}

static bool mentions_let(const struct mm_cat_expr *e, uint32_t let)
{
    bool found = e->op == MM_CAT_NAME && e->let == let;

    for (uint32_t i = 0; i < e->child_count && !found; i++)
        found = mentions_let(e->child[i], let);
    return found;
}

static struct zx_rel *evaluate_expr(struct zx *z, const struct mm_cat_expr *expr,
                                    struct zx_rel *const *arguments);

/* Adds to *SUM the operands of E, a union, except LET;LET.  False: another operand mentions LET. */
static bool add_terms(struct zx *z, const struct mm_cat_expr *e, uint32_t let, struct zx_rel **sum,
                      bool *squared)
{
    struct zx_rel *term;

    if (e->op == MM_CAT_UNION)
        return add_terms(z, e->child[0], let, sum, squared) && add_terms(z, e->child[1], let, sum, squared);
    if (e->op == MM_CAT_SEQ && e->child[0]->op == MM_CAT_NAME && e->child[0]->let == let &&
        e->child[1]->op == MM_CAT_NAME && e->child[1]->let == let)
        return *squared = true;
    if (mentions_let(e, let))
        return false;
    term = evaluate_expr(z, e, NULL);
    *sum = *sum ? pointwise_relation(z, MM_CAT_UNION, *sum, term) : term;
    return true;
}

/* let rec r = e | r;r is the transitive closure of e. */
static bool is_closure(struct zx *z, uint32_t let)
{
    const struct mm_cat_model *m = z->model;
    const struct mm_cat_let *l = &m->lets[let];
    struct zx_rel *sum = NULL;
    bool squared = false,
         alone = (let == 0 || m->lets[let - 1].recursive_group != l->recursive_group) &&
                 (let + 1 == m->let_count || m->lets[let + 1].recursive_group != l->recursive_group);

    if (!alone || !add_terms(z, l->body, let, &sum, &squared) || !sum || !squared)
        return false;
    z->cache.let[let] = transitive_closure(z, sum);
    return true;
}

/* Least fixpoint of the definitions of one recursive group, by iteration from the empty relation.  Formulas
 * rarely become syntactically equal, but after as many iterations as there are entries no entry can
 * change. */
static void evaluate_recursive(struct zx *z, uint32_t group)
{
    const struct mm_cat_model *m = z->model;
    uint64_t refinements = 1, before = z->limits.budget;

    for (uint32_t i = 0; i < m->let_count; i++) {
        if (m->lets[i].recursive_group != group)
            continue;
        z->cache.let[i] = zx_rel_new(z, m->lets[i].body->type == MM_CAT_SET);
        refinements += count_entries(z, z->cache.let[i]->is_set);
    }
    for (bool changed = true; changed && refinements-- > 0;) {
        struct zx_rel **next = zx_alloc(z, m->let_count, sizeof *next);

        changed = false;
        if (before - z->limits.budget > MAX_RECURSIVE_FORMULAS)
            zx_stop(z, MM_LIMIT, "z3", "limit reached: formulas for a recursive definition of the model");
        for (uint32_t i = 0; i < m->let_count; i++)
            if (m->lets[i].recursive_group == group)
                next[i] = evaluate_expr(z, m->lets[i].body, NULL);
        for (uint32_t i = 0; i < m->let_count; i++) {
            if (!next[i])
                continue;
            changed = changed || !same_relation(z, z->cache.let[i], next[i]);
            z->cache.let[i] = next[i];
        }
    }
}

static struct zx_rel *evaluate_let(struct zx *z, uint32_t let)
{
    const struct mm_cat_let *l = &z->model->lets[let];

    if (!z->cache.let[let] && l->recursive_group && !is_closure(z, let))
        evaluate_recursive(z, l->recursive_group);
    if (!z->cache.let[let])
        z->cache.let[let] = evaluate_expr(z, l->body, NULL);
    return z->cache.let[let];
}

static struct zx_rel *apply_function(struct zx *z, const struct mm_cat_expr *expr,
                                     struct zx_rel *const *arguments)
{
    struct zx_rel **actual = zx_alloc(z, expr->child_count, sizeof *actual);

    for (uint32_t i = 0; i < expr->child_count; i++)
        actual[i] = evaluate_expr(z, expr->child[i], arguments);
    return evaluate_expr(z, z->model->lets[expr->let].body, actual);
}

/* [S];r and r;[S] without visiting all triples. */
static struct zx_rel *restrict_side(struct zx *z, const struct zx_rel *set, const struct zx_rel *a, bool left)
{
    struct zx_rel *r = zx_rel_new(z, false);

    for (uint32_t i = 0; i < z->n; i++)
        FOR_EACH_IN_ROW(z, a, i, j)
            zx_rel_set(z, r, i, j, zx_and(z, zx_rel_get(z, a, i, j), set->e[left ? i : j]));
    return r;
}

static struct zx_rel *evaluate_seq(struct zx *z, const struct mm_cat_expr *expr,
                                   struct zx_rel *const *arguments)
{
    const struct mm_cat_expr *a = expr->child[0], *b = expr->child[1];

    if (a->op == MM_CAT_IDENTITY)
        return restrict_side(z, evaluate_expr(z, a->child[0], arguments), evaluate_expr(z, b, arguments),
                             true);
    if (b->op == MM_CAT_IDENTITY)
        return restrict_side(z, evaluate_expr(z, b->child[0], arguments), evaluate_expr(z, a, arguments),
                             false);
    return sequence_of(z, evaluate_expr(z, a, arguments), evaluate_expr(z, b, arguments));
}

static struct zx_rel *evaluate_leaf(struct zx *z, const struct mm_cat_expr *expr,
                                    struct zx_rel *const *arguments)
{
    switch (expr->op) {
    case MM_CAT_NAME:
        return expr->base != MM_CAT_NO_BASE ? zx_base(z, mm_cat_bases[expr->base].name)
                                            : evaluate_let(z, expr->let);
    case MM_CAT_PARAMETER:
        return arguments[expr->parameter];
    case MM_CAT_CALL:
        return apply_function(z, expr, arguments);
    case MM_CAT_UNIVERSE:
        return universal_relation(z);
    default:
        return zx_rel_new(z, expr->type == MM_CAT_SET);
    }
}

static struct zx_rel *evaluate_expr(struct zx *z, const struct mm_cat_expr *expr,
                                    struct zx_rel *const *arguments)
{
    struct zx_rel *a;

    if (expr->child_count == 0 || expr->op == MM_CAT_CALL)
        return evaluate_leaf(z, expr, arguments);
    if (expr->op == MM_CAT_SEQ)
        return evaluate_seq(z, expr, arguments);
    a = evaluate_expr(z, expr->child[0], arguments);
    switch (expr->op) {
    case MM_CAT_LINEAR:
        return linear_order(z, a);
    case MM_CAT_UNION:
    case MM_CAT_INTER:
    case MM_CAT_DIFF:
        return pointwise_relation(z, expr->op, a, evaluate_expr(z, expr->child[1], arguments));
    case MM_CAT_PRODUCT:
        return product_of(z, a, evaluate_expr(z, expr->child[1], arguments));
    case MM_CAT_COMPLEMENT:
        return complement_of(z, a);
    case MM_CAT_INVERSE:
        return inverse_of(z, a);
    case MM_CAT_PLUS:
        return transitive_closure(z, a);
    case MM_CAT_STAR:
        return reflexive_closure(z, transitive_closure(z, a));
    case MM_CAT_OPTIONAL:
        return reflexive_closure(z, a);
    case MM_CAT_IDENTITY:
        return identity_on(z, a);
    case MM_CAT_DOMAIN:
        return domain_of(z, a);
    case MM_CAT_RANGE:
        return domain_of(z, inverse_of(z, a));
    default:
        break;
    }
    zx_stop(z, MM_LIMIT, "z3", "the Z3 engine does not support an operator of the model (line %u)",
            expr->line);
}

/* ---- checks -------------------------------------------------------------------------------------- */

/* No entry on the diagonal (DIAGONAL), or none at all, between events that happen. */
static Z3_ast no_entry(struct zx *z, const struct zx_rel *r, bool diagonal)
{
    Z3_ast all = z->yes, *terms = zx_alloc(z, count_entries(z, r->is_set), sizeof *terms);
    uint32_t count = 0;

    for (uint32_t i = 0; i < z->n; i++) {
        for (uint32_t j = r->is_set || diagonal ? i : 0; j < (r->is_set || diagonal ? i + 1 : z->n); j++) {
            Z3_ast a = zx_rel_get(z, r, i, j), both;

            if (a == z->no)
                continue;
            both = zx_and(z, z->events[i].exec, z->events[j].exec);
            terms[count++] = zx_not(z, zx_and(z, a, both));
        }
    }
    if (count)
        all = zx_and_n(z, count, terms);
    return all;
}

/* Transitive closure of the possible entries: only events on a possible cycle need a number in
 * encode_acyclic(). */
static void mark_cyclic(const struct zx *z, const struct zx_rel *r, uint64_t *reach)
{
    uint32_t words = z->words;

    memcpy(reach, r->may, (size_t)z->n * words * sizeof *reach);
    for (uint32_t k = 0; k < z->n; k++) {
        for (uint32_t i = 0; i < z->n; i++) {
            if (!(reach[(size_t)i * words + k / 64] >> (k % 64) & 1))
                continue;
            for (uint32_t w = 0; w < words; w++)
                reach[(size_t)i * words + w] |= reach[(size_t)k * words + w];
        }
    }
}

/* Acyclicity by numbering: related events have increasing numbers. */
static Z3_ast encode_acyclic(struct zx *z, const struct zx_rel *r)
{
    uint64_t *reach = zx_alloc(z, (size_t)z->n * z->words, sizeof *reach);
    Z3_ast *rank = zx_alloc(z, z->n, sizeof *rank), all = z->yes;
    Z3_ast *terms = zx_alloc(z, (size_t)z->n * z->n, sizeof *terms);
    uint32_t count = 0, cyclic = 0;
    unsigned bits = 1;
    Z3_sort sort;

    mark_cyclic(z, r, reach);
    for (uint32_t i = 0; i < z->n; i++)
        cyclic += (uint32_t)(reach[(size_t)i * z->words + i / 64] >> (i % 64) & 1);
    while (1U << bits < cyclic)
        bits++;
    sort = Z3_mk_bv_sort(z->c, bits);
    for (uint32_t i = 0; i < z->n; i++)
        if (reach[(size_t)i * z->words + i / 64] >> (i % 64) & 1)
            rank[i] = zx_keep(z, Z3_mk_fresh_const(z->c, "o", sort));
    for (uint32_t i = 0; i < z->n; i++) {
        FOR_EACH_IN_ROW(z, r, i, j) {
            Z3_ast both = zx_and(z, z->events[i].exec, z->events[j].exec);
            bool back = reach[(size_t)j * z->words + i / 64] >> (i % 64) & 1;
            Z3_ast less;

            if (!back)
                continue;
            less = i == j ? z->no : zx_keep(z, Z3_mk_bvult(z->c, rank[i], rank[j]));
            terms[count++] = zx_implies(z, zx_and(z, zx_rel_get(z, r, i, j), both), less);
        }
    }
    if (count)
        all = zx_and_n(z, count, terms);
    return all;
}

Z3_ast zx_check(struct zx *z, const struct mm_cat_check *check, bool one_way)
{
    const struct zx_rel *r = evaluate_expr(z, check->expr, NULL);
    Z3_ast statement = z->yes;

    switch (check->kind) {
    case MM_CAT_CHECK_EMPTY:
        statement = no_entry(z, r, false);
        break;
    case MM_CAT_IRREFLEXIVE:
        statement = no_entry(z, r, true);
        break;
    case MM_CAT_ACYCLIC:
        if (one_way && !check->negated)
            statement = encode_acyclic(z, r);
        else
            statement = no_entry(z, transitive_closure(z, r), true);
        break;
    }
    return check->negated ? zx_not(z, statement) : statement;
}
