/* Evaluating the nodes of a model, exactly or within bounds. */
#include "memmodel/cat/node.h"

#include <string.h>

static uint64_t *lower_of(struct mm_cat_eval *eval, uint32_t i)
{
    return eval->values + eval->nodes[i].offset;
}

static uint64_t *upper_of(struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];

    return (eval->exact || !node->dynamic) && !eval->open ? lower_of(eval, i)
                                                          : eval->values + node->offset + eval->upper_offset;
}

/* The storage of a bound; for a complete candidate both bounds share it. */
static uint64_t *bound_of(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    return upper ? upper_of(eval, i) : lower_of(eval, i);
}

static void eval_inside(struct mm_cat_eval *eval, uint32_t i, bool upper);
static void eval_node(struct mm_cat_eval *eval, uint32_t i, bool upper);
static bool is_void(struct mm_cat_eval *eval, uint32_t i);

uint64_t *cat_value(struct mm_cat_eval *eval, uint32_t i)
{
    eval_node(eval, i, false);
    return lower_of(eval, i);
}

/* A;[S] and [S];A: rows of A masked or left out. */
static bool seq_identity(struct mm_cat_eval *eval, const struct cat_node *node, uint64_t *out,
                         const uint64_t *a, const uint64_t *b)
{
    bool first = eval->nodes[node->a].identity;
    uint32_t n = eval->n, words = mm_rel_words(n);
    uint64_t *mask = eval->scratch;

    if (!first && !eval->nodes[node->b].identity)
        return false;
    memset(mask, 0, words * sizeof *mask);
    for (uint32_t i = 0; i < n; i++)
        mask[i / 64] |= (first ? a : b)[(size_t)i * words + i / 64] & UINT64_C(1) << i % 64;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *row = out + (size_t)i * words;

        if (!first)
            mm_bits_and(row, a + (size_t)i * words, mask, words);
        else if (mm_set_has(mask, i))
            memcpy(row, b + (size_t)i * words, words * sizeof *row);
        else
            memset(row, 0, words * sizeof *row);
    }
    return true;
}

/* Applies a node's operator; A and B are the operands at the bound that the result is to have. */
static void apply_operator(struct mm_cat_eval *eval, const struct cat_node *node, uint64_t *out,
                           const uint64_t *a, const uint64_t *b)
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
        if (!seq_identity(eval, node, out, a, b))
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

static void eval_base(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    const struct cat_node *node = &eval->nodes[i];
    size_t bytes = mm_rel_size(eval->n, node->type) * sizeof(uint64_t);
    uint64_t *out = bound_of(eval, i, upper);

    if (node->base == eval->bases.rf)
        memcpy(out, upper && !eval->exact ? eval->rf_upper : eval->rf_lower, bytes);
    else if (node->base == eval->bases.co)
        memcpy(out, upper && !eval->exact ? eval->co_upper : eval->co_lower, bytes);
    else
        mm_cat_base_fill(eval->events, node->base, out);
}

static void fill_all(struct mm_cat_eval *eval, enum mm_cat_type type, uint64_t *out)
{
    memset(out, 0, mm_rel_size(eval->n, type) * sizeof *out);
    if (type == MM_CAT_SET)
        mm_set_complement(eval->n, out, out);
    else
        mm_rel_complement(eval->n, out, out);
}

/* Bounds of the enumerated order: the pairs that it relates in every candidate; UPPER: in some. */
static void eval_linear(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    const struct cat_node *node = &eval->nodes[i];

    if (upper && eval->open) {
        fill_all(eval, MM_CAT_REL, upper_of(eval, i));
        return;
    }
    eval_inside(eval, node->a, upper);
    eval_inside(eval, upper ? i : node->b, false);
    cat_linear_bound(eval, upper, bound_of(eval, i, upper), bound_of(eval, node->a, upper),
                     lower_of(eval, upper ? i : node->b));
}

/* Whether an empty operand makes the result of OP empty. */
static bool is_strict(enum mm_cat_op op)
{
    return op == MM_CAT_SEQ || op == MM_CAT_INTER || op == MM_CAT_PRODUCT;
}

