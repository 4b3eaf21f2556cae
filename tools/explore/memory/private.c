/* Private variables: a register for each scalar, and accesses through pointers whose target is known only
 * at run time. [SPIRV 3.7 storage classes, 3.42.8] */
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <string.h>

enum { MAX_OPTIONS = 4096, MAX_PRIVATE = 8 * MAX_OPTIONS };

/* ---- variables ---------------------------------------------------------------------------------- */

/* Adds a cell; VALUE CK_NO_EXPR: unconstrained. */
static void add_cell(struct ex *ex, struct ex_variable *v, uint64_t offset, unsigned size, uint32_t value)
{
    struct ex_cell *c = &v->cells[v->cell_count++];
    *c = (struct ex_cell){.offset = offset, .size = (uint8_t)size, .reg = ex_new_reg(ex, size)};
    ex_assign(ex, c->reg,
              value != CK_NO_EXPR ? value
                                  : ex_read_arbitrary(ex, ex_arbitrary_object(ex, "undefined", size), size));
}

/* Adds cells for the padding from AT to END: the fourth element of a vector of three is accessed together
 * with the others. */
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

uint64_t ex_root(const struct ex *ex, uint32_t address)
{
    const struct ck_expr *e = &ex->program->exprs[address];
    if (e->op == CK_CONST)
        return CK_OBJECT_BASE(ck_object_at(e->imm));
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

/* The part that cell REG, of SIZE bytes, has of the bytes from an address on: BYTES from its byte SKIP on. */
struct part {
    uint32_t reg;
    unsigned size, skip, bytes;
};

/* Finds the part of the at most MOST bytes from OFFSET on in the cells of V from cell *CELL on, which moves
 * behind it; false: no cell begins them. */
static bool next_part(const struct ex_variable *v, uint32_t *cell, uint64_t offset, unsigned most,
                      struct part *out)
{
    while (*cell < v->cell_count) {
        const struct ex_cell *c = &v->cells[(*cell)++];
        if (offset < c->offset || offset >= c->offset + c->size)
            continue;
        unsigned skip = (unsigned)(offset - c->offset), rest = c->size - skip;
        *out = (struct part){c->reg, c->size, skip, rest < most ? rest : most};
        return true;
    }
    return false;
}

/* The number of SIZE bytes at OFFSET of V; CK_NO_EXPR: adjacent cells do not cover it. */
static uint32_t read_cells(struct ex *ex, const struct ex_variable *v, uint64_t offset, unsigned size)
{
    uint32_t value = ex_const(ex, 0, size), cell = 0;
    unsigned have = 0;
    for (struct part c; have < size && next_part(v, &cell, offset + have, size - have, &c); have += c.bytes) {
        uint32_t piece = ex_reg_expr(ex, c.reg);
        if (c.skip == 0 && c.size == size && have == 0)
            return piece;
        piece = ex_binary(ex, CK_LSHR, piece, ex_const(ex, c.skip * 8, c.size));
        piece = ex_resize(ex, ex_resize(ex, piece, c.bytes, false), size, false);
        piece = ex_binary(ex, CK_SHL, piece, ex_const(ex, have * 8, size));
        value = ex_binary(ex, CK_OR, value, piece);
    }
    return have == size ? value : CK_NO_EXPR;
}

/* Stores VALUE at OFFSET of V where CONDITION is not 0 (CK_NO_EXPR: always); false: adjacent cells do not
 * cover its bytes. */
static bool write_cells(struct ex *ex, const struct ex_variable *v, uint64_t offset, uint32_t value,
                        uint32_t condition)
{
    unsigned size = ex_size(ex, value), have = 0;
    uint32_t cell = 0;
    if (read_cells(ex, v, offset, size) == CK_NO_EXPR)
        return false;
    for (struct part c; have < size && next_part(v, &cell, offset + have, size - have, &c); have += c.bytes) {
        uint32_t old = ex_reg_expr(ex, c.reg);
        uint32_t piece = ex_binary(ex, CK_LSHR, value, ex_const(ex, have * 8, size));
        piece = ex_resize(ex, ex_resize(ex, piece, c.bytes, false), c.size, false);
        if (c.bytes < c.size) {
            uint64_t keep = ~(((UINT64_C(1) << (8 * c.bytes)) - 1) << (8 * c.skip));
            piece = ex_binary(ex, CK_SHL, piece, ex_const(ex, c.skip * 8, c.size));
            piece = ex_binary(ex, CK_OR, ex_binary(ex, CK_AND, old, ex_const(ex, keep, c.size)), piece);
        }
        if (condition != CK_NO_EXPR)
            piece = ex_select(ex, condition, piece, old);
        ex_assign(ex, c.reg, piece);
    }
    return true;
}

/* An access of SIZE bytes at an address that is not constant: one case for each scalar that it may be, of
 * variable ONLY (NULL: of all).  Stores VALUE there (CK_NO_EXPR: reads); returns what is read. */
static uint32_t access_any_cell(struct ex *ex, uint32_t address, unsigned size, uint32_t value,
                                const struct ex_variable *only)
{
    uint32_t result = ex_const(ex, 0, size), found = ex_const(ex, 0, 1), cases = 0;
    for (uint32_t k = 0; k < ex->item.variable_count; k++) {
        const struct ex_variable *v = &ex->item.variables[k];
        for (uint32_t i = 0; i < v->cell_count && (!only || only == v); i++) {
            uint64_t offset = v->cells[i].offset;
            uint32_t held = read_cells(ex, v, offset, size);
            if (held == CK_NO_EXPR)
                continue;
            if (++cases > MAX_OPTIONS)
                ex_fail(
                    ex, MM_LIMIT, "explore.private",
                    "a pointer to private memory with more than %d possible targets is not explored: make the "
                    "array shorter, or pass a buffer",
                    MAX_OPTIONS);
            uint32_t here = ex_binary(ex, CK_EQ, address, ex_const(ex, v->base + offset, 8));
            if (value == CK_NO_EXPR)
                result = ex_hold(ex, ex_select(ex, here, held, result));
            else
                write_cells(ex, v, offset, value, here = ex_hold(ex, here));
            found = ex_hold(ex, ex_binary(ex, CK_OR, found, here));
        }
    }
    ex_fault_unless(ex, found);
    return result;
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
    return ex_hold(ex, access_any_cell(ex, address, size, CK_NO_EXPR, v));
}

void ex_write_private(struct ex *ex, uint32_t address, uint32_t value)
{
    uint64_t constant, root = ex_root(ex, address);
    struct ex_variable *v = root ? ex_variable_at(ex, root) : NULL;
    if (ex_is_const(ex, address, &constant)) {
        if (!v || !write_cells(ex, v, constant & UINT32_MAX, value, CK_NO_EXPR))
            ex_emit_fault(ex);
    } else {
        access_any_cell(ex, address, ex_size(ex, value), value, v);
    }
}
