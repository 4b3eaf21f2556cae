/* Function variables that are promoted to slots: those that are only loaded and stored as a whole. */
#include "interp/lower/lower.h"

uint32_t in_register_variable(const struct in_lower *l, uint32_t pointer)
{
    if (pointer >= l->m->bound || l->m->ids[pointer].kind != IN_ID_VALUE)
        return 0;
    uint32_t variable = l->use[pointer].view_of != 0 ? l->use[pointer].view_of : pointer;
    return l->use[variable].variable && !l->use[variable].escapes ? variable : 0;
}

static bool is_numeric(const struct in_ty *ty)
{
    const struct in_ty *scalar = ty->kind == IN_TY_VECTOR ? ty->element : ty;
    return scalar->kind == IN_TY_INT || scalar->kind == IN_TY_FLOAT;
}

/* The function variable that the bitcast I sees as numbers of another type in the same bytes, 0: none.
 * Compilers access vectors of 3 as vectors of 4, which have the same size. */
static uint32_t viewed_variable(const struct in_lower *l, const struct in_inst *i)
{
    if (i->opcode != SpvOpBitcast || i->operands[0] >= l->m->bound ||
        l->m->ids[i->operands[0]].kind != IN_ID_VALUE || !l->use[i->operands[0]].variable)
        return 0;
    const struct in_ty *from = in_ty_of(l, i->operands[0])->element, *to = in_ty_of(l, i->result)->element;
    bool same = in_ty_of(l, i->result)->kind == IN_TY_POINTER && from && to && is_numeric(from) &&
                is_numeric(to) && from->size == to->size;
    return same ? i->operands[0] : 0;
}

/* Whether I only accesses the variable that operand K points to, or sees it as another type. */
static bool keeps_in_slot(const struct in_lower *l, const struct in_inst *i, uint32_t k)
{
    bool access = i->opcode == SpvOpLoad || i->opcode == SpvOpStore || i->opcode == SpvOpLifetimeStart ||
                  i->opcode == SpvOpLifetimeStop;
    return k == 0 && (access || (i->result != 0 && l->use[i->result].view_of != 0));
}

void in_find_variables(struct in_lower *l)
{
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        if (i->result != 0) {
            l->use[i->result].variable = i->opcode == SpvOpVariable;
            l->use[i->result].view_of = viewed_variable(l, i);
        }
    }
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        for (uint32_t k = 0; k < i->operand_count; k++) {
            uint32_t id = i->operands[k];
            if (!l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k] || id >= l->m->bound ||
                keeps_in_slot(l, i, k))
                continue;
            l->use[id].escapes = true;
            if (l->use[id].view_of != 0)
                l->use[l->use[id].view_of].escapes = true;
        }
    }
}

/* ---- variables with one value ---------------------------------------------------------------------- */

/* Whether VALUE, stored in BLOCK at position STORE, has a slot that nothing but its definition writes. */
static bool keeps_slot(const struct in_lower *l, uint32_t value, uint32_t store, uint32_t block)
{
    if (value >= l->m->bound)
        return false;
    if (l->m->ids[value].kind == IN_ID_CONSTANT)
        return true;
    const struct in_use *use = &l->use[value];
    if (l->m->ids[value].kind != IN_ID_VALUE || use->position >= store || use->deferred)
        return false;
    uint32_t op = l->insts[use->position].opcode;
    return op == SpvOpFunctionParameter ||
           (use->block == block && op != SpvOpPhi && op != SpvOpVariable && op != SpvOpLabel);
}

/* The variable that I accesses, 0: none. */
static uint32_t accessed_variable(const struct in_lower *l, const struct in_inst *i)
{
    return i->opcode == SpvOpLoad || i->opcode == SpvOpStore ? in_register_variable(l, i->operands[0]) : 0;
}

/* Finds the first access to each variable, whether it is the only store, and whether all are in its block. */
static void survey_accesses(struct in_lower *l)
{
    uint32_t block = 0;
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        uint32_t variable = accessed_variable(l, i);
        struct in_use *use = &l->use[variable];
        if (i->opcode == SpvOpLabel)
            block = i->result;
        if (variable == 0)
            continue;
        if (use->first == 0) {
            use->first = p;
            use->first_block = block;
        }
        use->stored_later |= use->first != p && i->opcode == SpvOpStore;
        use->spread |= use->first_block != block;
    }
}

/* The definition of the value writes the slot that the variable shares.  A first access in the entry block,
 * or in the block of all others, comes before each of them. */
static void rename_variable(struct in_lower *l, uint32_t store, uint32_t block, bool is_entry)
{
    uint32_t variable = accessed_variable(l, &l->insts[store]), value = l->insts[store].operands[1];
    struct in_use *use = &l->use[variable];
    bool has_initializer = l->insts[use->position].operand_count > 1;
    if (variable == 0 || use->first != store || use->stored_later || (use->spread && !is_entry) ||
        has_initializer || !keeps_slot(l, value, store, block))
        return;
    l->slot[variable] = in_slot(l, value);
    use->renamed = true;
}

void in_rename_variables(struct in_lower *l)
{
    uint32_t block = 0, blocks = 0;
    survey_accesses(l);
    for (uint32_t p = 0; p < l->inst_count; p++) {
        const struct in_inst *i = &l->insts[p];
        if (i->opcode == SpvOpLabel) {
            block = i->result;
            blocks++;
        } else if (i->opcode == SpvOpStore) {
            rename_variable(l, p, block, blocks == 1);
        }
    }
}
