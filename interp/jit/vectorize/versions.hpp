// What the versions of LLVM name or declare differently; everything else of the JIT compiles with each of
// them.
#ifndef INTERP_JIT_VECTORIZE_VERSIONS_HPP
#define INTERP_JIT_VECTORIZE_VERSIONS_HPP

#include <llvm-c/LLJIT.h>
#include <llvm-c/OrcEE.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/Any.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif
#include <type_traits>

inline bool starts_with(llvm::StringRef text, llvm::StringRef prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

inline bool ends_with(llvm::StringRef text, llvm::StringRef suffix)
{
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// The memory in BEFORE's block that replaces the value of I.
inline llvm::AllocaInst *demote_register(llvm::Instruction &i, llvm::Instruction *before)
{
#if LLVM_VERSION_MAJOR >= 19
    return llvm::DemoteRegToStack(i, false, before->getIterator());
#else
    return llvm::DemoteRegToStack(i, false, before);
#endif
}

// INFO is LLVM's LazyValueInfo, of which the constructor takes FUNCTIONS in some versions.
template <class Info>
Info value_info(llvm::AssumptionCache *assumptions, const llvm::DataLayout *layout,
                llvm::TargetLibraryInfo *functions)
{
    if constexpr (std::is_constructible_v<Info, decltype(assumptions), decltype(layout), decltype(functions)>)
        return Info(assumptions, layout, functions);
    else
        return Info(assumptions, layout);
}

inline unsigned bits_set(const llvm::APInt &value)
{
#if LLVM_VERSION_MAJOR >= 17
    return value.popcount();
#else
    return value.countPopulation();
#endif
}

inline uint64_t trailing_zeros(llvm::ScalarEvolution &evolution, const llvm::SCEV *s)
{
#if LLVM_VERSION_MAJOR >= 17
    return evolution.getMinTrailingZeros(s);
#else
    return evolution.GetMinTrailingZeros(s);
#endif
}

inline llvm::Value *gep_offset(llvm::IRBuilder<> &b, const llvm::DataLayout &layout, llvm::User *gep)
{
#if LLVM_VERSION_MAJOR >= 17
    return llvm::emitGEPOffset(&b, layout, gep, true);
#else
    return llvm::EmitGEPOffset(&b, layout, gep, true);
#endif
}

inline void drop_diagnostics(llvm::LLVMContext &context)
{
#if LLVM_VERSION_MAJOR >= 19
    context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo *, void *) {});
#else
    context.setDiagnosticHandlerCallBack([](const llvm::DiagnosticInfo &, void *) {});
#endif
}

inline void add_libmvec(llvm::TargetLibraryInfoImpl &library, const llvm::Triple &triple)
{
    if (!triple.isX86())
        return;
#if LLVM_VERSION_MAJOR >= 16
    library.addVectorizableFunctionsFromVecLib(llvm::TargetLibraryInfoImpl::LIBMVEC_X86, triple);
#else
    library.addVectorizableFunctionsFromVecLib(llvm::TargetLibraryInfoImpl::LIBMVEC_X86);
#endif
}

// The function that a pass is about to be run on; null: it is not run on a function.
inline const llvm::Function *function_of(const llvm::Any &ir)
{
#if LLVM_VERSION_MAJOR >= 16
    const llvm::Function *const *f = llvm::any_cast<const llvm::Function *>(&ir);
    return f ? *f : nullptr;
#else
    return llvm::any_isa<const llvm::Function *>(ir) ? llvm::any_cast<const llvm::Function *>(ir) : nullptr;
#endif
}

// NULL: the defaults of LLVM.  LLVM 17's default linker takes the function that registers unwind tables from
// the process's global symbols, where those of libLLVM are not, as the driver is loaded locally.
// RuntimeDyld, the default of LLVM 15, calls that function itself.
inline LLVMOrcLLJITBuilderRef jit_builder()
{
#if LLVM_VERSION_MAJOR == 16 || LLVM_VERSION_MAJOR == 17
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(
        builder,
        [](void *, LLVMOrcExecutionSessionRef session, const char *) {
            return LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(session);
        },
        nullptr);
    return builder;
#else
    return nullptr;
#endif
}

#endif
