/* Types and constants of the module, with the values that the launch gives, and the scalars of each type. */
#include "tools/explore/explore.h"

#include <string.h>

enum { MAX_LEAVES = 1 << 16 };

/* ---- types -------------------------------------------------------------------------------------- */

const struct in_id *ex_id(struct ex *ex, uint32_t id)
{
    const struct in_id *found = in_spirv_id(ex->module.decoded, id);
    if (!found)
        ex_fail(ex, MM_INVALID, "SPIRV 2.3", "id %u is out of bounds", id);
    return found;
}

const struct in_ty *ex_type(struct ex *ex, uint32_t id)
{
    if (ex_id(ex, id)->kind != IN_ID_TYPE)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a type", id);
    return ex_id(ex, id)->ty;
}

const struct in_ty *ex_type_of(struct ex *ex, uint32_t value)
{
    const struct in_id *id = ex_id(ex, value);
    if (id->kind == IN_ID_TYPE || !id->ty)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a value", value);
    return id->ty;
}

const struct in_ty *ex_pointed(struct ex *ex, const struct in_ty *pointer)
{
    if (pointer->kind != IN_TY_POINTER || !pointer->element)
        ex_fail(ex, MM_INVALID, "SPIRV 3.49.6", "id %u is not a pointer to a declared type", pointer->id);
    return pointer->element;
}

unsigned ex_scalar_size(const struct in_ty *t)
{
    switch (t->kind) {
    case IN_TY_BOOL:
    case IN_TY_INT:
    case IN_TY_FLOAT:
        return (unsigned)t->size;
    case IN_TY_POINTER:
    case IN_TY_OPAQUE:
        return 8;
    default:
        return 0;
    }
}

uint64_t ex_element_size(const struct in_ty *t)
{
    return t->align ? (t->size + t->align - 1) / t->align * t->align : t->size;
}

/* ---- scalars ------------------------------------------------------------------------------------ */

const struct ex_shape *ex_shape(const struct ex *ex, const struct in_ty *t)
{
    return &ex->module.shapes[t->id];
}

static const struct in_ty *child_type(const struct in_ty *t, uint32_t i)
{
    return t->kind == IN_TY_STRUCT ? t->members[i] : t->element;
}

static uint32_t count_scalars(const struct ex *ex, const struct in_ty *t)
{
    uint64_t total = 0;
    if (ex_scalar_size(t))
        return 1;
    if (t->kind != IN_TY_VECTOR && t->kind != IN_TY_ARRAY && t->kind != IN_TY_STRUCT)
        return 0;
    for (uint32_t i = 0; i < t->count && total <= MAX_LEAVES; i++)
        total += ex_shape(ex, child_type(t, i))->count;
    return total > MAX_LEAVES ? 0 : (uint32_t)total; /* too large to be a value; it may still be in memory */
}

/* The shapes of the types that T consists of are known. */
static void find_shape(struct ex *ex, const struct in_ty *t)
{
    struct ex_shape *shape = &ex->module.shapes[t->id];
    uint32_t count = count_scalars(ex, t);
    struct ex_scalar *scalars = ex_alloc(ex, count * sizeof *scalars);
    *shape = (struct ex_shape){.scalars = scalars};
    if (count && ex_scalar_size(t))
        scalars[shape->count++] = (struct ex_scalar){.type = t, .size = ex_scalar_size(t)};
    for (uint32_t i = 0; shape->count < count; i++) {
        const struct ex_shape *child = ex_shape(ex, child_type(t, i));
        uint64_t base = t->kind == IN_TY_STRUCT ? t->offsets[i] : i * t->stride;
        for (uint32_t k = 0; k < child->count; k++) {
            scalars[shape->count] = child->scalars[k];
            scalars[shape->count++].offset += base;
        }
    }
}

uint32_t ex_leaf_index(struct ex *ex, const struct in_ty *t, uint32_t index, const struct in_ty **member)
{
    uint32_t at = 0;
    if ((t->kind != IN_TY_STRUCT && t->kind != IN_TY_VECTOR && t->kind != IN_TY_ARRAY) || index >= t->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "no member %u", index);
    *member = child_type(t, index);
    if (t->kind != IN_TY_STRUCT)
        return index * ex_shape(ex, t->element)->count;
    for (uint32_t i = 0; i < index; i++)
        at += ex_shape(ex, t->members[i])->count;
    return at;
}

/* ---- constants ---------------------------------------------------------------------------------- */

/* A number given for a specialization constant; false: none. */
static bool given_value(void *context, uint32_t id, const struct in_ty *t, uint64_t *value)
{
    struct ex *ex = context;
    for (uint32_t i = 0; i < ex->config.input_count; i++) {
        const struct ex_input *input = &ex->config.inputs[i];
        if (input->id == id && input->given && input->init.form != EX_LIST) {
            ex->current = ex_definition(ex, id);
            *value = ex_init_bits(ex, t, &input->init);
            return true;
        }
    }
    return false;
}

void ex_declare(struct ex *ex)
{
    const struct in_spirv_values values = {given_value, ex};
    if (in_spirv_declare(ex->module.decoded, &values, ex->err) != MM_OK)
        longjmp(ex->failed, 1);
    for (uint32_t i = 0; i < ex->module.inst_count; i++) { /* in the order in which types are declared */
        const struct in_id *id = in_spirv_id(ex->module.decoded, ex->module.insts[i].result);
        if (id->kind == IN_ID_TYPE)
            find_shape(ex, id->ty);
    }
    ex->current = NULL;
}

bool ex_constant(const struct ex *ex, uint32_t id, uint32_t i, uint64_t *value)
{
    const struct in_id *c = in_spirv_id(ex->module.decoded, id);
    *value = 0;
    if (!c || c->kind != IN_ID_CONSTANT || c->undefined || c->relocs)
        return false;
    const struct ex_shape *shape = ex_shape(ex, c->ty);
    if (c->builtin == SpvBuiltInWorkgroupSize && i < 3)
        *value = ex->config.launch.local[i];
    else if (i < shape->count)
        memcpy(value, c->bytes + shape->scalars[i].offset, shape->scalars[i].size);
    return true;
}