/* Evaluates the operands of a strict operator, those first that do not depend on the candidate; false: one of
 * them is empty at this bound, and the other may not be evaluated. */
static bool eval_operands(struct mm_cat_eval *eval, const struct cat_node *node, bool upper)
{
    bool b_first = eval->nodes[node->a].dynamic && !eval->nodes[node->b].dynamic;
    const uint32_t order[2] = {b_first ? node->b : node->a, b_first ? node->a : node->b};

    for (int k = 0; k < 2; k++) {
        eval_inside(eval, order[k], upper);
        if (mm_bits_empty(bound_of(eval, order[k], upper), mm_rel_size(eval->n, eval->nodes[order[k]].type)))
            return false;
    }
    return true;
}

/* Evaluates an operator.  A complement and the right side of a difference exchange the bounds. */
static void eval_operator(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    const struct cat_node *node = &eval->nodes[i];
    uint32_t a = node->a, b = node->b;
    bool upper_a = upper != (node->op == MM_CAT_COMPLEMENT), upper_b = upper != (node->op == MM_CAT_DIFF);

    if (node->op == MM_CAT_LINEAR) {
        eval_linear(eval, i, upper);
        return;
    }
    if (upper && eval->open && node->grows) {
        fill_all(eval, node->type, upper_of(eval, i));
        return;
    }
    if ((node->dynamic && is_void(eval, i)) || (is_strict(node->op) && !eval_operands(eval, node, upper))) {
        memset(bound_of(eval, i, upper), 0, mm_rel_size(eval->n, node->type) * sizeof(uint64_t));
        return;
    }
    if (a != CAT_NO_NODE)
        eval_inside(eval, a, upper_a);
    if (b != CAT_NO_NODE)
        eval_inside(eval, b, upper_b);
    apply_operator(eval, node, bound_of(eval, i, upper), a == CAT_NO_NODE ? NULL : bound_of(eval, a, upper_a),
                   b == CAT_NO_NODE ? NULL : bound_of(eval, b, upper_b));
}

static bool void_by_operands(struct mm_cat_eval *eval, const struct cat_node *node)
{
    switch (node->op) {
    case MM_CAT_SEQ:
    case MM_CAT_INTER:
    case MM_CAT_PRODUCT:
        return is_void(eval, node->a) || is_void(eval, node->b);
    case MM_CAT_UNION:
        return is_void(eval, node->a) && is_void(eval, node->b);
    case MM_CAT_DIFF:
    case MM_CAT_INVERSE:
    case MM_CAT_PLUS:
    case MM_CAT_IDENTITY:
    case MM_CAT_DOMAIN:
    case MM_CAT_RANGE:
        return is_void(eval, node->a);
    default:
        return false;
    }
}

static bool is_recursive(const struct mm_cat_eval *eval, uint32_t i)
{
    for (uint32_t g = 0; g < eval->flat->group_count; g++)
        if (i >= eval->flat->groups[g].first && i < eval->flat->groups[g].end)
            return true;
    return false;
}

/* True if node I is empty in every candidate: a sequence or intersection with an empty operand, such as
 * the fences of a program without fences. */
static bool is_void(struct mm_cat_eval *eval, uint32_t i)
{
    struct cat_node *node = &eval->nodes[i];
    bool yes;

    if (node->is_void != CAT_MAYBE_VOID || eval->open)
        return node->is_void == CAT_VOID;
    node->is_void = CAT_NOT_VOID;
    if (is_recursive(eval, i))
        return false;
    if (node->dynamic) {
        yes = void_by_operands(eval, node);
    } else {
        eval_inside(eval, i, false);
        yes = mm_bits_empty(lower_of(eval, i), mm_rel_size(eval->n, node->type));
    }
    node->is_void = yes ? CAT_VOID : CAT_NOT_VOID;
    return yes;
}

