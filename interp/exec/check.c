/* Undefined behaviour beyond bounds: values that were never given and reach a branch, an address or shared
 * memory; orders that an atomic operation cannot have; variables used after their function returned; and
 * which instruction is examined how.  Arithmetic: check_value.c.  [SPIRV 3.49], [CLC 6.3.1, 6.15.12] */
#include "check_internal.h"
#include "interp/ext/ext.h"

uint8_t *in_shadow(const struct in_item *item, uint64_t address, uint64_t size)
{
    const struct in_run *run = item->group->run;
    uint64_t offset = address - (uint64_t)(uintptr_t)item->frame;
    if (offset < run->code->frame_size && run->code->frame_size - offset >= size)
        return item->block->shadow + offset;
    offset = address - (uint64_t)(uintptr_t)item->group->local;
    if (offset < item->group->local_size && item->group->local_size - offset >= size)
        return item->group->local_shadow + offset;
    return NULL;
}

void in_shadow_begin(struct in_run *run, struct in_item *item)
{
    const struct in_code *code = run->code;
    uint8_t *s = item->block->shadow;
    memset(s, 1, code->frame_size);
    memset(s, 0, sizeof(struct in_header));
    for (uint32_t k = 0; k < run->info->argument_count; k++) {
        const struct in_argument_info *info = &run->info->arguments[k];
        bool pointer =
            info->kind == IN_ARG_GLOBAL || info->kind == IN_ARG_CONSTANT || info->kind == IN_ARG_LOCAL;
        if (code->arguments[k] != 0)
            memset(s + code->arguments[k], 0,
                   info->kind == IN_ARG_VALUE ? info->size
                   : pointer                  ? sizeof(struct in_fat)
                                              : 8);
    }
    for (uint32_t k = 0; k < code->undefined_count; k++)
        memset(s + code->undefined[k].slot, 1, code->undefined[k].size);
}

static void uninitialized(const struct at *x, const char *what)
{
    in_raise(x->run, x->item, x->pc, "uninitialized", "CLC 6.3.1", NULL, 0, 0,
             "%s depends on a value that was never given", what);
}

/* Reports the use of an undefined operand once: it counts as defined afterwards. */
static void must_be_defined(const struct at *x, int32_t slot, uint64_t size, const char *what)
{
    if (!any(x->s + slot, size))
        return;
    memset(x->s + slot, 0, size);
    uninitialized(x, what);
}

/* ---- memory ----------------------------------------------------------------------------------- */

enum indexing { PLAIN, WIDE_INDEX, NARROW_INDEX };

static uint64_t address_of(const struct at *x, enum indexing how)
{
    const struct in_fat *p = (const struct in_fat *)(const void *)(x->item->frame + x->pc->a);
    uint64_t base = p->address + (uint64_t)((int64_t)x->pc->imm >> 32);
    if (how == PLAIN)
        return base;
    int64_t index = number(x, x->pc->b, 0, how == WIDE_INDEX ? 8 : 4);
    return base + (uint64_t)index * (uint32_t)x->pc->imm;
}

static uint64_t place(const struct at *x, enum indexing how)
{
    must_be_defined(x, x->pc->a, 8, "an address");
    if (how != PLAIN)
        must_be_defined(x, x->pc->b, how == WIDE_INDEX ? 8 : 4, "an address");
    return address_of(x, how);
}

static void check_load(const struct at *x, enum indexing how, uint64_t size, bool pointer)
{
    const uint8_t *m = in_shadow(x->item, place(x, how), size);
    uint8_t kept[16] = {0};
    if (m != NULL && size <= 16)
        memcpy(kept, m, size);
    if (size <= 16)
        memcpy(x->s + x->pc->d, kept, size);
    else if (m != NULL)
        memmove(x->s + x->pc->d, m, size);
    else
        memset(x->s + x->pc->d, 0, size);
    if (pointer)
        memset(x->s + x->pc->d + 8, 0, 8);
}

/* What others may see must be defined; padding, and the fourth element that vectors of three are stored with,
 * need not be. */
static void check_store(const struct at *x, enum indexing how, uint64_t size)
{
    uint8_t *m = in_shadow(x->item, place(x, how), size);
    if (m != NULL)
        memmove(m, x->s + x->pc->d, size);
    else if (all(x->s + x->pc->d, size))
        must_be_defined(x, x->pc->d, size, "what is stored in memory");
}

