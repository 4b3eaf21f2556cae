/* Lowering of variables, pointers, memory accesses, atomics and fences. [SPIRV 3.49.8, 3.49.18] */
#include "interp/ext/convert.h"
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"
#include <string.h>

/* NonPrivatePointer, MakePointerAvailable and MakePointerVisible with their scope. [SPIRV 3.27] */
static int32_t vulkan_bits(struct in_lower *l, const struct in_inst *i, uint32_t at, uint32_t mask)
{
    int32_t bits = mask & SpvMemoryAccessNonPrivatePointerMask ? 1 << 17 : 0;
    uint32_t scope_at = at + 1 + ((mask & SpvMemoryAccessAlignedMask) != 0);
    uint64_t scope = 0;
    bits |= mask & SpvMemoryAccessMakePointerAvailableMask ? 1 << 18 : 0;
    bits |= mask & SpvMemoryAccessMakePointerVisibleMask ? 1 << 19 : 0;
    if (bits >> 18 != 0 && i->operand_count > scope_at &&
        in_constant_u64(l->m, i->operands[scope_at], &scope))
        bits |= (int32_t)in_scope_of((uint32_t)scope) << 20;
    return bits;
}

/* Memory operands -> field c of memory operations: alignment mask, volatile, and Vulkan's bits. */
static int32_t access_mask(struct in_lower *l, const struct in_inst *i, uint32_t at, uint32_t pointer)
{
    const struct in_ty *p = in_ty_of(l, pointer);
    const struct in_ty *to = p->element;
    if (l->m->target.logical && to && to->kind == IN_TY_VECTOR)
        to = to->element; /* [Vulkan, scalar block layout] */
    uint64_t align = to ? to->align : 1;
    uint32_t mask = i->operand_count > at ? i->operands[at] : 0;
    if ((mask & SpvMemoryAccessAlignedMask) && i->operand_count > at + 1 && i->operands[at + 1] != 0)
        align = i->operands[at + 1];
    if (l->m->target.logical && to && align > to->align)
        align = to->align;
    if ((align & (align - 1)) != 0 || align == 0)
        align = 1;
    if (align > 4096)
        align = 4096;
    return (int32_t)(align - 1) | (mask & SpvMemoryAccessVolatileMask ? 1 << 16 : 0) |
           vulkan_bits(l, i, at, mask);
}

/* Index of the operation variant for TY: 0 to 6 are the sizes 1, 2, 4, 8, 16, any other, and pointers. */
static int32_t size_index(const struct in_ty *ty)
{
    if (ty->kind == IN_TY_POINTER)
        return 6;
    switch (ty->access) {
    case 1:
        return 0;
    case 2:
        return 1;
    case 4:
        return 2;
    case 8:
        return 3;
    case 16:
        return 4;
    default:
        return 5;
    }
}

struct form {
    enum in_op plain, indexed, narrow;
};

/* Emits one load or store through pointer ID, whose address computation may be fused. */
static enum mm_class emit_access(struct in_lower *l, const struct form *form, uint32_t id, int32_t value,
                                 const struct in_ty *ty, int32_t mask)
{
    int32_t n = size_index(ty);
    struct in_chain chain = {.simple = false};
    struct in_inst def;
    if (l->use[id].deferred) {
        in_def(l, id, &def);
        in_chain_shape(l, &def, &chain);
    } else {
        chain.base = id;
    }
    int32_t base = in_slot(l, chain.base);
    uint64_t imm = (uint64_t)chain.scale | (uint64_t)chain.offset << 32;
    if (chain.index == 0) {
        struct in_insn *insn = in_emit(l, (enum in_op)((int32_t)form->plain + n), value, base,
                                       n == 5 ? (int32_t)ty->access : 0, mask);
        insn->imm = imm;
        if (l->use[id].deferred)
            in_note_subscripts(l, &def, &chain, 0, base, IN_NO_SLOT, false);
        return l->result;
    }
    uint32_t index = chain.index;
    if (l->use[index].deferred) {
        struct in_inst convert;
        in_def(l, index, &convert);
        index = convert.operands[0];
        chain.narrow = true;
    }
    enum in_op op = chain.narrow ? form->narrow : form->indexed;
    int32_t at = in_slot(l, index);
    in_emit(l, (enum in_op)((int32_t)op + n), value, base, at, mask)->imm = imm;
    in_note_subscripts(l, &def, &chain, 0, base, IN_NO_SLOT, false);
    in_note_subscripts(l, &def, &chain, 0, base, at, chain.narrow);
    return l->result;
}

