/* Why a check fails: its cycle, each edge with the name of the relation that contains it. */
#include "memmodel/cat/node.h"

#include <stdio.h>
#include <string.h>

struct walk {
    struct mm_cat_eval *eval;
    struct mm_cat_step *steps;
    uint32_t count, max;
    unsigned depth;
};

static bool has_pair(struct walk *w, uint32_t node, uint32_t a, uint32_t b)
{
    return mm_rel_has(w->eval->n, cat_value(w->eval, node), a, b);
}

static void add_step(struct walk *w, uint32_t from, const char *edge)
{
    if (w->count < w->max)
        w->steps[w->count] = (struct mm_cat_step){from, edge};
    w->count++;
}

static const char *node_label(const struct mm_cat_eval *eval, uint32_t node)
{
    const struct cat_node *n = &eval->nodes[node];

    if (n->name)
        return n->name;
    return n->op == MM_CAT_NAME ? mm_cat_bases[n->base].name : "?";
}

static bool is_chain(const struct mm_cat_eval *eval, uint32_t node)
{
    enum mm_cat_op op = eval->nodes[node].op;

    return op == MM_CAT_PLUS || op == MM_CAT_STAR || op == MM_CAT_OPTIONAL || op == MM_CAT_IDENTITY;
}

/* True if an edge of NODE is printed with NODE's name: NODE has a name and is no closure.  OPEN: NODE is the
 * relation of the check or a part of it, which is expanded unless it is a base relation. */
static bool stops_expansion(const struct mm_cat_eval *eval, uint32_t node, bool open)
{
    const char *name = eval->nodes[node].name;

    if (!name || is_chain(eval, node))
        return false;
    return !open || mm_cat_base_find(name) != MM_CAT_NO_BASE;
}

static void expand_pair(struct walk *w, uint32_t node, uint32_t a, uint32_t b, bool open);

/* A chain over the relation NODE: its shortest path. */
static void expand_path(struct walk *w, uint32_t node, uint32_t a, uint32_t b)
{
    uint32_t n = w->eval->n;
    uint32_t *path = mm_alloc((n + 1) * sizeof *path);
    uint32_t length = path ? mm_rel_path(n, cat_value(w->eval, node), a, b, path) : 0;

    for (uint32_t i = 0; i < length; i++)
        expand_pair(w, node, path[i], path[i + 1], false);
    mm_free(path);
}

static void expand_seq(struct walk *w, const struct cat_node *node, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < w->eval->n; k++) {
        if (!has_pair(w, node->a, a, k) || !has_pair(w, node->b, k, b))
            continue;
        expand_pair(w, node->a, a, k, false);
        expand_pair(w, node->b, k, b, false);
        return;
    }
}

/* Of an intersection, the most informative part: not a product or a complement, preferably one that depends
 * on the execution. */
static uint32_t telling_part(const struct mm_cat_eval *eval, const struct cat_node *node)
{
    const struct cat_node *a = &eval->nodes[node->a], *b = &eval->nodes[node->b];
    bool a_filter = a->op == MM_CAT_PRODUCT || a->op == MM_CAT_COMPLEMENT;
    bool b_filter = b->op == MM_CAT_PRODUCT || b->op == MM_CAT_COMPLEMENT;

    if (a_filter != b_filter)
        return a_filter ? node->b : node->a;
    return a->dynamic || !b->dynamic ? node->a : node->b;
}

enum { MAX_TERMS = 32 };

/* By node: whether it leads back to what G defines; NULL: out of memory.  Nodes follow their operands. */
static bool *find_recursive(const struct mm_cat_eval *eval, const struct cat_group *g)
{
    bool *recursive = mm_alloc_zero(eval->flat->node_count, sizeof *recursive);

    for (uint32_t i = g->first; recursive && i < g->end; i++) {
        const struct cat_node *n = &eval->nodes[i];

        recursive[i] = i < g->first + g->count || (n->a != CAT_NO_NODE && recursive[n->a]) ||
                       (n->b != CAT_NO_NODE && recursive[n->b]);
    }
    return recursive;
}

/* The terms of a union that are not recursive. */
static void add_terms(const struct mm_cat_eval *eval, const bool *recursive, uint32_t node, uint32_t *terms,
                      uint32_t *count)
{
    const struct cat_node *n = &eval->nodes[node];

    if (n->op == MM_CAT_UNION && recursive[node]) {
        add_terms(eval, recursive, n->a, terms, count);
        add_terms(eval, recursive, n->b, terms, count);
    } else if (*count < MAX_TERMS && !recursive[node]) {
        terms[(*count)++] = node;
    }
}

/* A pair of a recursive definition: a shortest path along its other terms, as if it were their closure; false
 * if there is none. */
