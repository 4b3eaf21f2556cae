/* Emits the markers of checks: calls of in.access (a memory access), in.deoptimize_if (a wrong value) and
 * in.phase (a barrier).  Once all functions are inlined, lower_checks.cpp replaces them with code.
 * docs/instrumentation.md#markers */
#include "interp/jit/instrument/emit_checks.h"
#include "interp/ext/ext.h"
#include "interp/jit/llvm/llvm_shim.h"
#include <stdio.h>
#include <string.h>

static bool is_instrumented(const struct in_emit *e)
{
    return e->options->flags & IN_JIT_INSTRUMENTED;
}

/* Calls of it have no visible effects and always return, so that the optimizer neither removes one nor lets
 * later code depend on it. */
static LLVMValueRef declare_marker(struct in_emit *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef fn = LLVMGetNamedFunction(e->module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->module, name, type);
        in_function_attribute(e, fn, "nounwind");
        in_function_attribute(e, fn, "willreturn");
        in_shim_hidden_effects(fn);
    }
    return fn;
}

static LLVMValueRef emit_marker(struct in_emit *e, const char *name, LLVMTypeRef type,
                                LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(e->b, type, declare_marker(e, name, type), arguments, count, "");
}

LLVMValueRef in_check_access(struct in_emit *e, LLVMValueRef pointer, uint64_t size, uint64_t align,
                             uint32_t storage, uint32_t how)
{
    bool shared = storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup ||
                  storage == SpvStorageClassUniformConstant || storage == SpvStorageClassGeneric;
    if (!is_instrumented(e) || !shared || size == 0)
        return pointer;
    if (size > IN_SHADOW_SCRATCH)
        in_emit_fail(e, "an access of %llu bytes in an instrumented launch", (unsigned long long)size);
    LLVMTypeRef types[5] = {e->ptr, e->i64, e->i64, e->i32, e->i1};
    LLVMValueRef arguments[5] = {pointer, LLVMConstInt(e->i64, size, 0), LLVMConstInt(e->i64, align, 0),
                                 LLVMConstInt(e->i32, how, 0),
                                 LLVMConstInt(e->i1, storage == SpvStorageClassWorkgroup, 0)};
    return emit_marker(e, "in.access", LLVMFunctionType(e->ptr, types, 5, 0), arguments, 5);
}

LLVMValueRef in_check_value(struct in_emit *e, LLVMValueRef pointer, const struct in_ty *ty, uint64_t align,
                            uint32_t storage, uint32_t how)
{
    bool composite = ty->kind == IN_TY_STRUCT || ty->kind == IN_TY_ARRAY;
    return in_check_access(e, pointer, composite ? ty->size : ty->access, align, storage, how);
}

LLVMValueRef in_check_atomic(struct in_emit *e, LLVMValueRef pointer, const struct in_inst *i)
{
    const struct in_ty *p = in_emit_ty(e, i->operands[0]), *ty = p->element;
    bool stores = i->opcode == SpvOpAtomicStore || i->opcode == SpvOpAtomicFlagClear;
    bool compares = i->opcode == SpvOpAtomicCompareExchange || i->opcode == SpvOpAtomicCompareExchangeWeak;
    uint64_t scope = 0, order = 0, unequal = 0;
    if (!is_instrumented(e))
        return pointer;
    if (!ty || !in_constant_u64(e->m, i->operands[1], &scope) ||
        !in_constant_u64(e->m, i->operands[2], &order) ||
        (compares && !in_constant_u64(e->m, i->operands[3], &unequal))) {
        in_emit_fail(e, "an atomic of unknown order or scope in an instrumented launch");
        return pointer;
    }
    enum mm_order o = in_order_of((uint32_t)order), u = in_order_of((uint32_t)unequal);
    enum mm_scope s = in_scope_of((uint32_t)scope);
    bool legacy = !e->m->target.literal_legacy && o == MM_RELAXED && s == MM_SCOPE_WORK_GROUP &&
                  p->storage != SpvStorageClassGeneric;
    bool wide = s >= MM_SCOPE_DEVICE || (p->storage == SpvStorageClassWorkgroup && s >= MM_SCOPE_WORK_GROUP);
    bool invalid = (i->opcode == SpvOpAtomicLoad && (o == MM_RELEASE || o == MM_ACQ_REL)) ||
                   (stores && (o == MM_ACQUIRE || o == MM_ACQ_REL)) ||
                   (compares && (u == MM_RELEASE || u == MM_ACQ_REL));
    if (invalid || s == MM_SCOPE_NONE || (!wide && !legacy))
        in_emit_fail(e, "an atomic in a scope within the device in an instrumented launch");
    uint64_t size = ty->kind == IN_TY_STRUCT ? 4 : ty->size;
    uint32_t how = IN_SHADOW_ATOMIC | (i->opcode == SpvOpAtomicLoad ? 0 : IN_SHADOW_WRITTEN);
    return in_check_access(e, pointer, size, size, p->storage, how);
}

