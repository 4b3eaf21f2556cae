// What LLVM's C interface lacks: lazy linking, metadata, pass options.
#include "llvm_shim.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

LLVMValueRef in_shim_add(LLVMBuilderRef builder, LLVMValueRef a, LLVMValueRef b)
{
    return wrap(unwrap(builder)->CreateAdd(unwrap(a), unwrap(b), "", true, true));
}

LLVMValueRef in_shim_access_group(LLVMContextRef context)
{
    LLVMContext &c = *unwrap(context);
    return wrap(MetadataAsValue::get(c, MDNode::getDistinct(c, {})));
}

LLVMModuleRef in_shim_lazy_module(LLVMContextRef context, const void *bytes, size_t size)
{
    StringRef text(static_cast<const char *>(bytes), size);
    auto buffer = MemoryBuffer::getMemBuffer(text, "builtins", false);
    auto module = getOwningLazyBitcodeModule(std::move(buffer), *unwrap(context), true);
    if (!module) {
        consumeError(module.takeError());
        return nullptr;
    }
    return wrap(module->release());
}

bool in_shim_link_needed(LLVMModuleRef to, LLVMModuleRef from)
{
    return !Linker::linkModules(*unwrap(to), std::unique_ptr<Module>(unwrap(from)), Linker::LinkOnlyNeeded);
}

void in_shim_neutral(LLVMModuleRef module, const char *keep, unsigned vector_width)
{
    for (Function &f : *unwrap(module)) {
        for (const char *name : {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"})
            f.removeFnAttr(name);
        if (vector_width)
            f.addFnAttr("prefer-vector-width", std::to_string(vector_width));
        if (!f.isDeclaration() && !f.getName().startswith(keep))
            f.setLinkage(GlobalValue::InternalLinkage);
    }
}

bool in_shim_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes, bool vectorize)
{
    PipelineTuningOptions options;
    options.LoopVectorization = options.SLPVectorization = vectorize;
    options.LoopInterleaving = vectorize;
    PassBuilder builder(reinterpret_cast<TargetMachine *>(machine), options);
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    ModulePassManager manager;
    if (Error error = builder.parsePassPipeline(manager, passes)) {
        consumeError(std::move(error));
        return false;
    }
    manager.run(*unwrap(module), modules);
    return true;
}
