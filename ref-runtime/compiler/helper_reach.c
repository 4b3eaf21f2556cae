/* Functions that no kernel reaches: executables do not get them, because everything that follows takes time
 * for each function, and the sources of many a program include a whole library.  What is built leaves them
 * out of the LLVM module, what is linked out of the SPIR-V module, where function ids are operands of calls,
 * device-side enqueues and the queries beside them, and of entry points alone
 * [SPIRV 3.49.9, 3.49.24, 3.49.5]. */
#define SPV_ENABLE_UTILITY_CODE
#include "ref-runtime/compiler/helper.h"

#include <llvm-c/Core.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#define HEADER_WORDS 5

/* The header only has an inline definition. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

/* ---- LLVM ---------------------------------------------------------------------------------------- */

enum { SPIR_KERNEL = 76 }; /* llvm::CallingConv */

/* Whether FUNCTION is one of the language: their names are mangled, or reserved for the compiler. */
static bool is_built_in(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    return LLVMGetIntrinsicID(function) || strncmp(name, "_Z", 2) == 0 || strncmp(name, "__", 2) == 0;
}

/* Whether FUNCTION calls one that is neither defined nor one of the language. */
static bool calls_undefined(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
            if (callee && LLVMIsDeclaration(callee) && !is_built_in(callee))
                return true;
        }
    return false;
}

void rt_helper_drop_uncalled(LLVMModuleRef module)
{
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (LLVMValueRef f = LLVMGetLastFunction(module), previous; f; f = previous) { /* callers first */
            previous = LLVMGetPreviousFunction(f);
            if (LLVMIsDeclaration(f) || LLVMGetFunctionCallConv(f) == SPIR_KERNEL || LLVMGetFirstUse(f) ||
                calls_undefined(f))
                continue;
            LLVMDeleteFunction(f);
            dropped = true;
        }
    }
}

/* ---- SPIR-V -------------------------------------------------------------------------------------- */

struct reach {
    uint32_t *words;
    size_t count;
    uint32_t bound;
    size_t *body;    /* by id: its OpFunction, 0: no function */
    uint32_t *stack; /* reached functions whose bodies are not scanned yet */
    size_t depth;
    uint8_t *reached; /* by id: functions */
    uint8_t *gone;    /* by id: defined in a function that is dropped */
};

static uint32_t opcode_at(const struct reach *r, size_t at)
{
    return r->words[at] & 0xffff;
}

static size_t next_instruction(const struct reach *r, size_t at)
{
    return at + (r->words[at] >> 16);
}

/* Word I of the instruction at AT, or the id 0, which there is none of. */
static uint32_t operand_at(const struct reach *r, size_t at, uint32_t i)
{
    return i < r->words[at] >> 16 && r->words[at + i] < r->bound ? r->words[at + i] : 0;
}

static void reach_function(struct reach *r, uint32_t id)
{
    if (!r->body[id] || r->reached[id])
        return;
    r->reached[id] = 1;
    r->stack[r->depth++] = id;
}

/* Imports count as reached. */
static void find_functions(struct reach *r)
{
    uint32_t import = 0;
    for (size_t at = HEADER_WORDS; at < r->count; at = next_instruction(r, at)) {
        if (opcode_at(r, at) == SpvOpFunction) {
            import = operand_at(r, at, 2);
            r->body[import] = import ? at : 0;
        } else if (opcode_at(r, at) == SpvOpLabel) {
            import = 0;
        } else if (opcode_at(r, at) == SpvOpFunctionEnd) {
            reach_function(r, import);
        }
    }
}

/* Functions that call imports count as reached, too: a build reports them. */
static void reach_callers_of_imports(struct reach *r)
{
    uint32_t function = 0;
    const size_t imports = r->depth;
    for (size_t at = HEADER_WORDS; at < r->count; at = next_instruction(r, at)) {
        const uint32_t callee = operand_at(r, at, 3);
        if (opcode_at(r, at) == SpvOpFunction)
            function = operand_at(r, at, 2);
        for (size_t i = 0; opcode_at(r, at) == SpvOpFunctionCall && i < imports; i++)
            if (r->stack[i] == callee)
                reach_function(r, function);
    }
}

static bool names_function(uint32_t opcode)
{
    return opcode == SpvOpFunctionCall ||
           (opcode >= SpvOpEnqueueKernel && opcode <= SpvOpGetKernelPreferredWorkGroupSizeMultiple) ||
           opcode == SpvOpGetKernelLocalSizeForSubgroupCount || opcode == SpvOpGetKernelMaxNumSubgroups;
}

static void scan_functions(struct reach *r)
{
    for (size_t at = HEADER_WORDS; at < r->count && opcode_at(r, at) != SpvOpFunction;
         at = next_instruction(r, at))
        if (opcode_at(r, at) == SpvOpEntryPoint)
            reach_function(r, operand_at(r, at, 2));
    while (r->depth) {
        size_t at = r->body[r->stack[--r->depth]];
        for (; at < r->count && opcode_at(r, at) != SpvOpFunctionEnd; at = next_instruction(r, at))
            for (uint32_t i = 1; names_function(opcode_at(r, at)) && i < r->words[at] >> 16; i++)
                reach_function(r, operand_at(r, at, i));
    }
}

/* Visits the instructions: marks what dropped functions define, or, with COPY, moves the others together.
 * The new count. */
static size_t sweep_module(struct reach *r, bool copy)
{
    size_t out = HEADER_WORDS;
    bool dropping = false;
    for (size_t at = HEADER_WORDS, next; at < r->count; at = next) {
        const uint32_t opcode = opcode_at(r, at);
        const bool ends = dropping && opcode == SpvOpFunctionEnd;
        next = next_instruction(r, at);
        if (opcode == SpvOpFunction)
            dropping = operand_at(r, at, 2) && !r->reached[operand_at(r, at, 2)];
        bool has_result, has_type;
        SpvHasResultAndType((SpvOp)opcode, &has_result, &has_type);
        if (dropping && has_result)
            r->gone[operand_at(r, at, has_type ? 2 : 1)] = 1;
        const bool names = opcode == SpvOpName || opcode == SpvOpDecorate || opcode == SpvOpDecorateId ||
                           opcode == SpvOpDecorateString;
        const bool kept = !dropping && !(names && r->gone[operand_at(r, at, 1)]);
        if (copy && kept) {
            memmove(r->words + out, r->words + at, (next - at) * 4);
            out += next - at;
        }
        dropping = dropping && !ends;
    }
    return out;
}

size_t rt_helper_drop_unreachable(uint32_t *words, size_t count)
{
    struct reach r = {.words = words, .count = count, .bound = words[3]};
    if (r.bound > count * 4) /* sparse ids: the arrays by id would outweigh the module */
        return count;
    r.body = mm_alloc_zero((size_t)r.bound + 1, sizeof *r.body + sizeof *r.stack + 2);
    if (!r.body)
        return 0;
    r.stack = (uint32_t *)(r.body + r.bound + 1);
    r.reached = (uint8_t *)(r.stack + r.bound + 1);
    r.gone = r.reached + r.bound + 1;
    find_functions(&r);
    reach_callers_of_imports(&r);
    scan_functions(&r);
    sweep_module(&r, false);
    r.gone[0] = 0;
    const size_t kept = sweep_module(&r, true);
    mm_free(r.body);
    return kept;
}
