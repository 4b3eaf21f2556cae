/* Uninitialized values in memory: loads and stores, copies, atomic operations, calls into C; and the valid
 * orders and scopes of atomic operations. [CLC 6.3.1, 6.7, 6.15.12] */
#include "interp/check/check_internal.h"
#include "interp/ext/ext.h"
#include "interp/lower/lower.h"

/* The shadow of the bytes at ADDRESS in P's object, which is a work-item's block, local memory, or memory
 * whose initialized bytes the environment tracks. */
static uint8_t *shadow_at(struct in_run *run, struct in_item *item, const struct in_fat *p, uint64_t address,
                          uint64_t size)
{
    uint8_t *m = in_shadow(item, address, size);
    if (m)
        return m;
    const struct in_object *o = p->object;
    if (!o || o == &in_unknown)
        o = p->address >= 4096 ? in_find(run, item, p->address) : NULL;
    if (!o || !o->unwritten)
        return NULL;
    uint64_t offset = address - o->address;
    return offset < o->size && o->size - offset >= size ? o->unwritten + offset : NULL;
}

static bool is_global(const struct at *x, const uint8_t *m)
{
    const struct in_code *code = x->run->code;
    return !m || ((m < x->item->shadow || m >= x->item->shadow + code->frame.size) &&
                  (m < x->item->group->local_shadow ||
                   m >= x->item->group->local_shadow + x->item->group->local_size));
}

static const struct in_fat *fat_of(const struct at *x, int32_t slot)
{
    return (const struct in_fat *)(const void *)(x->item->frame + slot);
}

static void report_uninitialized(const struct at *x, const char *what)
{
    in_raise(x->run, x->item, x->pc, "uninitialized", "CLC 6.3.1", "%s depends on an uninitialized value",
             what);
}

/* Reports the use of an uninitialized operand once: it counts as initialized afterwards. */
void in_check_defined(const struct at *x, int32_t slot, uint64_t size, const char *what)
{
    if (!any_byte(x->s + slot, size))
        return;
    memset(x->s + slot, 0, size);
    report_uninitialized(x, what);
}

/* ---- memory ----------------------------------------------------------------------------------- */

enum indexing { PLAIN, WIDE_INDEX, NARROW_INDEX };

static uint64_t address_of(const struct at *x, enum indexing how)
{
    const struct in_fat *p = fat_of(x, x->pc->a);
    uint64_t base = p->address + (uint64_t)((int64_t)x->pc->imm >> 32);
    if (how == PLAIN)
        return base;
    int64_t index = operand_number(x, x->pc->b, 0, how == WIDE_INDEX ? 8 : 4);
    return base + (uint64_t)index * (uint32_t)x->pc->imm;
}

static uint64_t effective_address(const struct at *x, enum indexing how)
{
    in_check_defined(x, x->pc->a, 8, "an address");
    if (how != PLAIN)
        in_check_defined(x, x->pc->b, how == WIDE_INDEX ? 8 : 4, "an address");
    return address_of(x, how);
}

static void check_load(const struct at *x, enum indexing how, uint64_t size, bool pointer)
{
    uint64_t address = effective_address(x, how);
    const uint8_t *m = shadow_at(x->run, x->item, fat_of(x, x->pc->a), address, size);
    uint8_t kept[16] = {0};
    if (m && size <= 16)
        memcpy(kept, m, size);
    if (size <= 16)
        memcpy(x->s + x->pc->d, kept, size);
    else if (m)
        memmove(x->s + x->pc->d, m, size);
    else
        memset(x->s + x->pc->d, 0, size);
    if (pointer)
        memset(x->s + x->pc->d + 8, 0, 8);
}

/* Stores to shared memory must be initialized, except for padding and the fourth element with which vectors
 * of three are stored. */
static void check_store(const struct at *x, enum indexing how, uint64_t size)
{
    uint64_t address = effective_address(x, how);
    uint8_t *m = shadow_at(x->run, x->item, fat_of(x, x->pc->a), address, size);
    if (is_global(x, m) && all_bytes(x->s + x->pc->d, size))
        in_check_defined(x, x->pc->d, size, "a value stored to memory");
    if (m)
        memmove(m, x->s + x->pc->d, size);
}

static void check_copy(const struct at *x)
{
    uint64_t size = x->pc->imm;
    const struct in_fat *to = fat_of(x, x->pc->a), *from = fat_of(x, x->pc->b);
    in_check_defined(x, x->pc->a, 8, "an address");
    in_check_defined(x, x->pc->b, 8, "an address");
    if (x->pc->d != 0) {
        size = 0;
        memcpy(&size, x->item->frame + x->pc->d, x->pc->imm);
    }
    uint8_t *t = shadow_at(x->run, x->item, to, to->address, size);
    const uint8_t *f = shadow_at(x->run, x->item, from, from->address, size);
    if (t && f)
        memmove(t, f, size);
    else if (t)
        memset(t, 0, size);
}

