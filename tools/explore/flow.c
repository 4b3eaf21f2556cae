/* Control flow: blocks in an order that puts only the back edges of loops backwards, phis as parallel copies
 * on edges, calls inlined.  [SPIRV 2.11, 3.42.9, 3.42.17] */
#include "tools/explore/flow.h"
#include "tools/explore/image/image.h"
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <string.h>

enum { MAX_DEPTH = 64 };
#define NO_BLOCK UINT32_MAX

struct block {
    uint32_t id;
    const struct in_inst *first, *last; /* after OpLabel .. the terminator */
    const struct in_inst *loop_merge;   /* NULL: it is not the header of a loop */
    uint32_t label;
    uint32_t visits; /* while the order is found: neighbors visited */
    bool seen;
};
struct body {
    struct ex *ex;
    struct block *blocks; /* as in the module */
    uint32_t block_count;
    uint32_t *numbers; /* by id: index in BLOCKS + 1; 0: not a block of this function */
    uint32_t *order;   /* reverse postorder, filled from the end */
    uint32_t order_at;
};

/* ---- blocks ------------------------------------------------------------------------------------- */

static void find_blocks(struct body *b, const struct in_function *f)
{
    struct ex *ex = b->ex;
    uint32_t count = 0;
    for (const struct in_inst *i = ex_first(ex, f); i->word < f->end; i++)
        count += i->opcode == SpvOpLabel;
    b->blocks = ex_alloc(ex, count * sizeof *b->blocks);
    b->numbers = ex_alloc(ex, ex->module.bound * sizeof *b->numbers);
    b->order = ex_alloc(ex, count * sizeof *b->order);
    b->order_at = count;
    for (const struct in_inst *i = ex_first(ex, f); i->word < f->end; i++) {
        if (i->opcode != SpvOpLabel)
            continue;
        const struct in_inst *last = i + 1, *loop_merge = NULL;
        for (; last->word < f->end && !in_is_terminator(last->opcode); last++)
            if (last->opcode == SpvOpLoopMerge)
                loop_merge = last;
        ex->current = i;
        if (last->word >= f->end)
            ex_fail(ex, MM_INVALID, "SPIRV 2.11", "a block has no terminator");
        b->blocks[b->block_count++] =
            (struct block){.id = i->result, .first = i + 1, .last = last, .loop_merge = loop_merge};
        b->numbers[i->result] = b->block_count;
    }
}

static uint32_t block_of(const struct body *b, uint32_t id)
{
    uint32_t number = id < b->ex->module.bound ? b->numbers[id] : 0;
    if (number)
        return number - 1;
    ex_fail(b->ex, MM_INVALID, "SPIRV 2.11", "a branch to a block of another function");
}

/* Words of a switch literal: those of its selector. */
static uint32_t literal_words(struct ex *ex, const struct in_inst *inst)
{
    return ex_type_of(ex, inst->operands[0])->width > 32 ? 2 : 1;
}

static uint32_t successor_count(struct ex *ex, const struct in_inst *t)
{
    switch (t->opcode) {
    case SpvOpBranch:
        return 1;
    case SpvOpBranchConditional:
        return 2;
    case SpvOpSwitch:
        return 1 + (t->operand_count - 2) / (literal_words(ex, t) + 1);
    default:
        return 0;
    }
}

static uint32_t successor_block(struct ex *ex, const struct in_inst *t, uint32_t i)
{
    if (t->opcode == SpvOpBranch)
        return t->operands[0];
    if (t->opcode == SpvOpBranchConditional)
        return t->operands[1 + i];
    return i == 0 ? t->operands[1] : t->operands[1 + i * (literal_words(ex, t) + 1)];
}

/* Neighbor I in the order of visits: the blocks that OpLoopMerge names, then the successors, the last one
 * first; NO_BLOCK: there are no more. */
static uint32_t neighbor_block(const struct body *b, const struct block *block, uint32_t i)
{
    uint32_t named = block->loop_merge ? 2 : 0, count = successor_count(b->ex, block->last);
    if (i < named)
        return block_of(b, block->loop_merge->operands[i]);
    if (i - named < count)
        return block_of(b, successor_block(b->ex, block->last, count - 1 - (i - named)));
    return NO_BLOCK;
}

/* Reverse postorder: the last successor is visited first, so that the first one follows its block.  The merge
 * block of a loop is visited before its body, which keeps the body contiguous. */
static void order_blocks(struct body *b)
{
    uint32_t depth = 1,
             *stack = ex_alloc(b->ex, b->block_count * sizeof *stack); /* stack[0]: the first block */
    b->blocks[0].seen = true;
    while (depth > 0) {
        struct block *block = &b->blocks[stack[depth - 1]];
        uint32_t next = neighbor_block(b, block, block->visits++);
        if (next == NO_BLOCK) {
            b->order[--b->order_at] = stack[--depth];
        } else if (!b->blocks[next].seen) {
            b->blocks[next].seen = true;
            stack[depth++] = next;
        }
    }
}

/* ---- edges -------------------------------------------------------------------------------------- */

