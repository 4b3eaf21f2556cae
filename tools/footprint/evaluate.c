/* Evaluates the instructions of a work-item with the arguments of a launch and unknown memory.
 *
 * Integers that follow from arguments, sizes and ids are known, and so are pointers.  A branch on an unknown
 * value continues at its immediate post-dominator: the instructions between are skipped.  So every access
 * that is found is executed, if the loops before it end. */
#include "tools/footprint/evaluate.h"
#include "tools/footprint/run.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32 };

static struct fp_value integer_value(uint64_t n)
{
    return (struct fp_value){.kind = FP_INT, .n = n};
}

static uint32_t width_of(const struct in_ty *ty)
{
    return ty->kind == IN_TY_BOOL ? 1 : ty->kind == IN_TY_INT ? ty->width : 64;
}

/* ---- integers and composites --------------------------------------------------------------------- */

static struct fp_value binary_operation(const struct in_inst *inst, const struct fp_value *a,
                                        const struct fp_value *b, const struct in_ty *operand)
{
    uint64_t n = 0;
    if (a->kind != FP_INT || b->kind != FP_INT ||
        !fp_arithmetic(inst->opcode, width_of(operand), a->n, b->n, &n))
        return (struct fp_value){0};
    return integer_value(n);
}

static struct fp_value evaluate_unary(uint32_t opcode, const struct fp_value *a, const struct in_ty *from,
                                      const struct in_ty *to)
{
    uint64_t n = a->n, mask = width_of(to) >= 64 ? UINT64_MAX : (UINT64_C(1) << width_of(to)) - 1;
    if (a->kind == FP_POINTER && (opcode == SpvOpBitcast || opcode == SpvOpConvertPtrToU))
        return *a;
    if (a->kind != FP_INT || from->kind == IN_TY_FLOAT || to->kind == IN_TY_FLOAT)
        return (struct fp_value){0};
    if (opcode == SpvOpSConvert)
        n = fp_extend(n, width_of(from));
    if (opcode == SpvOpSNegate)
        n = 0 - n;
    if (opcode == SpvOpNot || opcode == SpvOpLogicalNot)
        n = ~n;
    return integer_value(n & mask);
}

/* Applies an operation to each component of vectors. */
static struct fp_value by_parts(struct fp_run *run, const struct in_inst *inst, bool two)
{
    const struct in_ty *to = fp_type_of(run, inst->result), *from = fp_type_of(run, inst->operands[0]);
    const struct fp_value *a = &run->values[inst->operands[0]],
                          *b = two ? &run->values[inst->operands[1]] : a;
    if (!to || !from)
        return (struct fp_value){0};
    if (a->kind != FP_PARTS && in_count(to) != 1)
        return (struct fp_value){0};
    if (a->kind != FP_PARTS)
        return two ? binary_operation(inst, a, b, in_scalar(from))
                   : evaluate_unary(inst->opcode, a, in_scalar(from), in_scalar(to));
    struct fp_value result = {.kind = FP_PARTS, .count = a->count};
    if ((two && (b->kind != FP_PARTS || b->count != a->count)) || in_count(to) != a->count ||
        !(result.parts = fp_parts(run, a->count)))
        return (struct fp_value){0};
    for (unsigned i = 0; i < a->count; i++)
        result.parts[i] = two ? binary_operation(inst, &a->parts[i], &b->parts[i], in_scalar(from))
                              : evaluate_unary(inst->opcode, &a->parts[i], in_scalar(from), in_scalar(to));
    return result;
}

static struct fp_value part_of(const struct fp_value *v, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (v->kind != FP_PARTS || indices[i] >= v->count)
            return (struct fp_value){0};
        v = &v->parts[indices[i]];
    }
    return *v;
}

static struct fp_value evaluate_construct(struct fp_run *run, const struct in_inst *inst)
{
    struct fp_value result = {.kind = FP_PARTS, .count = (uint8_t)inst->operand_count};
    if (inst->operand_count > 16 || !(result.parts = fp_parts(run, inst->operand_count)))
        return (struct fp_value){0};
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        result.parts[i] = run->values[inst->operands[i]];
        if (result.parts[i].kind == FP_PARTS) /* parts of vectors are joined: rare */
            return (struct fp_value){0};
    }
    return result;
}