/* Orders and scopes that the instruction may have. [CLC 6.15.12.3, 6.15.12.4, 6.15.12.7.1 R1;
 * CLC 6.15.12.7.4 R1], [SPIRV 2.16.1] */
void in_check_order(const struct at *x, const struct in_atomic *a)
{
    uint32_t scope, order, unequal;
    memcpy(&scope, x->item->frame + a->scope, 4);
    memcpy(&order, x->item->frame + a->order, 4);
    memcpy(&unequal, x->item->frame + a->order2, 4);
    enum mm_order o = in_order_of(order), u = in_order_of(unequal);
    bool load = a->opcode == SpvOpAtomicLoad,
         store = a->opcode == SpvOpAtomicStore || a->opcode == SpvOpAtomicFlagClear;
    bool compare = a->opcode == SpvOpAtomicCompareExchange || a->opcode == SpvOpAtomicCompareExchangeWeak;
    if ((load && (o == MM_RELEASE || o == MM_ACQ_REL)) || (store && (o == MM_ACQUIRE || o == MM_ACQ_REL)) ||
        (compare && (u == MM_RELEASE || u == MM_ACQ_REL)))
        in_raise(x->run, x->item, x->pc, "invalid-order", "CLC 6.15.12", "memory order %s for %s",
                 mm_order_name(compare ? u : o),
                 load    ? "a load"
                 : store ? "a store"
                         : "a comparison that fails");
    if (in_scope_of(scope) == MM_SCOPE_NONE)
        in_raise(x->run, x->item, x->pc, "invalid-scope", "CLC 6.15.12", "memory scope %u", scope);
}

static void check_atomic(const struct at *x)
{
    const struct in_atomic *a = x->pc->p;
    const struct in_fat *p = fat_of(x, a->pointer);
    bool load = a->opcode == SpvOpAtomicLoad;
    in_check_defined(x, a->pointer, 8, "an address");
    in_check_order(x, a);
    uint8_t *m = shadow_at(x->run, x->item, p, p->address, a->size);
    bool undefined = m && any_byte(m, a->size);
    if (a->value != 0 && is_global(x, m))
        in_check_defined(x, a->value, a->size, "a value stored to memory");
    if (m && !load)
        memset(m, a->value != 0 && any_byte(x->s + a->value, a->size), a->size);
    if (a->result != 0)
        memset(x->s + a->result, undefined, a->opcode == SpvOpAtomicFlagTestAndSet ? 1 : a->size);
}

/* ---- calls into C, composites, control flow ------------------------------------------------------ */

static bool is_printf(const struct in_call *c)
{
    return c->opcode == SpvOpExtInst && c->fn == in_printf_call;
}

/* Marks everything from the pointer on as initialized: the extent of writes by a C function is not
 * tracked. */
static void mark_initialized(const struct at *x, int32_t slot)
{
    const struct in_fat *p = fat_of(x, slot);
    const struct in_object *o =
        p->object == &in_unknown || !p->object ? in_find(x->run, x->item, p->address) : p->object;
    uint64_t offset = o ? p->address - o->address : 0;
    if (!o || offset >= o->size)
        return;
    uint8_t *m = shadow_at(x->run, x->item, p, p->address, o->size - offset);
    if (m)
        memset(m, 0, o->size - offset);
}

/* vload and vstore: the shadow of the accessed memory; NULL if it has none. */
static uint8_t *vector_shadow(const struct at *x, const struct in_ext_fn *fn, const struct in_call *c,
                              uint64_t *bytes)
{
    bool load = fn->shape == IN_EXT_VLOAD;
    const struct in_ty *ty = load ? c->ty : c->types[0];
    const struct in_fat *p = fat_of(x, c->operand[load ? 1 : 2]);
    uint64_t offset = 0, each = fn->flags & IN_EXT_HALF ? 2 : in_scalar(ty)->size;
    memcpy(&offset, x->item->frame + c->operand[load ? 0 : 1], c->types[load ? 0 : 1]->size);
    *bytes = each * in_count(ty);
    return shadow_at(x->run, x->item, p, p->address + offset * in_ext_vector_stride(fn, in_count(ty)) * each,
                     *bytes);
}

static void check_vload(const struct at *x, const struct in_ext_fn *fn, const struct in_call *c)
{
    uint64_t bytes, each = in_scalar(c->ty)->size;
    in_check_defined(x, c->operand[0], c->types[0]->size, "an address");
    in_check_defined(x, c->operand[1], 8, "an address");
    const uint8_t *m = vector_shadow(x, fn, c, &bytes);
    memset(x->s + c->result, 0, c->ty->reg_size);
    for (uint64_t k = 0, n = in_count(c->ty); k < n && m; k++)
        memset(x->s + c->result + k * each, any_byte(m + k * (bytes / n), bytes / n), each);
}

