/* Unrolls loops around asynchronous copies, as each iteration makes a copy. */
#include "tools/explore/program/passes.h"

#include <string.h>

enum { UNROLLED = 16, MAX_INSTRS = 1 << 18, MAX_LOOPS = 64 };

struct loop {
    uint32_t first, last; /* instructions */
};

/* The outermost loop around instruction AT; false: there is none. */
static bool loop_around(const struct ck_thread *t, uint32_t at, struct loop *out)
{
    uint32_t first = at + 1;
    for (uint32_t i = at; i < t->instr_count; i++)
        if (ck_instr_is_jump(&t->instrs[i]) && t->instrs[i].target < first)
            first = t->instrs[i].target;
    *out = (struct loop){.first = first, .last = at};
    for (uint32_t i = at; i < t->instr_count; i++)
        if (ck_instr_is_jump(&t->instrs[i]) && t->instrs[i].target == first)
            out->last = i;
    return first <= at;
}

static void check_entries(struct ex *ex, const struct ck_thread *t, const struct loop *l)
{
    for (uint32_t i = 0; i < t->instr_count; i++) {
        bool inside = i >= l->first && i <= l->last, jumps = ck_instr_is_jump(&t->instrs[i]);
        if (!inside && jumps && t->instrs[i].target > l->first && t->instrs[i].target <= l->last)
            ex_fail(
                ex, MM_LIMIT, "explore.copy",
                "an asynchronous copy in a loop with more than one entry is not explored: leave out goto");
    }
}

/* The index of instruction AT after unrolling; of its copy for ITERATION if it is in the loop. */
static uint32_t moved_index(const struct loop *l, uint32_t at, uint32_t iteration)
{
    uint32_t length = l->last - l->first + 2;
    if (at < l->first)
        return at;
    if (at > l->last)
        return at + UNROLLED * length;
    return at + iteration * length;
}

static uint32_t new_target(const struct loop *l, uint32_t target, uint32_t iteration, bool inside)
{
    if (!inside && target == l->first)
        return target;
    bool again = inside && target == l->first && iteration < UNROLLED;
    return moved_index(l, target, again ? iteration + 1 : iteration);
}

/* Puts the first iterations of loop L before it; the loop itself executes the remaining ones. */
static void unroll_loop(struct ex *ex, struct ck_thread *t, const struct loop *l)
{
    uint32_t length = l->last - l->first + 2, count = t->instr_count + UNROLLED * length, room = 1;
    if (count > MAX_INSTRS)
        ex_fail(
            ex, MM_LIMIT, "explore.copy",
            "a work-item of more than %d instructions, loops with asynchronous copies unrolled, is not explored: call fewer functions",
            MAX_INSTRS);
    while (room < count)
        room *= 2;
    struct ck_instr *out = ex_alloc(ex, room * sizeof *out);
    for (uint32_t i = 0; i < t->instr_count; i++) {
        bool inside = i >= l->first && i <= l->last;
        for (uint32_t iteration = inside ? 0 : UNROLLED; iteration <= UNROLLED; iteration++) {
            struct ck_instr *to = &out[moved_index(l, i, iteration)];
            *to = t->instrs[i];
            if (ck_instr_is_jump(to))
                to->target = new_target(l, to->target, iteration, inside);
        }
    }
    for (uint32_t iteration = 0; iteration < UNROLLED; iteration++)
        out[moved_index(l, l->last, iteration) + 1] =
            (struct ck_instr){.op = CK_JUMP, .target = moved_index(l, l->last + 1, UNROLLED)};
    t->instrs = out;
    t->instr_count = count;
}

static bool copy_in_loop(const struct ck_thread *t, struct loop *loop)
{
    for (uint32_t i = 0; i < t->instr_count; i++)
        if (t->instrs[i].op == CK_STORE && t->instrs[i].point && loop_around(t, i, loop))
            return true;
    return false;
}

/* Sets ex->current to the instruction of the first copy or wait in L. */
static void set_place(struct ex *ex, const struct ck_thread *t, const struct loop *l)
{
    const struct ck_instr *request = &t->instrs[l->first];
    while (request < &t->instrs[l->last] && !(request->op == CK_STORE && request->point))
        request++;
    for (uint32_t i = 0; i < ex->module.inst_count && !ex->current; i++)
        if (ex->module.insts[i].line == request->line && ex->module.insts[i].column == request->column)
            ex->current = &ex->module.insts[i];
}

void ex_unroll(struct ex *ex, uint32_t thread)
{
    struct ck_thread *t = &ex->program->threads[thread];
    struct loop l;
    for (unsigned n = 0; copy_in_loop(t, &l); n++) {
        set_place(ex, t, &l);
        if (n == MAX_LOOPS)
            ex_fail(
                ex, MM_LIMIT, "explore.copy",
                "an asynchronous copy in a loop of more than %d iterations, or of unknown trip count, is not explored: "
                "let constants and arguments determine the trip count",
                UNROLLED);
        check_entries(ex, t, &l);
        unroll_loop(ex, t, &l);
        ex->item.thread = thread;
        ex_fold(ex);
        struct loop again;
        if (copy_in_loop(t, &again) && again.first == moved_index(&l, l.first, UNROLLED))
            n = MAX_LOOPS - 1;
        ex->current = NULL;
    }
}
