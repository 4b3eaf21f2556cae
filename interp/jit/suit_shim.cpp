// Code that suits vectors across work-items: gathers of bytes, division of integers.  And the question
// whether a kernel's own vectors are better.
#include "group.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

// ---- the kernel's own vectors --------------------------------------------------------------------

static bool is_costly(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    if (call && !call->getType()->isVoidTy())
        return !isa<IntrinsicInst>(call) || cast<IntrinsicInst>(call)->getIntrinsicID() == Intrinsic::sqrt;
    return i.getOpcode() == Instruction::FDiv || i.isIntDivRem() || i.getOpcode() == Instruction::FRem;
}

// Work-items that go through memory in vectors, at places of their own and doing little with them, gain
// nothing from having the vectors taken apart.
bool in_shim_keeps_vectors(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    DominatorTree tree(f);
    LoopInfo loops(tree);
    Divergence agreement(f, 1);
    unsigned deepest = 0, accesses = 0;
    for (BasicBlock &b : f)
        deepest = std::max(deepest, loops.getLoopDepth(&b));
    for (Instruction &i : instructions(f)) {
        const Value *pointer = getLoadStorePointerOperand(&i);
        if (is_costly(i))
            return false;
        if (pointer && loops.getLoopDepth(i.getParent()) == deepest && agreement.values.count(pointer) &&
            !isa<AllocaInst>(pointer->stripInBoundsOffsets()))
            accesses += getLoadStoreType(&i)->isVectorTy();
    }
    return accesses > 0;
}

// ---- what vectors lack ---------------------------------------------------------------------------

// A byte or short from anywhere as part of the aligned word around it: words can be gathered.
static void load_word(LoadInst *load)
{
    IRBuilder<> b(load);
    Value *address = b.CreatePtrToInt(load->getPointerOperand(), b.getInt64Ty());
    Value *at = b.CreateIntToPtr(b.CreateAnd(address, ~uint64_t(3)), load->getPointerOperandType());
    LoadInst *word = b.CreateAlignedLoad(b.getInt32Ty(), at, Align(4));
    word->copyMetadata(*load, {LLVMContext::MD_access_group, LLVMContext::MD_invariant_load});
    Value *bits = b.CreateShl(b.CreateAnd(b.CreateTrunc(address, b.getInt32Ty()), 3), 3);
    load->replaceAllUsesWith(b.CreateTrunc(b.CreateLShr(word, bits), load->getType()));
    load->eraseFromParent();
}

// The quotient of 32-bit integers is the rounded quotient of doubles cut off: it is never rounded up to the
// next integer, which is at least 2^-32 away, by less than 2^-52 of it.
static void divide(BinaryOperator *i)
{
    IRBuilder<> b(i);
    bool sign = i->getOpcode() == Instruction::SDiv || i->getOpcode() == Instruction::SRem;
    bool rest = i->getOpcode() == Instruction::URem || i->getOpcode() == Instruction::SRem;
    Value *x = b.CreateFreeze(i->getOperand(0)), *y = b.CreateFreeze(i->getOperand(1));
    auto wide = [&](Value *v) {
        return sign ? b.CreateSIToFP(v, b.getDoubleTy()) : b.CreateUIToFP(v, b.getDoubleTy());
    };
    Value *quotient = b.CreateFreeze(b.CreateFPToSI(b.CreateFDiv(wide(x), wide(y)), b.getInt64Ty()));
    Value *result = b.CreateTrunc(quotient, i->getType());
    if (rest)
        result = b.CreateSub(x, b.CreateMul(result, y));
    i->replaceAllUsesWith(result);
    i->eraseFromParent();
}

void in_shim_suit_vectors(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    Divergence agreement(f, 1);
    DominatorTree tree(f);
    LoopInfo loops(tree);
    SmallVector<LoadInst *, 8> loads;
    SmallVector<BinaryOperator *, 8> divisions;
    for (Instruction &i : instructions(f)) {
        if (Loop *loop = loops.getLoopFor(i.getParent()); loop && !worthwhile(*loop, agreement))
            continue;
        if (auto *load = dyn_cast<LoadInst>(&i);
            load && vectorizable(*load) && scattered(*load, agreement) && load->getType()->isIntegerTy() &&
            !isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())) &&
            load->getAlign().value() * 8 >= load->getType()->getIntegerBitWidth())
            loads.push_back(load);
        if (i.isIntDivRem() && i.getType()->isIntegerTy(32) && agreement.values.count(&i) &&
            !isa<Constant>(i.getOperand(1)))
            divisions.push_back(cast<BinaryOperator>(&i));
    }
    for (LoadInst *load : loads)
        load_word(load);
    for (BinaryOperator *i : divisions)
        divide(i);
}