/* Atomics of device scope alone: the order that others make is not used. */
void in_check_synchronization(struct in_emit *e, LLVMValueRef pointer, const struct in_inst *i,
                              LLVMValueRef success)
{
    bool loads = i->opcode == SpvOpAtomicLoad;
    bool stores = i->opcode == SpvOpAtomicStore || i->opcode == SpvOpAtomicFlagClear;
    uint64_t scope = 0, order = 0;
    if (!is_instrumented(e) || in_emit_ty(e, i->operands[0])->storage == SpvStorageClassWorkgroup ||
        !in_constant_u64(e->m, i->operands[1], &scope) || !in_constant_u64(e->m, i->operands[2], &order))
        return;
    enum mm_order o = in_order_of((uint32_t)order);
    bool device = in_scope_of((uint32_t)scope) == MM_SCOPE_DEVICE;
    uint32_t what = (device && mm_acquires(o) && !stores ? IN_SYNC_ACQUIRES : 0) |
                    (device && mm_releases(o) && !loads ? IN_SYNC_RELEASES : 0) |
                    (stores ? IN_SYNC_STORES : 0) | (stores ? 0 : IN_SYNC_READS) |
                    (loads ? 0 : IN_SYNC_WRITES);
    LLVMTypeRef types[2] = {e->ptr, e->i32};
    LLVMValueRef arguments[2] = {pointer, LLVMConstInt(e->i32, what, 0)};
    if (success)
        arguments[1] = LLVMBuildSelect(e->b, success, arguments[1], LLVMConstNull(e->i32), "");
    emit_marker(e, "in.sync", LLVMFunctionType(e->nothing, types, 2, 0), arguments, 2);
}

/* Fences of device scope in global memory alone: the order that others make is not used. */
void in_check_fence(struct in_emit *e, const struct in_inst *i)
{
    const uint64_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask;
    uint64_t scope = 0, semantics = 0;
    if (!is_instrumented(e) || !in_constant_u64(e->m, i->operands[0], &scope) ||
        !in_constant_u64(e->m, i->operands[1], &semantics) || !(semantics & global) ||
        in_scope_of((uint32_t)scope) != MM_SCOPE_DEVICE)
        return;
    enum mm_order o = in_order_of((uint32_t)semantics);
    uint32_t what = (mm_acquires(o) ? IN_SYNC_ACQUIRES : 0) | (mm_releases(o) ? IN_SYNC_RELEASES : 0);
    LLVMValueRef argument = LLVMConstInt(e->i32, what, 0);
    emit_marker(e, "in.fence", LLVMFunctionType(e->nothing, &e->i32, 1, 0), &argument, 1);
}

