/* Atomic instructions and fences.  [SPIRV 3.49.18], [CLC 6.15.12].  Stores and fences that are not
 * sequentially consistent are releases, which cost nothing beside a plain store on x86-64 where a
 * sequentially consistent one empties the store buffer; all others are sequentially consistent, at no cost.
 * Weaker orders would let LLVM reorder accesses: kernels and host threads may share fine-grained memory. */
#include "interp/fault.h"
#include "interp/jit/instrument/emit_checks.h"
#include "interp/jit/llvm/llvm_shim.h"

static const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;

/* WEAKER if the semantics ID are constant and without sequential consistency. */
static LLVMAtomicOrdering order_or(const struct in_emit *e, uint32_t id, LLVMAtomicOrdering weaker)
{
    uint64_t semantics;
    bool sequential =
        !in_constant_u64(e->m, id, &semantics) || (semantics & SpvMemorySemanticsSequentiallyConsistentMask);
    return sequential ? order : weaker;
}

/* Local memory belongs to one thread at a time. */
static LLVMBool is_alone(const struct in_emit *e)
{
    return in_emit_ty(e, e->inst->operands[0])->storage == SpvStorageClassWorkgroup;
}

static bool float_operation(struct in_emit *e, const struct in_inst *i, LLVMValueRef pointer)
{
    const struct in_ty *ty = in_emit_ty(e, i->result);
    enum in_shim_float op = i->opcode == SpvOpAtomicFAddEXT   ? IN_SHIM_ADD
                            : i->opcode == SpvOpAtomicFMinEXT ? IN_SHIM_MIN
                                                              : IN_SHIM_MAX;
    bool known =
        i->opcode == SpvOpAtomicFAddEXT || i->opcode == SpvOpAtomicFMinEXT || i->opcode == SpvOpAtomicFMaxEXT;
    if (known && ty->width > 16)
        in_define(e, i, in_shim_float_atomic(e->b, op, pointer, in_value(e, i->operands[3]), is_alone(e)));
    return known && ty->width > 16;
}

static bool rmw_operation(uint32_t opcode, LLVMAtomicRMWBinOp *op)
{
    static const struct {
        uint16_t opcode, op;
    } table[] = {
        {SpvOpAtomicExchange, LLVMAtomicRMWBinOpXchg},  {SpvOpAtomicIIncrement, LLVMAtomicRMWBinOpAdd},
        {SpvOpAtomicIDecrement, LLVMAtomicRMWBinOpSub}, {SpvOpAtomicIAdd, LLVMAtomicRMWBinOpAdd},
        {SpvOpAtomicISub, LLVMAtomicRMWBinOpSub},       {SpvOpAtomicSMin, LLVMAtomicRMWBinOpMin},
        {SpvOpAtomicUMin, LLVMAtomicRMWBinOpUMin},      {SpvOpAtomicSMax, LLVMAtomicRMWBinOpMax},
        {SpvOpAtomicUMax, LLVMAtomicRMWBinOpUMax},      {SpvOpAtomicAnd, LLVMAtomicRMWBinOpAnd},
        {SpvOpAtomicOr, LLVMAtomicRMWBinOpOr},          {SpvOpAtomicXor, LLVMAtomicRMWBinOpXor}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].opcode == opcode) {
            *op = (LLVMAtomicRMWBinOp)table[k].op;
            return true;
        }
    return false;
}

/* A seeded fault: an addition in two steps, with some time in between. */
static LLVMValueRef split_addition(struct in_emit *e, LLVMValueRef pointer, LLVMValueRef value)
{
    LLVMValueRef old = LLVMBuildLoad2(e->b, LLVMTypeOf(value), pointer, "");
    LLVMSetVolatile(old, 1);
    for (int k = 0; k < 200; k++)
        LLVMSetVolatile(LLVMBuildLoad2(e->b, LLVMTypeOf(value), pointer, ""), 1);
    LLVMValueRef store = LLVMBuildStore(e->b, LLVMBuildAdd(e->b, old, value, ""), pointer);
    LLVMSetVolatile(store, 1);
    return old;
}

static LLVMValueRef read_modify_write(struct in_emit *e, LLVMAtomicRMWBinOp op, LLVMValueRef pointer,
                                      LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (IN_FAULTY(JIT_RMW_SPLIT) && op == LLVMAtomicRMWBinOpAdd && type == e->i32)
        return split_addition(e, pointer, value);
    if (type == e->i8 || type == e->i16 || type == e->i32 || type == e->i64)
        return LLVMBuildAtomicRMW(e->b, op, pointer, value, order, is_alone(e));
    LLVMTypeRef bits = type == e->f32 ? e->i32 : e->i64; /* halves are integers here */
    LLVMValueRef v = LLVMBuildBitCast(e->b, value, bits, "");
    return LLVMBuildBitCast(e->b, LLVMBuildAtomicRMW(e->b, op, pointer, v, order, is_alone(e)), type, "");
}

