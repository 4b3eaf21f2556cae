/* The locations of an execution: byte ranges that no access divides.  Where accesses overlap in part the
 * boundaries become cuts, and search restarts with them.  docs/search.md#locations */
#include "checker/search/internal.h"
#include "memmodel/base/array.h"

#include <string.h>

static uint64_t initial_value(const struct ck_object *o, uint32_t offset, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size && o->initial; i++) {
        uint64_t element = o->initial[(offset + i) / o->element_size];
        uint64_t byte = element >> ((offset + i) % o->element_size * 8) & 0xFF;

        value |= byte << (8 * i);
    }
    return value;
}

/* Whether some input without a value is in these bytes: then search ends. */
static bool wants_input(struct sx *sx, uint32_t object, uint32_t offset, unsigned size)
{
    struct sx_inputs *in = sx->inputs;
    uint32_t first = in ? in->first[object] : CK_NO_INPUT, element;

    if (first == CK_NO_INPUT)
        return false;
    element = sx->program->objects[object].element_size;
    for (uint32_t i = first + offset / element; i <= first + (offset + size - 1) / element; i++) {
        if (!in->open[i])
            continue;
        in->wanted = i;
        sx_limit(sx, "search.inputs", "an input has no value");
        return true;
    }
    return false;
}

static uint32_t add_location(struct sx *sx, uint32_t object, uint32_t offset, unsigned size)
{
    struct sx_location *l;

    if (sx->values.location_count == SX_MAX_LOCATIONS) {
        sx_limit(sx, "search.locations", "limit reached: 1024 locations");
        return MM_CAT_NO_LOCATION;
    }
    if (wants_input(sx, object, offset, size))
        return MM_CAT_NO_LOCATION;
    if (!mm_arena_reserve(sx->arena, &sx->values.locations, sx->values.location_count,
                          &sx->values.location_capacity, sx->values.location_count + 1)) {
        sx_out_of_memory(sx);
        return MM_CAT_NO_LOCATION;
    }
    l = &sx->values.locations[sx->values.location_count];
    *l = (struct sx_location){.object = object, .offset = offset, .size = (uint8_t)size};
    l->initial = initial_value(&sx->program->objects[object], offset, size);
    l->unconstrained = sx->program->objects[object].uninitialized && !sx_is_assumed_unused(sx, object);
    if (l->unconstrained ? !sx_add_candidates(sx, l) : !sx_add_value(sx, l, l->initial))
        return MM_CAT_NO_LOCATION;
    return sx->values.location_count++;
}

static bool is_cut(const struct sx *sx, uint64_t address)
{
    for (uint32_t i = 0; i < sx->values.cut_count; i++) {
        if (sx->values.cuts[i] == address)
            return true;
    }
    return false;
}

static void add_cut(struct sx *sx, uint64_t address)
{
    if (is_cut(sx, address))
        return;
    if (!mm_arena_reserve(sx->arena, &sx->values.cuts, sx->values.cut_count, &sx->values.cut_capacity,
                          sx->values.cut_count + 1)) {
        sx_out_of_memory(sx);
        return;
    }
    sx->values.cuts[sx->values.cut_count++] = address;
    sx->iteration.cuts_changed = true;
}

/* The location at OFFSET of SIZE bytes; MM_CAT_NO_LOCATION: it overlaps others and is cut next time. */
static uint32_t find_location(struct sx *sx, uint32_t root, uint32_t offset, unsigned size)
{
    for (uint32_t i = 0; i < sx->values.location_count; i++) {
        const struct sx_location *l = &sx->values.locations[i];
        uint64_t base = CK_OBJECT_BASE(root);

        if (l->object != root || l->offset >= offset + size || offset >= l->offset + l->size)
            continue;
        if (l->offset == offset && l->size == size)
            return i;
        add_cut(sx, base + offset);
        add_cut(sx, base + offset + size);
        add_cut(sx, base + l->offset);
        add_cut(sx, base + l->offset + l->size);
        return MM_CAT_NO_LOCATION;
    }
    return add_location(sx, root, offset, size);
}

bool sx_strays(const struct sx *sx, const struct ck_instr *i, uint64_t address)
{
    uint32_t base = ck_program_base(sx->program, i->address);

    return base != CK_NO_OBJECT && (address >> 32) - 1 != base;
}

unsigned sx_locate(struct sx *sx, uint64_t address, unsigned size, uint32_t *object, bool *fault,
                   uint32_t locations[SX_PIECES])
{
    const struct ck_program *p = sx->program;
    uint64_t number = (address >> 32) - 1;
    uint32_t offset = (uint32_t)address, root;
    unsigned count = 0;

    *fault = number >= p->object_count || (uint64_t)offset + size > p->objects[number].size;
    if (*fault)
        return 0;
    *object = (uint32_t)number;
    root = p->objects[number].alias_of;
    for (unsigned at = 0, next; at < size; at = next) {
        next = at + 1;
        while (next < size && !(sx->values.cut_count && is_cut(sx, CK_OBJECT_BASE(root) + offset + next)))
            next++;
        locations[count] = find_location(sx, root, offset + at, next - at);
        if (locations[count++] == MM_CAT_NO_LOCATION)
            return 0;
    }
    return count;
}

bool sx_add_observed(struct sx *sx)
{
    const struct ck_program *p = sx->program;

    for (uint32_t i = 0; i < p->observed_count; i++) {
        const struct ck_term *t = &p->observed[i];
        uint32_t object, locations[SX_PIECES];
        bool fault;

        if (t->kind != CK_TERM_MEMORY)
            continue;
        if (sx_locate(sx, CK_OBJECT_BASE(t->object) + t->offset, ck_term_size(p, t), &object, &fault,
                      locations) == 0)
            return false;
    }
    return true;
}