void in_check_barrier(struct in_emit *e, const struct in_inst *i)
{
    uint64_t scope, semantics;
    if (!is_instrumented(e))
        return;
    if (i->operand_count < 3 || !in_constant_u64(e->m, i->operands[1], &scope) ||
        !in_constant_u64(e->m, i->operands[2], &semantics)) {
        in_emit_fail(e, "a barrier of unknown scope in an instrumented launch");
        return;
    }
    const uint64_t global = SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask;
    enum mm_order order = in_order_of((uint32_t)semantics);
    bool orders =
        in_scope_of((uint32_t)scope) >= MM_SCOPE_WORK_GROUP && (order == MM_ACQ_REL || order == MM_SEQ_CST);
    uint64_t which = !orders ? 0
                             : (uint64_t)((semantics & SpvMemorySemanticsWorkgroupMemoryMask) != 0) |
                                   (uint64_t)((semantics & global) != 0) << 1;
    LLVMValueRef argument = LLVMConstInt(e->i32, which, 0);
    emit_marker(e, "in.phase", LLVMFunctionType(e->nothing, &e->i32, 1, 0), &argument, 1);
}

/* ---- values ------------------------------------------------------------------------------ */

/* The markers that bitcode/image.c calls. */
void in_check_texels(struct in_emit *e)
{
    LLVMTypeRef types[4] = {e->ptr, e->i64, e->i64, e->i32};
    declare_marker(e, "in.texel", LLVMFunctionType(e->ptr, types, 4, 0));
    declare_marker(e, "in.undo", LLVMFunctionType(e->ptr, types + 1, 2, 0));
    declare_marker(e, "in.deoptimize_if", LLVMFunctionType(e->nothing, &e->i1, 1, 0));
}

/* Deoptimizes the launch if BAD, or any element of the vector BAD, is true. */
static void emit_deoptimize_if(struct in_emit *e, LLVMValueRef bad)
{
    LLVMTypeRef type = LLVMTypeOf(bad);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        LLVMTypeRef bits = LLVMIntTypeInContext(e->c, LLVMGetVectorSize(type));
        bad = LLVMBuildBitCast(e->b, bad, bits, "");
        bad = LLVMBuildICmp(e->b, LLVMIntNE, bad, LLVMConstNull(bits), "");
    }
    if (LLVMIsConstant(bad) && LLVMIsNull(bad))
        return;
    emit_marker(e, "in.deoptimize_if", LLVMFunctionType(e->nothing, &e->i1, 1, 0), &bad, 1);
}

/* As emit_deoptimize_if, where BAD says that X and Y wrap around: scalar evolution may know that they do
 * not. */
static void emit_wrap(struct in_emit *e, uint32_t opcode, int sign, LLVMValueRef bad, LLVMValueRef x,
                      LLVMValueRef y)
{
    char name[32];
    LLVMTypeRef type = LLVMTypeOf(x), types[5] = {e->i1, e->i32, e->i1, type, type};
    LLVMOpcode op = opcode == SpvOpIAdd ? LLVMAdd : opcode == SpvOpIMul ? LLVMMul : LLVMSub;
    LLVMValueRef arguments[5] = {bad, LLVMConstInt(e->i32, op, 0), LLVMConstInt(e->i1, (unsigned)sign, 0), x,
                                 y};
    snprintf(name, sizeof name, "in.wrap.%u", LLVMGetIntTypeWidth(type));
    if (!LLVMIsConstant(bad) || !LLVMIsNull(bad))
        emit_marker(e, name, LLVMFunctionType(e->nothing, types, 5, 0), arguments, 5);
}

static LLVMValueRef compare_constant(struct in_emit *e, LLVMIntPredicate how, LLVMValueRef x, uint64_t value)
{
    return LLVMBuildICmp(e->b, how, x, in_int(e, LLVMTypeOf(x), value), "");
}

/* The number of ids of a work-group in dimension K, or of a sub-group; those at an edge may be smaller. */
static LLVMValueRef ids_to_broadcast(struct in_emit *e, const struct in_inst *i, LLVMTypeRef type, uint32_t k)
{
    uint64_t scope = SpvScopeSubgroup;
    if (in_constant_u64(e->m, i->operands[0], &scope) && scope == SpvScopeWorkgroup)
        return LLVMBuildIntCast2(e->b, in_param(e, IN_P_SIZE + k), type, false, "");
    return in_builtin(e, in_element(in_emit_ty(e, i->operands[2])), SpvBuiltInSubgroupSize);
}

