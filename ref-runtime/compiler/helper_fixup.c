/* Rewrites the LLVM module where the translator to SPIR-V would abort:
 * - fences and barriers whose flags, order or scope are computed become the SPIR-V instruction with
 *   computed operands, which kernels may have [CLC 6.15.12.5, SPIRV 3.49.20];
 * - compare-exchange on floating-point values works on their bits [CLC 6.15.12.7.4];
 * - pointers into different address spaces are compared as generic pointers [CLC 6.7.1];
 * - additions to halves become the instruction [cl_ext_float_atomics]. */
#include "ref-runtime/compiler/helper.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

/* ---- fences and barriers ------------------------------------------------------------------------- */

/* clang's values of memory_order and memory_scope, which are those of the C11 built-ins. */
enum { ORDER_RELAXED, ORDER_CONSUME, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };
enum { SCOPE_WORK_ITEM, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_ALL_DEVICES, SCOPE_SUB_GROUP };

static const struct fence {
    const char *prefix; /* of the mangled name, up to the flags */
    int execution;      /* SPIR-V scope that waits, -1 for a fence alone */
    int order;          /* where the call names none */
    int scope;          /* likewise */
} fences[] = {
    {"_Z22atomic_work_item_fencej", -1, ORDER_SEQ_CST, SCOPE_DEVICE},
    {"_Z9mem_fencej", -1, ORDER_ACQ_REL, SCOPE_WORK_GROUP},
    {"_Z14read_mem_fencej", -1, ORDER_ACQUIRE, SCOPE_WORK_GROUP},
    {"_Z15write_mem_fencej", -1, ORDER_RELEASE, SCOPE_WORK_GROUP},
    {"_Z7barrierj", SpvScopeWorkgroup, ORDER_SEQ_CST, SCOPE_WORK_GROUP},
    {"_Z18work_group_barrierj", SpvScopeWorkgroup, ORDER_SEQ_CST, SCOPE_WORK_GROUP},
    {"_Z17sub_group_barrierj", SpvScopeSubgroup, ORDER_SEQ_CST, SCOPE_SUB_GROUP},
};
static const uint32_t order_semantics[][2] = {
    {ORDER_ACQUIRE, SpvMemorySemanticsAcquireMask},
    {ORDER_RELEASE, SpvMemorySemanticsReleaseMask},
    {ORDER_ACQ_REL, SpvMemorySemanticsAcquireReleaseMask},
    {ORDER_SEQ_CST, SpvMemorySemanticsSequentiallyConsistentMask},
};
static const uint32_t scope_numbers[][2] = {
    {SCOPE_WORK_ITEM, SpvScopeInvocation}, {SCOPE_WORK_GROUP, SpvScopeWorkgroup},
    {SCOPE_DEVICE, SpvScopeDevice},        {SCOPE_ALL_DEVICES, SpvScopeCrossDevice},
    {SCOPE_SUB_GROUP, SpvScopeSubgroup},
};
/* CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE. */
static const uint32_t flag_semantics[][2] = {
    {1, SpvMemorySemanticsWorkgroupMemoryMask},
    {2, SpvMemorySemanticsCrossWorkgroupMemoryMask},
    {4, SpvMemorySemanticsImageMemoryMask},
};

static LLVMValueRef word_constant(LLVMModuleRef module, uint32_t value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), value, 0);
}

/* The entry of TABLE that VALUE selects, DEFAULT_ if none. */
static LLVMValueRef select_entry(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef value,
                                 const uint32_t table[][2], size_t count, uint32_t default_)
{
    LLVMValueRef result = word_constant(m, default_);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, value, word_constant(m, table[i][0]), "");
        result = LLVMBuildSelect(b, is, word_constant(m, table[i][1]), result, "");
    }
    return result;
}