static void check_copy(const struct at *x)
{
    uint64_t size = x->pc->imm;
    const struct in_fat *to = (const struct in_fat *)(const void *)(x->item->frame + x->pc->a),
                        *from = (const struct in_fat *)(const void *)(x->item->frame + x->pc->b);
    must_be_defined(x, x->pc->a, 8, "an address");
    must_be_defined(x, x->pc->b, 8, "an address");
    if (x->pc->d != 0) {
        size = 0;
        memcpy(&size, x->item->frame + x->pc->d, x->pc->imm);
    }
    uint8_t *t = in_shadow(x->item, to->address, size);
    const uint8_t *f = in_shadow(x->item, from->address, size);
    if (t != NULL && f != NULL)
        memmove(t, f, size);
    else if (t != NULL)
        memset(t, 0, size);
}

/* Orders and scopes that the instruction may have. [CLC 6.15.12.1, 6.15.12.2], [SPIRV 2.16.1] */
static void check_order(const struct at *x, const struct in_atomic *a)
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
        in_raise(x->run, x->item, x->pc, "invalid-order", "CLC 6.15.12", NULL, 0, 0, "memory order %s for %s",
                 mm_order_name(compare ? u : o),
                 load    ? "a load"
                 : store ? "a store"
                         : "a comparison that fails");
    if (in_scope_of(scope) == MM_SCOPE_NONE)
        in_raise(x->run, x->item, x->pc, "invalid-scope", "CLC 6.15.12", NULL, 0, 0, "memory scope %u",
                 scope);
}

static void check_atomic(const struct at *x)
{
    const struct in_atomic *a = x->pc->p;
    const struct in_fat *p = (const struct in_fat *)(const void *)(x->item->frame + a->pointer);
    bool load = a->opcode == SpvOpAtomicLoad;
    must_be_defined(x, a->pointer, 8, "an address");
    check_order(x, a);
    uint8_t *m = in_shadow(x->item, p->address, a->size);
    bool undefined = m != NULL && any(m, a->size);
    if (a->value != 0 && m == NULL)
        must_be_defined(x, a->value, a->size, "what is stored in memory");
    if (m != NULL && !load)
        memset(m, a->value != 0 && any(x->s + a->value, a->size), a->size);
    if (a->result != 0)
        memset(x->s + a->result, undefined, a->opcode == SpvOpAtomicFlagTestAndSet ? 1 : a->size);
}

/* ---- calls into C, composites, control flow ------------------------------------------------------ */

static bool is_printf(const struct in_call *c)
{
    return c->opcode == SpvOpExtInst && c->fn == in_printf_call;
}

static bool only_reads(const struct in_call *c)
{
    const struct in_ext_fn *fn = c->opcode == SpvOpExtInst ? c->info : NULL;
    return fn != NULL && (fn->shape == IN_EXT_VLOAD || fn->shape == IN_EXT_PRINTF);
}

/* How much of the object a C function writes is not followed: all from the pointer on counts as defined. */
static void now_defined(const struct at *x, int32_t slot)
{
    const struct in_fat *p = (const struct in_fat *)(const void *)(x->item->frame + slot);
    const struct in_object *o =
        p->object == &in_unknown || p->object == NULL ? in_find(x->run, x->item, p->address) : p->object;
    uint64_t offset = o != NULL ? p->address - o->address : 0;
    if (o == NULL || offset >= o->size)
        return;
    uint8_t *m = in_shadow(x->item, p->address, o->size - offset);
    if (m != NULL)
        memset(m, 0, o->size - offset);
}

/* The result depends on all operands; what pointers point to may have been written. */
static void check_call(const struct at *x)
{
    const struct in_call *c = x->pc->p;
    bool undefined = false;
    for (uint32_t k = 0; k < c->operand_count; k++) {
        const struct in_ty *ty = c->types[k];
        uint64_t size = ty->kind == IN_TY_POINTER ? 8 : ty->access;
        if (ty->kind == IN_TY_POINTER) {
            must_be_defined(x, c->operand[k], 8, "an address");
            if (!only_reads(c))
                now_defined(x, c->operand[k]);
        } else if (is_printf(c)) {
            must_be_defined(x, c->operand[k], size, "what is printed");
        }
        undefined |= any(x->s + c->operand[k], size);
    }
    if (c->result != 0 && c->ty->kind != IN_TY_VOID)
        memset(x->s + c->result, undefined, c->ty->reg_size);
}

