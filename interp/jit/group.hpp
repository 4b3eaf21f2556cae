// Inside the loop shims: a work-group's function under construction.
#ifndef INTERP_JIT_GROUP_HPP
#define INTERP_JIT_GROUP_HPP

#include "loops_shim.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

// Parameters of the work-item function: enum in_emit_param.
enum { FRAME, LOCAL, GROUP, SIZE = GROUP + 3, ITEM = SIZE + 3, PARAMETERS = ITEM + 3 };

struct Group {
    llvm::Module &module;
    const in_loops &options;
    llvm::Function *function;
    llvm::Value *frame, *local, *context, *id[3], *size[3];

    Group(llvm::Module &m, const in_loops &o, bool edge);
};

// Emits loops over all work-items from the end of PRE on; BODY gets the innermost block and the ids and gives
// the block where it ends.  Returns the block after the loops.
using Body = llvm::function_ref<llvm::BasicBlock *(llvm::BasicBlock *, llvm::Value **)>;
llvm::BasicBlock *item_loops(Group &g, llvm::BasicBlock *pre, Body body);
// The arguments of the work-item function.
llvm::SmallVector<llvm::Value *, PARAMETERS> item_arguments(const Group &g, llvm::Value **ids);

// What work-items may disagree on.
struct Divergence {
    llvm::DenseSet<const llvm::Value *> values;
    llvm::SetVector<llvm::BasicBlock *> blocks; // executed by some of them only
    bool irreducible;                           // control flow: then that is everything

    explicit Divergence(llvm::Function &item);
    bool differs(const llvm::BasicBlock &b) const;
};
// uniform_shim.cpp: barriers at the heads of loops that work-items go through in step; false: none.
bool add_steps(llvm::Module &m, llvm::Function &item);

// regions_shim.cpp: work-items that wait for one another at barriers.
bool make_regions(llvm::Module &m, llvm::Function *item, in_loops &loops, char *why, size_t why_size);

#endif