static LLVMValueRef flags_mask(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef flags)
{
    LLVMValueRef result = word_constant(m, 0);
    for (size_t i = 0; i < 3; i++) {
        LLVMValueRef bit = LLVMBuildAnd(b, flags, word_constant(m, flag_semantics[i][0]), "");
        LLVMValueRef set = LLVMBuildICmp(b, LLVMIntNE, bit, word_constant(m, 0), "");
        LLVMValueRef mask =
            LLVMBuildSelect(b, set, word_constant(m, flag_semantics[i][1]), word_constant(m, 0), "");
        result = LLVMBuildOr(b, result, mask, "");
    }
    return result;
}

LLVMValueRef rt_helper_declare(LLVMModuleRef module, const char *name, LLVMTypeRef type, LLVMValueRef like)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (!function) {
        function = LLVMAddFunction(module, name, type);
        LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(like));
        unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
        LLVMAttributeRef convergent = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, convergent);
    }
    return function;
}

static bool all_constant(LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(call, i)))
            return false;
    return true;
}

static void fix_fence(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef callee,
                      const struct fence *fence)
{
    unsigned count = LLVMGetNumArgOperands(call);
    if (all_constant(call) || count < 1 || count > 3)
        return;
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef order = count == 3 ? LLVMGetOperand(call, 1) : word_constant(m, (uint32_t)fence->order);
    LLVMValueRef scope =
        count > 1 ? LLVMGetOperand(call, count - 1) : word_constant(m, (uint32_t)fence->scope);
    LLVMValueRef semantics = select_entry(m, b, order, order_semantics, 4, SpvMemorySemanticsMaskNone);
    LLVMValueRef mask = flags_mask(m, b, LLVMGetOperand(call, 0));
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, mask, word_constant(m, 0), "");
    semantics = LLVMBuildSelect(b, some, LLVMBuildOr(b, semantics, mask, ""), word_constant(m, 0), "");
    LLVMValueRef memory = select_entry(m, b, scope, scope_numbers, 5, SpvScopeCrossDevice);

    LLVMTypeRef i32 = LLVMTypeOf(semantics), words[3] = {i32, i32, i32};
    LLVMTypeRef none = LLVMVoidTypeInContext(LLVMGetModuleContext(m));
    bool waits = fence->execution >= 0;
    LLVMTypeRef type = LLVMFunctionType(none, words, waits ? 3 : 2, 0);
    LLVMValueRef operands[3] = {memory, semantics};
    if (waits) {
        operands[0] = word_constant(m, (uint32_t)fence->execution);
        operands[1] = memory;
        operands[2] = semantics;
    }
    const char *name = waits ? "_Z22__spirv_ControlBarrierjjj" : "_Z21__spirv_MemoryBarrierjj";
    LLVMValueRef function = rt_helper_declare(m, name, type, callee);
    LLVMValueRef made = LLVMBuildCall2(b, type, function, operands, waits ? 3 : 2, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(callee));
    LLVMInstructionEraseFromParent(call);
}

/* ---- compare-exchange on floating-point values --------------------------------------------------- */

/* Makes the integer function's mangled name from NAME: the atomic type, the expected value's and the
 * desired value's.  False if NAME is no compare-exchange on FROM. */
static bool integer_name(const char *name, char from, char to, char *out, size_t size)
{
    if (!strstr(name, "atomic_compare_exchange_") || strlen(name) >= size)
        return false;
    strcpy(out, name);
    char *at = strstr(out, "U7_Atomic");
    if (!at || at[9] != from)
        return false;
    at += 9;
    *at++ = to;
    if (*at != 'P') /* the expected value's pointer, perhaps with an address space */
        return false;
    at++;
    if (!strncmp(at, "U3AS", 4))
        at += 5;
    if (*at != from)
        return false;
    *at++ = to;
    if (*at != from)
        return false;
    *at = to;
    return true;
}

static LLVMTypeRef integer_type(LLVMTypeRef type, LLVMContextRef context)
{
    return LLVMGetTypeKind(type) == LLVMFloatTypeKind ? LLVMInt32TypeInContext(context)
                                                      : LLVMInt64TypeInContext(context);
}

