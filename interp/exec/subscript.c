/* Subscripts past the end of an array that is a part of an object: the access stays in the object, yet is
 * undefined [CLC 6.7].  Checked in modules whose access chains are subscripts of the source; an optimizer
 * merges a subscript with earlier pointer arithmetic.  Arrays of one element are exempt: at the end of
 * structures they represent arrays without a length. */
#include "interp/check/check_internal.h"
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"

/* ---- lowering ----------------------------------------------------------------------------------- */

struct in_subscript {
    uint32_t insn;
    int32_t base, index; /* slots of the pointer and of the index, or IN_NO_SLOT */
    bool narrow, strict; /* strict: accessed, so that one past the end is out of bounds */
    int64_t fixed, scale, offset;
    uint64_t count;
};

/* The last instruction forms the address of element INDEX, or FIXED, of an array of COUNT elements. */
static void add_subscript(struct in_lower *l, const struct in_subscript *s)
{
    struct in_code *code = l->code;
    struct in_subscript *added = code->count ? mm_add(&code->subscripts.list, &code->subscripts.count) : NULL;
    if (!added) {
        in_lower_no_memory(l);
        return;
    }
    *added = *s;
    added->insn = code->count - 1;
    code->insns[added->insn].c |= IN_HAS_SUBSCRIPTS;
}

static bool is_element(const struct in_inst *i, uint32_t k)
{
    return k == 1 && (i->opcode == SpvOpPtrAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain);
}

static const struct in_ty *indexed_type(const struct in_lower *l, const struct in_inst *i, uint32_t k,
                                        const struct in_ty *ty)
{
    uint64_t member = 0;
    if (is_element(i, k))
        return ty;
    if (ty->kind != IN_TY_STRUCT)
        return ty->element;
    in_constant_u64(l->m, i->operands[k], &member);
    return ty->members[member];
}

/* Whether every use of the pointer ID, defined at POSITION, accesses it or a later element; a use too far
 * away counts as another use. */
static bool is_accessed(const struct in_lower *l, uint32_t id, uint32_t position)
{
    enum { FAR = 64 };
    const struct in_use *use = &l->use[id];
    uint32_t accesses = 0;
    uint64_t first = 1;
    if (use->deferred || !use->escapes)
        return true;
    for (uint32_t p = position + 1; p < l->inst_count && p < position + FAR; p++) {
        const struct in_inst *i = &l->insts[p];
        if (i->operand_count == 0 || i->operands[0] != id)
            continue;
        bool inner = i->operand_count > 2 && is_element(i, 1) &&
                     in_constant_u64(l->m, i->operands[1], &first) && first == 0 &&
                     is_accessed(l, i->result, p);
        accesses += inner || i->opcode == SpvOpLoad || i->opcode == SpvOpStore;
    }
    return accesses == use->uses;
}

static inline bool exceeds_count(int64_t index, uint64_t count, bool strict)
{
    return (uint64_t)index >= count + !strict; /* a negative index is a large one */
}

void in_note_subscripts(struct in_lower *l, const struct in_inst *i, const struct in_chain *chain,
                        uint32_t operand, int32_t base, int32_t index, bool narrow)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0])->element;
    struct in_subscript s = {.base = base, .index = index, .narrow = narrow};
    if (!l->m->target.subscripts)
        return;
    s.strict = is_accessed(l, i->result, l->use[i->result].position);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        uint64_t value = 0;
        const struct in_ty *id_ty = in_ty_of(l, i->operands[k]);
        bool constant = in_constant_u64(l->m, i->operands[k], &value);
        bool array = ty->kind == IN_TY_ARRAY && ty->count > 1 && !is_element(i, k);
        uint32_t unused = id_ty->width != 0 && id_ty->width < 64 ? 64 - id_ty->width : 0;
        s.fixed = (int64_t)(value << unused) >> unused;
        s.count = ty->count;
        s.scale = index != IN_NO_SLOT ? (int64_t)ty->stride : 0;
        s.offset = index != IN_NO_SLOT && !l->use[i->result].deferred ? 0 : chain->offset;
        if (array && (operand == 0 || operand == k) &&
            (constant ? index == IN_NO_SLOT && exceeds_count(s.fixed, s.count, s.strict)
                      : index != IN_NO_SLOT))
            add_subscript(l, &s);
        ty = indexed_type(l, i, k, ty);
    }
}

enum mm_class in_index_subscripts(struct in_lower *l)
{
    struct in_code *code = l->code;
    if (code->subscripts.count == 0)
        return l->result;
    code->subscripts.first_of = mm_alloc_zero(code->count, sizeof *code->subscripts.first_of);
    if (!code->subscripts.first_of)
        return in_lower_no_memory(l);
    for (uint32_t k = code->subscripts.count; k-- > 0;)
        code->subscripts.first_of[code->subscripts.list[k].insn] = k + 1;
    return l->result;
}

/* ---- execution ---------------------------------------------------------------------------------- */

static inline int64_t index_of(const struct in_subscript *s, const uint8_t *frame)
{
    if (s->index == IN_NO_SLOT)
        return s->fixed;
    const void *at = frame + s->index;
    return s->narrow ? *(const int32_t *)at : *(const int64_t *)at;
}

bool in_subscript_exceeds(const struct in_run *run, const struct in_insn *pc, const uint8_t *frame)
{
    const struct in_code *code = run->code;
    const uint32_t insn = (uint32_t)(pc - run->insns);
    const struct in_subscript *s = &code->subscripts.list[code->subscripts.first_of[insn] - 1],
                              *end = code->subscripts.list + code->subscripts.count;
    for (; s < end && s->insn == insn; s++)
        if (exceeds_count(index_of(s, frame), s->count, s->strict))
            return true;
    return false;
}

static void check_subscript(const struct at *x, const struct in_subscript *s)
{
    int64_t index = index_of(s, x->item->frame);
    const struct in_fat *p = (const struct in_fat *)(const void *)(x->item->frame + s->base);
    if (!exceeds_count(index, s->count, s->strict))
        return;
    uint64_t address = p->address + (uint64_t)(index * s->scale + s->offset);
    bool known = p->object && p->object->size != 0;
    const struct in_object *o = known ? p->object : in_find(x->run, x->item, p->address);
    if (!o || address - o->address >= o->size) /* the access itself detects addresses outside the object */
        return;
    in_raise_at(x->run, x->item, x->pc, "out-of-bounds", "CLC 6.7", (struct in_range){o, address, 1},
                "subscript %lld of an array of %llu elements inside %s object %s", (long long)index,
                (unsigned long long)s->count, mm_region_name((enum mm_region)o->region),
                o->name ? o->name : "");
}

void in_check_subscripts(const struct at *x)
{
    const struct in_code *code = x->run->code;
    uint32_t insn = (uint32_t)(x->pc - x->run->insns);
    if (code->subscripts.first_of[insn] == 0)
        return;
    for (uint32_t k = code->subscripts.first_of[insn] - 1;
         k < code->subscripts.count && code->subscripts.list[k].insn == insn; k++)
        check_subscript(x, &code->subscripts.list[k]);
}
