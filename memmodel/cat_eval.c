/* Evaluating the nodes of a model, exactly or within bounds. */
#include "memmodel/cat_node.h"

#include <string.h>

static uint64_t *lower_of(struct mm_cat_eval *eval, uint32_t i)
{
    return eval->values + eval->nodes[i].offset;
}

static uint64_t *upper_of(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];

    return eval->exact || !node->dynamic ? lower_of(eval, i)
                                         : eval->values + node->offset + eval->upper_offset;
}

uint64_t *cat_value(struct mm_cat_eval *eval, uint32_t i)
{
    cat_eval_node(eval, i);
    return lower_of(eval, i);
}

/* Applies a node's operator; A and B are the operands at the bound that the result is to have. */
static void apply(struct mm_cat_eval *eval, const struct cat_node *node, uint64_t *out, const uint64_t *a,
                  const uint64_t *b)
{
    uint32_t n = eval->n;
    size_t words = mm_rel_size(n, node->type);

    switch (node->op) {
    case MM_CAT_UNION:
        mm_bits_or(out, a, b, words);
        break;
    case MM_CAT_INTER:
        mm_bits_and(out, a, b, words);
        break;
    case MM_CAT_DIFF:
        mm_bits_minus(out, a, b, words);
        break;
    case MM_CAT_COMPLEMENT:
        if (node->type == MM_CAT_SET)
            mm_set_complement(n, out, a);
        else
            mm_rel_complement(n, out, a);
        break;
    case MM_CAT_SEQ:
        mm_rel_seq(n, out, a, b);
        break;
    case MM_CAT_PRODUCT:
        mm_rel_product(n, out, a, b);
        break;
    case MM_CAT_INVERSE:
        mm_rel_inverse(n, out, a);
        break;
    case MM_CAT_PLUS:
        mm_rel_plus(n, out, a);
        break;
    case MM_CAT_STAR:
        mm_rel_star(n, out, a);
        break;
    case MM_CAT_OPTIONAL:
        mm_rel_optional(n, out, a);
        break;
    case MM_CAT_IDENTITY:
        mm_rel_identity(n, out, a);
        break;
    case MM_CAT_DOMAIN:
        mm_rel_domain(n, out, a);
        break;
    case MM_CAT_RANGE:
        mm_rel_range(n, out, a);
        break;
    case MM_CAT_EMPTY:
        memset(out, 0, words * sizeof *out);
        break;
    case MM_CAT_UNIVERSE:
        memset(out, 0, words * sizeof *out);
        mm_set_complement(n, out, out);
        break;
    default:
        break;
    }
}

static void eval_base(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];
    size_t bytes = mm_rel_size(eval->n, node->type) * sizeof(uint64_t);

    if (node->base == eval->base_rf || node->base == eval->base_co) {
        bool rf = node->base == eval->base_rf;

        memcpy(lower_of(eval, i), rf ? eval->rf_lower : eval->co_lower, bytes);
        if (!eval->exact)
            memcpy(upper_of(eval, i), rf ? eval->rf_upper : eval->co_upper, bytes);
    } else {
        mm_cat_base_fill(eval->events, node->base, lower_of(eval, i));
    }
}

/* A complement, and the right side of a difference, turn the bounds around. */
static void eval_operator(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];
    uint32_t a = node->a, b = node->b;
    bool turned_a = node->op == MM_CAT_COMPLEMENT, turned_b = node->op == MM_CAT_DIFF;
    const uint64_t *la = a == CAT_NO_NODE ? NULL : lower_of(eval, a);
    const uint64_t *lb = b == CAT_NO_NODE ? NULL : lower_of(eval, b);
    const uint64_t *ua = a == CAT_NO_NODE ? NULL : upper_of(eval, a);
    const uint64_t *ub = b == CAT_NO_NODE ? NULL : upper_of(eval, b);

    apply(eval, node, lower_of(eval, i), turned_a ? ua : la, turned_b ? ub : lb);
    if (!eval->exact && node->dynamic)
        apply(eval, node, upper_of(eval, i), turned_a ? la : ua, turned_b ? lb : ub);
}

static uint32_t wanted_stamp(const struct mm_cat_eval *eval, const struct cat_node *node)
{
    return eval->epoch[node->dynamic];
}

/* The least solution of a group of recursive definitions: from nothing, until nothing is added.  Both
 * bounds are least solutions of their own, since recursion is monotone. */
static void eval_group(struct mm_cat_eval *eval, uint32_t g)
{
    const struct cat_group *group = &eval->groups[g];
    size_t words = mm_rel_size(eval->n, MM_CAT_REL);
    bool changed = true;

    for (uint32_t k = 0; k < group->count; k++) {
        memset(lower_of(eval, group->first + k), 0, words * sizeof(uint64_t));
        memset(upper_of(eval, group->first + k), 0, words * sizeof(uint64_t));
        eval->stamps[group->first + k] = wanted_stamp(eval, &eval->nodes[group->first + k]);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = group->first + group->count; i < group->end; i++)
            eval->stamps[i] = 0;
        for (uint32_t k = 0; k < group->count; k++)
            cat_eval_inside(eval, group->bodies[k]);
        for (uint32_t k = 0; k < group->count; k++) {
            uint32_t node = group->first + k, body = group->bodies[k];

            if (!mm_bits_equal(lower_of(eval, node), lower_of(eval, body), words) ||
                !mm_bits_equal(upper_of(eval, node), upper_of(eval, body), words))
                changed = true;
            memcpy(lower_of(eval, node), lower_of(eval, body), words * sizeof(uint64_t));
            if (upper_of(eval, node) != lower_of(eval, node))
                memcpy(upper_of(eval, node), upper_of(eval, body), words * sizeof(uint64_t));
        }
    }
}

