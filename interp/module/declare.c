/* Types and their layout, module-scope variables. [SPIRV 3.49.6, 3.49.8], [CLC 6.3.5 sizes and alignment]. */
#include "memmodel/base/array.h"
#include "module.h"
#include <string.h>

#define MAX_SIZE (UINT64_C(1) << 40) /* bytes of a type */

static struct in_ty *new_type(struct in_module *m, const struct in_inst *inst, enum in_ty_kind kind,
                              uint64_t size, uint64_t align)
{
    struct in_ty *ty = mm_arena_alloc(m->arena, sizeof *ty);
    if (!ty)
        return NULL;
    ty->kind = kind;
    ty->id = inst->result;
    ty->opcode = inst->opcode;
    ty->size = ty->access = ty->reg_size = size;
    ty->align = align;
    struct in_id *id = &m->ids[inst->result];
    id->kind = IN_ID_TYPE;
    id->ty = ty;
    return ty;
}

static struct in_ty *type_at(const struct in_module *m, uint32_t id)
{
    return id < m->bound && m->ids[id].kind == IN_ID_TYPE ? m->ids[id].ty : NULL;
}

static enum mm_class vector_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_ty *element = type_at(m, inst->operands[0]);
    uint32_t n = inst->operands[1];
    if (!element || n < (m->decoding.options->any_environment ? 1 : 2) || n > 16)
        return in_bad(m, inst->word, err, "SPIRV 2.16.1", "vector of %u elements", n);
    if (element->kind == IN_TY_VOID || (element->kind > IN_TY_FLOAT && element->kind < IN_TY_POINTER))
        return in_bad(m, inst->word, err, "SPIRV 2.16.1", "vector of what is not a scalar");
    uint64_t whole = element->size * (n == 3 ? 4 : n);
    struct in_ty *ty = new_type(m, inst, IN_TY_VECTOR, whole, whole);
    if (!ty)
        return mm_out_of_memory(err);
    ty->element = element;
    ty->count = n;
    ty->access = element->size * n;
    ty->stride = element->size;
    return MM_OK;
}

static enum mm_class array_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_ty *element = type_at(m, inst->operands[0]);
    uint64_t n = 0;
    if (!element)
        return in_bad(m, inst->word, err, "SPIRV 3.49.6", "array without element type");
    if (inst->opcode == SpvOpTypeArray && !in_constant_u64(m, inst->operands[1], &n))
        return in_bad(m, inst->word, err, "SPIRV 3.49.6", "array length is not a constant");
    uint32_t given = m->ids[inst->result].array_stride;
    uint64_t stride = given > element->size ? given : element->size;
    if (inst->opcode == SpvOpTypeArray && n == 0)
        return in_bad(m, inst->word, err, "SPIRV 3.49.6", "array without elements");
    if (n > UINT32_MAX || (stride != 0 && n > MAX_SIZE / stride))
        return in_beyond(m, inst->word, err, "SPIRV 2.17", "array of %llu elements", (unsigned long long)n);
    struct in_ty *ty = new_type(m, inst, IN_TY_ARRAY, n * stride, element->align);
    if (!ty)
        return mm_out_of_memory(err);
    ty->element = element;
    ty->stride = stride;
    ty->count = (uint32_t)n;
    return MM_OK;
}

static enum mm_class struct_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    uint32_t n = inst->operand_count;
    struct in_ty *ty = new_type(m, inst, IN_TY_STRUCT, 0, 1);
    struct in_ty **members = mm_arena_alloc(m->arena, (n + 1) * sizeof *members);
    uint64_t *offsets = mm_arena_alloc(m->arena, (n + 1) * sizeof *offsets);
    if (!ty || !members || !offsets)
        return mm_out_of_memory(err);
    ty->packed = m->ids[inst->result].packed;
    uint64_t at = 0, end = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct in_ty *t = type_at(m, inst->operands[i]);
        if (!t)
            return in_bad(m, inst->word, err, "SPIRV 3.49.6", "struct member without a type");
        uint64_t align = ty->packed || t->align == 0 ? 1 : t->align;
        at = (at + align - 1) / align * align;
        for (const struct in_member_offset *o = m->ids[inst->result].offsets; o; o = o->next)
            if (o->member == i)
                at = o->offset;
        members[i] = t;
        offsets[i] = at;
        at += m->ids[inst->result].offsets ? t->access : t->size;
        end = at > end ? at : end;
        if (align > ty->align)
            ty->align = align;
        if (end > MAX_SIZE)
            return in_beyond(m, inst->word, err, "SPIRV 2.17", "structure of more than %llu bytes",
                             (unsigned long long)MAX_SIZE);
    }
    ty->members = members;
    ty->offsets = offsets;
    ty->count = n;
    ty->size = ty->access = ty->reg_size = (end + ty->align - 1) / ty->align * ty->align;
    return MM_OK;
}

static enum mm_class function_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_ty *ty = new_type(m, inst, IN_TY_FUNCTION, 0, 1);
    if (!ty)
        return mm_out_of_memory(err);
    ty->element = type_at(m, inst->operands[0]);
    ty->count = inst->operand_count - 1;
    ty->members = mm_arena_alloc(m->arena, (ty->count + 1) * sizeof *ty->members);
    if (!ty->members)
        return mm_out_of_memory(err);
    for (uint32_t i = 0; i < ty->count; i++)
        ty->members[i] = type_at(m, inst->operands[i + 1]);
    return MM_OK;
}

