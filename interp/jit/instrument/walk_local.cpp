// The path of a whole work-group through a kernel, and the accesses to local memory between its barriers.
// docs/instrumentation.md#the-path-of-a-work-group
#include "interp/jit/instrument/enumerate_local.hpp"

#include <llvm/IR/Dominators.h>

using namespace llvm;
using namespace instrumentation;

// FROM: the block that all work-items come from; null: from several.
void LocalEnumeration::enter(const BasicBlock *from, const BasicBlock *block)
{
    SmallVector<std::pair<const PHINode *, Lanes>, 4> values;
    for (const PHINode &phi : block->phis())
        if (from)
            values.push_back({&phi, evaluate(phi.getIncomingValueForBlock(from))});
        else
            counters.erase(&phi);
    for (auto &v : values)
        counters[v.first] = std::move(v.second);
    known.clear();
}

// The block to which all work-items go from BLOCK; null: not known.
BasicBlock *LocalEnumeration::common_successor(const BasicBlock *block)
{
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
        return nullptr;
    if (branch->isUnconditional())
        return branch->getSuccessor(0);
    const Lanes condition = evaluate(branch->getCondition());
    if (!condition.front() || any_of(condition, [&](const auto &c) { return c != condition.front(); }))
        return nullptr;
    return branch->getSuccessor(*condition.front() ? 0 : 1);
}

void LocalEnumeration::visit(Access &a, ArrayRef<Loop *> nest)
{
    if (!conflicting.count(&a) && (!a.plain() || !enumerate(a, nest, Mask(items, true))))
        conflicting.insert(&a);
}

// Visits the accesses of all blocks between HEAD, from which work-items go to several blocks, and JOIN, where
// all of them arrive; null: until the kernel ends.  False: there is a barrier.
bool LocalEnumeration::visit_region(BasicBlock *head, const BasicBlock *join, const Kernel &kernel)
{
    SmallVector<BasicBlock *, 16> region(successors(head));
    SmallPtrSet<const BasicBlock *, 16> seen;
    for (size_t k = 0; k < region.size(); k++)
        if (region[k] != join && seen.insert(region[k]).second)
            region.append(succ_begin(region[k]), succ_end(region[k]));
    for (const BasicBlock *block : seen)
        for (const PHINode &phi : block->phis())
            counters.erase(&phi);
    known.clear();
    for (BasicBlock *block : region)
        for (Instruction &i : *block) {
            if (!seen.count(block))
                break;
            if (kernel.is_barrier(i))
                return false;
            SmallVector<Loop *, 4> nest;
            if (Access *a = kernel.access(i)) {
                if (find_loops(*a, false, nest))
                    visit(*a, nest);
                else
                    conflicting.insert(a);
            }
        }
    return true;
}

bool LocalEnumeration::walk(const Kernel &kernel)
{
    budget = BUDGET;
    cells.clear();
    counters.clear();
    conflicting.clear();
    outside.clear();
    const BasicBlock *from = nullptr;
    for (BasicBlock *block = &item.getEntryBlock(), *next; block; block = next) {
        if (items > MOST_BYTES || budget < items)
            return false;
        budget -= items;
        enter(from, block);
        for (Instruction &i : *block)
            if (kernel.is_barrier(i))
                cells.clear();
            else if (Access *a = kernel.access(i))
                visit(*a, {});
        next = common_successor(block);
        from = next ? block : nullptr;
        if (next || succ_empty(block))
            continue;
        const auto *node = post.getNode(block);
        next = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
        if (!visit_region(block, next, kernel))
            return false;
    }
    counters.clear();
    known.clear();
    return true;
}
