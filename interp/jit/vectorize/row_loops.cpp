// Loops inside a work-item that are better than loops over work-items, with LLVM's vectors or with none: each
// work-item iterates over consecutive elements, far from those of its neighbors.
// docs/vectorizer.md#profitability
#include "interp/jit/vectorize/cost_model.hpp"
#include "interp/jit/vectorize/trip_counts.hpp"

#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

enum { LEAST_ITERATIONS = 16, LEAST_OF_BYTES = 8 };

// Whether LLVM can vectorize what goes from one iteration of LOOP to the next.
static bool has_only_reductions(Loop &loop, ScalarEvolution &evolution)
{
    return all_of(loop.getHeader()->phis(), [&](PHINode &phi) {
        InductionDescriptor induction;
        auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
        if (next && !isa<PHINode>(next) && loop.contains(next) && recurrence_cycles(loop, phi) == 0)
            return true; // of the iteration before, alone
        RecurrenceDescriptor reduction;
        return InductionDescriptor::isInductionPHI(&phi, &loop, &evolution, induction) ||
               (phi.getType()->isIntegerTy() && RecurrenceDescriptor::isReductionPHI(&phi, &loop, reduction));
    });
}

// Whether the access I takes one element after the other.  With MAY_WRAP, an index of 32 bits that may wrap
// around is treated as one that does not: LLVM compares before the loop.
static bool is_consecutive(Instruction &i, Loop &loop, ScalarEvolution &evolution, bool may_wrap)
{
    auto advances_by = [&](Value *v, uint64_t bytes) {
        auto *value = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(v));
        auto *step = value && value->getLoop() == &loop && value->isAffine()
                         ? dyn_cast<SCEVConstant>(value->getStepRecurrence(evolution))
                         : nullptr;
        return step && step->getAPInt() == bytes;
    };
    const DataLayout &layout = i.getModule()->getDataLayout();
    Value *pointer = getLoadStorePointerOperand(&i);
    uint64_t size = layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue();
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    auto *wide = gep && gep->getNumIndices() == 1 ? dyn_cast<CastInst>(gep->getOperand(1)) : nullptr;
    return advances_by(pointer, size) ||
           (may_wrap && wide && loop.isLoopInvariant(gep->getPointerOperand()) &&
            (isa<ZExtInst>(wide) || isa<SExtInst>(wide)) &&
            layout.getTypeAllocSize(gep->getSourceElementType()).getFixedValue() == size &&
            advances_by(wide->getOperand(0), 1));
}

static bool is_far_from_neighbors(Instruction &i, const Divergence &divergence)
{
    LaneStride stride = lane_stride(getLoadStorePointerOperand(&i), divergence);
    int64_t few = FEW_ELEMENTS * int64_t(getLoadStoreType(&i)->getScalarSizeInBits() / 8);
    return stride.kind != LaneStride::CONSTANT || stride.bytes < -few || stride.bytes > few;
}

// Whether an element that STORE writes may be that of ACCESS in another iteration, by what is known here;
// LLVM compares addresses of different objects before the loop.
static bool crosses_iterations(Instruction &store, Instruction &access, ScalarEvolution &evolution)
{
    const SCEV *distance = evolution.getMinusSCEV(evolution.getSCEV(getLoadStorePointerOperand(&store)),
                                                  evolution.getSCEV(getLoadStorePointerOperand(&access)));
    auto *constant = dyn_cast<SCEVConstant>(distance);
    return constant && !constant->isZero();
}

// The loads and stores of LOOP; false: it has other effects, or accesses that are not vectorized well.
static bool find_accesses(Loop &loop, ScalarEvolution &evolution, SmallVectorImpl<Instruction *> &accesses)
{
    for (BasicBlock *b : loop.blocks())
        for (Instruction &i : *b) {
            if (i.isIntDivRem() || (isa<CallInst>(i) && !isa<IntrinsicInst>(i)))
                return false;
            if (!i.mayReadOrWriteMemory())
                continue;
            const Value *pointer = getLoadStorePointerOperand(&i);
            if (!pointer || i.isAtomic() || i.isVolatile() || getLoadStoreType(&i)->isVectorTy() ||
                isa<AllocaInst>(getUnderlyingObject(pointer)))
                return false;
            if (is_consecutive(i, loop, evolution, true))
                accesses.push_back(&i);
            else if (isa<StoreInst>(i) || !loop.isLoopInvariant(pointer))
                return false;
        }
    return true;
}

// Without vectors at all.  Lanes that compute little for each store, all to different cache lines, gain
// nothing from vectors; nor do lanes that only search bytes, of which each leaves at another one.
static bool is_better_scalar(Loop &loop, ArrayRef<Instruction *> accesses, const Divergence &divergence)
{
    unsigned size = 0;
    for (BasicBlock *b : loop.blocks())
        size += b->size();
    return size < LANE_ACCESS * accesses.size() && any_of(accesses, [&](Instruction *i) {
               bool narrow = getLoadStoreType(i)->getScalarSizeInBits() < 32;
               return (loop.getExitingBlock() ? isa<StoreInst>(i) : narrow) &&
                      is_far_from_neighbors(*i, divergence);
           });
}

bool is_row_loop(Loop &loop, ScalarEvolution &evolution, const Divergence &divergence)
{
    SmallVector<Instruction *, 8> accesses;
    if (!loop.isInnermost() || !loop.getLoopLatch() || !find_accesses(loop, evolution, accesses) ||
        none_of(accesses, [&](Instruction *i) { return is_far_from_neighbors(*i, divergence); }))
        return false;
    unsigned count = evolution.getSmallConstantMaxTripCount(&loop);
    bool few = all_of(accesses, [&](Instruction *i) {
        return getLoadStoreType(i)->getScalarSizeInBits() < 32 && is_consecutive(*i, loop, evolution, false);
    });
    if (count > 0 && count < (few ? LEAST_OF_BYTES : LEAST_ITERATIONS))
        return false;
    bool crosses = any_of(accesses, [&](Instruction *store) {
        return isa<StoreInst>(store) && any_of(accesses, [&](Instruction *access) {
                   return crosses_iterations(*store, *access, evolution);
               });
    });
    bool vectors = loop.getExitingBlock() == loop.getLoopLatch() &&
                   evolution.hasLoopInvariantBackedgeTakenCount(&loop) && !crosses &&
                   has_only_reductions(loop, evolution);
    bool searches = !loop.getExitingBlock() && has_only_reductions(loop, evolution);
    return vectors || ((loop.getExitingBlock() || searches) && is_better_scalar(loop, accesses, divergence));
}
