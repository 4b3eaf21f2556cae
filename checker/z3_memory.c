/* The Z3 engine's memory: locations, initial writes, reads-from, coherence order, final values.
 *
 * A location is a run of bytes that is accessed as a whole; accesses that overlap in part are beyond this
 * engine, and it says so.  Every write that may reach the location of a read is a possible source, whatever
 * value it carries: values are not enumerated, so that cycles of values are candidates like any other. */
#include "checker/z3_internal.h"

#include <string.h>

enum { MAX_CELLS = 1024, MAX_EVENTS = 1000, MAX_TERM_VISITS = 2000 };

/* ---- locations ----------------------------------------------------------------------------------- */

static uint32_t physical(const struct ck_program *p, uint32_t object)
{
    for (uint32_t hops = 0; p->vulkan && hops < p->object_count; hops++) {
        uint32_t next = p->objects[object].alias_of;

        if (next == object || next >= p->object_count)
            break;
        object = next;
    }
    return object;
}

static uint32_t get_cell(struct zx *z, uint32_t object, uint64_t offset, uint8_t size)
{
    for (uint32_t i = 0; i < z->cell_count; i++) {
        const struct zx_cell *c = &z->cells[i];

        if (c->object == object && c->offset == offset && c->size == size)
            return i;
    }
    if (z->cell_count == MAX_CELLS)
        zx_stop(z, MM_LIMIT, "z3", "more than %u memory locations", MAX_CELLS);
    if (z->cell_count == z->cell_capacity) {
        uint32_t capacity = z->cell_capacity ? z->cell_capacity * 2 : 16;
        struct zx_cell *bigger = zx_alloc(z, capacity, sizeof *bigger);

        if (z->cell_count)
            memcpy(bigger, z->cells, z->cell_count * sizeof *bigger);
        z->cells = bigger;
        z->cell_capacity = capacity;
    }
    z->cells[z->cell_count] = (struct zx_cell){.object = object, .offset = offset, .size = size};
    return z->cell_count++;
}

/* Which objects' addresses the term A is computed from. */
static void provenance(struct zx *z, Z3_ast a, bool *objects, unsigned *visits)
{
    uint64_t k;
    Z3_app app;

    if (++*visits > MAX_TERM_VISITS)
        return;
    if (Z3_get_ast_kind(z->c, a) == Z3_NUMERAL_AST) {
        if (Z3_get_sort(z->c, a) == z->sorts[8] && Z3_get_numeral_uint64(z->c, a, &k) && k >> 32 != 0 &&
            (k >> 32) - 1 < z->p->object_count)
            objects[(k >> 32) - 1] = true;
        return;
    }
    if (Z3_get_ast_kind(z->c, a) != Z3_APP_AST)
        return;
    app = Z3_to_app(z->c, a);
    for (unsigned i = 0; i < Z3_get_app_num_args(z->c, app); i++)
        provenance(z, Z3_get_app_arg(z->c, app, i), objects, visits);
}

/* An address that is not a number: one of the locations of the objects it is computed from, or of any. */
static void resolve_symbolic(struct zx *z, struct zx_event *e)
{
    const struct ck_program *p = z->p;
    bool *objects = zx_alloc(z, p->object_count, sizeof *objects), any = false;
    Z3_ast hits = z->no;
    unsigned visits = 0;

    provenance(z, e->address.t, objects, &visits);
    for (uint32_t i = 0; visits <= MAX_TERM_VISITS && i < p->object_count; i++)
        any = any || objects[i];
    for (uint32_t i = 0; i < p->object_count; i++) {
        if (any && !objects[i])
            continue;
        if (physical(p, i) != i)
            zx_stop(z, MM_LIMIT, "z3", "computed address of an object that aliases another");
        for (uint64_t offset = 0; offset + e->size <= p->objects[i].size; offset += e->size) {
            struct zx_val here = zx_number(CK_OBJECT_BASE(i) + offset, 8);

            get_cell(z, i, offset, e->size);
            hits = zx_or(z, hits, zx_equal(z, e->address, here));
        }
    }
    z->unaligned = zx_or(z, z->unaligned, zx_and(z, e->exec, zx_not(z, hits)));
}

static void resolve(struct zx *z, struct zx_event *e)
{
    uint32_t object;

    if (e->address.t) {
        resolve_symbolic(z, e);
        return;
    }
    e->addressed = (uint32_t)((e->address.k >> 32) - 1); /* in bounds: z3_exec.c */
    object = physical(z->p, e->addressed);
    e->address.k = CK_OBJECT_BASE(object) + (e->address.k & UINT32_MAX);
    e->cell = get_cell(z, object, e->address.k & UINT32_MAX, e->size);
}