static uint32_t wanted_stamp(const struct mm_cat_eval *eval, const struct cat_node *node)
{
    return eval->epoch[node->dynamic];
}

static void stamp_node(struct mm_cat_eval *eval, uint32_t i, uint32_t stamp)
{
    eval->stamps[2 * i] = eval->stamps[2 * i + 1] = stamp;
}

/* Copies the value of the body of NODE; true if it changed. */
static bool take_body(struct mm_cat_eval *eval, uint32_t node, uint32_t body, bool upper)
{
    size_t words = mm_rel_size(eval->n, MM_CAT_REL);
    uint64_t *to = bound_of(eval, node, upper), *from = bound_of(eval, body, upper);
    bool same = mm_bits_equal(to, from, words);

    if (!same)
        memcpy(to, from, words * sizeof(uint64_t));
    return !same;
}

/* The least fixed point of a group of recursive definitions, by iteration from the empty relation.  Both
 * bounds are separate least fixed points, since recursion is monotone. */
static void eval_group(struct mm_cat_eval *eval, uint32_t g)
{
    const struct cat_group *group = &eval->flat->groups[g];
    size_t words = mm_rel_size(eval->n, MM_CAT_REL);
    bool changed = true, upper = !eval->exact && !eval->open;

    for (uint32_t k = 0; k < group->count; k++) {
        uint32_t node = group->first + k;

        memset(upper_of(eval, node), 0, words * sizeof(uint64_t));
        if (eval->open)
            fill_all(eval, MM_CAT_REL, upper_of(eval, node));
        memset(lower_of(eval, node), 0, words * sizeof(uint64_t));
        stamp_node(eval, node, wanted_stamp(eval, &eval->nodes[node]));
    }
    while (changed) {
        changed = false;
        for (uint32_t i = group->first + group->count; i < group->end; i++)
            stamp_node(eval, i, 0);
        for (uint32_t k = 0; k < group->count; k++) {
            eval_inside(eval, group->bodies[k], false);
            if (upper)
                eval_inside(eval, group->bodies[k], true);
        }
        for (uint32_t k = 0; k < group->count; k++) {
            changed = take_body(eval, group->first + k, group->bodies[k], false) || changed;
            changed = (upper && take_body(eval, group->first + k, group->bodies[k], true)) || changed;
        }
    }
}

/* Updates a bound of node I; the recursive groups before it are up to date or being computed. */
static void eval_inside(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    const struct cat_node *node = &eval->nodes[i];
    uint32_t *stamp;

    upper = upper && upper_of(eval, i) != lower_of(eval, i);
    stamp = &eval->stamps[2 * i + upper];
    if (*stamp == wanted_stamp(eval, node))
        return;
    if (node->op == MM_CAT_NAME)
        eval_base(eval, i, upper);
    else
        eval_operator(eval, i, upper);
    *stamp = wanted_stamp(eval, node);
}

static void eval_node(struct mm_cat_eval *eval, uint32_t i, bool upper)
{
    /* Groups on which this one depends come first: their nodes have smaller numbers. */
    for (uint32_t g = 0; g < eval->flat->group_count && eval->flat->groups[g].first <= i; g++) {
        const struct cat_group *group = &eval->flat->groups[g];

        if (eval->stamps[2 * group->first] != wanted_stamp(eval, &eval->nodes[group->first]))
            eval_group(eval, g);
    }
    eval_inside(eval, i, upper);
}

void mm_cat_eval_open(struct mm_cat_eval *eval)
{
    eval->open = true;
}

/* ---- candidates -------------------------------------------------------------------------------- */

/* Whether EVENTS equal those of the candidates before: the values that depend on neither rf nor co stay
 * valid. Else keeps a copy of them for the next comparison. */
