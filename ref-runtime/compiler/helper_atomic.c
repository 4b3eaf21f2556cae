/* The atomic functions of OpenCL C 1.x act at device scope [CLC 6.15.12.8]; the translator to SPIR-V would
 * write the scope of the work-group, which is that of relaxed C11 functions that name it.  On global memory
 * they become the SPIR-V instruction with the scope that they have; on local memory the two are the same. */
#include "ref-runtime/compiler/helper.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

static const struct function {
    const char *name, *instruction; /* without "atomic_" or "atom_", and without "__spirv_Atomic" */
    const char *unsigned_instruction;
} functions[] = {
    {"add", "IAdd", NULL},       {"sub", "ISub", NULL},       {"xchg", "Exchange", NULL},
    {"inc", "IIncrement", NULL}, {"dec", "IDecrement", NULL}, {"cmpxchg", "CompareExchange", NULL},
    {"min", "SMin", "UMin"},     {"max", "SMax", "UMax"},     {"and", "And", NULL},
    {"or", "Or", NULL},          {"xor", "Xor", NULL},
};

/* The function that NAME mangles, with a pointer to global memory first; *TYPE: the letter of the value's
 * type. */
static const struct function *find_function(const char *name, char *type)
{
    static const char *const prefixes[] = {"atomic_", "atom_"};
    int length = 0, at = 0;
    if (sscanf(name, "_Z%d%n", &length, &at) != 1 || length < 0 || (size_t)length >= strlen(name))
        return NULL;
    for (size_t i = 0; i < 2 * sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i / 2];
        const char *prefix = prefixes[i % 2], *word = name + at;
        size_t n = strlen(prefix), whole = n + strlen(f->name);
        if ((size_t)length != whole || strncmp(word, prefix, n) != 0 ||
            strncmp(word + n, f->name, whole - n) != 0 || strncmp(word + whole, "PU3AS1", 6) != 0)
            continue;
        word += whole + 6;
        word += *word == 'V';
        *type = *word;
        return *type && strchr("ijlmf", *type) ? f : NULL;
    }
    return NULL;
}

bool rt_helper_fix_atomic(struct LLVMOpaqueModule *m, struct LLVMOpaqueBuilder *b,
                          struct LLVMOpaqueValue *call, struct LLVMOpaqueValue *callee)
{
    size_t length;
    char type, name[80], instruction[40];
    const struct function *f = find_function(LLVMGetValueName2(callee, &length), &type);
    unsigned given = LLVMGetNumArgOperands(call), count = 0;
    if (!f || given < 1 || given > 3)
        return false;
    bool is_unsigned = type == 'j' || type == 'm', compare = given == 3;
    snprintf(instruction, sizeof instruction, "__spirv_Atomic%s",
             is_unsigned && f->unsigned_instruction ? f->unsigned_instruction : f->instruction);
    int n = snprintf(name, sizeof name, "_Z%zu%sPU3AS1V%ci", strlen(instruction), instruction, type);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(m)), types[6];
    LLVMValueRef operands[6] = {LLVMGetOperand(call, 0)};
    operands[++count] = LLVMConstInt(i32, SpvScopeDevice, 0);
    for (unsigned k = 0; k < 1u + compare; k++) {
        operands[++count] = LLVMConstInt(i32, SpvMemorySemanticsMaskNone, 0);
        name[n++] = 'i';
    }
    for (unsigned k = given; k-- > 1; name[n++] = type) /* SPIR-V has the value before the comparator */
        operands[++count] = LLVMGetOperand(call, k);
    name[n] = 0;
    count++;
    for (unsigned k = 0; k < count; k++)
        types[k] = LLVMTypeOf(operands[k]);
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    LLVMTypeRef function_type = LLVMFunctionType(LLVMTypeOf(call), types, count, 0);
    LLVMValueRef function = rt_helper_declare(m, name, function_type, callee);
    LLVMValueRef made = LLVMBuildCall2(b, function_type, function, operands, count, "");
    LLVMSetInstructionCallConv(made, LLVMGetFunctionCallConv(callee));
    LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    return true;
}
