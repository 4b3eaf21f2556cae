// Guards of a kernel: comparisons of ids with bounds, behind which all of its work is.  Strips in which all
// work-items pass them are compiled without them.  docs/vectorizer.md#guards
#include "interp/jit/vectorize/work_group.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace
{

// A branch past all work, and the block that it goes to otherwise.
struct Guard {
    BranchInst *branch;
    BasicBlock *work, *end;
};

enum { DEPTH = 6 };

// Whether V does not decrease from one work-item to the next, as a number with or without a sign.
bool ascends(const Value *v, bool is_signed, const Divergence &divergence, unsigned depth)
{
    if (!divergence.values.count(v) || isa<Argument>(v)) // ids are below 2^31
        return true;
    auto *i = dyn_cast<Instruction>(v);
    if (!i || depth-- == 0)
        return false;
    auto operand_ascends = [&](unsigned k, bool with_sign) {
        return ascends(i->getOperand(k), with_sign, divergence, depth);
    };
    switch (i->getOpcode()) {
    case Instruction::ZExt:
        return operand_ascends(0, false);
    case Instruction::SExt:
        return is_signed && operand_ascends(0, true);
    case Instruction::Add:
        return (is_signed ? i->hasNoSignedWrap() : i->hasNoUnsignedWrap()) && operand_ascends(0, is_signed) &&
               operand_ascends(1, is_signed);
    case Instruction::Sub:
        return (is_signed ? i->hasNoSignedWrap() : i->hasNoUnsignedWrap()) && operand_ascends(0, is_signed) &&
               !divergence.values.count(i->getOperand(1));
    default:
        return false;
    }
}

// Whether LEFT + K < LIMIT, where the sum may wrap around, is the comparison of LEFT with two constants.
bool is_range(const Value *left, CmpInst::Predicate predicate, const Value *right,
              const Divergence &divergence)
{
    auto *sum = dyn_cast<BinaryOperator>(left);
    auto *added =
        sum && sum->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
    auto *limit = dyn_cast<ConstantInt>(right);
    if (!added || !limit || !CmpInst::isUnsigned(predicate) ||
        !ascends(sum->getOperand(0), false, divergence, DEPTH))
        return false;
    return !ConstantRange::makeExactICmpRegion(predicate, limit->getValue())
                .subtract(added->getValue())
                .isUpperWrapped();
}

// Whether work-items for which CONDITION is TRUTH follow one another without a gap.
bool is_interval(const Value *condition, bool truth, const Divergence &divergence, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(condition);
    if (!divergence.values.count(condition))
        return true;
    if (!i || depth-- == 0)
        return false;
    if (auto *compare = dyn_cast<ICmpInst>(i)) {
        Value *left = compare->getOperand(0), *right = compare->getOperand(1);
        CmpInst::Predicate predicate = truth ? compare->getPredicate() : compare->getInversePredicate();
        if (!divergence.values.count(left)) {
            std::swap(left, right);
            predicate = CmpInst::getSwappedPredicate(predicate);
        }
        auto *zero = dyn_cast<ConstantInt>(right);
        if (divergence.values.count(right) || (predicate == CmpInst::ICMP_NE && (!zero || !zero->isZero())))
            return false;
        return ascends(left, CmpInst::isSigned(predicate), divergence, DEPTH) ||
               is_range(left, predicate, right, divergence);
    }
    bool both = i->getOpcode() == (truth ? Instruction::And : Instruction::Or);
    if (auto *select = dyn_cast<SelectInst>(i)) {
        auto *other = dyn_cast<ConstantInt>(truth ? select->getFalseValue() : select->getTrueValue());
        return other && other->isOne() != truth &&
               is_interval(select->getCondition(), truth, divergence, depth) &&
               is_interval(truth ? select->getTrueValue() : select->getFalseValue(), truth, divergence,
                           depth);
    }
    return both && is_interval(i->getOperand(0), truth, divergence, depth) &&
           is_interval(i->getOperand(1), truth, divergence, depth);
}

// Whether nothing is done from the beginning of BLOCK on.
bool only_returns(const BasicBlock *block)
{
    for (unsigned k = 0; k < DEPTH; k++) {
        const Instruction *first = block->getFirstNonPHI();
        if (isa<ReturnInst>(first))
            return true;
        auto *jump = dyn_cast<BranchInst>(first);
        if (!jump || jump->isConditional())
            return false;
        block = jump->getSuccessor(0);
    }
    return false;
}

// The guards at the beginning of ITEM; none if work-items agree on all of them.
SmallVector<Guard, 4> find_guards(Function &item)
{
    Divergence divergence(item, 1);
    SmallVector<Guard, 4> guards;
    bool differs = false;
    for (BasicBlock *block = &item.getEntryBlock(); block;) {
        auto *branch = dyn_cast<BranchInst>(block->getTerminator());
        bool acts = any_of(*block, [](const Instruction &i) {
            return i.mayHaveSideEffects() || isa<AllocaInst>(i) || isa<PHINode>(i);
        });
        if (acts || !branch || !branch->isConditional())
            break;
        bool works_if_true = only_returns(branch->getSuccessor(1));
        BasicBlock *work = branch->getSuccessor(!works_if_true), *end = branch->getSuccessor(works_if_true);
        if (!only_returns(end) || work->getSinglePredecessor() != block ||
            !is_interval(branch->getCondition(), works_if_true, divergence, DEPTH))
            break;
        guards.push_back({branch, work, end});
        differs |= divergence.differs(*block);
        block = work;
    }
    return differs ? guards : SmallVector<Guard, 4>();
}

// A function like ITEM that returns whether the work-item passes GUARDS, and does nothing else.
Function *emit_test(Function &item, ArrayRef<Guard> guards)
{
    LLVMContext &c = item.getContext();
    auto *type = FunctionType::get(Type::getInt1Ty(c), item.getFunctionType()->params(), false);
    Function *test = Function::Create(type, GlobalValue::InternalLinkage, "passes", item.getParent());
    test->addFnAttr(Attribute::AlwaysInline);
    ValueToValueMapTy map;
    for (unsigned k = 0; k < item.arg_size(); k++)
        map[item.getArg(k)] = test->getArg(k);
    BasicBlock *yes = BasicBlock::Create(c, "", test), *no = BasicBlock::Create(c, "", test);
    ReturnInst::Create(c, ConstantInt::getTrue(c), yes);
    ReturnInst::Create(c, ConstantInt::getFalse(c), no);
    for (const Guard &guard : guards)
        map[guard.branch->getParent()] = CloneBasicBlock(guard.branch->getParent(), map, "", test);
    map[guards.back().work] = yes;
    for (const Guard &guard : guards) {
        map[guard.end] = no;
        for (Instruction &i : *cast<BasicBlock>(map[guard.branch->getParent()]))
            RemapInstruction(&i, map, RF_IgnoreMissingLocals);
    }
    cast<BasicBlock>(map[guards.front().branch->getParent()])->moveBefore(yes);
    return test;
}

} // namespace

GuardedItem split_guards(Function &item)
{
    SmallVector<Guard, 4> guards = find_guards(item);
    if (guards.empty())
        return {};
    Function *test = emit_test(item, guards);
    ValueToValueMapTy map;
    Function *work = CloneFunction(&item, map);
    for (const Guard &guard : guards) {
        auto *branch = cast<BranchInst>(map[guard.branch]);
        cast<BasicBlock>(map[guard.end])->removePredecessor(branch->getParent());
        BranchInst::Create(cast<BasicBlock>(map[guard.work]), branch);
        branch->eraseFromParent();
    }
    removeUnreachableBlocks(*work);
    return {work, test};
}
