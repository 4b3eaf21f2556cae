/* Initial values of objects and arguments: from options and header lines, the launch, initializers, and
 * executions. */
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"

#include <string.h>

static void put_bytes(struct ex *ex, uint8_t *bytes, uint64_t size, uint64_t offset, uint64_t value,
                      unsigned n)
{
    if (offset + n > size)
        ex_fail(ex, MM_INVALID, "explore.header", "more values than the object has room for");
    for (unsigned i = 0; i < n; i++)
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

const struct in_ty *ex_part_type(struct ex *ex, const struct in_ty *t, uint32_t i)
{
    const struct in_ty *part = t->kind != IN_TY_STRUCT ? t->element : i < t->count ? t->members[i] : NULL;
    if (!part)
        ex_fail(ex, MM_INVALID, "explore.header", "a value for what holds none");
    return part;
}

void ex_init_fill(struct ex *ex, const struct in_ty *t, const struct ex_init *init, uint8_t *bytes,
                  uint64_t size, uint64_t offset)
{
    unsigned scalar = ex_scalar_size(t);
    if (scalar) {
        const struct ex_init *leaf = init;
        while (leaf->form == EX_LIST && leaf->count == 1)
            leaf = leaf->items;
        if (leaf->form == EX_LIST)
            ex_fail(ex, MM_INVALID, "explore.header", "a list of values for a number");
        put_bytes(ex, bytes, size, offset, ex_init_bits(ex, t, leaf), scalar);
        return;
    }
    if (init->form != EX_LIST) {
        ex_init_fill(ex, ex_part_type(ex, t, 0), init, bytes, size, offset);
        return;
    }
    for (uint32_t i = 0; i < init->count; i++) {
        if (!ex_is_runtime_array(t) && i >= t->count)
            ex_fail(ex, MM_INVALID, "explore.header", "more values than the object has members");
        ex_init_fill(ex, ex_part_type(ex, t, i), &init->items[i], bytes, size,
                     offset + (t->kind == IN_TY_STRUCT ? t->offsets[i] : i * t->stride));
    }
}

/* The number of elements of INIT. */
static uint64_t length_of(const struct ex_init *init)
{
    return !init ? EX_UNKNOWN_ELEMENTS : init->form == EX_LIST ? init->count : 1;
}

/* Bytes that a value of type T takes when it is given as INIT (runtime arrays get their length from it). */
static uint64_t size_with(const struct in_ty *t, const struct ex_init *init)
{
    if (ex_is_runtime_array(t))
        return t->stride * length_of(init);
    if (t->kind == IN_TY_STRUCT && t->count) {
        uint32_t last = t->count - 1;
        bool given = init && init->form == EX_LIST && init->count > last;
        uint64_t end = t->offsets[last] + size_with(t->members[last], given ? &init->items[last] : NULL);
        return end > t->size ? end : t->size;
    }
    return t->size;
}

uint64_t ex_init_size(const struct in_ty *t, uint64_t element, const struct ex_init *init)
{
    return t ? size_with(t, init) : element * length_of(init);
}

bool ex_init_add_launch(struct ex *ex, struct ex_place *place, const struct ex_init *init, uint8_t *bytes,
                        uint64_t size)
{
    uint8_t *known = ex_alloc(ex, size), *launch = ex_alloc(ex, size), *other = ex_alloc(ex, size);
    const struct ex_shape *shape = ex_shape(ex, place->pointee);
    uint64_t by_launch = 0;
    bool all = true;
    ex_reflected_bytes(ex, place->id, place->pointee, launch, known, size);
    /* INIT writes the bytes that it makes equal over zeros and over ones */
    memset(other, 0xff, size);
    if (init)
        ex_init_fill(ex, place->pointee, init, other, size, 0);
    for (uint64_t i = 0; i < size; i++) {
        bool given = init && bytes[i] == other[i];
        by_launch += known[i];
        bytes[i] = !given && known[i] ? launch[i] : bytes[i];
        known[i] |= given;
    }
    for (uint32_t k = 0; k < shape->count; k++) /* padding is never read */
        for (uint64_t i = 0; i < shape->scalars[k].size; i++)
            all = all && known[shape->scalars[k].offset + i];
    if (by_launch || place->storage == SpvStorageClassPushConstant)
        place->known = known;
    return all && shape->count > 0;
}

bool ex_init_from_constant(struct ex *ex, const struct in_ty *t, uint32_t id, uint8_t *bytes, uint64_t size)
{
    const struct ex_shape *shape = ex_shape(ex, t);
    uint64_t value;
    for (uint32_t i = 0; i < shape->count; i++) {
        if (!ex_constant(ex, id, i, &value) && ex_id(ex, id)->undefined)
            return false;
        if (!ex_constant(ex, id, i, &value))
            ex_fail(
                ex, MM_LIMIT, "explore.constant",
                "'%s' is initialized with an address, which is not explored: assign the pointer in the kernel, or select "
                "between the variables by a condition",
                ex_id(ex, ex->current->result)->name);
        put_bytes(ex, bytes, size, shape->scalars[i].offset, value, shape->scalars[i].size);
    }
    return true;
}

static void any_bytes(struct ex *ex, const struct ex_place *place, const struct in_ty *t,
                      const struct ck_execution *execution, uint8_t *bytes, uint64_t size)
{
    const struct ex_scalar *scalar = &ex_shape(ex, t)->scalars[place->scalar];
    for (size_t i = 0; i < execution->count; i++)
        if (execution->events[i].kind == MM_INIT && execution->events[i].object == place->object)
            put_bytes(ex, bytes, size, scalar->offset, execution->events[i].value, scalar->size);
}

bool ex_argument_bytes(struct ex *ex, uint32_t id, const struct ck_execution *execution, uint8_t *bytes,
                       uint64_t size)
{
    if (setjmp(ex->failed))
        return false;
    const struct ex_input *input = ex_input_of(ex, id);
    const struct in_ty *t = ex_type_of(ex, id);
    if (t->kind == IN_TY_POINTER)
        t = ex_pointed(ex, t);
    if (t->size > size)
        return false;
    if (input && !input->any)
        ex_init_fill(ex, t, &input->init, bytes, size, 0);
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (ex->build.places[i].id == id && ex->build.places[i].storage == SpvStorageClassFunction)
            any_bytes(ex, &ex->build.places[i], t, execution, bytes, size);
    return true;
}