/* Operands: the scope, the value, the local id. */
void in_check_broadcast(struct in_emit *e, const struct in_inst *i)
{
    if (i->opcode != SpvOpGroupBroadcast)
        return;
    const struct in_ty *ty = in_emit_ty(e, i->operands[2]);
    LLVMValueRef id = in_value(e, i->operands[2]);
    for (uint32_t k = 0; k < in_count(ty); k++) {
        LLVMValueRef place = LLVMConstInt(e->i32, k, 0);
        LLVMValueRef one = in_count(ty) > 1 ? LLVMBuildExtractElement(e->b, id, place, "") : id;
        LLVMValueRef count = ids_to_broadcast(e, i, LLVMTypeOf(one), k);
        emit_deoptimize_if(e, LLVMBuildICmp(e->b, LLVMIntUGE, one, count, ""));
    }
}

void in_check_same_id(struct in_emit *e, LLVMValueRef id, LLVMValueRef first)
{
    emit_deoptimize_if(e, LLVMBuildICmp(e->b, LLVMIntNE, id, first, ""));
}

/* Whether the sum or difference overflows, computed from the signs: the loop vectorizer does not handle
 * LLVM's overflow intrinsics. */
static LLVMValueRef sum_wraps(struct in_emit *e, bool is_sum, LLVMValueRef x, LLVMValueRef y, bool sign)
{
    LLVMValueRef r = LLVMBuildBinOp(e->b, is_sum ? LLVMAdd : LLVMSub, x, y, "");
    if (!sign)
        return LLVMBuildICmp(e->b, LLVMIntULT, is_sum ? r : x, is_sum ? x : y, "");
    LLVMValueRef a = LLVMBuildXor(e->b, x, r, ""), b = LLVMBuildXor(e->b, is_sum ? y : x, is_sum ? r : y, "");
    return compare_constant(e, LLVMIntSLT, LLVMBuildAnd(e->b, a, b, ""), 0);
}

/* Whether the product overflows, computed in integers of twice the width. */
static LLVMValueRef product_wraps(struct in_emit *e, const struct in_ty *ty, LLVMValueRef x, LLVMValueRef y,
                                  bool sign)
{
    LLVMTypeRef wide = in_type_like(e, LLVMIntTypeInContext(e->c, 2 * in_element(ty)->width), ty);
    LLVMValueRef r = LLVMBuildMul(e->b, LLVMBuildIntCast2(e->b, x, wide, sign, ""),
                                  LLVMBuildIntCast2(e->b, y, wide, sign, ""), "");
    LLVMValueRef narrow = LLVMBuildTrunc(e->b, r, LLVMTypeOf(x), "");
    return LLVMBuildICmp(e->b, LLVMIntNE, r, LLVMBuildIntCast2(e->b, narrow, wide, sign, ""), "");
}

static void check_wrap(struct in_emit *e, const struct in_inst *i)
{
    const struct in_id *id = &e->m->ids[i->result];
    const struct in_ty *ty = in_emit_ty(e, i->result);
    LLVMValueRef x = in_value(e, i->operands[0]), y = x;
    if (i->opcode == SpvOpSNegate)
        x = LLVMConstNull(LLVMTypeOf(y));
    else
        y = in_value(e, i->operands[1]);
    for (int sign = 0; sign < 2; sign++) {
        if (!(sign ? id->no_signed_wrap : id->no_unsigned_wrap))
            continue;
        LLVMValueRef bad = i->opcode == SpvOpIMul ? product_wraps(e, ty, x, y, sign)
                                                  : sum_wraps(e, i->opcode == SpvOpIAdd, x, y, sign);
        if (ty->kind == IN_TY_INT)
            emit_wrap(e, i->opcode, sign, bad, x, y);
        else
            emit_deoptimize_if(e, bad);
    }
}

