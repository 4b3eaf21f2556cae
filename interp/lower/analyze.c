/* Analysis before lowering a function: loads that read variables in place, values that are computed in
 * place, and address computations and comparisons that are fused into their only user. */
#include "interp/lower/lower.h"
#include <string.h>

void in_def(const struct in_lower *l, uint32_t id, struct in_inst *inst)
{
    in_inst_at(l->m, l->m->ids[id].word, inst);
}

static bool is_fused_compare(uint32_t op)
{
    return op == SpvOpIEqual || op == SpvOpINotEqual ||
           (op >= SpvOpUGreaterThan && op <= SpvOpSLessThanEqual);
}

/* Decomposes an access chain into base + index * scale + offset, if it has that form. */
bool in_chain_shape(const struct in_lower *l, const struct in_inst *i, struct in_chain *chain)
{
    const struct in_ty *base = in_ty_of(l, i->operands[0]);
    bool element = i->opcode == SpvOpPtrAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain;
    const struct in_ty *ty = base->element;
    *chain = (struct in_chain){.base = i->operands[0], .simple = true};
    for (uint32_t k = 1; k < i->operand_count && ty; k++) {
        uint32_t id = i->operands[k];
        const struct in_ty *it = in_ty_of(l, id);
        uint64_t value;
        bool constant = l->m->ids[id].kind == IN_ID_CONSTANT && in_constant_u64(l->m, id, &value);
        int64_t scale = 0;
        if (constant && it->size < 8)
            value = (uint64_t)((int64_t)(value << (64 - 8 * it->size)) >> (64 - 8 * it->size));
        if (element && k == 1) {
            scale = (int64_t)(base->stride != 0 ? base->stride : ty->size);
        } else if (ty->kind == IN_TY_STRUCT) {
            if (!constant || value >= ty->count)
                return false;
            chain->offset += (int64_t)ty->offsets[value];
            ty = ty->members[value];
            continue;
        } else {
            scale = (int64_t)ty->stride;
            ty = ty->element;
            if (!ty)
                return false;
        }
        if (constant) {
            chain->offset += (int64_t)value * scale;
        } else if (chain->index != 0 || it->size < 4) {
            chain->simple = false;
        } else {
            chain->index = id;
            chain->scale = scale;
            chain->narrow = it->size == 4;
        }
    }
    chain->simple &= chain->scale <= UINT32_MAX && chain->offset == (int32_t)chain->offset;
    return ty != NULL;
}

/* Whether I is a shuffle to the first elements of its first operand, as in v.xyz. */
bool in_is_prefix(const struct in_lower *l, const struct in_inst *i)
{
    if (i->opcode != SpvOpVectorShuffle)
        return false;
    uint32_t count = i->operand_count - 2, same = 0;
    while (same < count && i->operands[same + 2] == same)
        same++;
    return same == count && count <= in_ty_of(l, i->operands[0])->count;
}

/* Instructions whose result shares the operand's slot. */
static bool is_alias(const struct in_lower *l, const struct in_inst *i)
{
    const uint32_t op = i->opcode;
    return in_is_prefix(l, i) || op == SpvOpBitcast || op == SpvOpCopyObject || op == SpvOpCompositeExtract ||
           op == SpvOpPtrCastToGeneric || op == SpvOpGenericCastToPtr || op == SpvOpConvertPtrToU ||
           op == SpvOpCopyLogical || in_is_chain(op) || op == SpvOpExpectKHR;
}

static void count_uses(struct in_lower *l, const struct in_inst *i, uint32_t block)
{
    for (uint32_t k = 0; k < i->operand_count; k++) {
        uint32_t at = i->word + (uint32_t)(i->operands - i->w) + k, id = i->operands[k];
        if (!l->m->is_id[at] || id >= l->m->bound)
            continue;
        struct in_use *u = &l->use[id];
        u->uses++;
        if (i->opcode == SpvOpPhi || u->block != block)
            u->far = true;
    }
}

