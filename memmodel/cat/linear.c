/* An order that the model itself enumerates: with S from linearisations(A, r).
 *
 * S is some total order of A that contains what r relates there.  While a candidate is open, S has bounds
 * like everything else.  A complete candidate is allowed if there is an S under which all checks that depend
 * on S hold: the check that stands at the definition fails if there is none, the others are then not checked
 * separately.  The search extends prefixes of the order; the bounds of the remaining events prune prefixes
 * that cannot be completed. */
#include "memmodel/cat/node.h"

#include <string.h>

enum { MAX_PLACES = 1 << 22 };

struct linear {
    struct mm_cat_eval *eval;
    uint64_t *bounds;  /* by number of events placed: lower, then upper */
    uint64_t *members; /* not placed yet */
    uint32_t left;
};

void cat_linear_bound(struct mm_cat_eval *eval, bool upper, uint64_t *out, const uint64_t *set,
                      const uint64_t *contained)
{
    uint32_t n = eval->n;
    size_t size = mm_rel_size(n, MM_CAT_REL);
    uint64_t *inverse = eval->scratch;

    if (eval->order_lower) {
        memcpy(out, upper ? eval->order_upper : eval->order_lower, size * sizeof *out);
        return;
    }
    mm_rel_product(n, out, set, set);
    if (!upper) {
        mm_bits_and(inverse, out, contained, size);
        mm_rel_plus(n, out, inverse);
        return;
    }
    mm_rel_inverse(n, inverse, contained);
    mm_bits_minus(out, out, inverse, size);
    for (uint32_t i = 0; i < n; i++)
        mm_rel_remove(n, out, i, i);
}

static bool is_left(const struct linear *l, uint32_t i)
{
    return mm_set_has(l->members, i);
}

/* True if some check fails for every completion of the prefix. */
static bool is_dead_end(struct mm_cat_eval *eval)
{
    for (uint32_t i = 0; i < eval->model->check_count; i++)
        if ((eval->nodes[eval->flat->checks[i]].dynamic & CAT_ORDER) && i != eval->model->order_check &&
            mm_cat_eval_fails(eval, i))
            return true;
    return false;
}

/* Uses the bounds of depth DEPTH. */
static void use_bounds(const struct linear *l, uint32_t depth)
{
    size_t size = mm_rel_size(l->eval->n, MM_CAT_REL);

    l->eval->order_lower = l->bounds + 2 * depth * size;
    l->eval->order_upper = l->eval->order_lower + size;
    cat_touch(l->eval, CAT_ORDER);
}

/* Appends event E to the prefix of length DEPTH: computes the bounds of the longer prefix. */
static void linear_append(struct linear *l, uint32_t depth, uint32_t e)
{
    uint32_t n = l->eval->n;
    size_t size = mm_rel_size(n, MM_CAT_REL);
    uint64_t *lower = l->bounds + 2 * (depth + 1) * size, *upper = lower + size;

    memcpy(lower, l->bounds + 2 * depth * size, 2 * size * sizeof *lower);
    for (uint32_t i = 0; i < n; i++) {
        if (i == e || !is_left(l, i))
            continue;
        mm_rel_add(n, lower, e, i);
        mm_rel_remove(n, upper, i, e);
    }
}

static bool may_be_next(const struct linear *l, uint32_t depth, uint32_t e)
{
    uint32_t n = l->eval->n;
    const uint64_t *lower = l->bounds + 2 * depth * mm_rel_size(n, MM_CAT_REL);

    for (uint32_t i = 0; i < n; i++)
        if (is_left(l, i) && mm_rel_has(n, lower, i, e))
            return false;
    return is_left(l, e);
}

/* Completes the prefix of length DEPTH so that all checks that depend on the order hold; ANY: without
 * evaluating them. */
