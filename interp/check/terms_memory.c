/* Symbolic values in memory, and of calls into C [CLC 6.7, 6.15.12].  Private memory in a work-item's block
 * keeps the terms of stored bytes; a read of other memory yields a fresh term. */
#include "interp/check/terms.h"
#include "interp/ext/ext.h"
#include "interp/lower/lower.h"
#include <string.h>

static const struct in_fat *fat_of(const struct in_terms_at *x, int32_t slot)
{
    return (const struct in_fat *)(const void *)(x->item->frame + slot);
}

/* The slot of SIZE bytes at ADDRESS in the work-item's block; -1: they are elsewhere. */
static int32_t own_slot(const struct in_terms_at *x, uint64_t address, uint64_t size)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)x->item->frame, most = x->run->code->frame.size;
    return offset < most && most - offset >= size ? (int32_t)offset : -1;
}

static uint64_t address_of(const struct in_terms_at *x, enum in_terms_address how)
{
    uint64_t base = fat_of(x, x->pc->a)->address + (uint64_t)((int64_t)x->pc->imm >> 32), wide;
    int32_t narrow;
    in_terms_keep(x, x->pc->a, 8);
    if (how == IN_TERMS_PLAIN)
        return base;
    in_terms_keep(x, x->pc->b, how == IN_TERMS_INDEX ? 8 : 4);
    memcpy(&wide, x->item->frame + x->pc->b, sizeof wide);
    memcpy(&narrow, x->item->frame + x->pc->b, sizeof narrow);
    return base + (how == IN_TERMS_INDEX ? wide : (uint64_t)narrow) * (uint32_t)x->pc->imm;
}

/* True if accesses through P become events. */
static bool is_seen(const struct in_terms_at *x, const struct in_fat *p, uint64_t address)
{
    const struct in_object *o = p->object == &in_unknown ? in_find(x->run, x->item, address) : p->object;
    return o && o->region != MM_PRIVATE;
}

/* Notes the old contents of the SIZE bytes that the current access writes without reading them. */
static void look_before(const struct in_terms_at *x, const struct in_fat *p, uint64_t address, uint64_t size)
{
    const struct in_object *o = p->object == &in_unknown ? in_find(x->run, x->item, address) : p->object;
    x->t->size = (uint8_t)size;
    if (!o || address - o->address >= o->size || o->size - (address - o->address) < size)
        return;
    x->t->stores = true;
    x->t->before = 0;
    memcpy(&x->t->before, (const void *)(uintptr_t)address, size);
}

void in_terms_load(const struct in_terms_at *x, enum in_terms_address how, uint64_t size, bool pointer)
{
    uint64_t address = address_of(x, how);
    int32_t d = x->pc->d, own = own_slot(x, address, size);
    uint64_t wide = pointer ? sizeof(struct in_fat) : size;
    if (own >= 0) {
        in_terms_move(x, d, own, size);
        in_terms_set(x, d + (int32_t)size, wide - size, 0);
        return;
    }
    in_terms_set(x, d, wide, 0);
    if (in_terms_is_size(size) && is_seen(x, fat_of(x, x->pc->a), address))
        in_terms_set(x, d, size, in_terms_read(x, (uint32_t)size, false));
}

void in_terms_store(const struct in_terms_at *x, enum in_terms_address how, uint64_t size)
{
    uint64_t address = address_of(x, how);
    int32_t own = own_slot(x, address, size);
    if (own >= 0) {
        in_terms_move(x, own, x->pc->d, size);
    } else if (in_terms_is_size(size)) {
        x->t->written = in_terms_operand(x, x->pc->d, (uint32_t)size).term;
        look_before(x, fat_of(x, x->pc->a), address, size);
    } else {
        in_terms_keep(x, x->pc->d, size);
    }
}

