/* Evaluates work-items with the arguments of a launch and unknown memory: what they access on every way.
 *
 * Integers that follow from arguments, sizes and ids are known, and so are pointers.  A branch on an unknown value resumes
 * where its ways meet again, and what lies between is left out, as is all that may be ordered after other agents through
 * atomics.  Each access found is one that the launch makes, if its loops end: never one too many. */
#include "tools/footprint/evaluate.h"
#include "memmodel/base/array.h"
#include "tools/footprint/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1 << 17,    /* of a launch */
    PATIENT_STEPS = 1 << 28, /* of all launches; later ones are evaluated for FEW_STEPS each */
    FEW_STEPS = 1 << 12
};
enum { MOST_ITEMS = 4096, ITEM_RUNS = 16, MOST_DEPTH = 32, MOST_LAUNCHES = 256 };

static struct fp_value integer(uint64_t n)
{
    return (struct fp_value){.kind = FP_INT, .n = n};
}

static uint32_t width_of(const struct in_ty *ty)
{
    return ty->kind == IN_TY_BOOL ? 1 : ty->kind == IN_TY_INT ? ty->width : 64;
}

/* ---- integers and composites --------------------------------------------------------------------- */

static struct fp_value binary(const struct in_inst *inst, const struct fp_value *a, const struct fp_value *b,
                              const struct in_ty *operand)
{
    uint64_t n = 0;
    if (a->kind != FP_INT || b->kind != FP_INT ||
        !fp_arithmetic(inst->opcode, width_of(operand), a->n, b->n, &n))
        return (struct fp_value){0};
    return integer(n);
}

static struct fp_value unary(uint32_t opcode, const struct fp_value *a, const struct in_ty *from,
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
    return integer(n & mask);
}

/* Of vectors, each part. */
static struct fp_value by_parts(struct fp_run *run, const struct in_inst *inst, bool two)
{
    const struct in_ty *to = fp_type_of(run, inst->result), *from = fp_type_of(run, inst->operands[0]);
    const struct fp_value *a = &run->values[inst->operands[0]],
                          *b = two ? &run->values[inst->operands[1]] : a;
    if (!to || !from)
        return (struct fp_value){0};
    if (a->kind != FP_PARTS)
        return two ? binary(inst, a, b, in_scalar(from))
                   : unary(inst->opcode, a, in_scalar(from), in_scalar(to));
    struct fp_value result = {.kind = FP_PARTS, .count = a->count};
    if ((two && (b->kind != FP_PARTS || b->count != a->count)) || in_count(to) != a->count ||
        !(result.parts = fp_parts(run, a->count)))
        return (struct fp_value){0};
    for (unsigned i = 0; i < a->count; i++)
        result.parts[i] = two ? binary(inst, &a->parts[i], &b->parts[i], in_scalar(from))
                              : unary(inst->opcode, &a->parts[i], in_scalar(from), in_scalar(to));
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

static struct fp_value construct(struct fp_run *run, const struct in_inst *inst)
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

static struct fp_value insert(struct fp_run *run, const struct in_inst *inst)
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

static struct fp_value shuffle(struct fp_run *run, const struct in_inst *inst)
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

static struct fp_value moved(struct fp_value pointer, const struct fp_value *index, uint64_t stride,
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
        pointer =
            moved(pointer, &run->values[inst->operands[i]], base->stride ? base->stride : ty->size, index);
        i++;
    }
    for (; i < inst->operand_count && pointer.kind == FP_POINTER; i++) {
        const struct fp_value *index = &run->values[inst->operands[i]];
        if (ty->kind == IN_TY_STRUCT && index->kind == FP_INT && index->n < ty->count) {
            pointer.n += ty->offsets[index->n];
            ty = ty->members[index->n];
        } else if (ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_VECTOR) {
            pointer = moved(pointer, index, ty->stride, fp_type_of(run, inst->operands[i]));
            ty = ty->element;
        } else {
            return (struct fp_value){0};
        }
    }
    return pointer;
}

