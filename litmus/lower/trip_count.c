/* Loops with a constant trip count: the tested registers are set to constants before the loop, changed by
 * constants at the end of each iteration, and by nothing else in the loop. */
#include "litmus/lower/lower.h"

enum { MOST_ITERATIONS = 64 };

struct values {
    const struct ck_program *program;
    const struct ck_thread *thread;
    uint64_t *regs, *known; /* KNOWN: a bit for each register, as ck_expr_registers() has them */
};

static bool reads_only_known(const struct values *v, uint32_t expr, uint64_t *reads)
{
    size_t words = v->thread->reg_count / 64 + 1;
    for (size_t i = 0; i < words; i++)
        reads[i] = 0;
    ck_expr_registers(v->program, expr, reads);
    for (size_t i = 0; i < words; i++)
        if (reads[i] & ~v->known[i])
            return false;
    return true;
}

static void forget_register(struct values *v, uint32_t reg)
{
    if (reg != CK_NO_REG)
        v->known[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}

static void forget_result(struct values *v, const struct ck_instr *in)
{
    if (in->op == CK_ASSIGN || ck_instr_reads(in))
        forget_register(v, in->reg);
    if (in->op == CK_CAS)
        forget_register(v, in->reg2);
}

/* Executes the instructions FROM up to END; false if one does more than compute. */
static bool compute_range(struct values *v, uint32_t from, uint32_t end, uint64_t *reads)
{
    for (uint32_t i = from; i < end; i++) {
        const struct ck_instr *in = &v->thread->instrs[i];
        if (in->op != CK_ASSIGN)
            return false;
        bool known = reads_only_known(v, in->value, reads);
        if (known)
            v->regs[in->reg] = ck_eval_expr(v->program, in->value, v->regs);
        forget_register(v, in->reg);
        if (known)
            v->known[in->reg / 64] |= UINT64_C(1) << (in->reg % 64);
    }
    return true;
}

static uint32_t count_iterations(struct values *v, const struct lt_loop_code *loop, uint64_t *reads)
{
    uint32_t iterations = 0;
    if (!compute_range(v, loop->init, loop->test, reads))
        return 0;
    for (uint32_t i = loop->branch + 1; i < loop->step; i++)
        forget_result(v, &v->thread->instrs[i]);
    for (;;) {
        const struct ck_instr *branch = &v->thread->instrs[loop->branch];
        if (!compute_range(v, loop->test, loop->branch, reads) || !reads_only_known(v, branch->value, reads))
            return 0;
        if (ck_eval_expr(v->program, branch->value, v->regs) == 0)
            return iterations;
        if (iterations++ == MOST_ITERATIONS || !compute_range(v, loop->step, loop->back, reads))
            return 0;
    }
}

void lt_set_trip_count(struct lt_lower *lower, const struct lt_loop_code *loop)
{
    struct ck_thread *thread = &lower->program->threads[lower->thread];
    size_t words = thread->reg_count / 64 + 1;
    uint64_t *memory = lower->failed ? NULL : mm_alloc_zero(thread->reg_count + 2 * words, sizeof *memory);
    struct values v = {lower->program, thread, memory, memory ? memory + thread->reg_count : NULL};
    if (memory)
        thread->instrs[loop->back].trip_count = count_iterations(&v, loop, v.known + words);
    mm_free(memory);
}
