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

/* The end of a loop with a counter: a jump to the next instruction, ADD, and a branch. */
static bool is_step(const struct in_insn *first)
{
    return first->op == IN_JMP && first->c == 1 && is_compare_branch(first[2].op) &&
           first[1].op == ((first[2].op - IN_B_EQ_32) % 2 == 0 ? IN_ADD_32 : IN_ADD_64);
}

/* ---- pairs --------------------------------------------------------------------------------------- */

/* Operations of 32 bits that form pairs.  In enum in_op they are as far apart as the first two. */
enum { INTS = 9, FLOATS = 4, INT_STRIDE = IN_SUB_32 - IN_ADD_32, FLOAT_STRIDE = IN_FSUB_32 - IN_FADD_32 };
_Static_assert(IN_ASHR_32 == IN_ADD_32 + INT_STRIDE * (INTS - 1), "the order of operations");
_Static_assert(IN_FDIV_32 == IN_FADD_32 + FLOAT_STRIDE * (FLOATS - 1), "the order of operations");
_Static_assert(IN_PAIR_ASHR_ASHR == IN_PAIR_ADD_ADD + INTS * INTS - 1, "the order of pairs");
_Static_assert(IN_PAIR_FDIV_FDIV == IN_PAIR_FADD_FADD + FLOATS * FLOATS - 1, "the order of pairs");

/* The number of OP among the COUNT operations that begin with FIRST; -1: none. */
static int paired_index(uint64_t op, uint64_t first, uint64_t stride, uint64_t count)
{
    uint64_t index = (op - first) / stride;
    return op >= first && (op - first) % stride == 0 && index < count ? (int)index : -1;
}

static int paired_int(const struct in_insn *insn)
{
    return paired_index(insn->op, IN_ADD_32, INT_STRIDE, INTS);
}

static int paired_float(const struct in_insn *insn)
{
    return paired_index(insn->op, IN_FADD_32, FLOAT_STRIDE, FLOATS);
}

static bool is_commutative(uint64_t op)
{
    return op == IN_ADD_32 || op == IN_MUL_32 || op == IN_AND_32 || op == IN_OR_32 || op == IN_XOR_32;
}

/* The operation for FIRST and SECOND, whose operands may be exchanged; that of FIRST: none. */
static uint64_t pair_op(const struct in_insn *first, struct in_insn *second)
{
    int f = paired_int(first), s = paired_int(second);
    if (f >= 0 && s >= 0) {
        if (second->b == first->d && is_commutative(second->op)) {
            second->b = second->a;
            second->a = first->d;
        }
        return second->a == first->d ? IN_PAIR_ADD_ADD + (uint64_t)(INTS * f + s) : first->op;
    }
    f = paired_float(first);
    s = paired_float(second);
    if (f >= 0 && s >= 0 && (second->a == first->d || second->b == first->d))
        return (second->a == first->d ? IN_PAIR_FADD_FADD : IN_PAIR_FADD_FADD_B) + (uint64_t)(FLOATS * f + s);
    return first->op;
}

/* Whether INSN is a shuffle of 32-bit elements that are not part of its result. */
static bool is_plain_shuffle(const struct in_insn *insn)
{
    const int32_t *from = insn->p;
    if (insn->op != IN_SHUFFLE || insn->c != 4)
        return false;
    for (int32_t k = 1; k <= from[0]; k++)
        if (from[k] > insn->d - 4 && from[k] < insn->d + 4 * from[0])
            return false;
    return true;
}

/* FIRST and up to two instructions after it become one, if there is an operation for them.  All of them
 * remain, since jumps may lead to them. */
static void fuse_at(struct in_insn *first)
{
    if (is_step(first))
        first->op = IN_STEP_EQ_32 + (first[2].op - IN_B_EQ_32);
    else
        first->op = pair_op(first, &first[1]);
}

/* Not for engines that record or check, which report branches by instruction. */
static void fuse_instructions(struct in_insn *insns, const struct in_code *code)
{
    for (uint32_t k = 0; k < code->count; k++)
        insns[k] = jump_or_branch(&code->insns[k]);
    for (uint32_t k = 0; k < code->count; k++) {
        in_ext_direct_call(&insns[k]);
        if (is_plain_shuffle(&insns[k]))
            insns[k].op = IN_SHUFFLE_32;
    }
    for (uint32_t k = 0; k + 2 < code->count; k++)
        fuse_at(&insns[k]);
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
