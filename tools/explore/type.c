/* Types and their layout in memory, and constants.  Explicit offsets and strides count where they are given;
 * otherwise the layout of OpenCL C holds.  [SPIRV 2.16.2, 3.42.6, 3.42.7; CLC 6.3.5] */
#include "tools/explore/explore.h"

#include <string.h>

enum { MAX_LEAVES = 1 << 16 };

struct ex_type *ex_type(struct ex *ex, uint32_t id)
{
    struct ex_type *t = id < ex->bound ? ex->ids[id].type : NULL;
    if (!t || t->kind == EX_NO_TYPE)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a type", id);
    return t;
}

struct ex_type *ex_type_of(struct ex *ex, uint32_t value)
{
    if (value >= ex->bound || !ex->ids[value].type_id)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a value", value);
    return ex_type(ex, ex->ids[value].type_id);
}

unsigned ex_scalar_size(const struct ex_type *t)
{
    switch (t->kind) {
    case EX_BOOL:
        return 1;
    case EX_INT:
    case EX_FLOAT:
        return (t->width + 7) / 8;
    case EX_POINTER:
    case EX_OPAQUE:
        return 8;
    default:
        return 0;
    }
}

static bool is_scalar(const struct ex_type *t)
{
    return ex_scalar_size(t) != 0;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return align ? (value + align - 1) / align * align : value;
}

/* ---- layout ------------------------------------------------------------------------------------- */

static void lay_out_struct(struct ex *ex, struct ex_type *t, bool packed)
{
    uint64_t at = 0, end = 0;
    uint64_t *given = t->offsets;
    t->offsets = ex_alloc(ex, t->count * sizeof *t->offsets);
    t->align = 1;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct ex_type *m = ex_type(ex, t->members[i]);
        uint64_t align = packed ? 1 : m->align;
        at = given && given[i] != UINT64_MAX ? given[i] : round_up(at, align);
        t->offsets[i] = at;
        at += m->size;
        end = at > end ? at : end;
        t->align = align > t->align ? align : t->align;
    }
    t->size = given ? end : round_up(end, t->align);
}

static void lay_out_array(struct ex *ex, struct ex_type *t, uint32_t stride)
{
    const struct ex_type *e = ex_type(ex, t->element);
    t->align = e->align;
    t->stride = stride ? stride : round_up(e->size, e->align);
    if (t->count && t->stride > UINT32_MAX / t->count)
        ex_fail(ex, MM_LIMIT, "explore.size", "an array is too large");
    t->size = t->stride * t->count;
}

/* Vectors of three take the room of four in OpenCL [CLC 6.3.5]; in Vulkan their components are what counts.
 */
static void lay_out_vector(struct ex *ex, struct ex_type *t)
{
    const struct ex_type *e = ex_type(ex, t->element);
    t->stride = e->size;
    t->size = e->size * (t->count == 3 && !ex->vulkan ? 4 : t->count);
    t->align = ex->vulkan ? e->align : t->size;
}

/* ---- leaves ------------------------------------------------------------------------------------- */

static uint32_t child_type(const struct ex_type *t, uint32_t i)
{
    return t->kind == EX_STRUCT ? t->members[i] : t->element;
}

static void find_leaves(struct ex *ex, struct ex_type *t, uint32_t id)
{
    if (is_scalar(t)) {
        t->leaf_count = 1;
        t->leaves = ex_alloc(ex, sizeof *t->leaves);
        t->leaves[0].type = id;
        return;
    }
    if (t->kind != EX_VECTOR && t->kind != EX_ARRAY && t->kind != EX_STRUCT)
        return;
    uint64_t total = 0;
    for (uint32_t i = 0; i < t->count && total <= MAX_LEAVES; i++)
        total += ex_type(ex, child_type(t, i))->leaf_count;
    if (total > MAX_LEAVES) /* too large to be a value; it may still live in memory */
        return;
    t->leaves = ex_alloc(ex, total * sizeof *t->leaves);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct ex_type *c = ex_type(ex, child_type(t, i));
        uint64_t base = t->kind == EX_STRUCT ? t->offsets[i] : i * t->stride;
        for (uint32_t k = 0; k < c->leaf_count; k++)
            t->leaves[t->leaf_count++] = (struct ex_leaf){c->leaves[k].type, base + c->leaves[k].offset};
    }
}

