// Bounds of values by the branches that lead to a place.  docs/instrumentation.md#ranges-of-a-launch
#include "interp/jit/instrument/launch_ranges.hpp"

#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace instrumentation;

// R and BOUNDS at once.
LaunchRange LaunchRanges::narrow(LaunchRange r, unsigned width, const Bounds &bounds)
{
    for (bool sign : {false, true}) {
        Value *least = bounds.least[sign], *most = bounds.most[sign];
        if (!least && !most)
            continue;
        const LaunchRange all = all_numbers(width, sign);
        LaunchRange bounded{least ? least : all.low, most ? most : all.high};
        Value *within = is_within(r, all.low, all.high);
        r = !within ? bounded
                    : LaunchRange{b.CreateSelect(within, larger(r.low, bounded.low), bounded.low),
                                  b.CreateSelect(within, smaller(r.high, bounded.high), bounded.high)};
    }
    return r;
}

// How the number that COMPARED is, without sign or with SIGN, follows from S: S, without sign or with one.
bool LaunchRanges::is_number_of(const SCEV *compared, bool sign, const SCEV *s, bool &sign_of_s)
{
    sign_of_s = sign;
    if (compared == s)
        return true;
    const uint64_t from = evolution.getTypeSizeInBits(compared->getType()),
                   to = evolution.getTypeSizeInBits(s->getType());
    if (from > to) {
        sign_of_s = compared != evolution.getZeroExtendExpr(s, compared->getType());
        return !sign_of_s || (sign && compared == evolution.getSignExtendExpr(s, compared->getType()));
    }
    return from < to && s == (sign ? evolution.getSignExtendExpr(compared, s->getType())
                                   : evolution.getZeroExtendExpr(compared, s->getType()));
}

void LaunchRanges::bound_by_comparison(ICmpInst *compare, const Condition &c, const SCEV *s, Bounds &bounds,
                                       unsigned depth)
{
    if (!compare->getOperand(0)->getType()->isIntegerTy())
        return;
    const unsigned width = compare->getOperand(0)->getType()->getIntegerBitWidth();
    for (unsigned side = 0; side < 2; side++) {
        const SCEV *compared = evolution.getSCEV(compare->getOperand(side));
        ICmpInst::Predicate predicate = c.holds ? compare->getPredicate() : compare->getInversePredicate();
        predicate = side ? ICmpInst::getSwappedPredicate(predicate) : predicate;
        Value *other_side = compare->getOperand(1 - side);
        bool sign = ICmpInst::isSigned(predicate), sign_of_s;
        if (predicate == ICmpInst::ICMP_NE && match(other_side, m_Zero()))
            predicate = ICmpInst::ICMP_UGT;
        if (predicate == ICmpInst::ICMP_NE || width > 64 || !is_number_of(compared, sign, s, sign_of_s))
            continue;
        const LaunchRange other = attempt(
            [&] { return as_number(range(evolution.getSCEV(other_side), c.at, depth), width, sign); });
        if (!other)
            continue;
        bool less = predicate == ICmpInst::ICMP_ULT || predicate == ICmpInst::ICMP_SLT,
             greater = predicate == ICmpInst::ICMP_UGT || predicate == ICmpInst::ICMP_SGT;
        bool equal = predicate == ICmpInst::ICMP_EQ;
        bool above = greater || predicate == ICmpInst::ICMP_UGE || predicate == ICmpInst::ICMP_SGE;
        Value *&least = bounds.least[sign_of_s], *&most = bounds.most[sign_of_s];
        if (equal || above) {
            Value *low = greater ? b.CreateAdd(other.low, constant(1)) : other.low;
            least = least ? larger(least, low) : low;
        }
        if (equal || !above) {
            Value *high = less ? b.CreateSub(other.high, constant(1)) : other.high;
            most = most ? smaller(most, high) : high;
        }
    }
}

// The condition: an integer of any width; it holds if it is not 0.
void LaunchRanges::bound_by(const Condition &c, const SCEV *s, Bounds &bounds, unsigned depth)
{
    Value *x, *y;
    ICmpInst::Predicate predicate;
    bool both =
        c.holds
            ? match(c.value, m_CombineOr(m_LogicalAnd(m_Value(x), m_Value(y)), m_And(m_Value(x), m_Value(y))))
            : match(c.value, m_CombineOr(m_LogicalOr(m_Value(x), m_Value(y)), m_Or(m_Value(x), m_Value(y))));
    if (depth == 0)
        return;
    if (both) {
        bound_by({x, c.holds, c.at}, s, bounds, depth - 1);
        bound_by({y, c.holds, c.at}, s, bounds, depth - 1);
    } else if (c.value->getType()->isIntegerTy(1) && match(c.value, m_Not(m_Value(x)))) {
        bound_by({x, !c.holds, c.at}, s, bounds, depth - 1);
    } else if (match(c.value, m_ZExtOrSExt(m_Value(x))) ||
               match(c.value, m_Select(m_Value(x), m_One(), m_Zero()))) {
        bound_by({x, c.holds, c.at}, s, bounds, depth - 1);
    } else if (match(c.value, m_ICmp(predicate, m_Value(x), m_Zero())) && ICmpInst::isEquality(predicate) &&
               (isa<ZExtInst>(x) || isa<SelectInst>(x) || match(x, m_And(m_Value(), m_Value())) ||
                match(x, m_Or(m_Value(), m_Value())))) {
        bound_by({x, c.holds == (predicate == ICmpInst::ICMP_NE), c.at}, s, bounds, depth - 1);
    } else if (auto *compare = dyn_cast<ICmpInst>(c.value)) {
        bound_by_comparison(compare, c, s, bounds, depth - 1);
    }
}

// By the branches that lead to AT.  Operands of a comparison that dominates AT have not changed since.
LaunchRanges::Bounds LaunchRanges::find_bounds(const SCEV *s, BasicBlock *at, unsigned depth)
{
    Bounds bounds;
    for (const Condition &c : SmallVector<Condition, 4>(chosen))
        bound_by(c, s, bounds, depth);
    for (auto *node = tree.getNode(at); node && node->getIDom(); node = node->getIDom()) {
        BasicBlock *block = node->getIDom()->getBlock();
        auto *branch = dyn_cast<BranchInst>(block->getTerminator());
        for (unsigned edge = 0; branch && branch->isConditional() && edge < 2; edge++)
            if (tree.dominates(BasicBlockEdge(block, branch->getSuccessor(edge)), at))
                bound_by({branch->getCondition(), edge == 0, block}, s, bounds, depth);
    }
    return bounds;
}
