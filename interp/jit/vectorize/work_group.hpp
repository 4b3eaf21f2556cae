// Inside the loop shims: a work-group's function under construction.
#ifndef INTERP_JIT_VECTORIZE_WORK_GROUP_HPP
#define INTERP_JIT_VECTORIZE_WORK_GROUP_HPP

#include "interp/jit/vectorize/work_item_loops.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

// Parameters of the work-item function: enum in_emit_param.
enum { FRAME, LOCAL, GROUP, SIZE = GROUP + 3, ITEM = SIZE + 3, GLOBAL = ITEM + 3, PARAMETERS = GLOBAL + 3 };

struct Group {
    llvm::Module &module;
    const in_loops &options;
    llvm::Function *function;
    llvm::Value *frame, *local, *context, *id[3], *size[3];
    bool scalar = false; // loops over work-items are not to be vectorized

    Group(llvm::Module &m, const in_loops &o, bool edge);
    // That of the launch which is dimension K of the item.
    unsigned dimension(unsigned k) const
    {
        return options.swapped && k < 2 ? 1 - k : k;
    }
};

// Cuts in the function of a work-item.  Region 0 runs from the beginning, region k from cut k on, each until
// a cut or the end.
struct RegionSplit {
    using Blocks = llvm::SetVector<llvm::BasicBlock *>;
    using Values = llvm::SetVector<llvm::Instruction *>;

    llvm::Function &item;
    llvm::SmallVector<llvm::BasicBlock *, 8> starts;    // of region k; [0] is the entry
    llvm::MapVector<llvm::BasicBlock *, unsigned> cuts; // block of cut k -> k
    llvm::SmallVector<Blocks, 8> blocks;                // of each region
    llvm::DenseMap<llvm::BasicBlock *, Values> live;    // at the beginning of each cut's block

    explicit RegionSplit(llvm::Function &f) : item(f) {}
    void cut(llvm::ArrayRef<llvm::CallInst *> calls);
    void find_blocks();
    void find_live();
    void rematerialize();
};

// Emits loops over all work-items from the end of PRE on; BODY gets the innermost block and the ids and gives
// the block where it ends.  With LANES > 1 that is for as many work-items from the ids on where it is given
// true. Returns the block after the loops.
using Body = llvm::function_ref<llvm::BasicBlock *(llvm::BasicBlock *, llvm::Value **, bool)>;
llvm::BasicBlock *emit_work_item_loops(Group &g, llvm::BasicBlock *pre, unsigned lanes, Body body);
// The arguments of the work-item function.
llvm::SmallVector<llvm::Value *, PARAMETERS> item_arguments(llvm::IRBuilder<> &b, const Group &g,
                                                            llvm::Value **ids);

// The values that may differ between work-items.
struct Divergence {
    llvm::DenseSet<const llvm::Value *> values;
    llvm::SetVector<llvm::BasicBlock *> blocks; // executed by some of them only
    bool irreducible;                           // control flow: then that is everything

    // Among work-items that differ in their ids in the first DIMENSIONS.
    Divergence(llvm::Function &item, unsigned dimensions);
    bool differs(const llvm::BasicBlock &b) const;
};
// How far an address or number advances from one work-item to the next in the first dimension.
struct LaneStride {
    enum {
        IRREGULAR,
        CONSTANT,
        INVARIANT
    } kind = IRREGULAR; // INVARIANT: by what is not known before the launch
    int64_t bytes = 0;  // if CONSTANT
};
LaneStride lane_stride(const llvm::Value *v, const Divergence &divergence, unsigned depth = 12);
enum { MOST_CASES = 16 }; // of a switch whose cases lanes execute one after the other
// uniformity.cpp: legality; gathers of bytes or shorts, which have no vector instruction; conditions that a
// branch predictor cannot learn.
bool is_independent(const llvm::BasicBlock &b); // vectorizable, but for the types of values
bool is_vectorizable(const llvm::Instruction &i);
bool is_vectorizable(const llvm::BasicBlock &b);
bool is_subword_gather(const llvm::Instruction &i, const Divergence &divergence);
bool is_subword_gather(const llvm::BasicBlock &b, const Divergence &divergence);
bool is_profitable(const llvm::Loop &loop, const Divergence &divergence); // cost_model.cpp
// cost_model.cpp: cycles that an iteration of LOOP waits for the value of PHI from the one before; 0: it does
// not follow from itself.
unsigned recurrence_cycles(const llvm::Loop &loop, const llvm::PHINode &phi);
// row_loops.cpp: whether LOOP is better vectorized inside each work-item.
bool is_row_loop(llvm::Loop &loop, llvm::ScalarEvolution &evolution, const Divergence &divergence);
// On all paths to BLOCK, ID in the first dimension has been found equal to VALUE.  No ID: not known.
struct OneItem {
    llvm::Argument *id = nullptr;
    uint64_t value = 0;
};
OneItem guarding_id(llvm::BasicBlock *block, const llvm::DominatorTree &tree);
bool is_for_one_lane(llvm::BasicBlock *block, const llvm::DominatorTree &tree);
// Whether V is loaded from the launch's frame or its arguments: safe to load anywhere, and the same for all
// work-items.
bool is_launch_constant(const llvm::Value *v);
bool is_unpredictable(const llvm::Value *v, const Divergence &divergence, unsigned depth);
// strided_loops.cpp: counters that begin at ids become sums of their starts and counters that begin at 0,
// which all lanes in the same iteration share.
void split_counters(llvm::Function &item);
bool has_split_counters(const llvm::Module &m);
bool is_lane_counter(const llvm::Value *v);
// strip_mine.cpp: a function like F for LANES work-items that follow one another in the first dimension.
struct Strip {
    llvm::Function *function; // NULL: not worth it
    unsigned lanes;
    bool scalar; // nor is any vectorizing
};
Strip strip_mine(llvm::Module &m, const in_loops &options, llvm::Function &f, unsigned most_vectors = ~0u);

// guards.cpp: an item that does nothing unless it passes guards.  Those that do follow one another without a
// gap.
struct GuardedItem {
    llvm::Function *work = nullptr,
                   *passes = nullptr; // NULL: no such guards, or all work-items agree on them
};
GuardedItem split_guards(llvm::Function &item);

// barrier_regions.cpp: work-items that wait for one another at barriers.
bool split_at_barriers(llvm::Module &m, llvm::Function *item, in_loops &loops, char *why, size_t why_size);

// tighten_bounds.cpp: the pass `trim`: loops over work-items without those that do nothing.
struct TightenBounds : llvm::PassInfoMixin<TightenBounds> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// lower_for_vectors.cpp: the pass `lower-switches`: comparisons in place of switches in loops over
// work-items.
struct LowerSwitches : llvm::PassInfoMixin<LowerSwitches> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// range_checks.cpp: the pass `range-checks`: versions of loops over work-items in which all accesses are in
// bounds.
struct RangeChecks : llvm::PassInfoMixin<RangeChecks> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// split_index_sets.cpp: the pass `split-index-sets`: versions of loops over work-items without the clamps of
// indices, for the interior of a picture.
struct SplitIndexSets : llvm::PassInfoMixin<SplitIndexSets> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
