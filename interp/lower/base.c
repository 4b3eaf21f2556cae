/* Lowering: slots, constants and emission. */
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"
#include <string.h>

enum mm_class in_lower_no_memory(struct in_lower *l)
{
    if (l->result == MM_OK)
        l->result = mm_out_of_memory(l->err);
    return l->result;
}

static uint32_t place_index(struct in_lower *l)
{
    struct in_code *code = l->code;
    if (l->place_used)
        return code->sources.count - 1;
    bool kernel = !l->frame || l->frame == &l->frames[l->kernel->function];
    int32_t *slot = mm_add(&code->sources.return_slots, &l->return_slot_count);
    if (!slot || !mm_append(&code->sources.list, &code->sources.count, &l->place)) {
        in_lower_no_memory(l);
        return 0;
    }
    *slot = kernel ? 0 : l->frame->return_slot;
    l->place_used = true;
    return code->sources.count - 1;
}

struct in_insn *in_emit(struct in_lower *l, enum in_op op, int32_t d, int32_t a, int32_t b, int32_t c)
{
    struct in_code *code = l->code;
    uint32_t source = place_index(l);
    if (!mm_reserve(&code->insns, &l->capacity, code->count + UINT64_C(1)) ||
        !mm_reserve(&code->sources.of_insn, &l->source_of_capacity, code->count + UINT64_C(1))) {
        in_lower_no_memory(l);
        return &l->scratch;
    }
    code->sources.of_insn[code->count] = source;
    struct in_insn *insn = &code->insns[code->count++];
    *insn = (struct in_insn){.op = op, .d = d, .a = a, .b = b, .c = c};
    return insn;
}

int32_t in_alloc(struct in_lower *l, uint64_t size, uint64_t align)
{
    align = align < 8 ? 8 : align > IN_FRAME_MAX_ALIGN ? IN_FRAME_MAX_ALIGN : align;
    size = size == 0 ? 8 : size;
    uint64_t at = ((uint64_t)l->top + align - 1) / align * align;
    if (at + size > 1u << 28) {
        if (l->result == MM_OK)
            l->result =
                mm_fail(l->err, MM_LIMIT, "private memory", "a work-item needs more than %u bytes", 1u << 28);
        return l->top;
    }
    l->top = (int32_t)(at + size);
    if (align > l->code->frame.align)
        l->code->frame.align = (uint32_t)align;
    return (int32_t)at;
}

int32_t in_const_alloc(struct in_lower *l, const void *bytes, uint64_t size)
{
    struct in_code *code = l->code;
    const uint64_t align = size > 8 ? 16 : 8;
    uint64_t all = (code->constants.size + size + align - 1) / align * align;
    if (all > 1u << 28) {
        in_lower_no_memory(l);
        return 0;
    }
    uint8_t *area = mm_alloc_zero(1, all + 8);
    if (!area) {
        in_lower_no_memory(l);
        return 0;
    }
    if (code->constants.size > 0)
        memcpy(area + all - code->constants.size, code->constants.bytes, code->constants.size);
    if (bytes)
        memcpy(area, bytes, size);
    mm_free(code->constants.bytes);
    code->constants.bytes = area;
    code->constants.size = (uint32_t)all;
    return -(int32_t)code->constants.size;
}

static void add_reloc(struct in_lower *l, int32_t slot, uint32_t variable, int64_t addend, bool fat)
{
    struct in_code *code = l->code;
    struct in_const_reloc reloc = {slot, variable, addend, fat};
    if (!mm_append(&code->constants.relocs, &code->constants.reloc_count, &reloc)) {
        in_lower_no_memory(l);
        return;
    }
    if (l->m->globals[variable].storage != SpvStorageClassWorkgroup)
        return;
    for (uint32_t i = 0; i < code->locals.count; i++)
        if (code->locals.list[i] == variable)
            return;
    if (!mm_append(&code->locals.list, &code->locals.count, &variable))
        in_lower_no_memory(l);
}

