// The order of a work-item's accesses when work-items become vector lanes.  docs/vectorizer.md#order-of-accesses
#include "interp/jit/vectorize/access_order.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/LoopIterator.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

bool AccessOrder::accesses_tags(const Instruction &i)
{
    MDNode *scopes = i.getMetadata(LLVMContext::MD_alias_scope);
    return scopes && any_of(scopes->operands(), [](const MDOperand &o) {
               auto *node = dyn_cast<MDNode>(o);
               return node && AliasScopeNode(node).getName() == AccessOrder::TAGS;
           });
}

// Whether LLVM may make I part of a group of accesses at equal strides.
static bool may_be_grouped(Instruction &i, PredicatedScalarEvolution &evolution, const Loop &loop)
{
    Value *pointer = getLoadStorePointerOperand(&i);
    if (loop.isLoopInvariant(pointer))
        return false;
    const SCEVAddRecExpr *sequence = evolution.getAsAddRec(pointer);
    auto *step = sequence && sequence->isAffine()
                     ? dyn_cast<SCEVConstant>(sequence->getStepRecurrence(*evolution.getSE()))
                     : nullptr;
    uint64_t size = i.getModule()->getDataLayout().getTypeAllocSize(getLoadStoreType(&i));
    return step && step->getAPInt().abs() != size;
}

// Whether access K, if it moves up to or down to others of its group, may pass an access that it depends on.  Tags of different lanes
// depend on each other; other accesses of different work-items do not.
static bool may_pass_dependence(ArrayRef<Instruction *> accesses, unsigned k, AAResults &aliases)
{
    Instruction *i = accesses[k];
    if (AccessOrder::accesses_tags(*i))
        return true;
    for (unsigned other = 0; other < accesses.size(); other++) {
        bool passed = isa<LoadInst>(i) ? other < k && isa<StoreInst>(accesses[other]) : other > k;
        if (passed && !aliases.isNoAlias(MemoryLocation::get(i), MemoryLocation::get(accesses[other])))
            return true;
    }
    return false;
}

static void find_dependent(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution, AAResults &aliases,
                           SmallVectorImpl<Instruction *> &found)
{
    PredicatedScalarEvolution predicated(evolution, loop);
    SmallVector<Instruction *, 32> accesses;
    LoopBlocksRPO order(&loop);
    order.perform(&loops);
    for (BasicBlock *block : order)
        for (Instruction &i : *block)
            if (getLoadStorePointerOperand(&i))
                accesses.push_back(&i);
    for (unsigned k = 0; k < accesses.size(); k++)
        if (may_be_grouped(*accesses[k], predicated, loop) && may_pass_dependence(accesses, k, aliases))
            found.push_back(accesses[k]);
}

// The vectorizer moves loads of a group up to its first access and stores down to its last.  It takes the promise that iterations are
// independent for one that no accesses are, those within an iteration included.
PreservedAnalyses AccessOrder::run(Function &f, FunctionAnalysisManager &analyses)
{
    auto &loops = analyses.getResult<LoopAnalysis>(f);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    auto &aliases = analyses.getResult<AAManager>(f);
    SmallVector<Instruction *, 16> found;
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->isInnermost() && findOptionMDForLoop(loop, "llvm.loop.parallel_accesses"))
            find_dependent(*loop, loops, evolution, aliases, found);
    for (Instruction *i : found) { // an address that scalar evolution does not look through
        IRBuilder<> b(i);
        Value *pointer = getLoadStorePointerOperand(i);
        Value *hidden = b.CreateIntToPtr(b.CreatePtrToInt(pointer, b.getInt64Ty()), pointer->getType());
        i->setOperand(isa<StoreInst>(i) ? 1 : 0, hidden);
    }
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