static void check_divisor(struct in_emit *e, const struct in_inst *i)
{
    emit_deoptimize_if(e, compare_constant(e, LLVMIntEQ, in_value(e, i->operands[1]), 0));
}

static void check_shift(struct in_emit *e, const struct in_inst *i)
{
    uint32_t width = in_element(in_emit_ty(e, i->operands[0]))->width;
    emit_deoptimize_if(e, compare_constant(e, LLVMIntUGE, in_value(e, i->operands[1]), width));
}

/* The truncated float must be in the range of the integer type. */
static void check_conversion(struct in_emit *e, const struct in_inst *i)
{
    const struct in_ty *from = in_emit_ty(e, i->operands[0]), *to = in_emit_ty(e, i->result);
    uint32_t width = in_element(to)->width, bits = in_element(from)->width;
    bool sign = i->opcode == SpvOpConvertFToS;
    if (e->m->ids[i->result].saturated || bits == 16)
        return;
    LLVMValueRef x = in_value(e, i->operands[0]);
    LLVMTypeRef type = LLVMTypeOf(x);
    double half = (double)(UINT64_C(1) << (width - 1)), most = sign ? half : 2 * half;
    LLVMTypeRef element = bits == 32 ? e->f32 : e->f64;
    LLVMValueRef above = LLVMConstReal(element, most), below = LLVMConstReal(element, sign ? -half : -1.0);
    if (type != element) {
        above = in_splat(e, above, in_elements(from));
        below = in_splat(e, below, in_elements(from));
    }
    LLVMValueRef fits = LLVMBuildAnd(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, x, above, ""),
                                     LLVMBuildFCmp(e->b, sign ? LLVMRealOGE : LLVMRealOGT, x, below, ""), "");
    emit_deoptimize_if(e, LLVMBuildNot(e->b, fits, ""));
}

static void check_component(struct in_emit *e, const struct in_inst *i, uint32_t operand)
{
    LLVMValueRef at =
        in_widen(e, in_value(e, i->operands[operand]), in_emit_ty(e, i->operands[operand]), false);
    emit_deoptimize_if(e, compare_constant(e, LLVMIntUGE, at, in_elements(in_emit_ty(e, i->operands[0]))));
}

/* The only check of accesses to private arrays. */
LLVMValueRef in_check_subscript(struct in_emit *e, const struct in_ty *ty, uint32_t storage,
                                LLVMValueRef index)
{
    bool array = ty->kind == IN_TY_VECTOR ||
                 (ty->kind == IN_TY_ARRAY && (ty->count > 1 || storage == SpvStorageClassFunction));
    if (!is_instrumented(e) || !array || LLVMIsConstant(index))
        return index;
    LLVMValueRef wrong = compare_constant(e, LLVMIntUGE, index, ty->count);
    emit_deoptimize_if(e, wrong);
    return storage == SpvStorageClassFunction
               ? LLVMBuildSelect(e->b, wrong, LLVMConstNull(LLVMTypeOf(index)), index, "")
               : index;
}

/* Checks constant subscripts; pointer arithmetic in private memory is unsupported. */
static void check_chain(struct in_emit *e, const struct in_inst *i)
{
    bool element = i->opcode == SpvOpPtrAccessChain || i->opcode == SpvOpInBoundsPtrAccessChain;
    const struct in_ty *p = in_emit_ty(e, i->operands[0]), *ty = p->element;
    for (uint32_t k = 1; k < i->operand_count && ty && !e->failure.failed; k++) {
        uint32_t id = i->operands[k];
        uint64_t value = 0;
        bool constant = in_constant_u64(e->m, id, &value);
        if (element && k == 1) {
            bool variable = e->m->ids[i->operands[0]].kind == IN_ID_GLOBAL;
            if ((p->storage == SpvStorageClassFunction || variable) && !(constant && value == 0))
                in_emit_fail(e, variable
                                    ? "arithmetic with the address of a variable in an instrumented launch"
                                    : "pointers into private memory in an instrumented launch");
            continue;
        }
        if (ty->kind == IN_TY_ARRAY && ty->count > 1 && constant && value >= ty->count)
            in_emit_fail(e, "a subscript past the end of an array in an instrumented launch");
        ty = ty->kind != IN_TY_STRUCT ? ty->element : value < ty->count ? ty->members[value] : NULL;
    }
}