static struct fp_value evaluate_insert(struct fp_run *run, const struct in_inst *inst)
{
    const struct in_ty *ty = fp_type_of(run, inst->result);
    const struct fp_value *into = &run->values[inst->operands[1]];
    uint32_t count = ty && ty->kind == IN_TY_VECTOR ? ty->count : 0, at = inst->operands[2];
    struct fp_value result = {.kind = FP_PARTS, .count = (uint8_t)count};
    if (inst->operand_count != 3 || at >= count || !(result.parts = fp_parts(run, count)))
        return (struct fp_value){0};
    for (uint32_t i = 0; i < count && into->kind == FP_PARTS; i++)
        result.parts[i] = into->parts[i];
    result.parts[at] = run->values[inst->operands[0]];
    return result;
}

static struct fp_value evaluate_shuffle(struct fp_run *run, const struct in_inst *inst)
{
    const struct fp_value *a = &run->values[inst->operands[0]], *b = &run->values[inst->operands[1]];
    const struct in_ty *ty = fp_type_of(run, inst->operands[0]);
    uint32_t first = ty ? in_count(ty) : 0, count = inst->operand_count - 2;
    struct fp_value result = {.kind = FP_PARTS, .count = (uint8_t)count};
    if (count > 16 || !(result.parts = fp_parts(run, count)))
        return (struct fp_value){0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = inst->operands[2 + i];
        const struct fp_value *from = k < first ? a : b;
        k -= k < first ? 0 : first;
        if (from->kind == FP_PARTS && k < from->count)
            result.parts[i] = from->parts[k];
    }
    return result;
}

/* ---- pointers ------------------------------------------------------------------------------------ */

static struct fp_value move_pointer(struct fp_value pointer, const struct fp_value *index, uint64_t stride,
                                    const struct in_ty *index_ty)
{
    if (pointer.kind != FP_POINTER || index->kind != FP_INT)
        return (struct fp_value){0};
    pointer.n += fp_extend(index->n, width_of(index_ty)) * stride;
    return pointer;
}

static struct fp_value access_chain(struct fp_run *run, const struct in_inst *inst, bool element)
{
    struct fp_value pointer = run->values[inst->operands[0]];
    const struct in_ty *base = fp_type_of(run, inst->operands[0]), *ty = base ? base->element : NULL;
    uint32_t i = 1;
    if (!ty)
        return (struct fp_value){0};
    if (element) {
        const struct in_ty *index = fp_type_of(run, inst->operands[i]);
        pointer = move_pointer(pointer, &run->values[inst->operands[i]],
                               base->stride ? base->stride : ty->size, index);
        i++;
    }
    for (; i < inst->operand_count && pointer.kind == FP_POINTER; i++) {
        const struct fp_value *index = &run->values[inst->operands[i]];
        if (ty->kind == IN_TY_STRUCT && index->kind == FP_INT && index->n < ty->count) {
            pointer.n += ty->offsets[index->n];
            ty = ty->members[index->n];
        } else if (ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_VECTOR) {
            pointer = move_pointer(pointer, index, ty->stride, fp_type_of(run, inst->operands[i]));
            ty = ty->element;
        } else {
            return (struct fp_value){0};
        }
    }
    return pointer;
}

static void evaluate_variable(struct fp_run *run, const struct in_inst *inst)
{
    const struct in_ty *ty = fp_type_of(run, inst->result);
    struct fp_value v = fp_pointer_to(
        run, (struct fp_object){.kind = FP_PRIVATE, .size = ty && ty->element ? ty->element->size : 0});
    run->values[inst->result] = v;
    if (v.kind == FP_POINTER && inst->operand_count > 1 && ty && ty->element)
        fp_store(run, inst, &run->values[inst->result], &run->values[inst->operands[1]], ty->element);
}

/* ---- instructions -------------------------------------------------------------------------------- */

static bool is_binary(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
        return true;
    default:
        return (opcode >= SpvOpShiftRightLogical && opcode <= SpvOpBitwiseAnd) ||
               (opcode >= SpvOpLogicalEqual && opcode <= SpvOpLogicalAnd) ||
               (opcode >= SpvOpIEqual && opcode <= SpvOpSLessThanEqual);
    }
}

