/* Constants and specialization constants. [SPIRV 3.49.7]. */
#include "memmodel/base/array.h"
#include "module.h"
#include <inttypes.h>
#include <string.h>

enum { MAX_CONSTANT = 1 << 28 }; /* bytes: their values are kept in memory */

bool in_constant_u64(const struct in_module *module, uint32_t id, uint64_t *value)
{
    if (id >= module->bound || module->ids[id].kind != IN_ID_CONSTANT || module->ids[id].ty->size > 8)
        return false;
    *value = 0;
    memcpy(value, module->ids[id].bytes, module->ids[id].ty->size);
    return true;
}

static enum mm_class spec_value(struct in_module *m, const struct in_id *id, uint8_t *bytes,
                                struct mm_error *err)
{
    struct in_spec_constant *s = mm_add(&m->spec, &m->spec_count);
    if (!s)
        return mm_out_of_memory(err);
    uint32_t size = (uint32_t)id->ty->size;
    *s = (struct in_spec_constant){.id = id->spec_id, .size = size};
    memcpy(&s->value, bytes, size);
    for (size_t i = 0; i < m->decoding.options->constant_count; i++)
        if (m->decoding.options->constants[i].id == id->spec_id)
            memcpy(bytes, &m->decoding.options->constants[i].value, size);
    if (id->ty->kind == IN_TY_BOOL)
        bytes[0] = bytes[0] != 0;
    return MM_OK;
}

/* Copies constituent ID into a composite at OFFSET, with its relocations. */
static bool place_constituent(struct in_module *m, struct in_id *to, uint8_t *bytes, uint64_t offset,
                              uint32_t id)
{
    const struct in_id *from = &m->ids[id];
    uint64_t size = from->ty->size;
    if (from->kind == IN_ID_CONSTANT)
        memcpy(bytes + offset, from->bytes, size);
    struct in_reloc global = {.variable = from->index, .next = NULL};
    const struct in_reloc *r = from->kind == IN_ID_GLOBAL ? &global : from->relocs;
    for (; r; r = r->next) {
        struct in_reloc *copy = mm_arena_alloc(m->arena, sizeof *copy);
        if (!copy)
            return false;
        *copy = *r;
        copy->fat = false;
        copy->offset = offset + r->offset;
        copy->next = to->relocs;
        to->relocs = copy;
    }
    return true;
}

/* The value that the reader of a module that is not validated gives. */
static void read_value(const struct in_module *m, const struct in_id *id, uint32_t number, uint8_t *bytes)
{
    uint64_t value = 0;
    if (m->decoding.values && id->ty->size <= sizeof value &&
        m->decoding.values->value(m->decoding.values->context, number, id->ty, &value))
        memcpy(bytes, &value, id->ty->size);
}

/* Whether ID is a constant whose value the reader of a module that is not validated computes. */
static bool is_computed_later(const struct in_module *m, uint32_t id)
{
    return m->decoding.unvalidated && id < m->bound && m->ids[id].kind == IN_ID_NONE && m->ids[id].ty;
}

static enum mm_class decode_composite(struct in_module *m, const struct in_inst *inst, struct in_id *id,
                                      uint8_t *bytes, struct mm_error *err)
{
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        uint32_t part = inst->operands[i];
        uint64_t offset = 0;
        if (is_computed_later(m, part)) {
            id->kind = IN_ID_NONE;
            return MM_OK;
        }
        bool is_struct = id->ty->kind == IN_TY_STRUCT && i < id->ty->count;
        const struct in_ty *type = is_struct ? id->ty->members[i] : id->ty->element;
        bool known =
            part < m->bound && (m->ids[part].kind == IN_ID_CONSTANT ||
                                (m->ids[part].kind == IN_ID_GLOBAL && type && type->kind == IN_TY_POINTER));
        if (known && is_struct)
            offset = id->ty->offsets[i];
        else if (known && id->ty->element && i < id->ty->count)
            offset = i * id->ty->stride;
        else
            return in_bad(m, inst->word, err, "SPIRV 3.49.7", "constituent %u of a constant composite", i);
        id->undefined |= m->ids[part].undefined;
        if (offset + m->ids[part].ty->size > id->ty->size)
            return in_bad(m, inst->word, err, "SPIRV 3.49.7", "constituent %u does not fit", i);
        if (!place_constituent(m, id, bytes, offset, part))
            return mm_out_of_memory(err);
    }
    return MM_OK;
}

static enum mm_class pipe_storage(struct in_module *m, const struct in_inst *inst, uint8_t *bytes,
                                  struct mm_error *err)
{
    const uint32_t *w = inst->operands;
    if (inst->operand_count < 3 || w[0] == 0 || w[2] == 0 || w[0] > 1u << 16 || w[2] > 1u << 24)
        return in_bad(m, inst->word, err, "SPIRV 3.49.7", "pipe storage size is out of range");
    struct in_pipe_storage storage = {.packet_size = w[0],
                                      .capacity = w[2]}; /* w[1]: the alignment of packets */
    if (!mm_append(&m->storages, &m->storage_count, &storage))
        return mm_out_of_memory(err);
    memcpy(bytes, &(uint64_t){m->storage_count}, 8);
    return MM_OK;
}

enum mm_class in_constant(struct in_module *m, const struct in_inst *inst, struct mm_error *err)
{
    struct in_id *id = inst->result != 0 ? &m->ids[inst->result] : NULL;
    if (!id || inst->type == 0)
        return MM_OK;
    id->ty = m->ids[inst->type].ty;
    if (!id->ty)
        return in_bad(m, inst->word, err, "SPIRV 3.49.7", "%s without a type", in_opcode_name(inst->opcode));
    if (id->ty->reg_size > MAX_CONSTANT)
        return mm_fail(err, MM_LIMIT, "memory", "a constant of %" PRIu64 " bytes", id->ty->reg_size);
    uint8_t *bytes = mm_arena_alloc(m->arena, id->ty->reg_size + 16);
    if (!bytes)
        return mm_out_of_memory(err);
    id->bytes = bytes;
    id->kind = IN_ID_CONSTANT;
    id->undefined = inst->opcode == SpvOpUndef;
    enum mm_class result = MM_OK;
    switch (inst->opcode) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        bytes[0] = 1;
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        memcpy(bytes, inst->operands, id->ty->size < 8 ? id->ty->size : 8);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return decode_composite(m, inst, id, bytes, err);
    case SpvOpSpecConstantOp:
        id->kind = m->decoding.unvalidated ? IN_ID_NONE : id->kind;
        return m->decoding.unvalidated ? MM_OK : in_fold(m, inst, err);
    case SpvOpConstantSampler:
        memcpy(bytes,
               &(uint64_t){inst->operands[0] << 2 | inst->operands[1] << 1 | inst->operands[2] | 1u << 31},
               8);
        break;
    case SpvOpConstantPipeStorage:
        return pipe_storage(m, inst, bytes, err);
    default: /* false, null, undef: zeros */
        break;
    }
    if (id->spec_id != IN_UNDECORATED && id->ty->size <= 8)
        result = spec_value(m, id, bytes, err);
    if (inst->opcode >= SpvOpSpecConstantTrue && inst->opcode <= SpvOpSpecConstant)
        read_value(m, id, inst->result, bytes);
    return result;
}