/* Whether a pointer into private memory is stored or returned: it could outlive the function of its
 * variable. */
static bool keeps_pointer(const struct in_emit *e, const struct in_inst *i)
{
    uint32_t value = i->opcode == SpvOpStore ? i->operands[1] : i->operands[0];
    const struct in_ty *ty = in_emit_ty(e, value);
    if (ty->kind != IN_TY_POINTER ||
        (ty->storage != SpvStorageClassFunction && ty->storage != SpvStorageClassGeneric))
        return false;
    if (i->opcode == SpvOpReturnValue)
        return true;
    struct in_inst to;
    in_inst_at(e->m, e->m->ids[i->operands[0]].word, &to);
    return to.opcode != SpvOpVariable;
}

/* Other accesses that may exceed a private variable: vload and vstore, and casts to pointers to larger
 * types. */
static bool may_leave_private(const struct in_emit *e, const struct in_inst *i)
{
    bool standard =
        i->opcode == SpvOpExtInst && strncmp(e->m->ids[i->operands[0]].string, "OpenCL.std", 10) == 0;
    const struct in_ext_fn *fn = standard ? in_ext_find(i->operands[1]) : NULL;
    if (fn && (fn->shape == IN_EXT_VLOAD || fn->shape == IN_EXT_VSTORE))
        return in_emit_ty(e, i->operands[fn->shape == IN_EXT_VLOAD ? 3 : 4])->storage ==
               SpvStorageClassFunction;
    if (i->opcode != SpvOpBitcast)
        return false;
    const struct in_ty *from = in_emit_ty(e, i->operands[0]), *to = in_emit_ty(e, i->result);
    return from->kind == IN_TY_POINTER && from->storage == SpvStorageClassFunction &&
           (!to->element || !from->element || to->element->size > from->element->size);
}

static void check_operands(struct in_emit *e, const struct in_inst *i)
{
    switch (i->opcode) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSNegate:
        check_wrap(e, i);
        break;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        check_shift(e, i);
        break;
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
        check_conversion(e, i);
        break;
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSMod:
    case SpvOpSRem:
        check_divisor(e, i);
        break;
    default:
        break;
    }
}

/* At the end of each block: how many instructions the interpreter executes for it, at most. */
static void emit_weight(struct in_emit *e, const struct in_inst *i)
{
    e->weight++;
    if (!in_is_terminator(i->opcode))
        return;
    LLVMValueRef argument = LLVMConstInt(e->i32, e->weight, 0);
    emit_marker(e, "in.weight", LLVMFunctionType(e->nothing, &e->i32, 1, 0), &argument, 1);
    e->weight = 0;
}

void in_check_instruction(struct in_emit *e, const struct in_inst *i)
{
    if (!is_instrumented(e))
        return;
    emit_weight(e, i);
    if (e->options->flags & IN_JIT_CHECKS)
        check_operands(e, i);
    if (may_leave_private(e, i))
        in_emit_fail(e, "pointers into private memory in an instrumented launch");
    switch (i->opcode) {
    case SpvOpVectorExtractDynamic:
        check_component(e, i, 1);
        break;
    case SpvOpVectorInsertDynamic:
        check_component(e, i, 2);
        break;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        check_chain(e, i);
        break;
    case SpvOpStore:
    case SpvOpReturnValue:
        if (keeps_pointer(e, i))
            in_emit_fail(e, "a stored pointer into private memory in an instrumented launch");
        break;
    case SpvOpUnreachable:
    case SpvOpAssumeTrueKHR:
        in_emit_fail(e, "an assumption in an instrumented launch");
        break;
    default:
        break;
    }
}