static bool keep_events(struct mm_cat_eval *eval, const struct mm_cat_events *events)
{
    size_t bytes = events->count * sizeof *events->events;
    bool same = eval->kept.valid && eval->kept.vulkan == events->vulkan && eval->n == events->count &&
                !events->edge_count && !events->bases &&
                memcmp(eval->kept.events, events->events, bytes) == 0;

    if (same)
        return true;
    eval->kept.valid = false;
    if (events->edge_count || events->bases || bytes == 0)
        return false;
    if (events->count > eval->kept.capacity) {
        mm_free(eval->kept.events);
        eval->kept.events = mm_alloc(2 * bytes);
        eval->kept.capacity = eval->kept.events ? 2 * events->count : 0;
    }
    if (eval->kept.events) {
        memcpy(eval->kept.events, events->events, bytes);
        eval->kept.vulkan = events->vulkan;
        eval->kept.valid = true;
    }
    return false;
}

enum mm_class mm_cat_eval_begin(struct mm_cat_eval *eval, const struct mm_cat_events *events,
                                struct mm_error *err)
{
    uint32_t n = events->count;
    size_t set = mm_rel_size(n, MM_CAT_SET), rel = mm_rel_size(n, MM_CAT_REL), at = 0;

    eval->clock++;
    if (!keep_events(eval, events))
        eval->epoch[0] = eval->clock;
    cat_touch(eval, CAT_RF | CAT_CO | CAT_ORDER);
    eval->events = events;
    for (uint32_t i = 0; i < eval->flat->node_count; i++)
        eval->nodes[i].is_void = CAT_MAYBE_VOID;
    if (n == eval->n && eval->values)
        return MM_OK;
    for (uint32_t i = 0; i < eval->flat->node_count; i++) {
        eval->nodes[i].offset = at;
        at += eval->nodes[i].type == MM_CAT_REL ? rel : set;
    }
    eval->upper_offset = at;
    if (2 * (at + rel) >= eval->capacity) {
        uint64_t *values = mm_alloc((2 * (at + rel) + 1) * sizeof *values);

        if (!values)
            return mm_fail(err, MM_LIMIT, "memory", "out of memory for %u events", n);
        mm_free(eval->values);
        eval->values = values;
        eval->capacity = 2 * (at + rel) + 1;
    }
    eval->n = n;
    eval->scratch = eval->values + 2 * at;
    return MM_OK;
}

void cat_touch(struct mm_cat_eval *eval, unsigned which)
{
    eval->clock++;
    for (unsigned dynamic = 1; dynamic < CAT_DYNAMIC; dynamic++)
        if (dynamic & which)
            eval->epoch[dynamic] = eval->clock;
}

static void set_exact(struct mm_cat_eval *eval, unsigned changed)
{
    bool exact = !eval->rf_upper && !eval->co_upper;

    cat_touch(eval, exact != eval->exact ? CAT_RF | CAT_CO | CAT_ORDER : changed);
    eval->exact = exact;
}

void mm_cat_eval_rf(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper)
{
    eval->rf_lower = lower;
    eval->rf_upper = upper;
    set_exact(eval, CAT_RF);
}

void mm_cat_eval_co(struct mm_cat_eval *eval, const uint64_t *lower, const uint64_t *upper)
{
    eval->co_lower = lower;
    eval->co_upper = upper;
    set_exact(eval, CAT_CO);
}

/* Whether the property holds of R. */
static bool property_holds(struct mm_cat_eval *eval, const struct mm_cat_check *check, enum mm_cat_type type,
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
    uint32_t node = eval->flat->checks[i];

    if (eval->open && check->negated) /* further events may make it hold */
        return false;
    if (eval->exact && (eval->nodes[node].dynamic & CAT_ORDER))
        return false;
    if (eval->exact && i == eval->model->order_check)
        return !cat_has_order(eval);
    eval_node(eval, node, check->negated);
    return property_holds(eval, check, eval->nodes[node].type, bound_of(eval, node, check->negated)) ==
           check->negated;
}

