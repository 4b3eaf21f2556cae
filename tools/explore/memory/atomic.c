/* Atomics, fences, barriers and the operands that order memory.
 * [SPIRV 3.25 memory semantics, 3.26 memory operands, 3.27 scopes, 3.42.18 atomics, 3.42.20 barriers] */
#include "tools/explore/memory/hidden.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <string.h>

uint8_t ex_scope(struct ex *ex, uint32_t id)
{
    uint64_t scope;
    if (!ex_is_const(ex, ex_scalar(ex, id), &scope))
        ex_fail(
            ex, MM_LIMIT, "explore.scope",
            "a memory scope that is not constant is not explored: give memory_scope_device or another constant");
    switch (scope) {
    case SpvScopeCrossDevice:
        return MM_SCOPE_ALL_SVM_DEVICES;
    case SpvScopeDevice:
        return MM_SCOPE_DEVICE;
    case SpvScopeWorkgroup:
        return MM_SCOPE_WORK_GROUP;
    case SpvScopeSubgroup:
        ex->uses_sub_groups = true;
        return MM_SCOPE_SUB_GROUP;
    case SpvScopeInvocation:
        return MM_SCOPE_WORK_ITEM;
    case SpvScopeQueueFamily:
        return MM_SCOPE_QUEUE_FAMILY;
    default:
        ex_fail(ex, MM_INVALID, "SPIRV 3.27", "scope %llu", (unsigned long long)scope);
    }
}

static uint32_t semantics_of(struct ex *ex, uint32_t id)
{
    uint64_t mask;
    if (!ex_is_const(ex, ex_scalar(ex, id), &mask))
        ex_fail(
            ex, MM_LIMIT, "explore.semantics",
            "a memory order that is not constant is not explored: give memory_order_seq_cst or another constant");
    return (uint32_t)mask;
}

static uint8_t order_of(struct ex *ex, uint32_t mask)
{
    switch (mask & 0x1E) {
    case 0:
        return MM_RELAXED;
    case SpvMemorySemanticsAcquireMask:
        return MM_ACQUIRE;
    case SpvMemorySemanticsReleaseMask:
        return MM_RELEASE;
    case SpvMemorySemanticsAcquireReleaseMask:
        return MM_ACQ_REL;
    case SpvMemorySemanticsSequentiallyConsistentMask:
        return ex->module.vulkan ? MM_ACQ_REL : MM_SEQ_CST;
    default:
        ex_fail(ex, MM_INVALID, "SPIRV 3.25", "more than one memory order");
    }
}

/* Storage-class semantics as the Vulkan models number them: 0 buffers, 1 local memory, 2 images, 3
 * outputs. */
static uint16_t semantics_mask(uint32_t mask)
{
    return (uint16_t)(((mask & SpvMemorySemanticsUniformMemoryMask) ? 1 : 0) |
                      ((mask & SpvMemorySemanticsWorkgroupMemoryMask) ? 2 : 0) |
                      ((mask & SpvMemorySemanticsImageMemoryMask) ? 4 : 0) |
                      ((mask & SpvMemorySemanticsOutputMemoryMask) ? 8 : 0) |
                      ((mask & SpvMemorySemanticsMakeAvailableMask) ? 0x100 : 0) |
                      ((mask & SpvMemorySemanticsMakeVisibleMask) ? 0x200 : 0));
}

uint8_t ex_storage_class_mask(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassWorkgroup:
        return 2;
    case SpvStorageClassImage:
        return 4;
    case SpvStorageClassOutput:
        return 8;
    default:
        return 1;
    }
}

static uint8_t fence_flags(uint32_t mask)
{
    uint32_t global = SpvMemorySemanticsUniformMemoryMask | SpvMemorySemanticsCrossWorkgroupMemoryMask;
    return (uint8_t)(((mask & SpvMemorySemanticsWorkgroupMemoryMask) ? MM_FENCE_LOCAL : 0) |
                     ((mask & global) ? MM_FENCE_GLOBAL : 0) |
                     ((mask & SpvMemorySemanticsImageMemoryMask) ? MM_FENCE_IMAGE : 0));
}