uint32_t ex_leaf_index(struct ex *ex, uint32_t type, uint32_t index, uint32_t *member)
{
    const struct ex_type *t = ex_type(ex, type);
    uint32_t at = 0;
    if ((t->kind != EX_STRUCT && t->kind != EX_VECTOR && t->kind != EX_ARRAY) || index >= t->count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.12", "no member %u", index);
    if (t->kind != EX_STRUCT) {
        *member = t->element;
        return index * ex_type(ex, t->element)->leaf_count;
    }
    for (uint32_t i = 0; i < index; i++)
        at += ex_type(ex, t->members[i])->leaf_count;
    *member = t->members[index];
    return at;
}

/* ---- declarations ------------------------------------------------------------------------------- */

static void declare_scalar(struct ex *ex, const struct ex_inst *inst, struct ex_type *t)
{
    switch (inst->opcode) {
    case SpvOpTypeBool:
        t->kind = EX_BOOL;
        t->width = 8;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        t->kind = inst->opcode == SpvOpTypeInt ? EX_INT : EX_FLOAT;
        t->width = inst->words[0];
        t->is_signed = inst->opcode == SpvOpTypeInt && inst->words[1] != 0;
        if (t->width == 0 || t->width > 64 || t->width % 8)
            ex_fail(ex, MM_LIMIT, "explore.type", "numbers of %u bits are not supported", t->width);
        break;
    default:
        t->kind = EX_OPAQUE;
        t->width = 64;
    }
    t->size = t->align = ex_scalar_size(t);
}

static void declare_composite(struct ex *ex, const struct ex_inst *inst, struct ex_type *t)
{
    const struct ex_id *id = &ex->ids[inst->result];
    switch (inst->opcode) {
    case SpvOpTypeVector:
        t->kind = EX_VECTOR;
        t->element = inst->words[0];
        t->count = inst->words[1];
        lay_out_vector(ex, t);
        break;
    case SpvOpTypeArray:
        t->kind = EX_ARRAY;
        t->element = inst->words[0];
        uint64_t length = ex_constant(ex, inst->words[1]);
        if (length == 0 || length > UINT32_MAX)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.6", "an array of %llu elements", (unsigned long long)length);
        t->count = (uint32_t)length;
        lay_out_array(ex, t, id->stride);
        break;
    case SpvOpTypeRuntimeArray:
        t->kind = EX_RUNTIME_ARRAY;
        t->element = inst->words[0];
        lay_out_array(ex, t, id->stride);
        break;
    default:
        t->kind = EX_STRUCT;
        t->members = inst->words;
        t->count = inst->count;
        lay_out_struct(ex, t, id->packed);
    }
}

void ex_declare_type(struct ex *ex, const struct ex_inst *inst)
{
    struct ex_id *id = &ex->ids[inst->result];
    struct ex_type *t = id->type ? id->type : ex_alloc(ex, sizeof *t);
    id->type = t;
    switch (inst->opcode) {
    case SpvOpTypeVoid:
        t->kind = EX_VOID;
        return;
    case SpvOpTypePointer:
        t->kind = EX_POINTER;
        t->storage = inst->words[0];
        t->element = inst->words[1];
        t->size = t->align = 8;
        t->stride = id->stride;
        break;
    case SpvOpTypeFunction:
        t->kind = EX_FUNCTION;
        t->element = inst->words[0];
        t->members = inst->words + 1;
        t->count = inst->count - 1U;
        return;
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
        declare_composite(ex, inst, t);
        break;
    default:
        declare_scalar(ex, inst, t);
    }
    find_leaves(ex, t, inst->result);
}

/* ---- constants ---------------------------------------------------------------------------------- */

uint64_t ex_constant(struct ex *ex, uint32_t id)
{
    if (id >= ex->bound || !ex->ids[id].constant)
        ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "id %u is not a constant", id);
    return ex->ids[id].constant[0];
}