static void first_pass(struct in_lower *l)
{
    uint32_t block = 0;
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        if (i->opcode == SpvOpLabel)
            block = i->result;
        if (i->result != 0) {
            struct in_use *u = &l->use[i->result];
            u->position = u->effective = p;
            u->block = block;
        }
    }
    block = 0;
    for (uint32_t p = 0; p < l->inst_count; p++) {
        if (l->insts[p].opcode == SpvOpLabel)
            block = l->insts[p].result;
        count_uses(l, &l->insts[p], block);
    }
}

static bool fits_operation(const struct in_ty *ty)
{
    uint64_t n = ty->access;
    return ty->kind == IN_TY_POINTER || (n <= 16 && (n & (n - 1)) == 0 && n > 0);
}

/* Whether ID is defined in this block and used once, by USER. */
static bool is_sole_use(const struct in_lower *l, uint32_t id, uint32_t user)
{
    const struct in_use *u = &l->use[id];
    return l->m->ids[id].kind == IN_ID_VALUE && u->uses == 1 && !u->far && u->position < user &&
           l->insts[u->position].result == id;
}

static void defer_value(struct in_lower *l, uint32_t id, uint32_t to)
{
    l->use[id].deferred = true;
    l->use[id].effective = to;
}

static void defer_operands(struct in_lower *l, const struct in_inst *i, uint32_t p, uint32_t effective)
{
    struct in_chain chain;
    if ((i->opcode == SpvOpLoad || i->opcode == SpvOpStore) && is_sole_use(l, i->operands[0], p)) {
        const struct in_inst *def = &l->insts[l->use[i->operands[0]].position];
        const struct in_ty *pointer = in_ty_of(l, i->operands[0]);
        if (in_is_chain(def->opcode) && pointer->element && fits_operation(pointer->element) &&
            in_chain_shape(l, def, &chain) && chain.simple)
            defer_value(l, i->operands[0], p);
    } else if (i->opcode == SpvOpBranchConditional && is_sole_use(l, i->operands[0], p)) {
        const struct in_inst *def = &l->insts[l->use[i->operands[0]].position];
        const struct in_ty *ty = in_ty_of(l, def->operand_count > 0 ? def->operands[0] : 0);
        if (is_fused_compare(def->opcode) && ty->kind == IN_TY_INT && ty->width >= 32)
            defer_value(l, i->operands[0], p);
    } else if (in_is_chain(i->opcode) && in_chain_shape(l, i, &chain) && chain.simple && chain.index != 0 &&
               !chain.narrow && is_sole_use(l, chain.index, p)) {
        const struct in_inst *def = &l->insts[l->use[chain.index].position];
        if (def->opcode == SpvOpSConvert && in_ty_of(l, def->operands[0])->kind == IN_TY_INT &&
            in_ty_of(l, def->operands[0])->width == 32)
            defer_value(l, chain.index, effective);
    }
}

static void second_pass(struct in_lower *l)
{
    for (uint32_t p = l->inst_count; p-- > 0;) {
        const struct in_inst *i = &l->insts[p];
        uint32_t at = p;
        if (i->result != 0 && i->opcode != SpvOpLabel)
            at = l->use[i->result].effective;
        defer_operands(l, i, p, at);
        bool far = false;
        if (i->result != 0 && is_alias(l, i)) {
            far = l->use[i->result].far;
            if (l->use[i->result].last > at)
                at = l->use[i->result].last;
        }
        for (uint32_t k = 0; k < i->operand_count; k++) {
            if (!l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k] || i->operands[k] >= l->m->bound)
                continue;
            struct in_use *u = &l->use[i->operands[k]];
            u->last = at > u->last ? at : u->last;
            u->far |= far;
        }
    }
}

