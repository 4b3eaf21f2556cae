// Inside instrument: ranges of integers over all work-items of a launch.
#ifndef INTERP_JIT_INSTRUMENT_LAUNCH_RANGES_HPP
#define INTERP_JIT_INSTRUMENT_LAUNCH_RANGES_HPP

#include "interp/jit/instrument/lower_checks.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

#include <map>

namespace instrumentation
{

// From LOW to HIGH, as integers of 128 bits that the launch's values determine; LOW null: not known.
struct LaunchRange {
    llvm::Value *low = nullptr, *high = nullptr;
    explicit operator bool() const
    {
        return low;
    }
};

// Emits code, at the end of the function that a launch calls first, for ranges of ITEM's values.
class LaunchRanges
{
  public:
    LaunchRanges(llvm::Function &item, const in_check_lowering &options);
    // Of POINTER from BASE in BLOCK, modulo 2^64.
    LaunchRange offset(llvm::Value *pointer, llvm::Value *base, llvm::BasicBlock *block);
    bool is_aligned(llvm::Value *pointer, llvm::Value *base, uint64_t align);
    // Of V in BLOCK, as a number with or without sign.
    LaunchRange number(llvm::Value *v, bool sign, llvm::BasicBlock *block);
    LaunchRange combine(unsigned op, LaunchRange x, LaunchRange y);
    // That R is within [LOW, HIGH]; null: it is not, or not known.
    llvm::Value *is_within(LaunchRange r, llvm::Value *low, llvm::Value *high);
    // The bytes of the launch's memory argument whose struct in_shadow_memory is at AT in the frame.
    llvm::Value *size_at(uint64_t at);
    llvm::Value *constant(int64_t n)
    {
        return llvm::ConstantInt::getSigned(wide, n);
    }
    // All numbers of WIDTH bits.
    LaunchRange all_numbers(unsigned width, bool sign);
    // What the ranges since the last call depend on; null: nothing.
    llvm::Value *take_requirement();
    // Ends the function, which returns whether ALL; null: drops it.
    void finish(llvm::Value *all);
    llvm::IRBuilder<> b;

  private:
    using Place = std::pair<const llvm::SCEV *, llvm::BasicBlock *>;
    struct Bounds { // by comparisons without sign, and with one
        llvm::Value *least[2] = {}, *most[2] = {};
    };
    // A condition on the path to a place, and what it is there.
    struct Condition {
        llvm::Value *value;
        bool holds;
        llvm::BasicBlock *at;
    };
    llvm::Function &item, *holds;
    const in_check_lowering &options;
    const llvm::DataLayout &layout;
    llvm::DominatorTree tree;
    llvm::LoopInfo loops;
    llvm::AssumptionCache assumptions;
    llvm::TargetLibraryInfoImpl library;
    llvm::TargetLibraryInfo functions;
    llvm::ScalarEvolution evolution;
    llvm::Type *wide;
    llvm::Value *requirement = nullptr;
    std::map<Place, std::pair<LaunchRange, llvm::Value *>> known; // with its requirement
    llvm::SmallVector<Condition, 4> chosen;                       // by selects and phis around a value
    unsigned work = 0;

    void require(llvm::Value *condition);
    void require_small(LaunchRange r);
    // What F returns, without its requirement if that is nothing.
    LaunchRange attempt(llvm::function_ref<LaunchRange()> f)
    {
        llvm::Value *before = requirement;
        LaunchRange r = f();
        requirement = r ? requirement : before;
        return r;
    }
    LaunchRange range(const llvm::SCEV *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange range_without_branches(const llvm::SCEV *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange recurrence(const llvm::SCEVAddRecExpr *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange quotient(const llvm::SCEVUDivExpr *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange remainder(const llvm::SCEVAddExpr *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange extended_sum(const llvm::SCEVAddExpr *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange extreme(const llvm::SCEVNAryExpr *s, llvm::BasicBlock *at, unsigned depth);
    LaunchRange leaf(llvm::Value *v, unsigned depth);
    LaunchRange operation(llvm::Instruction *i, unsigned depth);
    LaunchRange select(llvm::SelectInst *i, unsigned depth);
    LaunchRange merge(llvm::PHINode *phi, unsigned depth);
    LaunchRange parameter(unsigned k);
    LaunchRange launch_value(llvm::LoadInst *load);
    LaunchRange as_number(LaunchRange r, unsigned width, bool sign);
    LaunchRange unite(LaunchRange x, LaunchRange y);
    LaunchRange narrow(LaunchRange r, unsigned width, const Bounds &bounds);
    llvm::Value *smaller(llvm::Value *x, llvm::Value *y);
    llvm::Value *larger(llvm::Value *x, llvm::Value *y);
    llvm::Value *frame_load(uint64_t at, llvm::Type *type);
    bool is_number_of(const llvm::SCEV *compared, bool sign, const llvm::SCEV *s, bool &sign_of_s);
    Bounds find_bounds(const llvm::SCEV *s, llvm::BasicBlock *at, unsigned depth);
    void bound_by(const Condition &c, const llvm::SCEV *s, Bounds &bounds, unsigned depth);
    void bound_by_comparison(llvm::ICmpInst *compare, const Condition &c, const llvm::SCEV *s, Bounds &bounds,
                             unsigned depth);
};

} // namespace instrumentation

#endif