void in_terms_copy(const struct in_terms_at *x)
{
    uint64_t size = x->pc->imm;
    in_terms_keep(x, x->pc->a, 8);
    in_terms_keep(x, x->pc->b, 8);
    if (x->pc->d != 0) {
        in_terms_keep(x, x->pc->d, x->pc->imm);
        size = 0;
        memcpy(&size, x->item->frame + x->pc->d, x->pc->imm);
    }
    int32_t to = own_slot(x, fat_of(x, x->pc->a)->address, size),
            from = own_slot(x, fat_of(x, x->pc->b)->address, size);
    if (from >= 0 && to >= 0)
        in_terms_move(x, to, from, size);
    else if (to >= 0)
        in_terms_set(x, to, size, 0);
    else if (from >= 0)
        in_terms_keep(x, from, size);
}

/* ---- atomic operations ------------------------------------------------------------------------- */

static enum mm_update update_of(uint32_t opcode)
{
    static const uint16_t table[][2] = {{SpvOpAtomicExchange, MM_UPDATE_EXCHANGE},
                                        {SpvOpAtomicFlagTestAndSet, MM_UPDATE_EXCHANGE},
                                        {SpvOpAtomicCompareExchange, MM_UPDATE_COMPARE},
                                        {SpvOpAtomicCompareExchangeWeak, MM_UPDATE_COMPARE},
                                        {SpvOpAtomicIIncrement, MM_UPDATE_ADD},
                                        {SpvOpAtomicIDecrement, MM_UPDATE_SUB},
                                        {SpvOpAtomicIAdd, MM_UPDATE_ADD},
                                        {SpvOpAtomicISub, MM_UPDATE_SUB},
                                        {SpvOpAtomicSMin, MM_UPDATE_SMIN},
                                        {SpvOpAtomicUMin, MM_UPDATE_UMIN},
                                        {SpvOpAtomicSMax, MM_UPDATE_SMAX},
                                        {SpvOpAtomicUMax, MM_UPDATE_UMAX},
                                        {SpvOpAtomicAnd, MM_UPDATE_AND},
                                        {SpvOpAtomicOr, MM_UPDATE_OR},
                                        {SpvOpAtomicXor, MM_UPDATE_XOR}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k][0] == opcode)
            return (enum mm_update)table[k][1];
    return MM_UPDATE_COUNT;
}

/* Notes the written value, or the operand of the update. */
static void will_write(const struct in_terms_at *x, const struct in_atomic *a)
{
    struct in_operand value = {0, 1}, compared = {0, 0}; /* increments, decrements and flags */
    if (a->value != 0)
        value = in_terms_operand(x, a->value, a->size);
    else if (a->opcode == SpvOpAtomicFlagClear)
        value.value = 0;
    if (a->comparator != 0)
        compared = in_terms_operand(x, a->comparator, a->size);
    x->t->size = (uint8_t)a->size;
    x->t->written = value.term;
    x->t->value = value.value;
    x->t->compared = compared.term;
    x->t->compared_value = compared.value;
    x->t->update = (uint8_t)update_of(a->opcode);
}

void in_terms_atomic(const struct in_terms_at *x)
{
    const struct in_atomic *a = x->pc->p;
    const struct in_fat *p = fat_of(x, a->pointer);
    bool load = a->opcode == SpvOpAtomicLoad, flag = a->opcode == SpvOpAtomicFlagTestAndSet;
    bool known = load || in_atomic_stores(a) || update_of(a->opcode) != MM_UPDATE_COUNT;
    int32_t own = own_slot(x, p->address, a->size);
    uint32_t result = 0;
    in_terms_keep(x, a->pointer, 8);
    in_terms_keep(x, a->scope, 4);
    in_terms_keep(x, a->order, 4);
    in_terms_keep(x, a->order2, 4);
    if (own >= 0 || !known || !is_seen(x, p, p->address)) {
        in_terms_keep(x, a->value, a->value != 0 ? a->size : 0);
        in_terms_keep(x, a->comparator, a->comparator != 0 ? a->size : 0);
        in_terms_keep(x, own, own >= 0 ? a->size : 0);
    } else {
        if (!load)
            will_write(x, a);
        if (in_atomic_stores(a))
            look_before(x, p, p->address, a->size);
        else
            result = in_terms_read(x, a->size, flag);
    }
    if (a->result != 0)
        in_terms_set(x, a->result, flag ? 1 : a->size, result);
}