static uint32_t phi_source(struct ex *ex, const struct in_inst *phi, uint32_t from)
{
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2)
        if (phi->operands[i + 1] == from)
            return phi->operands[i];
    ex_fail(ex, MM_INVALID, "SPIRV 3.42.17", "a phi lacks a value for one of its predecessors");
}

/* The registers of phi's result, made when they are first needed. */
static struct ex_value *phi_value(struct ex *ex, const struct in_inst *phi)
{
    struct ex_value *v = &ex->item.frame->values[phi->result];
    if (!v->type)
        *v = ex_new_registers(ex, ex_type(ex, phi->type));
    return v;
}

static bool is_line(const struct in_inst *inst)
{
    return inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
}

static void copy_phis(struct body *b, uint32_t from, uint32_t to)
{
    struct ex *ex = b->ex;
    uint32_t count = 0;
    const struct in_inst *first = b->blocks[to].first;
    while (first[count].opcode == SpvOpPhi || is_line(&first[count]))
        count++;
    struct ex_value *sources = ex_alloc(ex, count * sizeof *sources);
    for (uint32_t i = 0; i < count; i++) {
        const struct in_inst *phi = &first[i];
        if (phi->opcode != SpvOpPhi)
            continue;
        struct ex_value *in = ex_get(ex, phi_source(ex, phi, from)), *out = phi_value(ex, phi);
        if (in->count != out->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.17", "a phi's value has another type");
        sources[i] = ex_result(ex, phi);
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
        const struct in_inst *phi = &first[i];
        struct ex_value *out = phi->opcode == SpvOpPhi ? phi_value(ex, phi) : NULL;
        for (uint32_t k = 0; out && k < out->count; k++)
            ex_assign_leaf(ex, out, k, sources[i].leaves[k]);
    }
}

/* Jump threading: the target of the edge FROM-TO where block TO only merges values and branches on one of
 * them that is constant on this edge; NO_BLOCK: it does not. */
static uint32_t threaded_target(struct body *b, uint32_t from, uint32_t to)
{
    struct ex *ex = b->ex;
    const struct block *block = &b->blocks[to];
    const struct in_inst *t = block->last;
    uint32_t source = 0;
    if (t->opcode != SpvOpBranchConditional)
        return NO_BLOCK;
    for (const struct in_inst *inst = block->first; inst < t; inst++) {
        if (inst->opcode != SpvOpPhi && inst->opcode != SpvOpSelectionMerge && !is_line(inst))
            return NO_BLOCK;
        if (inst->opcode == SpvOpPhi && inst->result == t->operands[0])
            source = phi_source(ex, inst, from);
    }
    uint64_t constant;
    if (!source || !ex_constant(ex, source, 0, &constant))
        return NO_BLOCK;
    return constant ? t->operands[1] : t->operands[2];
}

static void take_edge(struct body *b, uint32_t from, uint32_t target)
{
    struct ex *ex = b->ex;
    for (unsigned hops = 0; hops < 16; hops++) {
        uint32_t to = block_of(b, target);
        copy_phis(b, from, to);
        uint32_t next = threaded_target(b, from, to);
        if (next == NO_BLOCK) {
            ex_jump(ex, b->blocks[to].label);
            return;
        }
        from = target;
        target = next;
    }
    ex_fail(ex, MM_INVALID, "SPIRV 2.11", "blocks that only branch to each other");
}

/* ---- terminators -------------------------------------------------------------------------------- */

static void branch_conditional(struct body *b, uint32_t block, const struct in_inst *t)
{
    struct ex *ex = b->ex;
    uint32_t condition = ex_scalar(ex, t->operands[0]), otherwise = ex_new_label(ex);
    uint64_t constant;
    if (ex_is_const(ex, condition, &constant) || t->operands[1] == t->operands[2]) {
        take_edge(b, b->blocks[block].id,
                  t->operands[1] == t->operands[2] || constant ? t->operands[1] : t->operands[2]);
        return;
    }
    ex_branch_if_zero(ex, condition, otherwise);
    take_edge(b, b->blocks[block].id, t->operands[1]);
    ex_place_label(ex, otherwise);
    take_edge(b, b->blocks[block].id, t->operands[2]);
}

static void switch_on(struct body *b, uint32_t block, const struct in_inst *t)
{
    struct ex *ex = b->ex;
    uint32_t selector = ex_scalar(ex, t->operands[0]), words = literal_words(ex, t);
    unsigned size = ex_size(ex, selector);
    for (uint32_t i = 1; i < successor_count(ex, t); i++) {
        const uint32_t *literal = t->operands + 2 + (i - 1) * (words + 1);
        uint64_t value = literal[0] | (words == 2 ? (uint64_t)literal[1] << 32 : 0);
        uint32_t next = ex_new_label(ex);
        ex_branch_if_zero(ex, ex_binary(ex, CK_EQ, selector, ex_const(ex, value, size)), next);
        take_edge(b, b->blocks[block].id, successor_block(ex, t, i));
        ex_place_label(ex, next);
    }
    take_edge(b, b->blocks[block].id, t->operands[1]);
}

static void return_value(struct ex *ex, const struct in_inst *t)
{
    struct ex_frame *frame = ex->item.frame;
    if (frame->result && t->operand_count) {
        struct ex_value *v = ex_get(ex, t->operands[0]);
        if (v->count != frame->result->count)
            ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a function's result is not of its return type");
        for (uint32_t i = 0; i < v->count; i++)
            ex_assign_leaf(ex, frame->result, i, v->leaves[i]);
    }
    ex_jump(ex, frame->return_label);
}

static void lower_terminator(struct body *b, uint32_t block, const struct in_inst *t)
{
    struct ex *ex = b->ex;
    switch (t->opcode) {
    case SpvOpBranch:
        take_edge(b, b->blocks[block].id, t->operands[0]);
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

static void lower_call(struct ex *ex, const struct in_inst *inst)
{
    const struct in_function *f = in_spirv_function(ex->module.decoded, inst->operands[0]);
    uint32_t count = inst->operand_count - 1;
    if (!f)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a call of an id that is not a function");
    struct ex_value *arguments = ex_alloc(ex, count * sizeof *arguments);
    struct ex_value result = {0};
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = *ex_get(ex, inst->operands[1 + i]);
    bool returns = ex_type(ex, inst->type)->kind != IN_TY_VOID;
    if (returns)
        result = ex_new_registers(ex, ex_type(ex, inst->type));
    ex_inline(ex, f, arguments, count, returns ? &result : NULL);
    if (returns) {
        for (uint32_t i = 0; i < result.count; i++)
            result.leaves[i] = ex_hold(ex, result.leaves[i]);
        ex_set(ex, inst->result, result);
    }
}

static void lower_instruction(struct ex *ex, const struct in_inst *inst)
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
        ex_emit(ex, (struct ck_instr){.op = CK_ASSUME, .value = ex_scalar(ex, inst->operands[0])});
        return;
    case SpvOpFunctionCall:
        lower_call(ex, inst);
        return;
    case SpvOpExtInst:
        ex_extended(ex, inst);
        return;
    default:
        break;
    }
    if (inst->result && ex_id(ex, inst->result)->kind == IN_ID_CONSTANT)
        return;
    if (!ex_memory(ex, inst) && !ex_atomic(ex, inst) && !ex_group(ex, inst) && !ex_copy(ex, inst) &&
        !ex_image(ex, inst) && !ex_compute(ex, inst))
        ex_fail_unsupported(ex, inst, "explore.opcode", "", NULL);
}

static void emit_block(struct body *b, uint32_t block)
{
    struct ex *ex = b->ex;
    const struct block *k = &b->blocks[block];
    ex_place_label(ex, k->label);
    for (const struct in_inst *i = k->first; i->opcode == SpvOpPhi; i++)
        phi_value(ex, i);
    for (const struct in_inst *i = k->first; i < k->last; i++) {
        ex->current = i;
        lower_instruction(ex, i);
    }
    ex->current = k->last;
    lower_terminator(b, block, k->last);
}

static void bind_parameters(struct ex *ex, const struct in_function *f, const struct ex_value *arguments,
                            uint32_t count)
{
    if (count < f->param_count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.9", "a call with too few arguments");
    for (uint32_t i = 0; i < f->param_count; i++)
        ex->item.frame->values[f->params[i]] = arguments[i];
}

void ex_inline(struct ex *ex, const struct in_function *function, const struct ex_value *arguments,
               uint32_t count, struct ex_value *result)
{
    struct ex_frame frame = {.outer = ex->item.frame, .function = function, .result = result};
    struct body body = {.ex = ex};
    const struct in_inst *caller = ex->current;
    frame.depth = frame.outer ? frame.outer->depth + 1 : 0;
    for (const struct ex_frame *f = frame.outer; f; f = f->outer)
        if (f->function == function)
            ex_fail(ex, MM_INVALID, "SPIRV 2.16.1", "recursion");
    if (frame.depth > MAX_DEPTH)
        ex_fail(ex, MM_LIMIT, "explore.calls",
                "calls that nest deeper than %d are not explored: call fewer functions from one another",
                MAX_DEPTH);
    frame.values = ex_alloc(ex, ex->module.bound * sizeof *frame.values);
    frame.return_label = ex_new_label(ex);
    ex->item.frame = &frame;
    bind_parameters(ex, function, arguments, count);
    find_blocks(&body, function);
    if (body.block_count == 0)
        ex_fail(ex, MM_LIMIT, "explore.calls",
                "'%s' is not explored, a function without a body: define it in the same file, or use another",
                ex_id(ex, function->id)->name);
    for (uint32_t i = 0; i < body.block_count; i++)
        body.blocks[i].label = ex_new_label(ex);
    order_blocks(&body);
    for (uint32_t i = body.order_at; i < body.block_count; i++)
        emit_block(&body, body.order[i]);
    ex_place_label(ex, frame.return_label);
    ex->item.frame = frame.outer;
    ex->current = caller;
}
