// Comparisons and trip counts that the ranges of local ids decide.  docs/vectorizer.md#ranges-of-local-ids
#include "interp/jit/vectorize/trip_counts.hpp"
#include "interp/jit/vectorize/work_group.hpp"
#include "interp/jit/vectorize/work_item_loops.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace
{

// The ranges of expressions of one function in a launch with work-groups of at most LOCAL_SIZE work-items.
class LocalRanges
{
  public:
    LocalRanges(ScalarEvolution &e, const uint32_t *size, bool edges)
        : evolution(e), local_size(size), edge(edges)
    {
    }
    ConstantRange of(const SCEV *s, unsigned depth = 12);

  private:
    ScalarEvolution &evolution;
    const uint32_t *local_size;
    bool edge; // some work-groups are smaller

    ConstantRange of_argument(const Argument &a, unsigned bits) const;
    ConstantRange of_cast(const SCEVCastExpr &s, unsigned bits, unsigned depth);
    ConstantRange of_operands(const SCEVNAryExpr &s, unsigned depth);
};

ConstantRange LocalRanges::of_argument(const Argument &a, unsigned bits) const
{
    for (unsigned k = 0; k < 3; k++) {
        APInt size(bits, local_size[k]);
        if (a.getArgNo() == ITEM + k)
            return {APInt(bits, 0), size};
        if (a.getArgNo() == SIZE + k)
            return {edge ? APInt(bits, 1) : size, size + 1};
    }
    return ConstantRange::getFull(bits);
}

ConstantRange LocalRanges::of_cast(const SCEVCastExpr &s, unsigned bits, unsigned depth)
{
    if (!s.getOperand()->getType()->isIntegerTy())
        return ConstantRange::getFull(bits);
    ConstantRange from = of(s.getOperand(), depth);
    return isa<SCEVZeroExtendExpr>(s)   ? from.zeroExtend(bits)
           : isa<SCEVSignExtendExpr>(s) ? from.signExtend(bits)
                                        : from.truncate(bits);
}

ConstantRange LocalRanges::of_operands(const SCEVNAryExpr &s, unsigned depth)
{
    ConstantRange result = of(s.getOperand(0), depth);
    for (unsigned k = 1; k < s.getNumOperands(); k++) {
        ConstantRange next = of(s.getOperand(k), depth);
        switch (s.getSCEVType()) {
        case scAddExpr:
            result = result.add(next);
            break;
        case scMulExpr:
            result = result.multiply(next);
            break;
        case scSMaxExpr:
            result = result.smax(next);
            break;
        case scUMaxExpr:
            result = result.umax(next);
            break;
        case scSMinExpr:
            result = result.smin(next);
            break;
        case scUMinExpr:
            result = result.umin(next);
            break;
        default:
            return ConstantRange::getFull(result.getBitWidth());
        }
    }
    return result;
}

// S is an integer.
ConstantRange LocalRanges::of(const SCEV *s, unsigned depth)
{
    unsigned bits = unsigned(evolution.getTypeSizeInBits(s->getType()));
    ConstantRange known = evolution.getUnsignedRange(s).intersectWith(evolution.getSignedRange(s));
    if (depth-- == 0 || known.isSingleElement())
        return known;
    ConstantRange range = ConstantRange::getFull(bits);
    if (auto *unknown = dyn_cast<SCEVUnknown>(s)) {
        if (auto *argument = dyn_cast<Argument>(unknown->getValue()))
            range = of_argument(*argument, bits);
    } else if (auto *conversion = dyn_cast<SCEVCastExpr>(s)) {
        range = of_cast(*conversion, bits, depth);
    } else if (auto *quotient = dyn_cast<SCEVUDivExpr>(s)) {
        range = of(quotient->getLHS(), depth).udiv(of(quotient->getRHS(), depth));
    } else if (auto *operation = dyn_cast<SCEVCommutativeExpr>(s)) {
        range = of_operands(*operation, depth);
    }
    return known.intersectWith(range);
}

// A comparison that has the same result in all work-items becomes that result.
bool decide_comparison(ICmpInst &compare, ScalarEvolution &evolution, LocalRanges &ranges)
{
    if (!compare.getOperand(0)->getType()->isIntegerTy())
        return false;
    ConstantRange left = ranges.of(evolution.getSCEV(compare.getOperand(0))),
                  right = ranges.of(evolution.getSCEV(compare.getOperand(1)));
    bool holds = left.icmp(compare.getPredicate(), right);
    if (!holds && !left.icmp(compare.getInversePredicate(), right))
        return false;
    evolution.forgetValue(&compare);
    compare.replaceAllUsesWith(ConstantInt::getBool(compare.getType(), holds));
    return true;
}

// A loop that all work-items execute the same number of times, which is constant, counts its iterations:
// otherwise lanes would leave it under a mask, and LLVM could not unroll it.
void fix_trip_count(Loop &loop, ScalarEvolution &evolution, LocalRanges &ranges)
{
    BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPreheader(), *header = loop.getHeader();
    auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    const SCEV *repeats = evolution.getBackedgeTakenCount(&loop);
    if (!before || !branch || !branch->isConditional() || loop.getExitingBlock() != latch ||
        isa<SCEVCouldNotCompute>(repeats) || isa<SCEVConstant>(repeats))
        return;
    ConstantRange range = ranges.of(repeats);
    const APInt *times = range.getSingleElement();
    if (!times || times->getActiveBits() > 30)
        return;
    Type *word = Type::getInt32Ty(header->getContext());
    IRBuilder<> b(&header->front());
    PHINode *counter = b.CreatePHI(word, 2);
    b.SetInsertPoint(branch);
    Value *next = b.CreateAdd(counter, ConstantInt::get(word, 1), "", true, true);
    counter->addIncoming(ConstantInt::get(word, 0), before);
    counter->addIncoming(next, latch);
    Constant *trips = ConstantInt::get(word, times->getZExtValue() + 1);
    branch->setCondition(branch->getSuccessor(0) == header ? b.CreateICmpULT(next, trips)
                                                           : b.CreateICmpUGE(next, trips));
    evolution.forgetLoop(&loop);
}

} // namespace

void in_shim_apply_local_ranges(LLVMValueRef item, const uint32_t local_size[3], bool edge)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    TripCounts counts(f, tree, loops);
    LocalRanges ranges(counts.evolution, local_size, edge);
    for (Loop *loop : loops.getLoopsInPreorder())
        fix_trip_count(*loop, counts.evolution, ranges);
    for (Instruction &i : instructions(f))
        if (auto *compare = dyn_cast<ICmpInst>(&i))
            decide_comparison(*compare, counts.evolution, ranges);
}
