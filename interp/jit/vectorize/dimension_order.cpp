// The order of the loops over work-items, by how far their accesses to memory are apart.
// docs/vectorizer.md#order-of-dimensions
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

static bool is_far(const Value *pointer, const Divergence &divergence)
{
    const int64_t line = 64;
    LaneStride stride = lane_stride(pointer, divergence);
    return stride.kind == LaneStride::INVARIANT ||
           (stride.kind == LaneStride::CONSTANT && (stride.bytes >= line || stride.bytes <= -line));
}

// What accesses to separate cache lines cost in a loop over work-items in the first dimension.  A store waits
// for its cache line; loads overlap.  Inner loops of the work-item weigh more.
static uint64_t cost_of_distance(Function &f)
{
    enum { LOAD = 1, STORE = 2, ITERATIONS = 16, DEEPEST = 4 };
    DominatorTree tree(f);
    LoopInfo loops(tree);
    Divergence divergence(f, 1);
    uint64_t cost = 0;
    for (const Instruction &i : instructions(f)) {
        const Value *pointer = getLoadStorePointerOperand(&i);
        if (!pointer || !is_far(pointer, divergence))
            continue;
        uint64_t each = isa<StoreInst>(i) ? STORE : LOAD;
        for (unsigned depth = std::min<unsigned>(loops.getLoopDepth(i.getParent()), DEEPEST); depth > 0;
             depth--)
            each *= ITERATIONS;
        cost += each;
    }
    return cost;
}

static void swap_arguments(Function &f, unsigned first)
{
    Argument *a = f.getArg(first), *b = f.getArg(first + 1);
    SmallVector<Use *, 16> uses;
    for (Use &use : a->uses())
        uses.push_back(&use);
    b->replaceAllUsesWith(a);
    for (Use *use : uses)
        use->set(b);
}

static void swap_dimensions(Function &f)
{
    for (unsigned first : {unsigned(GROUP), unsigned(SIZE), unsigned(ITEM), unsigned(GLOBAL)})
        swap_arguments(f, first);
}

bool in_shim_strides_far(LLVMValueRef item)
{
    return cost_of_distance(*cast<Function>(unwrap(item))) > 0;
}

bool in_shim_swap_dimensions(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    uint64_t as_is = cost_of_distance(f);
    swap_dimensions(f);
    if (cost_of_distance(f) < as_is)
        return true;
    swap_dimensions(f);
    return false;
}
