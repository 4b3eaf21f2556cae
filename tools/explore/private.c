/* Private variables: a register for each scalar, and accesses through pointers whose target is known only
 * at run time. [SPIRV 3.7 storage classes, 3.42.8] */
#include "tools/explore/explore.h"

#include <string.h>

enum { MAX_OPTIONS = 4096, MAX_PRIVATE = 8 * MAX_OPTIONS };

/* ---- variables ---------------------------------------------------------------------------------- */

/* VALUE CK_NO_EXPR: an arbitrary one. */
static void add_cell(struct ex *ex, struct ex_variable *v, uint64_t offset, unsigned size, uint32_t value)
{
    struct ex_cell *c = &v->cells[v->cell_count++];
    *c = (struct ex_cell){.offset = offset, .size = (uint8_t)size, .reg = ex_new_reg(ex, size)};
    ex_assign(ex, c->reg,
              value != CK_NO_EXPR ? value
                                  : ex_read_arbitrary(ex, ex_arbitrary_object(ex, "undefined", size), size));
}

/* Cells for the bytes from AT to END, which belong to no scalar: the fourth part of a vector of three is
 * accessed together with the others. */
static void add_padding(struct ex *ex, struct ex_variable *v, uint64_t at, uint64_t end)
{
    while (at < end) {
        unsigned size = 8;
        while (at % size != 0 || at + size > end)
            size /= 2;
        add_cell(ex, v, at, size, CK_NO_EXPR);
        at += size;
    }
}

uint64_t ex_new_variable(struct ex *ex, const struct in_ty *t, const struct ex_value *initial)
{
    struct ex_item *b = &ex->item;
    const struct ex_shape *shape = ex_shape(ex, t);
    b->variables = ex_grow(ex, b->variables, b->variable_count, sizeof *b->variables);
    if (shape->count == 0 || shape->count > MAX_OPTIONS || t->size > MAX_PRIVATE)
        ex_fail(
            ex, MM_LIMIT, "explore.private",
            "a private variable of more than %d scalars or %d bytes is not explored: make the array shorter, or "
            "pass a buffer",
            MAX_OPTIONS, MAX_PRIVATE);
    struct ex_variable *v = &b->variables[b->variable_count];
    *v = (struct ex_variable){.base = EX_PRIVATE_BASE + ((uint64_t)(b->variable_count + 1) << 32),
                              .size = t->size,
                              .cells = ex_alloc(ex, (t->size + shape->count) * sizeof *v->cells)};
    b->variable_count++;
    uint64_t at = 0;
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct ex_scalar *s = &shape->scalars[i];
        add_padding(ex, v, at, s->offset);
        add_cell(ex, v, s->offset, s->size, initial ? initial->leaves[i] : CK_NO_EXPR);
        at = s->offset + s->size;
    }
    add_padding(ex, v, at, t->size);
    return v->base;
}

/* The constant that an address is computed from; 0: there is none. */
uint64_t ex_root(const struct ex *ex, uint32_t address)
{
    const struct ck_expr *e = &ex->program->exprs[address];
    if (e->op == CK_CONST)
        return e->imm >= CK_OBJECT_BASE(0) ? e->imm : 0;
    if (e->op != CK_ADD && e->op != CK_SUB)
        return 0;
    uint64_t a = ex_root(ex, e->a), b = ex_root(ex, e->b);
    return a && b ? 0 : a ? a : b;
}

struct ex_variable *ex_variable_at(struct ex *ex, uint64_t address)
{
    for (uint32_t i = 0; i < ex->item.variable_count; i++)
        if (ex->item.variables[i].base >> 32 == address >> 32)
            return &ex->item.variables[i];
    return NULL;
}

/* ---- accesses ----------------------------------------------------------------------------------- */

/* What the bytes at OFFSET of V hold, as a number of SIZE bytes; CK_NO_EXPR: no run of cells covers them. */
static uint32_t read_cells(struct ex *ex, const struct ex_variable *v, uint64_t offset, unsigned size)
{
    uint32_t value = ex_const(ex, 0, size);
    unsigned have = 0;
    for (uint32_t i = 0; i < v->cell_count && have < size; i++) {
        const struct ex_cell *c = &v->cells[i];
        uint64_t at = offset + have;
        if (at < c->offset || at >= c->offset + c->size)
            continue;
        unsigned skip = (unsigned)(at - c->offset), n = c->size - skip;
        uint32_t piece = ex_reg_expr(ex, c->reg);
        if (skip == 0 && c->size == size && have == 0)
            return piece;
        n = n > size - have ? size - have : n;
        piece = ex_op(ex, CK_LSHR, c->size, piece, ex_const(ex, skip * 8, c->size), 0);
        piece = ex_resize(ex, ex_resize(ex, piece, n, false), size, false);
        piece = ex_op(ex, CK_SHL, size, piece, ex_const(ex, have * 8, size), 0);
        value = ex_op(ex, CK_OR, size, value, piece, 0);
        have += n;
    }
    return have == size ? value : CK_NO_EXPR;
}