/* Whether node I relates nothing that co does not relate. */
static bool is_part_of_co(const struct mm_cat_eval *eval, uint32_t i)
{
    const struct cat_node *node = &eval->nodes[i];

    switch (node->op) {
    case MM_CAT_NAME:
        return node->base == eval->bases.co;
    case MM_CAT_INTER:
        return is_part_of_co(eval, node->a) || is_part_of_co(eval, node->b);
    case MM_CAT_DIFF:
        return is_part_of_co(eval, node->a);
    case MM_CAT_SEQ:
        return (eval->nodes[node->a].identity && is_part_of_co(eval, node->b)) ||
               (eval->nodes[node->b].identity && is_part_of_co(eval, node->a));
    default:
        return false;
    }
}

/* Adds to OUT the upper bound of node I without those operands of unions that are subsets of co. */
static void add_beside_co(struct mm_cat_eval *eval, uint32_t i, uint64_t *out)
{
    const struct cat_node *node = &eval->nodes[i];

    if (node->op == MM_CAT_UNION) {
        add_beside_co(eval, node->a, out);
        add_beside_co(eval, node->b, out);
    } else if (!is_part_of_co(eval, i)) {
        mm_bits_or(out, out, upper_of(eval, i), mm_rel_size(eval->n, MM_CAT_REL));
    }
}

/* Whether every cycle in the upper bound of node I consists of co edges alone.  Such a cycle is no violation:
 * co will be a total order of the writes to each location, and only the bound has both directions. */
static bool cycles_are_of_co(struct mm_cat_eval *eval, uint32_t i)
{
    uint32_t n = eval->n, words = mm_rel_words(n);
    size_t size = mm_rel_size(n, MM_CAT_REL);
    uint64_t *closure = eval->scratch, *beside = closure + size;

    memset(beside, 0, size * sizeof *beside);
    add_beside_co(eval, i, beside);
    mm_rel_plus(n, closure, upper_of(eval, i));
    for (uint32_t from = 0; from < n; from++) {
        for (uint32_t to = 0; to < n; to++)
            if (mm_rel_has(n, beside, from, to) && mm_set_has(closure + (size_t)to * words, from))
                return false;
    }
    return true;
}

bool mm_cat_eval_passes(struct mm_cat_eval *eval, uint32_t i)
{
    const struct mm_cat_check *check = &eval->model->checks[i];
    uint32_t node = eval->flat->checks[i];

    if (i == eval->model->order_check)
        return eval->exact && cat_has_order(eval);
    eval_node(eval, node, !check->negated);
    if (check->kind == MM_CAT_ACYCLIC && !check->negated && !eval->exact && !eval->open &&
        cycles_are_of_co(eval, node))
        return true;
    return property_holds(eval, check, eval->nodes[node].type, bound_of(eval, node, !check->negated)) !=
           check->negated;
}

const uint64_t *mm_cat_eval_value(struct mm_cat_eval *eval, uint32_t i)
{
    return cat_value(eval, eval->flat->checks[i]);
}

const uint64_t *mm_cat_eval_named(struct mm_cat_eval *eval, const char *name)
{
    const struct mm_cat_model *m = eval->model;

    for (uint32_t i = m->let_count; i-- > 0;) {
        const struct cat_node *node = &eval->nodes[eval->flat->let_node[i]];

        if (m->lets[i].parameter_count || *m->lets[i].name != *name || strcmp(m->lets[i].name, name) != 0)
            continue;
        return node->type == MM_CAT_REL && !(node->dynamic & CAT_ORDER)
                   ? cat_value(eval, eval->flat->let_node[i])
                   : NULL;
    }
    return NULL;
}

bool mm_cat_eval_limited(const struct mm_cat_eval *eval)
{
    return eval->limited;
}

bool mm_cat_eval_forbidden(struct mm_cat_eval *eval, uint32_t *which)
{
    uint32_t count = eval->model->check_count, order = eval->model->order_check;

    /* the order comes last: it takes longest to find */
    for (uint32_t k = 0; k <= count; k++) {
        uint32_t i = k < count ? k : order;

        if (i == MM_CAT_NO_CHECK || (k == order && k < count) || eval->model->checks[i].flag ||
            !mm_cat_eval_fails(eval, i))
            continue;
        if (which)
            *which = i;
        return true;
    }
    return false;
}
