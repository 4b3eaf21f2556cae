// Range checks of whole work-groups: where each access of a loop over work-items is in bounds, a version of
// the loop without checks runs.  docs/vectorizer.md#range-checks
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

// A condition that is the same for all work-items, or offset < end or its inverse, where OFFSET advances by a
// constant from one to the next.
struct Check {
    Value *condition;
    bool expected;                // the condition's value in bounds
    const SCEVAddRecExpr *offset; // NULL: the same for all
};

struct Versioning {
    Loop &loop;
    ScalarEvolution &evolution;
    const SCEV *repeats;
    PredicatedScalarEvolution predicated; // offsets are affine where its predicate holds
    SmallVector<Check, 8> checks;
};

// The check of a branch that the lowering of checks made: it hardly ever fails.  LLVM 19 inverts the
// condition where its inverse has other uses.  The condition is NULL for other branches.
Check check_of(const BasicBlock &b)
{
    auto *branch = dyn_cast<BranchInst>(b.getTerminator());
    MDNode *weights = branch && branch->isConditional() ? branch->getMetadata(LLVMContext::MD_prof) : nullptr;
    auto weight = [&](unsigned from_end) {
        auto *n =
            mdconst::dyn_extract<ConstantInt>(weights->getOperand(weights->getNumOperands() - from_end));
        return n ? n->getZExtValue() : 0;
    };
    bool weighted = weights && weights->getNumOperands() >= 3;
    bool expected = weighted && weight(2) == 1u << 20 && weight(1) == 1;
    bool inverted = weighted && weight(2) == 1 && weight(1) == 1u << 20;
    return {expected || inverted ? branch->getCondition() : nullptr, expected, nullptr};
}

bool has_division(const SCEV *s)
{
    return SCEVExprContains(s, [](const SCEV *part) { return isa<SCEVUDivExpr>(part); });
}

// The offset that CHECK compares with an invariant end, if it advances by a constant; else NULL.  V's
// predicate then includes that under which it does.
const SCEVAddRecExpr *affine_offset(Versioning &v, const Check &check)
{
    auto *compare = dyn_cast<ICmpInst>(check.condition);
    if (!compare || compare->getPredicate() != (check.expected ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE) ||
        !compare->getOperand(0)->getType()->isIntegerTy(64) ||
        !v.loop.isLoopInvariant(compare->getOperand(1)))
        return nullptr;
    PredicatedScalarEvolution trial(v.predicated);
    const SCEVAddRecExpr *offset = trial.getAsAddRec(compare->getOperand(0));
    auto *step = offset && offset->isAffine() && offset->getLoop() == &v.loop
                     ? dyn_cast<SCEVConstant>(offset->getStepRecurrence(v.evolution))
                     : nullptr;
    bool fits = step && step->getAPInt().ule(STEP) && !has_division(offset->getStart());
    return fits ? v.predicated.getAsAddRec(compare->getOperand(0)) : nullptr;
}

void add_check(Versioning &v, Check check)
{
    bool same = v.loop.isLoopInvariant(check.condition);
    check.offset = same ? nullptr : affine_offset(v, check);
    bool known = any_of(v.checks, [&](const Check &c) { return c.condition == check.condition; });
    if (!known && (same || check.offset))
        v.checks.push_back(check);
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
        if (Check check = check_of(*b); check.condition)
            add_check(v, check);
    }
    bool differs = any_of(v.checks, [](const Check &c) { return c.offset; });
    return differs && v.checks.size() <= MOST_CHECKS && size <= MOST_CODE;
}

// Whether all checks hold in all iterations: invariant ones hold, and the first and the last offset of the
// others are below END and FAR, and the distance between them is less than 2^52, so that offsets ascend
// without wrapping around.
Value *holds(const Versioning &v, Instruction *before)
{
    const DataLayout &layout = before->getModule()->getDataLayout();
    SCEVExpander expander(v.evolution, layout, "range");
    IRBuilder<> b(before);
    Type *wide = b.getInt64Ty();
    Value *repeats =
        expander.expandCodeFor(v.evolution.getTruncateOrZeroExtend(v.repeats, wide), wide, before);
    Value *wraps = expander.expandCodeForPredicate(&v.predicated.getPredicate(), before);
    b.SetInsertPoint(before);
    Value *all = b.CreateNot(wraps);
    for (const Check &c : v.checks) {
        if (!c.offset) {
            all = b.CreateAnd(all, b.CreateICmpEQ(b.CreateFreeze(c.condition), b.getInt1(c.expected)));
            continue;
        }
        Value *invariant_end = cast<ICmpInst>(c.condition)->getOperand(1);
        auto *step = cast<SCEVConstant>(c.offset->getStepRecurrence(v.evolution));
        Value *first = expander.expandCodeFor(c.offset->getStart(), wide, before);
        b.SetInsertPoint(before);
        Value *last = b.CreateAdd(first, b.CreateMul(repeats, step->getValue()));
        for (Value *end : {static_cast<Value *>(b.getInt64(FAR)), invariant_end})
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
        for (BasicBlock *b : blocks)
            for (Instruction &i : *b)
                i.replaceUsesOfWith(c.offset ? static_cast<Value *>(map[c.condition]) : c.condition,
                                    ConstantInt::getBool(exit->getContext(), c.expected));
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
        Versioning v{*loop, evolution, evolution.getBackedgeTakenCount(loop), {evolution, *loop}, {}};
        if (find(v))
            found.push_back(v);
    }
    for (Versioning &v : found)
        make_version(v, tree, loops);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
