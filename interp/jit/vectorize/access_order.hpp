// The pass `access-order`: accesses of a work-item that depend on each other keep their order in vectors.
#ifndef INTERP_JIT_VECTORIZE_ACCESS_ORDER_HPP
#define INTERP_JIT_VECTORIZE_ACCESS_ORDER_HPP

#include <llvm/IR/Instruction.h>
#include <llvm/IR/PassManager.h>

struct AccessOrder : llvm::PassInfoMixin<AccessOrder> {
    static bool accesses_tags(const llvm::Instruction &i); // whether I accesses shadow tags
    static constexpr char TAGS[] = "tags";                 // the name of the alias scope of shadow tags
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
