/* Control flow: blocks in an order that puts only the back edges of loops backwards, phis as parallel copies
 * on edges, calls inlined.  [SPIRV 2.11, 3.42.9, 3.42.17] */
#include "interp/module/module.h"
#include "tools/explore/explore.h"

#include <string.h>

enum { MAX_DEPTH = 64 };

struct block {
    uint32_t id, first, end; /* instructions after OpLabel .. past the terminator */
    uint32_t label;
    bool seen;
};
struct body {
    struct ex *ex;
    struct block *blocks;
    uint32_t block_count;
    uint32_t *order; /* reverse postorder, filled from the end */
    uint32_t order_at;
};

/* ---- blocks ------------------------------------------------------------------------------------- */

static bool is_terminator(uint16_t opcode)
{
    return (opcode >= SpvOpBranch && opcode <= SpvOpUnreachable) || opcode == SpvOpTerminateInvocation;
}

static void find_blocks(struct body *b, const struct ex_function *f)
{
    struct ex *ex = b->ex;
    uint32_t count = 0;
    for (uint32_t i = f->first; i < f->end; i++)
        count += ex->insts[i].opcode == SpvOpLabel;
    b->blocks = ex_alloc(ex, count * sizeof *b->blocks);
    b->order = ex_alloc(ex, count * sizeof *b->order);
    b->order_at = count;
    for (uint32_t i = f->first; i < f->end; i++) {
        if (ex->insts[i].opcode != SpvOpLabel)
            continue;
        uint32_t end = i + 1;
        while (end < f->end && !is_terminator(ex->insts[end].opcode))
            end++;
        ex->current = &ex->insts[i];
        if (end == f->end)
            ex_fail(ex, MM_INVALID, "SPIRV 2.11", "a block has no terminator");
        b->blocks[b->block_count++] =
            (struct block){.id = ex->insts[i].result, .first = i + 1, .end = end + 1};
    }
}

static uint32_t block_of(const struct body *b, uint32_t id)
{
    for (uint32_t i = 0; i < b->block_count; i++)
        if (b->blocks[i].id == id)
            return i;
    ex_fail(b->ex, MM_INVALID, "SPIRV 2.11", "a branch to a block of another function");
}

/* Words of a switch literal: those of its selector. */
static uint32_t literal_words(struct ex *ex, const struct ex_inst *inst)
{
    return ex_type_of(ex, inst->words[0])->width > 32 ? 2 : 1;
}

static uint32_t successor_count(struct ex *ex, const struct ex_inst *t)
{
    switch (t->opcode) {
    case SpvOpBranch:
        return 1;
    case SpvOpBranchConditional:
        return 2;
    case SpvOpSwitch:
        return 1 + (t->count - 2U) / (literal_words(ex, t) + 1);
    default:
        return 0;
    }
}

static uint32_t successor(struct ex *ex, const struct ex_inst *t, uint32_t i)
{
    if (t->opcode == SpvOpBranch)
        return t->words[0];
    if (t->opcode == SpvOpBranchConditional)
        return t->words[1 + i];
    return i == 0 ? t->words[1] : t->words[1 + i * (literal_words(ex, t) + 1)];
}

/* Depth first, the last successor first, so that the first one comes out next.  Exits of a loop are visited
 * before its body, which keeps the body together: a merge block named by OpLoopMerge goes first. */
static void visit(struct body *b, uint32_t block)
{
    struct ex *ex = b->ex;
    const struct ex_inst *t = &ex->insts[b->blocks[block].end - 1];
    if (b->blocks[block].seen)
        return;
    b->blocks[block].seen = true;
    for (uint32_t i = b->blocks[block].first; i < b->blocks[block].end; i++)
        if (ex->insts[i].opcode == SpvOpLoopMerge) {
            visit(b, block_of(b, ex->insts[i].words[0]));
            visit(b, block_of(b, ex->insts[i].words[1]));
        }
    for (uint32_t i = successor_count(ex, t); i-- > 0;)
        visit(b, block_of(b, successor(ex, t, i)));
    b->order[--b->order_at] = block;
}

