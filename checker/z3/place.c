/* The Z3 engine's locations and initial writes (docs/encoding.md#locations).
 *
 * A location is a range of bytes that is accessed as a whole.  Accesses that overlap in part are split at
 * each other's ends, and each piece becomes an event; if symbolic addresses are among them, all accesses of
 * the object are split into pieces of one size.  A symbolic address with many candidates gets a private
 * location, which exists if no other location has that address. */
#include "checker/z3/internal.h"

#include <string.h>

/* Memory locations; locations that a computed address is compared with one by one; nodes of its term that are
 * visited to find them. */
enum { MAX_CELLS = 1024, MAX_LISTED = 64, MAX_TERM_VISITS = 2000 };

static uint32_t object_number(uint64_t address)
{
    return (uint32_t)((address >> 32) - 1);
}

/* The object that OBJECT aliases, or itself. */
static uint32_t physical_object(const struct ck_program *p, uint32_t object)
{
    for (uint32_t hops = 0; p->vulkan && hops < p->object_count; hops++) {
        uint32_t next = p->objects[object].alias_of;

        if (next == object || next >= p->object_count)
            break;
        object = next;
    }
    return object;
}

static uint64_t physical_address(const struct zx *z, uint64_t address)
{
    return CK_OBJECT_BASE(physical_object(z->p, object_number(address))) + (address & UINT32_MAX);
}

/* ---- pieces of accesses -------------------------------------------------------------------------- */

static bool is_cut(const struct zx *z, uint64_t address)
{
    for (uint32_t i = 0; i < z->places.cut_count; i++)
        if (z->places.cuts[i] == address)
            return true;
    return false;
}

/* The piece size of OBJECT, the smallest of all objects for ZX_NONE; 0: accesses are not split. */
static uint8_t grain_of(const struct zx *z, uint32_t object)
{
    uint8_t least = 0;

    if (object != ZX_NONE)
        return z->places.grains[physical_object(z->p, object)];
    for (uint32_t i = 0; i < z->p->object_count; i++)
        if (z->places.grains[i] && (!least || z->places.grains[i] < least))
            least = z->places.grains[i];
    return least;
}

/* Symbolic addresses are assumed to be aligned; a misaligned one has no location (z->found.unaligned). */
uint8_t zx_piece_end(const struct zx *z, struct zx_val address, uint32_t base, uint8_t at, uint8_t size)
{
    uint64_t start = address.t ? 0 : physical_address(z, address.k);
    uint8_t grain = grain_of(z, address.t ? base : object_number(address.k));

    for (at++; at < size; at++)
        if ((start && is_cut(z, start + at)) || (grain && (start + at) % grain == 0))
            break;
    return at;
}

struct zx_val zx_with_piece(struct zx *z, struct zx_val whole, uint8_t at, struct zx_val piece)
{
    struct zx_val shifted =
        zx_binary(z, CK_SHL, zx_resize(z, piece, whole.size, false), zx_number(8U * at, whole.size));

    return at == 0 && piece.size == whole.size ? piece : zx_binary(z, CK_OR, whole, shifted);
}

struct zx_val zx_piece(struct zx *z, struct zx_val whole, uint8_t at, uint8_t size)
{
    return zx_resize(z, zx_binary(z, CK_LSHR, whole, zx_number(8U * at, whole.size)), size, false);
}

static void add_cut(struct zx *z, uint64_t address)
{
    if (!is_cut(z, address))
        zx_append(z, &z->places.cuts, &z->places.cut_count, &address);
}

/* ---- locations ----------------------------------------------------------------------------------- */

static uint32_t new_cell(struct zx *z, const struct zx_cell *cell)
{
    if (z->places.cell_count == MAX_CELLS)
        zx_stop(z, MM_LIMIT, "z3", "more than %u memory locations", MAX_CELLS);
    zx_append(z, &z->places.cells, &z->places.cell_count, cell);
    return z->places.cell_count - 1;
}

/* LISTED: a candidate of a symbolic address. */
static uint32_t get_cell(struct zx *z, uint32_t object, uint64_t offset, uint8_t size, bool listed)
{
    for (uint32_t i = 0; i < z->places.cell_count; i++) {
        struct zx_cell *c = &z->places.cells[i];

        if (c->accessed_by == ZX_NONE && c->object == object && c->offset == offset && c->size == size) {
            c->listed = c->listed || listed;
            return i;
        }
    }
    return new_cell(
        z, &(struct zx_cell){
               .object = object, .offset = offset, .size = size, .listed = listed, .accessed_by = ZX_NONE});
}

uint32_t zx_find_cell(struct zx *z, uint64_t address, uint8_t size)
{
    return get_cell(z, physical_object(z->p, object_number(address)), address & UINT32_MAX, size, false);
}

