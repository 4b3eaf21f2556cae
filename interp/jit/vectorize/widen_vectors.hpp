// Vectors of several work-items.  docs/vectorizer.md#vectors-of-several-work-items
#ifndef INTERP_JIT_VECTORIZE_WIDEN_VECTORS_HPP
#define INTERP_JIT_VECTORIZE_WIDEN_VECTORS_HPP

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

// The pass `widen-vectors`: several work-items that compute with vectors become one iteration of the loop
// over work-items.
struct WidenVectors : llvm::PassInfoMixin<WidenVectors> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// join_elements.cpp: whether I computes numbers, and each element of a vector from the same elements of
// vectors.
bool is_elementwise(const llvm::Instruction &i);
// Operands of I that are no functions, and whether operand K remains a scalar if I computes a vector.
unsigned value_operands(const llvm::Instruction &i);
bool is_scalar_operand(const llvm::Instruction &i, unsigned k);
// The elementwise instruction I with other OPERANDS and result TYPE.
llvm::Value *with_operands(llvm::IRBuilder<> &b, llvm::Instruction &i, llvm::ArrayRef<llvm::Value *> operands,
                           llvm::Type *type);
// Joins operations on the elements of a vector that is made of their results.  Leaves dead instructions.
// Returns whether any was found.
bool join_elements(llvm::BasicBlock &block);

#endif
