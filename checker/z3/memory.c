/* The Z3 engine's memory: reads-from, coherence order, final values (docs/encoding.md#memory).
 *
 * Every write that may be to the location of a read is a possible source, whatever value it writes: values
 * are not enumerated, so cycles of values (thin air) are candidate executions like any other. */
#include "checker/z3/internal.h"

#include <string.h>

enum { MAX_EVENTS = 1000 };

/* ---- reads-from and coherence -------------------------------------------------------------------------- */

Z3_ast zx_same_location(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (!zx_is_access(x) || !zx_is_access(y))
        return z->no;
    if (a == b)
        return z->yes;
    return x->size != y->size ? z->no : zx_equal(z, x->address, y->address);
}

static void build_reads_from(struct zx *z, uint32_t read)
{
    const struct zx_event *r = &z->events[read];
    uint32_t *sources = zx_alloc(z, z->n, sizeof *sources), count = 0;
    Z3_ast *choices = zx_alloc(z, z->n, sizeof *choices);

    for (uint32_t w = 0; w < z->n; w++)
        if (z->events[w].kind == ZX_WRITE && z->events[w].exec != z->no &&
            zx_same_location(z, w, read) != z->no)
            sources[count++] = w;
    for (uint32_t i = 0; i < count; i++)
        if (count == 1)
            choices[i] = z->yes;
        else if (count == 2 && i == 1)
            choices[i] = zx_not(z, choices[0]);
        else
            choices[i] = zx_fresh_bool(z, "rf");
    for (uint32_t i = 0; i < count; i++) {
        const struct zx_event *w = &z->events[sources[i]];
        Z3_ast fits = zx_and(z, zx_same_location(z, sources[i], read), zx_equal(z, w->value, r->value));

        z->rf[sources[i] * z->n + read] = choices[i];
        zx_assert(z, zx_implies(z, zx_and(z, r->exec, choices[i]), zx_and(z, w->exec, fits)));
        for (uint32_t k = 0; count > 2 && k < i; k++)
            zx_assert(z, zx_or(z, zx_not(z, choices[i]), zx_not(z, choices[k])));
    }
    if (count != 1 && count != 2)
        zx_assert(z, zx_implies(z, r->exec, zx_or_n(z, count, choices)));
}

/* A total order of writes that may share a location; co is its restriction to equal locations. */
static void build_coherence(struct zx *z)
{
    uint32_t n = z->n;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            Z3_ast before;

            if (z->events[i].kind != ZX_WRITE || z->events[k].kind != ZX_WRITE ||
                zx_same_location(z, i, k) == z->no)
                continue;
            /* Initial writes are the last events; no two that happen share a location. */
            if (z->events[k].thread == ZX_NONE)
                continue;
            before = z->events[i].thread == ZX_NONE ? z->no : zx_fresh_bool(z, "co");
            z->co[k * n + i] = before;
            z->co[i * n + k] = zx_not(z, before);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t k = 0; i != j && z->co[i * n + j] != z->no && k < n; k++) {
                if (k == i || k == j || z->co[j * n + k] == z->no || z->co[k * n + i] == z->no)
                    continue;
                zx_assert(z, zx_implies(z, zx_and(z, z->co[i * n + j], z->co[j * n + k]), z->co[i * n + k]));
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++)
            if (z->co[i * n + j] != z->no)
                z->co[i * n + j] = zx_and(z, z->co[i * n + j], zx_same_location(z, i, j));
    }
}

void zx_build_memory(struct zx *z)
{
    zx_add_initial_writes(z);
    if (z->n > MAX_EVENTS)
        zx_stop(z, MM_LIMIT, "z3", "limit reached: %u events, the Z3 engine takes %u", z->n, MAX_EVENTS);
    z->words = (z->n + 63) / 64;
    z->places.finals = zx_alloc(z, z->places.cell_count, sizeof *z->places.finals);
    z->rf = zx_alloc(z, (size_t)z->n * z->n, sizeof *z->rf);
    z->co = zx_alloc(z, (size_t)z->n * z->n, sizeof *z->co);
    for (size_t i = 0; i < (size_t)z->n * z->n; i++)
        z->rf[i] = z->co[i] = z->no;
    for (uint32_t i = 0; i < z->n; i++)
        if (z->events[i].kind == ZX_READ)
            build_reads_from(z, i);
    build_coherence(z);
}

/* ---- final states ------------------------------------------------------------------------------------ */

static Z3_ast writes_cell(struct zx *z, uint32_t w, uint32_t cell)
{
    const struct zx_event *e = &z->events[w];

    if (e->kind != ZX_WRITE)
        return z->no;
    return zx_and(z, e->exec, zx_same_location(z, w, z->places.cells[cell].init));
}

