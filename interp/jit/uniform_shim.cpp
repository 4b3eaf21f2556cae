// Where the work-items of a group agree, and loops that they can run through in step: each iteration for all
// work-items before the next, so that the innermost loop is the one over work-items, which can be vectorised.
#include "group.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/DivergenceAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/SyncDependenceAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

// ---- agreement -----------------------------------------------------------------------------------

static bool source_of_divergence(const Instruction &i)
{
    if (isa<AllocaInst>(i) || isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i))
        return true;
    if (isa<LoadInst>(i))
        return !i.hasMetadata(LLVMContext::MD_invariant_load);
    auto *call = dyn_cast<CallInst>(&i);
    return call && !call->doesNotAccessMemory();
}

// Blocks that only some work-items may execute: between a branch on which they differ and where they meet.
static void divergent_blocks(const PostDominatorTree &tree, BasicBlock *branch, SetVector<BasicBlock *> &set)
{
    DomTreeNode *node = tree.getNode(branch);
    BasicBlock *meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<BasicBlock *, 16> work(successors(branch));
    SmallPtrSet<BasicBlock *, 16> seen;
    while (!work.empty()) {
        BasicBlock *b = work.pop_back_val();
        if (b == meet || !seen.insert(b).second)
            continue;
        set.insert(b);
        work.append(succ_begin(b), succ_end(b));
    }
}

// Whether work-items may leave B in different directions.
bool Divergence::differs(const BasicBlock &b) const
{
    const Instruction *end = b.getTerminator();
    return end->getNumSuccessors() > 1 && (values.count(end) || values.count(end->getOperand(0)));
}

Divergence::Divergence(Function &item)
{
    DominatorTree tree(item);
    PostDominatorTree post(item);
    LoopInfo loops(tree);
    ReversePostOrderTraversal<Function *> order(&item);
    irreducible = containsIrreducibleCFG<BasicBlock *>(order, loops);
    if (!irreducible) {
        SyncDependenceAnalysis sync(tree, post, loops);
        DivergenceAnalysisImpl analysis(item, nullptr, tree, loops, sync, false);
        for (unsigned k = 0; k < 3; k++)
            analysis.markDivergent(*item.getArg(ITEM + k));
        for (Instruction &i : instructions(item))
            if (source_of_divergence(i))
                analysis.markDivergent(i);
        analysis.compute();
        for (Instruction &i : instructions(item))
            if (analysis.isDivergent(i))
                values.insert(&i);
        for (Argument &a : item.args())
            if (analysis.isDivergent(a))
                values.insert(&a);
        for (BasicBlock &b : item)
            if (differs(b))
                divergent_blocks(post, &b, blocks);
    }
    for (Instruction &i : instructions(item))
        if (irreducible || blocks.count(i.getParent()))
            values.insert(&i);
}

// ---- loops in step -------------------------------------------------------------------------------

static bool vectorizable(const Instruction &i)
{
    if (auto *load = dyn_cast<LoadInst>(&i))
        return load->isSimple() && (load->hasMetadata(LLVMContext::MD_access_group) ||
                                    load->hasMetadata(LLVMContext::MD_invariant_load));
    if (auto *store = dyn_cast<StoreInst>(&i))
        return store->isSimple() && store->hasMetadata(LLVMContext::MD_access_group);
    if (auto *call = dyn_cast<IntrinsicInst>(&i))
        return call->doesNotAccessMemory() || call->isAssumeLikeIntrinsic();
    return !isa<CallBase>(i) && !isa<AtomicRMWInst>(i) && !isa<AtomicCmpXchgInst>(i) && !isa<FenceInst>(i) &&
           !isa<AllocaInst>(i) && !i.getType()->isVectorTy();
}

// All work-items go through LOOP the same number of times, and nothing in it keeps the loop over them from
// being vectorised.
static bool in_step(const Loop &loop, const Divergence &agreement)
{
    if (!loop.isInnermost() || agreement.blocks.count(loop.getHeader()))
        return false;
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    for (BasicBlock *b : exiting)
        if (agreement.differs(*b))
            return false;
    unsigned size = 0;
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b)
            if (size++ > 300 || !vectorizable(i))
                return false;
    return true;
}

bool add_steps(Module &m, Function &item)
{
    Divergence agreement(item);
    if (agreement.irreducible)
        return false;
    DominatorTree tree(item);
    LoopInfo loops(tree);
    SmallVector<BasicBlock *, 8> heads;
    for (Loop *loop : loops.getLoopsInPreorder())
        if (in_step(*loop, agreement))
            heads.push_back(loop->getHeader());
    if (heads.empty() || heads.size() > 8)
        return false;
    FunctionCallee barrier = m.getOrInsertFunction("in.barrier", Type::getVoidTy(m.getContext()));
    for (BasicBlock *head : heads)
        CallInst::Create(barrier, "", &*head->getFirstInsertionPt());
    return true;
}
