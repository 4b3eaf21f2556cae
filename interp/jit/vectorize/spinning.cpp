// Loops in which work-items wait for one another.  docs/vectorizer.md#legality
#include "interp/jit/vectorize/spinning.h"
#include "interp/jit/vectorize/trip_counts.hpp"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <memory>

using namespace llvm;
using namespace llvm::PatternMatch;

// Reads of what another work-item may be about to change.
bool may_observe_others(const Instruction &i)
{
    if (auto *load = dyn_cast<LoadInst>(&i))
        return load->isAtomic() || load->isVolatile();
    if (auto *call = dyn_cast<CallInst>(&i))
        return !call->getCalledFunction() && !call->isInlineAsm() && !call->hasFnAttr("quiet");
    return isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i);
}

// Whether two pointers may lead to the same memory.  ALIASED: also if they come from different arguments.
static bool may_alias(const Value *x, const Value *y, bool aliased, const DataLayout &layout)
{
    const int64_t widest = 128;
    APInt at(64, 0), other(64, 0);
    const Value *a = x->stripAndAccumulateConstantOffsets(layout, at, true);
    const Value *b = y->stripAndAccumulateConstantOffsets(layout, other, true);
    if (a == b)
        return std::abs((at - other).getSExtValue()) < widest;
    a = getUnderlyingObject(a);
    b = getUnderlyingObject(b);
    auto is_argument = [](const Value *v) {
        return isa<LoadInst>(v) && cast<LoadInst>(v)->hasMetadata(LLVMContext::MD_invariant_load);
    };
    auto is_known = [&](const Value *v) { return isa<AllocaInst>(v) || isa<Argument>(v) || is_argument(v); };
    return a == b || !is_known(a) || !is_known(b) || (aliased && is_argument(a) && is_argument(b));
}

// Whether a work-item that waits may make progress with I alone: an addition changes the memory itself.
static bool is_counter(const Instruction &i)
{
    auto *rmw = dyn_cast<AtomicRMWInst>(&i);
    auto *zero = rmw ? dyn_cast<ConstantInt>(rmw->getValOperand()) : nullptr;
    return rmw && (rmw->getOperation() == AtomicRMWInst::Add || rmw->getOperation() == AtomicRMWInst::Sub) &&
           !(zero && zero->isZero());
}

// Whether what ORIGIN reads can decide how often LOOP runs, also through memory: for a work-group, a barrier
// makes it known to all.  A loop that shares the value of a counter ends without other work-groups.
static bool decides_loop(const Instruction &origin, const Loop &loop, bool aliased)
{
    const DataLayout &layout = origin.getModule()->getDataLayout();
    SmallVector<const Instruction *, 32> work{&origin};
    DenseSet<const Instruction *> seen;
    while (!work.empty()) {
        const Instruction *i = work.pop_back_val();
        if (!seen.insert(i).second || !loop.contains(i->getParent()))
            continue;
        if (i->isTerminator())
            return true;
        if (auto *store = dyn_cast<StoreInst>(i)) {
            if (isa<AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets()))
                return true;
            for (const BasicBlock *b : loop.blocks())
                for (const Instruction &load : *b)
                    if (isa<LoadInst>(load) && !is_counter(origin) &&
                        may_alias(store->getPointerOperand(), getLoadStorePointerOperand(&load), aliased,
                                  layout))
                        work.push_back(&load);
            continue;
        }
        if (auto *call = dyn_cast<CallInst>(i);
            call && !call->doesNotAccessMemory() && !call->hasFnAttr("check"))
            return true;
        for (const User *user : i->users())
            if (auto *next = dyn_cast<Instruction>(user))
                work.push_back(next);
    }
    return false;
}

// Whether V has, in each iteration of LOOP, a value that follows from those on entry.
static bool follows_from_entry(const Value *v, const Loop &loop, SmallPtrSetImpl<const Value *> &seen)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !loop.contains(i->getParent()) || !seen.insert(i).second)
        return true;
    bool computes = isa<PHINode>(i)
                        ? i->getParent() == loop.getHeader()
                        : !i->mayReadOrWriteMemory() || i->hasMetadata(LLVMContext::MD_invariant_load);
    return computes && all_of(i->operands(), [&](const Use &u) { return follows_from_entry(u, loop, seen); });
}

// Whether the number of iterations of LOOP is a function of values on entry, though scalar evolution may know
// no formula: the sign of a global size as a step is unknown.
static bool is_counted_on_entry(const Loop &loop, const DominatorTree &tree)
{
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    return loop.getLoopLatch() && !exiting.empty() && all_of(exiting, [&](const BasicBlock *b) {
               SmallPtrSet<const Value *, 16> seen;
               return tree.dominates(b, loop.getLoopLatch()) &&
                      all_of(b->getTerminator()->operands(),
                             [&](const Use &u) { return follows_from_entry(u, loop, seen); });
           });
}

std::function<bool(Loop &)> counted_loops(Function &f, DominatorTree &tree, LoopInfo &loops)
{
    auto counts = std::make_shared<TripCounts>(f, tree, loops);
    return [counts, &tree](Loop &loop) {
        return counts->evolution.hasLoopInvariantBackedgeTakenCount(&loop) || is_counted_on_entry(loop, tree);
    };
}

