// What code costs on a processor with vectors, and what follows from it for loops over work-items.
// docs/vectorizer.md#cost-model
#ifndef INTERP_JIT_VECTORIZE_COST_MODEL_HPP
#define INTERP_JIT_VECTORIZE_COST_MODEL_HPP

#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

// As many instructions as an access lane by lane costs, and at most as many elements as accesses of neighbors
// are apart that share vectors.
constexpr unsigned LANE_ACCESS = 12, FEW_ELEMENTS = 4;

// One execution of some blocks for one work-item.
struct CodeCost {
    unsigned size = 0; // instructions that compute more than an address
    unsigned accesses = 0, gathers = 0;
    unsigned cycles = 0; // of the longest chain of dependent instructions
    unsigned live = 0;   // registers that intermediate results occupy at a time
};
// Without gathers.  BLOCKS: each behind those from which it is reached without a back edge.  IS_FREE: whether
// a value occupies no separate vector register.
CodeCost measure_code(llvm::ArrayRef<llvm::BasicBlock *> blocks,
                      llvm::function_ref<bool(const llvm::Instruction &)> is_free);
// Of a value for as many work-items as a vector has elements of 32 bits; addresses are computed by scalar
// instructions.
unsigned vector_registers(const llvm::Type *type);
// How many vectors of work-items, a power of two, are worth an iteration of a loop over work-items that
// executes code of COST and receives values in ACROSS registers for each.
unsigned vectors_that_fit(const CodeCost &cost, unsigned across);
bool is_gather(const llvm::Instruction &i, const Divergence &divergence);
// Whether vectors that execute BLOCKS under a mask take longer than to find out whether any lane needs them.
bool is_worth_branch(llvm::ArrayRef<llvm::BasicBlock *> blocks, const Divergence &divergence);
// The addresses of I if it accesses consecutive elements in consecutive iterations, else NULL.
const llvm::SCEVAddRecExpr *consecutive_access(llvm::Instruction &i,
                                               llvm::PredicatedScalarEvolution &evolution);

// The pass that asks LLVM's vectorizer for several vectors in an iteration where arithmetic waits for its own
// results, and for none where members of structures are moved.
struct Interleave : llvm::PassInfoMixin<Interleave> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// The pass that lets LLVM's first vectorizer have loops over consecutive elements of which neighbors load the
// same ones.
struct ForceVectors : llvm::PassInfoMixin<ForceVectors> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
