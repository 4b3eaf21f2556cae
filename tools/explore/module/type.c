/* Types and constants of the module, with the values that the launch gives, and the scalars of each type. */
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/module/module.h"
#include "tools/launch/spec.h"

#include <string.h>

enum { MAX_LEAVES = 1 << 16 };

static void find_shape(struct ex *ex, const struct in_ty *t);

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

bool ex_source_type(const struct ex *ex, uint32_t id, char text[EX_SOURCE_TYPE])
{
    const struct in_function *f = in_spirv_function(ex->module.decoded, ex->entry->function);
    for (uint32_t i = 0; i < f->param_count; i++)
        if (f->params[i] == id)
            return in_spirv_source_type(ex->module.decoded, ex->entry->name, i, text, EX_SOURCE_TYPE);
    return false;
}

const char *ex_layout(struct ex *ex, uint32_t id)
{
    const struct in_inst *definition = ex_definition(ex, id);
    bool parameter = definition && definition->opcode == SpvOpFunctionParameter;
    const char *name = ex_id(ex, id)->name;
    const char *layout = parameter ? in_spirv_argument_layout(ex->module.decoded, ex->entry->name, name)
                                   : in_spirv_layout(ex->module.decoded, name);
    return layout && *layout ? layout : NULL;
}

static bool is_number(const struct in_ty *t, const struct spec_type *type, uint32_t count)
{
    const struct in_ty *scalar = in_scalar(t);
    return (t->kind == IN_TY_VECTOR || t->kind == IN_TY_INT || t->kind == IN_TY_FLOAT) &&
           in_count(t) == count && scalar->kind == (type->scalar.kind == 'f' ? IN_TY_FLOAT : IN_TY_INT) &&
           scalar->size == type->scalar.bytes;
}

/* A vector of COUNT numbers, or a scalar: a type of the module, or a new one with an id after those of the
 * module. */
static const struct in_ty *number_type(struct ex *ex, const struct spec_type *type, uint32_t count)
{
    for (uint32_t id = 1; id < ex->module.bound; id++) {
        const struct in_id *found = in_spirv_id(ex->module.decoded, id);
        if (found && found->kind == IN_ID_TYPE && is_number(found->ty, type, count))
            return found->ty;
    }
    struct in_ty *t = ex_alloc(ex, sizeof *t);
    if (ex->module.extra_types == EX_EXTRA_TYPES)
        ex_fail(ex, MM_LIMIT, "explore.arguments", "arguments of too many types");
    *t = (struct in_ty){.id = ex->module.bound + 1 + ex->module.extra_types++,
                        .width = 8 * type->scalar.bytes};
    t->kind = count > 1 ? IN_TY_VECTOR : type->scalar.kind == 'f' ? IN_TY_FLOAT : IN_TY_INT;
    t->size = t->align = t->access = t->reg_size = type->scalar.bytes;
    if (count > 1) {
        t->count = count;
        t->element = (struct in_ty *)(uintptr_t)number_type(ex, type, 1);
        t->stride = type->scalar.bytes;
        t->size = t->align = type->bytes;
        t->access = t->reg_size = count * t->stride;
    }
    find_shape(ex, t);
    return t;
}

const struct in_ty *ex_number_type(struct ex *ex, const struct spec_scalar *scalar)
{
    const struct spec_type type = {*scalar, 1, scalar->bytes};
    return number_type(ex, &type, 1);
}

const struct in_ty *ex_argument_element(struct ex *ex, uint32_t id)
{
    char text[EX_SOURCE_TYPE];
    struct spec_type type;
    const struct in_ty *pointee = ex_pointed(ex, ex_type_of(ex, id)), *structure;
    if (ex->module.vulkan || !ex_source_type(ex, id, text))
        return pointee;
    if (spec_type_read(text, &type))
        return is_number(pointee, &type, type.width) ? pointee : number_type(ex, &type, type.width);
    structure = in_spirv_named_structure(ex->module.decoded, text);
    return structure ? structure : pointee;
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

/* Sets the shape of T; those of its element and members are set. */
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
        ex->current = &ex->module.insts[i];
        if (ex->module.insts[i].opcode == SpvOpTypeMatrix && !ex->module.vulkan)
            ex_fail(
                ex, MM_INVALID, "SPIRV 3.31",
                "OpTypeMatrix (opcode %u): OpenCL kernels have no matrices, the capability Matrix is that of "
                "shaders: use arrays of vectors",
                SpvOpTypeMatrix);
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