enum mm_class in_lower_load(struct in_lower *l, const struct in_inst *i)
{
    static const struct form form = {IN_LOAD_1, IN_LOADX_1, IN_LOADXI_1};
    uint32_t pointer = i->operands[0];
    const struct in_ty *ty = in_ty_of(l, i->result);
    if (in_is_built_in(l, pointer)) {
        in_alias(l, i, in_built_in_value(l, pointer));
        return l->result;
    }
    uint32_t variable = in_register_variable(l, pointer);
    if (variable != 0) {
        int32_t from = in_slot(l, variable);
        if (l->use[i->result].aliased)
            in_alias(l, i, from);
        else
            in_copy(l, in_dest(l, i), from, ty->reg_size);
        return l->result;
    }
    return emit_access(l, &form, pointer, in_dest(l, i), ty, access_mask(l, i, 1, pointer));
}

enum mm_class in_lower_store(struct in_lower *l, const struct in_inst *i)
{
    static const struct form form = {IN_STORE_1, IN_STOREX_1, IN_STOREXI_1};
    uint32_t pointer = i->operands[0];
    const struct in_ty *ty = in_ty_of(l, i->operands[1]);
    int32_t value = in_slot(l, i->operands[1]);
    uint32_t variable = in_register_variable(l, pointer);
    if (variable != 0) {
        in_copy(l, in_slot(l, variable), value, ty->reg_size);
        return l->result;
    }
    return emit_access(l, &form, pointer, value, ty, access_mask(l, i, 2, pointer));
}

/* A variable that the entry block stores before it loads needs no initial value. */
static bool stored_first(const struct in_lower *l, uint32_t variable)
{
    for (uint32_t q = l->position + 1; q < l->inst_count && l->insts[q].opcode != SpvOpLabel; q++)
        if ((l->insts[q].opcode == SpvOpLoad || l->insts[q].opcode == SpvOpStore) &&
            l->insts[q].operands[0] == variable)
            return l->insts[q].opcode == SpvOpStore;
    return false;
}

/* Bytes from the start of member OPERAND 1 to the object's end, in elements. [SPIRV OpArrayLength] */
static bool run_array_length(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                             const struct in_call *c)
{
    const struct in_fat *p = (const struct in_fat *)(const void *)(item->frame + c->operand[0]);
    const struct in_object *o = p->object != &in_unknown ? p->object : in_find(run, item, p->address);
    const struct in_ty *ty = c->types[0]->element;
    uint64_t offset = ty->offsets[c->literal], stride = ty->members[c->literal]->stride;
    uint64_t left = o ? o->size - (p->address - o->address) : 0;
    uint64_t n = left > offset && stride != 0 ? (left - offset) / stride : 0;
    (void)pc;
    memcpy(item->frame + c->result, &n, c->ty->size);
    return true;
}

enum mm_class in_lower_array_length(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0])->element;
    if (!ty || ty->kind != IN_TY_STRUCT || i->operands[1] >= ty->count ||
        ty->members[i->operands[1]]->kind != IN_TY_ARRAY || in_ty_of(l, i->result)->kind != IN_TY_INT)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.8", "the operand of OpArrayLength is not an array");
    return in_call_c(l, i, run_array_length);
}