static bool expand_recursive(struct walk *w, uint32_t node, uint32_t a, uint32_t b)
{
    const struct cat_group *g = w->eval->flat->groups;
    uint32_t terms[MAX_TERMS], count = 0, n = w->eval->n, length;
    size_t size = mm_rel_size(n, MM_CAT_REL);
    uint64_t *all = mm_alloc_zero(size + 1, sizeof *all);
    uint32_t *path = mm_alloc((n + 2) * sizeof *path);
    bool *recursive;

    while (node >= g->first + g->count)
        g++;
    recursive = find_recursive(w->eval, g);
    if (recursive)
        add_terms(w->eval, recursive, g->bodies[node - g->first], terms, &count);
    for (uint32_t i = 0; all && i < count; i++)
        mm_bits_or(all, all, cat_value(w->eval, terms[i]), size);
    length = all && path ? mm_rel_path(n, all, a, b, path) : 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t k = 0;

        while (!has_pair(w, terms[k], path[i], path[i + 1]))
            k++;
        expand_pair(w, terms[k], path[i], path[i + 1], false);
    }
    mm_free(recursive);
    mm_free(path);
    mm_free(all);
    return length > 0;
}

static void expand_pair(struct walk *w, uint32_t node, uint32_t a, uint32_t b, bool open)
{
    const struct cat_node *n = &w->eval->nodes[node];

    if (++w->depth > 200 || stops_expansion(w->eval, node, open)) {
        add_step(w, a, node_label(w->eval, node));
        w->depth--;
        return;
    }
    switch (n->op) {
    case MM_CAT_UNION:
        expand_pair(w, has_pair(w, n->a, a, b) ? n->a : n->b, a, b, open);
        break;
    case MM_CAT_INTER:
        expand_pair(w, telling_part(w->eval, n), a, b, open);
        break;
    case MM_CAT_DIFF:
        expand_pair(w, n->a, a, b, open);
        break;
    case MM_CAT_SEQ:
        expand_seq(w, n, a, b);
        break;
    case MM_CAT_PLUS:
        expand_path(w, n->a, a, b);
        break;
    case MM_CAT_STAR:
        if (a != b)
            expand_path(w, n->a, a, b);
        break;
    case MM_CAT_OPTIONAL:
        if (a != b)
            expand_pair(w, n->a, a, b, open);
        break;
    case MM_CAT_IDENTITY:
        break;
    case MM_CAT_INVERSE: {
        const char *of = node_label(w->eval, n->a);
        size_t size = strlen(of) + sizeof "^-1";
        char *text = mm_arena_alloc(w->eval->arena, size);

        if (text)
            snprintf(text, size, "%s^-1", of);
        add_step(w, a, text ? text : of);
        break;
    }
    case MM_CAT_PARAMETER:
        if (!expand_recursive(w, node, a, b))
            add_step(w, a, node_label(w->eval, node));
        break;
    default:
        add_step(w, a, node_label(w->eval, node));
    }
    w->depth--;
}

static uint32_t explain_cycle(struct walk *w, uint32_t node, bool reflexive)
{
    uint32_t n = w->eval->n, length = 0;
    uint32_t *path = mm_alloc((n + 2) * sizeof *path);

    if (!path)
        return 0;
    if (!reflexive) {
        length = mm_rel_cycle(n, cat_value(w->eval, node), path);
    } else {
        for (uint32_t i = 0; i < n && !length; i++) {
            if (!has_pair(w, node, i, i))
                continue;
            path[0] = path[1] = i;
            length = 1;
        }
    }
    for (uint32_t i = 0; i < length; i++)
        expand_pair(w, node, path[i], path[i + 1], true);
    mm_free(path);
    return w->count < w->max ? w->count : w->max;
}

static uint32_t explain_pair(struct walk *w, uint32_t node)
{
    uint32_t n = w->eval->n;
    const uint64_t *value = cat_value(w->eval, node);

    for (uint32_t i = 0; i < n; i++) {
        if (w->eval->nodes[node].type == MM_CAT_SET) {
            if (!mm_set_has(value, i))
                continue;
            add_step(w, i, NULL);
            return w->count;
        }
        for (uint32_t j = 0; j < n; j++) {
            if (!mm_rel_has(n, value, i, j))
                continue;
            expand_pair(w, node, i, j, false);
            add_step(w, j, NULL);
            return w->count < w->max ? w->count : w->max;
        }
    }
    return 0;
}

uint32_t mm_cat_eval_explain(struct mm_cat_eval *eval, uint32_t i, struct mm_cat_step *steps, uint32_t max)
{
    struct walk w = {.eval = eval, .steps = steps, .max = max};
    const struct mm_cat_check *check = &eval->model->checks[i];

    if (i == eval->model->order_check &&
        mm_rel_acyclic(eval->n, cat_value(eval, eval->flat->checks[i]), eval->scratch))
        return cat_linear_explain(eval, steps, max);
    if (check->kind == MM_CAT_CHECK_EMPTY)
        return explain_pair(&w, eval->flat->checks[i]);
    if (check->negated != check->flag) /* they fail because there is no cycle */
        return 0;
    return explain_cycle(&w, eval->flat->checks[i], check->kind == MM_CAT_IRREFLEXIVE);
}