void ex_memory_operands(struct ex *ex, const struct in_inst *inst, uint32_t at, struct ck_instr *instr)
{
    uint32_t mask = inst->operand_count > at ? inst->operands[at++] : 0;
    if (mask & SpvMemoryAccessVolatileMask)
        instr->attributes |= MM_VOLATILE;
    at += (mask & SpvMemoryAccessAlignedMask) != 0;
    if ((mask & SpvMemoryAccessMakePointerAvailableMask) && at < inst->operand_count) {
        instr->attributes |= MM_MAKE_AVAILABLE;
        instr->scope = ex_scope(ex, inst->operands[at++]);
    }
    if ((mask & SpvMemoryAccessMakePointerVisibleMask) && at < inst->operand_count) {
        instr->attributes |= MM_MAKE_VISIBLE;
        instr->scope = ex_scope(ex, inst->operands[at++]);
    }
    if (mask & SpvMemoryAccessNonPrivatePointerMask)
        instr->attributes |= MM_NON_PRIVATE;
}

/* ---- atomics ------------------------------------------------------------------------------------ */

/* A weak compare-exchange fails only if it reads a different value [SPIRV 3.49.18]. */
static const struct {
    uint16_t opcode;
    enum ck_op op;
    enum ck_rmw_op rmw;
    uint16_t group; /* APPLY: the reduction that combines as it does */
} atomics[] = {
    {SpvOpAtomicLoad, CK_LOAD, 0, 0},
    {SpvOpAtomicStore, CK_STORE, 0, 0},
    {SpvOpAtomicExchange, CK_RMW, CK_RMW_XCHG, 0},
    {SpvOpAtomicCompareExchange, CK_CAS, 0, 0},
    {SpvOpAtomicCompareExchangeWeak, CK_CAS, 0, 0},
    {SpvOpAtomicIIncrement, CK_RMW, CK_RMW_ADD, 0},
    {SpvOpAtomicIDecrement, CK_RMW, CK_RMW_SUB, 0},
    {SpvOpAtomicIAdd, CK_RMW, CK_RMW_ADD, 0},
    {SpvOpAtomicISub, CK_RMW, CK_RMW_SUB, 0},
    {SpvOpAtomicSMin, CK_RMW, CK_RMW_SMIN, 0},
    {SpvOpAtomicUMin, CK_RMW, CK_RMW_UMIN, 0},
    {SpvOpAtomicSMax, CK_RMW, CK_RMW_SMAX, 0},
    {SpvOpAtomicUMax, CK_RMW, CK_RMW_UMAX, 0},
    {SpvOpAtomicAnd, CK_RMW, CK_RMW_AND, 0},
    {SpvOpAtomicOr, CK_RMW, CK_RMW_OR, 0},
    {SpvOpAtomicXor, CK_RMW, CK_RMW_XOR, 0},
    {SpvOpAtomicFlagTestAndSet, CK_RMW, CK_RMW_XCHG, 0},
    {SpvOpAtomicFlagClear, CK_STORE, 0, 0},
    {SpvOpAtomicFAddEXT, CK_RMW, CK_RMW_APPLY, SpvOpGroupFAdd},
    {SpvOpAtomicFMinEXT, CK_RMW, CK_RMW_APPLY, SpvOpGroupFMin},
    {SpvOpAtomicFMaxEXT, CK_RMW, CK_RMW_APPLY, SpvOpGroupFMax},
};

