// Inside instrument: accesses to local memory, enumerated for each work-item of a work-group.
#ifndef INTERP_JIT_INSTRUMENT_ENUMERATE_LOCAL_HPP
#define INTERP_JIT_INSTRUMENT_ENUMERATE_LOCAL_HPP

#include "interp/jit/instrument/lower_checks.hpp"

#include <llvm/Analysis/PostDominators.h>

#include <map>
#include <optional>

namespace instrumentation
{

// A variable of local memory, or all that an argument leads to.
using LocalVariable = std::pair<unsigned, uint64_t>;
LocalVariable local_variable(const Access &a);

// docs/instrumentation.md#enumeration
class LocalEnumeration
{
  public:
    LocalEnumeration(llvm::Function &f, const in_check_lowering &w, const llvm::DominatorTree &t);
    // Whether no two work-items of a work-group conflict by accesses to one variable, whichever of ACCESSES
    // each of them makes.
    bool are_apart(llvm::ArrayRef<Access *> accesses);

    struct Kernel {
        llvm::function_ref<Access *(llvm::Instruction &)> access; // of local memory; null: I is none
        llvm::function_ref<bool(const llvm::Instruction &)>
            is_barrier; // that orders accesses of local memory
    };
    // Follows the path of all work-items of a work-group; false: it is not known.  Then CONFLICTING has
    // accesses that may conflict or are at an unknown place, at least one of each pair, and OUTSIDE those
    // that may be out of bounds or misaligned.
    bool walk(const Kernel &kernel);
    llvm::SmallPtrSet<const Access *, 16> conflicting, outside;

  private:
    enum : unsigned { // BUDGET: values that are computed for one variable, a few milliseconds; MOST_BYTES: of a variable
        BUDGET = 1 << 20,
        MOST_BYTES = 1 << 18,
    };
    using Lanes = llvm::SmallVector<std::optional<uint64_t>, 0>; // a value for each work-item, if it is known
    using Mask = std::vector<bool>;                              // of work-items
    struct Cell {
        uint32_t reader, writer; // a work-item, NO_ITEM or SEVERAL_ITEMS
    };

    llvm::Function &item;
    const in_check_lowering &options;
    const llvm::DataLayout &layout;
    const llvm::DominatorTree &tree;
    llvm::PostDominatorTree post;
    llvm::LoopInfo loops;
    unsigned items, budget;
    llvm::DenseMap<const llvm::PHINode *, Lanes> counters; // of the loops whose iterations are enumerated
    llvm::DenseMap<const llvm::Value *, Lanes> known;      // in this iteration
    llvm::SmallPtrSet<const llvm::Value *, 16> evaluating;
    std::map<LocalVariable, std::vector<Cell>> cells;

    const Lanes &evaluate(const llvm::Value *v);
    Lanes compute(const llvm::Value *v);
    Lanes compute_phi(const llvm::PHINode &phi);
    std::optional<uint64_t> compute_lane(const llvm::Instruction &i, llvm::ArrayRef<uint64_t> operands) const;
    void restrict_edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to, Mask &mask);
    Mask executing(const llvm::BasicBlock *block, const llvm::BasicBlock *until = nullptr);
    bool offset(const llvm::Value *pointer, const llvm::Value *base, Lanes &sum);
    llvm::SmallPtrSet<const llvm::Loop *, 4> counting_loops(llvm::SmallVector<const llvm::Value *, 16> values,
                                                            const llvm::Value *base);
    bool find_loops(const Access &a, bool conditions, llvm::SmallVectorImpl<llvm::Loop *> &found);
    bool enumerate(const Access &a, llvm::ArrayRef<llvm::Loop *> nest, const Mask &mask);
    bool make_access(const Access &a, const Mask &mask);
    bool is_chosen(const llvm::Loop &loop) const;
    void enter(const llvm::BasicBlock *from, const llvm::BasicBlock *block);
    llvm::BasicBlock *common_successor(const llvm::BasicBlock *block);
    void visit(Access &a, llvm::ArrayRef<llvm::Loop *> nest);
    bool visit_region(llvm::BasicBlock *head, const llvm::BasicBlock *join, const Kernel &kernel);
};

} // namespace instrumentation

#endif
