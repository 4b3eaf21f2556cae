// Inside instrument: accesses to local memory, enumerated for each work-item of a work-group.
#ifndef INTERP_JIT_INSTRUMENT_ENUMERATE_LOCAL_HPP
#define INTERP_JIT_INSTRUMENT_ENUMERATE_LOCAL_HPP

#include "interp/jit/instrument/lower_checks.hpp"

#include <optional>

namespace instrumentation
{

// docs/instrumentation.md#enumeration
class LocalEnumeration
{
  public:
    LocalEnumeration(llvm::Function &f, const in_check_lowering &w, const llvm::DominatorTree &t);
    // Whether no two work-items of a work-group conflict by accesses to one variable, whichever of ACCESSES each of them makes.
    bool are_apart(llvm::ArrayRef<Access *> accesses);

  private:
    using Lanes = llvm::SmallVector<std::optional<uint64_t>, 0>; // a value for each work-item, if it is known
    using Mask = std::vector<bool>;                              // of work-items
    struct Cell {
        uint32_t reader, writer; // a work-item, NO_ITEM or SEVERAL_ITEMS
    };

    llvm::Function &item;
    const in_check_lowering &options;
    const llvm::DataLayout &layout;
    const llvm::DominatorTree &tree;
    llvm::LoopInfo loops;
    unsigned items, budget;
    llvm::DenseMap<const llvm::PHINode *, Lanes> counters; // of the loops whose iterations are enumerated
    llvm::DenseMap<const llvm::Value *, Lanes> known;      // in this iteration
    llvm::SmallPtrSet<const llvm::Value *, 16> evaluating;
    std::vector<Cell> cells;

    const Lanes &evaluate(const llvm::Value *v);
    Lanes compute(const llvm::Value *v);
    Lanes compute_phi(const llvm::PHINode &phi);
    std::optional<uint64_t> compute_lane(const llvm::Instruction &i, llvm::ArrayRef<uint64_t> operands) const;
    void restrict_edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to, Mask &mask);
    Mask executing(const llvm::BasicBlock *block, const llvm::BasicBlock *until = nullptr);
    bool offset(const llvm::Value *pointer, const llvm::Value *base, Lanes &sum);
    bool find_loops(const Access &a, llvm::SmallVectorImpl<llvm::Loop *> &found);
    bool enumerate(const Access &a, llvm::ArrayRef<llvm::Loop *> nest, const Mask &mask);
    bool make_access(const Access &a, const Mask &mask);
};

} // namespace instrumentation

#endif
