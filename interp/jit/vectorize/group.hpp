// Inside the loop shims: a work-group's function under construction.
#ifndef INTERP_JIT_GROUP_HPP
#define INTERP_JIT_GROUP_HPP

#include "interp/jit/vectorize/loops_shim.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
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
    bool scalar = false; // loops over work-items are not to be vectorised

    Group(llvm::Module &m, const in_loops &o, bool edge);
};

// Cuts in the function of a work-item.  Region 0 runs from the beginning, region k from cut k on, each until
// a cut or the end.
struct Cutting {
    using Blocks = llvm::SetVector<llvm::BasicBlock *>;
    using Values = llvm::SetVector<llvm::Instruction *>;

    llvm::Function &item;
    llvm::SmallVector<llvm::BasicBlock *, 8> starts;   // of region k; [0] is the entry
    llvm::DenseMap<llvm::BasicBlock *, unsigned> cuts; // block of cut k -> k
    llvm::SmallVector<Blocks, 8> blocks;               // of each region
    llvm::DenseMap<llvm::BasicBlock *, Values> live;   // at the beginning of each block

    explicit Cutting(llvm::Function &f) : item(f) {}
    void cut(llvm::ArrayRef<llvm::CallInst *> calls);
    void find_blocks();
    void find_live();
    void rematerialize();
};

// Emits loops over all work-items from the end of PRE on; BODY gets the innermost block and the ids and gives
// the block where it ends.  With LANES > 1 that is for as many work-items from the ids on where it is given
// true. Returns the block after the loops.
using Body = llvm::function_ref<llvm::BasicBlock *(llvm::BasicBlock *, llvm::Value **, bool)>;
llvm::BasicBlock *item_loops(Group &g, llvm::BasicBlock *pre, unsigned lanes, Body body);
// The arguments of the work-item function.
llvm::SmallVector<llvm::Value *, PARAMETERS> item_arguments(llvm::IRBuilder<> &b, const Group &g,
                                                            llvm::Value **ids);

// What work-items may disagree on.
struct Divergence {
    llvm::DenseSet<const llvm::Value *> values;
    llvm::SetVector<llvm::BasicBlock *> blocks; // executed by some of them only
    bool irreducible;                           // control flow: then that is everything

    // Among work-items that differ in their ids in the first DIMENSIONS.
    Divergence(llvm::Function &item, unsigned dimensions);
    bool differs(const llvm::BasicBlock &b) const;
};
// uniform_shim.cpp: what the vectoriser takes; vectors of bytes or words from anywhere, which come one by
// one; conditions that no branch prediction knows.
bool vectorizable(const llvm::Instruction &i);
bool vectorizable(const llvm::BasicBlock &b);
bool scattered(const llvm::Instruction &i, const Divergence &agreement);
bool scattered(const llvm::BasicBlock &b, const Divergence &agreement);
bool worthwhile(const llvm::Loop &loop, const Divergence &agreement);
bool unpredictable(const llvm::Value *v, const Divergence &agreement, unsigned depth);
// Whether I reads what another work-item may be about to change.
bool observes(const llvm::Instruction &i);
// strips_shim.cpp: a function like F for LANES work-items that follow one another in the first dimension.
struct Strip {
    llvm::Function *function; // NULL: not worth it
    unsigned lanes;
    bool scalar; // nor is any vectorising
};
Strip make_strip(llvm::Module &m, const in_loops &options, llvm::Function &f);

// regions_shim.cpp: work-items that wait for one another at barriers.
bool make_regions(llvm::Module &m, llvm::Function *item, in_loops &loops, char *why, size_t why_size);

// trim_shim.cpp: the pass `trim`: loops over work-items without those that do nothing.
struct Trim : llvm::PassInfoMixin<Trim> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