static bool stores_to(const struct in_lower *l, const struct in_inst *i, uint32_t variable)
{
    return i->opcode == SpvOpStore && in_register_variable(l, i->operands[0]) == variable;
}

static bool loads_from(const struct in_lower *l, const struct in_inst *i, uint32_t variable)
{
    return i->opcode == SpvOpLoad && in_register_variable(l, i->operands[0]) == variable;
}

/* A load of a register variable reads in place if the variable keeps its value until the last use. */
static void alias_loads(struct in_lower *l)
{
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        uint32_t variable = i->opcode == SpvOpLoad ? in_register_variable(l, i->operands[0]) : 0;
        if (variable == 0 || l->use[i->result].far)
            continue;
        bool kept = true;
        for (uint32_t q = p + 1; q < l->use[i->result].last && q < l->inst_count && kept; q++)
            kept = !stores_to(l, &l->insts[q], variable);
        l->use[i->result].aliased = kept;
    }
}

/* Instructions whose only effect is to write a whole scalar or pointer result after reading operands. */
static bool is_plain(uint32_t op)
{
    return (op >= SpvOpSNegate && op <= SpvOpFMod) || (op >= SpvOpShiftRightLogical && op <= SpvOpNot) ||
           (op >= SpvOpIEqual && op <= SpvOpFUnordGreaterThanEqual) || op == SpvOpSelect ||
           op == SpvOpConvertFToS || op == SpvOpConvertFToU || op == SpvOpConvertSToF ||
           op == SpvOpConvertUToF || op == SpvOpUConvert || op == SpvOpSConvert || op == SpvOpFConvert;
}

static bool may_retarget(const struct in_lower *l, uint32_t store, uint32_t *def)
{
    const struct in_inst *i = &l->insts[store];
    uint32_t variable = in_register_variable(l, i->operands[0]), value = i->operands[1];
    if (variable == 0 || l->use[variable].renamed || !is_sole_use(l, value, store) || l->use[value].deferred)
        return false;
    *def = l->use[value].position;
    uint32_t op = l->insts[*def].opcode;
    const struct in_ty *ty = in_ty_of(l, value);
    bool memory = op == SpvOpLoad && !in_register_variable(l, l->insts[*def].operands[0]) &&
                  l->m->ids[l->insts[*def].operands[0]].builtin == IN_NO_BUILTIN;
    if ((!is_plain(op) && !memory) || ty->kind == IN_TY_VECTOR || ty->kind == IN_TY_STRUCT ||
        ty->kind == IN_TY_ARRAY)
        return false;
    for (uint32_t q = *def + 1; q < store; q++)
        if (loads_from(l, &l->insts[q], variable) || stores_to(l, &l->insts[q], variable))
            return false;
    for (uint32_t q = *def; q-- > 0 && l->insts[q].opcode != SpvOpLabel;)
        if (loads_from(l, &l->insts[q], variable) && l->use[l->insts[q].result].aliased &&
            l->use[l->insts[q].result].last > *def)
            return false;
    return true;
}

/* A value whose only use is a store to a register variable is computed directly into the variable's slot. */
static void retarget_stores(struct in_lower *l)
{
    for (uint32_t p = 0; p < l->inst_count; p++) {
        uint32_t def;
        if (l->insts[p].opcode == SpvOpStore && may_retarget(l, p, &def)) {
            uint32_t variable = in_register_variable(l, l->insts[p].operands[0]);
            if (l->slot[variable] == IN_NO_SLOT) {
                const struct in_ty *ty = in_ty_of(l, variable)->element;
                l->slot[variable] = in_alloc(l, ty->reg_size, ty->align);
            }
            l->slot[l->insts[p].operands[1]] = l->slot[variable];
        }
    }
}

enum mm_class in_analyze(struct in_lower *l)
{
    first_pass(l);
    in_find_variables(l);
    second_pass(l);
    in_rename_variables(l);
    alias_loads(l);
    retarget_stores(l);
    return l->result;
}