static void check_wait(const struct at *x)
{
    const struct in_wait *w = x->pc->p;
    if (w->result != 0 && w->ty->kind != IN_TY_VOID)
        memset(x->s + w->result, 0, w->ty->reg_size);
    for (uint32_t k = 0; w->opcode == SpvOpGroupAsyncCopy && k < 1; k++) {
        const struct in_fat *to = (const struct in_fat *)(const void *)(x->item->frame + w->operand[0]);
        const struct in_object *o = to->object;
        uint8_t *m = o != NULL && o != &in_unknown ? in_shadow(x->item, o->address, o->size) : NULL;
        if (m != NULL) /* which elements a strided copy writes is not followed */
            memset(m, 0, o->size);
    }
}

static void check_select(const struct at *x, uint64_t size)
{
    bool undefined = any(x->s + x->pc->c, 1);
    int32_t from = x->item->frame[x->pc->c] ? x->pc->a : x->pc->b;
    memmove(x->s + x->pc->d, x->s + from, size);
    if (undefined)
        memset(x->s + x->pc->d, 1, size);
}

static void check_select_vector(const struct at *x)
{
    uint32_t size = (uint32_t)x->pc->imm;
    for (uint32_t k = 0; k < x->pc->imm >> 32; k++) {
        int32_t from = x->item->frame[x->pc->c + (int32_t)k] ? x->pc->a : x->pc->b;
        memmove(x->s + x->pc->d + k * size, x->s + from + k * size, size);
        if (x->s[x->pc->c + (int32_t)k])
            memset(x->s + x->pc->d + k * size, 1, size);
    }
}

static void check_shuffle(const struct at *x)
{
    const int32_t *from = x->pc->p;
    uint8_t result[128];
    for (int32_t k = 0; k < from[0]; k++)
        memcpy(result + k * x->pc->c, x->s + from[k + 1], (size_t)x->pc->c);
    memcpy(x->s + x->pc->d, result, (size_t)(from[0] * x->pc->c));
}

/* A component by index: EXTRACT reads one of a, else one of d is written. */
static void check_component(const struct at *x, bool extract)
{
    uint64_t index = 0, size = (uint32_t)x->pc->imm;
    bool undefined = any(x->s + x->pc->b, x->pc->imm >> 32);
    memcpy(&index, x->item->frame + x->pc->b, x->pc->imm >> 32);
    if (index >= (uint64_t)x->pc->c)
        return;
    uint8_t *to = x->s + x->pc->d + (extract ? 0 : index * size);
    memmove(to, x->s + x->pc->a + (extract ? index * size : 0), size);
    if (undefined)
        memset(to, 1, size);
}

/* The variables of a function that returns are no more: RET names them in a .. b. */
static void end_of_function(const struct at *x)
{
    for (int32_t k = x->pc->a; k < x->pc->b; k++) {
        const struct in_private *v = &x->run->code->privates[k];
        struct in_object *o = (struct in_object *)(void *)(x->item->frame + v->header);
        o->size = 0;
    }
}

static void pair(const struct at *x, uint64_t size)
{
    bool undefined = any(x->s + x->pc->a, size) || any(x->s + x->pc->b, size);
    memset(x->s + x->pc->d, undefined, size);
}

#define CASES(n, BODY)                                                                                       \
    case IN_##n##_8:                                                                                         \
        BODY(1, 1) break;                                                                                    \
    case IN_##n##_16:                                                                                        \
        BODY(2, 1) break;                                                                                    \
    case IN_##n##_32:                                                                                        \
        BODY(4, 1) break;                                                                                    \
    case IN_##n##_64:                                                                                        \
        BODY(8, 1) break;                                                                                    \
    case IN_##n##_V8:                                                                                        \
        BODY(1, pc->c) break;                                                                                \
    case IN_##n##_V16:                                                                                       \
        BODY(2, pc->c) break;                                                                                \
    case IN_##n##_V32:                                                                                       \
        BODY(4, pc->c) break;                                                                                \
    case IN_##n##_V64:                                                                                       \
        BODY(8, pc->c) break;