static void variable(struct fp_run *run, const struct in_inst *inst)
{
    const struct in_ty *ty = fp_type_of(run, inst->result);
    struct fp_value v = {.kind = FP_POINTER};
    v.object = fp_object_add(
        run, (struct fp_object){.kind = FP_PRIVATE, .size = ty && ty->element ? ty->element->size : 0});
    run->values[inst->result] = v.object ? v : (struct fp_value){0};
    if (v.object && inst->operand_count > 1 && ty && ty->element)
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
        return construct(run, inst);
    case SpvOpCompositeInsert:
        return insert(run, inst);
    case SpvOpVectorShuffle:
        return shuffle(run, inst);
    case SpvOpVectorExtractDynamic:
        if (run->values[o[1]].kind != FP_INT)
            break;
        return part_of(&run->values[o[0]], &(uint32_t){(uint32_t)run->values[o[1]].n}, 1);
    case SpvOpSelect:
        condition = &run->values[o[0]];
        if (condition->kind == FP_INT)
            return run->values[condition->n ? o[1] : o[2]];
        break;
    default:
        break;
    }
    return (struct fp_value){0};
}

/* ---- control ------------------------------------------------------------------------------------- */

struct frame {
    const struct in_function *function;
    uint32_t word, block, previous; /* next instruction; label ids */
};

static void phi(struct fp_run *run, const struct in_inst *inst, const struct frame *f)
{
    run->values[inst->result] = (struct fp_value){0};
    for (uint32_t i = 0; i + 1 < inst->operand_count; i += 2)
        if (f->previous && inst->operands[i + 1] == f->previous)
            run->values[inst->result] = run->values[inst->operands[i]];
}

/* Phis of a block read the values of before. */
static void enter_block(struct fp_run *run, struct frame *f, uint32_t label_word, uint32_t from)
{
    struct fp_value old[32];
    struct in_inst inst;
    size_t count = 0;
    in_inst_at(run->module, label_word, &inst);
    f->block = inst.result;
    f->previous = from;
    f->word = label_word + inst.count;
    uint32_t word = f->word, ids[32];
    for (in_inst_at(run->module, word, &inst); inst.opcode == SpvOpPhi || inst.opcode == SpvOpLine;
         in_inst_at(run->module, word, &inst)) {
        word += inst.count;
        if (inst.opcode != SpvOpPhi || count == 32)
            continue;
        struct fp_value keep = run->values[inst.result];
        phi(run, &inst, f);
        old[count] = run->values[inst.result];
        ids[count++] = inst.result;
        run->values[inst.result] = keep;
    }
    for (size_t i = 0; i < count; i++)
        run->values[ids[i]] = old[i];
    f->word = count < 32 ? word : f->word;
}

static void jump(struct fp_run *run, struct frame *f, uint32_t label)
{
    const struct in_id *id = in_spirv_id(run->module, label);
    if (id && id->word)
        enter_block(run, f, id->word, f->block);
    else
        f->word = f->function->end;
}

/* Any of the ways may be taken: what they store and publish is not known. */
static void skip(struct fp_run *run, struct frame *f)
{
    uint32_t word = fp_meeting(run->module, f->function, f->block);
    fp_forget(run);
    run->late |= run->m->has_atomics;
    run->returned = (struct fp_value){0};
    if (word)
        enter_block(run, f, word, 0);
    else
        f->word = f->function->end;
}

static bool call(struct fp_run *run, uint32_t function_id, const uint32_t *arguments, uint32_t count);

static void branch(struct fp_run *run, const struct in_inst *inst, struct frame *f)
{
    const uint32_t *o = inst->operands;
    const struct fp_value *v = &run->values[o[0]];
    if (inst->opcode == SpvOpBranch) {
        jump(run, f, o[0]);
    } else if (v->kind != FP_INT) {
        skip(run, f);
    } else if (inst->opcode == SpvOpBranchConditional) {
        jump(run, f, v->n & 1 ? o[1] : o[2]);
    } else {
        const struct in_ty *ty = fp_type_of(run, o[0]);
        uint32_t step = ty && ty->width > 32 ? 3 : 2, to = o[1];
        for (uint32_t i = 2; i + step <= inst->operand_count; i += step) {
            uint64_t literal = step == 3 ? o[i] | (uint64_t)o[i + 1] << 32 : o[i];
            if (literal == v->n)
                to = o[i + step - 1];
        }
        jump(run, f, to);
    }
}