static void fix_exchange(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef callee,
                         const char *name)
{
    char integer[256];
    if (!integer_name(name, 'f', 'i', integer, sizeof integer) &&
        !integer_name(name, 'd', 'l', integer, sizeof integer))
        return;
    unsigned count = LLVMGetNumArgOperands(call);
    if (count < 3 || count > 6)
        return;
    LLVMValueRef operands[6];
    LLVMTypeRef types[6];
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMTypeRef whole = integer_type(LLVMTypeOf(LLVMGetOperand(call, 2)), LLVMGetModuleContext(m));
    for (unsigned i = 0; i < count; i++) {
        operands[i] = LLVMGetOperand(call, i);
        types[i] = LLVMTypeOf(operands[i]);
        if (i < 3) {
            types[i] = i < 2 ? LLVMPointerType(whole, LLVMGetPointerAddressSpace(types[i])) : whole;
            operands[i] = LLVMBuildBitCast(b, operands[i], types[i], "");
        }
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, count, 0);
    LLVMValueRef function = rt_helper_declare(m, integer, type, callee);
    LLVMValueRef made = LLVMBuildCall2(b, type, function, operands, count, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(callee));
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
}

/* ---- additions to halves ----------------------------------------------------------------------------- */

static const struct addition {
    const char *prefix; /* of the mangled name, up to the address space */
    bool subtracts;
} additions[] = {
    {"_Z16atomic_fetch_addPU3AS", false},
    {"_Z16atomic_fetch_subPU3AS", true},
    {"_Z25atomic_fetch_add_explicitPU3AS", false},
    {"_Z25atomic_fetch_sub_explicitPU3AS", true},
};

static const struct addition *half_addition(const char *name)
{
    for (size_t i = 0; i < sizeof additions / sizeof *additions; i++) {
        size_t length = strlen(additions[i].prefix);
        if (!strncmp(name, additions[i].prefix, length) && !strncmp(name + length + 1, "VU7_AtomicDhDh", 14))
            return &additions[i];
    }
    return NULL;
}

/* The pointer, scope, semantics and value of OpAtomicFAddEXT. */
static bool fix_half_addition(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef callee,
                              const char *name)
{
    const struct addition *a = half_addition(name);
    unsigned count = LLVMGetNumArgOperands(call);
    if (!a || count < 2 || count > 4)
        return false;
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef order = count > 2 ? LLVMGetOperand(call, 2) : word_constant(m, ORDER_SEQ_CST);
    LLVMValueRef scope = count > 3 ? LLVMGetOperand(call, 3) : word_constant(m, SCOPE_DEVICE);
    LLVMValueRef value = LLVMGetOperand(call, 1);
    LLVMValueRef operands[4] = {LLVMGetOperand(call, 0),
                                select_entry(m, b, scope, scope_numbers, 5, SpvScopeCrossDevice),
                                select_entry(m, b, order, order_semantics, 4, SpvMemorySemanticsMaskNone),
                                a->subtracts ? LLVMBuildFNeg(b, value, "") : value};
    LLVMTypeRef types[4];
    for (unsigned i = 0; i < 4; i++)
        types[i] = LLVMTypeOf(operands[i]);
    char instruction[64]; /* one function for each address space */
    snprintf(instruction, sizeof instruction, RT_INSTRUCTION "%d_%u", SpvOpAtomicFAddEXT,
             LLVMGetPointerAddressSpace(types[0]));
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, 4, 0);
    LLVMValueRef function = rt_helper_declare(m, instruction, type, callee);
    LLVMValueRef made = LLVMBuildCall2(b, type, function, operands, 4, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(callee));
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* ---- selections ---------------------------------------------------------------------------------- */