#define FLOATS(n, BODY)                                                                                      \
    case IN_##n##_16:                                                                                        \
        BODY(2, 1) break;                                                                                    \
    case IN_##n##_32:                                                                                        \
        BODY(4, 1) break;                                                                                    \
    case IN_##n##_64:                                                                                        \
        BODY(8, 1) break;                                                                                    \
    case IN_##n##_V16:                                                                                       \
        BODY(2, pc->c) break;                                                                                \
    case IN_##n##_V32:                                                                                       \
        BODY(4, pc->c) break;                                                                                \
    case IN_##n##_V64:                                                                                       \
        BODY(8, pc->c) break;
#define TWO(size, count)      in_check_elements(&x, size, size, count, true);
#define ONE(size, count)      in_check_elements(&x, size, size, count, false);
#define TWO_FLAG(size, count) in_check_elements(&x, size, 1, count, true);
#define ONE_FLAG(size, count) in_check_elements(&x, size, 1, count, false);
#define SHIFT(size, count)    in_check_elements(&x, size, size, count, true), in_check_shift(&x, size, count);
#define SUM(size, count)                                                                                     \
    in_check_wrap(&x, size, count, ADDITION), in_check_elements(&x, size, size, count, true);
#define DIFFERENCE(size, count)                                                                              \
    in_check_wrap(&x, size, count, SUBTRACTION), in_check_elements(&x, size, size, count, true);
#define PRODUCT(size, count)                                                                                 \
    in_check_wrap(&x, size, count, MULTIPLICATION), in_check_elements(&x, size, size, count, true);
#define NEGATIVE(size, count)                                                                                \
    in_check_wrap(&x, size, count, NEGATION), in_check_elements(&x, size, size, count, false);
#define AND_BITS(size, count) in_check_bits(&x, size, count, 0);
#define OR_BITS(size, count)  in_check_bits(&x, size, count, 0xff);

#define SIZES(n, BODY)                                                                                       \
    case IN_##n##_1:                                                                                         \
        BODY(1) break;                                                                                       \
    case IN_##n##_2:                                                                                         \
        BODY(2) break;                                                                                       \
    case IN_##n##_4:                                                                                         \
        BODY(4) break;                                                                                       \
    case IN_##n##_8:                                                                                         \
        BODY(8) break;                                                                                       \
    case IN_##n##_16:                                                                                        \
        BODY(16) break;
#define MOVE(size)   memmove(x.s + pc->d, x.s + pc->a, size);
#define SELECT(size) check_select(&x, size);

/* Arithmetic and comparisons; false: another class. */
static bool check_numbers(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
        CASES(ADD, SUM)
        CASES(SUB, DIFFERENCE)
        CASES(MUL, PRODUCT)
        CASES(AND, AND_BITS)
        CASES(OR, OR_BITS)
        CASES(XOR, TWO)
        CASES(SHL, SHIFT)
        CASES(LSHR, SHIFT)
        CASES(ASHR, SHIFT)
        CASES(NEG, NEGATIVE)
        CASES(NOT, ONE)
        CASES(BITREV, ONE)
        CASES(BITCNT, ONE)
#define IN_M3(n, s, e) CASES(n, TWO)
        IN_INT_DIVIDE(IN_M3)
#undef IN_M3
#define IN_M3(n, s, e) CASES(n, TWO_FLAG)
        IN_INT_COMPARE(IN_M3)
#undef IN_M3
#define IN_M2(n, e) FLOATS(n, TWO)
        IN_FLOAT_BINARY(IN_M2)
#undef IN_M2
#define IN_M2(n, e) FLOATS(n, ONE)
        IN_FLOAT_UNARY(IN_M2)
#undef IN_M2
#define IN_M2(n, e) FLOATS(n, TWO_FLAG)
        IN_FLOAT_COMPARE(IN_M2)
#undef IN_M2
#define IN_M2(n, e) FLOATS(n, ONE_FLAG)
        IN_FLOAT_TEST(IN_M2)
#undef IN_M2
    default:
        return false;
    }
    return true;
}

static void vector_product(const struct at *x, uint32_t size, bool scale)
{
    bool undefined = any(x->s + x->pc->a, size * (uint32_t)x->pc->c) ||
                     any(x->s + x->pc->b, scale ? size : size * (uint32_t)x->pc->c);
    memset(x->s + x->pc->d, undefined, scale ? size * (uint32_t)x->pc->c : size);
}