/* The objects whose addresses occur in the term A. */
static void objects_in_term(struct zx *z, Z3_ast a, bool *objects, unsigned *visits)
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
        objects_in_term(z, Z3_get_app_arg(z->c, app, i), objects, visits);
}

/* The objects whose addresses a symbolic address is computed from, or all; returns how many locations they
 * have. */
static uint64_t find_objects(struct zx *z, const struct zx_event *e, bool *objects)
{
    const struct ck_program *p = z->p;
    uint64_t locations = 0;
    unsigned visits = 0;
    bool any = false;

    objects_in_term(z, e->address.t, objects, &visits);
    for (uint32_t i = 0; visits <= MAX_TERM_VISITS && i < p->object_count; i++)
        any = any || objects[i];
    for (uint32_t i = 0; i < p->object_count; i++) {
        objects[i] = !any || objects[i];
        if (!objects[i])
            continue;
        if (physical_object(p, i) != i)
            zx_stop(z, MM_LIMIT, "z3", "computed address of an object that aliases another");
        locations += p->objects[i].size / e->size;
    }
    return locations;
}

/* A symbolic address: one of a few listed locations, or a private location. */
static void resolve_computed(struct zx *z, uint32_t event)
{
    const struct ck_program *p = z->p;
    const struct zx_event *e = &z->events[event];
    bool *objects = zx_alloc(z, p->object_count, sizeof *objects), many;
    Z3_ast hits = z->no;

    many = find_objects(z, e, objects) > MAX_LISTED;
    for (uint32_t i = 0; i < p->object_count; i++) {
        struct zx_val base = zx_number(CK_OBJECT_BASE(i), 8), past;

        if (!objects[i] || p->objects[i].size < e->size)
            continue;
        for (uint64_t offset = 0; !many && offset + e->size <= p->objects[i].size; offset += e->size) {
            get_cell(z, i, offset, e->size, true);
            hits = zx_or(z, hits, zx_equal(z, e->address, zx_number(CK_OBJECT_BASE(i) + offset, 8)));
        }
        if (!many)
            continue;
        new_cell(z, &(struct zx_cell){.object = i, .size = e->size, .listed = true, .accessed_by = event});
        past = zx_binary(z, CK_SUB, e->address, base);
        hits =
            zx_or(z, hits,
                  zx_and(z, zx_less(z, past, zx_number(p->objects[i].size - e->size, 8), false, true),
                         zx_equal(z, zx_binary(z, CK_UREM, past, zx_number(e->size, 8)), zx_number(0, 8))));
    }
    z->found.unaligned = zx_or(z, z->found.unaligned, zx_and(z, e->exec, zx_not(z, hits)));
}

static void resolve_address(struct zx *z, uint32_t event)
{
    struct zx_event *e = &z->events[event];

    if (e->address.t) {
        resolve_computed(z, event);
        return;
    }
    e->addressed = object_number(e->address.k); /* in bounds: z3/exec.c */
    e->address.k = physical_address(z, e->address.k);
    e->start.k = physical_address(z, e->start.k);
    zx_find_cell(z, e->address.k, e->size);
}

static void resolve_term(struct zx *z, const struct ck_term *t)
{
    struct zx_val address = zx_number(CK_OBJECT_BASE(t->object) + t->offset, 8);
    uint8_t size = t->kind == CK_TERM_MEMORY ? (uint8_t)ck_term_size(z->p, t) : 0, next;

    for (uint8_t at = 0; at < size; at = next) {
        next = zx_piece_end(z, address, t->object, at, size);
        zx_find_cell(z, address.k + at, (uint8_t)(next - at));
    }
}

/* A and B overlap in part, and one has symbolic addresses: splits all accesses of their object. */
static void cut_finer(struct zx *z, const struct zx_cell *a, const struct zx_cell *b)
{
    uint8_t grain = a->size == b->size ? a->size / 2 : a->size < b->size ? a->size : b->size;
    uint8_t *known = &z->places.grains[a->object];

    while (grain & (grain - 1))
        grain = (uint8_t)(grain & (grain - 1));
    if (grain == 0 || (*known && grain >= *known))
        zx_stop(z, MM_LIMIT, "z3.mixed-size",
                "accesses of different sizes, with computed addresses, overlap in %s",
                z->p->objects[a->object].name);
    *known = grain;
    z->places.cut_finer = true;
}

/* Splits accesses where cells A and B overlap in part. */
static void cut_apart(struct zx *z, const struct zx_cell *a, const struct zx_cell *b)
{
    uint64_t base = CK_OBJECT_BASE(a->object);
    bool apart = a->offset >= b->offset + b->size || b->offset >= a->offset + a->size;
    bool is_symbolic = a->accessed_by != ZX_NONE || b->accessed_by != ZX_NONE;

    if (a->object != b->object || (is_symbolic ? a->size == b->size : apart))
        return;
    if (a->listed || b->listed) {
        cut_finer(z, a, b);
        return;
    }
    add_cut(z, base + a->offset);
    add_cut(z, base + a->offset + a->size);
    add_cut(z, base + b->offset);
    add_cut(z, base + b->offset + b->size);
}