static void check_vstore(const struct at *x, const struct in_ext_fn *fn, const struct in_call *c)
{
    uint64_t bytes, size = in_scalar(c->types[0])->size * in_count(c->types[0]);
    in_check_defined(x, c->operand[1], c->types[1]->size, "an address");
    in_check_defined(x, c->operand[2], 8, "an address");
    uint8_t *m = vector_shadow(x, fn, c, &bytes);
    if (is_global(x, m) && all_bytes(x->s + c->operand[0], size))
        in_check_defined(x, c->operand[0], size, "a value stored to memory");
    for (uint64_t k = 0, n = in_count(c->types[0]); k < n && m; k++)
        memset(m + k * (bytes / n), any_byte(x->s + c->operand[0] + k * (size / n), size / n), bytes / n);
}

/* The result depends on all operands; memory behind pointer operands may have been written. */
static void check_call(const struct at *x)
{
    const struct in_call *c = x->pc->p;
    const struct in_ext_fn *fn = c->opcode == SpvOpExtInst && !is_printf(c) ? c->info : NULL;
    bool undefined = false;
    if (fn && fn->shape == IN_EXT_VLOAD) {
        check_vload(x, fn, c);
        return;
    }
    if (fn && fn->shape == IN_EXT_VSTORE) {
        check_vstore(x, fn, c);
        return;
    }
    for (uint32_t k = 0; k < c->operand_count; k++) {
        const struct in_ty *ty = c->types[k];
        uint64_t size = ty->kind == IN_TY_POINTER ? 8 : ty->access;
        if (ty->kind == IN_TY_POINTER) {
            in_check_defined(x, c->operand[k], 8, "an address");
            if (!is_printf(c))
                mark_initialized(x, c->operand[k]);
        } else if (is_printf(c)) {
            in_check_defined(x, c->operand[k], size, "a printed value");
        }
        undefined |= any_byte(x->s + c->operand[k], size);
    }
    if (c->result != 0 && c->ty->kind != IN_TY_VOID)
        memset(x->s + c->result, undefined, c->ty->reg_size);
}

static void check_wait(const struct at *x)
{
    const struct in_wait *w = x->pc->p;
    if (w->result != 0 && w->ty->kind != IN_TY_VOID)
        memset(x->s + w->result, 0, w->ty->reg_size);
}

void in_shadow_copy(struct in_run *run, struct in_item *item, const struct in_fat *to, uint64_t t,
                    const struct in_fat *from, uint64_t f, uint64_t size)
{
    uint8_t *target = shadow_at(run, item, to, t, size);
    const uint8_t *source = shadow_at(run, item, from, f, size);
    if (target && source)
        memmove(target, source, size);
    else if (target)
        memset(target, 0, size);
}

#define LOADS(n, how)                                                                                        \
    case IN_##n##_1:                                                                                         \
        check_load(x, how, 1, false);                                                                        \
        break;                                                                                               \
    case IN_##n##_2:                                                                                         \
        check_load(x, how, 2, false);                                                                        \
        break;                                                                                               \
    case IN_##n##_4:                                                                                         \
        check_load(x, how, 4, false);                                                                        \
        break;                                                                                               \
    case IN_##n##_8:                                                                                         \
        check_load(x, how, 8, false);                                                                        \
        break;                                                                                               \
    case IN_##n##_16:                                                                                        \
        check_load(x, how, 16, false);                                                                       \
        break;                                                                                               \
    case IN_##n##_P:                                                                                         \
        check_load(x, how, 8, true);                                                                         \
        break;
#define STORES(n, how)                                                                                       \
    case IN_##n##_1:                                                                                         \
        check_store(x, how, 1);                                                                              \
        break;                                                                                               \
    case IN_##n##_2:                                                                                         \
        check_store(x, how, 2);                                                                              \
        break;                                                                                               \
    case IN_##n##_4:                                                                                         \
        check_store(x, how, 4);                                                                              \
        break;                                                                                               \
    case IN_##n##_8:                                                                                         \
    case IN_##n##_P:                                                                                         \
        check_store(x, how, 8);                                                                              \
        break;                                                                                               \
    case IN_##n##_16:                                                                                        \
        check_store(x, how, 16);                                                                             \
        break;

bool in_check_memory(const struct at *x, enum in_op op)
{
    const struct in_insn *pc = x->pc;
    switch (op) {
        LOADS(LOAD, PLAIN)
        LOADS(LOADX, WIDE_INDEX)
        LOADS(LOADXI, NARROW_INDEX)
        STORES(STORE, PLAIN)
        STORES(STOREX, WIDE_INDEX)
        STORES(STOREXI, NARROW_INDEX)
    case IN_LOAD_N:
        check_load(x, PLAIN, (uint32_t)pc->b, false);
        break;
    case IN_STORE_N:
        check_store(x, PLAIN, (uint32_t)pc->b);
        break;
    case IN_COPYMEM:
        check_copy(x);
        break;
    case IN_ATOMIC:
        check_atomic(x);
        break;
    case IN_EXT:
    case IN_CALLC:
        check_call(x);
        break;
    case IN_WAIT:
        check_wait(x);
        break;
    default:
        return false;
    }
    return true;
}
