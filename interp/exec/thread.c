/* Threaded code: lowered code with handler addresses instead of operation numbers, one copy per engine. */
#include "exec.h"
#include <string.h>

static bool is_compare_branch(uint64_t op)
{
    return op >= IN_B_EQ_32 && op <= IN_B_SLE_64;
}

/* A jump to a conditional branch, as at the end of most loops, becomes a copy of the branch. */
static struct in_insn jump_or_branch(const struct in_insn *jump)
{
    if (jump->op != IN_JMP)
        return *jump;
    const struct in_insn *target = jump + jump->c;
    if (target->op != IN_BRC && !is_compare_branch(target->op))
        return *jump;
    struct in_insn branch = *target;
    branch.d += jump->c;
    branch.c += jump->c;
    branch.imm += jump->imm;
    return branch;
}

/* The operation for the three instructions from FIRST, or that of the first one.  All three remain, since
 * jumps may lead to them. */
static uint64_t fused_op(const struct in_insn *first)
{
    bool fits = first->op == IN_JMP && first->c == 1 && is_compare_branch(first[2].op);
    uint64_t which = first[2].op - IN_B_EQ_32;
    return fits && first[1].op == (which % 2 == 0 ? IN_ADD_32 : IN_ADD_64) ? IN_STEP_EQ_32 + which
                                                                           : first->op;
}

/* Not for engines that record or check, which report branches by instruction. */
static void fuse_instructions(struct in_insn *insns, const struct in_code *code)
{
    for (uint32_t k = 0; k < code->count; k++)
        insns[k] = jump_or_branch(&code->insns[k]);
    for (uint32_t k = 0; k + 2 < code->count; k++)
        insns[k].op = fused_op(&insns[k]);
}

const struct in_insn *in_thread(struct in_code *code, enum in_engine engine)
{
    if (code->threaded[engine])
        return code->threaded[engine];
    const void *const *labels;
    if (engine == IN_WEAK)
        in_engine_weak(NULL, NULL, &labels);
    else if (engine == IN_CHECKING)
        in_engine_check(NULL, NULL, &labels);
    else if (engine == IN_RECORDING)
        in_engine_full(NULL, NULL, &labels);
    else
        in_engine_fast(NULL, NULL, &labels);
    struct in_insn *insns = mm_alloc(code->count * sizeof *insns);
    if (!insns)
        return NULL;
    memcpy(insns, code->insns, code->count * sizeof *insns);
    if (engine == IN_FAST)
        fuse_instructions(insns, code);
    for (uint32_t k = 0; k < code->count; k++)
        insns[k].handler = labels[insns[k].op];
    code->threaded[engine] = insns;
    return insns;
}