/* Size of the accessed number: of the result or the value, 4 for flags. */
static unsigned atomic_size(struct ex *ex, const struct in_inst *inst, const struct in_ty *pointer)
{
    if (inst->opcode == SpvOpAtomicFlagTestAndSet || inst->opcode == SpvOpAtomicFlagClear)
        return 4;
    if (inst->opcode == SpvOpAtomicStore)
        return ex_size(ex, ex_scalar(ex, inst->operands[3]));
    unsigned size = inst->type ? ex_scalar_size(ex_type(ex, inst->type)) : 0;
    if (size != 4 && size != 8 && size != 1 && size != 2)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.18", "an atomic on %u bytes",
                size ? size : ex_scalar_size(pointer->element));
    return size;
}

static void atomic_operands(struct ex *ex, const struct in_inst *inst, struct ck_instr *i)
{
    const uint32_t *w = inst->operands;
    uint32_t needed = i->op == CK_CAS ? 6 : 4;
    switch (inst->opcode) {
    case SpvOpAtomicLoad:
        return;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicFlagTestAndSet:
        i->value = ex_const(ex, 1, i->size);
        return;
    case SpvOpAtomicFlagClear:
        i->value = ex_const(ex, 0, i->size);
        return;
    default:
        break;
    }
    if (inst->operand_count < needed)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.18", "an atomic lacks operands");
    i->value = ex_scalar(ex, w[i->op == CK_CAS ? 4 : 3]);
    if (i->op == CK_CAS) {
        i->expected = ex_scalar(ex, w[5]);
        i->order_fail = order_of(ex, semantics_of(ex, w[3]));
    }
    if (ex_size(ex, i->value) != i->size || (i->op == CK_CAS && ex_size(ex, i->expected) != i->size))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.18", "an atomic's operand has another size than its result");
}

/* Loads acquire, stores release, whatever the mask says besides. */
static uint8_t fitting_order(const struct ck_instr *i, uint8_t order)
{
    if (order == MM_SEQ_CST || i->op == CK_RMW || i->op == CK_CAS)
        return order;
    bool kept = order == MM_ACQ_REL || order == (i->op == CK_LOAD ? MM_ACQUIRE : MM_RELEASE);
    return !kept ? MM_RELAXED : i->op == CK_LOAD ? MM_ACQUIRE : MM_RELEASE;
}

void ex_private_access(struct ex *ex, const struct ck_instr *i)
{
    static const enum ck_expr_op ops[] = {[CK_RMW_ADD] = CK_ADD,
                                          [CK_RMW_SUB] = CK_SUB,
                                          [CK_RMW_AND] = CK_AND,
                                          [CK_RMW_OR] = CK_OR,
                                          [CK_RMW_XOR] = CK_XOR};
    static const enum ck_expr_op less[] = {
        [CK_RMW_SMIN] = CK_SLT, [CK_RMW_SMAX] = CK_SLT, [CK_RMW_UMIN] = CK_ULT, [CK_RMW_UMAX] = CK_ULT};
    uint32_t old = i->op == CK_STORE ? CK_NO_EXPR : ex_read_private(ex, i->address, i->size),
             value = i->value;
    if (old != CK_NO_EXPR)
        ex_assign(ex, i->reg, old);
    if (i->op == CK_LOAD)
        return;
    if (i->op == CK_CAS)
        value = ex_select(ex, ex_binary(ex, CK_EQ, old, i->expected), value, old);
    if (i->op == CK_RMW && i->rmw >= CK_RMW_ADD && i->rmw <= CK_RMW_XOR)
        value = ex_binary(ex, ops[i->rmw], old, value);
    if (i->op == CK_RMW && i->rmw == CK_RMW_APPLY) {
        const struct ck_expr apply = {.op = CK_APPLY2, .size = i->size, .imm = i->function};
        value = ex_with_operands(ex, &apply, (const uint32_t[]){old, value, 0});
    } else if (i->op == CK_RMW && i->rmw >= CK_RMW_SMIN) {
        bool max = i->rmw == CK_RMW_SMAX || i->rmw == CK_RMW_UMAX;
        uint32_t smaller = ex_binary(ex, less[i->rmw], old, value);
        value = ex_select(ex, smaller, max ? value : old, max ? old : value);
    }
    ex_write_private(ex, i->address, ex_hold(ex, value));
}