static uint32_t term_cell(struct zx *z, const struct ck_term *t)
{
    return get_cell(z, physical(z->p, t->object), t->offset, z->p->objects[t->object].element_size);
}

static void resolve_conditions(struct zx *z)
{
    const struct ck_program *p = z->p;

    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (p->observed[i].kind == CK_TERM_MEMORY)
            term_cell(z, &p->observed[i]);
    }
    for (uint32_t i = 0; i < p->prop_count; i++) {
        if (p->props[i].op != CK_PROP_COMPARE)
            continue;
        if (p->props[i].left.kind == CK_TERM_MEMORY)
            term_cell(z, &p->props[i].left);
        if (p->props[i].right.kind == CK_TERM_MEMORY)
            term_cell(z, &p->props[i].right);
    }
}

static void refuse_overlap(struct zx *z)
{
    for (uint32_t i = 0; i < z->cell_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const struct zx_cell *a = &z->cells[i], *b = &z->cells[k];

            if (a->object == b->object && a->offset < b->offset + b->size && b->offset < a->offset + a->size)
                zx_stop(z, MM_LIMIT, "z3.mixed-size",
                        "accesses of different sizes overlap in %s, which the Z3 engine does not model",
                        z->p->objects[a->object].name);
        }
    }
}

/* ---- initial writes ---------------------------------------------------------------------------------- */

static struct zx_val initial_value(struct zx *z, const struct zx_cell *c)
{
    const struct ck_object *o = &z->p->objects[c->object];
    uint64_t k = 0;

    if (o->uninitialised)
        return zx_fresh(z, "u", c->size);
    for (uint8_t i = 0; o->initial && o->element_size && i < c->size; i++) {
        uint64_t at = c->offset + i, element = o->initial[at / o->element_size];

        k |= (element >> (8 * (at % o->element_size)) & 0xff) << (8 * i);
    }
    return zx_number(k, c->size);
}

static void add_initial_writes(struct zx *z)
{
    for (uint32_t i = 0; i < z->cell_count; i++) {
        struct zx_cell *c = &z->cells[i];
        struct zx_event e = {.kind = ZX_WRITE,
                             .thread = ZX_NONE,
                             .partner = ZX_NONE,
                             .cell = i,
                             .addressed = ZX_NONE,
                             .late = z->no,
                             .size = c->size,
                             .exec = z->yes,
                             .failed = z->no,
                             .address = zx_number(CK_OBJECT_BASE(c->object) + c->offset, 8)};

        e.value = initial_value(z, c);
        c->init = zx_add_event(z, &e);
    }
}

/* ---- reads-from and coherence -------------------------------------------------------------------------- */

Z3_ast zx_same_location(struct zx *z, uint32_t a, uint32_t b)
{
    const struct zx_event *x = &z->events[a], *y = &z->events[b];

    if (!zx_is_access(x) || !zx_is_access(y))
        return z->no;
    if (a == b)
        return z->yes;
    if (x->size != y->size)
        return z->no;
    if (x->cell != ZX_NONE && y->cell != ZX_NONE)
        return x->cell == y->cell ? z->yes : z->no;
    return zx_equal(z, x->address, y->address);
}

static void build_reads_from(struct zx *z, uint32_t read)
{
    const struct zx_event *r = &z->events[read];
    uint32_t *sources = zx_alloc(z, z->n, sizeof *sources), count = 0;
    Z3_ast *choices = zx_alloc(z, z->n, sizeof *choices);

    for (uint32_t w = 0; w < z->n; w++) {
        if (z->events[w].kind == ZX_WRITE && z->events[w].exec != z->no &&
            zx_same_location(z, w, read) != z->no)
            sources[count++] = w;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (count == 1)
            choices[i] = z->yes;
        else if (count == 2 && i == 1)
            choices[i] = zx_not(z, choices[0]);
        else
            choices[i] = zx_fresh_bool(z, "rf");
    }
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

/* A total order of all writes that may meet; only its restriction to equal locations counts. */
static void build_coherence(struct zx *z)
{
    uint32_t n = z->n;

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            Z3_ast before;

            if (z->events[i].kind != ZX_WRITE || z->events[k].kind != ZX_WRITE ||
                zx_same_location(z, i, k) == z->no)
                continue;
            /* Initial writes come after all threads' events; no two of them share a location. */
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
        for (uint32_t j = 0; j < n; j++) {
            if (z->co[i * n + j] != z->no)
                z->co[i * n + j] = zx_and(z, z->co[i * n + j], zx_same_location(z, i, j));
        }
    }
}

