/* Which plain accesses of an expression are unsequenced [C11 6.5; CL 3.3.6 G2]: those of the two operands of
 * an operator other than && and ||, and of the two sides of an assignment; a store that an assignment makes
 * comes after the values of both sides, but not after the stores in them.  Functions are called in one order
 * or the other: their accesses, atomic ones among them, are not unsequenced. */
#include "litmus/lower/lower.h"

#include "memmodel/base/array.h"

#include <string.h>

/* Accesses are identified by their index in the thread, after the numbers of calls. */
enum { FIRST_POINT = 1 << 24 };

void lt_note_access(struct lt_lower *lower)
{
    if (lower->failed)
        return;
    const struct ck_thread *thread = &lower->program->threads[lower->thread];
    uint32_t last = thread->instr_count - 1;
    struct lt_access access = {.instr = last, .store = thread->instrs[last].op == CK_STORE};
    if (!mm_arena_append(lower->program->arena, &lower->accesses, &lower->access_count, &access))
        lt_out_of_memory(lower);
}

static uint32_t point_at(struct lt_lower *lower, uint32_t instr)
{
    struct ck_thread *thread = &lower->program->threads[lower->thread];
    thread->instrs[instr].point = FIRST_POINT + instr;
    return FIRST_POINT + instr;
}

static void relate_accesses(struct lt_lower *lower, struct lt_pos pos, const struct lt_access *a,
                            const struct lt_access *b)
{
    struct ck_edge edge = {.relation = "unseq", .from_thread = lower->thread, .to_thread = lower->thread};
    if (lower->loop)
        lt_lower_fail(lower, pos, "litmus.syntax",
                      "an assignment within an expression cannot stand in a loop beside other accesses");
    for (int turn = 0; turn < 2 && !lower->failed; turn++) {
        edge.from_point = point_at(lower, turn ? b->instr : a->instr);
        edge.to_point = point_at(lower, turn ? a->instr : b->instr);
        if (ck_program_add_edge(lower->program, &edge) == CK_NOT_ADDED)
            lt_out_of_memory(lower);
    }
}

void lt_unsequenced(struct lt_lower *lower, struct lt_pos pos, uint32_t first, uint32_t middle)
{
    for (uint32_t i = first; i < middle; i++)
        for (uint32_t k = middle; k < lower->access_count && !lower->failed; k++)
            if (lower->accesses[i].store || lower->accesses[k].store)
                relate_accesses(lower, pos, &lower->accesses[i], &lower->accesses[k]);
}

struct lt_value lt_lower_assignment(struct lt_lower *lower, struct lt_pos pos, const struct lt_expr *target,
                                    enum lt_operator op, const struct lt_expr *value)
{
    struct lt_expr address = *target;
    address.kind = LT_ADDRESS;
    address.a = (struct lt_expr *)target;
    uint32_t first = lower->access_count;
    struct lt_value pointer = lt_lower_pointer(lower, &address), old = {.expr = CK_NO_EXPR};
    if (op) {
        old = lt_plain_load(lower, target->pos, pointer);
        lt_note_access(lower);
    }
    uint32_t middle = lower->access_count;
    struct lt_value result = lt_lower_expr(lower, value);
    lt_unsequenced(lower, pos, first, middle);
    if (op)
        result = lt_binary(lower, pos, op, old, result);
    lt_plain_store(lower, pos, pointer, result);
    lt_note_access(lower);
    if (lower->failed)
        return result;
    uint32_t last = lower->access_count - 1;
    for (uint32_t i = first; i < last; i++)
        if (lower->accesses[i].store)
            relate_accesses(lower, pos, &lower->accesses[i], &lower->accesses[last]);
    return lt_convert(lower, result, pointer.pointee.base->size, pointer.pointee.base->is_signed);
}
