// Work-groups that no work-item sees in the first dimension, and after how many work-items parts of
// subscripts restart at 0.  docs/vectorizer.md#profitability
#include "interp/jit/vectorize/work_group.hpp"
#include "interp/jit/vectorize/work_item_loops.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

bool in_shim_is_flat(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    return !in_shim_has_barriers(item) && all_of(ArrayRef<unsigned>{LOCAL, GROUP, SIZE, ITEM},
                                                 [&](unsigned k) { return f.getArg(k)->use_empty(); });
}

// What uses V, or V with more bits.
static void find_users(Value *v, SetVector<Instruction *> &users)
{
    for (User *user : v->users())
        if (isa<ZExtInst>(user))
            find_users(user, users);
        else
            users.insert(cast<Instruction>(user));
}

// The sums group id * SIZE + local id; false: there are other uses of these ids.
static bool find_sums(Function &f, uint64_t size, SetVector<Instruction *> &sums)
{
    auto of = [&](unsigned k) {
        return m_CombineOr(m_Specific(f.getArg(k)), m_ZExt(m_Specific(f.getArg(k))));
    };
    auto product = m_CombineOr(m_c_Mul(of(GROUP), m_CombineOr(of(SIZE), m_SpecificInt(size))),
                               m_Shl(of(GROUP), m_SpecificInt(Log2_64(size))));
    SetVector<Instruction *> products, item_users;
    find_users(f.getArg(GROUP), products);
    for (Instruction *i : products)
        if (match(i, product) && (i->getOpcode() != Instruction::Shl || isPowerOf2_64(size)))
            find_users(i, sums);
        else
            return false;
    find_users(f.getArg(ITEM), item_users);
    return all_of(item_users, [&](Instruction *i) { return sums.count(i); }) &&
           all_of(sums, [&](Instruction *i) {
               return match(i, m_c_Add(m_CombineOr(product, m_ZExt(product)), of(ITEM)));
           });
}

// Group id * size + local id, as a value of TYPE.
static Value *emit_sum(Function &f, Instruction *before, Type *type)
{
    IRBuilder<> b(before);
    Value *sum = b.CreateMul(f.getArg(GROUP), f.getArg(SIZE), "", true, true);
    return b.CreateZExtOrTrunc(b.CreateAdd(sum, f.getArg(ITEM), "", true, true), type);
}

bool in_shim_make_flat(LLVMValueRef item, uint32_t size)
{
    Function &f = *cast<Function>(unwrap(item));
    Argument *group = f.getArg(GROUP), *local = f.getArg(ITEM);
    SetVector<Instruction *> sums;
    if (in_shim_has_barriers(item) || !f.getArg(LOCAL)->use_empty() ||
        (size > 1 && !find_sums(f, size, sums)))
        return false;
    SmallVector<Use *, 16> uses;
    for (Use &use : group->uses())
        uses.push_back(&use);
    f.getArg(SIZE)->replaceAllUsesWith(ConstantInt::get(local->getType(), size));
    for (Instruction *sum : sums)
        sum->replaceAllUsesWith(emit_sum(f, sum, sum->getType()));
    if (size > 1)
        return true;
    local->replaceAllUsesWith(ConstantInt::get(local->getType(), 0));
    Value *sum = emit_sum(f, &*f.getEntryBlock().getFirstInsertionPt(), group->getType());
    for (Use *use : uses)
        use->set(sum);
    return true;
}

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
