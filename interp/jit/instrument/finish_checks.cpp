// After the lowering of checks: folds what the ranges of ids decide, and makes the flag a variable.
// docs/instrumentation.md#bounds-and-alignment
#include "interp/jit/instrument/lower_checks.hpp"
#include "interp/jit/vectorize/versions.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;
using namespace instrumentation;

// Whether the ranges of ids and the branches that lead to COMPARE decide it; HOLDS: what the result is.
static bool branches_decide(LazyValueInfo &values, ICmpInst *compare, bool *holds)
{
    ConstantRange left = values.getConstantRange(compare->getOperand(0), compare, false),
                  right(cast<ConstantInt>(compare->getOperand(1))->getValue());
    *holds = left.icmp(compare->getPredicate(), right);
    return *holds || left.icmp(compare->getInversePredicate(), right);
}

// Folds comparisons that trip counts, ranges of ids and branches decide.
static void fold_decided_comparisons(Function &f)
{
    DominatorTree tree(f);
    LoopInfo loops(tree);
    AssumptionCache assumptions(f);
    TargetLibraryInfoImpl library;
    TargetLibraryInfo functions(library);
    ScalarEvolution evolution(f, functions, assumptions, tree, loops);
    auto values = value_info<LazyValueInfo>(&assumptions, &f.getParent()->getDataLayout(), &functions);
    for (Instruction &i : instructions(f)) {
        auto *compare = dyn_cast<ICmpInst>(&i);
        if (!compare || !compare->getOperand(0)->getType()->isIntegerTy() ||
            !isa<ConstantInt>(compare->getOperand(1)) ||
            any_of(compare->users(), [](User *u) { return isa<CallInst>(u); }))
            continue;
        auto known =
            evolution.evaluatePredicate(compare->getPredicate(), evolution.getSCEV(compare->getOperand(0)),
                                        evolution.getSCEV(compare->getOperand(1)));
        bool holds = known && *known;
        if (known || branches_decide(values, compare, &holds))
            compare->replaceAllUsesWith(ConstantInt::getBool(f.getContext(), holds));
    }
}

// With the ranges of ids LLVM makes sums without carries disjunctions, which without the ranges are not
// affine any more.
static void restore_sums(Function &f)
{
    for (Instruction &i : make_early_inc_range(instructions(f))) {
        if (i.getOpcode() != Instruction::Or || !i.getType()->isIntegerTy() || i.getType()->isIntegerTy(1) ||
            !haveNoCommonBitsSet(i.getOperand(0), i.getOperand(1), f.getParent()->getDataLayout()))
            continue;
        auto *sum = BinaryOperator::CreateAdd(i.getOperand(0), i.getOperand(1), "", &i);
        sum->setHasNoUnsignedWrap();
        sum->setHasNoSignedWrap();
        i.replaceAllUsesWith(sum);
        i.eraseFromParent();
    }
}

void in_shim_finish_checks(LLVMValueRef item)
{
    Function &f = *cast<Function>(unwrap(item));
    fold_decided_comparisons(f);
    restore_sums(f);
    for (Instruction &i : make_early_inc_range(instructions(f)))
        if (MDNode *node = i.getMetadata(parameter_metadata)) {
            auto *k = mdconst::extract<ConstantInt>(node->getOperand(0));
            i.replaceAllUsesWith(f.getArg(k->getZExtValue()));
            i.eraseFromParent();
        }
}

static bool is_at(const Value *pointer, const Value *base, uint64_t offset)
{
    if (!pointer)
        return false;
    const DataLayout &layout = cast<Argument>(base)->getParent()->getParent()->getDataLayout();
    APInt at(64, 0);
    return pointer->stripAndAccumulateConstantOffsets(layout, at, true) == base && at == offset;
}

// The flag in the frame is a dependence between work-items.  Once their loops are made, each function has a
// variable instead, which LLVM keeps in registers, one for each lane.
void in_shim_collect_flags(LLVMModuleRef module, uint64_t offset)
{
    for (Function &f : *unwrap(module)) {
        SmallVector<Instruction *, 16> accesses, ends;
        if (!starts_with(f.getName(), "run."))
            continue;
        for (Instruction &i : instructions(f))
            if (is_at(getLoadStorePointerOperand(&i), f.getArg(FRAME), offset))
                accesses.push_back(&i);
            else if (isa<ReturnInst>(i))
                ends.push_back(&i);
        if (accesses.empty())
            continue;
        IRBuilder<> b(&*f.getEntryBlock().getFirstInsertionPt());
        AllocaInst *flag = b.CreateAlloca(b.getInt32Ty());
        b.CreateStore(b.getInt32(0), flag);
        for (Instruction *i : accesses)
            i->setOperand(isa<StoreInst>(i) ? 1 : 0, flag);
        for (Instruction *end : ends) {
            b.SetInsertPoint(end);
            Value *in_frame = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), f.getArg(FRAME), offset);
            Value *before = b.CreateAlignedLoad(b.getInt32Ty(), in_frame, Align(4));
            b.CreateAlignedStore(b.CreateOr(before, b.CreateLoad(b.getInt32Ty(), flag)), in_frame, Align(4));
        }
    }
}