/* ---- edges -------------------------------------------------------------------------------------- */

static uint32_t phi_source(struct ex *ex, const struct ex_inst *phi, uint32_t from)
{
    for (uint32_t i = 0; i + 1 < phi->count; i += 2)
        if (phi->words[i + 1] == from)
            return phi->words[i];
    ex_fail(ex, MM_INVALID, "SPIRV 3.42.17", "a phi lacks a value for one of its predecessors");
}

/* The registers of phi's result, made when they are first needed. */
static struct ex_value *phi_value(struct ex *ex, const struct ex_inst *phi)
{
    struct ex_value *v = &ex->build->frame->values[phi->result];
    if (v->type)
        return v;
    *v = ex_new_value(ex, phi->type);
    const struct ex_type *t = ex_type(ex, phi->type);
    for (uint32_t i = 0; i < v->count; i++)
        v->leaves[i] = ex_reg_expr(ex, ex_new_reg(ex, ex_scalar_size(ex_type(ex, t->leaves[i].type))));
    return v;
}

static void copy_phis(struct body *b, uint32_t from, uint32_t to)
{
    struct ex *ex = b->ex;
    uint32_t count = 0, first = b->blocks[to].first;
    struct ex_value *sources;
    while (ex->insts[first + count].opcode == SpvOpPhi || ex->insts[first + count].opcode == SpvOpLine ||
           ex->insts[first + count].opcode == SpvOpNoLine)
        count++;
    sources = ex_alloc(ex, count * sizeof *sources);
    for (uint32_t i = 0; i < count; i++) {
        const struct ex_inst *phi = &ex->insts[first + i];
        if (phi->opcode != SpvOpPhi)
            continue;
        struct ex_value *in = ex_get(ex, phi_source(ex, phi, from)), *out = phi_value(ex, phi);
        if (in->count != out->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.17", "a phi's value has another type");
        sources[i] = ex_new_value(ex, phi->type);
        for (uint32_t k = 0; k < in->count; k++) {
            uint64_t constant;
            sources[i].leaves[k] = in->leaves[k];
            if (count > 1 && !ex_is_const(ex, in->leaves[k], &constant)) {
                uint32_t reg = ex_new_reg(ex, ex_size(ex, in->leaves[k]));
                ex_assign(ex, reg, in->leaves[k]);
                sources[i].leaves[k] = ex_reg_expr(ex, reg);
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ex_inst *phi = &ex->insts[first + i];
        struct ex_value *out = phi->opcode == SpvOpPhi ? phi_value(ex, phi) : NULL;
        for (uint32_t k = 0; out && k < out->count; k++)
            ex_assign(ex, (uint32_t)ex->program->exprs[out->leaves[k]].imm, sources[i].leaves[k]);
    }
}

/* A block that only merges values and branches on one of them that is constant on this edge: where the edge
 * goes from there; UINT32_MAX: not such a block. */
static uint32_t threaded(struct body *b, uint32_t from, uint32_t to)
{
    struct ex *ex = b->ex;
    const struct block *block = &b->blocks[to];
    const struct ex_inst *t = &ex->insts[block->end - 1];
    uint32_t source = 0;
    if (t->opcode != SpvOpBranchConditional)
        return UINT32_MAX;
    for (uint32_t i = block->first; i + 1 < block->end; i++) {
        const struct ex_inst *inst = &ex->insts[i];
        bool silent = inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine ||
                      inst->opcode == SpvOpSelectionMerge;
        if (!silent)
            return UINT32_MAX;
        if (inst->opcode == SpvOpPhi && inst->result == t->words[0])
            source = phi_source(ex, inst, from);
    }
    if (!source || source >= ex->bound || !ex->ids[source].constant)
        return UINT32_MAX;
    return ex->ids[source].constant[0] ? t->words[1] : t->words[2];
}

static void take_edge(struct body *b, uint32_t from, uint32_t target)
{
    struct ex *ex = b->ex;
    for (unsigned hops = 0; hops < 16; hops++) {
        uint32_t to = block_of(b, target);
        copy_phis(b, from, to);
        uint32_t next = threaded(b, from, to);
        if (next == UINT32_MAX) {
            ex_jump(ex, b->blocks[to].label);
            return;
        }
        from = target;
        target = next;
    }
    ex_fail(ex, MM_INVALID, "SPIRV 2.11", "blocks that only branch to each other");
}

/* ---- terminators -------------------------------------------------------------------------------- */

static void branch_conditional(struct body *b, uint32_t block, const struct ex_inst *t)
{
    struct ex *ex = b->ex;
    uint32_t condition = ex_scalar(ex, t->words[0]), otherwise = ex_new_label(ex);
    uint64_t constant;
    if (ex_is_const(ex, condition, &constant) || t->words[1] == t->words[2]) {
        take_edge(b, b->blocks[block].id, t->words[1] == t->words[2] || constant ? t->words[1] : t->words[2]);
        return;
    }
    ex_branch_if_zero(ex, condition, otherwise);
    take_edge(b, b->blocks[block].id, t->words[1]);
    ex_place_label(ex, otherwise);
    take_edge(b, b->blocks[block].id, t->words[2]);
}

static void switch_on(struct body *b, uint32_t block, const struct ex_inst *t)
{
    struct ex *ex = b->ex;
    uint32_t selector = ex_scalar(ex, t->words[0]), words = literal_words(ex, t);
    unsigned size = ex_size(ex, selector);
    for (uint32_t i = 1; i < successor_count(ex, t); i++) {
        const uint32_t *literal = t->words + 2 + (i - 1) * (words + 1);
        uint64_t value = literal[0] | (words == 2 ? (uint64_t)literal[1] << 32 : 0);
        uint32_t next = ex_new_label(ex);
        ex_branch_if_zero(ex, ex_op(ex, CK_EQ, 1, selector, ex_const(ex, value, size), 0), next);
        take_edge(b, b->blocks[block].id, successor(ex, t, i));
        ex_place_label(ex, next);
    }
    take_edge(b, b->blocks[block].id, t->words[1]);
}

static void return_value(struct ex *ex, const struct ex_inst *t)
{
    struct ex_frame *frame = ex->build->frame;
    if (frame->result && t->count) {
        struct ex_value *v = ex_get(ex, t->words[0]);
        if (v->count != frame->result->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a function returns another type than it says");
        for (uint32_t i = 0; i < v->count; i++)
            ex_assign(ex, (uint32_t)ex->program->exprs[frame->result->leaves[i]].imm, v->leaves[i]);
    }
    ex_jump(ex, frame->return_label);
}

static void terminate(struct body *b, uint32_t block, const struct ex_inst *t)
{
    struct ex *ex = b->ex;
    switch (t->opcode) {
    case SpvOpBranch:
        take_edge(b, b->blocks[block].id, t->words[0]);
        break;
    case SpvOpBranchConditional:
        branch_conditional(b, block, t);
        break;
    case SpvOpSwitch:
        switch_on(b, block, t);
        break;
    case SpvOpReturn:
    case SpvOpReturnValue:
        return_value(ex, t);
        break;
    default: /* OpUnreachable too: the work-item ends, and what it did before counts */
        ex_emit(ex, (struct ck_instr){.op = CK_END});
    }
}

/* ---- bodies ------------------------------------------------------------------------------------- */

static void call(struct ex *ex, const struct ex_inst *inst)
{
    uint32_t id = inst->words[0], count = inst->count - 1U;
    if (id >= ex->bound || !ex->ids[id].function)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a call of an id that is not a function");
    struct ex_value *arguments = ex_alloc(ex, count * sizeof *arguments);
    struct ex_value result = {0};
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = *ex_get(ex, inst->words[1 + i]);
    bool returns = ex_type(ex, inst->type)->kind != EX_VOID;
    if (returns) {
        const struct ex_type *t = ex_type(ex, inst->type);
        result = ex_new_value(ex, inst->type);
        for (uint32_t i = 0; i < result.count; i++)
            result.leaves[i] =
                ex_reg_expr(ex, ex_new_reg(ex, ex_scalar_size(ex_type(ex, t->leaves[i].type))));
    }
    ex_inline(ex, &ex->functions[ex->ids[id].function - 1], arguments, count, returns ? &result : NULL);
    if (returns) {
        for (uint32_t i = 0; i < result.count; i++)
            result.leaves[i] = ex_hold(ex, result.leaves[i]);
        ex_set(ex, inst->result, result);
    }
}

static void instruction(struct ex *ex, const struct ex_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpNop:
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpNoLine:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpLine:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
        return;
    case SpvOpAssumeTrueKHR:
        ex_emit(ex, (struct ck_instr){.op = CK_ASSUME, .value = ex_scalar(ex, inst->words[0])});
        return;
    case SpvOpFunctionCall:
        call(ex, inst);
        return;
    case SpvOpExtInst:
        ex_extended(ex, inst);
        return;
    default:
        break;
    }
    if (inst->result && inst->result < ex->bound && ex->ids[inst->result].constant)
        return;
    if (!ex_memory(ex, inst) && !ex_atomic(ex, inst) && !ex_group(ex, inst) && !ex_copy(ex, inst) &&
        !ex_compute(ex, inst))
        ex_fail(ex, MM_LIMIT, "explore.opcode", "%s (opcode %u) is not explored",
                in_opcode_name(inst->opcode), inst->opcode);
}

static void emit_block(struct body *b, uint32_t block)
{
    struct ex *ex = b->ex;
    const struct block *k = &b->blocks[block];
    ex_place_label(ex, k->label);
    for (uint32_t i = k->first; i < k->end && ex->insts[i].opcode == SpvOpPhi; i++)
        phi_value(ex, &ex->insts[i]);
    for (uint32_t i = k->first; i + 1 < k->end; i++) {
        ex->current = &ex->insts[i];
        instruction(ex, &ex->insts[i]);
    }
    ex->current = &ex->insts[k->end - 1];
    terminate(b, block, ex->current);
}

static void bind_parameters(struct ex *ex, const struct ex_function *f, const struct ex_value *arguments,
                            uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = f->first; i < f->end && ex->insts[i].opcode != SpvOpLabel; i++) {
        if (ex->insts[i].opcode != SpvOpFunctionParameter)
            continue;
        if (n == count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a call with too few arguments");
        ex->build->frame->values[ex->insts[i].result] = arguments[n++];
    }
}

void ex_inline(struct ex *ex, const struct ex_function *function, const struct ex_value *arguments,
               uint32_t count, struct ex_value *result)
{
    struct ex_frame frame = {.outer = ex->build->frame, .function = function, .result = result};
    struct body body = {.ex = ex};
    const struct ex_inst *caller = ex->current;
    frame.depth = frame.outer ? frame.outer->depth + 1 : 0;
    for (const struct ex_frame *f = frame.outer; f; f = f->outer)
        if (f->function == function)
            ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "recursion");
    if (frame.depth > MAX_DEPTH)
        ex_fail(ex, MM_LIMIT, "explore.calls", "calls nest deeper than %d", MAX_DEPTH);
    frame.values = ex_alloc(ex, ex->bound * sizeof *frame.values);
    frame.return_label = ex_new_label(ex);
    ex->build->frame = &frame;
    bind_parameters(ex, function, arguments, count);
    find_blocks(&body, function);
    if (body.block_count == 0)
        ex_fail(ex, MM_LIMIT, "explore.calls", "a call of a function without a body");
    for (uint32_t i = 0; i < body.block_count; i++)
        body.blocks[i].label = ex_new_label(ex);
    visit(&body, 0);
    for (uint32_t i = body.order_at; i < body.block_count; i++)
        emit_block(&body, body.order[i]);
    ex_place_label(ex, frame.return_label);
    ex->build->frame = frame.outer;
    ex->current = caller;
}
