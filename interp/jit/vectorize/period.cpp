// Periodic subscripts: parts of them restart at 0 after a number of work-items.
// docs/vectorizer.md#profitability
#include "interp/jit/vectorize/work_group.hpp"
#include "interp/jit/vectorize/work_item_loops.h"

#include <llvm/IR/InstIterator.h>

using namespace llvm;

// The least period of V, a part of an address, along the first dimension: 512 in `a[2 * i - (i & 511)]`; 0:
// no part of V is periodic.
static uint64_t least_period(const Value *v, const Divergence &divergence, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth == 0 || !divergence.values.count(v))
        return 0;
    if (i->getOpcode() == Instruction::And) {
        auto *mask = dyn_cast<ConstantInt>(i->getOperand(1));
        LaneStride stride = lane_stride(i->getOperand(0), divergence);
        bool restarts = mask && mask->getValue().isMask() && mask->getValue().getActiveBits() < 32 &&
                        stride.kind == LaneStride::CONSTANT && stride.bytes == 1;
        return restarts ? mask->getZExtValue() + 1 : 0;
    }
    if (!isa<GetElementPtrInst>(i) && !isa<CastInst>(i) && !isa<BinaryOperator>(i))
        return 0;
    uint64_t least = 0;
    for (const Use &u : i->operands())
        if (uint64_t period = least_period(u.get(), divergence, depth - 1))
            least = least ? std::min(least, period) : period;
    return least;
}

uint32_t in_shim_period(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    Divergence divergence(f, 1);
    uint64_t least = 0;
    for (const Instruction &i : instructions(f))
        if (const Value *pointer = getLoadStorePointerOperand(&i))
            if (uint64_t period = least_period(pointer, divergence, 12))
                least = least ? std::min(least, period) : period;
    return uint32_t(least);
}
