/* Which values that are read decide nothing, and which that are written follow from no read: what another
 * execution may change without that a work-item goes another way (checker/predict.h).
 *
 * A value decides something if a branch, an address, a call, or any operation that is not known here uses it,
 * or what is computed from it.  Variables that live in slots pass on what is stored to them, in any order. */
#include "lower.h"

/* The result is made of the operands and decides nothing by itself. */
static bool is_plain(uint32_t op)
{
    return (op >= SpvOpConvertFToU && op <= SpvOpBitcast && op != SpvOpConvertPtrToU &&
            op != SpvOpConvertUToPtr && op != SpvOpPtrCastToGeneric && op != SpvOpGenericCastToPtr &&
            op != SpvOpGenericCastToPtrExplicit) ||
           (op >= SpvOpSNegate && op <= SpvOpFMul) || (op >= SpvOpFDiv && op <= SpvOpFDiv) ||
           (op >= SpvOpAny && op <= SpvOpFUnordGreaterThanEqual) ||
           (op >= SpvOpShiftRightLogical && op <= SpvOpBitCount) ||
           (op >= SpvOpVectorExtractDynamic && op <= SpvOpCopyObject) || op == SpvOpPhi || op == SpvOpUndef;
}

/* Those that add: what they write follows from what they read and from their operand. */
static bool is_free_atomic(uint32_t op)
{
    return op == SpvOpAtomicIIncrement || op == SpvOpAtomicIDecrement || op == SpvOpAtomicIAdd ||
           op == SpvOpAtomicISub;
}

static bool is_variable_access(const struct in_lower *l, const struct in_inst *i)
{
    return (i->opcode == SpvOpLoad || i->opcode == SpvOpStore) && in_register_variable(l, i->operands[0]);
}

/* Of an instruction that accesses memory, the operand that is written; UINT32_MAX: there is none, or it is
 * not known. */
static uint32_t written(const struct in_inst *i)
{
    if (i->opcode == SpvOpStore)
        return 1;
    return i->opcode == SpvOpAtomicStore || i->opcode == SpvOpAtomicIAdd || i->opcode == SpvOpAtomicISub
               ? 3
               : UINT32_MAX;
}

/* Accesses through the pointer become events, whatever it points to. */
static bool is_recorded(const struct in_lower *l, uint32_t pointer)
{
    uint32_t storage = in_ty_of(l, pointer)->storage;
    return storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup;
}

static bool mark(bool *flag, bool set)
{
    bool changed = set && !*flag;
    *flag |= set;
    return changed;
}

/* What I tells about its operands: which of them decide something. */
static bool pass_back(struct in_lower *l, const struct in_inst *i)
{
    bool changed = false;
    if (is_variable_access(l, i)) {
        bool store = i->opcode == SpvOpStore;
        struct in_use *variable = &l->use[i->operands[0]],
                      *value = &l->use[store ? i->operands[1] : i->result];
        return store ? mark(&value->decides, variable->decides) : mark(&variable->decides, value->decides);
    }
    for (uint32_t k = 0; k < i->operand_count; k++) {
        uint32_t at = i->word + (uint32_t)(i->operands - i->w) + k, id = i->operands[k];
        if (!l->m->is_id[at] || id >= l->m->bound || (k == written(i) && is_recorded(l, i->operands[0])))
            continue;
        changed |= mark(&l->use[id].decides, !is_plain(i->opcode) || l->use[i->result].decides);
    }
    return changed;
}

/* What the operands tell about its result: whether it follows from a read. */
static bool pass_on(struct in_lower *l, const struct in_inst *i)
{
    if (is_variable_access(l, i)) {
        bool store = i->opcode == SpvOpStore;
        struct in_use *variable = &l->use[i->operands[0]],
                      *value = &l->use[store ? i->operands[1] : i->result];
        return store ? mark(&variable->follows, value->follows) : mark(&value->follows, variable->follows);
    }
    if (i->result == 0 || i->opcode == SpvOpLabel || i->opcode == SpvOpVariable || i->opcode == SpvOpFunction)
        return false;
    bool follows = !is_plain(i->opcode) && !(i->opcode == SpvOpLoad && in_is_built_in(l, i->operands[0])) &&
                   !(i->opcode == SpvOpFunctionParameter && l->frame == &l->frames[l->kernel->function]);
    for (uint32_t k = 0; k < i->operand_count && is_plain(i->opcode); k++) {
        uint32_t at = i->word + (uint32_t)(i->operands - i->w) + k, id = i->operands[k];
        follows |= l->m->is_id[at] && id < l->m->bound && l->use[id].follows;
    }
    return mark(&l->use[i->result].follows, follows);
}

void in_find_free_values(struct in_lower *l)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = l->inst_count; p-- > 0;)
            changed |= pass_back(l, &l->insts[p]);
        for (uint32_t p = 0; p < l->inst_count; p++)
            changed |= pass_on(l, &l->insts[p]);
    }
}

bool in_is_free_value(const struct in_lower *l, const struct in_inst *i)
{
    bool reads = i->opcode == SpvOpLoad || i->opcode == SpvOpAtomicLoad || is_free_atomic(i->opcode);
    uint32_t operand = written(i);
    if (is_variable_access(l, i) || (!reads && i->opcode != SpvOpStore && i->opcode != SpvOpAtomicStore))
        return false;
    return (!reads || !l->use[i->result].decides) &&
           (operand == UINT32_MAX || !l->use[i->operands[operand]].follows);
}
