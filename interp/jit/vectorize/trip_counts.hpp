// Scalar evolution of one function, with what it needs.
#ifndef INTERP_JIT_VECTORIZE_TRIP_COUNTS_HPP
#define INTERP_JIT_VECTORIZE_TRIP_COUNTS_HPP

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

struct TripCounts {
    llvm::AssumptionCache assumptions;
    llvm::TargetLibraryInfoImpl library;
    llvm::TargetLibraryInfo functions;
    llvm::ScalarEvolution evolution;
    TripCounts(llvm::Function &f, llvm::DominatorTree &tree, llvm::LoopInfo &loops)
        : assumptions(f), functions(library), evolution(f, functions, assumptions, tree, loops)
    {
    }
};

#endif