static struct zx_val final_cell(struct zx *z, uint32_t cell)
{
    Z3_ast *terms = zx_alloc(z, z->n, sizeof *terms);
    struct zx_val v = z->events[z->places.cells[cell].init].value;
    bool written = false;

    if (z->places.finals[cell].size)
        return z->places.finals[cell];
    for (uint32_t w = 0; w < z->n; w++)
        written = written || (w != z->places.cells[cell].init && writes_cell(z, w, cell) != z->no);
    if (written)
        v = zx_fresh(z, "f", z->places.cells[cell].size);
    for (uint32_t w = 0; written && w < z->n; w++) {
        Z3_ast here = writes_cell(z, w, cell), last;

        for (uint32_t k = 0; here != z->no && k < z->n; k++)
            terms[k] = k == w ? z->yes : zx_not(z, zx_and(z, writes_cell(z, k, cell), z->co[w * z->n + k]));
        if (here == z->no)
            continue;
        last = zx_and(z, here, zx_and_n(z, z->n, terms));
        zx_assert(z, zx_implies(z, last, zx_equal(z, v, z->events[w].value)));
    }
    z->places.finals[cell] = v;
    return v;
}

static struct zx_val final_memory(struct zx *z, const struct ck_term *t)
{
    uint8_t size = (uint8_t)ck_term_size(z->p, t), next;
    uint64_t address = CK_OBJECT_BASE(t->object) + t->offset;
    struct zx_val v = zx_number(0, size);

    for (uint8_t at = 0; at < size; at = next) {
        next = zx_piece_end(z, zx_number(address, 8), t->object, at, size);
        v = zx_with_piece(z, v, at, final_cell(z, zx_find_cell(z, address + at, (uint8_t)(next - at))));
    }
    return v;
}

struct zx_val zx_final(struct zx *z, const struct ck_term *t)
{
    switch (t->kind) {
    case CK_TERM_CONST:
        return zx_number(t->value, 8);
    case CK_TERM_REG:
        return z->threads[t->thread].final[t->reg];
    case CK_TERM_MEMORY:
        break;
    }
    return final_memory(z, t);
}

static bool term_is_signed(const struct ck_program *p, const struct ck_term *t)
{
    if (t->kind == CK_TERM_REG)
        return p->threads[t->thread].reg_signed[t->reg];
    return t->kind == CK_TERM_MEMORY && p->objects[t->object].is_signed;
}

/* A constant takes the type of the other operand: -1 equals an unsigned register of all ones. */
static void convert_constant(struct zx *z, struct zx_val *v, const struct ck_term *term,
                             const struct ck_term *other)
{
    uint8_t size = 8;

    if (term->kind != CK_TERM_CONST || other->kind == CK_TERM_CONST || term_is_signed(z->p, other))
        return;
    if (other->kind == CK_TERM_REG)
        size = z->p->threads[other->thread].reg_sizes[other->reg];
    else
        size = (uint8_t)ck_term_size(z->p, other);
    if ((v->k | zx_number(UINT64_MAX, size).k) == UINT64_MAX)
        *v = zx_number(zx_number(v->k, size).k, 8);
}

static Z3_ast encode_comparison(struct zx *z, const struct ck_prop *prop)
{
    struct zx_val a = zx_final(z, &prop->left), b = zx_final(z, &prop->right);

    convert_constant(z, &a, &prop->left, &prop->right);
    convert_constant(z, &b, &prop->right, &prop->left);
    a = zx_resize(z, a, 8, term_is_signed(z->p, &prop->left));
    b = zx_resize(z, b, 8, term_is_signed(z->p, &prop->right));
    switch (prop->compare) {
    case CK_EQ:
        return zx_equal(z, a, b);
    case CK_NE:
        return zx_not(z, zx_equal(z, a, b));
    default:
        return zx_less(z, a, b, true, prop->compare == CK_SLE);
    }
}

/* Operands of a proposition may come in any order, so depth bounds the descent. */
static Z3_ast prop_at(struct zx *z, uint32_t index, unsigned depth)
{
    const struct ck_prop *prop = &z->p->props[index];

    if (depth > 10000)
        zx_stop(z, MM_LIMIT, "z3", "the condition is nested too deeply");
    switch (prop->op) {
    case CK_PROP_TRUE:
        return z->yes;
    case CK_PROP_NOT:
        return zx_not(z, prop_at(z, prop->a, depth + 1));
    case CK_PROP_AND:
        return zx_and(z, prop_at(z, prop->a, depth + 1), prop_at(z, prop->b, depth + 1));
    case CK_PROP_OR:
        return zx_or(z, prop_at(z, prop->a, depth + 1), prop_at(z, prop->b, depth + 1));
    case CK_PROP_COMPARE:
        break;
    }
    return encode_comparison(z, prop);
}

Z3_ast zx_prop(struct zx *z, uint32_t prop)
{
    return prop_at(z, prop, 0);
}
