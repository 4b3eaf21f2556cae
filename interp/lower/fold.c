/* OpSpecConstantOp: constant folding by executing the instruction on constants. [SPIRV 3.49.7] */
#include "interp/lower/lower.h"
#include <string.h>

/* Lowers OPCODE over constant operands into CODE, runs it with the fast engine and copies the result. */
static enum mm_class evaluate_constant(struct in_lower *l, const struct in_inst *i, uint8_t *to,
                                       uint64_t size)
{
    struct in_code *code = l->code;
    uint32_t below = (code->constants.size + 15) / 16 * 16, room = below + (uint32_t)l->top + 1024;
    uint8_t *memory = mm_alloc_zero(1, room);
    struct in_insn const *insns = in_thread(code, IN_FAST);
    struct in_source place = {"", "", "", 0, 0};
    if (!memory || !insns || l->result != MM_OK) {
        mm_free(memory);
        return l->result != MM_OK ? l->result : in_lower_no_memory(l);
    }
    (void)place;
    memcpy(memory + below - code->constants.size, code->constants.bytes, code->constants.size);
    struct in_instance instance = {.module = l->m};
    struct in_run run = {
        .instance = &instance, .module = l->m, .code = code, .insns = insns, .budget = INT64_MAX};
    struct in_item item = {.pc = insns, .frame = memory + below};
    enum in_stop stop = in_engine_fast(&run, &item, NULL);
    if (stop == IN_STOP_DONE && run.outcome.findings == 0)
        memcpy(to, item.frame + l->slot[i->result], size);
    mm_free(memory);
    return stop == IN_STOP_DONE && run.outcome.findings == 0
               ? MM_OK
               : in_bad(l->m, i->word, l->err, "SPIRV 3.49.7", "OpSpecConstantOp %s cannot be evaluated",
                        in_opcode_name(i->opcode));
}

/* Addresses of variables are known only when a launch begins: they remain relocations. */
static enum mm_class fold_address(struct in_lower *l, const struct in_inst *i, struct in_id *id)
{
    struct in_module *m = l->m;
    const struct in_id *base = &m->ids[i->operands[0]];
    struct in_chain chain = {.simple = true};
    if (in_is_chain(i->opcode) && (!in_chain_shape(l, i, &chain) || chain.index != 0))
        return in_bad(m, i->word, l->err, "SPIRV 3.49.7", "address with an index that is not a constant");
    struct in_reloc *r = mm_arena_alloc(m->arena, sizeof *r);
    if (!r)
        return in_lower_no_memory(l);
    if (base->kind == IN_ID_GLOBAL)
        *r = (struct in_reloc){.variable = base->index, .fat = true};
    else if (base->relocs)
        *r = *base->relocs;
    else { /* null or an integer */
        uint64_t address;
        memcpy(&address, base->bytes, 8);
        address += (uint64_t)chain.offset;
        memcpy((void *)(uintptr_t)id->bytes, &address, 8);
        return MM_OK;
    }
    r->next = NULL;
    r->addend += chain.offset;
    id->relocs = r;
    return MM_OK;
}

/* Whether the constant contains the address of a variable. */
static bool has_address(const struct in_id *id)
{
    return id->kind == IN_ID_GLOBAL || (id->kind == IN_ID_CONSTANT && id->relocs);
}

/* Whether the result is a pointer, or an integer that is the address of a variable. */
static bool is_address(const struct in_id *id, const struct in_inst *i, const struct in_id *first)
{
    if (id->ty->kind == IN_TY_POINTER)
        return (first->kind == IN_ID_GLOBAL || first->kind == IN_ID_CONSTANT) && i->opcode != SpvOpSelect;
    return i->opcode == SpvOpConvertPtrToU && id->ty->size == 8 && has_address(first);
}

enum mm_class in_fold(struct in_module *module, const struct in_inst *inst, struct mm_error *err)
{
    struct in_inst i = *inst;
    uint32_t n = module->bound + 1;
    if (inst->operand_count < 2)
        return in_bad(module, inst->word, err, "SPIRV 3.49.7", "OpSpecConstantOp without operands");
    i.opcode = inst->operands[0];
    i.operands = inst->operands + 1;
    i.operand_count = inst->operand_count - 1;
    struct in_id *id = &module->ids[inst->result];
    struct in_lower l = {.m = module, .err = err, .inst = &i};
    in_lower_fn lower = in_lower_entry(i.opcode);
    if (!lower)
        return in_bad(module, inst->word, err, "SPIRV 3.49.7", "OpSpecConstantOp of opcode %u", i.opcode);
    for (uint32_t k = 0; k < i.operand_count; k++)
        if (module->is_id[i.operands + k - module->words] && i.operands[k] >= module->bound)
            return in_bad(module, inst->word, err, "SPIRV 2.16.1",
                          "operand %u of OpSpecConstantOp is not a value", i.operands[k]);
    const struct in_id *first = &module->ids[i.operands[0]];
    if (is_address(id, &i, first))
        return fold_address(&l, &i, id);
    for (uint32_t k = 0; k < i.operand_count; k++)
        if (module->is_id[i.operands + k - module->words] && has_address(&module->ids[i.operands[k]]))
            return in_bad(module, inst->word, err, "SPIRV 3.49.7", "OpSpecConstantOp %s of an address",
                          in_opcode_name(i.opcode));
    l.slot = mm_alloc(n * sizeof *l.slot);
    l.use = mm_alloc_zero(n, sizeof *l.use);
    l.code = mm_alloc_zero(1, sizeof *l.code);
    enum mm_class result = MM_LIMIT;
    if (l.slot && l.use && l.code && (l.code->arena = mm_arena_create())) {
        for (uint32_t k = 0; k < n; k++)
            l.slot[k] = IN_NO_SLOT;
        l.top = IN_FRAME_FIRST;
        id->kind = IN_ID_VALUE;
        result = lower(&l, &i);
        in_emit(&l, IN_HALT, 0, 0, 0, 0);
        if (result == MM_OK)
            result = evaluate_constant(&l, &i, (uint8_t *)(uintptr_t)id->bytes, id->ty->reg_size);
        id->kind = IN_ID_CONSTANT;
    } else {
        in_lower_no_memory(&l);
    }
    in_code_destroy(l.code);
    mm_free(l.slot);
    mm_free(l.use);
    return result;
}
