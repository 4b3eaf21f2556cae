// Cancellation: long loops check the stop flag or the step budget and leave the function when the launch is
// to stop. Added after optimization, so that the checks do not prevent vectorization.
#include "interp/jit/vectorize/cancellation.h"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace
{

constexpr uint64_t FREE_ROUNDS = uint64_t(1) << 32; // of innermost loops: a few seconds
constexpr uint64_t COUNTED_ROUNDS = 64;             // where instructions are counted

struct Polls {
    Function &function;
    const in_cancellation &options;
    DominatorTree tree;
    LoopInfo loops;
    AssumptionCache assumptions;
    TargetLibraryInfoImpl library;
    TargetLibraryInfo info;
    ScalarEvolution evolution;
    DenseMap<BasicBlock *, uint64_t> where; // latch -> instructions since the last poll

    Polls(Function &f, const in_cancellation &o)
        : function(f), options(o), tree(f), loops(tree), assumptions(f),
          library(Triple(f.getParent()->getTargetTriple())), info(library),
          evolution(f, info, assumptions, tree, loops)
    {
    }
    uint64_t rounds_to_limit(Loop *loop, BasicBlock *exit);
    uint64_t rounds(Loop *loop);
    uint64_t visit(Loop *loop, uint64_t &cost);
    void emit(BasicBlock *latch, uint64_t cost, BasicBlock *leave);
    void run();
};

uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

// Lanes count one by one.
uint64_t cost_of(const BasicBlock &b)
{
    uint64_t cost = 0;
    for (const Instruction &i : b) {
        auto *vector = dyn_cast<FixedVectorType>(i.getType());
        cost += vector ? vector->getNumElements() : 1;
    }
    return cost;
}

// Upper bound on the trip count of LOOP if it is left at EXIT when what counts up meets a limit, above which
// it does not begin.
uint64_t Polls::rounds_to_limit(Loop *loop, BasicBlock *exit)
{
    auto *branch = dyn_cast<BranchInst>(exit->getTerminator());
    auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !compare->isEquality() || !tree.dominates(exit, loop->getLoopLatch()) ||
        loop->contains(branch->getSuccessor(0)) != (compare->getPredicate() == CmpInst::ICMP_NE))
        return UINT64_MAX;
    auto *count = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(compare->getOperand(0)));
    const SCEV *limit = evolution.getSCEV(compare->getOperand(1)), *one = evolution.getOne(limit->getType());
    if (!count || count->getLoop() != loop || !count->isAffine() ||
        !count->getStepRecurrence(evolution)->isOne() || !evolution.isLoopInvariant(limit, loop) ||
        !evolution.isLoopEntryGuardedByCond(loop, CmpInst::ICMP_ULT,
                                            evolution.getMinusSCEV(count->getStart(), one), limit))
        return UINT64_MAX;
    APInt most = evolution.getUnsignedRangeMax(limit) - evolution.getUnsignedRangeMin(count->getStart());
    return most.getActiveBits() > 63 ? UINT64_MAX : most.getZExtValue() + 1;
}

// Upper bound on the trip count of LOOP.
uint64_t Polls::rounds(Loop *loop)
{
    auto *most = dyn_cast<SCEVConstant>(evolution.getConstantMaxBackedgeTakenCount(loop));
    uint64_t known =
        !most || most->getAPInt().getActiveBits() > 63 ? UINT64_MAX : most->getAPInt().getZExtValue() + 1;
    SmallVector<BasicBlock *, 4> exits;
    if (loop->getLoopLatch())
        loop->getExitingBlocks(exits);
    for (BasicBlock *exit : exits)
        known = std::min(known, rounds_to_limit(loop, exit));
    return known;
}

// Chooses where in LOOP to poll; returns how many iterations may pass without one, and what they cost.
uint64_t Polls::visit(Loop *loop, uint64_t &cost)
{
    uint64_t inside = 1, own = 0;
    for (Loop *inner : *loop) {
        uint64_t more = 0, n = visit(inner, more);
        inside = n > inside ? n : inside;
        own += more;
    }
    for (BasicBlock *b : loop->blocks())
        if (loops.getLoopFor(b) == loop)
            own += cost_of(*b);
    uint64_t all = times(inside, rounds(loop));
    cost = times(own, rounds(loop));
    if (all <= (options.counts ? COUNTED_ROUNDS : FREE_ROUNDS))
        return all;
    SmallVector<BasicBlock *, 4> latches;
    loop->getLoopLatches(latches);
    for (BasicBlock *latch : latches)
        where[latch] += own;
    cost = 0;
    return 1;
}

void Polls::emit(BasicBlock *latch, uint64_t cost, BasicBlock *leave)
{
    BasicBlock *after = SplitBlock(latch, latch->getTerminator());
    IRBuilder<> b(latch->getTerminator());
    Value *frame = function.getArg(0), *stop;
    if (options.counts) {
        Value *cell = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, options.budget_offset);
        Value *left = b.CreateSub(b.CreateAlignedLoad(b.getInt64Ty(), cell, Align(8), true),
                                  b.getInt64(cost > INT32_MAX ? INT32_MAX : cost));
        b.CreateAlignedStore(left, cell, Align(8), true);
        stop = b.CreateICmpSLT(left, b.getInt64(0));
    } else {
        Value *cell = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, options.stop_offset);
        stop = b.CreateICmpNE(b.CreateAlignedLoad(b.getInt32Ty(), cell, Align(4), true), b.getInt32(0));
    }
    MDNode *weights = MDNode::get(b.getContext(), {MDString::get(b.getContext(), "branch_weights"),
                                                   ConstantAsMetadata::get(b.getInt32(1)),
                                                   ConstantAsMetadata::get(b.getInt32(1 << 20))});
    b.CreateCondBr(stop, leave, after, weights);
    latch->getTerminator()->eraseFromParent();
}

void Polls::run()
{
    for (Loop *loop : loops) {
        uint64_t cost;
        visit(loop, cost);
    }
    if (where.empty())
        return;
    BasicBlock *leave = BasicBlock::Create(function.getContext(), "leave", &function);
    IRBuilder<>(leave).CreateRetVoid();
    SmallVector<BasicBlock *, 16> order;
    for (BasicBlock &b : function)
        if (where.count(&b))
            order.push_back(&b);
    for (BasicBlock *b : order)
        emit(b, where[b], leave);
}

} // namespace

void in_shim_add_cancellation(LLVMModuleRef module, const struct in_cancellation *options)
{
    for (Function &f : *unwrap(module))
        if (!f.isDeclaration() && starts_with(f.getName(), "run."))
            Polls(f, *options).run();
}