static enum mm_class register_variable(struct in_lower *l, const struct in_inst *i, const struct in_ty *ty)
{
    if (l->slot[i->result] == IN_NO_SLOT)
        l->slot[i->result] = in_alloc(l, ty->reg_size, ty->align);
    if (l->use[i->result].renamed)
        return l->result;
    if (i->operand_count > 1)
        in_copy(l, l->slot[i->result], in_slot(l, i->operands[1]), ty->reg_size);
    else if (ty->kind == IN_TY_POINTER && !stored_first(l, i->result)) {
        struct in_fat null = {0, &in_unknown};
        in_copy(l, l->slot[i->result], in_const_alloc(l, &null, sizeof null), sizeof null);
    }
    return l->result;
}

int32_t in_make_private(struct in_lower *l, int32_t pointer, const struct in_ty *ty, uint64_t align,
                        uint32_t id)
{
    struct in_code *code = l->code;
    struct in_private *added = mm_add(&code->privates, &code->private_count);
    if (!added) {
        in_lower_no_memory(l);
        return 0;
    }
    int32_t header = in_alloc(l, sizeof(struct in_object), 8);
    int32_t storage = in_alloc(l, ty->size, align);
    *added = (struct in_private){header, storage, ty->size, l->m->ids[id].name};
    in_emit(l, IN_VARINIT, pointer, storage, header, (int32_t)code->private_count - 1);
    return storage;
}

void in_put_initializer(struct in_lower *l, int32_t storage, const struct in_ty *ty, uint32_t value)
{
    int32_t from = in_slot(l, value);
    if (ty->kind == IN_TY_POINTER)
        in_emit(l, IN_INSERTP, storage, from, 0, 0);
    else
        in_copy(l, storage, from, ty->size);
}

enum mm_class in_lower_variable(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->result)->element;
    if (!ty)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.8", "variable of unknown type");
    if (!l->use[i->result].escapes)
        return register_variable(l, i, ty);
    uint64_t align = l->m->ids[i->result].alignment;
    int32_t storage = in_make_private(l, in_dest(l, i), ty, align > ty->align ? align : ty->align, i->result);
    if (i->operand_count > 1)
        in_put_initializer(l, storage, ty, i->operands[1]);
    return l->result;
}

/* An index of any width as 64 bits; XI takes 32 as they are. */
static int32_t index_slot(struct in_lower *l, uint32_t id, bool *narrow)
{
    if (l->use[id].deferred) { /* a fused conversion from 32 bits */
        struct in_inst convert;
        in_def(l, id, &convert);
        id = convert.operands[0];
    }
    const struct in_ty *ty = in_ty_of(l, id);
    int32_t slot = in_slot(l, id);
    *narrow = ty->width == 32;
    if (ty->width >= 32)
        return slot;
    int32_t wide = in_alloc(l, 8, 8);
    in_emit(l, IN_CVT, wide, slot, (int32_t)(ty->size | 8 << 8), 1)->convert =
        in_convert_find(ty->width == 8 ? IN_S8 : IN_S16, IN_S64, IN_RTE, false);
    return wide;
}

enum mm_class in_lower_chain(struct in_lower *l, const struct in_inst *i)
{
    struct in_chain chain;
    if (!in_chain_shape(l, i, &chain))
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.8", "%s: indices do not match the type",
                      in_opcode_name(i->opcode));
    if (l->use[i->result].deferred)
        return MM_OK;
    int32_t at = in_slot(l, chain.base);
    bool element = i->opcode == SpvOpPtrAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain;
    const struct in_ty *ty = in_ty_of(l, chain.base)->element;
    bool moved = false;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        uint32_t id = i->operands[k];
        uint64_t value;
        bool constant = in_constant_u64(l->m, id, &value);
        uint64_t scale =
            element && k == 1
                ? (in_ty_of(l, chain.base)->stride != 0 ? in_ty_of(l, chain.base)->stride : ty->size)
                : ty->stride;
        const struct in_ty *inner = element && k == 1          ? ty
                                    : ty->kind == IN_TY_STRUCT ? ty->members[value]
                                                               : ty->element;
        if (!constant) {
            bool narrow;
            int32_t index = index_slot(l, id, &narrow);
            in_emit(l, narrow ? IN_PTRXI : IN_PTRX, in_dest(l, i), at, index, 0)->imm = (uint32_t)scale;
            in_note_subscripts(l, i, &chain, k, at, index, narrow);
            at = in_dest(l, i);
            moved = true;
        }
        ty = inner;
    }
    if (chain.offset != 0) {
        in_emit(l, IN_PTRK, in_dest(l, i), at, 0, 0)->imm = (uint64_t)chain.offset;
        in_note_subscripts(l, i, &chain, 0, at, IN_NO_SLOT, false);
    } else if (!moved)
        in_alias(l, i, at);
    return l->result;
}