/* Work-item functions are variables. */
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
static bool step(struct fp_run *run, struct frame *f)
{
    struct in_inst inst;
    in_inst_at(run->module, f->word, &inst);
    f->word += inst.count;
    switch (inst.opcode) {
    case SpvOpLabel:
        f->block = inst.result;
        return true;
    case SpvOpFunction:
    case SpvOpFunctionParameter:
        return true;
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        branch(run, &inst, f);
        return f->word < f->function->end;
    case SpvOpReturnValue:
        run->returned = run->values[inst.operands[0]];
        return false;
    case SpvOpReturn:
    case SpvOpUnreachable:
    case SpvOpFunctionEnd:
        return false;
    case SpvOpFunctionCall:
        run->returned = (struct fp_value){0};
        if (!call(run, inst.operands[0], inst.operands + 1, inst.operand_count - 1))
            fp_forget(run);
        run->values[inst.result] = run->returned;
        return true;
    case SpvOpPhi:
        phi(run, &inst, f);
        return true;
    case SpvOpVariable:
        variable(run, &inst);
        return true;
    case SpvOpExtInst:
        fp_extended(run, &inst);
        return true;
    case SpvOpLoad:
        if (!load_builtin(run, &inst))
            fp_memory(run, &inst);
        return true;
    default:
        if (!fp_memory(run, &inst) && inst.result)
            run->values[inst.result] = value_of(run, &inst);
        return true;
    }
}

static bool run_function(struct fp_run *run, const struct in_function *function)
{
    struct frame f = {.function = function, .word = function->word};
    if (!function->has_body || run->depth == MOST_DEPTH)
        return false;
    run->depth++;
    while (run->steps && f.word < function->end && step(run, &f))
        run->steps--;
    run->depth--;
    return true;
}

static bool call(struct fp_run *run, uint32_t function_id, const uint32_t *arguments, uint32_t count)
{
    const struct in_function *function = in_spirv_function(run->module, function_id);
    if (!function || !function->has_body)
        return false;
    for (uint32_t i = 0; i < count && i < function->param_count; i++)
        run->values[function->params[i]] = run->values[arguments[i]];
    return run_function(run, function);
}

/* ---- a launch ------------------------------------------------------------------------------------ */

static struct fp_value constant(const struct in_id *id)
{
    const struct in_ty *ty = id->ty;
    struct fp_value v = {0};
    if (id->kind != IN_ID_CONSTANT || !ty || !id->bytes || id->undefined || ty->reg_size > 8 ||
        (ty->kind != IN_TY_INT && ty->kind != IN_TY_BOOL))
        return v;
    v.kind = FP_INT;
    memcpy(&v.n, id->bytes, ty->reg_size);
    return v;
}

/* Constants of vectors are parts. */
static struct fp_value constant_parts(struct fp_run *run, const struct in_id *id)
{
    const struct in_ty *ty = id->ty;
    struct fp_value v = {0};
    if (id->kind != IN_ID_CONSTANT || !ty || ty->kind != IN_TY_VECTOR || ty->element->kind != IN_TY_INT ||
        !id->bytes || id->undefined || !(v.parts = fp_parts(run, ty->count)))
        return constant(id);
    v.kind = FP_PARTS;
    v.count = (uint8_t)ty->count;
    for (uint32_t i = 0; i < ty->count; i++) {
        v.parts[i].kind = FP_INT;
        memcpy(&v.parts[i].n, id->bytes + i * ty->element->reg_size, ty->element->reg_size);
    }
    return v;
}

static void bind_globals(struct fp_run *run)
{
    uint32_t bound = in_spirv_bound(run->module);
    run->objects[0] = (struct fp_object){.kind = FP_OTHER};
    run->object_count = 1;
    for (uint32_t i = 1; i < bound; i++) {
        const struct in_id *id = in_spirv_id(run->module, i);
        run->values[i] = id ? constant_parts(run, id) : (struct fp_value){0};
        if (!id || id->kind != IN_ID_GLOBAL || !id->ty)
            continue;
        bool global = id->ty->storage == SpvStorageClassCrossWorkgroup && id->ty->element;
        struct fp_object object = {.kind = global ? FP_GLOBAL : FP_OTHER,
                                   .base = FP_VARIABLE + i,
                                   .size = global ? id->ty->element->size : 0};
        if (id->builtin == IN_NO_BUILTIN)
            run->values[i] = (struct fp_value){.kind = FP_POINTER, .object = fp_object_add(run, object)};
    }
}