static bool check_moves(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
        SIZES(MOV, MOVE)
        SIZES(SEL, SELECT)
    case IN_MOV_N:
    case IN_INSERT:
        memmove(x.s + pc->d, x.s + pc->a, pc->imm);
        break;
    case IN_SEL_N:
        check_select(&x, pc->imm);
        break;
    case IN_SEL_V:
        check_select_vector(&x);
        break;
    case IN_SX_32_64:
    case IN_ZX_32_64:
    case IN_F32_F64:
        in_check_elements(&x, 4, 8, 1, false);
        break;
    case IN_TR_64_32:
        memmove(x.s + pc->d, x.s + pc->a, 4);
        break;
    case IN_F64_F32:
        in_check_elements(&x, 8, 4, 1, false);
        break;
    case IN_S32_F32:
    case IN_U32_F32:
        in_check_elements(&x, 4, 4, 1, false);
        break;
    case IN_CVT:
        in_check_convert(&x);
        break;
    case IN_INSERTP:
        memmove(x.s + pc->d, x.s + pc->a, 8);
        break;
    case IN_EXTRACTP:
        memmove(x.s + pc->d, x.s + pc->a, 8);
        memset(x.s + pc->d + 8, 0, 8);
        break;
    case IN_EXTRACTD:
        check_component(&x, true);
        break;
    case IN_INSERTD:
        check_component(&x, false);
        break;
    case IN_SHUFFLE:
        check_shuffle(&x);
        break;
    default:
        return false;
    }
    return true;
}

static bool check_flags(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
    case IN_BNOT:
    case IN_BAND:
    case IN_BOR:
    case IN_BEQ:
    case IN_BNE:
        in_check_elements(&x, 1, 1, pc->c, true);
        break;
    case IN_ANY:
    case IN_ALL:
        x.s[pc->d] = any(x.s + pc->a, (uint64_t)pc->c);
        break;
    case IN_BRC:
        must_be_defined(&x, pc->a, 1, "a branch");
        break;
    case IN_SWITCH:
        must_be_defined(&x, pc->a, (uint64_t)pc->b, "a branch");
        break;
#define IN_M3(n, s, e)                                                                                       \
    case IN_B_##n##_32:                                                                                      \
        must_be_defined(&x, pc->a, 4, "a branch");                                                           \
        must_be_defined(&x, pc->b, 4, "a branch");                                                           \
        break;                                                                                               \
    case IN_B_##n##_64:                                                                                      \
        must_be_defined(&x, pc->a, 8, "a branch");                                                           \
        must_be_defined(&x, pc->b, 8, "a branch");                                                           \
        break;
        IN_INT_COMPARE(IN_M3)
#undef IN_M3
    default:
        return false;
    }
    return true;
}

#define LOADS(n, how)                                                                                        \
    case IN_##n##_1:                                                                                         \
        check_load(&x, how, 1, false);                                                                       \
        break;                                                                                               \
    case IN_##n##_2:                                                                                         \
        check_load(&x, how, 2, false);                                                                       \
        break;                                                                                               \
    case IN_##n##_4:                                                                                         \
        check_load(&x, how, 4, false);                                                                       \
        break;                                                                                               \
    case IN_##n##_8:                                                                                         \
        check_load(&x, how, 8, false);                                                                       \
        break;                                                                                               \
    case IN_##n##_16:                                                                                        \
        check_load(&x, how, 16, false);                                                                      \
        break;                                                                                               \
    case IN_##n##_P:                                                                                         \
        check_load(&x, how, 8, true);                                                                        \
        break;
#define STORES(n, how)                                                                                       \
    case IN_##n##_1:                                                                                         \
        check_store(&x, how, 1);                                                                             \
        break;                                                                                               \
    case IN_##n##_2:                                                                                         \
        check_store(&x, how, 2);                                                                             \
        break;                                                                                               \
    case IN_##n##_4:                                                                                         \
        check_store(&x, how, 4);                                                                             \
        break;                                                                                               \
    case IN_##n##_8:                                                                                         \
    case IN_##n##_P:                                                                                         \
        check_store(&x, how, 8);                                                                             \
        break;                                                                                               \
    case IN_##n##_16:                                                                                        \
        check_store(&x, how, 16);                                                                            \
        break;

