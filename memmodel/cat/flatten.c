/* From the syntax tree to shared nodes: names resolved, functions applied, equal expressions one node. */
#include "memmodel/cat/node.h"

#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"

#include <string.h>

enum { MAX_NODES = 1 << 16, MAX_CALLS = 1 << 20, MAX_DEPTH = 4000 };

enum { CALL_ARGUMENTS = 8 };

/* An application of a function to arguments, and the resulting node. */
struct call {
    uint32_t key[CALL_ARGUMENTS + 1], node;
};

struct flattener {
    const struct mm_cat_model *model;
    struct cat_flat *flat;
    struct mm_error *err;
    enum mm_class status;
    unsigned depth;
    struct mm_map numbers; /* 1 + the number of each node, by the node's hash */
    struct call *calls;
    uint32_t call_count;
    struct mm_map call_numbers; /* hash of the key -> index + 1 */
};

static uint32_t flatten_fail(struct flattener *f, const char *message)
{
    if (!f->status)
        f->status = mm_fail(f->err, MM_LIMIT, "cat.limit", "%s: %s", f->model->name, message);
    return CAT_NO_NODE;
}

/* ---- nodes -------------------------------------------------------------------------------------- */

static uint32_t hash_node(const struct cat_node *n)
{
    uint64_t h = (uint64_t)n->op * 0x9E3779B97F4A7C15U;

    h = (h ^ n->a) * 0x9E3779B97F4A7C15U;
    h = (h ^ n->b) * 0x9E3779B97F4A7C15U;
    h = (h ^ n->base ^ ((uint64_t)n->type << 32)) * 0x9E3779B97F4A7C15U;
    return (uint32_t)(h >> 32);
}

static bool same_nodes(const struct cat_node *x, const struct cat_node *y)
{
    return x->op == y->op && x->type == y->type && x->a == y->a && x->b == y->b && x->base == y->base;
}

static void set_node_properties(const struct cat_flat *flat, struct cat_node *node)
{
    bool a = node->a != CAT_NO_NODE && flat->nodes[node->a].identity;
    bool b = node->b != CAT_NO_NODE && flat->nodes[node->b].identity;

    node->identity = node->op == MM_CAT_IDENTITY || (node->op == MM_CAT_INTER && (a || b)) ||
                     ((node->op == MM_CAT_UNION || node->op == MM_CAT_SEQ) && a && b) ||
                     (node->op == MM_CAT_DIFF && a);
    node->grows = node->op == MM_CAT_PARAMETER || (node->op == MM_CAT_SEQ && !a && !b) ||
                  ((node->op == MM_CAT_PLUS || node->op == MM_CAT_STAR || node->op == MM_CAT_DOMAIN ||
                    node->op == MM_CAT_RANGE) &&
                   !a);
}

static uint32_t add_node(struct flattener *f, struct cat_node node)
{
    struct cat_flat *flat = f->flat;
    struct cat_node *added;
    uint64_t key = hash_node(&node), number;
    size_t at = 0;

    if (f->status)
        return CAT_NO_NODE;
    while ((number = mm_map_next(&f->numbers, key, &at)))
        if (same_nodes(&flat->nodes[number - 1], &node))
            return (uint32_t)number - 1;
    if (flat->node_count == MAX_NODES)
        return flatten_fail(f, "the model is too large");
    if (node.op != MM_CAT_NAME && node.op != MM_CAT_PARAMETER) {
        node.dynamic = 0;
        if (node.a != CAT_NO_NODE)
            node.dynamic |= flat->nodes[node.a].dynamic;
        if (node.b != CAT_NO_NODE)
            node.dynamic |= flat->nodes[node.b].dynamic;
        if (node.op == MM_CAT_LINEAR)
            node.dynamic |= CAT_ORDER;
    }
    set_node_properties(flat, &node);
    added = mm_arena_add(f->model->arena, &flat->nodes, &flat->node_count);
    if (!added || !mm_map_add(&f->numbers, key, flat->node_count))
        return flatten_fail(f, "out of memory");
    *added = node;
    return flat->node_count - 1;
}

static uint32_t operator_node(struct flattener *f, enum mm_cat_op op, enum mm_cat_type type, uint32_t a,
                              uint32_t b)
{
    return add_node(f, (struct cat_node){.op = op, .type = type, .a = a, .b = b, .base = CAT_NO_NODE});
}

