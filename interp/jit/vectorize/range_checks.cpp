// Range checks of whole work-groups: where each access of a loop over work-items is in bounds, a version of the loop without checks
// runs.  docs/vectorizer.md#range-checks
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace
{

// FAR: no object is as large; STEP: the largest distance of neighbors, in bytes.
enum : uint64_t { FAR = uint64_t(1) << 62, STEP = 1 << 20 };
enum { MOST_CHECKS = 16, MOST_CODE = 400 };

// Offset < end, where OFFSET advances by a constant from one work-item to the next.
struct Check {
    ICmpInst *compare;
    const SCEVAddRecExpr *offset;
};

struct Versioning {
    Loop &loop;
    ScalarEvolution &evolution;
    const SCEV *repeats;
    SmallVector<Check, 8> checks;
};

// A branch that the lowering of checks made: it hardly ever fails.
ICmpInst *check_of(const BasicBlock &b)
{
    auto *branch = dyn_cast<BranchInst>(b.getTerminator());
    MDNode *weights = branch && branch->isConditional() ? branch->getMetadata(LLVMContext::MD_prof) : nullptr;
    auto weight = [&](unsigned from_end) {
        auto *n =
            mdconst::dyn_extract<ConstantInt>(weights->getOperand(weights->getNumOperands() - from_end));
        return n ? n->getZExtValue() : 0;
    };
    if (!weights || weights->getNumOperands() < 3 || weight(2) != 1u << 20 || weight(1) != 1)
        return nullptr;
    auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
    return compare && compare->getPredicate() == ICmpInst::ICMP_ULT && compare->getType()->isIntegerTy() &&
                   compare->getOperand(0)->getType()->isIntegerTy(64)
               ? compare
               : nullptr;
}

bool has_division(const SCEV *s)
{
    return SCEVExprContains(s, [](const SCEV *part) { return isa<SCEVUDivExpr>(part); });
}

bool find(Versioning &v)
{
    Loop &l = v.loop;
    unsigned size = 0;
    if (!findOptionMDForLoop(&l, "llvm.loop.parallel_accesses") || !l.isInnermost() ||
        !l.isLoopSimplifyForm() || !l.getExitBlock() || l.getExitingBlock() != l.getLoopLatch() ||
        isa<SCEVCouldNotCompute>(v.repeats) || has_division(v.repeats) ||
        !v.evolution.getUnsignedRangeMax(v.repeats).isIntN(32))
        return false;
    for (BasicBlock *b : l.blocks()) {
        size += b->size();
        ICmpInst *compare = check_of(*b);
        auto *offset =
            compare ? dyn_cast<SCEVAddRecExpr>(v.evolution.getSCEV(compare->getOperand(0))) : nullptr;
        auto *step = offset && offset->isAffine() && offset->getLoop() == &l
                         ? dyn_cast<SCEVConstant>(offset->getStepRecurrence(v.evolution))
                         : nullptr;
        bool known = any_of(v.checks, [&](const Check &c) { return c.compare == compare; });
        if (step && !known && step->getAPInt().ule(STEP) && l.contains(compare) &&
            l.isLoopInvariant(compare->getOperand(1)) && !has_division(offset->getStart()))
            v.checks.push_back({compare, offset});
    }
    return !v.checks.empty() && v.checks.size() <= MOST_CHECKS && size <= MOST_CODE;
}

// Whether all checks hold in all iterations: the first and the last offset are below END and FAR, and the distance between them is
// less than 2^52, so that offsets ascend without wrapping around.
Value *holds(const Versioning &v, Instruction *before)
{
    const DataLayout &layout = before->getModule()->getDataLayout();
    SCEVExpander expander(v.evolution, layout, "range");
    IRBuilder<> b(before);
    Type *wide = b.getInt64Ty();
    Value *repeats =
        expander.expandCodeFor(v.evolution.getTruncateOrZeroExtend(v.repeats, wide), wide, before);
    Value *all = b.getTrue();
    for (const Check &c : v.checks) {
        auto *step = cast<SCEVConstant>(c.offset->getStepRecurrence(v.evolution));
        Value *first = expander.expandCodeFor(c.offset->getStart(), wide, before);
        b.SetInsertPoint(before);
        Value *last = b.CreateAdd(first, b.CreateMul(repeats, step->getValue()));
        for (Value *end : {static_cast<Value *>(b.getInt64(FAR)), c.compare->getOperand(1)})
            all = b.CreateAnd(all, b.CreateAnd(b.CreateICmpULT(first, end), b.CreateICmpULT(last, end)));
    }
    return b.CreateFreeze(all);
}

void make_version(Versioning &v, DominatorTree &tree, LoopInfo &loops)
{
    BasicBlock *before = v.loop.getLoopPreheader(), *exit = v.loop.getExitBlock();
    SmallVector<BasicBlock *, 16> blocks;
    ValueToValueMapTy map;
    BasicBlock *choice = SplitBlock(before, before->getTerminator(), &tree, &loops);
    std::swap(before, choice); // CHOICE ends with the branch between the versions, BEFORE is the preheader
    Value *unchecked = holds(v, choice->getTerminator());
    Loop *copy = cloneLoopWithPreheader(before, choice, &v.loop, map, ".unchecked", &loops, &tree, blocks);
    remapInstructionsInBlocks(blocks, map);
    for (const Check &c : v.checks)
        map[c.compare]->replaceAllUsesWith(ConstantInt::getTrue(c.compare->getContext()));
    for (PHINode &phi : exit->phis()) {
        Value *value = phi.getIncomingValueForBlock(v.loop.getLoopLatch());
        auto copied = map.find(value);
        phi.addIncoming(copied == map.end() ? value : static_cast<Value *>(copied->second),
                        copy->getLoopLatch());
    }
    Instruction *end = choice->getTerminator();
    BranchInst::Create(copy->getLoopPreheader(), before, unchecked, end);
    end->eraseFromParent();
}

} // namespace

PreservedAnalyses RangeChecks::run(Function &f, FunctionAnalysisManager &analyses)
{
    auto &loops = analyses.getResult<LoopAnalysis>(f);
    auto &tree = analyses.getResult<DominatorTreeAnalysis>(f);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    SmallVector<Versioning, 4> found;
    for (Loop *loop : loops.getLoopsInPreorder()) {
        Versioning v{*loop, evolution, evolution.getBackedgeTakenCount(loop), {}};
        if (find(v))
            found.push_back(v);
    }
    for (Versioning &v : found)
        make_version(v, tree, loops);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