static bool place_rest(struct linear *l, uint32_t depth, bool any)
{
    if (l->left == 0)
        return true;
    for (uint32_t e = 0; e < l->eval->n; e++) {
        if (!may_be_next(l, depth, e))
            continue;
        if (++l->eval->placed > MAX_PLACES) {
            l->eval->limited = true;
            return false;
        }
        linear_append(l, depth, e);
        mm_set_remove(l->members, e);
        l->left--;
        use_bounds(l, depth + 1);
        if ((any || !is_dead_end(l->eval)) && place_rest(l, depth + 1, any))
            return true;
        mm_set_add(l->members, e);
        l->left++;
    }
    return false;
}

/* Bounds of the empty prefix; false: the relation that S must contain has a cycle. */
static bool compute_first_bounds(struct linear *l, const uint64_t *set, const uint64_t *contained)
{
    struct mm_cat_eval *eval = l->eval;
    uint32_t n = eval->n;
    size_t size = mm_rel_size(n, MM_CAT_REL);

    for (uint32_t i = 0; i < n; i++) {
        if (!mm_set_has(set, i))
            continue;
        mm_set_add(l->members, i);
        l->left++;
    }
    l->bounds = mm_alloc(2 * (l->left + 1) * size * sizeof *l->bounds);
    if (!l->bounds) {
        eval->limited = true;
        return false;
    }
    cat_linear_bound(eval, false, l->bounds, set, contained);
    cat_linear_bound(eval, true, l->bounds + size, set, l->bounds);
    return mm_rel_irreflexive(n, l->bounds);
}

/* Searches an order; true if there is one.  Calls ASK, unless it is NULL, while the bounds are those of
 * that order. */
static bool with_order(struct mm_cat_eval *eval, bool any, void (*ask)(struct mm_cat_eval *, void *),
                       void *context)
{
    const struct cat_node *node = &eval->nodes[eval->flat->let_node[eval->model->order_let]];
    const uint64_t *set = cat_value(eval, node->a), *contained = cat_value(eval, node->b);
    struct linear l = {.eval = eval, .members = mm_alloc(mm_rel_words(eval->n) * sizeof *l.members + 1)};
    bool found = false;

    eval->placed = 0;
    if (!l.members) {
        eval->limited = true;
        return false;
    }
    memset(l.members, 0, mm_rel_words(eval->n) * sizeof *l.members);
    if (compute_first_bounds(&l, set, contained)) {
        eval->exact = false;
        eval->rf_upper = eval->rf_lower;
        eval->co_upper = eval->co_lower;
        cat_touch(eval, CAT_RF | CAT_CO | CAT_ORDER);
        use_bounds(&l, 0);
        found = (any || !is_dead_end(eval)) && place_rest(&l, 0, any);
        if (found && ask)
            ask(eval, context);
        eval->exact = true;
        eval->rf_upper = eval->co_upper = eval->order_lower = eval->order_upper = NULL;
        cat_touch(eval, CAT_RF | CAT_CO | CAT_ORDER);
    }
    mm_free(l.bounds);
    mm_free(l.members);
    return found;
}

bool cat_has_order(struct mm_cat_eval *eval)
{
    return with_order(eval, false, NULL, NULL);
}

struct explanation {
    struct mm_cat_step *steps;
    uint32_t count, max;
};

/* Explains the first check that fails under the current order. */
static void explain_order(struct mm_cat_eval *eval, void *context)
{
    struct explanation *x = context;

    for (uint32_t i = 0; i < eval->model->check_count && !x->count; i++)
        if ((eval->nodes[eval->flat->checks[i]].dynamic & CAT_ORDER) && i != eval->model->order_check &&
            mm_cat_eval_fails(eval, i))
            x->count = mm_cat_eval_explain(eval, i, x->steps, x->max);
}

/* Explains a cycle of the relation that every order must contain, else a check that fails under one of the
 * orders. */
uint32_t cat_linear_explain(struct mm_cat_eval *eval, struct mm_cat_step *steps, uint32_t max)
{
    struct explanation x = {.steps = steps, .max = max};

    with_order(eval, true, explain_order, &x);
    return x.count;
}
