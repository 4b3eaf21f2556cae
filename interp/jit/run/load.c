/* Loading an object file: what it calls, where its functions are. */
#include "interp/ext/slow_path.h"
#include "interp/jit/instrument/clocks.h"
#include "interp/jit/llvm/llvm_shim.h"
#include "interp/jit/run/compile.h"
#include "interp/jit/run/slow_vectors.h"
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <stdio.h>
#include <string.h>

static bool has_succeeded(LLVMErrorRef error, char *why, size_t why_size)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    snprintf(why, why_size, "LLVM: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* ---- symbols ----------------------------------------------------------------------------- */

static bool add_library(LLVMOrcLLJITRef jit, const char *path, char *why, size_t why_size)
{
    LLVMOrcDefinitionGeneratorRef generator;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(jit);
    if (!has_succeeded(
            LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(&generator, path, prefix, NULL, NULL), why,
            why_size))
        return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), generator);
    return true;
}

/* Where it is missing no code calls it. */
static bool add_vector_library(LLVMOrcLLJITRef jit)
{
    char unused[160];
    add_library(jit, "libmvec.so.1", unused, sizeof unused);
    return true;
}

static bool define_symbol(LLVMOrcLLJITRef jit, const char *name, uint64_t address, char *why, size_t why_size)
{
    LLVMOrcCSymbolMapPair pair = {.Name = LLVMOrcLLJITMangleAndIntern(jit, name),
                                  .Sym = {.Address = address,
                                          .Flags = {.GenericFlags = LLVMJITSymbolGenericFlagsExported |
                                                                    LLVMJITSymbolGenericFlagsCallable}}};
    return has_succeeded(
        LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1)), why,
        why_size);
}

static bool define_symbols(LLVMOrcLLJITRef jit, const char *name, char *why, size_t why_size)
{
    static const struct {
        const char *name;
        uintptr_t address;
    } functions[] = {{"in_slow_angle", (uintptr_t)&in_slow_angle},
                     {"in_slow_sin", (uintptr_t)&in_slow_sin},
                     {"in_slow_cos", (uintptr_t)&in_slow_cos},
                     {"in_slow_tan", (uintptr_t)&in_slow_tan},
                     {"in_slow_fmod", (uintptr_t)&in_slow_fmod},
                     {"in_slow_remainder", (uintptr_t)&in_slow_remainder},
                     {"in_slow_quotient", (uintptr_t)&in_slow_quotient},
                     {"in_shadow_find", (uintptr_t)&in_shadow_find},
                     {"in_clock_begin", (uintptr_t)&in_clock_begin},
                     {"in_clock_synchronize", (uintptr_t)&in_clock_synchronize},
                     {"in_clock_fence", (uintptr_t)&in_clock_fence},
                     {"in_clock_covers", (uintptr_t)&in_clock_covers}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(name, functions[k].name) == 0)
            return define_symbol(jit, name, functions[k].address, why, why_size);
    uintptr_t vector = in_slow_vector(name);
    return !vector || define_symbol(jit, name, vector, why, why_size);
}

static bool define_functions(LLVMOrcLLJITRef jit, LLVMMemoryBufferRef object, char *why, size_t why_size)
{
    char *message = NULL;
    LLVMBinaryRef binary = LLVMCreateBinary(object, NULL, &message);
    if (!binary) {
        snprintf(why, why_size, "LLVM: %.120s", message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool good = LLVMBinaryGetType(binary) == LLVMBinaryTypeELF64L;
    if (!good)
        snprintf(why, why_size, "the code is no object file of this machine");
    LLVMSymbolIteratorRef symbol = good ? LLVMObjectFileCopySymbolIterator(binary) : NULL;
    for (; good && !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol))
        good = define_symbols(jit, LLVMGetSymbolName(symbol), why, why_size);
    if (symbol)
        LLVMDisposeSymbolIterator(symbol);
    LLVMDisposeBinary(binary);
    return good;
}

static bool look_up(struct in_jit_kernel *k)
{
    LLVMOrcExecutorAddress row = 0, edge = 0, holds = 0;
    if (k->shape.shadow_plan.ranges &&
        !has_succeeded(LLVMOrcLLJITLookup(k->jit, &holds, "run.holds"), k->why, sizeof k->why))
        return false;
    memcpy(&k->holds, &holds, sizeof k->holds);
    if (k->shape.waits) {
        if (!has_succeeded(LLVMOrcLLJITLookup(k->jit, &row, "run.fiber"), k->why, sizeof k->why))
            return false;
        memcpy(&k->turns, &row, sizeof k->turns);
        return true;
    }
    bool rows = !(k->options.flags & IN_JIT_ANY_SIZE);
    if ((rows && !has_succeeded(LLVMOrcLLJITLookup(k->jit, &row, "run.row"), k->why, sizeof k->why)) ||
        (k->edge && !has_succeeded(LLVMOrcLLJITLookup(k->jit, &edge, "run.edge"), k->why, sizeof k->why)))
        return false;
    memcpy(&k->row, &row, sizeof k->row);
    memcpy(&k->edges, &edge, sizeof k->edges);
    return true;
}

/* Every kernel has a separate LLJIT, so that its memory is freed with it. */
bool in_jit_load(struct in_jit_kernel *k, LLVMMemoryBufferRef object)
{
    LLVMOrcLLJITRef made = NULL;
    if (!has_succeeded(in_shim_jit(&made), k->why, sizeof k->why)) {
        LLVMDisposeMemoryBuffer(object);
        return false;
    }
    k->jit = made;
    if (!add_library(made, "libm.so.6", k->why, sizeof k->why) || !add_vector_library(made) ||
        !add_library(made, "libc.so.6", k->why, sizeof k->why) ||
        !define_functions(made, object, k->why, sizeof k->why)) {
        LLVMDisposeMemoryBuffer(object);
        return false;
    }
    return has_succeeded(LLVMOrcLLJITAddObjectFile(made, LLVMOrcLLJITGetMainJITDylib(made), object), k->why,
                         sizeof k->why) &&
           look_up(k);
}

void in_jit_unload(struct in_jit_kernel *k)
{
    LLVMErrorRef error = k->jit ? LLVMOrcDisposeLLJIT(k->jit) : NULL;
    if (error)
        LLVMConsumeError(error);
}
