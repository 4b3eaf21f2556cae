// Loops in which each work-item visits every n-th element, from its id on:
// `for (i = get_global_id(0); i < n; i += get_global_size(0))`. docs/vectorizer.md#strided-loops
#include "interp/jit/vectorize/cost_model.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

enum { LEAST_STEP = 16 };
static const char mark[] = "in.counter", splits[] = "in.counters";

bool is_lane_counter(const Value *v)
{
    auto *phi = dyn_cast<PHINode>(v);
    return phi && phi->hasMetadata(mark);
}

// What is added to PHI in each iteration of LOOP, if neighbors begin close to one another and all advance by
// the same, further than neighbors are apart; else NULL.
static Value *step_of(PHINode &phi, const Loop &loop, const Divergence &divergence)
{
    auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!next || next->getOpcode() != Instruction::Add || !is_contained(next->operands(), &phi))
        return nullptr;
    Value *step = next->getOperand(next->getOperand(0) == &phi);
    auto *constant = dyn_cast<ConstantInt>(step);
    LaneStride stride = lane_stride(phi.getIncomingValueForBlock(loop.getLoopPredecessor()), divergence);
    bool close =
        stride.kind == LaneStride::CONSTANT && stride.bytes > 0 && stride.bytes <= int64_t(FEW_ELEMENTS);
    return close && loop.isLoopInvariant(step) && !divergence.values.count(step) &&
                   (!constant || constant->getValue().sge(LEAST_STEP * stride.bytes))
               ? step
               : nullptr;
}

// PHI becomes the sum of its start and a counter that begins at 0.
static void split_counter(PHINode &phi, Value *step, const Loop &loop)
{
    LLVMContext &c = phi.getContext();
    BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPredecessor();
    auto *next = cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
    Value *start = phi.getIncomingValueForBlock(before);
    PHINode *counter = PHINode::Create(phi.getType(), 2, "", &phi);
    counter->setMetadata(mark, MDNode::get(c, {}));
    counter->addIncoming(ConstantInt::get(phi.getType(), 0), before);
    auto *advanced = BinaryOperator::CreateAdd(counter, step, "", next);
    counter->addIncoming(advanced, latch);
    auto *sum = BinaryOperator::CreateAdd(start, counter, "", &*loop.getHeader()->getFirstInsertionPt());
    auto *next_sum = BinaryOperator::CreateAdd(start, advanced, "", next);
    next->replaceAllUsesWith(next_sum);
    phi.replaceAllUsesWith(sum);
    next->eraseFromParent();
    phi.eraseFromParent();
    counter->getModule()->getOrInsertNamedMetadata(splits);
}

bool has_split_counters(const Module &m)
{
    return m.getNamedMetadata(splits);
}

void split_counters(Function &item)
{
    DominatorTree tree(item);
    LoopInfo loops(tree);
    Divergence divergence(item, 1);
    if (divergence.irreducible)
        return;
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->isInnermost() && loop->getLoopLatch() && loop->getLoopPredecessor())
            for (PHINode &phi : make_early_inc_range(loop->getHeader()->phis()))
                if (phi.getType()->isIntegerTy())
                    if (Value *step = step_of(phi, *loop, divergence))
                        split_counter(phi, step, *loop);
}