/* ---- calls into C, and waits ------------------------------------------------------------------- */

/* Concretizes the part of the block from the pointer to the end of its object, which a call may read and
 * write. */
static void keep_object(const struct in_terms_at *x, int32_t slot)
{
    const struct in_fat *p = fat_of(x, slot);
    int32_t own = own_slot(x, p->address, 1);
    in_terms_keep(x, slot, 8);
    if (own < 0)
        return;
    const struct in_object *o = p->object == &in_unknown ? in_find(x->run, x->item, p->address) : p->object;
    uint64_t left = x->run->code->frame.size - (uint64_t)own;
    uint64_t inside = o ? o->size - (p->address - o->address) : left;
    in_terms_keep(x, own, inside < left ? inside : left);
}

static uint64_t bytes_of(const struct in_ty *ty)
{
    return ty->kind == IN_TY_POINTER ? 8 : ty->reg_size;
}

/* Whether the call has no effect other than its result, which depends on the operands only. */
static bool is_pure(const struct in_call *c)
{
    const struct in_ext_fn *fn = c->opcode == SpvOpExtInst ? c->info : NULL;
    if (fn)
        return fn->shape == IN_EXT_ELEMENTWISE || fn->shape == IN_EXT_GEOMETRIC ||
               fn->shape == IN_EXT_SHUFFLE;
    return (c->opcode >= SpvOpIAddCarry && c->opcode <= SpvOpSMulExtended) ||
           (c->opcode >= SpvOpBitFieldInsert && c->opcode <= SpvOpBitFieldUExtract) ||
           (c->opcode >= SpvOpSDot && c->opcode <= SpvOpSUDotAccSat) || c->opcode == SpvOpQuantizeToF16;
}

void in_terms_call(const struct in_terms_at *x)
{
    const struct in_call *c = x->pc->p;
    bool prints = c->fn == in_printf_call, pure = !prints && is_pure(c);
    uint32_t term = 0;
    for (uint32_t k = 0; k < c->operand_count; k++)
        pure &= c->types[k]->kind != IN_TY_POINTER;
    for (uint32_t k = 0; k < c->operand_count && !prints; k++) {
        if (pure)
            term = in_terms_gather(x, c->operand[k], bytes_of(c->types[k]), term);
        else if (c->types[k]->kind == IN_TY_POINTER)
            keep_object(x, c->operand[k]);
        else
            in_terms_keep(x, c->operand[k], bytes_of(c->types[k]));
    }
    if (c->result == 0 || !c->ty || c->ty->kind == IN_TY_VOID)
        return;
    in_terms_set(x, c->result, c->ty->reg_size, 0);
    const struct in_ty *s = in_scalar(c->ty);
    for (uint64_t k = 0; term != 0 && k < c->ty->reg_size; k += in_terms_is_size(s->size) ? s->size : 1) {
        uint32_t size = in_terms_is_size(s->size) ? (uint32_t)s->size : 1;
        struct in_operand o = {term, 0}, none = {0, 0};
        in_terms_set(x, c->result + (int32_t)k, size, in_terms_make(x, MM_TERM_OPAQUE, size, o, none, none));
    }
}

void in_terms_wait(const struct in_terms_at *x)
{
    const struct in_wait *w = x->pc->p;
    const struct in_ty *types[] = {w->ty, w->from, w->last, w->size_ty};
    uint64_t most = sizeof(struct in_fat);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k] && types[k]->reg_size > most)
            most = types[k]->reg_size;
    const int32_t slots[] = {w->scope, w->memory_scope, w->semantics};
    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)
        in_terms_keep(x, slots[k], slots[k] != 0 ? 4 : 0);
    for (uint32_t k = 0; k < w->operand_count; k++)
        in_terms_keep(x, w->operand[k], most);
    if (w->result != 0 && w->ty && w->ty->kind != IN_TY_VOID)
        in_terms_set(x, w->result, w->ty->reg_size, 0);
}