static int32_t constant_slot(struct in_lower *l, const struct in_id *id)
{
    struct in_fat null = {0, &in_unknown};
    bool pointer = id->ty->kind == IN_TY_POINTER;
    if (pointer && id->bytes)
        memcpy(&null.address, id->bytes, 8);
    int32_t slot = in_const_alloc(l, pointer ? (const void *)&null : id->bytes, id->ty->reg_size);
    for (const struct in_reloc *r = id->relocs; r; r = r->next)
        add_reloc(l, slot + (int32_t)r->offset, r->variable, r->addend, pointer);
    return slot;
}

/* The slot with the address of a module-scope variable. */
static int32_t global_slot(struct in_lower *l, const struct in_id *id)
{
    struct in_fat null = {0, &in_unknown};
    if (in_is_built_in(l, l->m->globals[id->index].id))
        return in_built_in_pointer(l, l->m->globals[id->index].id);
    int32_t slot = in_const_alloc(l, &null, sizeof null);
    add_reloc(l, slot, id->index, 0, true);
    return slot;
}

int32_t in_slot(struct in_lower *l, uint32_t id)
{
    if (id >= l->m->bound || !l->m->ids[id].ty) {
        if (l->result == MM_OK)
            l->result = in_bad(l->m, l->inst->word, l->err, "SPIRV 2.16.1",
                               "operand %%%u of %s is not a value", id, in_opcode_name(l->inst->opcode));
        return 0;
    }
    const struct in_id *entry = &l->m->ids[id];
    if (l->slot[id] != IN_NO_SLOT)
        return l->slot[id];
    if (entry->kind == IN_ID_CONSTANT)
        l->slot[id] = constant_slot(l, entry);
    else if (entry->kind == IN_ID_GLOBAL)
        l->slot[id] = global_slot(l, entry);
    else
        l->slot[id] = in_alloc(l, entry->ty->reg_size, entry->ty->align);
    return l->slot[id];
}

int32_t in_dest(struct in_lower *l, const struct in_inst *i)
{
    return in_slot(l, i->result);
}

void in_copy(struct in_lower *l, int32_t to, int32_t from, uint64_t size)
{
    if (to == from || size == 0)
        return;
    static const enum in_op ops[] = {
        [1] = IN_MOV_1, [2] = IN_MOV_2, [4] = IN_MOV_4, [8] = IN_MOV_8, [16] = IN_MOV_16};
    if (size <= 16 && (size & (size - 1)) == 0)
        in_emit(l, ops[size], to, from, 0, 0);
    else
        in_emit(l, IN_MOV_N, to, from, 0, 0)->imm = size;
}

void in_alias(struct in_lower *l, const struct in_inst *i, int32_t slot)
{
    if (l->slot[i->result] == IN_NO_SLOT)
        l->slot[i->result] = slot;
    else
        in_copy(l, l->slot[i->result], slot, in_ty_of(l, i->result)->reg_size);
}

void in_fixup(struct in_lower *l, uint32_t insn, bool is_d, uint32_t label)
{
    struct in_fixup fixup = {insn, label, is_d};
    if (!mm_append(&l->fixups, &l->fixup_count, &fixup))
        in_lower_no_memory(l);
}

static const struct in_ty void_type = {.kind = IN_TY_VOID, .align = 1};
const struct in_ty *in_ty_of(const struct in_lower *l, uint32_t id)
{
    return id < l->m->bound && l->m->ids[id].ty ? l->m->ids[id].ty : &void_type;
}

enum mm_class in_unsupported(struct in_lower *l, const char *what)
{
    in_emit(l, IN_UNSUPPORTED, 0, 0, 0, 0)->p = what;
    return MM_OK;
}

struct in_call *in_make_call(struct in_lower *l, const struct in_inst *i)
{
    uint32_t room = i->operand_count + 1;
    struct in_call *call = mm_arena_alloc(l->code->arena, sizeof *call);
    if (call) {
        call->operand = mm_arena_alloc(l->code->arena, room * sizeof *call->operand);
        call->types = mm_arena_alloc(l->code->arena, room * sizeof *call->types);
    }
    if (!call || !call->operand || !call->types) {
        in_lower_no_memory(l);
        return NULL;
    }
    call->opcode = i->opcode;
    call->ty = in_ty_of(l, i->result);
    return call;
}