// Whether CAS has failed where CONDITION equals TRUTH.
static bool implies_failure(Value *condition, bool truth, const AtomicCmpXchgInst &cas)
{
    Value *a, *b;
    CmpInst::Predicate predicate;
    if (match(condition, m_Not(m_Value(a))))
        return implies_failure(a, !truth, cas);
    if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
              : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
        return implies_failure(a, truth, cas) || implies_failure(b, truth, cas);
    if (match(condition, m_ExtractValue<1>(m_Specific(&cas))))
        return !truth;
    return match(condition, m_c_ICmp(predicate, m_ExtractValue<0>(m_Specific(&cas)),
                                     m_Specific(cas.getCompareOperand()))) &&
           predicate == (truth ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ);
}

// Whether V is read in each iteration of LOOP, before it is used or in the iteration before, from the memory
// that CAS changes.
static bool is_read_anew(const Value *v, const AtomicCmpXchgInst &cas, const Loop &loop,
                         SmallPtrSetImpl<const Value *> &seen)
{
    const Value *pointer = cas.getPointerOperand();
    auto *i = dyn_cast<Instruction>(v);
    if (!i || !loop.contains(i->getParent()) || !seen.insert(i).second)
        return false;
    if (isa<BitCastInst>(i))
        return is_read_anew(i->getOperand(0), cas, loop, seen);
    if (auto *phi = dyn_cast<PHINode>(i))
        return all_of(phi->blocks(), [&](const BasicBlock *from) {
            return (phi->getParent() == loop.getHeader() && !loop.contains(from)) ||
                   is_read_anew(phi->getIncomingValueForBlock(from), cas, loop, seen);
        });
    return match(i, m_ExtractValue<0>(m_Specific(&cas))) ||
           (isa<LoadInst>(i) && getLoadStorePointerOperand(i) == pointer);
}

// Whether only CAS, of the instructions of LOOP, may write to its memory.
static bool writes_by(const AtomicCmpXchgInst &cas, const Loop &loop, bool aliased)
{
    const DataLayout &layout = cas.getModule()->getDataLayout();
    auto is_apart = [&](const Instruction &i) {
        if (auto *store = dyn_cast<StoreInst>(&i))
            return !may_alias(store->getPointerOperand(), cas.getPointerOperand(), aliased, layout);
        return &i == &cas || isa<LoadInst>(i) || isa<FenceInst>(i) || !i.mayHaveSideEffects();
    };
    return all_of(loop.blocks(), [&](const BasicBlock *b) { return all_of(*b, is_apart); });
}

// Whether LOOP is repeated only after CAS has failed.
static bool repeats_failed(const AtomicCmpXchgInst &cas, const Loop &loop, const DominatorTree &tree)
{
    SmallVector<BasicBlock *, 4> latches;
    loop.getLoopLatches(latches);
    SmallVector<const BasicBlock *, 8> work{cas.getParent()};
    DenseSet<const BasicBlock *> seen;
    while (!work.empty()) {
        const BasicBlock *b = work.pop_back_val();
        if (!loop.contains(b) || !seen.insert(b).second)
            continue;
        auto *branch = dyn_cast<BranchInst>(b->getTerminator());
        for (const BasicBlock *next : successors(b)) {
            if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) &&
                implies_failure(branch->getCondition(), next == branch->getSuccessor(0), cas))
                continue;
            if (next == loop.getHeader())
                return false;
            work.push_back(next);
        }
    }
    return all_of(latches, [&](BasicBlock *latch) { return tree.dominates(cas.getParent(), latch); });
}

// Whether an iteration of LOOP is repeated only if another thread has exchanged the value in between, which
// is progress: lock-free updates by compare and exchange.
static bool is_lock_free(const Loop &loop, const LoopInfo &loops, const DominatorTree &tree, bool aliased)
{
    for (const BasicBlock *b : loop.blocks())
        for (const Instruction &i : *b) {
            auto *cas = dyn_cast<AtomicCmpXchgInst>(&i);
            SmallPtrSet<const Value *, 8> seen;
            if (cas && loops.getLoopFor(b) == &loop && loop.isLoopInvariant(cas->getPointerOperand()) &&
                is_read_anew(cas->getCompareOperand(), *cas, loop, seen) && writes_by(*cas, loop, aliased) &&
                repeats_failed(*cas, loop, tree))
                return true;
        }
    return false;
}

bool in_shim_may_spin(LLVMValueRef item, bool aliased, bool retries)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    auto is_counted = counted_loops(f, tree, loops);
    ReversePostOrderTraversal<Function *> order(&f);
    bool irreducible = containsIrreducibleCFG<BasicBlock *>(order, loops);
    for (Loop *loop : loops.getLoopsInPreorder())
        if (loop->hasNoExitBlocks())
            return true;
    for (Instruction &i : instructions(f)) {
        if (!may_observe_others(i))
            continue;
        if (irreducible)
            return true;
        for (Loop *loop = loops.getLoopFor(i.getParent()); loop; loop = loop->getParentLoop())
            if (decides_loop(i, *loop, aliased) && !is_counted(*loop) &&
                (retries || !is_lock_free(*loop, loops, tree, aliased)))
                return true;
    }
    return false;
}