void cat_eval_inside(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];

    if (eval->stamps[i] == wanted_stamp(eval, node))
        return;
    if (node->a != CAT_NO_NODE)
        cat_eval_inside(eval, node->a);
    if (node->b != CAT_NO_NODE)
        cat_eval_inside(eval, node->b);
    if (node->op == MM_CAT_NAME)
        eval_base(eval, i);
    else
        eval_operator(eval, i);
    eval->stamps[i] = wanted_stamp(eval, node);
}

void cat_eval_node(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];

    if (eval->stamps[i] == wanted_stamp(eval, node))
        return;
    /* Groups on which this one depends come first: their nodes have smaller numbers. */
    for (uint32_t g = 0; g < eval->group_count && eval->groups[g].first <= i; g++) {
        const struct cat_group *group = &eval->groups[g];

        if (eval->stamps[group->first] != wanted_stamp(eval, &eval->nodes[group->first]))
            eval_group(eval, g);
    }
    cat_eval_inside(eval, i);
}

/* ---- candidates -------------------------------------------------------------------------------- */

enum mm_class mm_cat_eval_begin(struct mm_cat_eval *eval, const struct mm_cat_events *events,
                                struct mm_error *err)
{
    uint32_t n = events->count;
    size_t set = mm_rel_size(n, MM_CAT_SET), rel = mm_rel_size(n, MM_CAT_REL), at = 0;

    for (int t = 0; t < 4; t++)
        eval->epoch[t] = ++eval->clock;
    eval->events = events;
    if (n == eval->n && eval->values)
        return MM_OK;
    for (uint32_t i = 0; i < eval->node_count; i++) {
        eval->nodes[i].offset = at;
        at += eval->nodes[i].type == MM_CAT_REL ? rel : set;
    }
    eval->upper_offset = at;
    if (2 * at + rel >= eval->capacity) {
        uint64_t *values = mm_alloc((2 * at + rel + 1) * sizeof *values);

        if (!values)
            return mm_fail(err, MM_LIMIT, "memory", "out of memory for %u events", n);
        mm_free(eval->values);
        eval->values = values;
        eval->capacity = 2 * at + rel + 1;
    }
    eval->n = n;
    eval->scratch = eval->values + 2 * at;
    return MM_OK;
}

static void set_exact(struct mm_cat_eval *eval)
{
    bool exact = !eval->rf_upper && !eval->co_upper;

    if (exact != eval->exact)
        eval->epoch[CAT_RF] = eval->epoch[CAT_CO] = ++eval->clock;
    eval->exact = exact;
    eval->epoch[CAT_RF | CAT_CO] = ++eval->clock;
}

void mm_cat_eval_rf(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper)
{
    eval->rf_lower = lower;
    eval->rf_upper = upper;
    eval->epoch[CAT_RF] = ++eval->clock;
    set_exact(eval);
}

void mm_cat_eval_co(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper)
{
    eval->co_lower = lower;
    eval->co_upper = upper;
    eval->epoch[CAT_CO] = ++eval->clock;
    set_exact(eval);
}

/* Whether the property holds of R. */
static bool holds(struct mm_cat_eval *eval, const struct mm_cat_check *check, enum mm_cat_type type,
                  const uint64_t *r)
{
    switch (check->kind) {
    case MM_CAT_ACYCLIC:
        return mm_rel_acyclic(eval->n, r, eval->scratch);
    case MM_CAT_IRREFLEXIVE:
        return mm_rel_irreflexive(eval->n, r);
    case MM_CAT_CHECK_EMPTY:
        return mm_bits_empty(r, mm_rel_size(eval->n, type));
    }
    return false;
}

/* All three properties pass from a relation to its parts: if the lower bound lacks one so does every
 * completion, and if the upper bound has it so does every completion. */
bool mm_cat_eval_fails(struct mm_cat_eval *eval, uint32_t i)
{
    const struct mm_cat_check *check = &eval->model->checks[i];
    uint32_t node = eval->checks[i];

    cat_eval_node(eval, node);
    if (check->negated)
        return holds(eval, check, eval->nodes[node].type, upper_of(eval, node));
    return !holds(eval, check, eval->nodes[node].type, lower_of(eval, node));
}

bool mm_cat_eval_passes(struct mm_cat_eval *eval, uint32_t i)
{
    const struct mm_cat_check *check = &eval->model->checks[i];
    uint32_t node = eval->checks[i];

    cat_eval_node(eval, node);
    if (check->negated)
        return !holds(eval, check, eval->nodes[node].type, lower_of(eval, node));
    return holds(eval, check, eval->nodes[node].type, upper_of(eval, node));
}

const uint64_t *mm_cat_eval_value(struct mm_cat_eval *eval, uint32_t i)
{
    cat_eval_node(eval, eval->checks[i]);
    return lower_of(eval, eval->checks[i]);
}

bool mm_cat_eval_forbidden(struct mm_cat_eval *eval, uint32_t *which)
{
    for (uint32_t i = 0; i < eval->model->check_count; i++) {
        if (eval->model->checks[i].flag || !mm_cat_eval_fails(eval, i))
            continue;
        if (which)
            *which = i;
        return true;
    }
    return false;
}