static enum mm_class pointer_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_ty *forward = type_at(m, inst->result);
    struct in_ty *ty =
        forward && forward->kind == IN_TY_POINTER ? forward : new_type(m, inst, IN_TY_POINTER, 8, 8);
    if (!ty)
        return mm_out_of_memory(err);
    ty->storage = inst->operands[0];
    ty->stride = m->ids[inst->result].array_stride;
    ty->element = type_at(m, inst->operands[1]);
    ty->reg_size = sizeof(struct in_fat);
    return MM_OK;
}

static enum mm_class forward_pointer(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_inst as = *inst;
    as.result = inst->operands[0];
    if (as.result >= m->bound)
        return in_bad(m, inst->word, err, "SPIRV 2.3", "malformed instruction");
    struct in_ty *ty = new_type(m, &as, IN_TY_POINTER, 8, 8);
    if (!ty)
        return mm_out_of_memory(err);
    ty->reg_size = sizeof(struct in_fat);
    return MM_OK;
}

static enum mm_class scalar_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    uint32_t width = inst->operand_count > 0 ? inst->operands[0] : 8;
    bool fits = inst->opcode == SpvOpTypeFloat ? width == 16 || width == 32 || width == 64
                                               : width == 8 || width == 16 || width == 32 || width == 64;
    if (m->decoding.options->any_environment && inst->opcode == SpvOpTypeInt)
        fits = width % 8 == 0 && width >= 8 && width <= 64; /* others are only moved */
    if (!fits)
        return in_beyond(m, inst->word, err, "SPIRV 2.16.1", "%s of %u bits", in_opcode_name(inst->opcode),
                         width);
    enum in_ty_kind kind = inst->opcode == SpvOpTypeBool  ? IN_TY_BOOL
                           : inst->opcode == SpvOpTypeInt ? IN_TY_INT
                                                          : IN_TY_FLOAT;
    struct in_ty *ty = new_type(m, inst, kind, width / 8, (width & (width - 1)) == 0 ? width / 8 : 1);
    if (!ty)
        return mm_out_of_memory(err);
    ty->width = width;
    ty->is_signed = kind == IN_TY_INT && inst->operands[1] != 0;
    return MM_OK;
}

enum mm_class in_declare_type(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    switch (inst->opcode) {
    case SpvOpTypeVoid:
        return new_type(m, inst, IN_TY_VOID, 0, 1) ? MM_OK : mm_out_of_memory(err);
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return scalar_type(m, inst, err);
    case SpvOpTypeVector:
        return vector_type(m, inst, err);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return array_type(m, inst, err);
    case SpvOpTypeStruct:
        return struct_type(m, inst, err);
    case SpvOpTypePointer:
        return pointer_type(m, inst, err);
    case SpvOpTypeForwardPointer:
        return forward_pointer(m, inst, err);
    case SpvOpTypeFunction:
        return function_type(m, inst, err);
    case SpvOpTypeSampledImage: /* a pair of handles */
        return new_type(m, inst, IN_TY_OPAQUE, 16, 8) ? MM_OK : mm_out_of_memory(err);
    default:
        return new_type(m, inst, IN_TY_OPAQUE, 8, 8) ? MM_OK : mm_out_of_memory(err);
    }
}

enum mm_class in_declare_variable(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_ty *pointer = type_at(m, inst->type);
    if (!pointer || pointer->kind != IN_TY_POINTER || !pointer->element)
        return in_bad(m, inst->word, err, "SPIRV 3.49.8", "variable without a pointer type");
    struct in_global *g = mm_add(&m->globals, &m->global_count);
    if (!g)
        return mm_out_of_memory(err);
    struct in_id *id = &m->ids[inst->result];
    g->id = inst->result;
    g->ty = pointer->element;
    g->storage = inst->operands[0];
    g->initializer = inst->operand_count > 1 ? inst->operands[1] : 0;
    uint64_t align = id->alignment > g->ty->align ? id->alignment : g->ty->align;
    /* Translators emit copies from byte arrays without alignment to objects that have one. */
    while (g->storage == SpvStorageClassUniformConstant && align < 128 && 2 * align <= g->ty->size)
        align *= 2;
    g->align = (uint32_t)(align < 1 ? 1 : align > 4096 ? 4096 : align);
    id->kind = IN_ID_GLOBAL;
    id->ty = pointer;
    id->index = m->global_count - 1;
    bool descriptor = g->storage == SpvStorageClassStorageBuffer || g->storage == SpvStorageClassUniform ||
                      g->storage == SpvStorageClassPushConstant;
    g->argument = descriptor ? m->descriptor_count++ : UINT32_MAX;
    if (g->storage == SpvStorageClassCrossWorkgroup || g->storage == SpvStorageClassUniformConstant ||
        descriptor) {
        m->program_bytes = (m->program_bytes + g->align - 1) / g->align * g->align;
        g->offset = m->program_bytes;
        m->program_bytes += g->ty->size;
    }
    return MM_OK;
}