static bool is_unary(uint32_t opcode)
{
    return opcode == SpvOpUConvert || opcode == SpvOpSConvert || opcode == SpvOpSNegate ||
           opcode == SpvOpNot || opcode == SpvOpLogicalNot || opcode == SpvOpBitcast ||
           opcode == SpvOpConvertPtrToU || opcode == SpvOpConvertUToPtr;
}

static struct fp_value value_of(struct fp_run *run, const struct in_inst *inst)
{
    const uint32_t *o = inst->operands;
    const struct fp_value *condition;
    if (is_binary(inst->opcode))
        return by_parts(run, inst, true);
    if (is_unary(inst->opcode))
        return by_parts(run, inst, false);
    switch (inst->opcode) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return access_chain(run, inst, false);
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return access_chain(run, inst, true);
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpCopyObject:
        return run->values[o[0]];
    case SpvOpCompositeExtract:
        return part_of(&run->values[o[0]], o + 1, inst->operand_count - 1);
    case SpvOpCompositeConstruct:
        return evaluate_construct(run, inst);
    case SpvOpCompositeInsert:
        return evaluate_insert(run, inst);
    case SpvOpVectorShuffle:
        return evaluate_shuffle(run, inst);
    case SpvOpVectorExtractDynamic:
        if (run->values[o[1]].kind != FP_INT)
            break;
        return part_of(&run->values[o[0]], &(uint32_t){(uint32_t)run->values[o[1]].n}, 1);
    case SpvOpSelect:
        condition = &run->values[o[0]];
        if (condition->kind == FP_INT)
            return run->values[condition->n ? o[1] : o[2]];
        break;
    case SpvOpWritePipe:
    case SpvOpReservedWritePipe:
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
        break;
    default: /* it may write through a pointer, as OpReadPipe does */
        if (fp_takes_pointer(run, inst, 0))
            fp_forget(run);
        break;
    }
    return (struct fp_value){0};
}

/* ---- control ------------------------------------------------------------------------------------- */

struct frame {
    const struct in_function *function;
    uint32_t word, block, previous; /* next instruction; label ids */
};

static const struct in_inst *inst_at(const struct fp_run *run, uint32_t word)
{
    return &run->m->instructions[run->m->numbers[word]];
}

static struct fp_value phi_value(const struct fp_run *run, const struct in_inst *phi, const struct frame *f)
{
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2)
        if (f->previous && phi->operands[i + 1] == f->previous)
            return run->values[phi->operands[i]];
    return (struct fp_value){0};
}

/* Phis of a block read the values from before the block. */
static void enter_block(struct fp_run *run, struct frame *f, uint32_t label_word, uint32_t from)
{
    const struct in_inst *label = inst_at(run, label_word), *end = label + 1;
    f->block = label->result;
    f->previous = from;
    while (end->opcode == SpvOpPhi || end->opcode == SpvOpLine || end->opcode == SpvOpNoLine)
        end++;
    f->word = end->word;
    size_t pool = run->pool_used, count = (size_t)(end - label);
    struct fp_value *now = fp_parts(run, count); /* NULL: the phis are unknown */
    for (size_t i = 1; i < count && now; i++)
        if (label[i].opcode == SpvOpPhi)
            now[i] = phi_value(run, &label[i], f);
    for (size_t i = 1; i < count; i++)
        if (label[i].opcode == SpvOpPhi)
            run->values[label[i].result] = now ? now[i] : (struct fp_value){0};
    run->pool_used = pool;
}

static void jump_to(struct fp_run *run, struct frame *f, uint32_t label)
{
    const struct in_id *id = in_spirv_id(run->module, label);
    if (id && id->word)
        enter_block(run, f, id->word, f->block);
    else
        f->word = f->function->end;
}

/* The values that BLOCKS define become unknown. */
static void forget_blocks(struct fp_run *run, const struct fp_blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->count; i++)
        for (const struct in_inst *inst = inst_at(run, in_spirv_id(run->module, blocks->labels[i])->word);
             !in_is_terminator(inst->opcode); inst++)
            if (inst->result)
                run->values[inst->result] = (struct fp_value){0};
}

/* Skips to the post-dominator of a branch on an unknown value: the stores between may have been executed, and
 * so may more iterations of a loop that the branch leaves. */