static void load_or_store(struct in_emit *e, const struct in_inst *i, LLVMValueRef pointer)
{
    LLVMValueRef access;
    unsigned align;
    if (i->opcode == SpvOpAtomicLoad) {
        const struct in_ty *ty = in_emit_ty(e, i->result);
        access = LLVMBuildLoad2(e->b, in_type(e, ty), pointer, "");
        align = (unsigned)ty->size;
        in_define(e, i, access);
    } else {
        access = LLVMBuildStore(e->b, in_value(e, i->operands[3]), pointer);
        align = (unsigned)in_emit_ty(e, i->operands[3])->size;
    }
    bool loads = i->opcode == SpvOpAtomicLoad;
    LLVMAtomicOrdering weaker = loads ? LLVMAtomicOrderingAcquire : LLVMAtomicOrderingRelease;
    LLVMSetOrdering(access, IN_FAULTY(JIT_SC_DEMOTED) ? weaker
                            : loads                   ? order
                                                      : order_or(e, i->operands[2], weaker));
    LLVMSetAtomicSingleThread(access, is_alone(e));
    LLVMSetAlignment(access, align);
}

/* Returns whether it exchanged. */
static LLVMValueRef compare_exchange(struct in_emit *e, const struct in_inst *i, LLVMValueRef pointer)
{
    LLVMValueRef value = in_value(e, i->operands[4]), comparator = in_value(e, i->operands[5]);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind) {
        in_emit_fail(e, "a compare-exchange of what is no integer");
        return NULL;
    }
    LLVMValueRef r = LLVMBuildAtomicCmpXchg(e->b, pointer, comparator, value, order, order, is_alone(e));
    in_define(e, i, LLVMBuildExtractValue(e->b, r, 0, ""));
    return LLVMBuildExtractValue(e->b, r, 1, "");
}

static void emit_flag(struct in_emit *e, const struct in_inst *i, LLVMValueRef pointer)
{
    LLVMValueRef to = LLVMConstInt(e->i32, i->opcode == SpvOpAtomicFlagTestAndSet, 0);
    LLVMValueRef old = LLVMBuildAtomicRMW(e->b, LLVMAtomicRMWBinOpXchg, pointer, to, order, is_alone(e));
    if (i->opcode == SpvOpAtomicFlagTestAndSet)
        in_define(e, i, LLVMBuildICmp(e->b, LLVMIntNE, old, LLVMConstInt(e->i32, 0, 0), ""));
}

void in_emit_atomic(struct in_emit *e, const struct in_inst *i)
{
    LLVMValueRef pointer = in_check_atomic(e, in_value(e, i->operands[0]), i), success = NULL;
    LLVMAtomicRMWBinOp op;
    if (i->opcode == SpvOpAtomicLoad || i->opcode == SpvOpAtomicStore) {
        load_or_store(e, i, pointer);
    } else if (i->opcode == SpvOpAtomicCompareExchange || i->opcode == SpvOpAtomicCompareExchangeWeak) {
        success = compare_exchange(e, i, pointer);
    } else if (i->opcode == SpvOpAtomicFlagTestAndSet || i->opcode == SpvOpAtomicFlagClear) {
        emit_flag(e, i, pointer);
    } else if (rmw_operation(i->opcode, &op)) {
        LLVMValueRef value = i->operand_count > 3 ? in_value(e, i->operands[3])
                                                  : LLVMConstInt(in_type(e, in_emit_ty(e, i->result)), 1, 0);
        in_define(e, i, read_modify_write(e, op, pointer, value));
    } else if (!float_operation(e, i, pointer)) {
        in_emit_unsupported(e, i);
    }
    if (!e->failure.failed)
        in_check_synchronization(e, in_value(e, i->operands[0]), i, success);
}

/* Within one thread the order of accesses to distinct work-items' memory needs no instruction; across
 * threads it does. */
void in_emit_fence(struct in_emit *e, const struct in_inst *i)
{
    LLVMBuildFence(e->b, order_or(e, i->operands[1], LLVMAtomicOrderingAcquireRelease), 0, "");
    in_check_fence(e, i);
}