/* Stores VALUE where WHEN holds (CK_NO_EXPR: always). */
static bool write_cells(struct ex *ex, struct ex_variable *v, uint64_t offset, uint32_t value, uint32_t when)
{
    unsigned size = ex_size(ex, value), have = 0;
    if (read_cells(ex, v, offset, size) == CK_NO_EXPR)
        return false;
    for (uint32_t i = 0; i < v->cell_count && have < size; i++) {
        const struct ex_cell *c = &v->cells[i];
        uint64_t at = offset + have;
        if (at < c->offset || at >= c->offset + c->size)
            continue;
        unsigned skip = (unsigned)(at - c->offset), n = c->size - skip;
        n = n > size - have ? size - have : n;
        uint32_t old = ex_reg_expr(ex, c->reg);
        uint32_t piece = ex_op(ex, CK_LSHR, size, value, ex_const(ex, have * 8, size), 0);
        piece = ex_resize(ex, ex_resize(ex, piece, n, false), c->size, false);
        if (n < c->size) {
            uint64_t keep = ~(((UINT64_C(1) << (8 * n)) - 1) << (8 * skip));
            piece = ex_op(ex, CK_SHL, c->size, piece, ex_const(ex, skip * 8, c->size), 0);
            piece = ex_op(ex, CK_OR, c->size, ex_op(ex, CK_AND, c->size, old, ex_const(ex, keep, c->size), 0),
                          piece, 0);
        }
        if (when != CK_NO_EXPR)
            piece = ex_op(ex, CK_SELECT, c->size, when, piece, old);
        ex_assign(ex, c->reg, piece);
        have += n;
    }
    return true;
}

static void fault_unless(struct ex *ex, uint32_t hit)
{
    uint32_t fault = ex_new_label(ex), on = ex_new_label(ex);
    ex_branch_if_zero(ex, hit, fault);
    ex_jump(ex, on);
    ex_place_label(ex, fault);
    ex_emit_fault(ex);
    ex_place_label(ex, on);
}

/* An address that is not a constant: every scalar it may hit, of variable ONLY (NULL: of all). */
static uint32_t read_somewhere(struct ex *ex, uint32_t address, unsigned size, struct ex_variable *only)
{
    uint32_t result = ex_const(ex, 0, size), hit = ex_const(ex, 0, 1), options = 0;
    for (uint32_t k = 0; k < ex->item.variable_count; k++) {
        struct ex_variable *v = &ex->item.variables[k];
        for (uint32_t i = 0; i < v->cell_count && (!only || only == v); i++) {
            uint32_t value = read_cells(ex, v, v->cells[i].offset, size);
            if (value == CK_NO_EXPR)
                continue;
            if (++options > MAX_OPTIONS)
                ex_fail(
                    ex, MM_LIMIT, "explore.private",
                    "a pointer to private memory with more than %d possible targets is not explored: make the "
                    "array shorter, or pass a buffer",
                    MAX_OPTIONS);
            uint32_t here = ex_op(ex, CK_EQ, 1, address, ex_const(ex, v->base + v->cells[i].offset, 8), 0);
            result = ex_hold(ex, ex_op(ex, CK_SELECT, size, here, value, result));
            hit = ex_hold(ex, ex_op(ex, CK_OR, 1, hit, here, 0));
        }
    }
    fault_unless(ex, hit);
    return result;
}

static void write_somewhere(struct ex *ex, uint32_t address, uint32_t value, struct ex_variable *only)
{
    uint32_t hit = ex_const(ex, 0, 1), options = 0;
    for (uint32_t k = 0; k < ex->item.variable_count; k++) {
        struct ex_variable *v = &ex->item.variables[k];
        for (uint32_t i = 0; i < v->cell_count && (!only || only == v); i++) {
            uint32_t here = ex_op(ex, CK_EQ, 1, address, ex_const(ex, v->base + v->cells[i].offset, 8), 0);
            if (++options > MAX_OPTIONS)
                ex_fail(
                    ex, MM_LIMIT, "explore.private",
                    "a pointer to private memory with more than %d possible targets is not explored: make the "
                    "array shorter, or pass a buffer",
                    MAX_OPTIONS);
            here = ex_hold(ex, here);
            if (write_cells(ex, v, v->cells[i].offset, value, here))
                hit = ex_hold(ex, ex_op(ex, CK_OR, 1, hit, here, 0));
        }
    }
    fault_unless(ex, hit);
}

uint32_t ex_read_private(struct ex *ex, uint32_t address, unsigned size)
{
    uint64_t constant, root = ex_root(ex, address);
    struct ex_variable *v = root ? ex_variable_at(ex, root) : NULL;
    if (ex_is_const(ex, address, &constant)) {
        uint32_t value = v ? read_cells(ex, v, constant & UINT32_MAX, size) : CK_NO_EXPR;
        if (value == CK_NO_EXPR) {
            ex_emit_fault(ex);
            return ex_const(ex, 0, size);
        }
        uint32_t reg = ex_new_reg(ex, size);
        ex_assign(ex, reg, value);
        return ex_reg_expr(ex, reg);
    }
    return ex_hold(ex, read_somewhere(ex, address, size, v));
}

void ex_write_private(struct ex *ex, uint32_t address, uint32_t value)
{
    uint64_t constant, root = ex_root(ex, address);
    struct ex_variable *v = root ? ex_variable_at(ex, root) : NULL;
    if (ex_is_const(ex, address, &constant)) {
        if (!v || !write_cells(ex, v, constant & UINT32_MAX, value, CK_NO_EXPR))
            ex_emit_fault(ex);
    } else {
        write_somewhere(ex, address, value, v);
    }
}
