// Loops over work-items that LLVM's vectorizer interleaves because their arithmetic waits for its own results.
#ifndef INTERP_JIT_VECTORIZE_INTERLEAVE_HPP
#define INTERP_JIT_VECTORIZE_INTERLEAVE_HPP

#include <llvm/IR/PassManager.h>

struct Interleave : llvm::PassInfoMixin<Interleave> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