static void lower_atomic(struct ex *ex, const struct in_inst *inst, size_t k)
{
    struct ex_value *pointer = ex_get(ex, inst->operands[0]);
    const struct in_ty *p = pointer->type;
    if (p->kind != IN_TY_POINTER || inst->operand_count < 3)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.18", "an atomic needs a pointer, a scope and semantics");
    uint32_t mask = semantics_of(ex, inst->operands[2]);
    struct ck_instr i = ex_instr(atomics[k].op);
    i.size = (uint8_t)atomic_size(ex, inst, p);
    i.rmw = (uint8_t)atomics[k].rmw;
    i.scope = ex_scope(ex, inst->operands[1]);
    i.attributes = MM_ATOMIC;
    i.semantics = semantics_mask(mask);
    if (pointer->count != 1)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.18", "an atomic needs a pointer");
    i.address = pointer->leaves[0];
    i.order = fitting_order(&i, order_of(ex, mask));
    if (ex->module.vulkan)
        i.attributes |= MM_NON_PRIVATE;
    atomic_operands(ex, inst, &i);
    if (i.op == CK_RMW && i.rmw == CK_RMW_APPLY)
        i.function = ex_combination(ex, atomics[k].group, ex_type(ex, inst->type));
    if (i.op != CK_STORE)
        i.reg = ex_new_reg(ex, i.size);
    ex_emit_access(ex, pointer->storage, i);
    if (inst->opcode == SpvOpAtomicFlagTestAndSet)
        ex_set_scalar(ex, inst,
                      ex_hold(ex, ex_binary(ex, CK_NE, ex_reg_expr(ex, i.reg), ex_const(ex, 0, 4))));
    else if (inst->result)
        ex_set_scalar(ex, inst, ex_reg_expr(ex, i.reg));
}

/* ---- fences and barriers ------------------------------------------------------------------------ */

static struct ck_instr make_fence(struct ex *ex, enum ck_op op, uint32_t scope, uint32_t semantics)
{
    uint32_t mask = semantics_of(ex, semantics);
    struct ck_instr i = ex_instr(op);
    i.order = order_of(ex, mask);
    i.scope = ex_scope(ex, scope);
    i.fence_flags = fence_flags(mask);
    i.semantics = semantics_mask(mask);
    return i;
}

static void control_barrier(struct ex *ex, const struct in_inst *inst)
{
    struct ck_instr i = make_fence(ex, CK_BARRIER, inst->operands[1], inst->operands[2]);
    uint8_t execution = ex_scope(ex, inst->operands[0]);
    i.site = ++ex->item.site;
    i.sub_group = execution == MM_SCOPE_SUB_GROUP;
    if (execution != MM_SCOPE_WORK_GROUP && execution != MM_SCOPE_SUB_GROUP)
        ex_fail(ex, MM_LIMIT, "explore.barrier",
                "a barrier across work-groups is not explored: use work_group_barrier");
    ex_emit(ex, i);
}

bool ex_atomic(struct ex *ex, const struct in_inst *inst)
{
    if (inst->opcode == SpvOpMemoryBarrier) {
        struct ck_instr i = make_fence(ex, CK_FENCE, inst->operands[0], inst->operands[1]);
        if (i.order != MM_RELAXED || i.fence_flags & MM_FENCE_IMAGE)
            ex_emit(ex, i);
        return true;
    }
    if (inst->opcode == SpvOpControlBarrier) {
        control_barrier(ex, inst);
        return true;
    }
    for (size_t k = 0; k < sizeof atomics / sizeof *atomics; k++)
        if (atomics[k].opcode == inst->opcode) {
            lower_atomic(ex, inst, k);
            return true;
        }
    return false;
}