/* A number given for a specialization constant; false: none. */
static bool given_value(struct ex *ex, uint32_t id, const struct ex_type *t, uint64_t *value)
{
    for (uint32_t i = 0; i < ex->input_count; i++)
        if (ex->inputs[i].id == id && ex->inputs[i].given && !ex->inputs[i].init.is_list) {
            *value = ex_init_bits(ex, t, &ex->inputs[i].init);
            return true;
        }
    return false;
}

static uint64_t mask_of(const struct ex_type *t)
{
    unsigned size = ex_scalar_size(t);
    return size >= 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * size)) - 1;
}

/* False: some constituent is undefined; its value is put together where it is used. */
static bool declare_composite_constant(struct ex *ex, const struct ex_inst *inst, uint64_t *out)
{
    const struct ex_type *t = ex_type(ex, inst->type);
    const struct ex_id *id = &ex->ids[inst->result];
    uint32_t at = 0;
    for (uint32_t i = 0; i < inst->count; i++) {
        const struct ex_type *c = ex_type_of(ex, inst->words[i]);
        const struct ex_id *constituent = &ex->ids[inst->words[i]];
        const uint64_t *leaves = constituent->constant;
        if (constituent->is_undef)
            return false;
        if (!leaves || at + c->leaf_count > t->leaf_count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.7", "constituents do not fit the composite constant");
        memcpy(out + at, leaves, c->leaf_count * sizeof *out);
        at += c->leaf_count;
    }
    if (id->builtin == SpvBuiltInWorkgroupSize)
        for (uint32_t i = 0; i < 3 && i < t->leaf_count; i++)
            out[i] = ex->launch.local[i];
    return true;
}

static void declare_constant(struct ex *ex, const struct ex_inst *inst)
{
    const struct ex_type *t = ex_type(ex, inst->type);
    uint64_t *out = ex_alloc(ex, (t->leaf_count + 1) * sizeof *out);
    uint64_t given;
    bool spec = inst->opcode == SpvOpSpecConstant || inst->opcode == SpvOpSpecConstantTrue ||
                inst->opcode == SpvOpSpecConstantFalse;
    switch (inst->opcode) {
    case SpvOpConstant:
    case SpvOpSpecConstant:
        out[0] = inst->words[0];
        if (inst->count > 1)
            out[0] |= (uint64_t)inst->words[1] << 32;
        break;
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        out[0] = 1;
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        ex->ids[inst->result].is_undef = !declare_composite_constant(ex, inst, out);
        break;
    default: /* null, false, undef */
        ex->ids[inst->result].is_undef = inst->opcode == SpvOpUndef;
        break;
    }
    if (spec && given_value(ex, inst->result, t, &given))
        out[0] = given;
    if (is_scalar(t))
        out[0] &= mask_of(t);
    if (!ex->ids[inst->result].is_undef)
        ex->ids[inst->result].constant = out;
}

void ex_declare(struct ex *ex)
{
    for (uint32_t i = 0; i < ex->inst_count; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        ex->current = inst;
        if (inst->opcode >= SpvOpTypeVoid && inst->opcode <= SpvOpTypePipe &&
            inst->opcode != SpvOpTypeForwardPointer)
            ex_declare_type(ex, inst);
        else if ((inst->opcode >= SpvOpConstantTrue && inst->opcode <= SpvOpSpecConstantComposite) ||
                 inst->opcode == SpvOpUndef)
            declare_constant(ex, inst);
    }
    ex->current = NULL;
}
