/* Lowering of control flow, calls, barriers and group operations.
 * [SPIRV 3.49.9, 3.49.17, 3.49.20, 3.49.21] */
#include "interp/lower/lower.h"
#include <string.h>

static uint32_t take_weight(struct in_lower *l)
{
    uint32_t w = l->weight;
    l->weight = 0;
    return w;
}

enum mm_class in_lower_label(struct in_lower *l, const struct in_inst *i)
{
    l->label_at[i->result] = l->code->count;
    l->block = i->result;
    return l->result;
}

enum mm_class in_lower_phi(struct in_lower *l, const struct in_inst *i)
{
    in_dest(l, i); /* written on the incoming edges */
    return l->result;
}

struct move {
    int32_t to, from;
    uint32_t size;
};

static bool slots_overlap(int32_t a, uint32_t n, int32_t b, uint32_t m)
{
    return a < b + (int32_t)m && b < a + (int32_t)n;
}

/* Parallel moves: a move is ready when its target is not the source of another; cycles use temporaries. */
static void parallel_moves(struct in_lower *l, struct move *moves, uint32_t n)
{
    bool progress = true;
    while (n > 0 && progress) {
        progress = false;
        for (uint32_t k = 0; k < n; k++) {
            bool ready = true;
            for (uint32_t j = 0; j < n && ready; j++)
                ready = j == k || !slots_overlap(moves[k].to, moves[k].size, moves[j].from, moves[j].size);
            if (!ready)
                continue;
            in_copy(l, moves[k].to, moves[k].from, moves[k].size);
            moves[k--] = moves[--n];
            progress = true;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        int32_t spare = in_alloc(l, moves[k].size, 16);
        in_copy(l, spare, moves[k].from, moves[k].size);
        moves[k].from = spare;
    }
    for (uint32_t k = 0; k < n; k++)
        in_copy(l, moves[k].to, moves[k].from, moves[k].size);
}

static uint32_t phi_count(const struct in_lower *l, uint32_t label)
{
    struct in_inst inst;
    uint32_t n = 0;
    if (label >= l->m->bound || l->m->ids[label].kind != IN_ID_LABEL)
        return 0;
    in_def(l, label, &inst);
    for (;;) {
        in_inst_at(l->m, inst.word + inst.count, &inst);
        if (inst.opcode == SpvOpPhi)
            n++;
        else if (inst.opcode != SpvOpLine && inst.opcode != SpvOpNoLine)
            return n;
    }
}

static void phi_moves(struct in_lower *l, uint32_t label)
{
    uint32_t n = phi_count(l, label), used = 0;
    if (n == 0)
        return;
    struct move *moves = mm_arena_alloc(l->code->arena, n * sizeof *moves);
    if (!moves) {
        in_lower_no_memory(l);
        return;
    }
    struct in_inst inst;
    in_def(l, label, &inst);
    for (uint32_t left = n; left > 0;) {
        in_inst_at(l->m, inst.word + inst.count, &inst);
        if (inst.opcode != SpvOpPhi)
            continue;
        left--;
        for (uint32_t k = 0; k + 1 < inst.operand_count; k += 2)
            if (inst.operands[k + 1] == l->block) {
                uint32_t size = (uint32_t)in_ty_of(l, inst.result)->reg_size;
                moves[used++] = (struct move){in_slot(l, inst.result), in_slot(l, inst.operands[k]), size};
                break;
            }
    }
    parallel_moves(l, moves, used);
}

/* Emits the moves of the edge to LABEL and a jump. */
static void emit_edge(struct in_lower *l, uint32_t label, uint32_t weight)
{
    phi_moves(l, label);
    uint32_t at = l->code->count;
    in_emit(l, IN_JMP, 0, 0, 0, 0)->imm = weight;
    in_fixup(l, at, false, label);
}

enum mm_class in_lower_branch(struct in_lower *l, const struct in_inst *i)
{
    emit_edge(l, i->operands[0], take_weight(l));
    return l->result;
}

static void emit_arm(struct in_lower *l, uint32_t insn, bool is_d, uint32_t label)
{
    if (phi_count(l, label) == 0) {
        in_fixup(l, insn, is_d, label);
        return;
    }
    int32_t here = (int32_t)(l->code->count - insn);
    if (is_d)
        l->code->insns[insn].d = here;
    else
        l->code->insns[insn].c = here;
    emit_edge(l, label, 0);
}

enum mm_class in_lower_branch_conditional(struct in_lower *l, const struct in_inst *i)
{
    static const uint16_t fused[][2] = {{SpvOpIEqual, IN_B_EQ_32},
                                        {SpvOpINotEqual, IN_B_NE_32},
                                        {SpvOpUGreaterThan, IN_B_UGT_32},
                                        {SpvOpSGreaterThan, IN_B_SGT_32},
                                        {SpvOpUGreaterThanEqual, IN_B_UGE_32},
                                        {SpvOpSGreaterThanEqual, IN_B_SGE_32},
                                        {SpvOpULessThan, IN_B_ULT_32},
                                        {SpvOpSLessThan, IN_B_SLT_32},
                                        {SpvOpULessThanEqual, IN_B_ULE_32},
                                        {SpvOpSLessThanEqual, IN_B_SLE_32}};
    enum in_op op = IN_BRC;
    int32_t a, b = 0;
    if (l->use[i->operands[0]].deferred) {
        struct in_inst compare;
        in_def(l, i->operands[0], &compare);
        for (size_t k = 0; k < sizeof fused / sizeof *fused; k++)
            if (fused[k][0] == compare.opcode)
                op = (enum in_op)(fused[k][1] + (in_ty_of(l, compare.operands[0])->width == 64 ? 1 : 0));
        a = in_slot(l, compare.operands[0]);
        b = in_slot(l, compare.operands[1]);
    } else {
        a = in_slot(l, i->operands[0]);
    }
    uint32_t at = l->code->count;
    in_emit(l, op, 0, a, b, 0)->imm = take_weight(l);
    if (l->result != MM_OK)
        return l->result;
    emit_arm(l, at, true, i->operands[1]);
    emit_arm(l, at, false, i->operands[2]);
    return l->result;
}

enum mm_class in_lower_switch(struct in_lower *l, const struct in_inst *i)
{
    const struct in_ty *ty = in_ty_of(l, i->operands[0]);
    uint32_t words = ty->width == 64 ? 2 : 1, n = (i->operand_count - 2) / (words + 1);
    struct in_switch *table = mm_arena_alloc(l->code->arena, sizeof *table + n * sizeof *table->cases);
    if (!table)
        return in_lower_no_memory(l);
    table->count = n;
    uint32_t at = l->code->count;
    int32_t selector = in_slot(l, i->operands[0]);
    in_emit(l, IN_SWITCH, (int32_t)take_weight(l), selector, (int32_t)ty->size, 0)->p = table;
    for (uint32_t k = 0; k <= n; k++) {
        const uint32_t *w = i->operands + 2 + k * (words + 1);
        int32_t here = (int32_t)(l->code->count - at);
        if (k == n) {
            table->fallback = here;
            emit_edge(l, i->operands[1], 0);
            break;
        }
        table->cases[k].value = words == 2 ? (uint64_t)w[1] << 32 | w[0] : w[0];
        if (ty->width < 32)
            table->cases[k].value &= (UINT64_C(1) << ty->width) - 1;
        table->cases[k].target = here;
        emit_edge(l, w[words], 0);
    }
    return l->result;
}

enum mm_class in_lower_return(struct in_lower *l, const struct in_inst *i)
{
    (void)i;
    in_emit(l, IN_RET, l->frame->return_slot, (int32_t)l->first_private, (int32_t)l->code->private_count, 0)
        ->imm = take_weight(l);
    return l->result;
}

enum mm_class in_lower_return_value(struct in_lower *l, const struct in_inst *i)
{
    in_copy(l, l->frame->result_slot, in_slot(l, i->operands[0]), in_ty_of(l, i->operands[0])->reg_size);
    return in_lower_return(l, i);
}

enum mm_class in_lower_unreachable(struct in_lower *l, const struct in_inst *i)
{
    (void)i;
    in_emit(l, IN_UNREACHABLE, 0, 0, 0, 0);
    return l->result;
}

enum mm_class in_lower_call(struct in_lower *l, const struct in_inst *i)
{
    const struct in_id *id = &l->m->ids[i->operands[0]];
    if (id->kind != IN_ID_FUNCTION)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.9", "the callee is not a function");
    struct in_function *f = &l->m->functions[id->index];
    struct in_frame *frame = &l->frames[id->index];
    if (!f->has_body) {
        const char *name = *id->linkage != 0 ? id->linkage : id->name;
        char *text = mm_arena_alloc(l->code->arena, strlen(name) + 40);
        if (!text)
            return in_lower_no_memory(l);
        strcat(strcpy(text, "a call of the undefined function "), name);
        return in_unsupported(l, text);
    }
    if (i->operand_count - 1 != f->param_count)
        return in_bad(l->m, i->word, l->err, "SPIRV 3.49.9", "call with %u of %u arguments",
                      i->operand_count - 1, f->param_count);
    for (uint32_t k = 0; k < f->param_count; k++)
        in_copy(l, in_slot(l, f->params[k]), in_slot(l, i->operands[k + 1]),
                in_ty_of(l, f->params[k])->reg_size);
    uint32_t at = l->code->count;
    in_emit(l, IN_CALL, frame->return_slot, 0, 0, 0)->imm = take_weight(l);
    in_fixup(l, at, false, f->id);
    const struct in_ty *ty = in_ty_of(l, i->result);
    if (ty->kind != IN_TY_VOID)
        in_copy(l, in_dest(l, i), frame->result_slot, ty->reg_size);
    return l->result;
}

/* ---- waiting ----------------------------------------------------------------------------- */

static struct in_wait *make_wait(struct in_lower *l, const struct in_inst *i, enum in_wait_kind kind)
{
    struct in_wait *w = mm_arena_alloc(l->code->arena, sizeof *w);
    if (!w) {
        in_lower_no_memory(l);
        return NULL;
    }
    w->kind = kind;
    w->opcode = i->opcode;
    w->site = ++l->site;
    w->ty = in_ty_of(l, i->result);
    l->code->waits = true;
    return w;
}

static enum mm_class emit_wait(struct in_lower *l, const struct in_wait *w)
{
    in_emit(l, IN_WAIT, (int32_t)take_weight(l), 0, 0, 0)->p = w;
    return l->result;
}

enum mm_class in_lower_barrier(struct in_lower *l, const struct in_inst *i)
{
    struct in_wait *w = make_wait(l, i, IN_WAIT_BARRIER);
    if (!w)
        return l->result;
    w->scope = in_slot(l, i->operands[0]);
    w->memory_scope = in_slot(l, i->operands[1]);
    w->semantics = in_slot(l, i->operands[2]);
    return emit_wait(l, w);
}

/* The work-group creates a named barrier collectively: its sub-group count and its number. */
enum mm_class in_lower_named_barrier_init(struct in_lower *l, const struct in_inst *i)
{
    struct in_wait *w = make_wait(l, i, IN_WAIT_GROUP_OP);
    if (!w)
        return l->result;
    w->work_group = true;
    w->from = in_ty_of(l, i->operands[0]);
    w->operand[0] = in_slot(l, i->operands[0]);
    w->operand_count = 1;
    w->result = in_dest(l, i);
    return w->ty->kind == IN_TY_OPAQUE && w->from->kind == IN_TY_INT
               ? emit_wait(l, w)
               : in_bad(l->m, i->word, l->err, "SPIRV 3.49.20", "%s: types do not match",
                        in_opcode_name(i->opcode));
}

enum mm_class in_lower_named_barrier(struct in_lower *l, const struct in_inst *i)
{
    struct in_wait *w = make_wait(l, i, IN_WAIT_NAMED_BARRIER);
    if (!w)
        return l->result;
    w->work_group = true;
    w->operand[0] = in_slot(l, i->operands[0]);
    w->memory_scope = in_slot(l, i->operands[1]);
    w->semantics = in_slot(l, i->operands[2]);
    return in_ty_of(l, i->operands[0])->kind == IN_TY_OPAQUE
               ? emit_wait(l, w)
               : in_bad(l->m, i->word, l->err, "SPIRV 3.49.20", "the operand of %s is not a barrier",
                        in_opcode_name(i->opcode));
}

/* The type of the result, which the validator rarely checks: bool for a vote, four words for a ballot, an
 * integer for a count, else the type of the operand. */
static bool result_fits(const struct in_wait *w)
{
    const struct in_ty *ty = w->ty;
    switch (w->opcode) {
    case SpvOpGroupAll:
    case SpvOpGroupAny:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpGroupNonUniformElect:
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
        return ty->kind == IN_TY_BOOL;
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
        return in_count(ty) == 4 && in_scalar(ty)->kind == IN_TY_INT && in_scalar(ty)->width == 32;
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return ty->kind == IN_TY_INT;
    case SpvOpGroupAsyncCopy:
    case SpvOpGroupReserveReadPipePackets:
    case SpvOpGroupReserveWritePipePackets:
        return ty->kind == IN_TY_OPAQUE;
    case SpvOpGroupWaitEvents:
    case SpvOpGroupCommitReadPipe:
    case SpvOpGroupCommitWritePipe:
        return true;
    default:
        return ty == w->from && (in_scalar(ty)->kind == IN_TY_INT || in_scalar(ty)->kind == IN_TY_FLOAT ||
                                 in_scalar(ty)->kind == IN_TY_BOOL);
    }
}

static enum mm_class lower_collective(struct in_lower *l, const struct in_inst *i, enum in_wait_kind kind,
                                      bool scoped)
{
    struct in_wait *w = make_wait(l, i, kind);
    if (!w)
        return l->result;
    uint32_t at = 0;
    if (scoped)
        w->scope = in_slot(l, i->operands[at++]);
    for (; at < i->operand_count && w->operand_count < 6; at++) {
        uint32_t word = i->word + (uint32_t)(i->operands - i->w) + at;
        if (!l->m->is_id[word]) {
            w->operation = i->operands[at];
            continue;
        }
        if (w->operand_count == 0)
            w->from = in_ty_of(l, i->operands[at]);
        if (w->operand_count == 2)
            w->size_ty = in_ty_of(l, i->operands[at]);
        w->last = in_ty_of(l, i->operands[at]);
        w->operand[w->operand_count++] = in_slot(l, i->operands[at]);
    }
    w->result = i->result != 0 ? in_dest(l, i) : 0;
    return result_fits(w) ? emit_wait(l, w)
                          : in_bad(l->m, i->word, l->err, "SPIRV 3.49.21",
                                   "%s: the result type does not match", in_opcode_name(i->opcode));
}

enum mm_class in_lower_group(struct in_lower *l, const struct in_inst *i)
{
    return lower_collective(l, i, IN_WAIT_GROUP_OP, true);
}
enum mm_class in_lower_non_uniform(struct in_lower *l, const struct in_inst *i)
{
    return lower_collective(l, i, IN_WAIT_NON_UNIFORM, true);
}
/* Sub-group instructions of older extensions have no scope operand. */
enum mm_class in_lower_sub_group_legacy(struct in_lower *l, const struct in_inst *i)
{
    return lower_collective(l, i, IN_WAIT_NON_UNIFORM, false);
}