bool zx_find_cells(struct zx *z)
{
    const struct ck_program *p = z->p;
    uint32_t cuts = z->places.cut_count;

    z->places.cell_count = 0;
    z->places.cut_finer = false;
    for (uint32_t i = 0; i < z->n; i++)
        if (zx_is_access(&z->events[i]))
            resolve_address(z, i);
    for (uint32_t i = 0; i < p->observed_count; i++)
        resolve_term(z, &p->observed[i]);
    for (uint32_t i = 0; i < p->prop_count; i++) {
        if (p->props[i].op != CK_PROP_COMPARE)
            continue;
        resolve_term(z, &p->props[i].left);
        resolve_term(z, &p->props[i].right);
    }
    for (uint32_t i = 0; i < z->places.cell_count; i++)
        for (uint32_t k = 0; k < i && !z->places.cut_finer; k++)
            cut_apart(z, &z->places.cells[i], &z->places.cells[k]);
    return z->places.cut_count == cuts && !z->places.cut_finer;
}

/* ---- initial writes ---------------------------------------------------------------------------------- */

static uint64_t initial_number(const struct ck_object *o, uint64_t offset, uint8_t size)
{
    uint64_t k = 0;

    for (uint8_t i = 0; o->initial && o->element_size && i < size; i++) {
        uint64_t at = offset + i, element = o->initial[at / o->element_size];

        k |= (element >> (8 * (at % o->element_size)) & 0xff) << (8 * i);
    }
    return k;
}

/* The initial value at ADDRESS in cell C's object: an if-then-else over the runs of equal values. */
static struct zx_val initial_value(struct zx *z, const struct zx_cell *c, struct zx_val address)
{
    const struct ck_object *o = &z->p->objects[c->object];
    struct zx_val value = zx_number(initial_number(o, c->offset, c->size), c->size);

    if (o->uninitialized)
        return zx_input_value(z, c, address);
    for (uint64_t offset = c->size; c->accessed_by != ZX_NONE && offset + c->size <= o->size;
         offset += c->size) {
        struct zx_val here = zx_number(initial_number(o, offset, c->size), c->size);

        if (initial_number(o, offset - c->size, c->size) != here.k)
            value =
                zx_ite(z, zx_less(z, zx_number(CK_OBJECT_BASE(c->object) + offset, 8), address, false, true),
                       here, value);
    }
    return value;
}

/* The symbolic address of cell C is in its object, and no other initial write has it. */
static Z3_ast is_needed(struct zx *z, const struct zx_cell *c)
{
    const struct zx_event *e = &z->events[c->accessed_by];
    Z3_ast needed = zx_and(z, e->exec, zx_in_object(z, e->address, c->object));

    for (const struct zx_cell *other = z->places.cells; other < z->places.cells + z->places.cell_count;
         other++) {
        const struct zx_event *init = &z->events[other->init];

        if (other != c && other->init != ZX_NONE && other->object == c->object && other->size == c->size)
            needed =
                zx_and(z, needed, zx_not(z, zx_and(z, init->exec, zx_equal(z, init->address, e->address))));
    }
    return needed;
}

static void add_initial_write(struct zx *z, uint32_t cell)
{
    struct zx_cell *c = &z->places.cells[cell];
    const bool is_symbolic = c->accessed_by != ZX_NONE;
    struct zx_event e = {.kind = ZX_WRITE,
                         .thread = ZX_NONE,
                         .partner = ZX_NONE,
                         .addressed = ZX_NONE,
                         .late = z->no,
                         .size = c->size,
                         .exec = is_symbolic ? is_needed(z, c) : z->yes,
                         .failed = z->no,
                         .address = is_symbolic ? z->events[c->accessed_by].address
                                                : zx_number(CK_OBJECT_BASE(c->object) + c->offset, 8)};

    e.start = e.address;
    e.whole_size = e.size;
    e.value = initial_value(z, c, e.address);
    c->init = zx_add_event(z, &e);
}

void zx_add_initial_writes(struct zx *z)
{
    for (uint32_t i = 0; i < z->places.cell_count; i++)
        z->places.cells[i].init = ZX_NONE;
    for (int symbolic = 0; symbolic < 2; symbolic++) {
        for (uint32_t i = 0; i < z->places.cell_count; i++)
            if ((z->places.cells[i].accessed_by != ZX_NONE) == symbolic)
                add_initial_write(z, i);
    }
}
