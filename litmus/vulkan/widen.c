/* Tests with 64-bit locations: a program of 32-bit values, whose locations and registers become twice as
 * wide. */
#include "litmus/vulkan/vulkan.h"

/* Sums of so small numbers do not wrap in 32 bits where they would not in 64. */
#define LARGEST 0xffff

static uint64_t widen_value(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static bool is_small(uint64_t value)
{
    int64_t v = (int64_t)widen_value(value);
    return v >= -LARGEST && v <= LARGEST;
}

static const char *widen_objects(struct ck_program *p)
{
    for (uint32_t i = 0; i < p->object_count; i++) {
        struct ck_object *o = &p->objects[i];
        uint64_t count = o->size / 4, *initial = mm_arena_alloc(p->arena, count * sizeof *initial);
        if (!initial)
            return "more memory";
        for (uint64_t n = 0; n < count; n++) {
            if (!is_small(o->initial[n]))
                return "numbers of more than 16 bits";
            initial[n] = widen_value(o->initial[n]);
        }
        o->initial = initial;
        o->element_size = 8;
        o->size *= 2;
    }
    return NULL;
}

/* Values have 4 bytes, addresses 8. */
static const char *widen_expressions(struct ck_program *p)
{
    for (uint32_t i = 0; i < p->expr_count; i++) {
        struct ck_expr *e = &p->exprs[i];
        if (e->size == 8) {
            uint64_t object = e->imm >> 32;
            if (e->op != CK_CONST || !object)
                return "values of eight bytes";
            e->imm = object << 32 | 2 * (uint32_t)e->imm;
            continue;
        }
        if (e->size != 4)
            return "values of one or two bytes";
        if (e->op == CK_CONST && !is_small(e->imm))
            return "numbers of more than 16 bits";
        if (e->op == CK_CONST)
            e->imm = widen_value(e->imm);
        e->size = 8;
    }
    return NULL;
}

const char *lt_vk_widen(struct ck_program *p)
{
    for (uint32_t i = 0; i < p->object_count; i++)
        if (p->objects[i].element_size != 4)
            return "locations of other than four bytes";
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].instr_count; i++)
            if (p->threads[t].instrs[i].size != 4 && p->threads[t].instrs[i].size != 0)
                return "accesses to parts of a location";
    const char *reason = widen_objects(p);
    reason = reason ? reason : widen_expressions(p);
    if (reason)
        return reason;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        struct ck_thread *thread = &p->threads[t];
        for (uint32_t r = 0; r < thread->reg_count; r++)
            thread->reg_sizes[r] = 8;
        for (uint32_t i = 0; i < thread->instr_count; i++)
            thread->instrs[i].size *= 2;
    }
    for (uint32_t i = 0; i < p->observed_count; i++)
        p->observed[i].offset *= 2;
    return NULL;
}