static void skip_branches(struct fp_run *run, struct frame *f)
{
    uint32_t word = fp_post_dominator(run->m, f->function, f->block);
    const struct fp_blocks *repeated = fp_repeated_blocks(run->m, f->function, f->block);
    if (repeated)
        forget_blocks(run, repeated);
    else
        word = 0; /* out of memory */
    fp_forget(run);
    run->unknown = UINT64_MAX;
    run->after_sync |= run->m->has_atomics;
    run->returned = (struct fp_value){0};
    if (word)
        enter_block(run, f, word, 0);
    else
        f->word = f->function->end;
}

static bool call_function(struct fp_run *run, uint32_t function_id, const uint32_t *arguments,
                          uint32_t count);

static void evaluate_branch(struct fp_run *run, const struct in_inst *inst, struct frame *f)
{
    const uint32_t *o = inst->operands;
    const struct fp_value *v = &run->values[o[0]];
    if (inst->opcode == SpvOpBranch) {
        jump_to(run, f, o[0]);
    } else if (v->kind != FP_INT) {
        skip_branches(run, f);
    } else if (inst->opcode == SpvOpBranchConditional) {
        jump_to(run, f, v->n & 1 ? o[1] : o[2]);
    } else {
        const struct in_ty *ty = fp_type_of(run, o[0]);
        uint32_t step = ty && ty->width > 32 ? 3 : 2, to = o[1];
        for (uint32_t i = 2; i + step <= inst->operand_count; i += step) {
            uint64_t literal = step == 3 ? o[i] | (uint64_t)o[i + 1] << 32 : o[i];
            if (literal == v->n)
                to = o[i + step - 1];
        }
        jump_to(run, f, to);
    }
}

/* Loads a built-in variable, which represents a work-item function. */
static bool load_builtin(struct fp_run *run, const struct in_inst *inst)
{
    const struct in_id *from = in_spirv_id(run->module, inst->operands[0]);
    const struct in_ty *ty = fp_type_of(run, inst->result);
    if (!from || from->kind != IN_ID_GLOBAL || from->builtin == IN_NO_BUILTIN || !ty)
        return false;
    run->values[inst->result] = fp_builtin(run, from->builtin, ty);
    return true;
}

/* False: the function's end. */
static bool execute_instruction(struct fp_run *run, struct frame *f)
{
    const struct in_inst *inst = inst_at(run, f->word);
    f->word += inst->count;
    switch (inst->opcode) {
    case SpvOpLabel:
        f->block = inst->result;
        return true;
    case SpvOpFunction:
    case SpvOpFunctionParameter:
        return true;
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        evaluate_branch(run, inst, f);
        return f->word < f->function->end;
    case SpvOpReturnValue:
        run->returned = run->values[inst->operands[0]];
        return false;
    case SpvOpReturn:
    case SpvOpUnreachable:
    case SpvOpFunctionEnd:
        return false;
    case SpvOpFunctionCall:
        run->returned = (struct fp_value){0};
        if (!call_function(run, inst->operands[0], inst->operands + 1, inst->operand_count - 1))
            fp_forget(run);
        run->values[inst->result] = run->returned;
        return true;
    case SpvOpVariable:
        evaluate_variable(run, inst);
        return true;
    case SpvOpExtInst:
        fp_extended(run, inst);
        return true;
    case SpvOpLoad:
        if (!load_builtin(run, inst))
            fp_memory(run, inst);
        return true;
    default:
        if (!fp_memory(run, inst) && inst->result)
            run->values[inst->result] = value_of(run, inst);
        return true;
    }
}

bool fp_run_function(struct fp_run *run, const struct in_function *function)
{
    struct frame f = {.function = function, .word = function->word};
    if (!function->has_body || run->depth == MOST_DEPTH) {
        run->unknown = UINT64_MAX;
        run->after_sync |= run->m->has_atomics;
        return false;
    }
    run->depth++;
    while (run->steps && f.word < function->end && execute_instruction(run, &f))
        run->steps -= run->steps > 0; /* a call may have used the last step */
    run->depth--;
    return true;
}

static bool call_function(struct fp_run *run, uint32_t function_id, const uint32_t *arguments, uint32_t count)
{
    const struct in_function *function = in_spirv_function(run->module, function_id);
    if (!function || !function->has_body)
        return false;
    for (uint32_t i = 0; i < count && i < function->param_count; i++)
        run->values[function->params[i]] = run->values[arguments[i]];
    return fp_run_function(run, function);
}