static uint32_t base_node(struct flattener *f, const char *name)
{
    static const struct {
        const char *name, *left, *right; /* left & right, or (NULL) fr = rf^-1;co */
    } derived[] = {{"fr", NULL, NULL},   {"rfe", "rf", "ext"}, {"rfi", "rf", "int"}, {"coe", "co", "ext"},
                   {"coi", "co", "int"}, {"fre", "fr", "ext"}, {"fri", "fr", "int"}};
    uint32_t base = mm_cat_base_find(name);
    uint32_t node;

    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        if (strcmp(derived[i].name, name) != 0)
            continue;
        if (!derived[i].left) {
            node = operator_node(f, MM_CAT_INVERSE, MM_CAT_REL, base_node(f, "rf"), CAT_NO_NODE);
            node = operator_node(f, MM_CAT_SEQ, MM_CAT_REL, node, base_node(f, "co"));
        } else {
            node = operator_node(f, MM_CAT_INTER, MM_CAT_REL, base_node(f, derived[i].left),
                                 base_node(f, derived[i].right));
        }
        if (node != CAT_NO_NODE && !f->flat->nodes[node].name)
            f->flat->nodes[node].name = mm_cat_bases[base].name;
        return node;
    }
    return add_node(f,
                    (struct cat_node){.op = MM_CAT_NAME,
                                      .type = mm_cat_bases[base].type,
                                      .a = CAT_NO_NODE,
                                      .b = CAT_NO_NODE,
                                      .base = base,
                                      .dynamic = (uint8_t)((mm_cat_bases[base].depends_on_rf ? CAT_RF : 0) |
                                                           (mm_cat_bases[base].depends_on_co ? CAT_CO : 0))});
}

/* ---- expressions ------------------------------------------------------------------------------- */

static uint32_t flatten_expr(struct flattener *f, const struct mm_cat_expr *e, const uint32_t *arguments);

static void name_node(struct flattener *f, uint32_t node, const char *name)
{
    if (node != CAT_NO_NODE && (!f->flat->nodes[node].name || f->flat->nodes[node].op == MM_CAT_NAME))
        f->flat->nodes[node].name = name;
}

static bool remember_call(struct flattener *f, const uint32_t *key, uint32_t node)
{
    struct call *call = mm_arena_add(f->model->arena, &f->calls, &f->call_count);

    if (!call || !mm_map_add(&f->call_numbers, mm_fnv1a(MM_FNV1A, key, sizeof call->key), f->call_count))
        return false;
    memcpy(call->key, key, sizeof call->key);
    call->node = node;
    return true;
}

static uint32_t flatten_call(struct flattener *f, const struct mm_cat_expr *e, const uint32_t *arguments)
{
    const struct mm_cat_let *let = &f->model->lets[e->let];
    uint32_t key[CALL_ARGUMENTS + 1] = {e->let}, node;
    uint64_t number;
    size_t at = 0;

    for (uint32_t i = 0; i < e->child_count; i++) {
        key[i + 1] = flatten_expr(f, e->child[i], arguments);
        if (f->status)
            return CAT_NO_NODE;
    }
    while ((number = mm_map_next(&f->call_numbers, mm_fnv1a(MM_FNV1A, key, sizeof key), &at)))
        if (memcmp(f->calls[number - 1].key, key, sizeof key) == 0)
            return f->calls[number - 1].node;
    if (f->call_count >= MAX_CALLS)
        return flatten_fail(f, "the model is too large");
    node = flatten_expr(f, let->body, key + 1);
    if (f->status)
        return CAT_NO_NODE;
    name_node(f, node, let->name);
    return remember_call(f, key, node) ? node : flatten_fail(f, "out of memory");
}

/* The type of a node follows from its operands; within functions the tree's own may be of another call. */
static enum mm_cat_type type_of(struct flattener *f, const struct mm_cat_expr *e, uint32_t a)
{
    switch (e->op) {
    case MM_CAT_UNION:
    case MM_CAT_INTER:
    case MM_CAT_DIFF:
    case MM_CAT_COMPLEMENT:
        return f->flat->nodes[a].type;
    case MM_CAT_DOMAIN:
    case MM_CAT_RANGE:
    case MM_CAT_UNIVERSE:
        return MM_CAT_SET;
    case MM_CAT_EMPTY:
        return e->type;
    default:
        return MM_CAT_REL;
    }
}

static uint32_t flatten_expr(struct flattener *f, const struct mm_cat_expr *e, const uint32_t *arguments)
{
    uint32_t node = CAT_NO_NODE;

    if (f->status)
        return CAT_NO_NODE;
    if (++f->depth > MAX_DEPTH)
        return flatten_fail(f, "definitions nested too deeply");
    switch (e->op) {
    case MM_CAT_NAME:
        node = e->let != MM_CAT_NO_LET ? f->flat->let_node[e->let] : base_node(f, mm_cat_bases[e->base].name);
        break;
    case MM_CAT_PARAMETER:
        node = arguments[e->parameter];
        break;
    case MM_CAT_CALL:
        node = flatten_call(f, e, arguments);
        break;
    default: {
        uint32_t a = e->child_count > 0 ? flatten_expr(f, e->child[0], arguments) : CAT_NO_NODE;
        uint32_t b = e->child_count > 1 ? flatten_expr(f, e->child[1], arguments) : CAT_NO_NODE;

        if (!f->status)
            node = operator_node(f, e->op, type_of(f, e, a), a, b);
    }
    }
    f->depth--;
    return node;
}