static void bind_arguments(struct fp_run *run, const struct in_function *function)
{
    for (uint32_t i = 0; i < function->param_count && i < run->head.arguments; i++) {
        const struct ly_argument *a = &run->arguments[i];
        const struct in_ty *ty = fp_type_of(run, function->params[i]);
        struct fp_value v = {.kind = FP_POINTER};
        struct fp_object object = {.base = i, .size = a->size};
        object.kind = a->kind == LY_ARGUMENT_MEMORY  ? FP_ARGUMENT
                      : a->kind == LY_ARGUMENT_IMAGE ? FP_IMAGE
                                                     : FP_OTHER;
        if (a->kind == LY_ARGUMENT_VALUE && ty && ty->kind == IN_TY_POINTER && a->size <= LY_VALUE_BYTES) {
            object.kind = FP_PRIVATE;
            object.bytes = a->value;
        }
        if (a->kind == LY_ARGUMENT_VALUE && ty && ty->kind != IN_TY_POINTER) {
            v = (struct fp_value){0};
            bool scalar = ty->kind == IN_TY_INT && a->size <= 8;
            if (scalar) {
                v.kind = FP_INT;
                memcpy(&v.n, a->value, a->size);
            } else if (ty->kind == IN_TY_VECTOR && ty->element->kind == IN_TY_INT &&
                       a->size >= ty->count * ty->element->size && a->size <= LY_VALUE_BYTES &&
                       (v.parts = fp_parts(run, ty->count))) {
                v.kind = FP_PARTS;
                v.count = (uint8_t)ty->count;
                for (uint32_t k = 0; k < ty->count; k++) {
                    v.parts[k].kind = FP_INT;
                    memcpy(&v.parts[k].n, a->value + k * ty->element->size, ty->element->size);
                }
            }
        } else {
            v.object = fp_object_add(run, object);
        }
        run->values[function->params[i]] = v;
    }
}

static int compare_accesses(const void *x, const void *y)
{
    const struct fp_access *a = x, *b = y;
    const uint64_t pa[] = {a->base, a->word, a->kind, a->offset, a->size},
                   pb[] = {b->base, b->word, b->kind, b->offset, b->size};
    for (size_t i = 0; i < sizeof pa / sizeof *pa; i++)
        if (pa[i] != pb[i])
            return pa[i] < pb[i] ? -1 : 1;
    return 0;
}

/* Neighboring plain accesses of one instruction are one. */
static size_t join_accesses(struct fp_access *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof(*list), compare_accesses);
    for (size_t i = 0; i < count; i++) {
        struct fp_access *last = kept ? &list[kept - 1] : NULL;
        bool same = last && last->base == list[i].base && last->word == list[i].word &&
                    last->kind == list[i].kind && last->attributes == list[i].attributes;
        uint64_t end = list[i].offset + list[i].size;
        if (same && list[i].attributes && list[i].offset == last->offset)
            continue;
        if (same && !list[i].attributes && list[i].offset <= last->offset + last->size) {
            if (end > last->offset + last->size)
                last->size = end - last->offset;
            continue;
        }
        list[kept++] = list[i];
    }
    return kept;
}

static const struct in_function *entry_of(const struct in_module *module, const char *name)
{
    const struct in_entry *entry;
    for (size_t i = 0; (entry = in_spirv_entry(module, i)); i++)
        if (strcmp(entry->name, name) == 0)
            return in_spirv_function(module, entry->function);
    return NULL;
}

static void run_item(struct fp_run *run, const struct in_function *function, uint64_t item)
{
    const uint64_t *size = run->head.global_size;
    run->id[0] = item % size[0];
    run->id[1] = item / size[0] % size[1];
    run->id[2] = item / size[0] / size[1];
    run->late = false;
    bind_arguments(run, function);
    run_function(run, function);
}