enum mm_class in_lower_ptr_compare(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    bool equal = i->opcode == SpvOpPtrEqual || i->opcode == SpvOpIEqual;
    in_emit(l, equal ? IN_PTREQ : IN_PTRNE, in_dest(l, i), a, b, 0);
    return l->result;
}

enum mm_class in_lower_ptr_diff(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0])->element;
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, IN_PTRDIFF, in_dest(l, i), a, b, (int32_t)in_ty_of(l, i->result)->size)->imm =
        ty && ty->size > 0 ? ty->size : 1;
    return l->result;
}

enum mm_class in_lower_copy_memory(struct in_lower *l, const struct in_inst *i)
{
    bool sized = i->opcode == SpvOpCopyMemorySized;
    int32_t to = in_slot(l, i->operands[0]), from = in_slot(l, i->operands[1]);
    int32_t mask = access_mask(l, i, sized ? 3 : 2, i->operands[0]);
    const struct in_ty *ty = in_ty_of(l, i->operands[0])->element;
    uint64_t size = ty ? ty->size : 0;
    int32_t slot = 0;
    if (sized && !in_constant_u64(l->m, i->operands[2], &size)) {
        slot = in_slot(l, i->operands[2]);
        size = in_ty_of(l, i->operands[2])->size;
    }
    in_emit(l, IN_COPYMEM, slot, to, from, mask)->imm = size;
    return l->result;
}

enum mm_class in_lower_fence(struct in_lower *l, const struct in_inst *i)
{
    int32_t a = in_slot(l, i->operands[0]), b = in_slot(l, i->operands[1]);
    in_emit(l, IN_FENCE, 0, a, b, 0);
    return l->result;
}

/* Operands after the pointer, by opcode: scope, order, [order when unequal], [value], [comparator]. */
enum mm_class in_lower_atomic(struct in_lower *l, const struct in_inst *i)
{
    struct in_atomic *a = mm_arena_alloc(l->code->arena, sizeof *a);
    if (!a)
        return in_lower_no_memory(l);
    const uint32_t *w = i->operands;
    const struct in_ty *pointer = in_ty_of(l, w[0]);
    bool compare = i->opcode == SpvOpAtomicCompareExchange || i->opcode == SpvOpAtomicCompareExchangeWeak;
    a->opcode = i->opcode;
    a->pointer = in_slot(l, w[0]);
    a->scope = in_slot(l, w[1]);
    a->order = a->order2 = in_slot(l, w[2]);
    if (compare) {
        a->order2 = in_slot(l, w[3]);
        a->value = in_slot(l, w[4]);
        a->comparator = in_slot(l, w[5]);
    } else if (i->operand_count > 3) {
        a->value = in_slot(l, w[3]);
    }
    bool flag = i->opcode == SpvOpAtomicFlagTestAndSet || i->opcode == SpvOpAtomicFlagClear;
    a->size = flag ? 4 : pointer->element ? (uint32_t)pointer->element->size : 4;
    a->generic = pointer->storage == SpvStorageClassGeneric;
    a->legacy = !l->m->target.literal_legacy && !l->m->target.logical && !a->generic &&
                i->opcode != SpvOpAtomicLoad && i->opcode != SpvOpAtomicStore && !flag;
    a->result = i->result != 0 ? in_dest(l, i) : 0;
    if (a->size != 1 && a->size != 2 && a->size != 4 && a->size != 8)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.18", "atomic access of %u bytes", a->size);
    in_emit(l, IN_ATOMIC, 0, 0, 0, 0)->p = a;
    return l->result;
}