static bool check_memory(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
        LOADS(LOAD, PLAIN)
        LOADS(LOADX, WIDE_INDEX)
        LOADS(LOADXI, NARROW_INDEX)
        STORES(STORE, PLAIN)
        STORES(STOREX, WIDE_INDEX)
        STORES(STOREXI, NARROW_INDEX)
    case IN_LOAD_N:
        check_load(&x, PLAIN, (uint32_t)pc->b, false);
        break;
    case IN_STORE_N:
        check_store(&x, PLAIN, (uint32_t)pc->b);
        break;
    case IN_COPYMEM:
        check_copy(&x);
        break;
    case IN_ATOMIC:
        check_atomic(&x);
        break;
    default:
        return false;
    }
    return true;
}

static void check_rest(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
    case IN_PTRX:
    case IN_PTRXI: {
        bool undefined = any(x.s + pc->a, 8) || any(x.s + pc->b, op == IN_PTRX ? 8 : 4);
        memset(x.s + pc->d, undefined, 8);
        memset(x.s + pc->d + 8, 0, 8);
        break;
    }
    case IN_PTRK:
        memmove(x.s + pc->d, x.s + pc->a, 8);
        memset(x.s + pc->d + 8, 0, 8);
        break;
    case IN_VARINIT:
        memset(x.s + pc->a, 1, x.run->code->privates[pc->c].size);
        memset(x.s + pc->d, 0, 16);
        break;
    case IN_LEA:
        memset(x.s + pc->d, 0, 16);
        break;
    case IN_BYVAL:
        memset(x.s + pc->a, 0, x.run->info->arguments[pc->c].size);
        break;
    case IN_PTREQ:
    case IN_PTRNE:
        x.s[pc->d] = any(x.s + pc->a, 8) || any(x.s + pc->b, 8);
        break;
    case IN_PTRDIFF:
        pair(&x, (uint64_t)pc->c);
        break;
#define PRODUCTS(w)                                                                                          \
    case IN_DOT_##w:                                                                                         \
        vector_product(&x, w / 8, false);                                                                    \
        break;                                                                                               \
    case IN_SCALE_##w:                                                                                       \
        vector_product(&x, w / 8, true);                                                                     \
        break;
        PRODUCTS(16)
        PRODUCTS(32)
        PRODUCTS(64)
    case IN_EXT:
    case IN_CALLC:
        check_call(&x);
        break;
    case IN_WAIT:
        check_wait(&x);
        break;
    case IN_RET:
        end_of_function(&x);
        break;
    default:
        break;
    }
}

/* What needs no shadow. */
static void check_values(struct at x, enum in_op op)
{
    const struct in_insn *pc = x.pc;
    switch (op) {
#define WRAP_SUM(size, count)        in_check_wrap(&x, size, count, ADDITION);
#define WRAP_DIFFERENCE(size, count) in_check_wrap(&x, size, count, SUBTRACTION);
#define WRAP_PRODUCT(size, count)    in_check_wrap(&x, size, count, MULTIPLICATION);
#define WRAP_NEGATIVE(size, count)   in_check_wrap(&x, size, count, NEGATION);
#define SHIFT_ONLY(size, count)      in_check_shift(&x, size, count);
        CASES(ADD, WRAP_SUM)
        CASES(SUB, WRAP_DIFFERENCE)
        CASES(MUL, WRAP_PRODUCT)
        CASES(NEG, WRAP_NEGATIVE)
        CASES(SHL, SHIFT_ONLY)
        CASES(LSHR, SHIFT_ONLY)
        CASES(ASHR, SHIFT_ONLY)
    case IN_CVT:
        in_check_convert(&x);
        break;
    case IN_ATOMIC:
        check_order(&x, pc->p);
        break;
    case IN_RET:
        end_of_function(&x);
        break;
    default:
        break;
    }
}

bool in_check(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op)
{
    struct at x = {run, item, pc, item->block->shadow};
    if (x.s == NULL)
        check_values(x, op);
    else if (!check_numbers(x, op) && !check_moves(x, op) && !check_flags(x, op) && !check_memory(x, op))
        check_rest(x, op);
    return !run->stopped;
}