/* ---- the model ---------------------------------------------------------------------------------- */

/* Lets FIRST .. of one `let rec`. */
static void flatten_group(struct flattener *f, uint32_t first, uint32_t count)
{
    struct cat_flat *flat = f->flat;
    struct cat_group *group = &flat->groups[flat->group_count];

    group->first = flat->node_count;
    group->count = count;
    group->bodies = mm_arena_alloc(f->model->arena, count * sizeof *group->bodies);
    if (!group->bodies) {
        flatten_fail(f, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        flat->let_node[first + i] = add_node(f, (struct cat_node){.op = MM_CAT_PARAMETER,
                                                                  .type = MM_CAT_REL,
                                                                  .a = CAT_NO_NODE,
                                                                  .b = CAT_NO_NODE,
                                                                  .base = group->first + i,
                                                                  .dynamic = CAT_RF | CAT_CO,
                                                                  .name = f->model->lets[first + i].name});
    }
    for (uint32_t i = 0; i < count && !f->status; i++)
        group->bodies[i] = flatten_expr(f, f->model->lets[first + i].body, NULL);
    group->end = flat->node_count;
    flat->group_count++;
}

static void flatten_model(struct flattener *f)
{
    struct cat_flat *flat = f->flat;
    const struct mm_cat_model *m = f->model;

    for (uint32_t i = 0; i < m->let_count && !f->status; i++) {
        const struct mm_cat_let *let = &m->lets[i];

        if (let->recursive_group) {
            uint32_t count = 1;

            while (i + count < m->let_count && m->lets[i + count].recursive_group == let->recursive_group)
                count++;
            flatten_group(f, i, count);
            i += count - 1;
        } else if (let->parameter_count == 0) {
            flat->let_node[i] = flatten_expr(f, let->body, NULL);
            name_node(f, flat->let_node[i], let->name);
        }
    }
    for (uint32_t i = 0; i < m->check_count && !f->status; i++)
        flat->checks[i] = flatten_expr(f, m->checks[i].expr, NULL);
}

enum mm_class cat_flatten(struct mm_cat_model *model, struct mm_error *err)
{
    struct cat_flat *flat = mm_arena_alloc(model->arena, sizeof *flat);
    struct flattener f = {.model = model, .flat = flat, .err = err};

    if (!flat)
        return mm_out_of_memory(err);
    flat->let_node = mm_arena_alloc(model->arena, (model->let_count + 1) * sizeof *flat->let_node);
    flat->groups = mm_arena_alloc(model->arena, (model->let_count + 1) * sizeof *flat->groups);
    flat->checks = mm_arena_alloc(model->arena, (model->check_count + 1) * sizeof *flat->checks);
    if (!flat->let_node || !flat->groups || !flat->checks)
        flatten_fail(&f, "out of memory");
    if (!f.status)
        flatten_model(&f);
    mm_map_clear(&f.numbers);
    mm_map_clear(&f.call_numbers);
    model->flat = flat;
    return f.status;
}

/* ---- an evaluator ------------------------------------------------------------------------------- */

struct mm_cat_eval *mm_cat_eval_create(const struct mm_cat_model *model, struct mm_error *err)
{
    const struct cat_flat *flat = model->flat;
    struct mm_arena *arena = mm_arena_create();
    struct mm_cat_eval *eval = arena ? mm_arena_alloc(arena, sizeof *eval) : NULL;

    if (eval) {
        eval->model = model;
        eval->flat = flat;
        eval->arena = arena;
        eval->bases.rf = mm_cat_base_find("rf");
        eval->bases.co = mm_cat_base_find("co");
        eval->nodes = mm_arena_alloc(arena, (flat->node_count + 1) * sizeof *eval->nodes);
        eval->stamps = mm_arena_alloc(arena, 2 * ((size_t)flat->node_count + 1) * sizeof *eval->stamps);
    }
    if (!eval || !eval->nodes || !eval->stamps) {
        mm_arena_destroy(arena);
        mm_out_of_memory(err);
        return NULL;
    }
    if (flat->node_count > 0)
        memcpy(eval->nodes, flat->nodes, flat->node_count * sizeof *eval->nodes);
    return eval;
}

void mm_cat_eval_destroy(struct mm_cat_eval *eval)
{
    if (!eval)
        return;
    mm_free(eval->values);
    mm_free(eval->kept.events);
    mm_arena_destroy(eval->arena);
}

bool mm_cat_eval_uses(const struct mm_cat_eval *eval, const char *name)
{
    uint32_t base = mm_cat_base_find(name);

    for (uint32_t i = 0; i < eval->flat->node_count; i++)
        if (eval->nodes[i].op == MM_CAT_NAME && eval->nodes[i].base == base)
            return true;
    return false;
}
