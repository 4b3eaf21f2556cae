// Splitting of the work-item function into regions: liveness across split points, rematerialization of cheap
// values. docs/vectorizer.md#regions-at-barriers
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <utility>

using namespace llvm;

// ---- cutting -------------------------------------------------------------------------------------

// Every call in CALLS becomes a separate block, with one successor.
void RegionSplit::cut(ArrayRef<CallInst *> calls)
{
    starts.push_back(&item.getEntryBlock());
    for (CallInst *call : calls) {
        BasicBlock *alone = SplitBlock(call->getParent(), call);
        BasicBlock *next = SplitBlock(alone, call->getNextNode());
        call->eraseFromParent();
        cuts[alone] = starts.size();
        starts.push_back(next);
    }
}

void RegionSplit::find_blocks()
{
    for (BasicBlock *start : starts) {
        Blocks set;
        set.insert(start);
        for (unsigned k = 0; k < set.size(); k++)
            if (!cuts.count(set[k]))
                for (BasicBlock *next : successors(set[k]))
                    set.insert(next);
        blocks.push_back(set);
    }
}

// ---- liveness ------------------------------------------------------------------------------------

static bool needs_slot(const Instruction &i)
{
    return !isa<AllocaInst>(i) && !i.getType()->isVoidTy() && !i.use_empty();
}

// Values live at the beginning of each cut, block by block backwards from every use.
void RegionSplit::find_live()
{
    live.clear();
    DenseMap<const BasicBlock *, const Instruction *> reached; // for which value
    for (Instruction &i : instructions(item)) {
        if (!needs_slot(i))
            continue;
        SmallVector<BasicBlock *, 16> work;
        auto reach = [&](BasicBlock *b) {
            if (b == i.getParent() || std::exchange(reached[b], &i) == &i)
                return;
            work.push_back(b);
            if (cuts.count(b))
                live[b].insert(&i);
        };
        for (Use &use : i.uses()) {
            auto *user = cast<Instruction>(use.getUser());
            auto *phi = dyn_cast<PHINode>(user);
            reach(phi ? phi->getIncomingBlock(use) : user->getParent());
        }
        while (!work.empty())
            for (BasicBlock *before : predecessors(work.pop_back_val()))
                reach(before);
    }
}

// ---- values that are computed again rather than kept ---------------------------------------------

static bool is_cheap(const Value *v, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i)
        return true;
    bool kind = isa<CastInst>(i) || isa<GetElementPtrInst>(i) || isa<ICmpInst>(i) ||
                (isa<BinaryOperator>(i) && !i->isIntDivRem() && i->getType()->isIntOrIntVectorTy()) ||
                (isa<LoadInst>(i) && i->hasMetadata(LLVMContext::MD_invariant_load)) ||
                isa<InsertElementInst>(i) || isa<ExtractElementInst>(i);
    return kind && depth > 0 &&
           all_of(i->operands(), [&](const Use &u) { return is_cheap(u.get(), depth - 1); });
}

static Value *compute_again(Value *v, Instruction *before)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i)
        return v;
    Instruction *copy = i->clone();
    for (Use &u : copy->operands())
        u.set(compute_again(u.get(), before));
    copy->insertBefore(before);
    return copy;
}

// Values computed from launch parameters and ids alone are recomputed in every region instead of stored.
void RegionSplit::rematerialize()
{
    Values all;
    for (auto &cutting : cuts)
        for (Instruction *i : live[cutting.first])
            all.insert(i);
    for (Instruction *i : all) {
        if (!is_cheap(i, 6))
            continue;
        SmallVector<Use *, 8> uses;
        for (Use &u : i->uses())
            uses.push_back(&u);
        for (Use *u : uses) {
            auto *user = cast<Instruction>(u->getUser());
            auto *phi = dyn_cast<PHINode>(user);
            BasicBlock *at = phi ? phi->getIncomingBlock(*u) : user->getParent();
            if (at == i->getParent())
                continue;
            Value *copy = compute_again(i, phi ? at->getTerminator() : user);
            if (!phi) {
                u->set(copy);
                continue;
            }
            for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
                if (phi->getIncomingBlock(k) == at)
                    phi->setIncomingValue(k, copy);
        }
    }
}