void zx_build_memory(struct zx *z)
{
    for (uint32_t i = 0; i < z->n; i++) {
        if (zx_is_access(&z->events[i]))
            resolve(z, &z->events[i]);
    }
    resolve_conditions(z);
    refuse_overlap(z);
    add_initial_writes(z);
    if (z->n > MAX_EVENTS)
        zx_stop(z, MM_LIMIT, "z3", "%u events, more than the Z3 engine takes", z->n);
    z->words = (z->n + 63) / 64;
    z->finals = zx_alloc(z, z->cell_count, sizeof *z->finals);
    z->rf = zx_alloc(z, (size_t)z->n * z->n, sizeof *z->rf);
    z->co = zx_alloc(z, (size_t)z->n * z->n, sizeof *z->co);
    for (size_t i = 0; i < (size_t)z->n * z->n; i++)
        z->rf[i] = z->co[i] = z->no;
    for (uint32_t i = 0; i < z->n; i++) {
        if (z->events[i].kind == ZX_READ)
            build_reads_from(z, i);
    }
    build_coherence(z);
}

/* ---- final states ------------------------------------------------------------------------------------ */

static Z3_ast writes_cell(struct zx *z, uint32_t w, uint32_t cell)
{
    const struct zx_event *e = &z->events[w];

    if (e->kind != ZX_WRITE)
        return z->no;
    return zx_and(z, e->exec, zx_same_location(z, w, z->cells[cell].init));
}

static struct zx_val final_memory(struct zx *z, uint32_t cell)
{
    Z3_ast *terms = zx_alloc(z, z->n, sizeof *terms);
    struct zx_val v = z->events[z->cells[cell].init].value;
    bool written = false;

    if (z->finals[cell].size)
        return z->finals[cell];
    for (uint32_t w = 0; w < z->n; w++)
        written = written || (w != z->cells[cell].init && writes_cell(z, w, cell) != z->no);
    if (written)
        v = zx_fresh(z, "f", z->cells[cell].size);
    for (uint32_t w = 0; written && w < z->n; w++) {
        Z3_ast here = writes_cell(z, w, cell), last;

        for (uint32_t k = 0; here != z->no && k < z->n; k++)
            terms[k] = k == w ? z->yes : zx_not(z, zx_and(z, writes_cell(z, k, cell), z->co[w * z->n + k]));
        if (here == z->no)
            continue;
        last = zx_and(z, here, zx_and_n(z, z->n, terms));
        zx_assert(z, zx_implies(z, last, zx_equal(z, v, z->events[w].value)));
    }
    z->finals[cell] = v;
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
    return final_memory(z, term_cell(z, t));
}

static bool term_is_signed(const struct ck_program *p, const struct ck_term *t)
{
    if (t->kind == CK_TERM_REG)
        return p->threads[t->thread].reg_signed[t->reg];
    return t->kind == CK_TERM_MEMORY && p->objects[t->object].is_signed;
}

/* A constant takes the type of what it is compared with: -1 equals an unsigned register of all ones. */
static void convert(struct zx *z, struct zx_val *v, const struct ck_term *term, const struct ck_term *other)
{
    uint8_t size = 8;

    if (term->kind != CK_TERM_CONST || other->kind == CK_TERM_CONST || term_is_signed(z->p, other))
        return;
    if (other->kind == CK_TERM_REG)
        size = z->p->threads[other->thread].reg_sizes[other->reg];
    else
        size = z->p->objects[other->object].element_size;
    if ((v->k | zx_number(UINT64_MAX, size).k) == UINT64_MAX)
        *v = zx_number(zx_number(v->k, size).k, 8);
}

static Z3_ast compare(struct zx *z, const struct ck_prop *prop)
{
    struct zx_val a = zx_final(z, &prop->left), b = zx_final(z, &prop->right);

    convert(z, &a, &prop->left, &prop->right);
    convert(z, &b, &prop->right, &prop->left);
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
    return compare(z, prop);
}

Z3_ast zx_prop(struct zx *z, uint32_t prop)
{
    return prop_at(z, prop, 0);
}
