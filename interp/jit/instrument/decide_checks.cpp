// Decides checks by the ranges of values over a launch.  docs/instrumentation.md#ranges-of-a-launch
#include "interp/jit/instrument/launch_ranges.hpp"

#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace instrumentation;

namespace
{

// Checks that ranges decide, for all launches or for those of which ALL is true.
struct Decisions {
    LaunchRanges &ranges;
    bool launches; // some may be decided for some launches only
    Value *all = nullptr;

    bool decide(Value *condition)
    {
        Value *needed = ranges.take_requirement();
        if (!condition)
            return false;
        condition = needed ? ranges.b.CreateAnd(needed, condition) : condition;
        if (match(condition, m_One()))
            return true;
        if (!launches || isa<Constant>(condition))
            return false;
        all = all ? ranges.b.CreateAnd(all, condition) : condition;
        return true;
    }
};

} // namespace

static bool never_wraps(Decisions &d, CallInst *call)
{
    unsigned op = unsigned(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    bool sign = cast<ConstantInt>(call->getArgOperand(2))->isOne();
    Value *x = call->getArgOperand(3), *y = call->getArgOperand(4);
    unsigned opcode = op == LLVMAdd ? Instruction::Add : op == LLVMSub ? Instruction::Sub : Instruction::Mul;
    LaunchRange r = d.ranges.combine(opcode, d.ranges.number(x, sign, call->getParent()),
                                     d.ranges.number(y, sign, call->getParent()));
    LaunchRange all = d.ranges.all_numbers(x->getType()->getIntegerBitWidth(), sign);
    return d.decide(d.ranges.is_within(r, all.low, all.high));
}

// Whether the condition of marker CALL is false.
static bool is_never(Decisions &d, CallInst *call)
{
    auto *compare = dyn_cast<ICmpInst>(call->getArgOperand(0));
    if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
        return false;
    bool sign = compare->isSigned();
    LaunchRange x = d.ranges.number(compare->getOperand(0), sign, call->getParent()),
                y = d.ranges.number(compare->getOperand(1), sign, call->getParent());
    IRBuilder<> &b = d.ranges.b;
    Value *never = nullptr;
    switch (x && y ? compare->getPredicate() : CmpInst::BAD_ICMP_PREDICATE) {
    case ICmpInst::ICMP_UGE:
    case ICmpInst::ICMP_SGE:
        never = b.CreateICmpSLT(x.high, y.low);
        break;
    case ICmpInst::ICMP_UGT:
    case ICmpInst::ICMP_SGT:
        never = b.CreateICmpSLE(x.high, y.low);
        break;
    case ICmpInst::ICMP_ULT:
    case ICmpInst::ICMP_SLT:
        never = b.CreateICmpSLE(y.high, x.low);
        break;
    case ICmpInst::ICMP_EQ:
        never = b.CreateOr(b.CreateICmpSLT(x.high, y.low), b.CreateICmpSLT(y.high, x.low));
        break;
    default:
        break;
    }
    return d.decide(never && match(never, m_Zero()) ? nullptr : never);
}

// Drops checks that the ranges of values over a launch decide.
void CheckLowering::use_ranges()
{
    LaunchRanges ranges(item, options);
    Decisions d{ranges, !options.no_ranges};
    for (Access &a : accesses) {
        Value *pointer = a.call->getArgOperand(0);
        if (a.in_bounds || a.is_found_by_address() || !a.origin.base ||
            !ranges.is_aligned(pointer, a.origin.base, a.align))
            continue;
        uint64_t at = options.shadow_at + memories[a.origin.number].at + offsetof(in_shadow_memory, size);
        Value *size = a.origin.size ? ranges.constant(int64_t(a.origin.size)) : ranges.size_at(at);
        Value *last = ranges.b.CreateSub(size, ranges.constant(int64_t(a.size)));
        LaunchRange offset = ranges.offset(pointer, a.origin.base, a.call->getParent());
        a.in_bounds = d.decide(ranges.is_within(offset, ranges.constant(0), last));
    }
    erase_if(value_checks, [&](CallInst *call) {
        if (call->arg_size() == 5 ? !never_wraps(d, call) : !is_never(d, call))
            return false;
        if (call->arg_size() == 5)
            set_no_wrap(call, true);
        call->eraseFromParent();
        return true;
    });
    options.plan.ranges = d.all != nullptr;
    ranges.finish(d.all);
}