/* All of them, or as many as the limits allow: runs of neighbors, spread over the launch, the last run second. */
static void run_items(struct fp_run *run, const struct in_function *function)
{
    const uint64_t *size = run->head.global_size;
    uint64_t total = size[0] * size[1] * size[2], runs = total > MOST_ITEMS ? ITEM_RUNS : 1;
    uint64_t length = runs > 1 ? MOST_ITEMS / ITEM_RUNS : total;
    uint32_t objects = run->object_count;
    size_t pool = run->pool_used;
    static size_t all; /* under the lock */
    const size_t most = all < PATIENT_STEPS ? MOST_STEPS : FEW_STEPS;
    run->steps = most;
    for (uint64_t k = 0; k < runs; k++) {
        uint64_t place = k == 0 ? 0 : k == 1 ? runs - 1 : k - 1;
        uint64_t first = runs > 1 ? (total - length) / (runs - 1) * place : 0;
        if (k == 1)
            first = total - length;
        for (uint64_t i = 0; i < length && run->steps; i++) {
            run->object_count = objects;
            run->pool_used = pool;
            run->cell_count = 0;
            run_item(run, function, first + i);
        }
    }
    all += most - run->steps;
}

static void drop_late(struct fp_launch *launch)
{
    size_t kept = 0;
    for (size_t i = 0; i < launch->count; i++)
        if (!launch->accesses[i].late)
            launch->accesses[kept++] = launch->accesses[i];
    launch->count = kept;
}

static void evaluate(struct fp_module *m, struct fp_launch *launch)
{
    struct fp_run *run = mm_alloc_zero(1, sizeof(*run));
    if (!run)
        return;
    memcpy(&run->head, launch->bytes, sizeof run->head);
    run->m = m;
    run->module = m->module;
    run->arguments = (const void *)((const char *)launch->bytes + sizeof run->head);
    const char *name = (const char *)(run->arguments + run->head.arguments);
    const struct in_function *function = entry_of(m->module, name);
    run->values = mm_alloc_zero(in_spirv_bound(m->module), sizeof(*run->values));
    if (function && run->values) {
        bind_globals(run);
        run_items(run, function);
    }
    launch->has_children = function && fp_reaches(m->module, function, SpvOpEnqueueKernel);
    launch->accesses = run->accesses;
    launch->count = run->access_count;
    drop_late(launch);
    launch->count = launch->count ? join_accesses(launch->accesses, launch->count) : 0;
    mm_free(run->values);
    mm_free(run);
}

static bool is_valid(const void *bytes, size_t size)
{
    struct ly_launch_head head;
    if (size < sizeof head || ((const char *)bytes)[size - 1])
        return false;
    memcpy(&head, bytes, sizeof head);
    for (unsigned d = 0; d < 3; d++)
        if (head.global_size[d] == 0 || head.global_size[d] > UINT32_MAX)
            return false;
    return head.arguments < size / sizeof(struct ly_argument) + 1 &&
           size > sizeof head + head.arguments * sizeof(struct ly_argument);
}

static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;

void fp_lock(void)
{
    pthread_mutex_lock(&launches_lock);
}

void fp_unlock(void)
{
    pthread_mutex_unlock(&launches_lock);
}

static void free_launch(struct fp_launch *launch)
{
    mm_free(launch->accesses);
    mm_free(launch->bytes);
    mm_free(launch);
}

/* The same launch again needs no new evaluation: the latest ones are kept, the last one used first. */
const struct fp_launch *fp_evaluate(struct fp_module *m, const void *bytes, size_t size)
{
    if (!m || !m->module || !is_valid(bytes, size))
        return NULL;
    size_t passed = 0;
    struct fp_launch **at = &m->launches;
    for (; *at && ((*at)->size != size || memcmp((*at)->bytes, bytes, size) != 0); at = &(*at)->next)
        if (++passed == MOST_LAUNCHES) {
            struct fp_launch *oldest = *at;
            *at = oldest->next;
            free_launch(oldest);
            break;
        }
    struct fp_launch *launch = *at && passed < MOST_LAUNCHES ? *at : NULL;
    if (launch) {
        *at = launch->next;
    } else if ((launch = mm_alloc_zero(1, sizeof(*launch))) && (launch->bytes = mm_alloc(size))) {
        memcpy(launch->bytes, bytes, size);
        launch->size = size;
        evaluate(m, launch);
    } else {
        mm_free(launch);
        return NULL;
    }
    launch->next = m->launches;
    m->launches = launch;
    return launch;
}