/* One condition for two vectors: SPIR-V before 1.4 requires one for each component [SPIRV 3.49.15]. */
static void fix_select(LLVMBuilderRef b, LLVMValueRef select)
{
    LLVMTypeRef type = LLVMTypeOf(select);
    LLVMValueRef condition = LLVMGetOperand(select, 0);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMVectorTypeKind)
        return;
    LLVMPositionBuilderBefore(b, select);
    unsigned count = LLVMGetVectorSize(type);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMValueRef all = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(condition), count));
    for (unsigned k = 0; k < count; k++)
        all = LLVMBuildInsertElement(b, all, condition,
                                     LLVMConstInt(LLVMInt32TypeInContext(context), k, false), "");
    LLVMSetOperand(select, 0, all);
}

/* ---- comparisons --------------------------------------------------------------------------------- */

enum { GENERIC = 4 }; /* the address space of generic pointers */

/* The pointer that VALUE casts to another address space; NULL: it is no such cast. */
static LLVMValueRef cast_pointer(LLVMValueRef value)
{
    bool is_cast = LLVMIsAAddrSpaceCastInst(value) ||
                   (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast);
    return is_cast ? LLVMGetOperand(value, 0) : NULL;
}

/* Clang casts the generic pointer to the address space of the other one, which need not be its own: it is the
 * other one that becomes generic [CLC 6.7.1]. */
static void fix_comparison(LLVMBuilderRef b, LLVMValueRef compare)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(compare, 0));
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) == GENERIC ||
        (!cast_pointer(LLVMGetOperand(compare, 0)) && !cast_pointer(LLVMGetOperand(compare, 1))))
        return;
    LLVMTypeRef generic = LLVMPointerTypeIsOpaque(type)
                              ? LLVMPointerTypeInContext(LLVMGetTypeContext(type), GENERIC)
                              : LLVMPointerType(LLVMGetElementType(type), GENERIC);
    LLVMPositionBuilderBefore(b, compare);
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef pointer = LLVMGetOperand(compare, k), origin = cast_pointer(pointer);
        LLVMSetOperand(compare, k, LLVMBuildPointerCast(b, origin ? origin : pointer, generic, ""));
    }
}

/* LLVM's builder of constants compares the conditions themselves where both operands were extended to
 * integers; SPIR-V has no order of booleans [SPIRV 3.49.15]: they are extended again. */
static void fix_order_of_conditions(LLVMBuilderRef b, LLVMValueRef compare)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(compare, 0));
    LLVMIntPredicate order = LLVMGetICmpPredicate(compare);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1 ||
        order == LLVMIntEQ || order == LLVMIntNE)
        return;
    LLVMPositionBuilderBefore(b, compare);
    LLVMTypeRef wide = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    for (unsigned k = 0; k < 2; k++)
        LLVMSetOperand(compare, k,
                       LLVMBuildIntCast2(b, LLVMGetOperand(compare, k), wide, order >= LLVMIntSGT, ""));
}

/* ---- the walk ------------------------------------------------------------------------------------ */

static void fix_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee))
        return;
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        if (!strncmp(name, fences[i].prefix, strlen(fences[i].prefix))) {
            fix_fence(module, builder, call, callee, &fences[i]);
            return;
        }
    if (!rt_helper_fix_atomic(module, builder, call, callee) &&
        !fix_half_addition(module, builder, call, callee, name))
        fix_exchange(module, builder, call, callee, name);
}

static void fix_block(LLVMModuleRef module, LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    LLVMValueRef next;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsACallInst(i))
            fix_call(module, builder, i);
        else if (LLVMIsASelectInst(i))
            fix_select(builder, i);
        else if (LLVMIsAICmpInst(i)) {
            fix_comparison(builder, i);
            fix_order_of_conditions(builder, i);
        } else if (LLVMIsAStoreInst(i))
            rt_helper_split_store(builder, i);
    }
}

static void drop_unused(LLVMModuleRef module)
{
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        next = LLVMGetNextFunction(f);
        if (!LLVMCountBasicBlocks(f) && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

void rt_helper_fix_module(struct LLVMOpaqueModule *module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            fix_block(module, builder, b);
    LLVMDisposeBuilder(builder);
    drop_unused(module);
}
